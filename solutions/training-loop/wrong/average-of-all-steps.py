"""Wrong in one way: the training loss is the mean over all steps so far."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from corpus import get_batch
from torch import nn
from torch.nn import functional as F


def batch_loss(model: nn.Module, split: str) -> torch.Tensor:
    """Return the mean cross-entropy, in nats per token, of the model on the next batch of a split."""
    inputs, targets = get_batch(split)  # (B, T) each
    logits = model(inputs)  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())  # (B * T, V), (B * T,)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, and no gradients recorded; back to training mode whatever happens."""
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train()


def train_language_model(
    model: nn.Module, *, steps: int, learning_rate: float, eval_every: int, eval_batches: int
) -> list[dict[str, float]]:
    """Train a model with AdamW, in place, on the batches of corpus.py, and return its history."""
    for name, value in {"steps": steps, "eval_every": eval_every, "eval_batches": eval_batches}.items():
        if value < 1:
            raise ValueError(f"{name} is {value}, expected at least 1")
    if learning_rate <= 0:
        raise ValueError(f"learning_rate is {learning_rate}, expected more than 0")

    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    history = []
    seen = []
    model.train()
    for step in range(1, steps + 1):
        optimizer.zero_grad(set_to_none=True)
        loss = batch_loss(model, "train")
        loss.backward()
        optimizer.step()
        seen.append(loss.item())

        if step == 1 or step % eval_every == 0 or step == steps:
            with evaluating(model):
                losses = [batch_loss(model, "validation").item() for _ in range(eval_batches)]
            average = sum(seen) / len(seen)
            history.append({"step": step, "train_batch_loss": average, "validation_loss": sum(losses) / eval_batches})
    return history
