"""All runs together: which models and batches they have, what is written down, and what a power cut costs."""

from itertools import pairwise
from typing import Any

from miniature import (
    ARMS,
    SMALL,
    SPLITS,
    VOCABULARY,
    build,
    entries,
    history,
    losses,
    number,
    plain,
    protocol,
    sent,
    splits,
    windows,
)

from grader.checks import Candidate, Mismatch, Raised, criterion, describe

PLAN: dict[str, Any] = {**SMALL, "blocks": 1, "steps": 3, "evaluate_at": (0, 1, 2, 3)}
SEEDS, ASKED = PLAN["seeds"], list(PLAN["evaluate_at"])
KEYS = ("unit", "protocol", "runs")
SAME_LOSS = 3e-5


def folder(candidate: Candidate) -> str:
    """A new folder in the worker, to make others in."""
    made = candidate.support("tempfile").mkdtemp(dir=".")
    assert isinstance(made, str)
    return made


def run(candidate: Candidate, where: str, report: Any = None) -> dict[str, Any]:
    """The results of a whole experiment."""
    found = candidate.run_experiment(splits(), VOCABULARY, protocol(candidate, **PLAN), where, report)
    return results(plain(candidate, "dict", found))


def results(found: Any) -> dict[str, Any]:
    """Results with the three keys, or a Mismatch."""
    if not isinstance(found, dict) or not set(KEYS) <= set(found):
        raise Mismatch(f"the results are {describe(found)}, expected a dict with unit, protocol and runs")
    for each in found["runs"] if isinstance(found["runs"], list | tuple) else [None]:
        if not isinstance(each, dict) or not {"arm", "seed", "parameters", "history"} <= set(each):
            raise Mismatch(f"a run is {describe(each)}, expected a dict with arm, seed, parameters and history")
        if type(each["arm"]) is not str or type(each["seed"]) is not int:
            raise Mismatch("a run does not name its arm by a string and its seed by an int")
    return found


def by_run(found: dict[str, Any]) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The history of each run, by arm and seed."""
    return {(each["arm"], each["seed"]): entries(each["history"]) for each in found["runs"]}


def listed(value: Any) -> Any:
    """The value as JSON gives it back: lists for tuples."""
    match value:
        case dict():
            return {key: listed(item) for key, item in value.items()}
        case list() | tuple():
            return [listed(item) for item in value]
    return value


def compare(found: list[dict[str, Any]] | None, expected: list[dict[str, Any]], of: str) -> None:
    """Raise a Mismatch where there is no run, or where entries of one step have other losses."""
    if found is None:
        raise Mismatch(f"the results hold no run of {of}")
    wanted = {entry["step"]: entry for entry in expected}
    for entry in found:
        for split in SPLITS:
            right = wanted.get(entry["step"], {}).get(split)
            if right is not None and abs(number(entry[split], split) - right) > SAME_LOSS:
                when = f"{of}, after {entry['step']} updates"
                raise Mismatch(f"{when}: the {split} loss is {entry[split]:.5f}, expected {right:.5f}")


@criterion("results")
def test_every_arm_with_every_seed(candidate: Candidate) -> None:
    where = f"{folder(candidate)}/new/newer"
    found = run(candidate, where)
    text = candidate.support("pathlib").Path(f"{where}/results.json").read_text()
    written = results(candidate.support("json").loads(text))
    if any(listed(written[key]) != listed(found[key]) for key in KEYS):
        raise Mismatch("results.json holds something else than what run_experiment returns")
    runs = [(each["arm"], each["seed"]) for each in found["runs"]]
    if sorted(runs) != sorted((arm, seed) for arm in ARMS for seed in SEEDS):
        raise Mismatch(f"the results have {len(runs)} runs, expected each arm with each seed once")
    if found["unit"] != "nats per token":
        raise Mismatch(f"the unit is {found['unit']!r}, expected 'nats per token'")
    numbers = found["protocol"]
    if not isinstance(numbers, dict) or any(listed(numbers.get(name)) != listed(value) for name, value in PLAN.items()):
        raise Mismatch("the protocol in the results is not the one that was passed in")
    models = build(candidate, VOCABULARY, SEEDS[0], **PLAN)
    for each in found["runs"]:
        count = candidate.inventory(models[each["arm"]]).parameter_count
        if each["parameters"] != count:
            raise Mismatch(f"{each['arm']} is said to have {each['parameters']} parameters, expected {count}")
        if [entry["step"] for entry in entries(each["history"])] != ASKED:
            raise Mismatch(f"the history of {each['arm']} has other steps than {ASKED}")


@criterion("paired-start")
def test_each_run_starts_from_the_models_of_its_seed(candidate: Candidate) -> None:
    histories = by_run(run(candidate, folder(candidate)))
    for seed in SEEDS:
        fixed = windows(candidate, splits(), **PLAN)
        for arm, model in build(candidate, VOCABULARY, seed, **PLAN).items():
            first = losses(candidate, model, sent(fixed))
            compare(histories.get((arm, seed)), [{"step": 0, **first}], f"{arm} with seed {seed}")


@criterion("planned-batches")
def test_each_run_has_the_batches_of_its_seed(candidate: Candidate) -> None:
    histories = by_run(run(candidate, folder(candidate)))
    for seed in SEEDS:
        for arm, model in build(candidate, VOCABULARY, seed, **PLAN).items():
            training = candidate.Training(model, splits(), protocol(candidate, **PLAN), seed)
            for last, step in pairwise([0, *ASKED]):
                training.advance(step - last)
            compare(histories.get((arm, seed)), history(candidate, training), f"{arm} with seed {seed}")


@criterion("interruption")
def test_a_power_cut_costs_nothing_that_was_reported(candidate: Candidate) -> None:
    there = folder(candidate)
    whole, first, second = (candidate.support("interruption").StopAfter(count) for count in (0, 7, 0))
    expected = run(candidate, f"{there}/whole", whole)
    noted = sorted(whole.noted(), key=repr)
    if noted != sorted(((arm, seed, step) for arm in ARMS for seed in SEEDS for step in ASKED), key=repr):
        raise Mismatch(f"{len(noted)} entries were reported, expected each of every run once")
    try:
        candidate.run_experiment(splits(), VOCABULARY, protocol(candidate, **PLAN), f"{there}/broken", first)
    except Raised as error:
        if not error.type.endswith("BrokenOff"):
            raise
    else:
        raise Mismatch("an exception of report did not come through")
    found = run(candidate, f"{there}/broken", second)
    if sorted([*first.noted(), *second.noted()], key=repr) != noted:
        raise Mismatch("after an interruption, entries are reported that had been before, or some never")
    if by_run(found) != by_run(expected):
        raise Mismatch("an experiment that was broken off and resumed has other results")
