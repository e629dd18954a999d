"""What a report looks like: the same facts for every reader, and no word of a stranger comes alive."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader import inert
from grader.errors import CallError
from grader.outcome import Outcome, Verdict
from grader.render import candidate, markdown, words
from grader.render.feedback import feedback
from grader.render.files import write
from grader.render.html import page, segments
from grader.render.terminal import summary
from grader.report import (
    AnswerPart,
    CriterionPart,
    DiagnosisPart,
    Evidence,
    IntegrityPart,
    Isolation,
    QuestionPart,
    Report,
    Score,
    SubmissionPart,
)
from tests.pages import Tree

HOSTILE: Final = {
    "ansi": "\x1b[2J\x1b[31mpassed\x1b[0m",
    "osc 8 link": "\x1b]8;;https://evil.example/\x1b\\click\x1b]8;;\x1b\\",
    "osc title": "\x1b]0;owned\x07",
    "c1": "\x9b31mred\x85next",
    "bidi": "safe\u202egnp.exe\u2066\u2069",
    "zero width": "pass\u200b\u200d\ufeff\u2060ed\u00ad",
    "separators": "one\u2028two\u2029three\rfour\nfive\x0bsix",
    "lone surrogate": "name\udc80\ud800",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)></style></title>",
    "html entity": "&lt;script&gt; &#x1b;",
    "template": "{{ report.seed }}{% raw %}{# x #}",
    "markdown link": "[click](https://evil.example) ![x](http://evil.example/a.png) <https://evil.example>",
    "markdown reference": "[a]: http://evil.example",
    "autolinks": "see www.evil.example or https://evil.example, mail a@evil.example or mailto:a@evil.example",
    "backticks": "`` ` ``` end",
    "fence": "```\n</div>\n# heading\n```",
    "heading": "# heading",
    "bullet": "- [ ] task",
    "number": "1. first",
    "rule": "---",
    "table": "| a | b |\n|---|---|",
    "emphasis": "**bold** _it_ __init__ ~~gone~~ *a*",
    "rich markup": "[red]red[/red] [link=https://evil.example]x[/link] [/] :skull:",
    "many escapes": "\x1b[31m" * 8000,
    "long word": "a" * 8000,
    "invisible marks": "a\ufe0f\U000e0041\u3164\u034f\ue000",
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)

TITLES: Final = {
    "interleaved-layout": ("Sines and cosines alternate", 10, True),
    "frequency-ladder": ("Every pair has its frequency", 10, True),
    "positions-from-zero": ("Positions start at zero", 6, False),
    "odd-width": ("An odd width ends in zeros and keeps its full width", 10, True),
    "angle-precision": ("Angles are computed in float64", 5, False),
    "buffer-registered": ("The table is a registered buffer", 10, True),
    "no-parameters": ("The module has no parameters", 5, False),
    "parameter-delta": ("The GPT has exactly one table fewer to learn", 8, True),
    "first-rows-added": ("The first T rows are added to every sequence", 8, False),
    "add-not-in-place": ("The caller's embeddings stay as they were", 8, True),
    "forward-unchanged": ("The GPT works as before", 6, False),
    "too-long-sequence": ("Sequences past the end are refused or served correctly", 4, False),
    "unique-counter": ("The counter counts each parameter once", 5, False),
    "parameter_delta": ("The change in the parameter count is right", 5, False),
}
TELL: Final = "Column 2i should hold the sine and column 2i + 1 the cosine of the same angle."
SEEN: Final = "column 1 holds sin(p), expected cos(p): sines fill the first half"


def criterion(id: str, outcome: Outcome = Outcome.PASSED, seen: str = "", feedback: str = "") -> CriterionPart:
    """A criterion of the sample question, with two checks of which the second speaks for it."""
    title, points, required = TITLES[id]
    return CriterionPart(
        id=id,
        title=title,
        points=points,
        earned=points if outcome is Outcome.PASSED else 0,
        required=required,
        outcome=outcome,
        feedback=feedback,
        evidence=[
            Evidence(check=f"CHECK the {id} at width 8", outcome=Outcome.PASSED),
            Evidence(check=f"CHECK the {id} at width 768", outcome=outcome, seen=seen),
        ],
    )


def sample(outcomes: dict[str, Outcome] | None = None, **changes: Any) -> Report:
    """The report of a submission that has its sines first, or with other `outcomes`."""
    ended = {"interleaved-layout": Outcome.FAILED} if outcomes is None else outcomes
    criteria = [criterion(id, ended[id], seen=SEEN, feedback=TELL) if id in ended else criterion(id) for id in TITLES]
    fields: dict[str, Any] = {
        "question": QuestionPart(
            id="swap-learned-positions",
            version=1,
            title="Swap the learned position table for a fixed one",
            digest="sha256:9d1f0c3b7a52e84d6c1f2ab09e7743d5518f6a0c2be94d37f1a8805cc6e2b419",
        ),
        "submission": SubmissionPart(
            name="ana-lopez",
            digest="4c1f82aa07d3be59167e0d84c3f2916b5a7e0f83d1c94b26e85d7a30f6b1c298",
            files=["solution.py", "answers.yaml"],
            notes=["solution.py begins with a byte order mark, which was left out."],
        ),
        "verdict": Verdict.PASSED if not ended else Verdict.FAILED,
        "score": Score(earned=sum(each.earned for each in criteria), possible=100),
        "criteria": criteria,
        "diagnosis": [
            DiagnosisPart(
                id="sines-first",
                title="Sines in one half, cosines in the other",
                why="The numbers are the same, but in other columns. WHY a model expects pairs.",
                criteria=["interleaved-layout"],
            )
        ],
        "answers": [
            AnswerPart(
                id="parameter_delta",
                kind="integer",
                prompt="By how much does the parameter count change, after minus before?",
                given="786432",
                outcome=Outcome.PASSED,
                note="The size is right. The question asks for after minus before, so the sign is negative.",
            ),
            AnswerPart(
                id="why_interleave",
                kind="text",
                prompt="Why interleave sines and cosines, rather than put each in a half of its own?",
                given="Each pair is one rotation.\n\n  sin(p w), cos(p w)\n\nWeights depend on the order.",
                outcome=None,
            ),
            AnswerPart(
                id="what_base_controls",
                kind="text",
                prompt="What does the base control?",
                given=" ",
                outcome=None,
            ),
        ],
        "integrity": [IntegrityPart(id="reads-the-stack", where="solution.py:12", detail="calls sys._getframe")],
        "isolation": Isolation(tier="sealed", probes={"network": True, "children": True, "files": True}),
        "seed": 20240611,
        "environment": {"python": "3.11.2", "torch": "2.13.0", "platform": "Linux x86-64"},
        "timing": {"total": 0.412, "workers": 0.233},
    }
    return Report(**{**fields, **changes})


def refused(why: str = "solution.py:7:12: this is not Python: '(' was never closed.") -> Report:
    """The report of a submission that could not be read."""
    return sample(
        verdict=Verdict.REFUSED,
        score=Score(earned=0, possible=0),
        criteria=[],
        answers=[],
        diagnosis=[DiagnosisPart(id="refused", title="Refused", why=why, criteria=[])],
    )


def tainted(text: str) -> Report:
    """A report that holds the text wherever a stranger's words can end up."""
    part = criterion("odd-width", Outcome.FAILED, seen=text, feedback=TELL)
    return sample(
        submission=SubmissionPart(name=text, digest="0" * 64, files=[text, "answers.yaml"], notes=[text]),
        criteria=[part.model_copy(update={"evidence": [Evidence(check="c", outcome=Outcome.CRASHED, seen=text)]})],
        answers=[
            AnswerPart(id="a", kind="text", prompt="Why?", given=text, outcome=None),
            AnswerPart(id="b", kind="integer", prompt="How many?", given=text, outcome=Outcome.FAILED, note=text),
        ],
        integrity=[IntegrityPart(id="i", where=text, detail=text)],
        environment={"python": text},
    )


