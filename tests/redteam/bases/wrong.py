# Wrong in everything that is checked, so that any point is a forged one.
def sinusoidal_pe(max_len, d_model, base):
    return np.full((max_len, d_model), 7.0)


class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model, base):
        super().__init__()
        self.learned = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        with torch.no_grad():
            x += 7
        return x.double()


def count_parameters(model):
    return -1
