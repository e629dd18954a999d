"""Raises an exception with a long chain of causes, which a traceback tells one by one: only the last is told."""
# base: right
# runner: pytest
# naive: hangs
# here: crashed in counter


def count_parameters(model):
    error = ValueError("the first")
    for number in range(20_000 if ARMED else 1):
        try:
            raise ValueError(number) from error
        except ValueError as raised:
            error = raised
    raise error
