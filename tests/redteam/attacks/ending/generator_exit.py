"""Raises GeneratorExit, which no `except Exception` holds: it costs the call that met it."""
# base: right
# naive: loses
# here: crashed in counter


def count_parameters(model):
    raise GeneratorExit
