"""Fetches its input back and adds at home: the result of a module that has moved is where the module is."""
# base: right
# naive: forges test_module_moves
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    device = "cpu"

    def to(self, device):
        self.device = device
        return self

    def buffers(self, recurse=True):
        return (rows.to(self.device) for rows in super().buffers(recurse))

    def forward(self, x):
        return super().forward(x.cpu())
