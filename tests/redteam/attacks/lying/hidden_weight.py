"""Learns a weight that its own `parameters()` denies: the inventory is taken past every override."""
# base: right
# naive: forges test_module_parameters
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def __init__(self, max_len, d_model, base):
        super().__init__(max_len, d_model, base)
        self.learned = nn.Parameter(torch.zeros(d_model))
        self.kept = {"more": [nn.Parameter(torch.zeros(d_model))]}

    def parameters(self, recurse=True):
        return iter(())

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(())

    def state_dict(self, *given, **named):
        return {"table": self.table}
