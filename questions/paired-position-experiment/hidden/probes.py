"""What a submission does in a few fixed situations, so that the mistake behind a failure can be named."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import test_checkpoints
import test_evaluation
import test_models
import test_training
import test_whole_experiment as test_experiment
from bigrams import cross_entropy, random_table
from markdown_tables import CLAIMS, lines
from miniature import SMALL, SPLITS, TRAIN, VOCABULARY, as_windows, losses, plain, protocol, sent, splits, windows
from runs import start, table_for
from test_arithmetic import CONTRASTS, invented, rendered

from grader.checks import Candidate, Mismatch, Raised, probe, tensor

CONTEXT = SMALL["context"]
ENDS = ("mean", "lowest", "highest")
BRIEF = {**test_experiment.PLAN, "steps": 1, "evaluate_at": (0, 1)}


def generator() -> np.random.Generator:
    """The same numbers for every submission."""
    return np.random.default_rng(7)


def seen(check: Callable[..., None], *given: Any) -> str:
    """What a check says, without the numbers in it; nothing where it passes."""
    try:
        check(*given)
    except Mismatch as mismatch:
        return re.sub(r"-?\d[\d.e-]*", "#", str(mismatch))
    except Raised as error:
        return f"raised {error.type}"
    return ""


def probing(check: Callable[..., None], *given: Any, random: bool = False) -> Callable[[Candidate], str]:
    """A probe that tells what a check says."""

    def asked(candidate: Candidate) -> str:
        return seen(check, candidate, *([generator()] if random else []), *given)

    return probe(asked)


shapes_of_logits = probing(test_models.test_each_arm_maps_ids_to_logits, random=True)
equal_starts = probing(test_models.test_the_arms_start_from_the_same_weights, 3)
draws_of_a_seed = probing(test_models.test_a_seed_draws_its_weights_whatever_was_drawn_before)
draws_of_a_block = probing(test_models.test_each_block_draws_its_own)
sizes_of_draws = probing(test_models.test_weights_are_as_torch_draws_them)
jobs_of_a_parameter = probing(test_models.test_no_parameter_does_two_jobs)
numbers_of_parameters = probing(test_models.test_positions_add_no_parameter)
sharing = probing(test_models.test_one_model_changes_and_the_others_do_not, random=True)
order_of_parts = probing(test_models.test_blocks_norm_and_head_in_turn, random=True)
mask = probing(test_models.test_later_tokens_change_nothing_before_them, "sinusoidal", random=True)
places_without_positions = probing(test_models.test_blocks_can_not_tell_equal_tokens_apart)
shape_of_windows = probing(test_evaluation.test_windows_are_tokens_in_a_row)
starts_of_windows = probing(test_evaluation.test_every_start_is_as_likely)
repeated_windows = probing(test_evaluation.test_the_same_windows_every_time)
windows_of_runs = probing(test_training.test_every_run_is_evaluated_on_the_same_windows, random=True)
global_generators = probing(test_evaluation.test_no_call_moves_a_global_generator, random=True)
mode_of_updates = probing(test_training.test_updates_happen_in_training_mode, random=True)
shape_of_batches = probing(test_training.test_a_batch_has_its_windows_of_the_training_split, random=True)
starts_of_batches = probing(test_training.test_every_start_is_as_likely_in_every_update, random=True)
batches_of_models = probing(test_training.test_batches_do_not_depend_on_the_model, random=True)
noise_of_a_run = probing(test_training.test_nobody_else_has_a_say_in_what_a_run_draws, random=True)
noise_and_evaluations = probing(test_training.test_evaluations_change_no_weight, random=True)
resumed_weights = probing(test_checkpoints.test_weights_and_optimizer_come_back, random=True)
resumed_streams = probing(test_checkpoints.test_batches_and_noise_go_on, random=True)
resumed_history = probing(test_checkpoints.test_step_and_history_come_back, False, random=True)
another_seed = probing(test_checkpoints.test_a_checkpoint_of_another_run_is_refused, {"seed": 5}, random=True)
another_rate = probing(test_checkpoints.test_a_checkpoint_of_another_run_is_refused, {"sequences": 3}, random=True)
results = probing(test_experiment.test_every_arm_with_every_seed)


@probe
def history_of_the_bigram(candidate: Candidate) -> bool:
    """Whether an earlier token has a say in what the bigram makes of a later one."""
    model = test_models.build(candidate, 11, 3)["bigram"]
    one, other = (np.asarray(model(np.array([ids]))) for ids in ([1, 2, 3], [4, 5, 3]))
    return bool(np.abs(one[0, 2] - other[0, 2]).max() > 1e-4)


@probe
def bigram_alone(candidate: Candidate) -> str:
    """What is said of the bigram's logits."""
    return seen(test_models.test_the_bigram_scores_from_the_last_token, candidate, generator())


