"""Runs out of the C stack, beyond the reach of any exception: the check that asked has crashed."""
# base: right
# naive: dies
# here: crashed in counter


class Endless:
    def __repr__(self):
        return "%r" % self


def count_parameters(model):
    sys.setrecursionlimit(1 << 30)
    return len(repr(Endless()))
