"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np
from oracle import RETURNS, Array, embeddings, exact, exact_freqs, how_it_ends, learned, own_freqs, sinusoidal, table_of
from reading import read
from test_arguments import MODULES, TAKES_WIDTH
from test_learned_module import first_row, table_drawn, weight_of, widely_spread

from grader.checks import Candidate, Handle, Mismatch, Raised, largest_difference, ndarray, probe

X = embeddings(np.random.default_rng(4), 2, 5, 8)
Y = embeddings(np.random.default_rng(5), 2, 4, 6)
OUTSIDE = [(12, 0), (3, 9), (2, 10), (1, 11)]
BELOW = [(1, -1), (3, -2)]
DRAWS = [(1, None), (1, 0.5), (1, None), (2, None)]  # seed and std


@probe
def frequencies(candidate: Candidate) -> Any:
    """The frequencies, at a base of their own and at the default."""
    return [candidate.sinusoidal_freqs(8, 50.0), candidate.sinusoidal_freqs(6)]


@probe
def table(candidate: Candidate) -> Any:
    """The table, few enough rows for angles in float32."""
    return table_of(candidate, 12, 8, 50.0)


@probe
def dtypes(candidate: Candidate) -> list[str]:
    """The dtypes of the frequencies and of the table."""
    values = (candidate.sinusoidal_freqs(8, 50.0), candidate.sinusoidal_pe(3, 8, 50.0))
    return [value.dtype.name if isinstance(value, np.ndarray) else "no array" for value in values]


@probe
def far_rows(candidate: Candidate) -> str:
    """How far the rows near position 9,000 are off, for a table that turns at some ladder of its own."""
    rows = table_of(candidate, 9_000, 8, 50.0)
    reading, own = read(rows), own_freqs(candidate, 8, 50.0)
    if reading is None or own is None:
        return "unread"
    error = min(
        largest_difference(rows[-9:], reading.expected(np.arange(8_991, 9_000), rates))
        for rates in (own, exact_freqs(8, 50.0))
    )
    return "exact" if error < 3e-6 else "rounded" if error < 5e-2 else "other"


@probe
def offset(candidate: Candidate) -> Any:
    """The rows from an offset on, less those of a longer table."""
    return candidate.sinusoidal_pe(4, 8, 50.0, 9) - table_of(candidate, 13, 8, 50.0)[9:]


@probe
def angles_of_the_shift(candidate: Candidate) -> Any:
    """By how much of its frequency each pair is turned, for three k."""
    own = own_freqs(candidate, 8, 50.0)
    rows = exact(3, 8, 50.0)
    shifted = [np.asarray(candidate.shift_pe(rows, k, 8, 50.0)) for k in (1, 0.5, -2)]
    angle = [np.arctan2(each[:, 0::2], each[:, 1::2]) - np.arctan2(rows[:, 0::2], rows[:, 1::2]) for each in shifted]
    turned = [(each + np.pi) % (2 * np.pi) - np.pi for each in angle]
    return [each / (exact_freqs(8, 50.0) if own is None else own) for each in turned]


@probe
def lengths_of_the_shift(candidate: Candidate) -> Any:
    """How long each pair is after the shift, for numbers that are no encodings."""
    shifted = np.asarray(candidate.shift_pe(3 * Y[0], 2, 6, 50.0))
    return np.hypot(shifted[:, 0::2], shifted[:, 1::2])


@probe
def far_shift(candidate: Candidate) -> str:
    """How far a shift by 65,535 is off, where a shift by 1 is right."""
    pe = exact(3, 8, 50.0)
    if largest_difference(np.asarray(candidate.shift_pe(pe, 1, 8, 50.0)), exact(3, 8, 50.0, 1)) > 1e-3:
        return "other"
    found = np.asarray(candidate.shift_pe(pe, 65_535, 8, 50.0))
    return "exact" if largest_difference(found, exact(3, 8, 50.0, 65_535)) < 3e-6 else "rounded"


