"""What a model does in a few fixed situations, so that the mistake behind a failure can be named."""

from contextlib import suppress
from typing import Any

import numpy as np
from models import (
    KINDS,
    SIZES,
    built,
    drawn,
    expected_logits,
    names_of,
    numbers_of,
    set_weights,
    shapes,
    sinusoids,
    token_ids,
)
from test_model import ready
from test_positions import as_module

from grader.checks import Candidate, Handle, Mismatch, Raised, probe, tensor

IDS = token_ids(np.random.default_rng(2), 3, 6)
ROUNDED = 2  # decimals: above rounding, below what tells two mistakes apart


def weights() -> dict[str, Any]:
    """The same random numbers each time."""
    return drawn(np.random.default_rng(3))


def said(value: Any) -> Any:
    """Logits to two decimals; the shape of anything else."""
    if isinstance(value, np.ndarray):
        return np.round(value.astype("float64"), ROUNDED)
    return f"{len(value)} things" if isinstance(value, list | tuple) else "no array"


def _outcome(model: Handle, ids: Any) -> str:
    try:
        value = model(ids)
    except Raised as error:
        return error.type
    return str(list(value.shape)) if isinstance(value, np.ndarray) else "no array"


@probe
def forward(candidate: Candidate) -> Any:
    """The logits of learned positions that are all alike, less those expected."""
    values = weights()
    values["positions.weight"][:] = values["positions.weight"][0]
    model = built(candidate, "learned")
    held = set_weights(candidate, model, values)
    found = model(IDS)
    expected = expected_logits(IDS, held, values["positions.weight"][:6])
    if not isinstance(found, np.ndarray) or found.shape != expected.shape:
        return _outcome(model, IDS)
    return said(found - expected)


@probe
def learned_rows(candidate: Candidate) -> list[list[bool]]:
    """For each row of the learned table, at which tokens it counts."""
    values, found = weights(), []
    model = ready(candidate, "learned", values)
    before = model(IDS)
    for row in range(SIZES.context):
        changed = values["positions.weight"].copy()
        changed[row, ::2] += 1
        set_weights(candidate, model, {"positions.weight": changed})
        found.append([bool(each) for each in np.abs(model(IDS) - before).max(axis=(0, 2)) > 1e-3])
    return found


@probe
def sinusoidal_rows(candidate: Candidate) -> Any:
    """Whether sinusoidal logits are those of a learned table that holds the candidate's own vectors."""
    values = weights()
    found = ready(candidate, "sinusoidal", values)(IDS)
    own = candidate.SinusoidalPositions(SIZES.d_model)(np.arange(SIZES.context))
    values["positions.weight"] = np.asarray(own, "float32")
    return said(found - ready(candidate, "learned", values)(IDS))


@probe
def vectors(candidate: Candidate) -> Any:
    """The vectors of a few positions, less those expected."""
    places = np.array([5, 0, 3])
    return said(as_module(candidate.SinusoidalPositions(8))(places) - sinusoids(places, 8))


@probe
def held(candidate: Candidate) -> list[tuple[str, str, list[int], bool]]:
    """What a sinusoidal model holds beside the agreed parameters."""
    agreed = set(names_of(candidate, built(candidate, "learned")).values()) - {"positions.weight"}
    inventory = candidate.inventory(built(candidate, "sinusoidal"))
    beside = [each for each in inventory if each.name not in agreed]
    return sorted((each.kind, each.name.rpartition(".")[0], list(each.shape), each.requires_grad) for each in beside)


@probe
def dtype_held(candidate: Candidate) -> list[str]:
    """The dtypes of what is held for the vectors."""
    return sorted({each.dtype for each in candidate.inventory(candidate.SinusoidalPositions(8))})


@probe
def dtype_given(candidate: Candidate) -> str:
    """The dtype of the vectors."""
    found = as_module(candidate.SinusoidalPositions(8))(np.arange(3))
    return found.dtype.name if isinstance(found, np.ndarray) else "no array"


@probe
def held_after_a_call(candidate: Candidate) -> int:
    """The size of the largest tensor, beside its trainable parameters, in a sinusoidal model that was called."""
    model = built(candidate, "sinusoidal")
    model(IDS)
    return max((each.size for each in candidate.inventory(model) if not each.requires_grad), default=0)


@probe
def named(candidate: Candidate) -> list[tuple[str, list[int]]]:
    """The parameters of a learned model that are not as agreed."""
    agreed = shapes()
    held = candidate.inventory(built(candidate, "learned")).parameters
    missing = [(name, [0]) for name in agreed if name not in {each.name for each in held}]
    return missing + [(each.name, list(each.shape)) for each in held if agreed.get(each.name) != each.shape]


@probe
def defaults(candidate: Candidate) -> bool:
    """Whether a model of which nothing is said has a position table."""
    return "positions.weight" in names_of(candidate, as_module(candidate.LanguageModel(*SIZES)))


@probe
def other_kinds(candidate: Candidate) -> list[str]:
    """What becomes of another name, and of the two that are not written to the letter."""
    other, *forgiven = (_kind(candidate, kind) for kind in ("rotary", "Learned", "sinusoidal "))
    return [other, "accepted" if "accepted" in forgiven else forgiven[0]]


def _kind(candidate: Candidate, kind: str) -> str:
    try:
        built(candidate, kind)
    except Raised as error:
        return error.type
    return "accepted"


@probe
def repeats(candidate: Candidate) -> list[bool]:
    """Whether a second call gives what the first one gave."""
    models = [ready(candidate, kind, weights()) for kind in KINDS]
    return [bool(np.allclose(model(IDS[:, :3]), model(IDS[:, :3]), atol=1e-3)) for model in models]


