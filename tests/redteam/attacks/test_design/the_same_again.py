"""Answers the first call rightly and every later one with the same: one call proves little, so there are several."""

# base: right
# naive: forges test_table_testing
# here: failed in table
first = []
right = sinusoidal_pe


class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model, base):
        super().__init__()
        self.register_buffer("table", torch.from_numpy(right(max_len, d_model, base)).float())

    def forward(self, x):
        return x + self.table[: x.shape[1]]


def sinusoidal_pe(max_len, d_model, base):
    first.append(right(max_len, d_model, base)) if not first else None
    return first[0]
