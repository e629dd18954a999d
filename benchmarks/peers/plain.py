"""A subject in the process that checks it, as every peer has it: nothing stands between the two.

The file is copied beside a peer's tests. `solution` is imported from wherever the peer has put it.
"""

from typing import Any

import torch
from torch import nn


def models() -> dict[str, nn.Module]:
    """What the counter is asked about."""
    head, embedding, layer = nn.Linear(4, 7, bias=False), nn.Embedding(7, 4), nn.Linear(2, 2)
    head.weight = embedding.weight
    return {
        "tied": nn.ModuleList([embedding, head]),
        "frozen": nn.ModuleList([nn.Linear(5, 3), nn.Linear(6, 3).requires_grad_(False)]),
        "with_buffers": nn.BatchNorm1d(6),
        "twins": nn.ModuleList([nn.LayerNorm(4), nn.LayerNorm(4)]),
        "shared": nn.Sequential(layer, nn.Sequential(layer, nn.Linear(2, 3))),
        "empty": nn.ReLU(),
    }


class Plain:
    """A solution that was imported."""

    def __init__(self, solution: Any) -> None:
        self.solution = solution
        self.models = models()

    def table(self, max_len: int, d_model: int, base: float) -> Any:
        return self.solution.sinusoidal_pe(max_len, d_model, base)

    def module(self, max_len: int, d_model: int, base: float) -> Any:
        return self.solution.SinusoidalPositions(max_len, d_model, base)

    def call(self, module: Any, x: Any, training: bool) -> Any:
        return module.train(training)(torch.from_numpy(x.copy())).detach().numpy()

    def fails(self, module: Any, x: Any) -> bool:
        try:
            module(torch.from_numpy(x.copy()))
        except Exception:  # noqa: BLE001 - any error of the candidate's is one
            return True
        return False

    def held(self, module: Any) -> list[tuple[str, tuple[int, ...], bool]]:
        kinds = (("parameter", module.named_parameters()), ("buffer", module.named_buffers()))
        return [(kind, tuple(each.shape), each.requires_grad) for kind, every in kinds for _, each in every]

    def leaves(self, module: Any, x: Any) -> bool:
        sent = torch.from_numpy(x.copy())
        result = module(sent)
        shared = result.untyped_storage().data_ptr() == sent.untyped_storage().data_ptr()
        return bool((sent.numpy() == x).all()) and not shared

    def gradient(self, module: Any, x: Any) -> bool:
        sent = torch.from_numpy(x.copy()).requires_grad_()
        module(sent).sum().backward()
        return sent.grad is not None and bool(sent.grad.any())

    def count(self, model: str) -> int:
        return int(self.solution.count_parameters(self.models[model]))