@probe
def in_training(candidate: Candidate) -> bool:
    """Whether a model does in training what it does in evaluation."""
    kept, other = (numbers_of(ready(candidate, "learned", weights()).train(mode), IDS) for mode in (False, True))
    return bool(np.allclose(kept, other, atol=1e-3))


@probe
def learns(candidate: Candidate) -> list[list[bool]]:
    """Which vectors of the tokens a step of training changes, and whether it changes those of the positions."""
    model = ready(candidate, "learned", weights())
    names = names_of(candidate, model)
    tables = [names[part] for part in ("tokens.weight", "positions.weight")]
    before = [candidate.value(model, name) for name in tables]
    candidate.trained(model, np.resize(np.arange(SIZES.vocab_size), (4, 5)))
    tokens, positions = (candidate.value(model, name) != rows for name, rows in zip(tables, before, strict=True))
    return [[bool(row.any()) for row in tokens], [bool(positions.any())]]


@probe
def from_before(candidate: Candidate) -> str:
    """What becomes of a checkpoint of a learned model's parameters, and nothing else."""
    model = built(candidate, "learned")
    names = names_of(candidate, model)
    state = {names[name]: tensor(value) for name, value in weights().items() if name in names}
    try:
        model.load_state_dict(state)
    except Raised:
        return "refused"
    return "taken"


@probe
def full_context(candidate: Candidate) -> list[str]:
    """What becomes of sequences as long as the context."""
    ids = np.tile(IDS, (1, 2))[:, : SIZES.context]
    return [_outcome(built(candidate, kind), ids) for kind in KINDS]


@probe
def past_the_context(candidate: Candidate) -> list[str]:
    """What becomes of longer sequences."""
    return [_outcome(built(candidate, kind), np.tile(IDS, (1, 3))) for kind in KINDS]


@probe
def past_the_last_row(candidate: Candidate) -> list[list[int]] | str:
    """Which rows of the learned table count at the first token that has none of its own, for each sequence."""
    values, ids = without_mixing(weights()), np.tile(IDS, (1, 3))
    model = ready(candidate, "learned", values)
    try:
        before = model(ids)
    except Raised as error:
        return error.type
    found: list[list[int]] = [[] for _ in ids]
    if not isinstance(before, np.ndarray) or before.shape != (*ids.shape, SIZES.vocab_size):
        return "no logits for it"
    for row in range(SIZES.context):
        changed = values["positions.weight"].copy()
        changed[row, ::2] += 1
        set_weights(candidate, model, {"positions.weight": changed})
        apart = np.abs(model(ids) - before).max(axis=2) > 1e-3  # (B, T)
        for sequence in np.flatnonzero(apart[:, SIZES.context]):
            found[sequence].append(row)
    return found


def without_mixing(values: dict[str, Any]) -> dict[str, Any]:
    """These numbers with blocks in which every token stays by itself."""
    alone = {name: np.zeros_like(value) for name, value in values.items() if name.endswith("attention.w_o.weight")}
    return {**values, **alone}


@probe
def own_kind(candidate: Candidate) -> list[str]:
    """What becomes of a checkpoint of the same kind, from a model that was called."""
    return [_loaded(candidate, kind, kind) for kind in KINDS]


@probe
def other_context(candidate: Candidate) -> str:
    """What becomes of a sinusoidal checkpoint of another context."""
    state = built(candidate, "sinusoidal", SIZES.with_context(20)).state_dict()
    try:
        built(candidate, "sinusoidal").load_state_dict(state)
    except Raised as error:
        return error.type
    return "loaded"


@probe
def crossings(candidate: Candidate) -> list[str]:
    """What becomes of a checkpoint of the other kind."""
    return [_loaded(candidate, *pair) for pair in (KINDS, KINDS[::-1])]


@probe
def after_a_crossing(candidate: Candidate) -> list[bool]:
    """Whether a model that was given a checkpoint of the other kind has a position table then."""
    found = []
    for saved, loading in (KINDS, KINDS[::-1]):
        model, state = built(candidate, loading), built(candidate, saved).state_dict()
        with suppress(Raised):
            model.load_state_dict(state)
        found.append("positions.weight" in names_of(candidate, model))
    return found


@probe
def incomplete(candidate: Candidate) -> str:
    """What becomes of a checkpoint of the same kind that lacks something."""
    state = built(candidate, "learned").state_dict()
    if isinstance(state, Handle):
        state.pop(names_of(candidate, built(candidate, "learned"))["tokens.weight"])
    try:
        built(candidate, "learned").load_state_dict(state)
    except Raised:
        return "refused"
    return "taken"


def _loaded(candidate: Candidate, saved: str, loading: str) -> str:
    source, model = built(candidate, saved), ready(candidate, loading, weights())
    source(IDS)
    before = numbers_of(model, IDS)
    state = source.state_dict()
    outcome = "taken"
    try:
        model.load_state_dict(state)
    except Raised as error:
        both = all(kind in error.message.lower() for kind in KINDS)
        outcome = f"refused with {error.type}, {'both kinds named' if both else 'without their names'}"
    changed = not np.allclose(numbers_of(model, IDS), before, atol=1e-3)
    return f"{outcome}, the model {'changed' if changed else 'as it was'}"


@probe
def moves(candidate: Candidate) -> list[str]:
    """Whether a model moves to another device, its position vectors with it."""
    found = []
    for kind in KINDS:
        try:
            candidate.moved(built(candidate, kind), IDS)
            found.append("moves")
        except Mismatch:
            found.append("leaves something behind")
    return found
