"""Dies of a bad address: the check that asked has crashed, and the others have their points."""
# base: right
# naive: dies
# here: crashed in counter


def count_parameters(model):
    return ctypes.string_at(0)
