"""What a panel reads: code names only, evidence with pictures and lines, what people said, and no ranking."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import inert
from grader.bank import Bank
from grader.cli import main
from grader.errors import CallError
from grader.examine import tables
from grader.examine.compare import expect_close
from grader.examine.errors import Mismatch
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Outcome
from grader.panel import command, names
from grader.panel.views import TextView
from grader.question import Question
from grader.render import code, files, heatmap
from grader.report import TablePart
from grader.results import Results
from tests import marking, panelling
from tests.pages import Tree

HERE: Final = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results, Question]:
    return panelling.everything(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results, Question]:
    return panelling.everything(tmp_path_factory.mktemp("plain"), words="")


def page(made: tuple[Path, Results, Question], name: str) -> Tree:
    out, results, _ = made
    return Tree((out / f"{results.find(name).code}.html").read_text("utf-8"))


# Pages


def test_every_page_is_whole_and_asks_for_nothing(hostile: tuple[Path, Results, Question]) -> None:
    pages = list(hostile[0].rglob("*.html"))
    assert len(pages) == 1 + 2 * (len(panelling.OUTCOMES) + 1)
    for path in pages:
        source = path.read_text("utf-8")
        tree = Tree(source)
        assert not tree.open
        assert {"script", "link", "iframe", "object", "base", "form"}.isdisjoint(tree.tags)
        assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in source
        assert ("lang", "en") in tree.attributes
        leads = [value or "" for name, value in tree.attributes if name in ("href", "src")]
        assert all(re.match(r"#|data:image/png;base64,|[a-z-]+\d\d\.html#?|index\.html$", value) for value in leads)
        ids = [value for name, value in tree.attributes if name == "id"]
        assert len(ids) == len(set(ids))
        assert all(value[1:] in ids for value in leads if value.startswith("#") and value != "#")
        assert tree.tags.count("table") == tree.tags.count("caption")


def test_hostile_words_change_no_tag(
    hostile: tuple[Path, Results, Question], plain: tuple[Path, Results, Question]
) -> None:
    for name in ("ana-lopez-failed", "ana-lopez-crashed", "Zoë Müller (2).py"):
        tree, honest = page(hostile, name), page(plain, name)
        # A note, a quote and a line of code more come with the words; no other tag does, and no attribute.
        assert set(tree.tags) - set(honest.tags) <= {"blockquote", "span", "p", "div", "ol", "li", "dt", "dd", "ul"}
        assert {"onerror", "onload", "style"}.isdisjoint(name for name, _ in tree.attributes)
    for path in hostile[0].rglob("*"):
        if path.is_file() and path.suffix != ".pdf":
            text = path.read_text("utf-8").replace("\r\n", "\n")
            assert all(character == "\n" or character.isprintable() for character in text), path
            assert not inert.INVISIBLE & set(text)


def test_nobodys_own_name_is_anywhere(hostile: tuple[Path, Results, Question]) -> None:
    for path in hostile[0].rglob("*"):
        assert not re.search("ana|lopez|zo|m.ller", path.name, re.IGNORECASE) or path.name == "panel"
        if path.is_file():
            assert not re.search(r"lopez|müller|zoë", path.read_text("utf-8"), re.IGNORECASE), path


def test_a_name_in_code_and_notes_becomes_the_code_name(plain: tuple[Path, Results, Question]) -> None:
    tree, shown = page(plain, "ana-lopez-failed"), plain[1].find("ana-lopez-failed").code
    assert f'"""By {shown}."""' in "".join(tree.shown)
    assert tree.text.count(shown) >= 4  # the title, the heading, the notes and the code


def test_a_candidates_page_tells_tests_and_texts_apart(plain: tuple[Path, Results, Question]) -> None:
    text = page(plain, "ana-lopez-failed").text
    tests, _, texts = text.partition("What people read")
    for words in ("✗ failed It doubles required", f"Told to the candidate: {panelling.TELL}", panelling.CHECK):
        assert words in tests
    assert "Misconceptions met It triples WHY three is not two." in tests
    assert "no criterion passed = 0 of 10. Texts that people read add no points" in tests
    assert "In the code: double, lines 4 to 5" in tests
    assert "weak and strong" in texts
    assert re.search(r"grace: ◔ weak \([\d-]+, blind: no other mark could be seen\)", texts)
    assert re.search(r"ada: ● strong \([\d-]+, made after other marks could be seen\)", texts)
    assert "Why the mark was changed: A second look" in texts
    assert "Agreement on this question: too few to say" in texts
    assert "could not be assessed" in texts


def test_what_nobody_assessed_or_measured_has_no_number(plain: tuple[Path, Results, Question]) -> None:
    text = page(plain, "ana-lopez-passed").text
    assert text.count("not assessed") >= 2
    for name in ("ana-lopez-grader_fault", "ana-lopez-not_reached"):
        text = page(plain, name).text
        assert "–/10" in text and "0/10" not in text
    text = page(plain, "Zoë Müller (2).py").text
    assert "refused nothing was graded" in text
    assert "What the tests found" not in text and "0 of 10" not in text


def test_the_comparison_is_in_the_order_of_code_names_and_has_no_total(plain: tuple[Path, Results, Question]) -> None:
    out, results, question = plain
    tree = Tree((out / "index.html").read_text("utf-8"))
    leads = [value for name, value in tree.attributes if name == "href"]
    codes = sorted(each.code for each in results.candidates)
    assert leads == [f"{each}.html#{question.id}" for each in codes] * 2
    assert "points" not in tree.text and not re.search(r"\d+/\d+", tree.text)
    for outcome in (*panelling.OUTCOMES, "nothing was graded"):
        assert f"{outcome.replace('_', ' ')}" in tree.text


def test_a_guard_is_shown_for_a_marked_answer_and_for_no_other(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    expected = next(each for each in question.spec.answers if each.id == "why_interleave")
    assert expected.kind == "text"
    copied = panelling.report(question, "a")
    answers = [each.model_copy(update={"given": expected.expected}) for each in copied.answers]
    copied = copied.model_copy(update={"answers": answers})
    results = panelling.put(question, tmp_path / "results", {"a": copied, "b": copied})
    panelling.mark(results, question, "a", "why_interleave", "ada", "one-angle", "rotation")
    panelling.mark(results, question, "a", "why_interleave", "ada", reason="It is copied")
    command.write([results.folder], tmp_path / "panel", lambda _: question)
    made = tmp_path / "panel", results, question
    marked = page(made, "a").text
    assert "(copied-reference) Done: ada changed the mark: It is copied." in marked
    assert "Why the mark was changed: It is copied" in marked
    assert "copied-reference" not in page(made, "b").text


def test_a_mark_by_an_earlier_rubric_is_shown_and_does_not_count(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    results = panelling.put(question, tmp_path / "results", {"a": panelling.report(question, "a")})
    panelling.mark(results, question, "a", "why_interleave", "ada", "one-angle", "rotation", rubric="0" * 12)
    command.write([results.folder], tmp_path / "panel", lambda _: question)
    text = page((tmp_path / "panel", results, question), "a").text
    assert "no longer counts" in text and "the rubric has changed since" in text
    assert "ada: ◕ solid" not in text


def test_levels_that_differ_are_both_said() -> None:
    assert TextView("a", "p", "L2", "", "r").word == "not given"
    assert TextView("a", "p", "L2", "given", "r").word == "not assessed"


# Several questions


def second(folder: Path) -> Question:
    """The same question under another id."""
    bank = marking.bank(folder)
    (bank / "why-interleave").rename(bank / "why-again")
    spec = bank / "why-again" / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("id: why-interleave", "id: why-again"), "utf-8")
    return Question.load(bank / "why-again", folder / "solutions" / "why-again")


def test_a_candidate_of_several_questions_is_one_page_under_the_first_code_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = marking.question(marking.bank(tmp_path / "one")), second(tmp_path / "two")
    first = panelling.put(one, tmp_path / "r1", {name: panelling.report(one, name) for name in ("ana", "bob")})
    other = panelling.put(two, tmp_path / "r2", {name: panelling.report(two, name) for name in ("bob", "cy")})
    panelling.mark(other, two, "bob", "why_interleave", "ada", "one-angle", "rotation")
    questions = {each.id: each for each in (one, two)}
    out = tmp_path / "panel"
    assert command.write([first.folder, other.folder], out, questions.__getitem__).candidates == 3
    codes = {first.find("ana").code, first.find("bob").code, other.find("cy").code}
    assert {path.stem for path in out.glob("*.html")} == {"index", *codes}
    bob = Tree((out / f"{first.find('bob').code}.html").read_text("utf-8"))
    assert [value for name, value in bob.attributes if name == "id" and value in questions] == [one.id, two.id]
    assert "ada: ◕ solid" in bob.text  # marks are found under the code name of their own folder
    assert other.find("bob").code not in bob.text
    assert Tree((out / "index.html").read_text("utf-8")).text.count("not sent") >= 2


def test_two_folders_of_one_question_are_refused(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    made = [panelling.put(question, tmp_path / name, {"a": panelling.report(question, "a")}) for name in ("r1", "r2")]
    with pytest.raises(CallError, match="two folders hold results of one question"):
        command.write([each.folder for each in made], tmp_path / "panel", lambda _: question)
    assert not (tmp_path / "panel").exists()


def test_a_report_that_can_not_be_read_costs_nobody_else(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    made = {name: panelling.report(question, name) for name in ("ana-lopez", "bob")}
    results = panelling.put(question, tmp_path / "results", made)
    (results.find("ana-lopez").folder / "report.json").write_text("{", "utf-8")
    asked = ["panel", str(results.folder), "--out", str(tmp_path / "panel"), "--questions", str(tmp_path / "questions")]
    ended = CliRunner().invoke(main, asked)
    assert ended.exit_code == 3
    told = f"{results.find('ana-lopez').code}, why-interleave: this report can't be read."
    assert told in ended.output and told in Tree((tmp_path / "panel" / "index.html").read_text("utf-8")).text
    assert "It doubles" in page((tmp_path / "panel", results, question), "bob").text
    assert "lopez" not in ended.output


def test_an_empty_folder_and_no_folder_are_one_sentence(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    results = panelling.put(question, tmp_path / "results", {})
    with pytest.raises(CallError, match="nothing was graded in it"):
        command.write([results.folder], tmp_path / "panel", lambda _: question)
    with pytest.raises(CallError, match="this is no results folder"):
        command.write([tmp_path / "nowhere"], tmp_path / "panel", lambda _: question)


# Names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ana-lopez", "by Ana Lopez, ana.lopez@example.org, ANA_LOPEZ and lopez"),
        ("AnaLopez.py", "AnaLopez.py: written by Ana Lopez"),
        ("Zoë Müller (2).py", "Zoë Müller, Zoe Muller, zoë müller, Müller"),
        ("jose\u0301-ruiz", "José Ruiz, jose ruiz"),
        ("ana-maria-lopez", "By Ana Lopez? No: by Ana Maria, or Maria Lopez"),
        ("x.y@example.org", "mail x.y@example.org"),
        ("a\x1b[1m-lopez", r"lopez and a\x1b[1m-lopez"),
        ("lopez" * 20, f"shown as {('lopez' * 20)[:59]}…"),
    ],
)
def test_every_way_to_write_a_name_is_taken_out(name: str, text: str) -> None:
    shown = names.redactor([name], "red-hawk-11")(text)
    assert "red-hawk-11" in shown
    assert not re.search("lopez|müller|muller|ruiz|jos|x\\.y", shown, re.IGNORECASE)


def test_words_of_the_question_and_of_python_stay() -> None:
    text = "table = max(range(3, 0), key=torch.table)  # the table, v3"
    for name in ("table.py", "max", "torch-table", "range", "solution.py", "a.py", "my", "v3.py", "3-0"):
        assert names.redactor([name], "red-hawk-11", {"table", "torch"})(text) == text
    plain = names.redactor(["ana-lopez/solution.py", "table.py"], "red-hawk-11", {"table"})
    assert plain("solution.py:3, table.py:4, by lopez") == "solution.py:3, table.py:4, by red-hawk-11"


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=60))
def test_no_name_breaks_the_taking_out_and_lines_stay_lines(name: str, text: str) -> None:
    assert names.redactor([name], "red-hawk-11")(text).count("\n") == text.count("\n") or "\n" in name


# Code


def test_lines_are_those_of_the_source_whatever_is_in_them() -> None:
    source = 'x = """a\n\n  b"""\nif x:\n\tprint("<b>\\x1b\x1b")\n\f# \u202e done\n'
    lines = code.lines(source, {2: "why"})
    assert [line.text for line in lines] == [
        'x = """a',
        "",
        '  b"""',
        "if x:",
        '    print("<b>\\x1b\\x1b")',
        "\\x0c# \\u202e done",
    ]
    assert [line.why for line in lines] == ["", "why", "", "", "", ""]
    assert code.lines("") == []


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_no_source_loses_or_gains_a_line(source: str) -> None:
    lines = code.lines(source)
    expected = re.split(r"\r\n|\r|\n", source.rstrip("\r\n")) if source.strip() else []
    assert [line.text for line in lines] == [inert.line(each.expandtabs(4), code.LONGEST) for each in expected]


