"""Nests an answer deeper than a parser can follow: it is no answer, and costs the check that asked."""
# base: wrong
# naive: breaks
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    say('{"score": 0, "ok": ' + "[" * 20_000 + "]" * 20_000 + "}")
    return np.zeros((max_len, d_model))
