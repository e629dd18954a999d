"""A trainer object with a method for each part, and a generator for the history."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import torch
from corpus import get_batch
from torch import nn


@dataclass
class Entry:
    """One entry of the history."""

    step: int
    train_batch_loss: float
    validation_loss: float


class Trainer:
    """Trains one model on the batches of corpus.py."""

    def __init__(self, model: nn.Module, learning_rate: float) -> None:
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(params=model.parameters(), lr=learning_rate)

    def loss(self, split: str) -> torch.Tensor:
        """Return the loss of the next batch."""
        inputs, targets = get_batch(split)
        # (B, T, V) -> (B, V, T)
        return self.criterion(self.model(inputs).permute(0, 2, 1), targets)

    def update(self) -> float:
        """Take one step, and return the loss before it."""
        self.model.train()
        loss = self.loss("train")
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss)

    def evaluate(self, batches: int) -> float:
        """Return the mean validation loss."""
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        self.model.train(False)
        try:
            return math.fsum(self.loss("validation").item() for _ in range(batches)) / batches
        finally:
            self.model.train(True)
            torch.set_grad_enabled(before)

    def run(self, steps: int, eval_every: int, eval_batches: int) -> Iterator[Entry]:
        """Train, and yield an entry for each evaluation."""
        for step in range(1, steps + 1):
            loss = self.update()
            if step in (1, steps) or not step % eval_every:
                yield Entry(step, loss, self.evaluate(eval_batches))


def train_language_model(model, steps=100, learning_rate=1e-3, eval_every=10, eval_batches=1):
    if not (steps > 0 and eval_every > 0 and eval_batches > 0 and learning_rate > 0):
        raise ValueError("all four numbers have to be positive")
    return [asdict(entry) for entry in Trainer(model, learning_rate).run(steps, eval_every, eval_batches)]
