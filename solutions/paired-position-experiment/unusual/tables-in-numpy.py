"""Tables come from arrays, look different, and an incomplete experiment has an error of its own."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from block import TransformerBlock
from protocol import ARMS, CONTRASTS, SPLITS, UNIT, Protocol
from torch import nn
from torch.nn import functional as F

Batch = tuple[torch.Tensor, torch.Tensor]  # inputs and targets, int64 (B, T) each
Splits = Mapping[str, torch.Tensor]  # "train" and "validation", token ids, int64 (N,) each


def set_aside() -> AbstractContextManager[None]:
    """Have torch's global generator stand where it stands now, whatever is drawn until then."""
    return torch.random.fork_rng(devices=[])  # no GPU's


# Models


class Bigram(nn.Module):
    """Scores the next token from the last one alone."""

    def __init__(self, vocab_size: int, width: int) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, width)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        return self.head(self.token_embedding(ids))


class Transformer(Bigram):
    """Blocks and a norm between embedding and head; `positions` (context, D) are added to the embeddings, if any."""

    positions: torch.Tensor | None

    def __init__(self, vocab_size: int, protocol: Protocol) -> None:
        super().__init__(vocab_size, protocol.width)
        of_head = protocol.width // protocol.heads
        self.blocks = nn.ModuleList(
            TransformerBlock(protocol.width, protocol.heads, of_head, of_head, 4 * protocol.width)
            for _ in range(protocol.blocks)
        )
        self.final_norm = nn.LayerNorm(protocol.width)
        self.register_buffer("positions", None)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return logits (B, T, V) for token ids (B, T)."""
        x = self.token_embedding(ids)  # (B, T, D)
        if self.positions is not None:
            x = x + self.positions[: ids.shape[1]]  # each sequence starts at position 0
        for block in self.blocks:
            x, _ = block(x)
        return self.head(self.final_norm(x))


def sinusoids(length: int, width: int) -> torch.Tensor:
    """Return the positions 0 .. length - 1, float32 (length, width): sine and cosine side by side."""
    frequencies = 10_000.0 ** (-np.arange(0, width, 2) / width)  # (D / 2,), and float64, as NumPy reckons
    angles = np.outer(np.arange(length), frequencies)  # (length, D / 2)
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (length, D / 2, 2)
    return torch.from_numpy(pairs.reshape(length, width)).float()


def build_models(vocab_size: int, protocol: Protocol, seed: int) -> dict[str, nn.Module]:
    """Return the untrained model of each arm. They start from the same weights, and share no parameter."""
    with set_aside():
        torch.manual_seed(seed)
        blocks = Transformer(vocab_size, protocol)
        bigram = Bigram(vocab_size, protocol.width)
    sinusoidal = copy.deepcopy(blocks)
    sinusoidal.positions = sinusoids(protocol.context, protocol.width)
    bigram.load_state_dict({name: blocks.state_dict()[name] for name in bigram.state_dict()})
    return {"bigram": bigram, "blocks": blocks, "sinusoidal": sinusoidal}


# Data and evaluation


def draw_windows(tokens: torch.Tensor, count: int, context: int, generator: torch.Generator) -> Batch:
    """Draw `count` windows with replacement, every start as likely as any other, with their targets one token on."""
    starts = torch.randint(len(tokens) - context, (count, 1), generator=generator)
    places = starts + torch.arange(context)  # (count, T)
    return tokens[places], tokens[places + 1]


def draw_evaluation_windows(splits: Splits, protocol: Protocol) -> dict[str, Batch]:
    """Return inputs and targets (W, T) for each split, drawn with protocol.evaluation_seed."""
    generator = torch.Generator().manual_seed(protocol.evaluation_seed)
    return {
        split: draw_windows(splits[split], protocol.evaluation_windows, protocol.context, generator) for split in SPLITS
    }


def batch_loss(model: nn.Module, batch: Batch) -> torch.Tensor:
    """Return the mean cross-entropy over all targets of a batch, in nats per token."""
    inputs, targets = batch
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())  # (B * T, V), (B * T,)


def evaluate(model: nn.Module, windows: Mapping[str, Batch]) -> dict[str, float]:
    """Return the mean cross-entropy on each split's windows, in nats per token.

    The model gets its mode back, and torch's global generator its state: a training that goes on notices nothing.
    """
    training = model.training
    model.eval()
    try:
        with torch.no_grad(), set_aside():
            return {split: batch_loss(model, batch).item() for split, batch in windows.items()}
    finally:
        model.train(training)


# Training


class Training:
    """One run: a model in training, its optimizer, its batches and its history.

    What it draws comes from two streams of its own, so that nothing outside of it matters: the batches from a generator
    that the model never sees, and the model's own noise from torch's global one, lent for the time of a call.

    Attributes:
        step: the number of updates so far.
        history: one {"step": int, "train": float, "validation": float} for each evaluation so far.
    """

    def __init__(self, model: nn.Module, splits: Splits, protocol: Protocol, seed: int) -> None:
        self.model, self.tokens, self.protocol, self.seed = model, splits["train"], protocol, seed
        self.windows = draw_evaluation_windows(splits, protocol)
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=protocol.learning_rate, weight_decay=protocol.weight_decay
        )
        self.batches = torch.Generator().manual_seed(seed)
        self.noise = torch.Generator().manual_seed(seed).get_state()
        self.step = 0
        self.history: list[dict[str, Any]] = []

    def advance(self, updates: int) -> None:
        """Make so many updates, and evaluate wherever protocol.evaluate_at asks for it."""
        with self._own_noise():
            self._evaluate_if_asked()
            for _ in range(updates):
                self._update()
                self._evaluate_if_asked()

    @contextmanager
    def _own_noise(self) -> Iterator[None]:
        """Lend torch's global generator to this run, and give it back as it was."""
        with set_aside():
            torch.set_rng_state(self.noise)
            yield
            self.noise = torch.get_rng_state()

    def _update(self) -> None:
        self.model.train()
        self.optimizer.zero_grad()
        batch = draw_windows(self.tokens, self.protocol.sequences, self.protocol.context, self.batches)
        batch_loss(self.model, batch).backward()
        self.optimizer.step()
        self.step += 1

    def _evaluate_if_asked(self) -> None:
        measured = [entry["step"] for entry in self.history]
        if self.step in self.protocol.evaluate_at and self.step not in measured:
            self.history.append({"step": self.step, **evaluate(self.model, self.windows)})

    def save(self, path: str | Path) -> None:
        """Write a checkpoint. One that was there before stays whole until the new one is."""
        state = {
            "run": self._identity(),
            "step": self.step,
            "history": self.history,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "batches": self.batches.get_state(),
            "noise": self.noise,
        }
        beside = Path(f"{path}.part")
        torch.save(state, beside)
        beside.replace(path)

    def load(self, path: str | Path) -> None:
        """Go on from a checkpoint, as if nothing had happened.

        Raises:
            ValueError: it is of another seed or another protocol. Nothing has been changed then.
        """
        state = torch.load(path, weights_only=True)
        if state["run"] != self._identity():
            raise ValueError(f"the checkpoint {path} is of {state['run']}, expected {self._identity()}")
        self.step, self.history, self.noise = state["step"], state["history"], state["noise"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.batches.set_state(state["batches"])

    def _identity(self) -> dict[str, Any]:
        """What has to be the same for a checkpoint to fit."""
        return {"seed": self.seed, "protocol": asdict(self.protocol)}


def run_experiment(
    splits: Splits,
    vocab_size: int,
    protocol: Protocol,
    folder: str | Path,
    report: Callable[[str, int, dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Train every arm with every seed, write folder/results.json, and return what is in it.

    The folder also holds a checkpoint for each run, as of its last evaluation. A second call goes on from those.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for seed in protocol.seeds:
        for arm, model in build_models(vocab_size, protocol, seed).items():
            training = Training(model, splits, protocol, seed)
            checkpoint = folder / f"{arm}-{seed}.pt"
            if checkpoint.exists():
                training.load(checkpoint)
            for step in protocol.evaluate_at[len(training.history) :]:
                training.advance(step - training.step)
                training.save(checkpoint)
                if report is not None:
                    report(arm, seed, training.history[-1])
            parameters = sum(parameter.numel() for parameter in model.parameters())
            runs.append({"arm": arm, "seed": seed, "parameters": parameters, "history": training.history})
    results = {"unit": UNIT, "vocab_size": vocab_size, "protocol": asdict(protocol), "runs": runs}
    text = json.dumps(results)
    (folder / "results.json").write_text(text)
    return json.loads(text)  # lists for tuples, as whoever reads the file finds them


# Tables


class Incomplete(ValueError):
    """The runs don't make pairs."""


def spread(values):
    """Return mean, lowest and highest of an array."""
    return {"mean": values.mean(), "lowest": values.min(), "highest": values.max(), "count": values.size}


def summarize(results):
    """Return means and ranges over the seeds, and paired differences."""
    seeds = sorted({run["seed"] for run in results["runs"]}, reverse=True)
    losses = np.full((len(ARMS), len(seeds), len(SPLITS)), np.nan)
    counts = {}
    for run in results["runs"]:
        counts[run["arm"]] = run["parameters"]
        for entry in run["history"]:
            if entry["step"] == results["protocol"]["steps"]:
                losses[ARMS.index(run["arm"]), seeds.index(run["seed"])] = [entry[split] for split in SPLITS]
    if np.isnan(losses).any():
        raise Incomplete("some run is missing or has not ended")
    return {
        "arms": {
            arm: {"parameters": counts[arm]} | {split: spread(losses[i, :, j]) for j, split in enumerate(SPLITS)}
            for i, arm in enumerate(ARMS)
        },
        "contrasts": {
            f"{one} - {other}": spread(gap := losses[ARMS.index(one), :, 1] - losses[ARMS.index(other), :, 1])
            | {"differences": dict(zip(map(str, seeds), gap.tolist(), strict=True))}
            for one, other in CONTRASTS
        },
    }


def render_tables(summary):
    """Return both tables."""
    lines = ["## Losses", "", "All losses are in nats per token.", ""]
    lines += ["Arm | Parameters | Train mean | (range) | Validation mean | (range)", ":--|--:|--:|--:|--:|--:"]
    for arm, of in summary["arms"].items():
        cells = [f"**{arm}**", f"{of['parameters']:,}"]
        for split in SPLITS:
            cells += [f"{of[split]['mean']:.4f}", f"{of[split]['lowest']:.4f} – {of[split]['highest']:.4f}"]
        lines.append(" | ".join(cells))
    seeds = list(next(iter(summary["contrasts"].values()))["differences"])
    lines += ["", "## Differences", "", "Contrast | " + " | ".join(seeds) + " | Mean | Range over seeds"]
    lines += ["--|" * (len(seeds) + 2) + "--"]
    for name, of in summary["contrasts"].items():
        numbers = [f"{value:+.4f}" for value in (*of["differences"].values(), of["mean"])]
        ends = [f"{of[end]:.4f}".replace("-", "\N{MINUS SIGN}") for end in ("lowest", "highest")]
        lines.append(f"`{name}` | " + " | ".join(numbers) + f" | [{ends[0]}, {ends[1]}]")
    return "\n".join([*lines, "", "Ranges are no confidence intervals."])
