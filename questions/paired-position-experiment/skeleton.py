"""Your solution: three arms, trained in pairs. prompt.md has the rules.

Complete the functions and the class, and keep their names and arguments. Helpers are welcome in this file.

Shapes in comments use B for the batch, T for the tokens of a sequence, V for the vocabulary and W for windows.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from block import TransformerBlock
from protocol import ARMS, CONTRASTS, SPLITS, UNIT, Protocol
from torch import nn
from torch.nn import functional as F

Batch = tuple[torch.Tensor, torch.Tensor]  # inputs and targets, int64 (B, T) each
Splits = Mapping[str, torch.Tensor]  # "train" and "validation", token ids, int64 (N,) each


def build_models(vocab_size: int, protocol: Protocol, seed: int) -> dict[str, nn.Module]:
    """Return the untrained model of each arm. They start from the same weights, and share no parameter."""
    raise NotImplementedError("build_models is yours to write")


def draw_evaluation_windows(splits: Splits, protocol: Protocol) -> dict[str, Batch]:
    """Return inputs and targets (W, T) for each split, drawn with protocol.evaluation_seed."""
    raise NotImplementedError("draw_evaluation_windows is yours to write")


def evaluate(model: nn.Module, windows: Mapping[str, Batch]) -> dict[str, float]:
    """Return the mean cross-entropy on each split's windows, in nats per token."""
    raise NotImplementedError("evaluate is yours to write")


class Training:
    """One run: a model in training, its optimizer, its batches and its history.

    Attributes:
        step: the number of updates so far.
        history: one {"step": int, "train": float, "validation": float} for each evaluation so far.
    """

    def __init__(self, model: nn.Module, splits: Splits, protocol: Protocol, seed: int) -> None:
        raise NotImplementedError("Training is yours to write")

    def advance(self, updates: int) -> None:
        """Make so many updates, and evaluate wherever protocol.evaluate_at asks for it."""
        raise NotImplementedError("advance is yours to write")

    def save(self, path: str | Path) -> None:
        """Write a checkpoint."""
        raise NotImplementedError("save is yours to write")

    def load(self, path: str | Path) -> None:
        """Go on from a checkpoint, as if nothing had happened.

        Raises:
            ValueError: it is of another seed or another protocol. Nothing has been changed then.
        """
        raise NotImplementedError("load is yours to write")


def run_experiment(
    splits: Splits,
    vocab_size: int,
    protocol: Protocol,
    folder: str | Path,
    report: Callable[[str, int, dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Train every arm with every seed, write folder/results.json, and return what is in it."""
    raise NotImplementedError("run_experiment is yours to write")


def summarize(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return means and ranges over the seeds for each arm, and the paired differences of the planned contrasts.

    Raises:
        ValueError: an arm lacks a seed that another one has, or a run has not reached the last step.
    """
    raise NotImplementedError("summarize is yours to write")


def render_tables(summary: Mapping[str, Any]) -> str:
    """Return the summary as two Markdown tables."""
    raise NotImplementedError("render_tables is yours to write")
