"""Training mode, evaluation mode and the recording of gradients, as the model meets them."""

from dataclasses import dataclass

import numpy as np
import pytest
from bigrams import Ids, random_table
from runs import serve

from grader.checks import Candidate, Handle, Mismatch, Raised, criterion, tensor

SHAPE, VOCABULARY = (2, 3), 9
SPLIT_AT = 5  # training tokens are below, validation tokens are not
UNKNOWN = 40  # a token that no model here has a row for


@dataclass(frozen=True)
class Call:
    """One call of the model: its token ids (B, T), its mode, and whether its logits carry a gradient graph."""

    ids: Ids
    training: bool
    recorded: bool

    @property
    def is_training(self) -> bool:
        """Whether it is part of an update: training tokens, and a graph to go back through."""
        return self.recorded and bool((self.ids < SPLIT_AT).all())


def watched(candidate: Candidate, rng: np.random.Generator) -> Handle:
    """A bigram model that notes its calls, with streams to tell the splits by their tokens."""
    serve(candidate, rng.integers(0, SPLIT_AT, size=61), rng.integers(SPLIT_AT, VOCABULARY, size=61), SHAPE)
    tiny = candidate.support("tiny_models")
    model = tiny.Watched(tiny.Bigram(tensor(random_table(rng, VOCABULARY))), "watched")
    assert isinstance(model, Handle)
    return model


def calls(candidate: Candidate) -> list[Call]:
    """The calls of the watched model so far."""
    return [Call(**note) for note in candidate.support("tiny_models").calls("watched") if "recorded" in note]


def train_watched(candidate: Candidate, rng: np.random.Generator, *, training: bool) -> list[Call]:
    """The calls of a run of three steps and three evaluations; the model arrives in the mode `training`."""
    model = watched(candidate, rng)
    model.train(training)
    candidate.train_language_model(model, steps=3, learning_rate=0.1, eval_every=1, eval_batches=2)
    return calls(candidate)


def evaluations(candidate: Candidate, rng: np.random.Generator) -> list[Call]:
    """The calls of a run that are part of an evaluation."""
    found = [call for call in train_watched(candidate, rng, training=True) if not call.is_training]
    if not found:
        raise Mismatch("three evaluations called the model on no validation tokens")
    return found


@criterion("training-mode")
@pytest.mark.parametrize("training", [True, False], ids=["arrives-in-training", "arrives-in-evaluation"])
def test_every_update_is_in_training_mode(candidate: Candidate, rng: np.random.Generator, training: bool) -> None:
    updates = [call for call in train_watched(candidate, rng, training=training) if call.is_training]
    if not updates:
        raise Mismatch("three steps called the model on no training tokens with gradients recorded")
    for step, call in enumerate(updates, 1):
        if not call.training:
            raise Mismatch(f"update {step} called the model in evaluation mode, expected training mode")


@criterion("eval-mode")
def test_every_evaluation_is_in_evaluation_mode(candidate: Candidate, rng: np.random.Generator) -> None:
    if any(call.training for call in evaluations(candidate, rng)):
        raise Mismatch("an evaluation called the model in training mode, expected evaluation mode")


@criterion("no-grad")
def test_no_evaluation_records_gradients(candidate: Candidate, rng: np.random.Generator) -> None:
    if any(call.recorded for call in evaluations(candidate, rng)):
        raise Mismatch("an evaluation recorded a gradient graph, expected none")


@criterion("mode-restored")
@pytest.mark.parametrize("place", [0, 3], ids=["first-evaluation", "later-batch"])
def test_an_evaluation_that_raises_leaves_training_mode(
    candidate: Candidate, rng: np.random.Generator, place: int
) -> None:
    model = watched(candidate, rng)
    validation = rng.integers(SPLIT_AT, VOCABULARY, size=61)
    validation[place * SHAPE[0] * SHAPE[1] + 1 :] = UNKNOWN
    serve(candidate, rng.integers(0, SPLIT_AT, size=61), validation, SHAPE)
    try:
        candidate.train_language_model(model, steps=6, learning_rate=0.1, eval_every=1, eval_batches=2)
    except Raised as error:
        if error.type == "NotImplementedError":
            raise
    else:
        if not candidate.support("corpus").served("validation"):
            return  # nothing raised: of which split an evaluation is has its own criterion
        raise Mismatch("the model raised in an evaluation, and the error did not come through")
    if not (candidate.value(model, "training") is True and candidate.value(model, "model.training") is True):
        raise Mismatch("an evaluation that raised left the model in evaluation mode, expected training mode")