@probe
def shapes_of_the_shift(candidate: Candidate) -> list[str]:
    """What happens to a row, to a batch and to float32."""
    return [how_it_ends(lambda each=each: candidate.shift_pe(each, 2, 6, 50.0)) for each in (Y[0, 0], Y, Y[0])]


@probe
def purity_of_the_shift(candidate: Candidate) -> list[bool]:
    """Whether the array is left alone and the result is new."""
    seen = candidate.observe(candidate.shift_pe, ndarray(Y[0]), 2, 6, 50.0)
    return [seen.arguments_unchanged, seen.result_shares_storage, seen.result_stays]


@probe
def added_by_the_module(candidate: Candidate) -> Any:
    """What a new module adds beyond the rows of the candidate's own table, at two offsets."""
    own = table_of(candidate, 12, 8, 50.0)
    results = [(sinusoidal(candidate, 8, 50.0).train(False)(X, offset), offset) for offset in (0, 3)]
    return [result - X.astype("float64") - own[offset : offset + 5] for result, offset in results]


@probe
def called_again(candidate: Candidate) -> bool:
    """Whether a module that was called adds what a new one adds, at another offset."""
    used, new = sinusoidal(candidate), sinusoidal(candidate)
    used(X)
    return bool(largest_difference(used(X, 3), new(X, 3)) < 1e-3)


@probe
def far_rows_of_the_module(candidate: Candidate) -> str:
    """How far what the module adds near position 9,000 is off the candidate's own table."""
    own = table_of(candidate, 9_000, 8, 100.0)[-5:]
    error = largest_difference(sinusoidal(candidate)(np.zeros_like(X), 8_995)[0], own)
    return "exact" if error < 3e-6 else "rounded" if error < 5e-2 else "other"


@probe
def training(candidate: Candidate) -> bool:
    """Whether the module does in training what it does in evaluation."""
    positions = sinusoidal(candidate)
    return np.array_equal(positions.train(True)(X), positions.train(False)(X))


@probe
def far_away(candidate: Candidate) -> str:
    """What the module does far away, where it does something close by."""
    positions = sinusoidal(candidate)
    positions(X)
    return how_it_ends(lambda: positions(X, 9_000))


@probe
def held(candidate: Candidate) -> list[Any]:
    """Which parameters the sinusoidal module has, and how many names a checkpoint would have, after a call."""
    positions = sinusoidal(candidate)
    positions(X)
    parameters = sorted(each.requires_grad for each in candidate.inventory(positions).parameters)
    return [parameters, len(candidate.support("decoding").checkpoint_names(positions))]


@probe
def gradient_at_x(candidate: Candidate) -> bool:
    """Whether a gradient arrives at x."""
    return candidate.gradient(sinusoidal(candidate), X, np.ones_like(X)).at_x is not None


@probe
def learned_rows(candidate: Candidate) -> list[Any]:
    """The shape of weight, and which of its rows the tokens get, at two offsets, after it was changed."""
    positions = widely_spread(candidate)
    weight = weight_of(candidate, positions)
    results = [(positions(Y, offset), offset) for offset in (0, 5)]
    return [list(weight.shape), [first_row(value, Y, weight, -7) for value, _ in results]]


@probe
def learned_sum(candidate: Candidate) -> list[Any]:
    """What is added beyond the rows that token 0 says are used."""
    positions = widely_spread(candidate)
    weight = weight_of(candidate, positions)
    value = positions(Y, 5)
    start = first_row(value, Y, weight, 0)
    return [bool(largest_difference(value - Y, np.broadcast_to(weight[start : start + 4], Y.shape)) < 1e-4)]


@probe
def learned_gradient(candidate: Candidate) -> Any:
    """Which kind of tensor weight is, and whether it gets a gradient, by either way in."""
    found = []
    for wrapper in ("AtOffset", "AddedByHand"):
        positions = learned(candidate)
        support = candidate.support("decoding")
        model = (support.AtOffset if wrapper == "AtOffset" else support.AddedByHand)(positions, 0)
        candidate.gradient(model, Y, np.ones_like(Y))
        found.append(candidate.value(positions, "weight.grad") is not None)
    kinds = sorted((each.kind, each.requires_grad) for each in candidate.inventory(learned(candidate)))
    return [found, kinds]