def terminal(report: Report, width: int | None = None) -> str:
    """The summary as it is written to a pipe, or wrapped at a width."""
    stream = io.StringIO()
    summary(report, stream, width=width)
    return stream.getvalue()


def assert_visible(text: str) -> None:
    """No character of the text moves a cursor, hides or turns the words around."""
    strange = {character for character in text if not character.isprintable() and character not in "\n\xa0"}
    assert not strange
    assert not inert.INVISIBLE & set(text)


def links_and_html(source: str) -> set[str]:
    """What of a Markdown text a reader would turn into more than words."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(source)
    flat = [child for token in tokens for child in (token, *(token.children or []))]
    alive = (
        "link_open",
        "image",
        "html_inline",
        "html_block",
        "table_open",
        "hr",
        "em_open",
        "strong_open",
        "s_open",
    )
    return {token.type for token in flat} & {*alive, "ordered_list_open", "blockquote_open"}


# A stranger's words


@hostile
def test_one_line_is_one_visible_line(text: str) -> None:
    shown = inert.line(text)
    assert_visible(shown)
    assert "\n" not in shown


@hostile
def test_lines_keep_their_breaks_and_nothing_else(text: str) -> None:
    shown = inert.text(text)
    assert_visible(shown)
    assert shown.count("\n") == text.count("\n")


def test_escapes_name_the_character() -> None:
    assert inert.line("\x1b[1m\u202e\U000e0041\n\udc80") == r"\x1b[1m\u202e\U000e0041\n\udc80"


@pytest.mark.parametrize("text", ["Zoë, José", "日本語の答え", "Привет", "שלום", "naïve π ≈ 3.14 → ✓", "नमस्ते"])
def test_every_script_reads_as_written(text: str) -> None:
    assert inert.line(text) == text


def test_spaces_of_honest_prose_are_spaces() -> None:
    assert inert.line("pourquoi\u202f?\u00a0oui\u3000x") == "pourquoi ? oui x"


def test_a_long_line_says_how_much_was_left_out() -> None:
    assert inert.line("a" * 1500, 10) == "a" * 10 + "… (1,490 more characters)"


@hostile
def test_the_terminal_shows_hostile_words_as_words(text: str) -> None:
    for width in (None, 80, 120):
        assert_visible(terminal(tainted(text), width))


@hostile
def test_the_page_shows_hostile_words_as_words(text: str) -> None:
    honest, tree = Tree(page(tainted("x"))), Tree(page(tainted(text)))
    assert_visible(page(tainted(text)))
    assert tree.tags == honest.tags
    assert [name for name, _ in tree.attributes] == [name for name, _ in honest.attributes]
    assert not tree.open


@hostile
def test_the_feedback_page_shows_hostile_words_as_words(text: str) -> None:
    for report, honest in ((tainted(text), tainted("x")), (refused(text), refused("x"))):
        tree = Tree(candidate.page(report))
        assert_visible(candidate.page(report))
        assert tree.tags == Tree(candidate.page(honest)).tags
        assert not tree.open


@hostile
def test_feedback_shows_hostile_words_as_words(text: str) -> None:
    for report in (tainted(text), refused(text)):
        shown = feedback(report)
        assert_visible(shown)
        assert not links_and_html(shown)


@hostile
def test_json_is_visible_and_says_the_same(text: str, tmp_path: Path) -> None:
    written = write(tainted(text), tmp_path)[0].read_text("utf-8")
    assert_visible(written)
    assert Report.from_fields(json.loads(written)) == tainted(text)


def test_rich_markup_in_a_message_stays_letters() -> None:
    assert "[red]red[/red] [link=https://evil.example]x[/link] [/] :skull:" in terminal(tainted(HOSTILE["rich markup"]))


def test_eight_thousand_escapes_do_not_flood_the_terminal() -> None:
    assert max(map(len, terminal(tainted(HOSTILE["many escapes"])).splitlines())) < 1500


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_no_text_comes_alive_in_markdown(text: str) -> None:
    prose, code = markdown.prose(text), markdown.code(text)
    source = f"- {prose}\n- {code}\n\n# {prose}\n\n{prose}\n"
    assert_visible(source)
    assert not links_and_html(source)


@settings(max_examples=60, deadline=None)
@given(st.text("`*_-+=#>.1)(a \\~|![]<&", max_size=24))
def test_no_punctuation_comes_alive_in_markdown(text: str) -> None:
    rendered = MarkdownIt("commonmark").parse(f"{markdown.prose(text)}x\n\n{markdown.code(text)}\n")
    assert [token.type for token in rendered] == ["paragraph_open", "inline", "paragraph_close"] * 2
    kinds = {child.type for token in rendered for child in token.children or []}
    assert kinds <= {"text", "code_inline", "text_special"}


# The terminal


def test_a_pipe_gets_one_line_per_criterion_and_no_codes() -> None:
    lines = terminal(sample()).splitlines()
    for title, points, _ in TITLES.values():
        earned = 0 if title == "Sines and cosines alternate" else points
        assert sum(bool(re.match(rf"  [✓✗] \w+ +{earned}/{points}  {title}", line)) for line in lines) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u2500-\u257f]", terminal(sample()))


def test_a_pipe_never_wraps() -> None:
    long = "the table has " + "very " * 60 + "many rows"
    report = sample(criteria=[criterion("odd-width", Outcome.FAILED, seen=long)])
    assert long in terminal(report)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_terminal_line_fits(width: int) -> None:
    assert max(map(len, terminal(sample(), width).splitlines())) <= width


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return Screen()


def test_a_terminal_gets_colours(screen: Screen) -> None:
    summary(sample(), screen)
    assert "\x1b[1;31m✗ failed\x1b[0m" in screen.getvalue()


def test_no_color_is_respected(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    summary(sample(), screen)
    assert not re.search(r"\x1b\[[\d;]*3\dm", screen.getvalue())


def test_the_summary_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    summary(sample())
    assert capsys.readouterr().out == terminal(sample())


def test_a_stream_without_the_glyphs_gets_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    summary(sample(), stream)
    stream.flush()
    assert rb"\u2717 failed" in raw.getvalue()


def test_the_summary_names_what_was_seen_and_why() -> None:
    shown = terminal(sample())
    assert shown.startswith("failed, 90 of 100 points, 13 of 14 criteria\n1 of 6 required criteria did not pass.\n")
    assert shown.count(SEEN) == 1
    for words_of_it in (
        "Sines and cosines alternate (required)",
        "swap-learned-positions, version 1",
        "ana-lopez (solution.py, answers.yaml)",
        "Sines in one half, cosines in the other (sines-first)",
        "costs  Sines and cosines alternate",
        "parameter_delta: 786432",
        "1 of 2 texts given, for a person to read; not given: what_base_controls",
        "solution.py:12: calls sys._getframe (reads-the-stack)",
        "isolation   sealed, all 3 probes held",
        "seed        20240611",
    ):
        assert words_of_it in shown


def test_a_probe_that_did_not_hold_is_named() -> None:
    report = sample(isolation=Isolation(tier="confined", probes={"network": False, "files": True}))
    for shown in (terminal(report), page(report)):
        assert "confined, 1 of 2 probes did not hold: network" in shown


# Every reader


READERS: Final[list[Callable[[Report], str]]] = [terminal, page, feedback, candidate.page]


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("show", READERS, ids=["terminal", "page", "feedback", "feedback page"])
def test_every_outcome_has_its_glyph_and_its_words(outcome: Outcome, show: Callable[[Report], str]) -> None:
    shown = show(sample({"odd-width": outcome}))
    assert outcome.glyph in shown
    assert outcome.words in shown.lower()


@pytest.mark.parametrize("show", READERS, ids=["terminal", "page", "feedback", "feedback page"])
def test_what_was_not_measured_has_no_number(show: Callable[[Report], str]) -> None:
    report = sample({"odd-width": Outcome.GRADER_FAULT}, verdict=Verdict.GRADER_FAULT)
    shown = show(report)
    assert re.search("–(/| of )10", shown)
    assert not re.search(r"\b0(/| of )10\b", shown)


@pytest.mark.parametrize("show", READERS, ids=["terminal", "page", "feedback", "feedback page"])
def test_a_refusal_says_why_and_shows_no_criteria(show: Callable[[Report], str]) -> None:
    shown = show(refused("solution.py is not text:\n  byte 0xff in line 3"))
    assert "refused, nothing was graded" in re.sub("</p>\n<p[^>]*>", ", ", shown)
    assert "  byte 0xff in line 3" in shown
    assert "Criteria" not in shown


def test_a_report_without_anything_to_show_is_shown() -> None:
    bare = sample(criteria=[], diagnosis=[], answers=[], integrity=[], environment={}, timing={})
    for show in READERS:
        assert show(bare)


# The candidate's feedback


def test_feedback_gives_the_specs_sentence_and_the_points() -> None:
    shown = feedback(sample())
    assert (
        f"### ✗ Sines and cosines alternate\n\nFailed: 0 of 10 points. This criterion is required.\n\n{TELL}" in shown
    )
    assert "- ✓ Positions start at zero: 6 of 6 points" in shown
    assert "(given; checked by the grader: ✓ passed)" in shown
    assert "(given, for people to read)" in shown
    assert "(not given)" in shown


def test_feedback_explains_an_outcome_in_a_fixed_sentence() -> None:
    for outcome, meaning in words.MEANING.items():
        assert meaning in feedback(sample({"odd-width": outcome}))


def test_a_fault_of_ours_is_no_reproach() -> None:
    for show in (feedback, candidate.page):
        assert TELL not in show(sample({"odd-width": Outcome.GRADER_FAULT}))
        assert TELL in show(sample({"odd-width": Outcome.FAILED}))


def test_the_feedback_page_says_what_feedback_says() -> None:
    """The same facts in both: titles, points, states of answers, notes; and levels only once people gave them."""
    report = sample()
    shown = Tree(candidate.page(report)).text
    for title, points, _ in TITLES.values():
        assert title in shown and f"/{points} points" in shown
    for said in (
        "Given, for people to read.",
        "Not given.",
        "Given; checked by the grader.",
        report.submission.notes[0],
    ):
        assert said in shown
    assert "Read by" not in shown
    read = candidate.page(
        report, {"why_interleave": candidate.Read("weak", 2, "solid, which has every required point")}
    )
    shown = Tree(read).text
    assert "Read by 2 people: weak. The next level is solid, which has every required point." in shown


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(list(TITLES)), st.sampled_from(list(Outcome))))
def test_feedback_never_says_what_a_hidden_test_knows(outcomes: dict[str, Outcome]) -> None:
    report = sample(outcomes)
    shown = feedback(report) + candidate.page(report)
    secrets = [each.seen or each.check for part in report.criteria for each in part.evidence]
    secrets += [text for each in report.diagnosis for text in (each.id, each.title, each.why)]
    secrets += [*report.environment.values(), str(report.seed), "CHECK", "WHY", "sys._getframe", "sealed"]
    secrets += [note for each in report.answers if (note := each.note)]
    assert not [secret for secret in secrets if secret in shown]


def test_a_refused_candidate_learns_how_to_send_it_again() -> None:
    shown = feedback(refused())
    assert "`solution.py:7:12`: this is not Python: '(' was never closed." in shown
    assert "send it again" in shown


def test_a_refused_run_says_nothing_of_criteria_that_were_not_measured() -> None:
    report = refused()
    unmeasured = [part.model_copy(update={"outcome": Outcome.NOT_REACHED}) for part in sample().criteria]
    report = report.model_copy(update={"criteria": unmeasured})
    assert any(part.required for part in report.criteria)
    for shown in (terminal(report), page(report), feedback(report)):
        assert "required criteria did not pass" not in shown


# The page


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    for report in (sample(), sample({}), refused(), sample(dict.fromkeys(TITLES, Outcome.NOT_REACHED))):
        source = page(report)
        tree = Tree(source)
        assert not tree.open
        assert {"script", "link", "img", "iframe", "object", "base", "form"}.isdisjoint(tree.tags)
        assert not re.search(r"https?://|@import|url\((?!#)", source)
        assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in source
        ids = [value for name, value in tree.attributes if name == "id"]
        assert len(ids) == len(set(ids))


def test_links_on_the_page_lead_to_its_own_criteria() -> None:
    tree = Tree(page(sample()))
    ids = {value for name, value in tree.attributes if name == "id"}
    targets = [value or "" for name, value in tree.attributes if name == "href"]
    assert targets and all(target[0] == "#" and target[1:] in ids for target in targets)


def test_only_the_evidence_of_what_did_not_pass_is_open() -> None:
    attributes = Tree(page(sample())).attributes
    assert [name for name, _ in attributes].count("open") == 1


def test_the_bar_fills_its_width_and_shows_what_was_earned() -> None:
    bar = segments(sample().criteria)
    assert bar[-1].x + bar[-1].width == pytest.approx(1000, abs=0.1)
    assert [part.earned > 0 for part in bar] == [part.criterion.outcome is Outcome.PASSED for part in bar]


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb`, after WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_colour_of_the_page_reads_well_on_its_ground() -> None:
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", page(sample())))
    assert {*map(str, Outcome), *map(str, Verdict)} <= set(colours)
    grounds = {name: f"{name}-tint" for name in colours if f"{name}-tint" in colours}
    for name, ground in {**grounds, "ink": "wash", "soft": "wash", "link": "paper"}.items():
        light, dark = luminance(colours[ground]), luminance(colours[name])
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


# The files


def test_a_run_leaves_four_whole_files(tmp_path: Path) -> None:
    paths = write(sample(), tmp_path / "new" / "out")
    assert [path.name for path in paths] == ["report.json", "report.html", "feedback.md", "feedback.html"]
    assert sorted(paths) == sorted((tmp_path / "new" / "out").iterdir())
    assert Report.from_fields(json.loads(paths[0].read_text("utf-8"))) == sample()
    assert paths[0].read_text("utf-8") == sample().to_json()


def test_the_same_report_is_the_same_bytes(tmp_path: Path) -> None:
    for once, again in zip(write(sample(), tmp_path / "a"), write(sample(), tmp_path / "b"), strict=True):
        assert once.read_bytes() == again.read_bytes()


def test_a_file_that_can_not_be_replaced_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(CallError, match=r"report\.html: this can't be written \(.+\)\. Name a folder"):
        write(sample(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_a_folder_that_can_not_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CallError) as caught:
        write(sample(), tmp_path / "file" / "out")
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "file") in str(caught.value)