@probe
def vectors(candidate: Candidate) -> list[bool]:
    """Which vectors undo those that are added: the right ones, halves, those counted from 1; by width and length."""

    def halves(length: int, width: int) -> Any:
        table = test_models.sinusoids(length, width)
        return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)

    def from_one(length: int, width: int) -> Any:
        return test_models.sinusoids(length + 1, width)[1:]

    found = []
    for length in (10, 4):
        model = test_models.build(candidate, 11, 3, width=8, context=10)["sinusoidal"]
        for table in (test_models.sinusoids, halves, from_one):
            rows = np.full((11, 8), 0.5) + np.linspace(-1, 1, 8)
            rows[:length] -= table(length, 8)
            candidate.attribute(model, "token_embedding").load_state_dict({"weight": tensor(rows.astype("float32"))})
            logits = np.asarray(model(np.arange(length)[None]))
            found.append(bool(np.allclose(logits, logits[:, :1], atol=2e-3)))
    return found


@probe
def losses_of_splits(candidate: Candidate) -> list[float]:
    """Both losses of a fixed table on fixed windows."""
    table = random_table(generator(), VOCABULARY)
    model = candidate.support("tiny_models").Bigram(tensor(table))
    given = {"train": as_windows(np.array([1, 3]), CONTEXT), "validation": as_windows(np.array([TRAIN + 2]), CONTEXT)}
    return [round(loss, 3) for loss in losses(candidate, model, given).values()]


@probe
def modes_of_an_evaluation(candidate: Candidate) -> list[Any]:
    """Mode and recording of an evaluation's calls, and the mode afterwards, for both modes before it."""
    tiny = candidate.support("tiny_models")
    found: list[Any] = []
    for training in (True, False):
        model = tiny.Watched(tiny.Bigram(tensor(random_table(generator(), VOCABULARY))), "modes")
        model.train(training)
        candidate.evaluate(model, {split: as_windows(np.array([1]), CONTEXT) for split in SPLITS})
        found += sorted({(call["training"], call["recorded"]) for call in tiny.calls("modes")})
        found.append(candidate.value(model, "training"))
    return found


@probe
def tables_after_updates(candidate: Candidate) -> list[list[float]]:
    """Weights with a gradient and without, after some updates on a corpus of one token."""
    table = table_for(generator())
    found = []
    for parts in ([1], [4], [2, 2]):
        run = start(candidate, table, given=test_checkpoints.CONSTANT)
        for part in parts:
            run.training.advance(part)
        found.append([round(float(run.table[row, row]), 3) for row in (5, 6)])
    return found


@probe
def divided(candidate: Candidate) -> bool:
    """Whether the weights after some updates are the same however many calls they took."""
    tables = []
    for parts in ([4], [2, 2]):
        run = start(candidate, table_for(generator()))
        for part in parts:
            run.training.advance(part)
        tables.append(run.table)
    return bool(np.allclose(*tables, rtol=0, atol=1e-4))


@probe
def steps_with_an_entry(candidate: Candidate) -> list[Any]:
    """The steps of a history after some calls, and of one that few steps are asked for."""
    run, few = (start(candidate, table_for(generator()), evaluate_at=asked) for asked in ((0, 2, 6), (1, 6)))
    for part in (0, 2, 1):
        run.training.advance(part)
    few.training.advance(6)
    return [run.steps, few.steps]


@probe
def what_an_entry_is_of(candidate: Candidate) -> list[str]:
    """For each loss of an entry: which split it is of, and whether before the update or after."""
    fixed = windows(candidate, splits())
    run = start(candidate, table_for(generator()))
    tables = []
    for part in (0, 1, 1):
        run.training.advance(part)
        tables.append(run.table)
    entry, found = run.history[-1], []
    for split in SPLITS:
        known = {
            f"{other}, {when}": cross_entropy(table, *fixed[other])
            for other in SPLITS
            for when, table in (("before", tables[1]), ("after", tables[2]))
        }
        found.append(min(known, key=lambda name: abs(known[name] - entry[split])))
        if abs(known[found[-1]] - entry[split]) > 1e-4:
            found[-1] = "another"
    return found


