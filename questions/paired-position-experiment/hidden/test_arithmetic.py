"""Tables: their arithmetic from runs of our own, and what they call it."""

import builtins
from typing import Any

import numpy as np
import pytest
from markdown_tables import expect_tables, expect_words, numbers_of, row, under
from miniature import ARMS, SPLITS, number, plain

from grader.checks import Candidate, Mismatch, Raised, criterion, describe

PARAMETERS = {"bigram": 3_011, "blocks": 97_214, "sinusoidal": 97_214}
CONTRASTS = {"blocks - bigram": ("blocks", "bigram"), "sinusoidal - blocks": ("sinusoidal", "blocks")}
SEEDS = ([42, 43, 44], [21, 9, 30, 11])
CLOSE = 1e-9
SPREAD = ("mean", "lowest", "highest")


def invented(rng: np.random.Generator, seeds: list[int]) -> dict[str, Any]:
    """Results as run_experiment gives them, in any order. Losses rise and fall, so that the last is not the best."""
    runs = []
    for arm in ARMS:
        for seed in seeds:
            losses = rng.uniform(2, 5, size=(4, 2))
            losses[-1] += 0.5
            history = [
                {"step": step, "train": float(one), "validation": float(other)}
                for step, (one, other) in zip((0, 10, 20, 50), losses, strict=True)
            ]
            runs.append({"arm": arm, "seed": seed, "parameters": PARAMETERS[arm], "history": history})
    shuffled = [runs[int(place)] for place in rng.permutation(len(runs))]
    numbers = {"steps": 50, "evaluate_at": [0, 10, 20, 50], "seeds": list(seeds)}
    return {"unit": "nats per token", "vocab_size": 41, "protocol": numbers, "runs": shuffled}


def last(results: dict[str, Any], arm: str, split: str) -> dict[int, float]:
    """The losses of an arm after the last step, by seed."""
    return {run["seed"]: run["history"][-1][split] for run in results["runs"] if run["arm"] == arm}


def differences(results: dict[str, Any], contrast: str) -> dict[int, float]:
    """The paired differences of a contrast, by seed."""
    one, other = (last(results, arm, "validation") for arm in CONTRASTS[contrast])
    return {seed: one[seed] - other[seed] for seed in one}


def summarized(candidate: Candidate, results: dict[str, Any]) -> dict[str, Any]:
    """The candidate's summary, with all that is asked for in its place, or a Mismatch."""
    found = plain(candidate, "dict", candidate.summarize(results))
    if not isinstance(found, dict) or not all(isinstance(found.get(key), dict) for key in ("arms", "contrasts")):
        raise Mismatch(f"the summary is {describe(found)}, expected a dict with arms and contrasts")
    return found


def part(whole: Any, *path: str) -> Any:
    """What stands under some keys, or a Mismatch."""
    for key in path:
        if not isinstance(whole, dict) or key not in whole:
            raise Mismatch(f"the summary has no {key} under {' / '.join(path)}")
        whole = whole[key]
    return whole


def expect(found: Any, expected: float, of: str) -> None:
    """Raise a Mismatch unless a number of the summary is the expected one."""
    if abs(number(found, of) - expected) > CLOSE:
        raise Mismatch(f"{of} is {found:.6f}, expected {expected:.6f}")


@criterion("means")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_an_arm_has_its_mean_over_seeds(candidate: Candidate, rng: np.random.Generator, seeds: list[int]) -> None:
    results = invented(rng, seeds)
    found = summarized(candidate, results)
    for arm in ARMS:
        for split in SPLITS:
            mean = float(np.mean(list(last(results, arm, split).values())))
            expect(part(found, "arms", arm, split, "mean"), mean, f"the mean {split} loss of {arm}")
        if part(found, "arms", arm, "parameters") != PARAMETERS[arm]:
            raise Mismatch(f"{arm} has other parameters in the summary than in the runs")


@criterion("means")
def test_one_seed_is_its_own_mean_and_range(candidate: Candidate, rng: np.random.Generator) -> None:
    results = invented(rng, [5])
    found = summarized(candidate, results)
    for arm in ARMS:
        for name in SPREAD:
            expect(part(found, "arms", arm, "train", name), last(results, arm, "train")[5], f"the {name} of {arm}")


@criterion("ranges")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_a_range_goes_from_lowest_to_highest(candidate: Candidate, rng: np.random.Generator, seeds: list[int]) -> None:
    results = invented(rng, seeds)
    found = summarized(candidate, results)
    for arm in ARMS:
        for split in SPLITS:
            losses = list(last(results, arm, split).values())
            for name, value in (("lowest", min(losses)), ("highest", max(losses))):
                expect(part(found, "arms", arm, split, name), value, f"the {name} {split} loss of {arm}")


