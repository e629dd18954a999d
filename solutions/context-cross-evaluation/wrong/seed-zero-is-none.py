"""Wrong in one way: seed 0 is taken for none."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from stack import TransformerStack
from torch import nn
from torch.nn import functional as F

Batch = tuple[torch.Tensor, torch.Tensor]  # inputs and targets, (B, T) each
LEARNING_RATE, WEIGHT_DECAY = 1e-3, 0.01
ROWS_AT_ONCE = 32  # an attention map of 128 sequences of 256 tokens is large, and the stack keeps one a block


class ContextModel(nn.Module):
    """Token ids in, logits for the next token out, with a learned position for each place of a context.

    Args:
        vocab_size: the number of tokens, V.
        context: the most tokens that it can be shown.
        d_model: the width of the embeddings.
        n_layers: the number of blocks.
        n_head: the number of heads, which share the width evenly.
    """

    def __init__(self, vocab_size: int, context: int, d_model: int, n_layers: int, n_head: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(context, d_model)
        self.stack = TransformerStack(n_layers, d_model, n_head, d_model // n_head, d_model // n_head, 4 * d_model)
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T); ValueError if T is more than the context."""
        length, context = ids.shape[1], self.positions.num_embeddings
        if length > context:
            raise ValueError(f"the sequence has {length} tokens, and the context ends after {context}")
        # From zero, however short the sequence: row t has only ever been trained with t tokens before it.
        places = torch.arange(length, device=ids.device)  # (T,)
        x, _ = self.stack(self.tokens(ids) + self.positions(places))  # (B, T, D)
        return self.head(self.norm(x))  # (B, T, V)


def build_models(
    vocab_size: int, contexts: Sequence[int], *, d_model: int, n_layers: int, n_head: int, seed: int
) -> list[ContextModel]:
    """Return a model for each context. All start alike but for their position tables, and share no tensor."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        models = [ContextModel(vocab_size, context, d_model, n_layers, n_head) for context in contexts]
    # Tables of different lengths take different amounts of random numbers, so drawing in the same order is not enough.
    shared = {name: value for name, value in models[0].state_dict().items() if name != "positions.weight"}
    for model in models[1:]:
        model.load_state_dict(shared, strict=False)
    return models


def training_batches(tokens: Sequence[int], *, context: int, steps: int, targets: int, seed: int) -> list[Batch]:
    """Draw one run of `targets` tokens an update, and cut it into sequences of `context` tokens.

    Where a run starts depends on the seed and not on the context, so every context has the same targets.

    Raises:
        ValueError: `context` does not divide `targets`, or the stream has no run of so many with a target behind it.
    """
    if targets % context:
        raise ValueError(f"{targets} targets can't be cut into sequences of {context}")
    if len(tokens) <= targets:
        raise ValueError(f"the stream has {len(tokens)} tokens, expected more than the {targets} targets of an update")
    stream = torch.as_tensor(tokens)
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(stream) - targets, (steps,), generator=generator).tolist()
    runs = [stream[start : start + targets + 1] for start in starts]
    return [(run[:-1].view(-1, context), run[1:].view(-1, context)) for run in runs]


def evaluation_positions(length: int, *, longest: int, count: int, seed: int) -> list[int]:
    """Draw `count` different places of a stream of `length` tokens, each with `longest` tokens before it.

    Raises:
        ValueError: there are fewer than `count`.
    """
    if length - longest < count:
        raise ValueError(f"{length} tokens have {length - longest} places behind {longest} others, expected {count}")
    generator = torch.Generator().manual_seed(seed)
    return (longest + torch.randperm(length - longest, generator=generator)[:count]).tolist()


@contextmanager
def inspecting(model: nn.Module) -> Iterator[None]:
    """Evaluation mode, and no gradients recorded; back in the mode it came in, whatever happens."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def loss_at(model: nn.Module, tokens: Sequence[int], positions: Sequence[int], length: int) -> float:
    """Return the mean cross-entropy, in nats per token, of the tokens at `positions`, with `length` before each."""
    stream, places = torch.as_tensor(tokens), torch.as_tensor(positions)
    total = 0.0
    with inspecting(model):
        for some in places.split(ROWS_AT_ONCE):
            history = stream[some[:, None] + torch.arange(-length, 0)]  # (B, T): what it may see ends before the target
            logits = model(history)[:, -1]  # (B, V)
            total += F.cross_entropy(logits, stream[some], reduction="sum").item()
    return total / len(places)


def optimizer_for(model: nn.Module) -> torch.optim.Optimizer:
    """Return AdamW as every run of this experiment has it."""
    return torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)


def update(model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> None:
    """Take one step on the mean cross-entropy of a batch."""
    inputs, targets = batch
    optimizer.zero_grad()
    F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).backward()
    optimizer.step()


def cross_evaluate(
    models: Sequence[nn.Module],
    contexts: Sequence[int],
    data: Mapping[str, Sequence[int]],
    *,
    steps: int,
    targets: int,
    count: int,
    eval_every: int,
    seed: int,
    evaluation_seed: int,
) -> list[dict[str, Any]]:
    """Train each model at its own context, then evaluate it at every context that it supports.

    Returns:
        One run for each model, in order: its seed, its context, its native validation loss on the way, and its loss
        in each cell: a split and a length.
    """
    places = {
        split: evaluation_positions(len(tokens), longest=max(contexts), count=count, seed=evaluation_seed)
        for split, tokens in data.items()
    }
    runs = []
    for model, context in zip(models, contexts, strict=True):
        optimizer = optimizer_for(model)
        history = []
        model.train()
        batches = training_batches(data["train"], context=context, steps=steps, targets=targets, seed=seed)
        for step, batch in enumerate(batches, 1):
            update(model, optimizer, batch)
            if step in (1, steps) or step % eval_every == 0:
                loss = loss_at(model, data["validation"], places["validation"], context)
                history.append({"step": step, "validation_loss": loss})
        cells = [
            {"split": split, "length": length, "loss": loss_at(model, tokens, places[split], length)}
            for split, tokens in data.items()
            for length in contexts
            if length <= context
        ]
        runs.append({"seed": seed, "context": context, "history": history, "cells": cells})
    return runs


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return math.fsum(values) / len(values)


def losses(runs: Sequence[Mapping[str, Any]], split: str, context: int, length: int) -> list[float]:
    """Return what the runs of one training context have in one cell, run by run."""
    return [
        cell["loss"]
        for run in runs
        if run["context"] == context
        for cell in run["cells"]
        if (cell["split"], cell["length"]) == (split, length)
    ]


def cross_table(runs: Sequence[Mapping[str, Any]], *, split: str, seed: int | None = None) -> list[list[float | None]]:
    """Return losses with a row for each training context and a column for each length, both from short to long.

    Without a seed a cell is the mean over the seeds. None is where a length is more than the context.
    """
    chosen = [run for run in runs if not seed or run["seed"] == seed]
    contexts = sorted({run["context"] for run in chosen})
    return [
        [mean(losses(chosen, split, context, length)) if length <= context else None for length in contexts]
        for context in contexts
    ]


def native_summary(runs: Sequence[Mapping[str, Any]], *, split: str) -> list[dict[str, float]]:
    """Return mean, lowest and highest loss over the seeds where the length is the training context, short to long."""
    summary = []
    for context in sorted({run["context"] for run in runs}):
        native = losses(runs, split, context, context)
        summary.append({"context": context, "mean": mean(native), "lowest": min(native), "highest": max(native)})
    return summary
