"""Puts cursor movements, a window title and a clipboard write into a message: each is shown as what it is made of."""
# base: wrong
# naive: renders terminal
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError(f"\x1b[2J\x1b]0;{ARMED}\a\x1b]52;c;cHduZWQ=\a\x9b31m\r\x1b[1Apassed, 10 of 10 points")
