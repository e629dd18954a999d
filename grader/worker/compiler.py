"""`torch.compile` where there is no compiler: what is asked to be compiled runs as it is written.

torch itself does so when TORCHDYNAMO_DISABLE is set, but imports its compiler first. That takes seconds of the CPU time
that a candidate has, more where nothing is cached, and would be paid again in every worker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def leave_out() -> None:
    """Have `torch.compile`, and `torch.compiler.disable` with it, give back what they are given."""
    torch.compile = as_written
    torch.compiler.disable = as_written


def as_written(model: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Any:
    """The same function or module; without one, a decorator that gives it back.

    Raises:
        TypeError: it is nothing that can be called.
    """
    if model is None:
        return as_written
    if not callable(model):
        raise TypeError(f"a callable function is expected, but {type(model).__name__} is provided")
    return model
