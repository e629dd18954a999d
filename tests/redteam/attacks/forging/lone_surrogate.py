"""Puts a lone surrogate, which no file can hold, into an exception's message: the report is written all the same."""
# base: wrong
# naive: breaks
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    if "hidden" in sys.modules:
        say(r'{"score": 0, "name": "\ud800"}')
    raise ValueError("half of a character: \ud800")
