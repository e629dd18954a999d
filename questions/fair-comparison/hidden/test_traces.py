"""What a comparison must not leave behind, nor do: random streams moved, modes changed, gradients recorded."""

from typing import Any

import numpy as np
import pytest
from bigrams import random_table
from comparisons import PROMPT, SPLITS, VOCABULARY, calls, compare, nested, streams, watched

from grader.checks import Candidate, Handle, Mismatch, Raised, criterion

UNKNOWN = 90  # a token that no model here has a row for


def state(candidate: Candidate, library: str) -> Any:
    """Where the global stream of random numbers of a library is, as plain values."""
    match library:
        case "torch":
            return candidate.torch.get_rng_state().tolist()
        case "numpy":
            name, keys, *rest = candidate.support("numpy.random").get_state()
            return [name, keys.tolist(), rest]
    return candidate.support("random").getstate()


def settle(candidate: Candidate, seed: int) -> None:
    """Put the global streams where no earlier comparison has left them."""
    candidate.support("random").seed(seed)
    candidate.support("numpy.random").seed(seed)
    candidate.torch.manual_seed(seed)


@criterion("rng-untouched")
@pytest.mark.parametrize("library", ["random", "numpy", "torch"])
def test_the_global_stream_stays_where_it_was(candidate: Candidate, rng: np.random.Generator, library: str) -> None:
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    seed = int(rng.integers(1, 1 << 30))  # where no earlier comparison left it
    for settle in (
        candidate.support("random").seed,
        candidate.support("numpy.random").seed,
        candidate.torch.manual_seed,
    ):
        settle(seed)
    before = state(candidate, library)
    compare(candidate, models, streams(rng), new_tokens=3)
    if state(candidate, library) != before:
        raise Mismatch(f"the comparison moved the global stream of random numbers of {library}")


@criterion("eval-mode")
def test_every_call_is_in_evaluation_mode(candidate: Candidate, rng: np.random.Generator) -> None:
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    compare(candidate, models, streams(rng), new_tokens=3)
    if any(call.training for name in models for call in calls(candidate, name)):
        raise Mismatch("a model was called in training mode, expected evaluation mode for windows and generation")


@criterion("no-grad")
def test_no_call_records_gradients(candidate: Candidate, rng: np.random.Generator) -> None:
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    compare(candidate, models, streams(rng), new_tokens=3)
    if any(call.recorded for name in models for call in calls(candidate, name)):
        raise Mismatch("a call recorded a gradient graph, expected none for windows and generation")


def modes(candidate: Candidate, model: Handle, parts: int = 1) -> tuple[Any, ...]:
    """The training flags of a watched model: its own, that of the model inside, and so on for as many parts."""
    return tuple(candidate.value(model, "model." * part + "training") for part in range(parts + 1))


@criterion("flags-restored")
def test_each_model_gets_its_own_mode_back(candidate: Candidate, rng: np.random.Generator) -> None:
    arrives = {"one": True, "two": False, "three": True}
    models = {
        name: watched(candidate, name, random_table(rng, VOCABULARY)).train(mode) for name, mode in arrives.items()
    }
    compare(candidate, models, streams(rng), new_tokens=2)
    for name, mode in arrives.items():
        if modes(candidate, models[name])[0] is not mode:
            words = ("evaluation", "training") if mode else ("training", "evaluation")
            raise Mismatch(f"the model {name} came in {words[1]} mode and was left in {words[0]} mode")


@criterion("parts-restored")
@pytest.mark.parametrize("whole", [True, False], ids=["in-training", "in-evaluation"])
def test_a_part_in_another_mode_gets_its_own_back(candidate: Candidate, rng: np.random.Generator, whole: bool) -> None:
    """Whole, part and the part of the part come in turns: each is in another mode than what it is a part of."""
    model = nested(candidate, "one", random_table(rng, VOCABULARY)).train(whole)
    candidate.attribute(model, "model").train(not whole)
    candidate.attribute(model, "model.model").train(whole)
    compare(candidate, {"one": model}, streams(rng), new_tokens=2)
    for came, left in zip((not whole, whole), modes(candidate, model, parts=2)[1:], strict=True):
        if left is not came:
            raise Mismatch(
                f"a part that came with training={came} inside one with training={not came} was left with "
                f"training={left}"
            )


@criterion("restored-on-error")
@pytest.mark.parametrize("place", ["windows", "generation"])
def test_an_error_leaves_every_model_as_it_came(candidate: Candidate, rng: np.random.Generator, place: str) -> None:
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    data = {split: [UNKNOWN] * 20 for split in SPLITS} if place == "windows" else streams(rng)
    prompt = list(PROMPT[:2]) if place == "windows" else [UNKNOWN] * 2
    try:
        compare(candidate, models, data, prompt=prompt, new_tokens=2)
    except Raised as error:
        if error.type == "NotImplementedError":
            raise
    else:
        raise Mismatch(f"a model raised on the {place}, and the error did not come through")
    for name, model in models.items():
        if not all(mode is True for mode in modes(candidate, model)):
            raise Mismatch(f"an error on the {place} left the model {name} in evaluation mode, expected training mode")
