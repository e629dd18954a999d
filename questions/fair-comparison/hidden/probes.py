"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

import itertools
from typing import Any

import numpy as np
from bigrams import cross_entropy, random_table
from comparisons import (
    BLOCK,
    PROMPT,
    SAME_LOSS,
    TRAIN,
    VALIDATION,
    VOCABULARY,
    calls,
    chain,
    compare,
    generation,
    loss,
    nested,
    starts,
    stream,
    streams,
    successor,
    tokens_of,
    watched,
    windows,
    windows_of,
)
from test_generation import PROMPTS, shares_drawn
from test_report import BAD, models_to_count
from test_traces import UNKNOWN, modes, state

from grader.checks import Candidate, Handle, Raised, probe


def generator() -> np.random.Generator:
    """The same numbers for every submission."""
    return np.random.default_rng(11)


def twins(candidate: Candidate, table: Any) -> dict[str, Handle]:
    """Two watched models with the same weights."""
    return {name: watched(candidate, name, table) for name in ("one", "two")}


def compare_anything(candidate: Candidate) -> None:
    """A comparison like any other, before one that raises: where this one does too, that tells nothing."""
    rng = generator()
    compare(candidate, twins(candidate, random_table(rng, VOCABULARY)), streams(rng), new_tokens=1)


@probe
def windows_shared(candidate: Candidate) -> bool:
    """Whether two models see the same windows."""
    rng = generator()
    models = twins(candidate, random_table(rng, VOCABULARY))
    compare(candidate, models, streams(rng))
    one, two = (sorted(windows_of(candidate, name, TRAIN)) for name in models)
    return one == two


@probe
def splits_shown(candidate: Candidate) -> list[bool]:
    """Of which splits there are windows."""
    rng = generator()
    compare(candidate, {"one": watched(candidate, "one", random_table(rng, VOCABULARY))}, streams(rng))
    return [bool(windows_of(candidate, "one", tokens)) for tokens in (TRAIN, VALIDATION)]


@probe
def starts_drawn(candidate: Candidate) -> list[int]:
    """The starts that come up of a stream with four, and how many windows there were."""
    rng = generator()
    data = stream(rng, TRAIN, BLOCK + 4)
    compare(candidate, {"one": watched(candidate, "one", random_table(rng, VOCABULARY))}, {"train": data}, batches=12)
    drawn = starts(windows(candidate, "one", TRAIN), data)
    return [len(drawn), *sorted(set(drawn))]


@probe
def seed_of_the_windows(candidate: Candidate) -> list[bool]:
    """Whether a seed repeats its windows, and whether another seed does."""
    rng = generator()
    data, table, seen = streams(rng), random_table(rng, VOCABULARY), []
    for seed in (3, 3, 4):
        compare(candidate, {"one": watched(candidate, "one", table)}, data, seed=seed)
        seen.append(sorted(windows_of(candidate, "one", TRAIN)))
    return [seen[0] == seen[1], seen[0] == seen[2]]


@probe
def formula(candidate: Candidate) -> float:
    """The loss of two batches of one and the same window."""
    rng = generator()
    data, table = stream(rng, TRAIN, BLOCK + 1), random_table(rng, VOCABULARY)
    comparison = compare(candidate, {"one": watched(candidate, "one", table)}, {"train": data}, batches=2)
    return round(loss(comparison, "one", "train"), 3)


@probe
def batches_that_count(candidate: Candidate) -> str:
    """Whether the loss is that of the last batch of those shown, one window each."""
    rng = generator()
    data, table = stream(rng, TRAIN), random_table(rng, VOCABULARY)
    model = watched(candidate, "one", table)
    comparison = compare(candidate, {"one": model}, {"train": data}, batches=4, batch_size=1)
    last = starts(windows(candidate, "one", TRAIN), data)[-1]
    inputs, targets = np.array(data[last : last + BLOCK]), np.array(data[last + 1 : last + 1 + BLOCK])
    only = abs(loss(comparison, "one", "train") - cross_entropy(table, inputs, targets)) < SAME_LOSS
    return "the last" if only else "others too"


@probe
def pairs(candidate: Candidate) -> str:
    """Whether a model that returns a tuple can be measured."""
    compare_anything(candidate)
    model = watched(candidate, "pair", chain(), "BigramWithLoss")
    try:
        compare(candidate, {"pair": model}, streams(generator()), new_tokens=1)
    except Raised:
        return "raises"
    return "measured"


@probe
def global_streams_moved(candidate: Candidate) -> bool:
    """Whether a comparison moves any of the global streams."""
    rng = generator()
    libraries = ("random", "numpy", "torch")
    for settle in (
        candidate.support("random").seed,
        candidate.support("numpy.random").seed,
        candidate.torch.manual_seed,
    ):
        settle(77)
    before = [state(candidate, library) for library in libraries]
    compare(candidate, twins(candidate, random_table(rng, VOCABULARY)), streams(rng), new_tokens=2)
    return before != [state(candidate, library) for library in libraries]


@probe
def how_models_are_called(candidate: Candidate) -> list[bool]:
    """Whether any call is in training mode, and whether any is recorded."""
    rng = generator()
    models = twins(candidate, random_table(rng, VOCABULARY))
    compare(candidate, models, streams(rng), new_tokens=2)
    seen = [call for name in models for call in calls(candidate, name)]
    return [any(call.training for call in seen), any(call.recorded for call in seen)]


@probe
def modes_afterwards(candidate: Candidate) -> list[Any]:
    """The flags of whole and part afterwards, for each way in which a model may come."""
    rng = generator()
    found = []
    for whole in (True, False):
        for part in (True, False):
            model = nested(candidate, "one", random_table(rng, VOCABULARY)).train(whole)
            candidate.attribute(model, "model").train(part)
            candidate.attribute(model, "model.model").train(whole)
            compare(candidate, {"one": model}, streams(rng), new_tokens=1)
            found.append(modes(candidate, model, parts=2))
    return found


