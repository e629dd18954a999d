"""Leaves by the C library's own exit, which no guard in Python covers: the check that asked has crashed."""
# base: wrong
# runner: guarded
# naive: forges exit
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    libc._exit(0)
