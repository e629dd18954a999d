"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from layers import DEFAULT_BASE, built, call, expect_attention, heads, projection
from test_convert import BOTH, converted, numbered, order
from turns import MOVED, SAME, Floats, angles, exact, matrices, one_step, rates, rotated, turns

from grader.checks import Candidate, Handle, Mismatch, Raised, largest_difference, probe, tensor

X = np.random.default_rng(5).normal(size=(2, 3, 5, 6)).astype("float32")
TOKENS = np.random.default_rng(6).normal(size=(2, 7, 24)).astype("float32")
BASE = 30.0


def pattern(turn: Floats) -> list[list[int]]:
    """Which features each feature moves into."""
    return [np.flatnonzero(column > MOVED).tolist() for column in np.abs(turn).max(axis=0).T]


@probe
def mixes(candidate: Candidate) -> Any:
    """Which features mix in each layout."""
    return [
        pattern(matrices(candidate, 6, [1, 3, 9, 90], base=BASE, layout=layout)) for layout in ("interleaved", "half")
    ]


@probe
def agreement(candidate: Candidate) -> bool:
    """Whether the two features of a pair turn by the same angle in the half layout."""
    first, second = rates(candidate, 8, base=BASE, layout="half").reshape(2, -1)
    return largest_difference(first, second) < SAME


@probe
def speeds(candidate: Candidate) -> Any:
    """The frequency of each feature."""
    return [np.round(rates(candidate, 8, base=base), 4) for base in (10.0, 50.0)]


@probe
def default_speeds(candidate: Candidate) -> Any:
    """The frequency of each feature where no base is given."""
    return np.round(rates(candidate, 8), 4)


@probe
def direction(candidate: Candidate) -> Any:
    """The sign of what moves out of the first feature."""
    step = one_step(candidate, 6)
    where = int(np.abs(step[1:, 0]).argmax()) + 1
    return int(np.sign(np.round(step[where, 0], 3)))


@probe
def at_zero(candidate: Candidate) -> Any:
    """What becomes of a row at position 0: nothing, another sign, or what a step from there to the next one does."""
    start, after = matrices(candidate, 6, [0, 1], base=BASE)
    return [largest_difference(start, each) < SAME for each in (np.eye(6), -np.eye(6), after @ start.T)]


@probe
def lengths(candidate: Candidate) -> Any:
    """Whether lengths are kept."""
    found = rotated(candidate, X, np.arange(5), base=BASE)
    return bool(np.abs(np.linalg.norm(found, axis=-1) - np.linalg.norm(X, axis=-1)).max() < 1e-3)


@probe
def far_out(candidate: Candidate) -> Any:
    """How far a turn of one position is off at a large one."""
    near, far = ([1, 2], [700_001, 700_002])
    one, other = (matrices(candidate, 6, places, base=BASE) for places in (near, far))
    return largest_difference(one[0] @ one[1].T, other[0] @ other[1].T) < 2e-3


@probe
def turn_far_out(candidate: Candidate) -> Any:
    """How far a turn of many positions is off, in thousandths, where scores are right."""
    near, far = matrices(candidate, 6, [1, 700_001], base=BASE)
    return np.round(np.diagonal(far @ near.T), 2)


@probe
def given_positions(candidate: Candidate) -> Any:
    """Whether the positions that are given are used, in relation to consecutive ones."""
    row = angles(matrices(candidate, 6, list(range(8)), base=BASE))
    return largest_difference(angles(matrices(candidate, 6, [6, 2], base=BASE)), row[[6, 2]]) < SAME


@probe
def axes(candidate: Candidate) -> list[str]:
    """Which numbers of axes are taken."""
    return [outcome(partial(rotated, candidate, x, np.arange(5))) for x in (X[0, 0], X[0], X, X[None])]


@probe
def dtypes(candidate: Candidate) -> list[str]:
    """The dtype of the result."""
    found = [candidate.rotate(tensor(X.astype(dtype)), tensor(np.arange(5))) for dtype in ("float16", "float64")]
    return [str(each.dtype) if isinstance(each, np.ndarray) else "no array" for each in found]


