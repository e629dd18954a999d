"""Comparisons of watched bigram models, and what their notes say about windows and generation.

Tokens tell where a call comes from: training windows, validation windows and the prompt have no token in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bigrams import Ids
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, describe, tensor

TRAIN, VALIDATION, PROMPT = range(6), range(6, 12), range(12, 16)
VOCABULARY, BLOCK = 16, 7
SPLITS = {"train": TRAIN, "validation": VALIDATION}
KEYS = ("losses", "tokens", "parameters")

# Losses near 3 in float32 are 1e-6 away from those in float64; the nearest wrong loss is 1e-2 away.
SAME_LOSS = 3e-5

RIGHT: dict[str, Any] = {
    "block_size": BLOCK,
    "batches": 3,
    "batch_size": 4,
    "prompt": [PROMPT[0], PROMPT[2]],
    "new_tokens": 1,
    "seed": 5,
}


@dataclass(frozen=True)
class Call:
    """One call of a model: its token ids (B, T), its mode, and whether its logits carry a gradient graph."""

    ids: Ids
    training: bool
    recorded: bool

    @property
    def rows(self) -> list[list[int]]:
        """The sequences, however many axes the ids had."""
        return self.ids.reshape(-1, self.ids.shape[-1] if self.ids.ndim else 1).tolist() if self.ids.size else []


def stream(rng: np.random.Generator, tokens: range, length: int = 60) -> list[int]:
    """Random tokens in which every window of BLOCK tokens stands once, so that it tells where it starts."""
    while True:
        drawn: list[int] = rng.choice(tokens, size=length).tolist()
        windows = {tuple(drawn[start : start + BLOCK]) for start in range(length - BLOCK)}
        if len(windows) == length - BLOCK:
            return drawn


def streams(rng: np.random.Generator) -> dict[str, list[int]]:
    """A stream for each split; the lengths differ."""
    return {split: stream(rng, tokens, 50 + 9 * place) for place, (split, tokens) in enumerate(SPLITS.items())}


def watched(candidate: Candidate, name: str, table: NDArray[np.float32], kind: str = "Bigram") -> Handle:
    """A bigram model in the worker that notes its calls under `name`."""
    tiny = candidate.support("tiny_models")
    model = tiny.Watched(getattr(tiny, kind)(tensor(table)), name)
    assert isinstance(model, Handle)
    return model


def nested(candidate: Candidate, name: str, table: NDArray[np.float32]) -> Handle:
    """The same with one more layer: a part that has a part of its own."""
    model = candidate.support("tiny_models").Watched(watched(candidate, f"{name}, inside", table), name)
    assert isinstance(model, Handle)
    return model


def compare(
    candidate: Candidate, models: dict[str, Handle], data: dict[str, list[int]], **numbers: Any
) -> dict[str, dict[str, Any]]:
    """The candidate's comparison, if it has the right form; numbers not given are those of RIGHT.

    A check that says nothing of new tokens is not about generation: if that raises, it is asked to do without.
    """
    try:
        found = candidate.compare_models(models, data, **{**RIGHT, **numbers})
    except Raised:
        if "new_tokens" in numbers:
            raise
        for name, model in models.items():
            candidate.support("tiny_models").Watched(model, name)  # whose notes begin anew
        found = candidate.compare_models(models, data, **{**RIGHT, **numbers, "new_tokens": 0})
    if not isinstance(found, dict) or set(found) != set(models):
        raise Mismatch(f"compare_models returned {describe(found)}, expected a dict with the names of the models")
    for name, measured in found.items():
        if not isinstance(measured, dict) or not set(KEYS) <= set(measured):
            raise Mismatch(f"what is said of {name} is {describe(measured)}, expected a dict with {', '.join(KEYS)}")
        if not isinstance(measured["losses"], dict) or set(measured["losses"]) != set(data):
            raise Mismatch(f"the losses of {name} are {describe(measured['losses'])}, expected a dict with the splits")
    return found


def number(value: Any, of: str) -> float:
    """A number as a float, be it a plain one or an array of one."""
    if isinstance(value, np.ndarray) and value.size == 1 and value.dtype.kind in "biuf":
        value = float(value.reshape(()))
    if type(value) not in (int, float):
        raise Mismatch(f"{of} is {describe(value)}, expected a float")
    return float(value)


def loss(comparison: dict[str, dict[str, Any]], name: str, split: str) -> float:
    """The loss of a model on a split."""
    return number(comparison[name]["losses"][split], f"the {split} loss of {name}")


def tokens_of(comparison: dict[str, dict[str, Any]], name: str) -> list[int]:
    """The tokens of a model, be they a list or an array: whether they are plain has its own criterion."""
    tokens = comparison[name]["tokens"]
    if isinstance(tokens, np.ndarray) and tokens.ndim == 1 and tokens.dtype.kind in "iu":
        return [int(token) for token in tokens]
    if not isinstance(tokens, list | tuple):
        raise Mismatch(f"the tokens of {name} are {describe(tokens)}, expected a list of int")
    return [_token(number(token, f"a token of {name}"), name) for token in tokens]


def _token(value: float, name: str) -> int:
    if not value.is_integer():
        raise Mismatch(f"a token of {name} is {value:g}, expected an int")
    return int(value)


def calls(candidate: Candidate, name: str) -> list[Call]:
    """The calls of a watched model so far."""
    notes = candidate.support("tiny_models").calls(name)
    found = [Call(**note) for note in notes if "recorded" in note]
    if not found:
        raise Mismatch(f"the model {name} was never called")
    return found


def windows_of(candidate: Candidate, name: str, tokens: range) -> list[tuple[int, ...]]:
    """The windows of one split that a model was shown, oldest first, if any."""
    rows = [row for call in calls(candidate, name) for row in call.rows]
    return [tuple(row) for row in rows if set(row) <= set(tokens)]


def windows(candidate: Candidate, name: str, tokens: range) -> list[tuple[int, ...]]:
    """The windows of one split that a model was shown, oldest first; there have to be some."""
    found = windows_of(candidate, name, tokens)
    if not found:
        raise Mismatch(f"the model {name} was shown no windows of one of the splits")
    return found


def starts(shown: Sequence[tuple[int, ...]], data: list[int]) -> list[int]:
    """Where in the stream each window starts, or a Mismatch; the window and its last target have to be inside."""
    places: dict[tuple[int, ...], int] = {tuple(data[at : at + BLOCK]): at for at in range(len(data) - BLOCK)}
    for window in shown:
        if window not in places:
            raise Mismatch(
                f"the window {list(window)} is not {BLOCK} tokens in a row of the stream with one behind them"
            )
    return [places[window] for window in shown]


def generation(candidate: Candidate, name: str) -> list[list[int]]:
    """The contexts that a model was shown while it generated."""
    return [call.rows[0] for call in calls(candidate, name) if call.ids.size and call.ids.max() >= PROMPT[0]]


def chain() -> NDArray[np.float32]:
    """A table (V, V) after which one token is as good as certain: the next in PROMPT, and around."""
    table = np.zeros((VOCABULARY, VOCABULARY), "float32")
    for token in range(VOCABULARY):
        table[token, successor(token)] = 40.0
    return table


def successor(token: int) -> int:
    """The token that follows in the chain."""
    return PROMPT[(token + 1) % len(PROMPT)]
