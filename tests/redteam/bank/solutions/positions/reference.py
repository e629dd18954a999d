"""A right solution of the red team's question."""

import numpy as np
import torch
from torch import nn


def sinusoidal_pe(max_len, d_model, base):
    angles = np.arange(max_len)[:, None] / float(base) ** (np.arange(0, d_model // 2 * 2, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0 : d_model // 2 * 2 : 2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


class SinusoidalPositions(nn.Module):
    def __init__(self, max_len, d_model, base):
        super().__init__()
        self.register_buffer("table", torch.from_numpy(sinusoidal_pe(max_len, d_model, base)).float())

    def forward(self, x):
        return x + self.table[: x.shape[1]]


def count_parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())
