"""Questions on disk: what is wrong with one is said with its place and a way out, and its digest covers every file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import TypeAdapter

from grader import bank, specfile
from grader.bank import Bank
from grader.errors import CallError, QuestionError
from grader.question import Question, Spec, schema
from grader.render import question as render
from grader.rubric.spec import Answer
from grader.scaffold.make import TEMPLATE

SPEC: Final = """\
# A comment, so that the first key is not on the first line.
id: double
version: 1
title: Double it
level: L1 Knowing
minutes: 5
roles: [Tester]
support: [helper.py]
parameters: {factor: 2, exact: no}
defines:
  - name: double
    kind: function
    signature: "(x)"
    gives: twice x
  - name: Doubler
    kind: class
    signature: "()"
    methods: {forward: "(x)"}
    gives: an object that doubles
limits: {call_cpu_seconds: 4, memory_mib: 512}
criteria:
  - id: small
    title: Small numbers are doubled
    points: 3
    required: true
    tell: Small numbers should be doubled.
  - id: large
    title: Large numbers are doubled
    points: 2
    rests_on: [small]
    tell: Large numbers should be doubled.
  - id: answered
    title: The answer is right
    points: 1
    tell: The answer should be an integer.
answers:
  - id: twice_two
    kind: integer
    criterion: answered
    prompt: What is twice two?
    expected: 4
    accepted:
      - value: 5
        note: Close enough.
  - id: why
    kind: text
    level: L1 Knowing
    prompt: Why?
    expected: Because.
misconceptions:
  - id: adds-two
    title: Adds two
    heard: Doubling adds two.
    why: Only for two.
    solution: wrong/adds-two.py
    fails: [small, large]
"""
REFERENCE: Final = "def double(x):\n    return 2 * x\n"


def written(root: Path, spec: str = SPEC, name: str = "double") -> Path:
    """A bank in `root` with one question, and its solutions beside it. The bank's folder."""
    folder, solutions = root / "questions" / name, root / "solutions" / name
    for path, text in {
        folder / "question.yaml": spec,
        folder / "prompt.md": "Double it.\n",
        folder / "skeleton.py": "def double(x): ...\n",
        folder / "helper.py": "FACTOR = 2\n",
        folder / "public" / "test_public.py": "def test_nothing(): ...\n",
        folder / "hidden" / "test_double.py": "def test_nothing(): ...\n",
        solutions / "reference.py": REFERENCE,
        solutions / "wrong" / "adds-two.py": "def double(x):\n    return x + 2\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder.parent


def load(root: Path) -> Question:
    """The question that `written` wrote."""
    return Question.load(root / "questions" / "double", root / "solutions" / "double")


def refusal(root: Path) -> str:
    """The error message for the question, without the path of the spec."""
    with pytest.raises(QuestionError) as caught:
        load(root)
    assert caught.value.exit_code == 2
    return str(caught.value).replace(f"{root / 'questions' / 'double'}/", "")


def changed(old: str, new: str) -> str:
    """The spec with one thing changed."""
    assert SPEC.count(old) == 1, old
    return SPEC.replace(old, new)


def place_of(text: str, spec: str) -> str:
    """`line:column` of a text in a spec; a pipe in it marks the column."""
    offset = spec.index(text.replace("|", "")) + text.index("|")
    line = spec.count("\n", 0, offset) + 1
    return f"{line}:{offset - spec.rfind(chr(10), 0, offset)}"


# A good question


def test_a_good_question_loads_with_what_its_files_say(tmp_path: Path) -> None:
    written(tmp_path)
    question = load(tmp_path)
    assert (question.id, question.spec.title, question.spec.minutes) == ("double", "Double it", 5)
    assert question.reference == REFERENCE
    assert question.solution("wrong/adds-two.py") == "def double(x):\n    return x + 2\n"
    assert question.solution("wrong/unknown.py") is None
    assert question.brief.criteria == {"small": [], "large": ["small"]}
    assert question.brief.support == {"helper": "FACTOR = 2\n"}
    assert question.brief.limits.memory_mib == 512


def test_a_question_needs_no_solutions(tmp_path: Path) -> None:
    question = Question.load(written(tmp_path) / "double", tmp_path / "nowhere")
    assert question.reference is None and question.digest


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "NO"])
def test_a_word_stays_a_word(word: str, tmp_path: Path) -> None:
    written(tmp_path, changed("exact: no", f"exact: {word}").replace("title: Double it", f"title: {word}"))
    spec = load(tmp_path).spec
    assert (spec.title, spec.parameters["exact"]) == (word, word)


# What is wrong is named with its place and what to do