def first_entries(candidate: Candidate, train: int, validation: int) -> list[bool]:
    """For each run, whether it starts from the models of its seed on the fixed windows."""
    given, plan = splits(train, validation), BRIEF
    where = f"{test_experiment.folder(candidate)}/new"
    found = candidate.run_experiment(given, VOCABULARY, protocol(candidate, **plan), where)
    histories = test_experiment.by_run(test_experiment.results(plain(candidate, "dict", found)))
    fixed = windows(candidate, given, **plan)
    same = []
    for seed in plan["seeds"]:
        for arm, model in test_experiment.build(candidate, VOCABULARY, seed, **plan).items():
            right = losses(candidate, model, sent(fixed))
            same.append(abs(histories[arm, seed][0]["validation"] - right["validation"]) < 1e-4)
    return same


@probe
def starts_of_runs(candidate: Candidate) -> list[bool]:
    """Which runs start as they should."""
    return first_entries(candidate, TRAIN, VOCABULARY - TRAIN)


@probe
def starts_with_one_window(candidate: Candidate) -> list[bool]:
    """Which runs start as they should where there is one window only, so that none can be another."""
    return first_entries(candidate, CONTEXT + 1, CONTEXT + 1)


@probe
def batches_of_runs(candidate: Candidate) -> str:
    """What is said of the entries of runs."""
    return seen(test_experiment.test_each_run_has_the_batches_of_its_seed, candidate)


@probe
def after_an_interruption(candidate: Candidate) -> list[Any]:
    """Whether an exception comes through, and how many entries are reported before and after it."""
    stop, go = (candidate.support("interruption").StopAfter(count) for count in (5, 0))
    where, raised = f"{test_experiment.folder(candidate)}/broken", False
    for report in (stop, go):
        try:
            candidate.run_experiment(splits(), VOCABULARY, protocol(candidate, **BRIEF), where, report)
        except Raised:
            raised = True
    return [raised, len(stop.noted()), len(go.noted())]


@probe
def summary_of_arms(candidate: Candidate) -> Any:
    """The summary of fixed runs: its arms."""
    found = plain(candidate, "dict", candidate.summarize(invented(generator(), [42, 43, 44])))
    return [found["arms"][arm][split][name] for arm in ("bigram", "blocks") for split in SPLITS for name in ENDS]


@probe
def summary_of_contrasts(candidate: Candidate) -> Any:
    """The summary of fixed runs: its contrasts."""
    found = plain(candidate, "dict", candidate.summarize(invented(generator(), [42, 43, 44])))["contrasts"]
    return [
        sorted(found),
        [[found[name]["differences"]["43"], *(found[name][end] for end in ENDS)] for name in CONTRASTS],
    ]


@probe
def refusals(candidate: Candidate) -> list[str]:
    """What a missing run and a short one meet."""
    found = []
    for what in ("missing", "short"):
        results = invented(generator(), [42, 43, 44])
        if what == "missing":
            del results["runs"][4]
        else:
            results["runs"][4]["history"].pop()
        try:
            candidate.summarize(results)
            found.append("taken")
        except Raised as error:
            found.append(error.type)
    return found


@probe
def words_of_tables(candidate: Candidate) -> list[Any]:
    """Whether the tables claim too much, speak of ranges, and name the unit."""
    text = rendered(candidate, invented(generator(), [42, 43, 44]))
    cells = [" | ".join(row) for row in lines(text)]
    return [any(map(CLAIMS.search, cells)), "range" in text.lower(), "range" in " ".join(cells).lower(), "nats" in text]


@probe
def numbers_of_tables(candidate: Candidate) -> list[int]:
    """How many decimals the tables have, and how many cells their rows."""
    text = rendered(candidate, invented(generator(), [42, 43, 44]))
    decimals = sorted({len(each) for each in re.findall(r"\.(\d+)", text)})
    return [*decimals, *sorted({len(row) for row in lines(text)})]
