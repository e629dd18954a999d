"""Announces more bytes than there is memory: the announcement is refused before anything is set aside."""
# base: wrong
# naive: breaks
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    say('{"ok": 1', announced=1 << 60)
    return np.zeros((max_len, d_model))
