"""Wrong in one way: tokens are drawn at a temperature of 0.8."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

TEMPERATURE = 0.8

Batch = tuple[torch.Tensor, torch.Tensor]  # inputs and targets, (B, T) each


def draw_batches(
    stream: Sequence[int], block_size: int, batches: int, batch_size: int, rng: random.Random
) -> list[Batch]:
    """Draw windows of a stream with their targets one token on."""
    drawn = []
    for _ in range(batches):
        starts = [rng.randrange(len(stream) - block_size) for _ in range(batch_size)]
        windows = torch.tensor([stream[start : start + block_size + 1] for start in starts])  # (B, T + 1)
        drawn.append((windows[:, :-1], windows[:, 1:]))
    return drawn


@contextmanager
def inspecting(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, and no gradients recorded; every part gets its own mode back."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, training in modes.items():
            module.training = training


def logits_of(model: nn.Module, ids: torch.Tensor) -> torch.Tensor:
    """Return the logits (B, T, V) for token ids (B, T)."""
    result = model(ids)
    return result[0] if isinstance(result, tuple) else result


def mean_loss(model: nn.Module, batches: list[Batch]) -> float:
    """Return the mean cross-entropy over batches of one size, in nats per token."""
    total = 0.0
    for inputs, targets in batches:
        logits = logits_of(model, inputs)  # (B, T, V)
        total += F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item()
    return total / len(batches)


def generate(model: nn.Module, prompt: Sequence[int], new_tokens: int, block_size: int, seed: int) -> list[int]:
    """Return the prompt and new tokens, drawn one by one."""
    sampler = torch.Generator().manual_seed(seed)
    tokens = list(prompt)
    for _ in range(new_tokens):
        context = torch.tensor([tokens[-block_size:]])  # (1, T)
        logits = logits_of(model, context)[0, -1] / TEMPERATURE  # (V,)
        probabilities = logits.softmax(dim=-1)
        tokens.append(int(torch.multinomial(probabilities, 1, generator=sampler)))
    return tokens


def compare_models(
    models: Mapping[str, nn.Module],
    data: Mapping[str, Sequence[int]],
    *,
    block_size: int,
    batches: int,
    batch_size: int,
    prompt: Sequence[int],
    new_tokens: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Measure every model on the same windows, and let each go on from the same prompt."""
    if min(block_size, batches, batch_size) < 1 or new_tokens < 0:
        raise ValueError("block_size, batches and batch_size have to be at least 1, and new_tokens at least 0")
    if len(prompt) == 0:
        raise ValueError("the prompt is empty, expected at least one token")
    for split, stream in data.items():
        if len(stream) <= block_size:
            raise ValueError(f"{split} has {len(stream)} tokens, expected more than block_size {block_size}")

    rng = random.Random(seed)
    drawn = {split: draw_batches(stream, block_size, batches, batch_size, rng) for split, stream in data.items()}
    comparison = {}
    for name, model in models.items():
        with inspecting(model):
            comparison[name] = {
                "losses": {split: mean_loss(model, windows) for split, windows in drawn.items()},
                "tokens": generate(model, prompt, new_tokens, block_size, seed),
                "parameters": sum(parameter.numel() for parameter in model.parameters()),
            }
    return comparison


def loss_deltas(comparison: Mapping[str, Mapping[str, Any]], *, control: str, treatment: str) -> dict[str, float]:
    """Return the loss of the treatment minus that of the control, by split."""
    before, after = comparison[control]["losses"], comparison[treatment]["losses"]
    return {split: after[split] - before[split] for split in before}
