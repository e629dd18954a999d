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
    starts,
    stream,
    streams,
    successor,
    tokens_of,
    watched,
    windows,
)
from test_generation import PROMPTS
from test_report import BAD, models_to_count
from test_traces import UNKNOWN, modes, state

from grader.checks import Candidate, Handle, Raised, probe, tensor


def generator() -> np.random.Generator:
    """The same numbers for every submission."""
    return np.random.default_rng(11)


def twins(candidate: Candidate, table: Any) -> dict[str, Handle]:
    """Two watched models with the same weights."""
    return {name: watched(candidate, name, table) for name in ("one", "two")}


@probe
def windows_shared(candidate: Candidate) -> bool:
    """Whether two models see the same windows."""
    rng = generator()
    models = twins(candidate, random_table(rng, VOCABULARY))
    compare(candidate, models, streams(rng))
    one, two = (sorted(windows(candidate, name, TRAIN)) for name in models)
    return one == two


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
        seen.append(sorted(windows(candidate, "one", VALIDATION)))
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
            model = watched(candidate, "one", random_table(rng, VOCABULARY)).train(whole)
            candidate.attribute(model, "model").train(part)
            compare(candidate, {"one": model}, streams(rng), new_tokens=1)
            found.append(modes(candidate, model))
    return found


@probe
def modes_after_an_error(candidate: Candidate) -> Any:
    """The flags of a model that raised."""
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
    for prompt in PROMPTS.values():
        models = {"one": watched(candidate, "one", chain())}
        compare(candidate, models, {"train": stream(generator(), TRAIN)}, block_size=4, prompt=prompt, new_tokens=7)
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
def plain_numbers(candidate: Candidate) -> bool:
    """Whether the loss and the tokens are plain values."""
    model = watched(candidate, "one", random_table(generator(), VOCABULARY))
    measured = compare(candidate, {"one": model}, {"train": stream(generator(), TRAIN)}, new_tokens=2)["one"]
    plain = all(type(token) is int for token in measured["tokens"])
    return plain and type(measured["losses"]["train"]) is float


@probe
def what_is_drawn(candidate: Candidate) -> list[Any]:
    """Whether a chain is followed, and the share of a likely token: all, some or few."""
    rng = generator()
    prompt = [14, 12]
    followed = compare(
        candidate, {"one": watched(candidate, "one", chain())}, streams(rng), prompt=prompt, new_tokens=5
    )
    new = tokens_of(followed, "one")[-5:]
    table = np.tile(np.log([0.6, 0.25, 0.1, 0.05]), (4, 1)).astype("float32")
    numbers = {"block_size": 250, "batches": 1, "batch_size": 1, "prompt": [1], "new_tokens": 200}
    model = candidate.support("tiny_models").Bigram(tensor(table))
    drawn = compare(candidate, {"one": model}, {"train": [0, 1, 2, 3] * 75}, **numbers)
    share = tokens_of(drawn, "one")[-200:].count(0) / 200
    kind = "all" if share == 1 else "some" if share > 0.45 else "few"
    return [all(after == successor(before) for before, after in itertools.pairwise(new)), kind]


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
    return [_refusal(candidate, dict(bad)) for bad in BAD]


def _refusal(candidate: Candidate, bad: dict[str, Any]) -> str:
    rng = generator()
    data = {"train": stream(rng, TRAIN)[: bad.pop("data", 60)]}
    models = {"one": watched(candidate, "one", random_table(rng, VOCABULARY))}
    try:
        compare(candidate, models, data, **{"prompt": [PROMPT[0]], "new_tokens": 2, **bad})
    except Raised as error:
        called = bool(candidate.support("tiny_models").calls("one"))
        return f"{error.type}, called {called}"
    return "accepted"