@probe
def modes_after_an_error(candidate: Candidate) -> Any:
    """The flags of a model that raised."""
    compare_anything(candidate)
    rng = generator()
    model = watched(candidate, "one", random_table(rng, VOCABULARY))
    try:
        compare(candidate, {"one": model}, {"train": [UNKNOWN] * 20})
    except Raised:
        return modes(candidate, model)
    return "no error"


@probe
def contexts(candidate: Candidate) -> list[Any]:
    """How many tokens the model is shown for each new one, at most, and whether the last ones are there."""
    found = []
    for length in ("short", "long"):
        models = {"one": watched(candidate, "one", chain())}
        data, prompt = {"train": stream(generator(), TRAIN)}, PROMPTS[length]
        compare(candidate, models, data, block_size=4, prompt=prompt, new_tokens=7)
        shown = generation(candidate, "one")
        moves = all(after != before for before, after in itertools.pairwise(shown))
        found.append((max(map(len, shown)) > 4, moves))
    return [any(longer for longer, _ in found), all(moves for _, moves in found)]


@probe
def shape_of_the_tokens(candidate: Candidate) -> list[int]:
    """How many tokens two models have for some prompts and numbers of new ones."""
    found = []
    for prompt, new_tokens in ((PROMPTS["short"], 5), (PROMPTS["long"], 3)):
        models = twins(candidate, random_table(generator(), VOCABULARY))
        comparison = compare(
            candidate, models, streams(generator()), block_size=4, prompt=prompt, new_tokens=new_tokens
        )
        found += [len(tokens_of(comparison, name)) for name in models]
    return found


@probe
def no_new_tokens(candidate: Candidate) -> str:
    """What a call for no new tokens meets."""
    compare_anything(candidate)
    model = watched(candidate, "one", random_table(generator(), VOCABULARY))
    try:
        compare(candidate, {"one": model}, streams(generator()), new_tokens=0)
    except Raised as error:
        called = bool(candidate.support("tiny_models").calls("one"))
        return f"{error.type}, called {called}"
    return "accepted"


@probe
def plain_numbers(candidate: Candidate) -> bool:
    """Whether the loss and the tokens are plain values."""
    model = watched(candidate, "one", random_table(generator(), VOCABULARY))
    measured = compare(candidate, {"one": model}, {"train": stream(generator(), TRAIN)}, new_tokens=2)["one"]
    plain = all(type(token) is int for token in measured["tokens"])
    return plain and type(measured["losses"]["train"]) is float


@probe
def what_is_drawn(candidate: Candidate) -> list[Any]:
    """Whether a chain is followed, and how often a likely token is drawn."""
    rng = generator()
    prompt = [14, 12]
    followed = compare(
        candidate, {"one": watched(candidate, "one", chain())}, streams(rng), prompt=prompt, new_tokens=5
    )
    new = tokens_of(followed, "one")[-5:]
    return [all(after == successor(before) for before, after in itertools.pairwise(new)), _how_drawn(candidate)]


def _how_drawn(candidate: Candidate) -> str:
    shares = shares_drawn(candidate)
    if shares[0] == 1:
        return "the likeliest"
    if min(shares) == 0:
        return "some never"
    kinds = {0.42: "close to even", 0.555: "flatter", 0.645: "as likely"}
    return next((kind for most, kind in kinds.items() if shares[0] < most), "sharper")


@probe
def samplers(candidate: Candidate) -> list[bool]:
    """Whether twins generate the same, a second call does, and a call with another seed."""
    rng = generator()
    data, table = streams(rng), 0.1 * random_table(rng, VOCABULARY)
    one, again, other = (
        compare(candidate, twins(candidate, table), data, new_tokens=20, seed=seed) for seed in (3, 3, 4)
    )
    first = tokens_of(one, "one")
    return [first == tokens_of(one, "two"), first == tokens_of(again, "one"), first == tokens_of(other, "one")]


@probe
def counts(candidate: Candidate) -> list[Any]:
    """The numbers of parameters of some models."""
    rng = generator()
    counted = models_to_count(candidate, rng)
    comparison = compare(
        candidate, {name: model for name, (model, _) in counted.items()}, {"train": stream(rng, TRAIN)}
    )
    return [comparison[name]["parameters"] for name in counted]


@probe
def delta(candidate: Candidate) -> list[Any]:
    """Two deltas of opposite signs."""
    comparison = {
        name: {"losses": {"a": a, "b": 2.0}, "tokens": [], "parameters": 1} for name, a in (("x", 1.5), ("y", 3.0))
    }
    return [candidate.loss_deltas(comparison, control=x, treatment=y)["a"] for x, y in (("x", "y"), ("y", "x"))]


@probe
def refusals(candidate: Candidate) -> list[str]:
    """What calls that make no sense meet."""
    compare_anything(candidate)
    return [_refusal(candidate, dict(bad)) for bad in BAD]


def _refusal(candidate: Candidate, bad: dict[str, Any]) -> str:
    rng = generator()
    data = {"train": stream(rng, TRAIN)[: bad.pop("data", 60)]}
    models = {"one": watched(candidate, "one", random_table(rng, VOCABULARY))}
    try:
        compare(candidate, models, data, **{"prompt": list(PROMPT[:2]), "new_tokens": 2, **bad})
    except Raised as error:
        called = bool(candidate.support("tiny_models").calls("one"))
        return f"{error.type}, called {called}"
    return "accepted"
