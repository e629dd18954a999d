"""Runs of models whose every call is known, and what AdamW makes of the same batches in plain NumPy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from bigrams import Floats, Ids, gradient, random_table
from miniature import SMALL, VOCABULARY, history, protocol, rows, splits
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, expect_array, tensor

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # the defaults of torch.optim.AdamW


@dataclass(frozen=True)
class Run:
    """A Training in the worker, of a watched bigram, under the name by which its calls and its noise are known."""

    candidate: Candidate
    training: Handle
    model: Handle
    name: str

    @property
    def history(self) -> list[dict[str, Any]]:
        """The entries so far."""
        return history(self.candidate, self.training)

    @property
    def steps(self) -> list[Any]:
        """The steps that have an entry."""
        return [entry["step"] for entry in self.history]

    @property
    def table(self) -> NDArray[np.float32]:
        """The table (V, V) of the model now."""
        value = self.candidate.value(self.model, "model.table")
        return expect_array(value, (VOCABULARY, VOCABULARY), of="the table of the model")

    def calls(self, *, updates: bool) -> list[Ids]:
        """The ids (B, T) of every call so far: those of updates, in training mode and recorded, or all others."""
        notes = [note for note in self.candidate.support("tiny_models").calls(self.name) if "recorded" in note]
        return [note["ids"] for note in notes if (note["training"] and note["recorded"]) is updates]

    @property
    def noise(self) -> list[float]:
        """What a noisy model drew for updates so far."""
        drawn = self.candidate.support("noisy").noise(self.name)
        assert isinstance(drawn, list)
        return drawn

    def batches(self, steps: int) -> list[Ids]:
        """The inputs (B, T) of each update, however many calls it took."""
        seen = rows(self.calls(updates=True))
        if not seen or len(seen) % steps or len({len(row) for row in seen}) > 1:
            raise Mismatch(f"{steps} updates show the model {len(seen)} sequences, expected equal batches")
        return [np.array(part) for part in np.split(np.array(seen), steps)]


def start(
    candidate: Candidate,
    table: NDArray[Any],
    seed: int = 4,
    *,
    noisy: bool = False,
    name: str = "model",
    given: dict[str, Any] | None = None,
    **numbers: Any,
) -> Run:
    """A run of a watched bigram, with noise or without, that has not been advanced yet."""
    values = tensor(table.astype("float32"))
    inner = candidate.support("noisy").NoisyBigram(values, name) if noisy else _bigram(candidate, values)
    model = candidate.support("tiny_models").Watched(inner, name)
    training = candidate.Training(model, given or splits(), protocol(candidate, **numbers), seed)
    if not isinstance(training, Handle):
        raise Mismatch("Training is no class whose objects have methods")
    return Run(candidate, training, model, name)


def _bigram(candidate: Candidate, values: Any) -> Any:
    return candidate.support("tiny_models").Bigram(values)


def table_for(rng: np.random.Generator) -> NDArray[np.float32]:
    """A table (V, V) for the counting corpus."""
    return random_table(rng, VOCABULARY)


def adamw(table: NDArray[Any], batches: list[Ids], rate: float, decay: float) -> Floats:
    """The table after one AdamW step on each batch of the counting corpus, as torch.optim documents it."""
    table = table.astype("float64")
    first, second = np.zeros_like(table), np.zeros_like(table)
    for step, inputs in enumerate(batches, 1):
        fresh = gradient(table, inputs, np.minimum(inputs + 1, len(table) - 1))
        first = BETA_1 * first + (1 - BETA_1) * fresh
        second = BETA_2 * second + (1 - BETA_2) * fresh**2
        direction = first / (1 - BETA_1**step) / (np.sqrt(second / (1 - BETA_2**step)) + EPSILON)
        table = table * (1 - rate * decay) - rate * direction
    return table


RATE, DECAY, STEPS = SMALL["learning_rate"], SMALL["weight_decay"], SMALL["steps"]
