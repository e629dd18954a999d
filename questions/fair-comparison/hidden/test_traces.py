"""What a comparison must not leave behind, nor do: random streams moved, modes changed, gradients recorded."""

from typing import Any

import numpy as np
import pytest
from bigrams import random_table
from comparisons import PROMPT, SPLITS, VOCABULARY, calls, compare, streams, watched

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


def modes(candidate: Candidate, model: Handle) -> tuple[Any, Any]:
    """The training flags of a watched model: its own, and that of the model inside."""
    return candidate.value(model, "training"), candidate.value(model, "model.training")


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
    model = watched(candidate, "one", random_table(rng, VOCABULARY)).train(whole)
    candidate.attribute(model, "model").train(not whole)
    compare(candidate, {"one": model}, streams(rng), new_tokens=2)
    found = modes(candidate, model)
    if found[1] is whole:
        raise Mismatch(
            f"a part that came with training={not whole} inside a model with training={whole} was left with "
            f"training={found[1]}"
        )


@criterion("restored-on-error")
@pytest.mark.parametrize("place", ["windows", "generation"])
def test_an_error_leaves_every_model_as_it_came(candidate: Candidate, rng: np.random.Generator, place: str) -> None:
    models = {name: watched(candidate, name, random_table(rng, VOCABULARY)) for name in ("one", "two")}
    data = {split: [UNKNOWN] * 20 for split in SPLITS} if place == "windows" else streams(rng)
    prompt = [PROMPT[1]] if place == "windows" else [UNKNOWN]
    try:
        compare(candidate, models, data, prompt=prompt, new_tokens=2)
    except Raised as error:
        if error.type == "NotImplementedError":
            raise
    else:
        raise Mismatch(f"a model raised on the {place}, and the error did not come through")
    for name, model in models.items():
        if modes(candidate, model) != (True, True):
            raise Mismatch(f"an error on the {place} left the model {name} in evaluation mode, expected training mode")
