"""How many wrong grades the second reader finds, on questions that its weights have not seen; then weights and card.

    python -m benchmarks.second_reader --saf saf-2.0.zip

Of the answers to a question, a tenth gets a wrong grade by chance. The second reader, with weights fitted on all other
questions, names a tenth of the grades; the wrong ones among them are found. At the end the weights are fitted on all
questions and written to grader/reread/weights.json, and what was measured to docs/second-reader.md. The same archive
gives the same two files. No text of an answer gets into either.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks import saf, second_reader_card
from grader.errors import GraderError
from grader.reread import signals
from grader.reread.guards import guards
from grader.reread.likeness import Matrix
from grader.reread.reader import SHARE, most_suspect
from grader.reread.signals import SIGNALS, Ranks, Readings
from grader.reread.weights import FILE, Weight, Weights
from grader.reread.words import words

ROOT: Final = Path(__file__).resolve().parent.parent
CARD: Final = ROOT / "docs" / "second-reader.md"
MEASURED: Final = range(10)  # seeds; the ones that weights are fitted on are others
FITTED: Final = range(1000, 1004)
SMALL: Final = (8, 16, 32)  # answers that are drawn of each question, to see how it does with few
SMALL_SEEDS: Final = range(20)
RIDGE: Final = 1.0
STEPS: Final = 50
RESAMPLES: Final = 2000

Flags = NDArray[np.bool_]


# Wrong grades

Err = Callable[[Ranks, int, np.random.Generator], int]


def any_other(ranks: Ranks, at: int, rng: np.random.Generator) -> int:
    """Any other level, each as likely."""
    return int(rng.choice([level for level in range(signals.LEVELS) if level != ranks[at]]))


def next_level(ranks: Ranks, at: int, rng: np.random.Generator) -> int:
    """One level up or down."""
    beside = (int(ranks[at]) - 1, int(ranks[at]) + 1)
    return int(rng.choice([level for level in beside if 0 <= level < signals.LEVELS]))


def as_others(ranks: Ranks, at: int, rng: np.random.Generator) -> int:
    """Another level, as often as the question's answers got it, so that a wrong grade is not simply a rare one."""
    given = ranks[ranks != ranks[at]]
    return int(rng.choice(given)) if len(given) else any_other(ranks, at, rng)


WAYS: Final[dict[str, Err]] = {"any other level": any_other, "one level up or down": next_level, "as others": as_others}
MAIN: Final = "any other level"


def with_errors(ranks: Ranks, err: Err, rng: np.random.Generator) -> tuple[Ranks, Flags]:
    """The grades with a tenth of them wrong, at least one, and which those are."""
    wrong = np.zeros(len(ranks), dtype=bool)
    wrong[rng.choice(len(ranks), max(1, round(SHARE * len(ranks))), replace=False)] = True
    return np.array([err(ranks, at, rng) if wrong[at] else rank for at, rank in enumerate(ranks)]), wrong


@dataclass(frozen=True)
class Trial:
    """The signals of one question's grades with wrong ones among them, (n, len(SIGNALS)), and which are wrong, (n,)."""

    signals: Matrix
    wrong: Flags


@functools.cache
def readings_of(question: saf.Question) -> Readings:
    """What is read off all answers to a question."""
    return Readings.of([answer.text for answer in question.answers], question.expected, question.prompt)


def trials(question: saf.Question, place: int, err: Err, seeds: Iterable[int], size: int | None = None) -> list[Trial]:
    """A trial for each seed: of all answers, or of so many that are drawn."""
    ranks = np.array([answer.level.rank for answer in question.answers])
    texts = [answer.text for answer in question.answers]
    found = []
    for seed in seeds:
        rng = np.random.default_rng([seed, place])
        at = np.arange(len(ranks)) if size is None else np.sort(rng.choice(len(ranks), size, replace=False))
        drawn = [texts[each] for each in at]
        readings = Readings.of(drawn, question.expected, question.prompt) if size else readings_of(question)
        graded, wrong = with_errors(ranks[at], err, rng)
        found.append(Trial(signals.of(readings, graded), wrong))
    return found


