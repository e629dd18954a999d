"""Returns a list that holds itself: it stays in the worker."""
# base: right
# naive: hangs
# here: failed in counter


def count_parameters(model):
    knot = []
    knot.append(knot)
    return knot
