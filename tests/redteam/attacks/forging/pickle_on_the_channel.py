"""Sends a pickle that runs code when it is read: it is no answer, and costs the check that asked."""

# base: wrong
# naive: breaks
# here: crashed
import pickle


class Runs:
    def __reduce__(self):
        return exec, (f"open({BAIT + '/unpickled'!r}, 'w').close()",)


def sinusoidal_pe(max_len, d_model, base):
    say(pickle.dumps(Runs()).replace(b"\n", b" "))
    return np.zeros((max_len, d_model))