# Weights


def fit(some: Sequence[Trial], provenance: dict[str, object]) -> Weights:
    """Ridge logistic regression of `wrong` on the signals, by Newton's method."""
    every = np.concatenate([trial.signals for trial in some])
    wrong = np.concatenate([trial.wrong for trial in some]).astype(float)
    usual, spread = every.mean(axis=0), every.std(axis=0)
    x = np.column_stack([(every - usual) / spread, np.ones(len(every))])
    penalty = np.diag([*([RIDGE] * len(SIGNALS)), 0.0])
    w = np.zeros(len(SIGNALS) + 1)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ w))
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + penalty, x.T @ (p - wrong) + penalty @ w)
        w -= step
        if abs(step).max() < 1e-8:
            break
    each = zip(SIGNALS, usual, w[:-1] / spread, strict=True)
    return Weights({name: Weight(round(float(u), 4), round(float(v), 4)) for name, u, v in each}, provenance)


# Measurement


@dataclass(frozen=True)
class Found:
    """Counts over some trials: wrong grades that were named, wrong grades, named grades, and all grades."""

    hits: int
    wrong: int
    named: int
    grades: int


@dataclass(frozen=True)
class Rate:
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float


def found(some: Sequence[Trial], suspicion: Callable[[Matrix], signals.Vector]) -> Found:
    """What a way of ranking finds in some trials."""
    named = [most_suspect(suspicion(trial.signals)) for trial in some]
    hits = sum(int(trial.wrong[at].sum()) for trial, at in zip(some, named, strict=True))
    wrong = sum(int(trial.wrong.sum()) for trial in some)
    return Found(hits, wrong, sum(map(len, named)), sum(len(trial.wrong) for trial in some))


def by_weights(weights: Weights) -> Callable[[Matrix], signals.Vector]:
    """The second reader's ranking."""
    return lambda matrix: np.asarray(weights.parts(matrix).sum(axis=1))


def by_rarity(matrix: Matrix) -> signals.Vector:
    """The ranking to beat: the grade first that fewest answers got."""
    return np.asarray(matrix[:, SIGNALS.index("rare")])


def rate(counts: Sequence[Found], part: str, whole: str) -> Rate:
    """Sum of one count over sum of another, with a percentile bootstrap over questions."""
    pairs = np.array([(getattr(each, part), getattr(each, whole)) for each in counts], dtype=float)
    drawn = np.random.default_rng(0).integers(len(pairs), size=(RESAMPLES, len(pairs)))
    sums = pairs[drawn].sum(axis=1)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    total = pairs.sum(axis=0)
    return Rate(float(total[0] / total[1]), float(low), float(high))


def left_out_weights(questions: Sequence[saf.Question], seeds: Iterable[int] = FITTED) -> tuple[list[Weights], Weights]:
    """For each question the weights that were fitted on all the others; then those fitted on all."""
    seeds = list(seeds)
    training = [
        [trial for err in WAYS.values() for trial in trials(question, place, err, seeds)]
        for place, question in enumerate(questions)
    ]
    others = [
        fit([trial for at, some in enumerate(training) if at != place for trial in some], {})
        for place in range(len(questions))
    ]
    answers = sum(len(question.answers) for question in questions)
    provenance: dict[str, object] = {
        "data": "SAF 2.0, English part (Filighera et al., ACL 2022)",
        "licence": "MIT",
        "questions": len(questions),
        "answers": answers,
        "fitted": "ridge logistic regression on grades of which a tenth was made wrong by chance",
        "ways": list(WAYS),
        "seeds": seeds,
        "command": "python -m benchmarks.second_reader --saf saf-2.0.zip",
    }
    return others, fit([trial for some in training for trial in some], provenance)


