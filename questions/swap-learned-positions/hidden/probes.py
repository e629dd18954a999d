"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

from typing import Any

import numpy as np
from oracle import built, past_the_end, table_of
from test_counter import MODELS
from test_in_gpt import toy
from waves import fit

from grader.checks import Candidate, Handle, Mismatch, Raised, probe

X = np.random.default_rng(4).normal(size=(2, 5, 8)).astype("float32")


@probe
def even_width(candidate: Candidate) -> Any:
    """The table at an even width and an unusual base."""
    return table_of(candidate, 40, 8, 50.0)


@probe
def odd_width(candidate: Candidate) -> Any:
    """The table at an odd width, where there is one at an even width."""
    try:
        table_of(candidate, 33, 8, 50.0)
    except (Mismatch, Raised):
        return "no table at any width"
    return table_of(candidate, 33, 7, 10_000.0)


@probe
def rounding(candidate: Candidate) -> str:
    """How the numbers of a long table were rounded."""
    table = table_of(candidate, 1024, 16, 100.0)
    if np.array_equal(table, table.astype("float16")):
        return "to half precision"
    if np.abs(table * 1e4 - np.round(table * 1e4)).max() < 1e-2:
        return "to four decimals"
    if np.abs(table * 1e5 - np.round(table * 1e5)).max() < 1e-2:
        return "to five decimals"
    worst = max(wave.residual for wave in fit(table))
    return "no wave" if worst > 1e-3 else "in the angles" if worst > 2e-6 else "at the end"


@probe
def held(candidate: Candidate) -> list[tuple[str, int, bool, str]]:
    """How the module holds its table, and which parameters it has beside it."""
    inventory = candidate.inventory(candidate.SinusoidalPositions(12, 8, 50.0))
    rows = [(each.kind, each.size, each.requires_grad, each.dtype) for each in inventory]
    return sorted({row for row in rows if row[0] == "parameter" or row[1] == 96})


@probe
def survives_initialisation(candidate: Candidate) -> bool:
    """Whether the GPT's initialisation leaves the module's rows alone."""
    module = built(candidate, 16).train(False)
    before = module(X)
    toy(candidate, module)
    return isinstance(before, np.ndarray) and np.array_equal(module(X), before)


@probe
def beside_the_rows(candidate: Candidate) -> Any:
    """The result of forward without the rows of the candidate's own table: x, if the sum is plain."""
    result = built(candidate, 12, base=50.0).train(False)(X)
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}"
    return result.astype("float64") - table_of(candidate, 12, 8, 50.0)[:5]


@probe
def in_training(candidate: Candidate) -> bool:
    """Whether forward does in training what it does in evaluation."""
    module = built(candidate, 12)
    kept, other = (module.train(mode)(X) for mode in (False, True))
    return isinstance(kept, np.ndarray) and np.array_equal(kept, other)


@probe
def purity(candidate: Candidate) -> list[tuple[bool, bool, bool]]:
    """In training and evaluation: whether x is left alone, the result has memory of its own, and keeps it."""
    return [_purity(candidate, mode) for mode in (True, False)]


def _purity(candidate: Candidate, training: bool) -> tuple[bool, bool, bool]:
    seen = candidate.observe(built(candidate, 7, base=50.0).train(training), X)
    return seen.arguments_unchanged, seen.result_shares_storage, seen.result_stays


@probe
def as_long_as_the_table(candidate: Candidate) -> list[str]:
    """What happens to a shorter sequence, and to one of max_len tokens."""
    module = built(candidate, 5, base=50.0)
    return [_served(module, x) for x in (X[:, :3], X)]


def _served(module: Handle, x: Any) -> str:
    try:
        module(x)
    except Raised:
        return "refuses"
    return "serves"


@probe
def moves(candidate: Candidate) -> str:
    """Whether all of the module moves to another device, once it has been called."""
    module = built(candidate, 7, base=50.0)
    module(X)
    try:
        candidate.moved(module, X)
    except Mismatch:
        return "leaves something behind"
    return "moves"


@probe
def gradient(candidate: Candidate) -> Any:
    """Whether a gradient reaches x, where there is a result to pull it back from."""
    seen = candidate.gradient(built(candidate, 7, base=50.0), X, np.ones_like(X))
    return seen.at_x is not None if isinstance(seen.result, np.ndarray) else "no array"


@probe
def past_the_last_row(candidate: Candidate) -> list[str]:
    """What happens to a sequence that is too long, with a table of several rows and with one of a single row."""
    return [_past(candidate, max_len) for max_len in (4, 1)]


def _past(candidate: Candidate, max_len: int) -> str:
    module = candidate.SinusoidalPositions(max_len, 8, 50.0)
    assert isinstance(module, Handle)
    try:
        result = module(np.tile(X, (1, 2, 1)))
    except Raised:
        return "refuses"
    if not isinstance(result, np.ndarray) or result.shape != (2, 10, 8):
        return "gives another shape"
    return past_the_end(result - np.tile(X, (1, 2, 1)), table_of(candidate, max_len, 8, 50.0))


@probe
def counts(candidate: Candidate) -> list[Any]:
    """What the counter makes of the small models."""
    return [candidate.count_parameters(model(candidate)) for model in MODELS]
