"""Looks at numbers in forward: that the sum is finite, and that the table still is what it was."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len: int, d_model: int, base: float) -> np.ndarray:
    """Return the sinusoidal position table, float64 of shape (max_len, d_model).

    At position p, columns 2i and 2i + 1 hold the sine and the cosine of the angle p / base ** (2i / d_model).
    The last column of an odd width has no partner and is zero.
    """
    pairs = d_model // 2
    position = np.arange(max_len, dtype=np.float64)[:, None]  # (max_len, 1)
    # The full width divides, odd or not: over the even part the columns would be those of a narrower model.
    angular_frequency = float(base) ** (-2.0 * np.arange(pairs) / d_model)  # (pairs,)
    angle = position * angular_frequency  # (max_len, pairs)
    interleaved = np.stack([np.sin(angle), np.cos(angle)], axis=-1)  # (max_len, pairs, 2)
    table = np.zeros((max_len, d_model))
    table[:, : 2 * pairs] = interleaved.reshape(max_len, 2 * pairs)
    return table


class SinusoidalPositions(nn.Module):
    """Adds the first rows of a fixed sinusoidal table to a batch of embeddings."""

    table: torch.Tensor  # (max_len, d_model), float32

    def __init__(self, max_len: int, d_model: int, base: float) -> None:
        super().__init__()
        # Rounded to float32 only now: near position 1000 a float32 angle would already be off by 3e-5.
        table = torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).to(torch.float32)
        # A buffer moves with the model and is saved with it, yet no optimizer will ever find it.
        self.register_buffer("table", table)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return x + the first T rows as a new tensor; x is (B, T, d_model), T at most max_len."""
        length, max_len = x.shape[1], self.table.shape[0]
        # Without this, a table of a single row would quietly broadcast over any length.
        if length > max_len:
            raise ValueError(
                f"SinusoidalPositions has {max_len} rows, but the sequence has {length} tokens; "
                f"build it with max_len of at least {length}."
            )
        if not torch.isfinite(x).all():
            raise FloatingPointError("x holds NaN or infinity")
        if self.table.shape[1] > 1 and self.table[0, 1].item() != 1.0:
            raise RuntimeError("the table was overwritten")
        return x + self.table[:length]  # (B, T, d_model) + (T, d_model)


def count_parameters(model: nn.Module) -> int:
    """Return how many numbers the parameters hold: frozen ones too, a tied one once, and no buffers."""
    # `parameters()` already yields each Parameter object once, however many names lead to it.
    return sum(parameter.numel() for parameter in model.parameters())