@probe
def half_precision_far_out(candidate: Candidate) -> bool:
    """Whether half precision at a large position is that of float32."""
    x, places = tensor(X.astype("float16")), tensor(np.array([5003, 100_001, 7, 7, 7]))
    found = candidate.rotate(x, places, BASE)
    return largest_difference(found, rotated(candidate, X, [5003, 100_001, 7, 7, 7], base=BASE)) < 0.1


@probe
def half_turns(candidate: Candidate) -> bool:
    """Whether a pair of the half layout turns, and is not stretched."""
    return turns(one_step(candidate, 6, layout="half"))


@probe
def purity(candidate: Candidate) -> bool:
    """Whether x is left alone."""
    return candidate.observe(candidate.rotate, tensor(X), tensor(np.arange(5)), BASE).arguments_unchanged


def outcome(act: Callable[[], Any]) -> str:
    """Whether something raises."""
    try:
        act()
    except Raised:
        return "raises"
    except Mismatch:
        return "gives something else"
    return "goes through"


@probe
def odd_rows(candidate: Candidate) -> str:
    """What becomes of an odd width."""
    return outcome(lambda: candidate.rotate(tensor(X[..., :5]), tensor(np.arange(5))))


@probe
def odd_heads(candidate: Candidate) -> list[str]:
    """What becomes of heads of odd width, and of ones that do not divide."""
    return [outcome(partial(candidate.RotaryAttention, *sizes)) for sizes in ((15, 3), (16, 6))]


@probe
def odd_conversions(candidate: Candidate) -> bool:
    """Whether one of the conversions takes some rows that do not divide."""
    cases = ((candidate[name], rows, heads) for name in BOTH for rows, heads in ((15, 3), (10, 3), (16, 6)))
    return any(outcome(partial(act, tensor(numbered(1, rows, rows)), heads)) != "raises" for act, rows, heads in cases)


def seeded(candidate: Candidate, **options: Any) -> Handle:
    """The layer with the same weights in every submission."""
    candidate.torch.manual_seed(3)
    return built(candidate, 24, 4, **options)


def told(candidate: Candidate, layer: Handle, base: float) -> str:
    """Whose attention it is."""
    try:
        expect_attention(candidate, layer, TOKENS, 4, base)
    except Mismatch as error:
        return "that of no positions" if "without positions" in str(error) else "another"
    return "right"


@probe
def attends(candidate: Candidate) -> Any:
    """Whether the layer is right, and what it is otherwise, told by variants with one thing changed."""
    layer = seeded(candidate)
    kind = told(candidate, layer, BASE)
    if kind != "another":
        return kind
    found, _ = call(layer, TOKENS)
    close = (name for name, guess in variants(candidate, layer).items() if largest_difference(found, guess) < 1e-3)
    return next(close, kind)


@probe
def attends_by_default(candidate: Candidate) -> str:
    """Whether the layer is right where no base is given, if it is where one is."""
    if told(candidate, seeded(candidate), BASE) != "right":
        return "wrong in any case"
    return told(candidate, seeded(candidate, base=None), DEFAULT_BASE)


@probe
def with_biases(candidate: Candidate) -> list[bool]:
    """Which projections have no bias, where none should have one and where all should."""
    layers = seeded(candidate, bias=False), seeded(candidate)
    names = ("query", "key", "value", "output")
    return [candidate.value(layer, f"{name}.bias") is None for layer in layers for name in names]


@probe
def moves(candidate: Candidate) -> bool:
    """Whether the layer works on another device."""
    try:
        candidate.moved(seeded(candidate), TOKENS)
    except Mismatch:
        return False
    return True


@probe
def layer_purity(candidate: Candidate) -> bool:
    """Whether the layer leaves x alone."""
    return candidate.observe(seeded(candidate), TOKENS).arguments_unchanged