WRONG: Final[dict[str, tuple[str, str, str, str]]] = {
    # what is wrong: (in the spec, in its place, where the error points to, what the message says)
    "an unknown key": (
        "minutes: 5",
        "minutes: 5\nminuts: 5",
        "|minuts",
        "minuts: there is no such key. Did you mean 'minutes'?",
    ),
    "an unknown key like no other": (
        "minutes: 5",
        "minutes: 5\nqqq: 1",
        "|qqq",
        "qqq: there is no such key. Known keys: id, ",
    ),
    "an unknown key of a criterion": (
        "    rests_on",
        "    rest_on",
        "|rest_on",
        "criteria.1.rest_on: there is no such key. Did you mean 'rests_on'?",
    ),
    "an unknown key of a definition": (
        "    methods",
        "    method",
        "|method: {",
        "defines.1.method: there is no such key. Did you mean 'methods'?",
    ),
    "an unknown key of an answer": (
        "    accepted",
        "    acepted",
        "|acepted",
        "answers.0.acepted: there is no such key. Did you mean 'accepted'?",
    ),
    "a key of the other kind of answer": (
        "    expected: Because.",
        "    expected: Because.\n    criterion: small",
        "|criterion: small",
        "answers.1.criterion: there is no such key. Known keys: id, kind, level, roles, prompt, expected, ",
    ),
    "an unknown key deep inside": (
        "        note:",
        "        not: x\n        note:",
        "|not: x",
        "answers.0.accepted.0.not: there is no such key. Did you mean 'note'?",
    ),
    "an unknown limit": (
        "memory_mib",
        "memory_mb",
        "|memory_mb",
        "limits.memory_mb: there is no such key. Did you mean 'memory_mib'?",
    ),
    "a missing key": ("title: Double it\n", "", "|# A comment", "title: this key is missing. Add it."),
    "a missing key of a criterion": (
        "    points: 3\n",
        "",
        "- |id: small",
        "criteria.0.points: this key is missing. Add it.",
    ),
    "a missing key of an answer": (
        "    expected: 4\n",
        "",
        "- |id: twice_two",
        "answers.0.expected: this key is missing. Add it.",
    ),
    "words for a number": (
        "minutes: 5",
        "minutes: five",
        "|minutes",
        "minutes: found 'five': input should be a valid integer",
    ),
    "a number for words": ("[Tester]", "[7]", "[|7]", "roles.0: found 7: input should be a valid string"),
    "nothing for words": (
        "title: Double it",
        "title:",
        "|title:",
        "title: found nothing: input should be a valid string",
    ),
    "a word for a list": (
        "[small, large]",
        "small",
        "|fails",
        "misconceptions.0.fails: found 'small': input should be a valid list",
    ),
    "no criteria": (
        SPEC[SPEC.index("criteria:\n") :],
        "criteria: []\n",
        "|criteria",
        "criteria: list should have at least 1 item",
    ),
    "points below zero": (
        "points: 3",
        "points: -3",
        "|points: -3",
        "criteria.0.points: found -3: input should be greater",
    ),
    "points that are no number": (
        "points: 3",
        "points: .nan",
        "|points: .nan",
        "criteria.0.points: found nan: input should be a finite",
    ),
    "an id with capitals": (
        "id: small",
        "id: Small",
        "|id: Small",
        "criteria.0.id: found 'Small': string should match",
    ),
    "a path that leads out": (
        "wrong/adds-two.py",
        "../adds.py",
        "|solution",
        "misconceptions.0.solution: found '../adds.py'",
    ),
    "an unknown kind of answer": (
        "kind: integer",
        "kind: numbr",
        "|kind: numbr",
        "answers.0.kind: found 'numbr': expected one of integer, number, choice, text",
    ),
    "an answer without a kind": (
        "    kind: integer\n",
        "",
        "- |id: twice_two",
        "answers.0.kind: this key is missing. Add it.",
    ),
    "a number without a tolerance": (
        "kind: integer",
        "kind: number",
        "- |id: twice_two",
        "answers.0.tolerance: this key is missing. Add it.",
    ),
    "a limit of zero": ("memory_mib: 512", "memory_mib: 0", "|limits", "limits: memory_mib must be above zero"),
    "a limit below zero": (
        "call_cpu_seconds: 4",
        "call_cpu_seconds: -1",
        "|limits",
        "limits: call_cpu_seconds must be above zero",
    ),
    "a limit that is no number": (
        "memory_mib: 512",
        "memory_mib: much",
        "|memory_mib",
        "limits.memory_mib: found 'much'",
    ),
    "a signature that does not close": (
        '"(x)"\n    gives: twice',
        '"(x"\n    gives: twice',
        "|signature",
        "looks like",
    ),
    "a signature that goes on": (
        '"(x)"\n    gives: twice',
        '"(x): pass\\ndef g()"\n    gives: twice',
        "|signature",
        "defines.0.signature: found '(x): pass\\ndef g()': a signature looks like \"(max_len, d_model, base)\"",
    ),
    "a signature that is a name": (
        'signature: "()"',
        "signature: x",
        "|signature: x",
        "defines.1.signature: found 'x'",
    ),
    "a method's bad signature": (
        '{forward: "(x)"}',
        '{forward: "x"}',
        "|forward",
        "defines.1.methods.forward: a signature",
    ),
    "a criterion that is there twice": (
        "id: large",
        "id: small",
        "|id: small\n    title: Large",
        "the criterion 'small' is there twice",
    ),
    "an answer that is there twice": (
        "id: why",
        "id: twice_two",
        "|id: twice_two\n    kind: text",
        "the answer 'twice_two' is there twice",
    ),
    "a definition that is there twice": (
        "name: Doubler",
        "name: double",
        "|name: double\n    kind: class",
        "the definition 'double' is there",
    ),
    "resting on itself": (
        "[small]",
        "[large]",
        "|rests_on",
        "criteria.1.rests_on: 'large' is not a criterion above it",
    ),
    "resting on a later one": (
        "[small]",
        "[answered]",
        "|rests_on",
        "criteria.1.rests_on: 'answered' is not a criterion above it",
    ),
    "resting on an unknown one": (
        "[small]",
        "[smal]",
        "|rests_on",
        "'smal' is not a criterion above it; the closest is 'small'",
    ),
    "failing an unknown criterion": (
        "[small, large]",
        "[small, larg]",
        "|fails",
        "misconceptions.0.fails: 'larg' is not a criterion; the closest is 'large'",
    ),
    "deciding an unknown criterion": (
        "criterion: answered",
        "criterion: answer",
        "|criterion: answer\n",
        "answers.0.criterion: 'answer' is not a criterion; the closest is 'answered'",
    ),
    "a duplicate key": (
        "minutes: 5",
        "minutes: 5\nversion: 2",
        "|version: 2",
        'this is not YAML: found duplicate key "version"',
    ),
    "a duplicate key deep inside": (
        "points: 3",
        "points: 3\n    points: 4",
        "|points: 4",
        'found duplicate key "points"',
    ),
    "a colon too many": (
        "title: Double it",
        "title: Double: it",
        "title: Double|: it",
        "this is not YAML: found mapping values",
    ),
    "a tab": ("minutes: 5", "minutes: 5\n\tx: 1", "|\tx: 1", "this is not YAML: found character '\\t'"),
    "an alias of nothing": ("title: Double it", "title: *it", "title: |*it", "this is not YAML: found undefined alias"),
    "an id that is not the folder's": (
        "id: double",
        "id: triple",
        "|id: triple",
        "the id differs from the folder's name: found triple, expected double.",
    ),
}


