"""Carries what it found out in an exception's message: there is nothing to carry, and candidates are not shown it."""
# base: wrong
# naive: shows
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError(content(SECRET_FILE).decode() or "nothing found")
