"""The model of bag.py in plain NumPy, streams whose windows tell where they are, and what watched models were shown."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from bigrams import Floats, Ids, log_softmax, random_table
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, describe, expect_array, tensor

VOCABULARY = 48
# Losses near 5 in float32 are 1e-6 away from those in float64; the nearest wrong loss is 3e-3 away.
SAME_LOSS = 1e-4


@dataclass(frozen=True)
class Call:
    """One call of a model: its token ids (B, T), its mode, and whether its logits carry a gradient graph."""

    ids: Ids
    training: bool
    recorded: bool


@dataclass(frozen=True)
class Window:
    """Some tokens in a row of one split's stream: where the first one is, and how many there are."""

    split: str
    start: int
    length: int


def stream(rng: np.random.Generator, length: int = VOCABULARY) -> list[int]:
    """Tokens that are all different, so that each one tells its place."""
    found: list[int] = rng.permutation(VOCABULARY)[:length].tolist()
    return found


def streams(rng: np.random.Generator) -> dict[str, list[int]]:
    """A stream for each split, of the same tokens; no two are neighbours in both, so that windows tell the split."""
    while True:
        data = {"train": stream(rng), "validation": stream(rng, VOCABULARY - 3)}
        pairs = [set(itertools.pairwise(tokens)) for tokens in data.values()]
        if not pairs[0] & pairs[1]:
            return data


def small_table(rng: np.random.Generator) -> NDArray[np.float32]:
    """A table (V, V) whose sums over a dozen rows are usual logits."""
    return random_table(rng, VOCABULARY, scale=0.5)


def watched(candidate: Candidate, name: str, table: NDArray[np.float32]) -> Handle:
    """A bag of tokens in the worker that notes its calls under `name`."""
    bag = candidate.support("bag").BagOfTokens(tensor(table))
    model = candidate.support("tiny_models").Watched(bag, name)
    assert isinstance(model, Handle)
    return model


def calls(candidate: Candidate, name: str) -> list[Call]:
    """The calls of a watched model so far that gave a result."""
    notes = candidate.support("tiny_models").calls(name)
    found = [Call(**note) for note in notes if "recorded" in note]
    if not found:
        raise Mismatch("the model was never called")
    return found


def place(row: list[int], data: dict[str, list[int]]) -> Window | None:
    """Which window a row of ids is; None if it is no tokens in a row of a stream."""
    for split, tokens in data.items():
        start = tokens.index(row[0]) if row[0] in tokens else len(tokens)
        if tokens[start : start + len(row)] == row:
            return Window(split, start, len(row))
    return None


def logits(table: NDArray[Any], ids: Ids) -> Floats:
    """The logits (B, T, V) of a bag of tokens, float64."""
    return np.asarray(table.astype("float64")[ids].cumsum(axis=1))


def loss(table: NDArray[Any], tokens: list[int], positions: list[int], length: int) -> float:
    """The mean cross-entropy of the tokens at positions, from `length` tokens before each."""
    ids = np.array([tokens[at - length : at] for at in positions])
    targets = np.array([tokens[at] for at in positions])
    return float(-log_softmax(logits(table, ids)[:, -1])[np.arange(len(ids)), targets].mean())


def gradient(table: NDArray[Any], inputs: Ids, targets: Ids) -> Floats:
    """The gradient (V, V) of the mean cross-entropy of a batch, inputs and targets (B, T)."""
    at_logits = np.exp(log_softmax(logits(table, inputs)))  # (B, T, V)
    rows, columns = np.indices(inputs.shape)
    at_logits[rows, columns, targets] -= 1
    # A token's row is in the logits of its own place and of all that come after it.
    at_rows = at_logits[:, ::-1].cumsum(axis=1)[:, ::-1] / inputs.size
    whole = np.zeros(table.shape)
    np.add.at(whole, inputs, at_rows)
    return whole


def adamw(table: NDArray[Any], batches: list[tuple[Ids, Ids]]) -> list[Floats]:
    """The table after each AdamW step at 0.001 with weight decay 0.01, as torch.optim documents it."""
    now, first, second, found = table.astype("float64"), np.zeros(table.shape), np.zeros(table.shape), []
    for step, (inputs, targets) in enumerate(batches, 1):
        slope = gradient(now, inputs, targets)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        direction = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        now = now * (1 - 1e-3 * 0.01) - 1e-3 * direction
        found.append(now)
    return found


def number(value: Any, of: str) -> float:
    """A number as a float, be it a plain one or an array of one: whether it is plain has its own criterion."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = float(value.reshape(()))
    if type(value) not in (int, float):
        raise Mismatch(f"{of} is {describe(value)}, expected a number")
    return float(value)


def integer(value: Any, of: str) -> int:
    """A whole number as an int, of whatever type."""
    if not (found := number(value, of)).is_integer():
        raise Mismatch(f"{of} is {found}, expected a whole number")
    return int(found)


def array(value: Any, shape: tuple[int, ...], of: str) -> Floats:
    """An array of this shape in float64; NaN has its own criteria."""
    return expect_array(value, shape, of=of, finite=False).astype("float64")


def at(tokens: list[int], token: int) -> int:
    """The place of a token in a stream."""
    if token not in tokens:
        raise Mismatch(f"found {token}, which is no token of the stream")
    return tokens.index(token)


def items(value: Any, count: int | None, of: str) -> list[Any]:
    """The items of a list, tuple or array, as many as there should be."""
    if isinstance(value, np.ndarray) and value.ndim:
        value = list(value)
    if not isinstance(value, list | tuple):
        raise Mismatch(f"{of} is {describe(value)}, expected a list")
    if count is not None and len(value) != count:
        raise Mismatch(f"{of} has {len(value)} items, expected {count}")
    return list(value)