@pytest.mark.parametrize(("old", "new", "at", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, at: str, says: str, tmp_path: Path) -> None:
    spec = changed(old, new)
    written(tmp_path, spec)
    lines = refusal(tmp_path).splitlines()
    told = next((line for line in lines if says in line), None)
    assert told is not None, lines
    assert told.startswith(f"question.yaml:{place_of(at, spec)}: ")
    assert re.search(r"[^.?][.?]$", lines[-1]), "it ends as a sentence does"


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    written(tmp_path, SPEC.replace("minutes: 5", "minuts: 5").replace("points: 3", "points: many"))
    said = refusal(tmp_path)
    assert said.count("question.yaml:") == 3
    assert "minutes: this key is missing" in said and "'minutes'?" in said and "'many'" in said


@pytest.mark.parametrize("spec", ["", "# nothing\n", "[]", "just words", "42"], ids=repr)
def test_a_spec_that_is_no_mapping_is_refused(spec: str, tmp_path: Path) -> None:
    written(tmp_path, spec)
    assert refusal(tmp_path).startswith("question.yaml:1:1: ")


@pytest.mark.parametrize(
    "spec",
    ["[" * 1500, "a: 2024-99-99", 'a: "\x01"', "--- a\n--- b\n", "a: !!python/object:os.system x", "a: &a [*a]"],
    ids=lambda spec: repr(spec[:20]),
)
def test_odd_yaml_is_an_error_of_the_question_and_no_traceback(spec: str, tmp_path: Path) -> None:
    written(tmp_path, spec)
    assert refusal(tmp_path).startswith("question.yaml:")


def test_yaml_that_is_nested_too_deeply_is_told_with_its_place(tmp_path: Path) -> None:
    written(tmp_path, "id: " + "[" * 1500)
    assert refusal(tmp_path).startswith("question.yaml:1:55: this is not YAML: found more than 50 lists and mappings")


# What is wrong with an answer

RUBRIC: Final = """\
    observables:
      - {id: one, says: It says one.}
      - {id: two, says: It says two., kind: optional}
      - {id: three, says: No three., kind: negative}
"""
NUMBER: Final = """\
  - id: seconds
    kind: number
    criterion: answered
    prompt: How long?
    expected: 0.25
    tolerance: 0.01
    unit: s
    units: {ms: 0.001}
    accepted: [{value: 0.5, note: Both ways.}]
"""
CHOICE: Final = """\
  - id: which
    kind: choice
    criterion: answered
    prompt: Which one?
    choices:
      - {id: a, says: The first.}
      - {id: b, says: The second.}
    expected: b
"""
WRONG_ANSWERS: Final[dict[str, tuple[str, str, str, str, str]]] = {
    # what is wrong: (which, in it, in its place, where the error points to, what the message says)
    "an observable of no kind": (
        RUBRIC,
        "kind: optional",
        "kind: optionl",
        "|kind: optionl",
        "answers.1.observables.1.kind: found 'optionl': input should be 'required', 'optional' or 'negative'",
    ),
    "an observable with a mistyped key": (
        RUBRIC,
        "says: It says two.",
        "say: It says two.",
        "|say: It",
        "answers.1.observables.1.say: there is no such key. Did you mean 'says'?",
    ),
    "an observable that says nothing": (
        RUBRIC,
        ", says: It says two.",
        "",
        "- |{id: two",
        "answers.1.observables.1.says: this key is missing. Add it.",
    ),
    "an observable that is there twice": (
        RUBRIC,
        "id: two",
        "id: one",
        "{|id: one, says: It says two",
        "answers.1.observables.1.id: the observable 'one' is there twice",
    ),
    "a rubric of one point": (
        RUBRIC,
        RUBRIC[RUBRIC.index("      - {id: two") :],
        "",
        "|observables",
        "answers.1.observables: one observable is no rubric; write two to five",
    ),
    "a rubric of six points": (
        RUBRIC,
        "      - {id: three",
        "".join(f"      - {{id: more{n}, says: More.}}\n" for n in range(3)) + "      - {id: three",
        "|observables",
        "answers.1.observables: list should have at most 5 items",
    ),
    "levels that are not written and can't be reached": (
        RUBRIC,
        "kind: optional",
        "kind: required",
        "- |id: why",
        "answers.1.levels: strong needs 1 optional point, and there is none",
    ),
    "a level that can't be reached": (
        RUBRIC + "    levels: {strong: {required: all, optional: 2}}\n",
        "",
        "",
        "all, |optional: 2",
        "answers.1.levels.strong.optional: strong needs 2 optional points, and there is 1",
    ),
    "levels out of order": (
        RUBRIC + "    levels: {strong: {optional: 1}}\n",
        "",
        "",
        "{|strong: {optional",
        "answers.1.levels.strong.required: strong needs fewer required points than solid",
    ),
    "a level for nothing": (
        RUBRIC + "    levels: {weak: {negative: 1}}\n",
        "",
        "",
        "{|weak",
        "answers.1.levels.weak: weak is given to an answer in which nothing is ticked",
    ),
    "a level that needs words": (
        RUBRIC + "    levels: {solid: {required: some}}\n",
        "",
        "",
        "|required: some",
        "answers.1.levels.solid.required: found 'some': expected how many points, or all",
    ),
    "a level that needs less than none": (
        RUBRIC + "    levels: {solid: {required: -1}}\n",
        "",
        "",
        "|required: -1",
        "answers.1.levels.solid.required: found -1: expected how many points, or all",
    ),
    "a level that needs a yes": (
        RUBRIC + "    levels: {solid: {required: true}}\n",
        "",
        "",
        "{|required: true",
        "answers.1.levels.solid.required: found True: expected how many points, or all",
    ),
    "an unknown level": (
        RUBRIC + "    levels: {storng: {required: 1}}\n",
        "",
        "",
        "|storng",
        "answers.1.levels.storng: there is no such key. Did you mean 'strong'?",
    ),
    "an unknown need": (
        RUBRIC + "    levels: {strong: {requird: 1}}\n",
        "",
        "",
        "|requird",
        "answers.1.levels.strong.requird: there is no such key. Did you mean 'required'?",
    ),
    "a tick of nothing": (
        RUBRIC + "    known_wrong:\n      - {says: No., rebuttal: Yes., ticks: [too]}\n",
        "",
        "",
        "|ticks",
        "answers.1.known_wrong.0.ticks: 'too' is not an observable; the closest is 'two'",
    ),
    "a known wrong answer that is solid": (
        RUBRIC + "    known_wrong:\n      - {says: No., rebuttal: Yes., ticks: [one]}\n",
        "",
        "",
        "|ticks",
        "answers.1.known_wrong.0.ticks: a known wrong answer comes to solid; it may come to weak at most",
    ),
    "a number that is none": (NUMBER, "0.25", "soon", "|expected: soon", "answers.1.expected: found 'soon'"),
    "a number that is not finite": (NUMBER, "0.25", ".inf", "|expected: .inf", "answers.1.expected: found inf"),
    "a tolerance below zero": (NUMBER, "0.01", "-0.01", "|tolerance", "answers.1.tolerance: found -0.01"),
    "other units without one": (NUMBER, "    unit: s\n", "", "|units", "answers.1.units: there are other units, but"),
    "a unit of no size": (
        NUMBER,
        "ms: 0.001",
        "ms: 0",
        "{|ms: 0",
        "answers.1.units.ms: another unit has another name, and a size above zero",
    ),
    "a unit that is there twice": (
        NUMBER,
        "ms: 0.001",
        "s: 1",
        "{|s: 1",
        "answers.1.units.s: another unit has another",
    ),
    "a unit that looks like a number": (
        NUMBER,
        "unit: s\n",
        "unit: e3\n",
        "|unit: e3",
        "answers.1.unit: a unit has to be told from the number before it",
    ),
    "an accepted number that is right anyway": (
        NUMBER,
        "value: 0.5",
        "value: 0.26",
        "|value: 0.26",
        "answers.1.accepted.0.value: this is right within the tolerance already",
    ),
    "a choice that is none": (
        CHOICE,
        "expected: b",
        "expected: c",
        "|expected: c",
        "answers.1.expected: 'c' is not a choice; there is a, b",
    ),
    "a choice of one": (
        CHOICE,
        "      - {id: a, says: The first.}\n",
        "",
        "|choices",
        "answers.1.choices: list should have at least 2 items",
    ),
    "a choice that is there twice": (
        CHOICE,
        "id: a",
        "id: b",
        "{|id: b, says: The second",
        "answers.1.choices.1.id: the choice 'b' is there twice",
    ),
    "two choices that read the same": (
        CHOICE,
        "The second.",
        "the  first",
        "|says: the  first",
        "answers.1.choices.1.says: this reads the same as the choice 'a'",
    ),
    "a choice that YAML takes for nothing": (
        CHOICE,
        "id: a",
        'id: "null"',
        '|id: "null"',
        "answers.1.choices.0.id: in YAML this is nothing",
    ),
}


@pytest.mark.parametrize(("part", "old", "new", "at", "says"), WRONG_ANSWERS.values(), ids=WRONG_ANSWERS.keys())
def test_what_is_wrong_with_an_answer_is_said_with_its_place(
    part: str, old: str, new: str, at: str, says: str, tmp_path: Path
) -> None:
    assert old == "" or part.count(old) == 1
    part = part.replace(old, new) if old else part
    after = "    expected: Because.\n" if part.startswith("    ") else "        note: Close enough.\n"
    spec = changed(after, after + part)
    written(tmp_path, spec)
    lines = refusal(tmp_path).splitlines()
    assert any(line.startswith(f"question.yaml:{place_of(at, spec)}: {says}") for line in lines), lines


def test_answers_of_all_four_kinds_are_read(tmp_path: Path) -> None:
    spec = changed("    expected: Because.\n", f"    expected: Because.\n{RUBRIC}{NUMBER}{CHOICE}")
    written(tmp_path, spec)
    question = load(tmp_path)
    assert [answer.kind for answer in question.spec.answers] == ["integer", "text", "number", "choice"]
    assert [each.right for each in question.spec.answers if each.kind != "text"] == [
        "4",
        "0.25 s, give or take 0.01",
        "b (The second.)",
    ]
    assert "answered" not in {criterion.id for criterion in question.spec.checked}


def test_show_tells_how_each_answer_is_checked_or_marked(tmp_path: Path) -> None:
    spec = changed("    expected: Because.\n", f"    expected: Because.\n{RUBRIC}{NUMBER}{CHOICE}")
    written(tmp_path, spec)
    question = load(tmp_path)
    (rubric,) = [answer for answer in question.spec.answers if answer.kind == "text"]
    shown = render.text(question)
    lines = [line.strip() for line in shown.splitlines()]
    for line in (
        "checked by the grader: 4",
        "accepted: 5. Close enough.",
        "checked by the grader: 0.25 s, give or take 0.01",
        "accepted: 0.5 s. Both ways.",
        "a: The first.",
        "b: The second.",
        "checked by the grader: b (The second.)",
        "required  one: It says one.",
        "optional  two: It says two.",
        "negative  three: No three.",
        *rubric.levels.told(),
        f"rubric {rubric.rubric}",
    ):
        assert line in lines, shown
    assert max(map(len, shown.splitlines())) <= 100 or "digest" in shown
    written(tmp_path)
    assert "no observables, so there is nothing that a person could tick" in render.text(load(tmp_path))


def test_the_manuals_answers_are_right() -> None:
    manual = (Path(__file__).resolve().parents[1] / "docs" / "writing-a-question.md").read_text("utf-8")
    section = manual.partition("## 5. Ask for answers")[2].partition("\n## ")[0]
    blocks = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    answers = [each for block in blocks for each in specfile.plain(specfile.parse_yaml(block, "the manual"))]
    read = TypeAdapter(list[Answer]).validate_python(answers)
    assert [each.kind for each in read] == ["number", "choice", "text"]


def test_the_readme_lists_the_questions_that_there_are() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \| (\d+) \| (.+) \|$", readme, re.MULTILINE)
    shipped = Bank.find().finished()
    assert sorted(rows) == [(each.id, each.spec.level, str(each.spec.minutes), each.spec.title) for each in shipped]


def test_the_templates_commented_answers_are_right() -> None:
    """`grader new` shows two kinds of facts as comments: they are answers once the marks are taken off."""
    text = next(TEMPLATE.rglob("question.yaml")).read_text("utf-8")
    block = "".join(line[4:] for line in text.splitlines(keepends=True) if re.match(r"  # (- id|  \w+:|    - )", line))
    read = TypeAdapter(list[Answer]).validate_python(specfile.plain(specfile.parse_yaml(block, "the template")))
    assert [each.kind for each in read] == ["integer", "choice"]


def test_the_schema_knows_the_four_kinds() -> None:
    definitions = schema()["$defs"]
    mapping = schema()["properties"]["answers"]["items"]["discriminator"]["mapping"]
    assert set(mapping) == {"integer", "number", "choice", "text"}
    kinds = {kind: definitions[target.rpartition("/")[2]] for kind, target in mapping.items()}
    assert set(kinds["number"]["required"]) == {"id", "kind", "criterion", "prompt", "expected", "tolerance"}
    assert set(kinds["choice"]["required"]) == {"id", "kind", "criterion", "prompt", "choices", "expected"}
    assert kinds["text"]["properties"]["observables"]["maxItems"] == 5
    assert {
        option.get("type"): option.get("const") for option in definitions["Needs"]["properties"]["required"]["anyOf"]
    } == {
        "integer": None,
        "string": "all",
    }
    assert all(each["additionalProperties"] is False for each in kinds.values())


# Files


@pytest.mark.parametrize("name", ["prompt.md", "skeleton.py", "helper.py"])
def test_a_file_that_is_missing_is_named(name: str, tmp_path: Path) -> None:
    (written(tmp_path) / "double" / name).unlink()
    assert refusal(tmp_path) == f"{name}: a file that the question needs is missing. Add it."


def test_a_question_without_hidden_tests_is_refused(tmp_path: Path) -> None:
    hidden = written(tmp_path) / "double" / "hidden"
    (hidden / "test_double.py").unlink()
    hidden.rmdir()
    assert refusal(tmp_path) == "hidden: a file that the question needs is missing. Add it."


def test_a_spec_that_is_missing_is_named(tmp_path: Path) -> None:
    (written(tmp_path) / "double" / "question.yaml").unlink()
    assert refusal(tmp_path) == (
        "question.yaml: a file of the question can't be read: found No such file or directory."
    )


def test_a_spec_that_is_a_folder_is_named(tmp_path: Path) -> None:
    spec = written(tmp_path) / "double" / "question.yaml"
    spec.unlink()
    spec.mkdir()
    assert refusal(tmp_path) == "question.yaml: a file of the question can't be read: found Is a directory."


def test_a_spec_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (written(tmp_path) / "double" / "question.yaml").write_bytes(SPEC.replace("Because", "Très").encode("latin-1"))
    assert refusal(tmp_path) == "question.yaml: a file of the question can't be read: found bytes that are not UTF-8."


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("skeleton.py", lambda question: question.read("skeleton.py")),
        ("helper.py", lambda question: question.brief),
        ("../../solutions/double/reference.py", lambda question: question.reference),
    ],
    ids=["skeleton", "support", "reference"],
)
def test_another_file_in_another_encoding_is_an_error_of_the_question(
    name: str, use: Callable[[Question], Any], tmp_path: Path
) -> None:
    path = (written(tmp_path) / "double" / name).resolve()
    path.write_bytes(b"# Tr\xe8s\n")
    question = load(tmp_path)
    with pytest.raises(QuestionError, match="bytes that are not UTF-8") as caught:
        use(question)
    assert caught.value.where == str(path)


