"""Puts characters into a message that no XML may hold, and the end of a CDATA section: each is shown in words."""
# base: wrong
# naive: renders xml
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError(f"\x00\x01\x0b\ufffe\uffff]]><{ARMED}/><![CDATA[")
