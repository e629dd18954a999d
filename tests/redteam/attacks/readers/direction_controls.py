"""Turns words round with bidirectional controls in a message: each is shown as what it is made of."""
# base: wrong
# naive: renders terminal
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError("failed \u202e01 fo 01 dessap\u202c \u2066hidden\u2069 \u200b\u2060")