def test_a_definition_is_found_with_its_decorators_and_the_last_one_counts() -> None:
    source = "def f(): pass\n\n@g\n@h\ndef f():\n    return 1\n\nif True:\n    class C: pass\nk = 3\n"
    found = code.places(source, ["f", "C", "k", "missing"])
    assert {name: (place.first, place.last) for name, place in found.items()} == {
        "f": (3, 6),
        "C": (9, 9),
        "k": (10, 10),
    }
    assert found["f"].words == "lines 3 to 6" and found["C"].words == "line 9"
    assert code.places("def (", ["f"]) == {}


def test_the_lines_that_a_failure_is_about_are_marked_and_no_others(plain: tuple[Path, Results, Question]) -> None:
    out, results, _ = plain
    source = (out / f"{results.find('ana-lopez-failed').code}.html").read_text("utf-8")
    assert re.findall(r'<li id="why-interleave-L(\d+)" class="marked">', source) == ["4", "5"]
    passed = (out / f"{results.find('ana-lopez-passed').code}.html").read_text("utf-8")
    assert re.findall(r'<li id="why-interleave-L(\d+)" class="marked">', passed) == ["4"]  # a note to look at


# Tables and their pictures


def pixels(uri: str) -> tuple[int, int, list[list[tuple[int, ...]]]]:
    """Width, height and rows of pixels of a PNG, read without the code that wrote it."""
    raw = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(raw):
        size, kind = struct.unpack(">I4s", raw[at : at + 8])
        parts[kind] = raw[at + 8 : at + 8 + size]
        assert struct.unpack(">I", raw[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + parts[kind])
        at += 12 + size
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    data = zlib.decompress(parts[b"IDAT"])
    rows = [data[y * (3 * width + 1) + 1 : (y + 1) * (3 * width + 1)] for y in range(height)]
    return width, height, [[tuple(row[3 * x : 3 * x + 3]) for x in range(width)] for row in rows]


def test_a_heat_map_is_white_at_zero_blue_below_and_orange_above() -> None:
    width, height, rows = pixels(heatmap.png([[-1.0, 0.0, 1.0], [None, 0.5, 99.0]], 1.0))
    high = height // 2
    assert (width, height) == (60, 40)
    assert [rows[high // 2][x] for x in (10, 30, 50)] == [heatmap.BLUE, heatmap.WHITE, heatmap.ORANGE]
    assert rows[-1][-1] == heatmap.ORANGE  # what is beyond the scale
    assert {rows[y][x] for y in range(high, height) for x in range(20)} == {heatmap.BLACK, heatmap.WHITE}
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (heatmap.BLUE, heatmap.ORANGE, heatmap.WHITE)]
    assert grey[0] < grey[1] - 40 < grey[2] - 80  # apart on grey paper, too


def test_three_pictures_share_a_scale_and_say_what_they_show() -> None:
    made = heatmap.picture(panelling.TABLE)
    assert made.scale == 24  # four times the largest right number, which 1e300 does not stretch
    assert [panel.title for panel in made.panels] == ["Submission", "Right", "Difference"]
    assert "1 of its numbers is not finite" in made.caption and "beyond the scale" in made.caption
    assert made.caption.endswith("at row 1, column 1: 1e+300 instead of 2.")
    for panel in made.panels:
        assert panel.alt.startswith(panel.title) and pixels(panel.png)[:2] == (panel.width, panel.height)


def test_a_faint_difference_is_drawn_larger_and_says_so() -> None:
    near = TablePart(
        of="t", source="reference", shape=[1, 2], rows=[0], columns=[0, 1], got=[[1.00004, 0.5]], wanted=[[1.0, 0.5]]
    )
    made = heatmap.picture(near)
    assert made.panels[2].title == "Difference, 10,000 times as large"
    assert pixels(made.panels[2].png)[2][0][0] != heatmap.WHITE
    assert made.panels[1].title == "Reference"


numbers = st.floats(width=32) | st.sampled_from([np.inf, -np.inf, np.nan, 1e308, -1e308, 1e-320, 0.0])


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 60), st.integers(1, 60), st.data())
def test_any_two_arrays_make_a_table_that_can_be_drawn(many: int, rows: int, columns: int, data: st.DataObject) -> None:
    shape = (many, rows, columns) if data.draw(st.booleans()) else (rows, columns)
    wanted = np.zeros(shape)
    got = wanted.copy()
    for _ in range(4):
        got[tuple(data.draw(st.integers(0, length - 1)) for length in shape)] = data.draw(numbers)
    made = tables.drawn(got, wanted, "it")
    if made is None:
        assert np.nan_to_num(np.abs(got), nan=np.inf).max() <= tables.LEAST_DIFFERENCE
        return
    assert len(made.rows) <= 48 and len(made.columns) <= 48
    part = TablePart(**{name: getattr(made, name) for name in TablePart.model_fields})
    assert TablePart.model_validate_json(part.model_dump_json()) == part
    json.dumps(part.model_dump(), allow_nan=False)
    shown = np.array([[np.nan if n is None else n for n in row] for row in made.got])
    assert np.isnan(shown).any() or np.abs(shown).max() > 0  # what differs is in the block that is shown
    picture = heatmap.picture(part)
    assert all(pixels(panel.png)[:2] == (panel.width, panel.height) for panel in picture.panels)


