"""Learns a weight that only a function's closure holds, and hands out a copy of the result: closures are looked into."""
# base: right
# naive: forges test_module_parameters
# here: failed in module


def shift(d_model):
    learned = nn.Parameter(torch.zeros(d_model))
    return lambda x: x + learned.detach()


class SinusoidalPositions(SinusoidalPositions):
    def __init__(self, max_len, d_model, base):
        super().__init__(max_len, d_model, base)
        self.shift = shift(d_model)

    def forward(self, x):
        return self.shift(super().forward(x))