@dataclass(frozen=True)
class Measured:
    """All that the card tells.

    Attributes:
        questions: what it was measured on.
        weights: fitted on all questions.
        full: by way of erring, what was found in each question by weights of the others.
        rarity: the same, for the ranking by rarity.
        small: by number of answers that were graded, the same as `full` for the main way.
        firing: for correct answers and the others, how often each guard spoke; `any` for alarms, `answers` for all.
        caught: by guard, the share of texts made to be caught by it that were.
    """

    questions: list[saf.Question]
    weights: Weights
    full: dict[str, list[Found]]
    rarity: dict[str, list[Found]]
    small: dict[int, list[Found]]
    firing: dict[bool, dict[str, int]]
    caught: dict[str, float]


def firing(questions: Sequence[saf.Question]) -> dict[bool, dict[str, int]]:
    """How often each guard speaks, of answers that were called correct and of the others."""
    counts: dict[bool, dict[str, int]] = {True: {}, False: {}}
    for question in questions:
        for answer in question.answers:
            spoke = guards(answer.text, question.expected, question.prompt)
            any_alarm = ["any"] if any(guard.alarm for guard in spoke) else []
            for id in ("answers", *any_alarm, *(guard.id for guard in spoke)):
                counts[answer.correct][id] = counts[answer.correct].get(id, 0) + 1
    return counts


def attempts(question: saf.Question, rng: np.random.Generator) -> dict[str, str]:
    """Texts that try to look like an answer, by the guard that should speak of each."""
    said = [question.expected[word.start : word.end] for word in words(question.expected)]
    telling = dict.fromkeys(word.text for word in words(question.expected) if word.tells)
    return {
        "copied-reference": question.expected,
        "question-echoed": question.prompt,
        "shuffled-words": " ".join(rng.permutation(said)),
        "keyword-list": ", ".join(telling),
        "too-short": " ".join(said[:2]),
    }


def caught(questions: Sequence[saf.Question]) -> dict[str, float]:
    """The share of attempts that the guard which is there for them speaks of."""
    counts: dict[str, list[bool]] = {}
    for question in questions:
        for id, text in attempts(question, np.random.default_rng(0)).items():
            spoke = {guard.id for guard in guards(text, question.expected, question.prompt)}
            counts.setdefault(id, []).append(id in spoke)
    return {id: sum(each) / len(each) for id, each in counts.items()}


def measure(questions: list[saf.Question], say: Callable[[str], None]) -> Measured:
    """Everything, in a minute or two."""
    say(f"{len(questions)} questions; fitting weights, each time without one of them")
    others, whole = left_out_weights(questions)
    full: dict[str, list[Found]] = {}
    rarity: dict[str, list[Found]] = {}
    for way, err in WAYS.items():
        some = [trials(question, place, err, MEASURED) for place, question in enumerate(questions)]
        full[way] = [found(each, by_weights(weights)) for each, weights in zip(some, others, strict=True)]
        rarity[way] = [found(each, by_rarity) for each in some]
        say(f"wrong by {way}: found {rate(full[way], 'hits', 'wrong').value:.0%}")
    small = {
        size: [
            found(trials(question, place, WAYS[MAIN], SMALL_SEEDS, size), by_weights(weights))
            for place, (question, weights) in enumerate(zip(questions, others, strict=True))
        ]
        for size in SMALL
    }
    say("counting how often guards speak")
    return Measured(questions, whole, full, rarity, small, firing(questions), caught(questions))


def main() -> int:
    """Measure, and write the two files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--saf", type=Path, required=True, metavar="PATH", help="SAF2_0.zip, as it is published")
    parser.add_argument("--weights", type=Path, default=FILE, help="where the weights go")
    parser.add_argument("--card", type=Path, default=CARD, help="where the model card goes")
    options = parser.parse_args()
    try:
        measured = measure(saf.read(options.saf), lambda line: print(line, flush=True))
    except GraderError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    options.weights.write_text(measured.weights.text(), "utf-8")
    options.card.write_text(second_reader_card.text(measured), "utf-8")
    print(f"wrote {options.weights} and {options.card}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