@criterion("differences")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_differences_are_of_one_seed(candidate: Candidate, rng: np.random.Generator, seeds: list[int]) -> None:
    results = invented(rng, seeds)
    found = summarized(candidate, results)
    for contrast in CONTRASTS:
        given = part(found, "contrasts", contrast, "differences")
        expected = differences(results, contrast)
        if not isinstance(given, dict) or set(given) != {str(seed) for seed in expected}:
            raise Mismatch(f"the differences of {contrast} are {describe(given)}, expected one for each seed")
        for seed, value in expected.items():
            expect(given[str(seed)], value, f"{contrast} with seed {seed}")


@criterion("contrasts")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_a_contrast_sums_up_its_differences(candidate: Candidate, rng: np.random.Generator, seeds: list[int]) -> None:
    results = invented(rng, seeds)
    found = summarized(candidate, results)
    for contrast in CONTRASTS:
        values = list(differences(results, contrast).values())
        for name, value in zip(SPREAD, (float(np.mean(values)), min(values), max(values)), strict=True):
            given = number(part(found, "contrasts", contrast, name), f"the {name} of {contrast}")
            # The sign has a criterion of its own: one that is turned round has turned ends as well.
            turned = {"mean": -value, "lowest": -max(values), "highest": -min(values)}[name]
            if min(abs(given - value), abs(given - turned)) > CLOSE:
                raise Mismatch(f"the {name} of {contrast} is {given:.6f}, expected {value:.6f}")
    if set(part(found, "contrasts")) != set(CONTRASTS):
        raise Mismatch(f"the contrasts are {', '.join(part(found, 'contrasts'))}, planned were {', '.join(CONTRASTS)}")


@criterion("incomplete")
@pytest.mark.parametrize("what", ["missing", "short", "empty"])
def test_what_can_not_be_paired_is_refused(candidate: Candidate, rng: np.random.Generator, what: str) -> None:
    for place in range(9):
        results = invented(rng, [42, 43, 44])
        damaged = results["runs"][place]
        if what == "missing":
            results["runs"].remove(damaged)
        else:
            del damaged["history"][0 if what == "empty" else -1 :]
        said = f"a run of {damaged['arm']} with seed {damaged['seed']} is {what}"
        try:
            candidate.summarize(results)
        except Raised as error:
            if error.type != "ValueError" and hasattr(builtins, error.type):
                raise Mismatch(f"{said}: raised {error.type}, expected a ValueError") from None
        else:
            raise Mismatch(f"{said}, but the summary was made, expected a ValueError")


def rendered(candidate: Candidate, results: dict[str, Any]) -> str:
    """The candidate's tables in text, from the candidate's summary."""
    text = candidate.render_tables(candidate.summarize(results))
    if not isinstance(text, str):
        raise Mismatch(f"render_tables gave {describe(text)}, expected a string")
    return text


@criterion("tables")
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_the_tables_hold_the_numbers(candidate: Candidate, rng: np.random.Generator, seeds: list[int]) -> None:
    results = invented(rng, seeds)
    summary, text = summarized(candidate, results), rendered(candidate, results)
    wanted: dict[str, list[float]] = {}
    for arm in ARMS:
        found = [part(summary, "arms", arm, split, name) for split in SPLITS for name in SPREAD]
        wanted[arm] = [number(each, arm) for each in found]
    for contrast in CONTRASTS:
        of = part(summary, "contrasts", contrast)
        by_seed = [part(of, "differences", str(seed)) for seed in seeds]
        wanted[contrast] = [number(each, contrast) for each in (*by_seed, *(part(of, name) for name in SPREAD))]
    expect_tables(text)
    for name, values in wanted.items():
        found = numbers_of(row(text, name))
        for value in values:
            if not any(abs(value - each) <= 0.500001e-4 for each in found):
                raise Mismatch(f"the row of {name} does not hold {value:.4f}")
        if name in PARAMETERS and PARAMETERS[name] not in found:
            raise Mismatch(f"the row of {name} does not hold its number of parameters")
        of = len(values) // 3 if name in PARAMETERS else 1
        means, ends = values[-3 * of :: 3], [value for at, value in enumerate(values[-3 * of :]) if at % 3]
        for word, other, right in (("mean", "range", means), ("range", "mean", ends)):
            for value in under(text, name, word, other) or ():
                if not any(abs(value - each) <= 0.500001e-4 for each in right):
                    raise Mismatch(f"in the row of {name}, {value:.4f} stands under {word!r}")
        if name in PARAMETERS and PARAMETERS[name] not in (under(text, name, "param", "|") or [PARAMETERS[name]]):
            raise Mismatch(f"in the row of {name}, something else than its number stands under parameters")


@criterion("words")
def test_a_range_is_called_a_range(candidate: Candidate, rng: np.random.Generator) -> None:
    expect_words(rendered(candidate, invented(rng, [42, 43, 44])))