# The digest

EVERY_FILE: Final = [
    "questions/double/question.yaml",
    "questions/double/prompt.md",
    "questions/double/skeleton.py",
    "questions/double/helper.py",
    "questions/double/public/test_public.py",
    "questions/double/hidden/test_double.py",
    "solutions/double/reference.py",
    "solutions/double/wrong/adds-two.py",
]


def digest(root: Path) -> str:
    """The digest as a fresh start computes it."""
    return load(root).digest


def test_the_digest_is_that_of_the_files_wherever_they_are(tmp_path: Path) -> None:
    written(tmp_path / "here")
    written(tmp_path / "there")
    assert digest(tmp_path / "here") == digest(tmp_path / "there")
    assert re.fullmatch(r"[0-9a-f]{64}", digest(tmp_path / "here"))


def test_every_file_is_listed() -> None:
    """So that no file is left out of the tests below."""
    assert len(EVERY_FILE) == len(set(EVERY_FILE)) == 8


@pytest.mark.parametrize("name", EVERY_FILE)
def test_the_digest_changes_with_every_file(name: str, tmp_path: Path) -> None:
    written(tmp_path)
    before = digest(tmp_path)
    with (tmp_path / name).open("a") as file:
        file.write("\n")
    assert digest(tmp_path) != before


