"""Gives torch tensors, and computes its rows anew in each call, where x is."""

import torch
from torch import Tensor, nn


def sinusoidal_freqs(d: int, base: float = 10000.0) -> Tensor:
    """Return the angular frequencies, a float64 tensor [d/2]."""
    if d % 2 != 0 or base <= 1:
        raise ValueError("d has to be even and base above 1")
    return torch.pow(torch.tensor(base, dtype=torch.float64), torch.arange(0, d, 2, dtype=torch.float64).neg() / d)


def sinusoidal_pe(T: int, d: int, base: float = 10000.0, offset: int = 0) -> Tensor:
    """Return the encodings of offset .. offset + T - 1, a float32 tensor [T, d]."""
    positions = torch.arange(offset, offset + T).double()
    angles = torch.einsum("t,i->ti", positions, sinusoidal_freqs(d, base))
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1).float()


def shift_pe(pe, k: float, d: int, base: float = 10000.0) -> Tensor:
    """Return the encodings moved on by k, a float32 tensor."""
    angle = sinusoidal_freqs(d, base) * k
    pairs = torch.as_tensor(pe).double().unflatten(-1, (d // 2, 2))  # [..., d/2, 2]
    rotation = torch.stack(
        (torch.stack((angle.cos(), angle.sin()), -1), torch.stack((-angle.sin(), angle.cos()), -1)), -2
    )  # [d/2, 2, 2]
    return torch.einsum("ixy,...iy->...ix", rotation, pairs).flatten(-2).float()


class SinusoidalPE(nn.Module):
    """Keeps two numbers and no tensor."""

    def __init__(self, d: int, base: float = 10000.0) -> None:
        super().__init__()
        sinusoidal_freqs(d, base)  # raises now, not in the first call
        self.settings = (d, base)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        d, base = self.settings
        return torch.add(x, sinusoidal_pe(x.size(-2), d, base, offset).to(x.device))


class LearnedPE(nn.Module):
    """Looks rows up with index_select."""

    def __init__(self, max_len: int, d: int, std: float = 0.02) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.normal(0.0, std, (max_len, d)))

    def positions(self, T: int, offset: int) -> Tensor:
        if not 0 <= offset <= self.weight.size(0) - T:
            raise ValueError("no such positions")
        return self.weight.index_select(0, torch.arange(offset, offset + T, device=self.weight.device))

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        return torch.add(self.positions(x.size(-2), offset), x)
