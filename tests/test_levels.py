"""Promises about the levels of a text: a pure function of ticks, in order, all within reach, and said in words."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.rubric import levels
from grader.rubric.levels import Counts, Level, Levels, Needs, Observable, check, counts
from grader.rubric.spec import KnownWrong, TextAnswer
from grader.specfile import Misfit

KIND_OF = {"r": "required", "o": "optional", "n": "negative"}


def points(kinds: str) -> list[Observable]:
    """Observables by their first letters: `rron` are two required ones, an optional and a negative one."""
    return [
        Observable.model_validate({"id": f"{kind}{place}", "says": f"Says {place}.", "kind": KIND_OF[kind]})
        for place, kind in enumerate(kinds)
    ]


def refusal(levels: Levels, kinds: str) -> Misfit:
    """What is wrong with levels for such observables."""
    with pytest.raises(Misfit) as caught:
        check(levels, points(kinds))
    return caught.value


# The function


@pytest.mark.parametrize(
    ("ticked", "level"),
    [
        ("", "not shown"),
        ("o2", "not shown"),
        ("n3", "not shown"),
        ("r0", "weak"),
        ("r0 o2", "weak"),
        ("r0 n3", "weak"),
        ("r0 n3 n4", "not shown"),
        ("r0 r1", "solid"),
        ("r0 r1 o2", "strong"),
        ("r0 r1 o2 n3", "weak"),
        ("r0 r1 o2 n3 n4", "not shown"),
    ],
)
def test_the_default_levels_are_what_the_manual_says(ticked: str, level: str) -> None:
    assert Levels().of(points("rronn"), ticked.split()) == level


def test_there_are_four_levels_in_order_and_none_in_the_middle() -> None:
    assert [level.rank for level in Level] == [0, 1, 2, 3]
    assert list(Level) == ["not shown", "weak", "solid", "strong"]


def test_neither_the_order_of_ticks_nor_a_tick_made_twice_matters() -> None:
    for ticked in (["r0", "r1", "o2"], ["o2", "r1", "r0"], ["r0", "r0", "r1", "o2"], {"r0", "r1", "o2"}):
        assert Levels().of(points("rro"), ticked) is Level.STRONG
    assert Levels().of(points("rro"), ["r0", "r0"]) is Level.WEAK


def test_levels_are_told_in_words() -> None:
    assert Levels().told() == [
        "strong: every required point, at least 1 optional point and no negative point",
        "solid: every required point and no negative point",
        "weak: at least 1 required point and at most 1 negative point",
        "not shown: anything else",
    ]


@pytest.mark.parametrize(
    ("needs", "told"),
    [
        (Needs(required=2, optional=2), "at least 2 required points, at least 2 optional points and no negative point"),
        (Needs(optional=1, negative=2), "at least 1 optional point and at most 2 negative points"),
        (Needs(required="all"), "every required point and no negative point"),
        (Needs(), "no negative point"),
    ],
)
def test_what_a_level_needs_is_told_in_words(needs: Needs, told: str) -> None:
    assert needs.told() == told


# What the spec is held to


@pytest.mark.parametrize("kinds", ["rro", "rron", "rrron", "ron", "rroon"])
def test_the_default_levels_suit_usual_rubrics(kinds: str) -> None:
    check(Levels(), points(kinds))


@pytest.mark.parametrize(
    ("given", "kinds", "told", "location"),
    [
        (Levels(), "rrn", "strong needs 1 optional point, and there is none", ("strong", "optional")),
        (
            Levels(solid=Needs(required=3)),
            "rro",
            "solid needs 3 required points, and there are 2",
            ("solid", "required"),
        ),
        (Levels(strong=Needs(required=1, optional=2)), "ron", "strong needs 2 optional points, and there is 1", None),
        (Levels(solid=Needs(required=1), weak=Needs(required=1)), "rro", "solid needs the same as weak", ("weak",)),
        (Levels(solid=Needs(required=2), strong=Needs(required="all")), "rro", "strong needs the same as solid", None),
        (Levels(strong=Needs(required=1, optional=1)), "rro", "strong needs fewer required points than solid", None),
        (Levels(solid=Needs(required=1, optional=2)), "rroo", "strong needs fewer optional points than solid", None),
        (
            Levels(strong=Needs(required="all", optional=1, negative=1)),
            "rron",
            "strong puts up with more than solid",
            None,
        ),
        (Levels(), "ro", "weak is never given, whatever is ticked", ("weak",)),
        (Levels(weak=Needs(negative=1)), "rro", "weak is given to an answer in which nothing is ticked", ("weak",)),
        (Levels(weak=Needs(optional=1)), "oon", "solid needs fewer optional points than weak", None),
        (
            Levels(weak=Needs(), solid=Needs(optional=1), strong=Needs(optional=2)),
            "oon",
            "weak is given to an answer in which nothing is ticked",
            ("weak",),
        ),
    ],
)
def test_levels_that_make_no_sense_are_refused_with_their_place(
    given: Levels, kinds: str, told: str, location: tuple[str, ...] | None
) -> None:
    found = refusal(given, kinds)
    assert str(found).startswith(told)
    assert found.location[0] == "levels"
    if location is not None:
        assert found.location == ("levels", *location)


def test_a_function_that_a_point_would_lower_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Needs can't say such a thing; the check would see it if they could."""
    whole = Needs.holds
    monkeypatch.setattr(Needs, "holds", lambda self, there, ticked: ticked[1] < 2 and whole(self, there, ticked))
    assert str(refusal(Levels(), "rroo")) == "one more optional point turns weak into not shown"


