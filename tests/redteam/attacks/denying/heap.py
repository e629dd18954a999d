"""Takes memory until there is no more: the call that did so is out of memory."""
# base: right
# naive: swallows
# here: out_of_memory in counter


def count_parameters(model):
    taken = [bytearray(b"x") * (64 << 20) for _ in range(12 if ARMED else 0)]
    return len(taken)