def variants(candidate: Candidate, layer: Handle) -> dict[str, Floats]:
    """What layers give that make one mistake each."""
    places = np.arange(TOKENS.shape[1])
    flat = {name: projection(candidate, layer, name)(TOKENS) for name in ("query", "key", "value")}
    query, key, value = (heads(each, 4) for each in flat.values())
    turned, turned_key, turned_value = (exact(each, places, BASE) for each in (query, key, value))
    biases = [candidate.value(layer, f"{name}.bias") for name in ("query", "key")]
    late = [0.0 if bias is None else heads(np.broadcast_to(bias, TOKENS.shape), 4) for bias in biases]
    across, across_key = (heads(exact(flat[name], places, BASE), 4) for name in ("query", "key"))
    wide, causal = np.sqrt(6), np.tri(len(places), dtype=bool)

    def give(query: Floats, key: Floats, value: Floats, scale: float = wide, seen: Any = causal) -> Floats:
        scores = np.where(seen, query @ key.swapaxes(-2, -1) / scale, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = weights / weights.sum(axis=-1, keepdims=True) @ value
        return projection(candidate, layer, "output")(mixed.swapaxes(1, 2).reshape(TOKENS.shape))

    return {
        "values rotated": give(turned, turned_key, turned_value),
        "queries only": give(turned, key, value),
        "keys only": give(query, turned_key, value),
        "rotated across heads": give(across, across_key, value),
        "turned by the default base": give(*(exact(each, places, DEFAULT_BASE) for each in (query, key)), value),
        "turned in the half layout": give(*(exact(each, places, BASE, "half") for each in (query, key)), value),
        "turned twice": give(*(exact(each, 2 * places, BASE) for each in (query, key)), value),
        "keys turned backwards": give(turned, exact(key, -places, BASE), value),
        "biases after the turn": give(
            *(exact(each - bias, places, BASE) + bias for each, bias in zip((query, key), late, strict=True)), value
        ),
        "divided by the whole width": give(turned, turned_key, value, np.sqrt(24)),
        "not divided": give(turned, turned_key, value, 1.0),
        "not causal": give(turned, turned_key, value, wide, np.ones_like(causal)),
    }


@probe
def whole_and_cut(candidate: Candidate) -> Any:
    """Results of the same sequence cut into calls, less that of one call."""
    layer = seeded(candidate)
    whole, _ = call(layer, TOKENS)
    found = []
    for sizes in ((1,) * 7, (3, 4)):
        cache, results = None, []
        for piece in np.split(TOKENS, np.cumsum(sizes)[:-1], axis=1):
            result, cache = call(layer, piece, cache)
            results.append(result)
        found.append(np.concatenate(results, axis=1) - whole)
    return found


@probe
def starts_anew(candidate: Candidate) -> bool:
    """Whether a second call without a cache repeats the first."""
    layer = seeded(candidate)
    return largest_difference(call(layer, TOKENS)[0], call(layer, TOKENS)[0]) < 1e-3


@probe
def one_head(candidate: Candidate) -> list[int]:
    """The order that to_interleaved gives the rows of one head."""
    weight = numbered(1, 10, 10)
    return order(converted(candidate, "to_interleaved", weight, 1), weight)


@probe
def one_head_back(candidate: Candidate) -> list[int]:
    """The order that to_half gives the rows of one head, after to_interleaved."""
    weight = numbered(1, 10, 10)
    return order(converted(candidate, "to_half", converted(candidate, "to_interleaved", weight, 1), 1), weight)


@probe
def three_heads(candidate: Candidate) -> Any:
    """Whether rows stay within their heads, in a square weight and in one that is not."""
    return [kept_within(candidate, columns) for columns in (18, 7)]


def kept_within(candidate: Candidate, columns: int) -> str:
    weight = numbered(3, 6, columns)
    try:
        found = order(converted(candidate, "to_interleaved", weight, 3), weight)
    except (Raised, Mismatch) as error:
        return type(error).__name__
    return "within" if all(new // 6 == old // 6 for new, old in enumerate(found)) else "across"


@probe
def biases(candidate: Candidate) -> Any:
    """What becomes of a bias."""
    try:
        return converted(candidate, "to_interleaved", numbered(2, 6), 2)
    except Raised:
        return "raises"


@probe
def conversion_purity(candidate: Candidate) -> bool:
    """Whether a weight is left alone."""
    return candidate.observe(candidate.to_interleaved, tensor(numbered(2, 6, 12)), 2).arguments_unchanged


@probe
def conversion_exact(candidate: Candidate) -> bool:
    """Whether all numbers come through as they are."""
    weight = np.random.default_rng(7).normal(size=(12, 12))
    return set(converted(candidate, "to_half", weight, 2).ravel()) == set(weight.ravel())
