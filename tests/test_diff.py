"""`grader diff`: definitions find each other, lines line up, and nothing of a submission is run or comes alive."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import bank
from grader.alignment import Comparison, compare
from grader.alignment.definitions import Definition, Line, outline
from grader.alignment.matching import Match, pairs
from grader.alignment.rows import Mark, Row, pieces, rows, side_by_side
from grader.bank import Bank
from grader.cli import main
from grader.render import diff
from grader.submission.syntax import SHORT

ID: Final = "swap-learned-positions"
QUESTION: Final = Bank((bank.shipped(),)).get(ID)
REFERENCE: Final = QUESTION.solutions / "reference.py"
WRONG: Final = QUESTION.solutions / "wrong" / "sines-first.py"
HOSTILE: Final = 'x = "\x1b[2J\x9b31m\u200b{{ 7 }}</td><script>alert(1)</script>[red]"\n'


def call(*arguments: str | Path) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def shown(comparison: Comparison, width: int | None = None) -> str:
    """What is printed at a width; in a pipe without one."""
    stream = io.StringIO()
    diff.summary(comparison, stream, width=width)
    return stream.getvalue()


def sent(tmp_path: Path, source: str) -> Comparison:
    """A submission beside the reference."""
    path = tmp_path / "solution.py"
    path.write_text(source, "utf-8")
    return compare(QUESTION, path)


def names(first: str, second: str) -> list[tuple[str | None, str | None, Match]]:
    """How the definitions of two sources are paired."""
    return [
        (each.reference.name if each.reference else None, each.submission.name if each.submission else None, each.match)
        for each in pairs(outline(first), outline(second))
    ]


def lines(text: str) -> list[Line]:
    """Numbered lines."""
    return [Line(number, line) for number, line in enumerate(text.split("\n"), start=1)]


def marks(made: list[Row]) -> str:
    """The glyphs of rows."""
    return "".join(row.mark.glyph for row in made)


# Definitions

SOURCE: Final = '''"""def not_this(): pass"""
import torch


# belongs to f
@decorated
def f(a):
    def inner(): ...
    return a


class A:
    """Of A."""

    size = 1

    def g(self): return 1

    class B:
        def h(self):
            return 2

    last = 3

x = 1
'''


def every(definition: Definition) -> list[Definition]:
    """A definition and all below it."""
    return [definition, *(each for child in definition.children for each in every(child))]


def test_each_definition_has_its_own_lines() -> None:
    found = {each.name: [line.number for line in each.lines] for each in every(outline(SOURCE))}
    assert found == {
        "": [1, 2, 3, 25],
        "f": [5, 6, 7, 8, 9],
        "A": [12, 13, 14, 15, 16, 23],
        "A.g": [17],
        "A.B": [19],
        "A.B.h": [20, 21],
    }


@pytest.mark.parametrize("path", sorted(QUESTION.solutions.glob("*/*.py")), ids=lambda path: path.stem)
def test_no_line_of_code_is_lost_or_told_twice(path: Path) -> None:
    source = path.read_text("utf-8")
    numbers = [line.number for each in every(outline(source)) for line in each.lines if line.text.strip()]
    assert sorted(numbers) == [number for number, line in enumerate(source.split("\n"), start=1) if line.strip()]


def test_a_source_too_long_to_parse_here_is_one_part() -> None:
    source = "def f(): ...\n" + "#" * SHORT
    assert [each.name for each in every(outline(source))] == [""]


# Which stands beside which


def test_names_find_each_other_in_the_order_of_the_reference() -> None:
    assert names("def a(): ...\ndef b(): ...", "def b(x): return x\ndef a(): ...") == [
        ("", "", Match.NAME),
        ("a", "a", Match.NAME),
        ("b", "b", Match.NAME),
    ]


def test_what_has_another_name_is_found_by_likeness_and_its_methods_by_name() -> None:
    reference = "class Table(Module):\n    size = 1\n    def forward(self, x):\n        return x + self.table\n"
    renamed = reference.replace("Table", "Positions").replace("size", "length")
    assert names(reference, renamed) == [
        ("", "", Match.NAME),
        ("Table", "Positions", Match.LIKENESS),
        ("Table.forward", "Positions.forward", Match.NAME),
    ]


def test_what_is_unlike_stands_alone_after_what_it_follows() -> None:
    reference = "def a(): ...\ndef b(x, y): return numpy.outer(x, y).sum()\n"
    submission = "def first(): 'one thing'\ndef a(): ...\ndef helper(): raise KeyError\n"
    assert names(reference, submission) == [
        ("", "", Match.NAME),
        (None, "first", Match.ALONE),
        ("a", "a", Match.NAME),
        (None, "helper", Match.ALONE),
        ("b", None, Match.ALONE),
    ]


def test_of_two_definitions_of_a_name_the_last_counts() -> None:
    made = pairs(outline("def a(): return 1"), outline("def a(): 'draft'\ndef a(): return 1"))
    found = [pair.submission for pair in made if pair.reference and pair.reference.name and pair.submission]
    assert [definition.lines[0].number for definition in found] == [2]


def test_a_class_is_never_taken_for_a_function_of_another_name() -> None:
    assert names("def a(x, y): return x", "class b(x, y): return_x") == [
        ("", "", Match.NAME),
        (None, "b", Match.ALONE),
        ("a", None, Match.ALONE),
    ]


# Lines


def test_lines_are_the_same_changed_or_only_on_one_side() -> None:
    made = rows(lines("a = 1\nb = f(x, y)\nc = 3\nreturn c"), lines("a = 1\nb = f(x, z)\nreturn c\n# done"))
    assert marks(made) == " ~- +"
    assert pieces(made[1]) == (
        [("b = f(x, ", False), ("y", True), (")", False)],
        [("b = f(x, ", False), ("z", True), (")", False)],
    )


def test_tabs_and_blanks_at_the_end_make_no_difference() -> None:
    assert marks(rows(lines("    return a"), lines("\treturn a  "))) == " "


def test_side_by_side_takes_less_room() -> None:
    made = rows(lines("one two three"), lines("4 + 5"))
    packed = side_by_side(made)
    assert (len(made), len(packed)) == (2, 1)
    assert packed[0].reference and packed[0].submission and packed[0].mark is not Mark.CHANGED


texts = st.lists(st.sampled_from(["a = b + c", "a = b - c", "", "return a", "x", "for a in b:"]), max_size=8)


@given(texts, texts)
@settings(max_examples=200)
def test_every_line_stands_once_and_in_order_on_its_side(ours: list[str], theirs: list[str]) -> None:
    left, right = ([Line(number, text) for number, text in enumerate(each)] for each in (ours, theirs))
    for made in (rows(left, right), side_by_side(rows(left, right))):
        assert [row.reference for row in made if row.reference] == left
        assert [row.submission for row in made if row.submission] == right
        for row in made:
            if row.mark is Mark.SAME:
                assert row.reference and row.submission and row.reference.text == row.submission.text
            before, after = pieces(row)
            assert "".join(text for text, _ in before) == (row.reference.text if row.reference else "")
            assert "".join(text for text, _ in after) == (row.submission.text if row.submission else "")


# The command


def test_the_reference_is_the_same_as_itself() -> None:
    comparison = compare(QUESTION, REFERENCE)
    assert all(part.same for part in comparison.parts)
    printed = shown(comparison)
    assert f"{len(comparison.parts)} of {len(comparison.parts)} parts have the same code" in printed
    assert not re.search(r"^ +\d", printed, re.MULTILINE)


def test_other_comments_are_told_from_other_code(tmp_path: Path) -> None:
    source = REFERENCE.read_text("utf-8").replace("# `parameters()` already", "# all of the parameters, which already")
    source = source.replace("2 * pairs]", "2*pairs]")
    comparison = sent(tmp_path, source)
    told = {part.title: part.remark for part in comparison.parts if part.remark != "the same"}
    assert told == dict.fromkeys(["sinusoidal_pe", "count_parameters"], "the same code; comments or layout differ")
    assert all(part.same_code for part in sent(tmp_path, REFERENCE.read_text("utf-8")).parts)
    changed = sent(tmp_path, source.replace("np.sin(angle)", "np.sin(-angle)"))
    assert [part.title for part in changed.parts if part.remark == "differs"] == ["sinusoidal_pe"]


def test_in_a_pipe_lines_stand_under_each_other() -> None:
    result = call(WRONG, "-q", ID)
    assert result.exit_code == 0
    assert "\n  21 -     angular_frequency = float(base)" in result.stdout
    assert "\n  12 +     angular_frequency = base" in result.stdout
    assert "│" not in result.stdout and "\x1b" not in result.stdout
    assert "interviewers" in result.stderr


@pytest.mark.parametrize(("width", "beside"), [(60, False), (99, False), (100, True), (160, True)])
def test_side_by_side_where_there_is_room(width: int, beside: bool) -> None:
    printed = shown(compare(QUESTION, WRONG), width)
    assert ("│" in printed) is beside
    if beside:
        assert max(map(len, printed.splitlines())) <= width
        assert re.search(r"^  19   .*│   11   ", printed, re.MULTILINE)
        assert re.search(r"^  37 ~ .*│   26 ~ ", printed, re.MULTILINE)


def test_a_wide_character_takes_two_columns(tmp_path: Path) -> None:
    printed = shown(sent(tmp_path, f"def sinusoidal_pe():\n    return '{'表' * 90}'\n"), 100)
    right = [line.partition("│")[2] for line in printed.splitlines() if "表" in line]
    assert len(right) > 1
    assert all(len(line) + line.count("表") <= 50 for line in right)


def test_the_json_holds_every_line(tmp_path: Path) -> None:
    result = call(WRONG, "-q", ID, "--json", "--out", tmp_path / "page.html")
    document: dict[str, Any] = json.loads(result.stdout)
    assert document["schema"] == "takehome-grader/diff/1"
    assert document["submission"]["name"] == "sines-first.py"
    by_name = {each["reference"]: each for each in document["definitions"]}
    assert by_name["SinusoidalPositions.forward"]["match"] == "name"
    told = [row["submission"]["text"] for each in document["definitions"] for row in each["rows"] if row["submission"]]
    assert sorted(filter(None, told)) == sorted(filter(None, WRONG.read_text("utf-8").split("\n")))
    assert (tmp_path / "page.html").is_file()


def test_the_page_stands_alone(tmp_path: Path) -> None:
    result = call(WRONG, "-q", ID, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert result.stdout.endswith(f"Written: {tmp_path / 'page.html'}\n")
    assert "<script" not in page and "default-src 'none'" in page
    assert not re.search(r"""(src|href)=|url\(|@import""", page)
    assert "It is for interviewers" in page
    assert "<mark>" in page and '<span class="g">~</span>' in page


def test_what_a_submission_says_does_not_come_alive(tmp_path: Path) -> None:
    comparison = sent(tmp_path, HOSTILE)
    for printed in (shown(comparison), shown(comparison, 140)):
        assert "\x1b" not in printed and "\x9b" not in printed and "\u200b" not in printed
        assert "\\x1b[2J" in printed and "[red]" in printed
    page = diff.page(comparison)
    assert "<script" not in page and "\x1b" not in page and "\u200b" not in page
    assert "{{ 7 }}&lt;/td&gt;&lt;script&gt;" in page
    (tmp_path / "hostile.py").write_text(HOSTILE, "utf-8")
    result = call(tmp_path / "hostile.py", "-q", ID, "--json")
    assert "\x9b" not in result.stdout and "\u200b" not in result.stdout
    assert HOSTILE.rstrip("\n") in [
        row["submission"]["text"]
        for each in json.loads(result.stdout)["definitions"]
        for row in each["rows"]
        if row["submission"]
    ]


def test_a_submission_without_end_is_cut_off(tmp_path: Path) -> None:
    comparison = sent(tmp_path, "x = 1\n" * 3000)
    for printed in (shown(comparison), shown(comparison, 120), diff.page(comparison)):
        assert f"of which {diff.MOST} are shown here" in printed
        assert printed.count("x = 1") <= diff.MOST


def test_nothing_of_a_submission_is_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    sent(tmp_path, f"open({str(witness)!r}, 'w')\nraise SystemExit\n")
    assert not witness.exists()


def test_a_submission_that_is_not_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "solution.py").write_text("def f(:\n", "utf-8")
    result = call(tmp_path, "-q", ID)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("grader: Mend line 1, column 7 of solution.py")
    assert "interviewers" not in result.stderr


def test_a_question_without_a_reference_is_wrong(tmp_path: Path) -> None:
    shutil.copytree(QUESTION.folder, tmp_path / "questions" / "no-reference")
    spec = tmp_path / "questions" / "no-reference" / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace(f"id: {ID}", "id: no-reference", 1), "utf-8")
    result = call(WRONG, "-q", "no-reference", "--questions", tmp_path / "questions")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the question has no reference to compare with. Add it." in result.stderr


@pytest.mark.parametrize(
    "arguments", [["nowhere.py", "-q", ID], [WRONG, "-q", "unknown"], [WRONG, "-q", ID, "-o", "/nowhere/page.html"]]
)
def test_a_wrong_call_is_told(arguments: list[str | Path]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
