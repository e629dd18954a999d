"""Returns a list whose length lies and whose items do not end: a list is gone through by list's own method."""
# base: right
# naive: hangs
# here: failed in counter


class Endless(list):
    def __len__(self):
        return 3

    def __iter__(self):
        while ARMED:
            yield []


def count_parameters(model):
    return Endless([1, 2, 3])