@pytest.mark.parametrize("name", ["public/test_public.py", "hidden/test_double.py"])
def test_the_digest_changes_when_a_file_is_renamed(name: str, tmp_path: Path) -> None:
    path = written(tmp_path) / "double" / name
    before = digest(tmp_path)
    path.rename(path.with_name("test_other.py"))
    assert digest(tmp_path) != before


def test_the_digest_changes_when_two_files_swap_their_contents(tmp_path: Path) -> None:
    folder = written(tmp_path) / "double"
    before = digest(tmp_path)
    prompt, helper = folder / "prompt.md", folder / "helper.py"
    one, other = prompt.read_text(), helper.read_text()
    prompt.write_text(other)
    helper.write_text(one)
    assert digest(tmp_path) != before


@pytest.mark.parametrize(
    "name", ["questions/double/hidden/new.py", "solutions/double/wrong/new.py", "questions/double/x.txt"]
)
def test_the_digest_changes_when_a_file_is_added(name: str, tmp_path: Path) -> None:
    written(tmp_path)
    before = digest(tmp_path)
    (tmp_path / name).write_text("")
    assert digest(tmp_path) != before


@pytest.mark.parametrize(
    "name",
    [
        "questions/double/hidden/__pycache__/oracle.cpython-311.pyc",
        "questions/double/__pycache__/notes.txt",
        "solutions/double/wrong/__pycache__/x.pyc",
        "questions/double/stray.pyc",
        "questions/double/.DS_Store",
        "questions/double/.git/HEAD",
        "solutions/double/.reference.py.swp",
    ],
)
def test_the_digest_does_not_see_caches_and_hidden_files(name: str, tmp_path: Path) -> None:
    written(tmp_path)
    before = digest(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("anything")
    assert digest(tmp_path) == before


def test_the_digest_and_seed_of_a_question_in_a_hidden_folder_are_the_same(tmp_path: Path) -> None:
    written(tmp_path / ".cache" / "__pycache__")
    written(tmp_path / "plain")
    assert digest(tmp_path / ".cache" / "__pycache__") == digest(tmp_path / "plain")


def test_the_seed_follows_from_the_digest_and_fits_32_bits(tmp_path: Path) -> None:
    written(tmp_path)
    question = load(tmp_path)
    assert question.seed == int(question.digest[:8], 16) < 1 << 32


# The schema for editors


def violations(value: Any, node: dict[str, Any], whole: dict[str, Any], at: str = "") -> list[str]:
    """Where a value departs from the part of JSON Schema that describes structure: types, keys, choices and lists."""
    if "$ref" in node:
        return violations(value, whole["$defs"][node["$ref"].rpartition("/")[2]], whole, at)
    choices = node.get("anyOf") or node.get("oneOf")
    if choices:
        each = [violations(value, choice, whole, at) for choice in choices]
        return [] if [] in each else min(each, key=len)
    if "const" in node and value != node["const"]:
        return [f"{at} is not {node['const']}"]
    if "enum" in node and value not in node["enum"]:
        return [f"{at} is none of {node['enum']}"]
    types: dict[str, type | tuple[type, ...]] = {"integer": int, "number": (int, float), "string": str, "boolean": bool}
    types |= {"array": list, "object": dict}
    if "type" in node and (
        not isinstance(value, types[node["type"]]) or (isinstance(value, bool) and node["type"] != "boolean")
    ):
        return [f"{at} is not of type {node['type']}"]
    if isinstance(value, list):
        return [
            wrong
            for place, item in enumerate(value)
            for wrong in violations(item, node["items"], whole, f"{at}[{place}]")
        ]
    if isinstance(value, dict):
        known, extra = node.get("properties", {}), node.get("additionalProperties", True)
        wrong = [f"{at}.{key} is missing" for key in node.get("required", []) if key not in value]
        for key, item in value.items():
            if key in known:
                wrong += violations(item, known[key], whole, f"{at}.{key}")
            elif extra is False:
                wrong.append(f"{at}.{key} is unknown")
            elif isinstance(extra, dict):
                wrong += violations(item, extra, whole, f"{at}.{key}")
        return wrong
    if "pattern" in node and not re.search(node["pattern"], value):
        return [f"{at} does not match"]
    return []


def spec_of(path: Path) -> Any:
    """A spec as plain values."""
    return specfile.plain(specfile.read_yaml(path))


def test_the_schema_is_whole() -> None:
    whole = schema()
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    references = re.findall(r"'\$ref': '([^']*)'", repr(whole))
    assert references and all(each.removeprefix("#/$defs/") in whole["$defs"] for each in references)
    assert set(whole["properties"]) == set(Spec.model_fields)
    for part in (whole, *whole["$defs"].values()):
        assert set(part.get("required", [])) <= set(part["properties"])


def test_the_schema_forbids_unknown_keys_at_every_level() -> None:
    whole = schema()
    loose = {
        name for name, part in {"": whole, **whole["$defs"]}.items() if part.get("additionalProperties") is not False
    }
    assert loose <= {"Limits"}


@pytest.mark.parametrize("folder", Bank((bank.shipped(),)).paths().values(), ids=lambda folder: folder.name)
def test_a_shipped_spec_satisfies_the_schema(folder: Path) -> None:
    whole = schema()
    assert violations(spec_of(folder / "question.yaml"), whole, whole) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("minutes: 5", "minutes: five"),
        ("title: Double it\n", ""),
        ("    rests_on", "    rest_on"),
        ("kind: function", "kind: procedure"),
        ("id: small", "id: Small Things"),
        ("kind: integer", "kind: number"),
    ],
)
def test_the_schema_refuses_what_the_models_refuse(old: str, new: str, tmp_path: Path) -> None:
    whole = schema()
    path = tmp_path / "question.yaml"
    path.write_text(SPEC)
    assert violations(spec_of(path), whole, whole) == []
    path.write_text(changed(old, new))
    assert violations(spec_of(path), whole, whole) != []


