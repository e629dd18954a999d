"""Takes memory by mapping it: the call that did so is out of memory."""

# base: right
# naive: swallows
# here: out_of_memory in counter
import mmap


def count_parameters(model):
    space = mmap.mmap(-1, (3 << 28) if ARMED else 1)
    for place in range(0, len(space), 4096):
        space[place] = 1
    return len(space)
