"""Takes memory by torch's own allocator: the call that did so is out of memory."""
# base: right
# naive: swallows
# here: out_of_memory in counter


def count_parameters(model):
    return torch.ones((3 << 28) if ARMED else 1, dtype=torch.uint8).sum().item()