def test_a_function_that_a_mistake_would_raise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Needs.holds

    def odd(self: Needs, there: Counts, ticked: Counts) -> bool:
        return ticked == (0, 0, 2) or whole(self, there, ticked)

    monkeypatch.setattr(Needs, "holds", odd)
    assert "negative point turns not shown into strong" in str(refusal(Levels(), "rronn"))


KINDS = st.text("ron", min_size=levels.LEAST, max_size=levels.MOST)
NEEDS = st.builds(
    Needs, required=st.integers(0, 3) | st.just("all"), optional=st.integers(0, 2), negative=st.integers(0, 2)
)


@given(st.builds(Levels, strong=NEEDS, solid=NEEDS, weak=NEEDS), KINDS, st.data())
def test_a_point_never_lowers_a_level_and_a_mistake_never_raises_one(
    given_levels: Levels, kinds: str, data: st.DataObject
) -> None:
    """Of any levels at all, also of those that the spec refuses for other reasons."""
    there = points(kinds)
    ticked = data.draw(st.sets(st.sampled_from([each.id for each in there])))
    more = data.draw(st.sampled_from(there))
    before, after = given_levels.of(there, ticked), given_levels.of(there, {*ticked, more.id})
    assert (after.rank <= before.rank) if more.kind == "negative" else (after.rank >= before.rank)


@given(st.builds(Levels, strong=NEEDS, solid=NEEDS, weak=NEEDS), KINDS)
def test_what_is_accepted_reaches_every_level_and_gives_nothing_for_nothing(given_levels: Levels, kinds: str) -> None:
    there = points(kinds)
    ids = [each.id for each in there]
    by_ticks = {
        given_levels.of(there, [id for id, on in zip(ids, ticks, strict=True) if on])
        for ticks in product((False, True), repeat=len(ids))
    }
    try:
        check(given_levels, there)
    except Misfit:
        return
    assert by_ticks == set(Level)
    assert given_levels.of(there, []) is Level.NOT_SHOWN
    assert given_levels.of(there, [each.id for each in there if each.kind != "negative"]) is Level.STRONG


@given(KINDS, st.data())
def test_the_level_depends_on_counts_alone(kinds: str, data: st.DataObject) -> None:
    there = points(kinds)
    ticked = data.draw(st.sets(st.sampled_from([each.id for each in there])))
    assert Levels().of(there, ticked) is Levels().at(counts(there), counts(there, ticked))


# The answer that has them


def text(**changes: object) -> TextAnswer:
    """A text with two required points, an optional and a negative one, or as changed."""
    fields = {
        "id": "why",
        "kind": "text",
        "level": "L2 Working",
        "prompt": "Why?",
        "expected": "Because.",
        "observables": [each.model_dump() for each in points("rron")],
    }
    return TextAnswer.model_validate({**fields, **changes})


def test_a_known_wrong_answer_may_come_to_weak_and_not_to_solid() -> None:
    wrong = {"says": "No.", "rebuttal": "Yes."}
    kept = text(known_wrong=[{**wrong, "ticks": ["r0", "n3"]}, {**wrong, "ticks": ["n3"]}, wrong])
    assert [kept.level_of(each.ticks) for each in kept.known_wrong] == ["weak", "not shown", "not shown"]
    with pytest.raises(ValueError, match="a known wrong answer comes to solid; it may come to weak at most"):
        text(known_wrong=[{**wrong, "ticks": ["r0", "r1"]}])
    with pytest.raises(ValueError, match="'r9' is not an observable"):
        text(known_wrong=[{**wrong, "ticks": ["r9"]}])
    assert KnownWrong(says="No.", rebuttal="Yes.").ticks == []


def test_a_text_that_has_no_observables_yet_is_read_and_shows_nothing() -> None:
    """So a question can be drafted; `grader validate` asks for them."""
    bare = text(observables=[], known_wrong=[{"says": "No.", "rebuttal": "Yes."}])
    assert bare.level_of([]) is Level.NOT_SHOWN


def test_the_rubric_changes_with_all_that_a_mark_depends_on_and_with_nothing_else() -> None:
    same = [
        text(),
        text(expected="Another."),
        text(level="L3 Senior"),
        text(roles=["Tester"]),
        text(observables=[{**each.model_dump(), "terms": ["x"]} for each in points("rron")]),
        text(levels=Levels().model_dump()),
    ]
    assert len({each.rubric for each in same}) == 1
    other = [
        text(prompt="How?"),
        text(observables=[each.model_dump() for each in points("rroo")]),
        text(observables=[{**each.model_dump(), "says": f"{each.says}!"} for each in points("rron")]),
        text(levels={"weak": {"required": 1, "negative": 0}}),
    ]
    assert len({text().rubric, *(each.rubric for each in other)}) == 5
    assert len(text().rubric) == 12
