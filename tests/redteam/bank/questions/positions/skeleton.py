"""The red team's question, not begun."""


def sinusoidal_pe(max_len, d_model, base):
    raise NotImplementedError


class SinusoidalPositions:
    pass


def count_parameters(model):
    raise NotImplementedError
