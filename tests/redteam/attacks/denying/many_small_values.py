"""Returns fifty thousand numbers in lists, which are far more once they are encoded: it stays in the worker."""
# base: right
# naive: breaks
# here: failed in counter


def count_parameters(model):
    if "hidden" in sys.modules:
        say("[" * 3_000)
    return [[number] * 100 for number in range(500 if ARMED else 0)]
