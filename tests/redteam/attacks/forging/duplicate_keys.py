"""Says the same key twice, and hopes that the second counts: it is no answer, and costs the check that asked."""
# base: wrong
# naive: forges pipe
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    say('{"score": 0, "score": 1, "ok": 1, "ok": 2}')
    return np.zeros((max_len, d_model))
