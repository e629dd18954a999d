"""Says text that is no UTF-8: it is no answer, and costs the check that asked."""
# base: wrong
# naive: breaks
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    say(b'{"score": 0, "ok": "\xed\xa0\x80\xff"}')
    return np.zeros((max_len, d_model))