def test_a_comparison_that_fails_shows_the_block_where_it_does() -> None:
    wanted = np.arange(200.0 * 100).reshape(200, 100)
    got = wanted.copy()
    got[150, 70] += 1
    with pytest.raises(Mismatch) as caught:
        expect_close(got, wanted, atol=1e-3, of="the map")
    made = caught.value.table
    assert made is not None and made.of == "the map" and made.source == "check"
    assert 150 in made.rows and 70 in made.columns and made.shape == [200, 100]
    row, column = made.rows.index(150), made.columns.index(70)
    assert made.got[row][column] != made.wanted[row][column]
    got[0, 0] = np.nan
    with pytest.raises(Mismatch, match="expected finite numbers") as caught:
        expect_close(got, wanted, atol=1e-3, of="the map")
    assert caught.value.table is not None and caught.value.table.got[0][0] is None


@pytest.mark.parametrize("value", [np.zeros((3, 4)), np.zeros(3), None, np.ones((2, 2), bool)])
def test_what_has_no_table_has_no_picture(value: object) -> None:
    assert tables.drawn(value, np.zeros((2, 2)), "it") is None
    assert tables.drawn(np.zeros((2, 2)), np.zeros((2, 2)), "it") is None


def test_a_wrong_table_is_shown_beside_the_reference_the_same_every_time(zygote: Zygote) -> None:
    """Checks of properties hold no right table; the reference is asked, and only for what is wrong."""
    question = Bank.find().get("swap-learned-positions")
    wrong = HERE / "solutions" / question.id / "wrong" / "sines-first.py"
    with Engine(question, zygote) as engine:
        one, other, right = (engine.grade(path) for path in (wrong, wrong, wrong.parents[1] / "reference.py"))
    assert replace_timing(one.to_json()) == replace_timing(other.to_json())
    shown = {part.id: [e.table for e in part.evidence if e.table] for part in one.criteria}
    assert [len(each) for id, each in shown.items() if id != "interleaved-layout"] == [0] * (len(shown) - 1)
    (table,) = shown["interleaved-layout"]
    assert table.source == "reference" and table.of.startswith("sinusoidal_pe(")
    assert table.wanted[0][1::2] == [1.0] * 4  # cosines at position 0
    assert table.got[0] == [0.0] * 4 + [1.0] * 4  # sines first
    failed = next(part for part in one.criteria if part.id == "interleaved-layout")
    assert all(evidence.about == ["sinusoidal_pe"] for evidence in failed.evidence)
    for part in right.criteria:
        assert all(not evidence.table and not evidence.about for evidence in part.evidence)


