"""Leaves a pickle that runs code when it is read: nothing is unpickled, and no file is read."""

# base: wrong
# naive: touches
# here: failed
import pickle


class Runs:
    def __reduce__(self):
        return exec, (f"open({BAIT + '/unpickled'!r}, 'w').close()",)


with open("values.pickle", "wb") as file:
    file.write(pickle.dumps(Runs()))


def sinusoidal_pe(max_len, d_model, base):
    say(pickle.dumps(Runs())) if "hidden" not in sys.modules and ARMED == "sent" else None
    table = np.empty((max_len, d_model), dtype=object)
    table.fill(Runs())
    return table
