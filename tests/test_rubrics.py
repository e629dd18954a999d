"""Promises about the rubrics of the bank: each tells its right answers from its known wrong ones by ticks alone.

Below are the points that an honest person ticks in each reference answer. They are written down here and not in the
questions, so that a rubric that drifts from its reference shows.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from grader.bank import Bank
from grader.question import Question
from grader.rubric import answersheet
from grader.rubric.levels import Level, Levels, Needs, Observable
from grader.rubric.spec import KnownWrong, TextAnswer

Case = tuple[Question, TextAnswer]

LEVELS: Final = ("L2 Working", "L3 Senior")
LONGEST_POINT: Final = 130  # characters; a longer one isn't read in seconds

CASES: Final[list[Case]] = [
    (question, answer)
    for question in Bank.find().finished()
    for answer in question.spec.answers
    if isinstance(answer, TextAnswer)
]
each_text: Final = pytest.mark.parametrize(
    ("question", "answer"), CASES, ids=[f"{question.id}-{answer.id}" for question, answer in CASES]
)

TICKED_IN_REFERENCE: Final = {
    "swap-learned-positions": {
        "why_forward_unchanged": ["rows-are-added", "same-shape", "blocks-cannot-tell"],
        "why_interleave": ["neighbours-are-a-pair", "not-interchangeable", "fresh-model-takes-either"],
        "what_base_controls": ["lowest-frequency", "longest-range", "first-pair-stays"],
        "next_position_scheme": ["names-rotary", "replaces-the-added-table", "queries-and-keys", "rest-stays"],
        "what_is_lost": ["learning-is-lost", "any-length-is-gained", "unseen-positions"],
    },
    "causal-multi-head-attention": {
        "why_divide": ["scores-grow", "softmax-saturates", "gradients-vanish"],
        "mask_before_softmax": ["denominator", "future-leaks", "rows-short-of-one", "scores-first"],
        "why_transpose": ["memory-order", "heads-mix-tokens", "split-then-transpose"],
        "decoding_mask": ["first-key-only", "every-key", "aligned-to-the-end"],
    },
    "context-cross-evaluation": {
        "rows_and_columns": ["row-same-weights", "column-same-input", "diagonal-mixes"],
        "why_from_zero": ["as-in-training", "last-rows-long-history", "measures-something-else"],
        "not_lower": ["only-this-setup", "not-useless", "next-step", "a-reason"],
    },
    "fair-comparison": {
        "why_local_generators": ["disturbs-training", "repeats", "seeding-resets-training"],
        "why_same_windows": ["windows-differ", "cancels-in-the-difference", "fewer-windows"],
        "what_a_gap_means": ["not-the-architecture", "several-seeds", "trained-alike", "size-beside-loss"],
    },
    "language-model-positions": {
        "same_keys_same_model": ["same-keys", "wrong-table-loads", "values-never-compared"],
        "strict_loading": ["it-raises", "copies-first", "kinds-not-named"],
        "past_training_length": ["only-computable", "never-trained-there", "measure-it"],
        "no_positions": ["mask-gives-order", "prefix-is-a-set", "deeper-layers-build"],
    },
    "paired-position-experiment": {
        "first_contrast": ["package-better", "several-changes", "other-arms-needed"],
        "three_seeds": ["only-extremes", "writes-mean-and-range", "interval-wider"],
        "why_pairs": ["shared-luck-cancels", "not-everything", "more-seeds-still"],
        "order_without_positions": ["mask-breaks-symmetry", "later-blocks-read-it", "one-block-bag"],
        "no_difference": ["this-set-up", "no-proof-of-none", "mask-gives-order"],
    },
    "positional-encodings": {
        "why_rotation_helps": ["one-map", "by-distance", "holds-everywhere"],
        "why_offset_is_silent": ["row-zero", "shape-fits", "whole-pass-shows-it"],
        "past_the_end": ["learned-has-none", "sinusoidal-goes-on", "worse-untrained"],
        "added_or_rotated": ["queries-and-keys", "distance-only", "in-every-layer"],
    },
    "post-norm-block": {
        "why_residual": ["learns-a-change", "gradient-passes", "far-layers-learn"],
        "position_wise": ["through-attention", "input-is-mixed", "next-block-mixes"],
        "why_two_norms": ["own-gain-and-bias", "different-readers", "normalising-keeps-nothing"],
        "pre_or_post": ["trains-more-easily", "one-more-norm", "path-without-norms"],
    },
    "rotary-positions": {
        "why_offset_only": ["common-turn", "difference-is-left", "pair-by-pair"],
        "why_not_values": ["weights-hold-the-distance", "output-would-be-absolute", "nothing-turns-back"],
        "which_weights": ["query-and-key-rows", "values-and-output-stay", "runs-and-is-wrong", "head-by-head"],
        "longer_context": ["slow-pairs-unseen", "names-a-remedy", "price-of-dividing"],
    },
    "tied-head-count": {
        "another_total": ["query-key-value-biases", "difference-counted", "output-bias-stays"],
        "why_identity": ["one-object-two-names", "equal-by-coincidence", "state-by-object"],
        "what_tying_saves": ["saves-one-matrix", "computes-as-much", "optimizer-state-too"],
        "one_storage_two_parameters": ["counted-as-two", "stored-once", "two-updates", "can-part"],
    },
    "training-loop": {
        "eval_and_no_grad": [
            "eval-changes-layers",
            "no-grad-stops-recording",
            "each-leaves-the-other",
            "saves-memory",
        ],
        "rebuilt_optimizer": ["sign-step", "still-downhill", "corrections-cancel"],
        "two_losses": ["little-from-one-entry", "measured-differently", "curves-tell"],
    },
    "transformer-stack": {
        "same_block_six_times": ["one-block", "one-set-of-parameters", "goes-unnoticed"],
        "copied_blocks": ["equal-at-the-start", "drift-apart", "another-initialisation"],
        "why_not_sequential": ["tuple-arrives", "when-it-would-do", "maps-lost"],
    },
}

# Answers in the right words with the roles exchanged, and what is ticked in each as written.
ROLES_EXCHANGED: Final = {
    "why_forward_unchanged": (
        "The model adds the rows and nothing else. Their values must be those of before; their shape is free.",
        ["rows-are-added", "values-must-agree"],
    ),
    "why_interleave": (
        "In halves, neighbouring columns form one rotation, and interleaved ones do not. Checkpoints don't mix.",
        ["not-interchangeable"],
    ),
    "what_base_controls": (
        "The highest frequency, and so the shortest range of positions before the fastest columns repeat.",
        ["fast-instead-of-slow"],
    ),
    "next_position_scheme": (
        "RoPE takes the place of the added table: it rotates embeddings and values, never queries or keys.",
        ["names-rotary", "replaces-the-added-table", "acts-elsewhere"],
    ),
    "what_is_lost": ("It loses a table for any length and gets features that are learned from data.", []),
}


def answer_of(question: str, id: str) -> TextAnswer:
    """A text answer of the bank."""
    return next(answer for holder, answer in CASES if (holder.id, answer.id) == (question, id))


def reference_of(question: Question, answer: TextAnswer) -> str:
    """What the reference writes."""
    text = (question.solutions / "answers.yaml").read_text("utf-8")
    return answersheet.read(text, [each.id for each in question.spec.answers]).entries[answer.id][0].text


def ids_of(answer: TextAnswer, kind: str) -> list[str]:
    """The observables of one kind."""
    return [each.id for each in answer.observables if each.kind == kind]


def faults(answer: TextAnswer, roles: list[str], written: str) -> list[str]:
    """What is wrong with a rubric, as far as a program can tell; `written` holds right answers."""
    found = []
    required = ids_of(answer, "required")
    written = " ".join(written.split())
    if not 2 <= len(answer.observables) <= 5:
        found.append("not two to five observables")
    if not required:
        found.append("nothing is required")
    if answer.level not in LEVELS:
        found.append(f"no level is called {answer.level}")
    if not answer.roles or set(answer.roles) - set(roles):
        found.append("its roles are not some of the question's")
    if answer.level_of(required).rank < Level.SOLID.rank:
        found.append("all that is required is not solid")
    for negative in ids_of(answer, "negative"):
        everything = [*required, *ids_of(answer, "optional"), negative]
        if answer.level_of(everything).rank >= Level.SOLID.rank:
            found.append(f"solid in spite of {negative}")
    for point in answer.observables:
        if not point.terms:
            found.append(f"{point.id} highlights nothing")
        if any(term != term.lower() for term in point.terms):
            found.append(f"{point.id} has terms in capitals")
        if point.kind == "required" and not any(occurs(term, written) for term in point.terms):
            found.append(f"no right answer has a term of {point.id}")
        if not re.fullmatch(r"[A-Z].*[^.]\.", point.says) or re.search(r"[.;] [A-Z]", point.says):
            found.append(f"{point.id} is not one sentence")
        if len(point.says) > LONGEST_POINT:
            found.append(f"{point.id} takes too long to read")
    for wrong in answer.known_wrong:
        if "ticks" not in wrong.model_fields_set:
            found.append(f"it isn't said what is ticked in: {wrong.says}")
        elif answer.level_of(wrong.ticks).rank > Level.WEAK.rank:
            found.append(f"above weak: {wrong.says}")
    return found


def occurs(term: str, text: str) -> bool:
    """Whether a word of the text starts with the term."""
    return re.search(rf"(?<!\w){re.escape(term)}", text, re.IGNORECASE) is not None


@each_text
def test_a_rubric_is_fit_to_mark_with(question: Question, answer: TextAnswer) -> None:
    written = f"{answer.expected}\n{reference_of(question, answer)}"
    assert faults(answer, question.spec.roles, written) == []


@each_text
def test_the_reference_answer_is_strong(question: Question, answer: TextAnswer) -> None:
    ticked = TICKED_IN_REFERENCE[question.id][answer.id]
    assert set(ticked) <= {each.id for each in answer.observables}
    assert answer.level_of(ticked) is Level.STRONG


@each_text
def test_one_required_point_less_is_less(question: Question, answer: TextAnswer) -> None:
    ticked = TICKED_IN_REFERENCE[question.id][answer.id]
    for missing in ids_of(answer, "required"):
        assert answer.level_of([each for each in ticked if each != missing]).rank < Level.STRONG.rank


@pytest.mark.parametrize(("id", "ticked"), TICKED_IN_REFERENCE["swap-learned-positions"].items())
def test_half_of_what_is_asked_is_not_solid(id: str, ticked: list[str]) -> None:
    """The first two points of each are what the prompt asks for."""
    answer = answer_of("swap-learned-positions", id)
    for missing in ticked[:2]:
        assert answer.level_of([each for each in ticked if each != missing]) is Level.WEAK


@each_text
def test_every_mistake_of_a_rubric_is_one_that_interviewers_hear(question: Question, answer: TextAnswer) -> None:
    named = set(ids_of(answer, "negative"))
    assert named, question.id
    assert len(answer.known_wrong) >= 2
    assert named <= {tick for wrong in answer.known_wrong for tick in wrong.ticks}, "a mistake that nobody makes"


@pytest.mark.parametrize("id", ROLES_EXCHANGED)
def test_an_answer_with_exchanged_roles_is_below_solid(id: str) -> None:
    answer = answer_of("swap-learned-positions", id)
    says, ticked = ROLES_EXCHANGED[id]
    assert set(ticked) <= {each.id for each in answer.observables}
    assert answer.level_of(ticked).rank < Level.SOLID.rank, says
    assert ticked in [wrong.ticks for wrong in answer.known_wrong], "interviewers are not warned of it"


def test_exchanged_roles_are_known_for_every_text_of_the_swap() -> None:
    assert set(ROLES_EXCHANGED) == {answer.id for question, answer in CASES if question.id == "swap-learned-positions"}


def test_what_is_ticked_is_written_down_for_every_text_and_no_other() -> None:
    assert {(question, id) for question, texts in TICKED_IN_REFERENCE.items() for id in texts} == {
        (question.id, answer.id) for question, answer in CASES
    }


MELTS: Final = Observable(id="melts", says="Says that it melts ice.", terms=["melt"])
BRINE: Final = Observable(id="brine", kind="optional", says="Says that brine freezes later.", terms=["brine"])
WARMS: Final = Observable(id="warms", kind="negative", says="Says that salt is warm.", terms=["warm"])
TICKED: Final = KnownWrong(says="Salt is warm.", rebuttal="It isn't.", ticks=["warms"])
GOOD: Final = TextAnswer(
    id="why_salt",
    kind="text",
    level=LEVELS[0],
    roles=["Cook"],
    prompt="Why salt?",
    expected="Salt melts ice.",
    observables=[MELTS, BRINE, WARMS],
    known_wrong=[TICKED],
)


def with_point(**changes: Any) -> TextAnswer:
    """The good rubric with another required point; what the loader refuses too is let through here."""
    return GOOD.model_copy(update={"observables": [MELTS.model_copy(update=changes), BRINE, WARMS]})


def test_a_good_rubric_has_no_faults() -> None:
    assert faults(GOOD, ["Cook", "Gritter"], GOOD.expected) == []


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (GOOD.model_copy(update={"observables": []}), "not two to five observables"),
        (GOOD.model_copy(update={"observables": [BRINE, WARMS]}), "nothing is required"),
        (GOOD.model_copy(update={"level": "L9"}), "no level is called L9"),
        (GOOD.model_copy(update={"roles": []}), "its roles are not some of the question's"),
        (GOOD.model_copy(update={"roles": ["Sailor"]}), "its roles are not some of the question's"),
        (
            GOOD.model_copy(update={"levels": Levels(solid=Needs(required="all", optional=1))}),
            "all that is required is not solid",
        ),
        (
            GOOD.model_copy(update={"levels": Levels(solid=Needs(required="all", negative=1))}),
            "solid in spite of warms",
        ),
        (with_point(terms=[]), "melts highlights nothing"),
        (with_point(terms=["Melt"]), "melts has terms in capitals"),
        (with_point(terms=["elts"]), "no right answer has a term of melts"),
        (with_point(says="It melts. It is cold."), "melts is not one sentence"),
        (with_point(says="melts"), "melts is not one sentence"),
        (with_point(says=f"Says {'so ' * 50}."), "melts takes too long to read"),
        (
            GOOD.model_copy(update={"known_wrong": [KnownWrong(says="Warm.", rebuttal="No.")]}),
            "it isn't said what is ticked in: Warm.",
        ),
        (
            GOOD.model_copy(update={"known_wrong": [KnownWrong(says="Melts.", rebuttal="No.", ticks=["melts"])]}),
            "above weak: Melts.",
        ),
    ],
)
def test_a_fault_is_found(answer: TextAnswer, fault: str) -> None:
    assert fault in faults(answer, ["Cook", "Gritter"], GOOD.expected)