def replace_timing(text: str) -> dict[str, object]:
    fields: dict[str, object] = json.loads(text)
    del fields["timing"]
    return fields


def test_a_report_shows_its_table_and_feedback_does_not(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    made = panelling.report(question, "ana")
    written = {path.name: path.read_text("utf-8") for path in files.write(made, tmp_path / "out")}
    assert written["report.html"].count("data:image/png") == 4
    assert heatmap.picture(panelling.TABLE).panels[0].alt in written["report.html"]
    assert "data:image" not in written["feedback.html"] and "1e+300" not in written["feedback.md"]


# PDF


@pytest.mark.skipif(find_spec("typst") is None, reason="the extra `pdf` is not installed")
def test_a_pdf_for_each_candidate_with_hostile_words(tmp_path: Path) -> None:
    out, results, _ = panelling.everything(tmp_path, with_pdf=True)
    for candidate in results.candidates:
        raw = (out / f"{candidate.code}.pdf").read_bytes()
        assert raw.startswith(b"%PDF-") and raw.rstrip().endswith(b"%%EOF")
        assert not re.search(rb"/JavaScript|/JS\b|/Launch|/URI\b|/EmbeddedFile", raw)


def test_without_typst_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = marking.question(marking.bank(tmp_path))
    results = panelling.put(question, tmp_path / "results", {"a": panelling.report(question, "a")})
    monkeypatch.setattr("grader.render.pdf.find_spec", lambda _: None)
    with pytest.raises(CallError, match=r"pip install 'takehome-grader\[pdf\]'") as caught:
        command.write([results.folder], tmp_path / "panel", lambda _: question, with_pdf=True)
    assert "\n" not in str(caught.value) and not (tmp_path / "panel").exists()


# The command


def test_the_command_writes_all_and_says_where(tmp_path: Path) -> None:
    question = marking.question(marking.bank(tmp_path))
    results = panelling.put(question, tmp_path / "results", {"ana": panelling.report(question, "ana", Outcome.PASSED)})
    who = results.find("ana").code
    decided = tmp_path / "d.csv"
    decided.write_text(f"code,overall,interviewer\n{who},yes,Ada\n", "utf-8")
    out = tmp_path / "panel"
    asked = ["panel", str(results.folder), "-o", str(out), "--overall", str(decided), "--questions"]
    ended = CliRunner().invoke(main, [*asked, str(tmp_path / "questions")])
    assert ended.exit_code == 0, ended.output
    assert ended.output == f"1 candidate. Written: {out / 'index.html'}\n"
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    single = {"index.html", f"{who}.html", "panel.json", "junit.xml", "scorecard.csv", "scorecard.json"}
    folders = {f"{kind}/why-interleave/{who}/results.json" for kind in ("gradescope", "prairielearn")}
    assert written == {*single, *folders, f"feedback/why-interleave/{who}.html"}
    cards = json.loads((out / "scorecard.json").read_text("utf-8"))["scorecards"]
    assert (cards[0]["overall"], cards[0]["interviewer"]) == ("yes", "Ada")
