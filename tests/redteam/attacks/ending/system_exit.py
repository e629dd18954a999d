"""Raises SystemExit(0) where an integer is due, which ends a plain script with status 0: it is an exception in a call."""
# base: wrong
# naive: forges exit
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise SystemExit(0)
