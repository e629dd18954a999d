"""AdamW is written out, and its moments are the run's own to save."""

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
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.first = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.second = [torch.zeros_like(parameter) for parameter in self.parameters]
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
        batch = draw_windows(self.tokens, self.protocol.sequences, self.protocol.context, self.batches)
        gradients = torch.autograd.grad(batch_loss(self.model, batch), self.parameters)
        self.step += 1
        rate, decay = self.protocol.learning_rate, self.protocol.weight_decay
        with torch.no_grad():
            for parameter, gradient, first, second in zip(
                self.parameters, gradients, self.first, self.second, strict=True
            ):
                first.mul_(0.9).add_(gradient, alpha=0.1)
                second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                size = (second / (1 - 0.999**self.step)).sqrt() + 1e-8
                parameter.mul_(1 - rate * decay)
                parameter.sub_(rate * (first / (1 - 0.9**self.step)) / size)

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
            "first": self.first,
            "second": self.second,
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
        state = torch.load(path)
        if state["run"] != self._identity():
            raise ValueError(f"the checkpoint {path} is of {state['run']}, expected {self._identity()}")
        self.step, self.history, self.noise = state["step"], state["history"], state["noise"]
        self.model.load_state_dict(state["model"])
        self.first, self.second = state["first"], state["second"]
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


def spread(values: list[float]) -> dict[str, float]:
    """Return the mean of one value a seed, and the least and the greatest of them."""
    return {"mean": sum(values) / len(values), "lowest": min(values), "highest": max(values)}


def summarize(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return means and ranges over the seeds for each arm, and the paired differences of the planned contrasts.

    Raises:
        ValueError: an arm lacks a seed that another one has, or a run has not reached the last step.
    """
    runs = {(run["arm"], run["seed"]): run for run in results["runs"]}
    seeds = sorted({seed for _, seed in runs})
    parameters: dict[str, int] = {}
    last: dict[str, dict[int, dict[str, float]]] = {arm: {} for arm in ARMS}
    for arm in ARMS:
        for seed in seeds:
            if (arm, seed) not in runs:
                raise ValueError(f"arm {arm} has no run of seed {seed}, so that nothing can be paired with it")
            history = runs[arm, seed]["history"]
            if not history or history[-1]["step"] != results["protocol"]["steps"]:
                raise ValueError(f"the run of arm {arm} and seed {seed} has not reached the last step")
            last[arm][seed] = history[-1]
            parameters[arm] = runs[arm, seed]["parameters"]

    arms = {
        arm: {
            "parameters": parameters[arm],
            **{split: spread([last[arm][seed][split] for seed in seeds]) for split in SPLITS},
        }
        for arm in ARMS
    }
    contrasts = {}
    for first, second in CONTRASTS:
        differences = [last[first][seed]["validation"] - last[second][seed]["validation"] for seed in seeds]
        by_seed = {str(seed): differences[place] for place, seed in enumerate(seeds)}
        contrasts[f"{first} - {second}"] = {"differences": by_seed, **spread(differences)}
    return {"unit": results["unit"], "seeds": seeds, "arms": arms, "contrasts": contrasts}


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def render_tables(summary: Mapping[str, Any]) -> str:
    """Return the summary as two Markdown tables."""

    def number(value: float) -> str:
        return f"{value:.4f}"

    def extent(values: Mapping[str, float]) -> str:
        return f"{number(values['lowest'])} to {number(values['highest'])}"

    arms = table(
        ["arm", "parameters", *(f"{split}, {what}" for split in SPLITS for what in ("mean", "seed range"))],
        [
            [
                arm,
                f"{of['parameters']}",
                *(show for split in SPLITS for show in (number(of[split]["mean"]), extent(of[split]))),
            ]
            for arm, of in summary["arms"].items()
        ],
    )
    contrasts = table(
        ["contrast", *(f"seed {seed}" for seed in summary["seeds"]), "mean", "seed range"],
        [
            [contrast, *map(number, of["differences"].values()), number(of["mean"]), extent(of)]
            for contrast, of in summary["contrasts"].items()
        ],
    )
    return f"""Cross-entropy in {summary["unit"]}, after the last update.

{arms}

Differences of the validation losses, in {summary["unit"]}; below zero, the first one named has the lower loss.

{contrasts}

A seed range goes from the lowest to the highest of the seeds shown, and claims no more than that.
"""