@probe
def learned_draw(candidate: Candidate) -> list[Any]:
    """The spread of the default and of a given std, roughly; the shape of the distribution; whether seeds matter."""
    default, given, again, other = (table_drawn(candidate, seed, std) for seed, std in DRAWS)
    spread = [_spread(each.std(), due) for each, due in ((default, 0.02), (given, 0.5))]
    return [spread, _distribution(default), np.array_equal(default, again), np.array_equal(default, other)]


def _spread(found: float, due: float) -> str:
    """What a standard deviation is; without its tails, a distribution has a little less than was asked for."""
    return "as asked" if 0.5 < found / due < 1.2 else f"{found:.1g}"


def _distribution(numbers: Array) -> str:
    if not numbers.any():
        return "none"
    if np.abs(numbers).max() > 2.5 * numbers.std():
        return "tails"
    inside = (np.abs(numbers) < numbers.std()).mean()  # 0.58 of a uniform distribution
    return "flat" if inside < 0.59 else "cut off"


@probe
def outside(candidate: Candidate) -> list[Any]:
    """What forward and positions give for positions past the last row: an error, or which rows."""
    positions = widely_spread(candidate)
    weight = weight_of(candidate, positions)
    return [_outside(positions, weight, length, offset) for length, offset in OUTSIDE]


@probe
def below_zero(candidate: Candidate) -> bool:
    """Whether positions below 0 are always refused, whatever is given instead of an error."""
    positions = learned(candidate)
    return all(how_it_ends(lambda at=at: positions.positions(*at)) != RETURNS for at in BELOW)


@probe
def odd_learned_table(candidate: Candidate) -> str:
    """How building a learned table of an odd width ends, where one of an even width can be built."""
    learned(candidate)
    return how_it_ends(lambda: learned(candidate, 11, 5))


def _outside(positions: Handle, weight: Array, length: int, offset: int) -> list[str]:
    x = np.zeros((2, length, 6), "float32")
    found = []
    for call in (lambda: positions(x, offset)[0], lambda: positions.positions(length, offset)):
        try:
            rows = call()
        except Raised:
            found.append("raises")
        else:
            found.append(str([int(np.abs(weight - row).max(axis=1).argmin()) for row in rows]))
    return found


@probe
def odd_widths(candidate: Candidate) -> list[str]:
    """How the calls with an odd width end. A shift by its halves may stumble over them in any way."""
    calls = [call for name, call in TAKES_WIDTH.items() if name != "shift_pe"]
    return [how_it_ends(lambda call=call: call(candidate, 7, 50.0)) for call in calls]


@probe
def bases(candidate: Candidate) -> list[str]:
    """How the calls with a base of 1 and below end."""
    return [
        how_it_ends(lambda call=call, base=base: call(candidate, 6, base))
        for call in TAKES_WIDTH.values()
        for base in (1.0, 0.5)
    ]


@probe
def purity(candidate: Candidate) -> list[tuple[bool, bool, bool]]:
    """Whether x is left alone and the result is new, for both modules."""
    found = []
    for name, x in (("SinusoidalPE", X), ("LearnedPE", Y)):
        seen = candidate.observe(MODULES[name](candidate), x)
        found.append((seen.arguments_unchanged, seen.result_shares_storage, seen.result_stays))
    return found


@probe
def moves(candidate: Candidate) -> list[str]:
    """Whether each module moves to another device, once it has been called."""
    return [_moves(candidate, name, x) for name, x in (("SinusoidalPE", X), ("LearnedPE", Y))]


def _moves(candidate: Candidate, name: str, x: Any) -> str:
    try:
        positions = MODULES[name](candidate)
        positions(x)
    except Raised:
        return "does not work where it is"
    try:
        candidate.moved(positions, x)
    except Mismatch:
        return "leaves something behind"
    return "moves"