# The shipped questions


@pytest.mark.parametrize("id", sorted(Bank((bank.shipped(),)).paths()))
def test_a_shipped_question_is_complete(id: str) -> None:
    question = Bank.find().get(id)
    assert question.reference and question.brief.criteria
    for misconception in question.spec.misconceptions:
        for path in (misconception.solution, *misconception.also):
            assert question.solution(path), f"{misconception.id} has no {path}"


def test_there_are_shipped_questions() -> None:
    assert "swap-learned-positions" in Bank.find().paths()


# The bank


def test_questions_of_a_folder_are_found_beside_the_shipped_ones(tmp_path: Path) -> None:
    found = Bank.find([written(tmp_path)])
    assert {"double", "swap-learned-positions"} <= set(found.paths())
    assert found.get("double").reference == REFERENCE
    assert [question.id for question in found.all()] == sorted(found.paths())


def test_folders_without_a_spec_are_no_questions(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "drafts").mkdir()
    (folder / "notes.md").write_text("x")
    assert set(Bank((folder,)).paths()) == {"double"}


@pytest.mark.parametrize("below", [".", "deep/er"])
def test_grader_toml_is_found_upwards_and_read_relative_to_itself(below: str, tmp_path: Path) -> None:
    written(tmp_path / "team")
    (tmp_path / "grader.toml").write_text('questions = ["team/questions"]\n')
    start = tmp_path / below
    start.mkdir(parents=True, exist_ok=True)
    assert Bank.find(start=start).get("double").reference == REFERENCE


