"""The experiment in miniature, with a corpus that tells where each window starts.

Token ids count up: the training split holds 0, 1, 2 and so on, the validation split goes on from there. So a token's
value is its place, its successor is the next number, and a split is known by any of its tokens.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, describe, expect_array, tensor

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

TRAIN, VALIDATION = 23, 18  # tokens of the splits
VOCABULARY = TRAIN + VALIDATION
SPLITS = ("train", "validation")
ARMS = ("bigram", "blocks", "sinusoidal")
TRANSFORMERS = ARMS[1:]

SMALL: dict[str, Any] = {
    "width": 8,
    "context": 5,
    "heads": 2,
    "blocks": 2,
    "sequences": 4,
    "learning_rate": 0.02,
    "weight_decay": 0.3,
    "steps": 6,
    "evaluate_at": (0, 2, 3, 6),
    "evaluation_windows": 7,
    "evaluation_seed": 9,
    "seeds": (4, 6),
}


def protocol(candidate: Candidate, **other: Any) -> Handle:
    """A small protocol in the worker, with some numbers of it changed."""
    made = candidate.support("protocol").Protocol(**{**SMALL, **other})
    assert isinstance(made, Handle)
    return made


def splits(train: int = TRAIN, validation: int = VALIDATION) -> dict[str, Any]:
    """Both splits of a counting corpus, as arguments that arrive as tensors."""
    return {"train": tensor(np.arange(train)), "validation": tensor(np.arange(train, train + validation))}


def plain(candidate: Candidate, kind: str, value: Any) -> Any:
    """The value, or, for a dict or a tuple of another class, as a ModuleDict is, what the plain one of it holds."""
    if isinstance(value, Handle):
        try:
            return getattr(candidate.support("builtins"), kind)(value)
        except Raised:
            return value
    return value


def windows(candidate: Candidate, given: dict[str, Any], **numbers: Any) -> dict[str, tuple[Ids, Ids]]:
    """The candidate's evaluation windows, each split's inputs and targets (W, T), be they valid or not."""
    numbers = {**SMALL, **numbers}
    shape = (numbers["evaluation_windows"], numbers["context"])
    found = plain(candidate, "dict", candidate.draw_evaluation_windows(given, protocol(candidate, **numbers)))
    if not isinstance(found, dict) or not set(SPLITS) <= set(found):
        raise Mismatch(f"draw_evaluation_windows gave {describe(found)}, expected a dict with train and validation")
    pairs = {}
    for split in SPLITS:
        pair = plain(candidate, "tuple", found[split])
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Mismatch(f"the windows of {split} are {describe(pair)}, expected inputs and targets")
        inputs, targets = (
            expect_array(ids, shape, of=f"the {what} of {split}", dtypes=("int64",))
            for what, ids in zip(("inputs", "targets"), pair, strict=True)
        )
        pairs[split] = (inputs, targets)
    return pairs


def as_windows(starts: Ids, context: int) -> tuple[Any, Any]:
    """Inputs and targets (W, T) of the counting corpus from these starts, as arguments."""
    places = starts[:, None] + np.arange(context)
    return tensor(places), tensor(places + 1)


def hits(starts: Ids, first: int, count: int) -> Ids:
    """How often each of the `count` starts from `first` on was drawn."""
    if starts.min() < first or starts.max() >= first + count:
        raise Mismatch(f"windows start at {starts.min()} to {starts.max()}, expected {first} to {first + count - 1}")
    return np.bincount(starts - first, minlength=count)


def rows(ids: list[Ids]) -> list[tuple[int, ...]]:
    """All the sequences in arrays (B, T), in order."""
    if any(array.ndim > 2 for array in ids):
        raise Mismatch("the model was shown ids with more axes than batch and time")
    return [tuple(int(each) for each in row) for array in ids for row in np.atleast_2d(array)]


def build(candidate: Candidate, vocab_size: int, seed: int, **numbers: Any) -> dict[str, Handle]:
    """The candidate's models, as handles by arm."""
    models = plain(candidate, "dict", candidate.build_models(vocab_size, protocol(candidate, **numbers), seed))
    if not isinstance(models, dict) or set(models) != set(ARMS):
        raise Mismatch(f"build_models gave {describe(models)}, expected a dict with {', '.join(ARMS)}")
    for arm, model in models.items():
        if not isinstance(model, Handle):
            raise Mismatch(f"the model of {arm} is {describe(model)}, expected a torch.nn.Module")
    return models


def weights(candidate: Candidate, model: Handle) -> dict[str, NDArray[Any]]:
    """Every parameter of a model once, by one of its names."""
    state = plain(candidate, "dict", model.state_dict())  # all in one message
    held = state if isinstance(state, dict) else {}
    named = {each.name for each in candidate.inventory(model).parameters}
    found = {name: held[name] if name in held else candidate.value(model, name) for name in sorted(named)}
    for name, value in found.items():
        if not isinstance(value, np.ndarray):
            raise Mismatch(f"the parameter {name} is {describe(value)}, expected numbers")
    return found


def history(candidate: Candidate, training: Handle) -> list[dict[str, Any]]:
    """The history of a run as a list of dicts with the three keys, or a Mismatch."""
    return entries(candidate.value(training, "history"))


def losses(candidate: Candidate, model: Handle, given: dict[str, Any]) -> dict[str, float]:
    """What the candidate's `evaluate` gives, as a dict with both splits, or a Mismatch."""
    found = plain(candidate, "dict", candidate.evaluate(model, given))
    if not isinstance(found, dict) or set(found) != set(SPLITS):
        raise Mismatch(f"evaluate gave {describe(found)}, expected a dict with train and validation")
    return {split: number(found[split], f"the {split} loss") for split in SPLITS}


def sent(pairs: dict[str, tuple[Ids, Ids]]) -> dict[str, Any]:
    """Windows as arguments that arrive as tensors."""
    return {split: tuple(map(tensor, pair)) for split, pair in pairs.items()}


def entries(found: Any) -> list[dict[str, Any]]:
    """A history as a list of dicts with the three keys, or a Mismatch."""
    if not isinstance(found, list | tuple):
        raise Mismatch(f"the history is {describe(found)}, expected a list of entries")
    for entry in found:
        if not isinstance(entry, dict) or not {"step", *SPLITS} <= set(entry):
            what = f"the keys {', '.join(entry)}" if isinstance(entry, dict) else describe(entry)
            raise Mismatch(f"an entry of the history holds {what}, expected step, train and validation")
        if type(entry["step"]) is not int:
            raise Mismatch(f"a step in the history is {describe(entry['step'])}, expected an int")
    return list(found)


def number(value: Any, of: str) -> float:
    """A plain number, or a Mismatch."""
    if type(value) not in (int, float) or not np.isfinite(value):
        raise Mismatch(f"{of} is {describe(value)}, expected a finite Python number")
    return float(value)
