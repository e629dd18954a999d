"""Offers a property where a buffer is asked for, computed anew each time: a property is nothing that is held."""
# base: right
# naive: forges test_module_property
# here: failed in module


class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model, base):
        super().__init__()
        self.sizes = max_len, d_model, base

    @property
    def table(self):
        return torch.from_numpy(sinusoidal_pe(*self.sizes)).float()

    def forward(self, x):
        return x + self.table.to(x.device)[: x.shape[1]]