def test_the_working_directory_is_where_the_search_for_grader_toml_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    (tmp_path / "grader.toml").write_text('questions = ["questions"]\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert "double" in Bank.find().paths()


def test_the_nearest_grader_toml_is_the_one(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "grader.toml").write_text('questions = ["questions"]\n')
    near = tmp_path / "near"
    near.mkdir()
    (near / "grader.toml").write_text("")
    assert "double" not in Bank.find(start=near).paths()


@pytest.mark.parametrize("name", [".", "../questions"])
def test_solutions_stand_beside_the_bank_however_it_is_called(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written(tmp_path))
    assert Bank.find([Path(name)]).get("double").reference == REFERENCE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"questions = [", "this is not a settings file: found "),
        (b"questions = ['\xff']", "this is not a settings file: found "),
        (b"question = []", "there is no such setting: found question, expected questions or packet."),
        (b"questions = 'a'", "`questions` is not a list of folders: found 'a'."),
        (b"questions = [1]", "`questions` is not a list of folders: found [1]."),
        (b"questions = ['nowhere']", "there is no such folder of questions: found "),
        (b"questions = ['grader.toml']", "there is no such folder of questions: found "),
    ],
    ids=["no TOML", "no UTF-8", "unknown", "a string", "a number", "missing", "a file"],
)
def test_a_bad_grader_toml_is_named(text: bytes, says: str, tmp_path: Path) -> None:
    config = tmp_path / "grader.toml"
    config.write_bytes(text)
    with pytest.raises(CallError) as caught:
        Bank.find(start=tmp_path)
    assert str(caught.value).startswith(f"{config}: {says}")


def test_a_folder_on_the_command_line_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="--questions: there is no such folder of questions"):
        Bank.find([tmp_path / "nowhere"])


def test_two_questions_with_one_id_are_an_error_that_names_both(tmp_path: Path) -> None:
    folders = [written(tmp_path / "one"), written(tmp_path / "two")]
    with pytest.raises(QuestionError, match="two questions have the same id") as caught:
        Bank.find(folders).paths()
    assert str(folders[0] / "double") in str(caught.value) and str(folders[1] / "double") in str(caught.value)


def test_one_folder_that_is_named_twice_is_no_error(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (tmp_path / "link").symlink_to(folder)
    assert "double" in Bank.find([folder, folder, tmp_path / "link"]).paths()


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("duoble", "Did you mean double?"),
        ("swap-learned-position", "Did you mean swap-learned-positions?"),
        ("qqqqqq", "`grader list` shows what there is."),
        ("", "`grader list` shows what there is."),
        ("../double", "Did you mean double?"),
    ],
)
def test_an_unknown_id_gets_a_way_out(id: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(CallError) as caught:
        Bank.find([written(tmp_path)]).get(id)
    assert str(caught.value) == f"there is no such question: found {id!r}. {hint}"
    assert caught.value.exit_code == 2
