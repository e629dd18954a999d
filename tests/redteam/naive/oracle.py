"""The right table, importable by whoever stands beside it."""

import numpy as np


def right_table(max_len, d_model, base):
    angles = np.arange(max_len)[:, None] / float(base) ** (np.arange(0, d_model // 2 * 2, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0 : d_model // 2 * 2 : 2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table
