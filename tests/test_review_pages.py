"""The pages of the review room: what they show and to whom, and that marks there are the marks of the terminal."""

from __future__ import annotations

import html
import http.client
import io
import json
import os
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from grader import inert
from grader.cli import main
from grader.marks import Marks, drafts, work
from grader.marks import purge as purging
from grader.marks.saving import Draft
from grader.marks.session import Session
from grader.marks.terminal import step
from grader.marks.walks import Walk, walk
from grader.outcome import Outcome
from grader.panel import command
from grader.question import Question
from grader.results import Results
from grader.review import access, index, passages, prose, static
from grader.review.app import create
from grader.review.preview import files
from tests import marking, pages, panelling, reviewing
from tests.reviewing import Browser, Reply

INTERLEAVE: Final = "why_interleave"
BASE: Final = "what_base_controls"
PEOPLE: Final = {"ina": "interviewer", "pat": "panel", "eva": "panel", "ada": "admin"}


@dataclass
class There:
    """A room with users, whose browsers are signed in."""

    base: str
    results: Results
    question: Question
    browsers: dict[str, Browser]

    def browser(self, who: str) -> Browser:
        if who not in self.browsers:
            self.browsers[who] = Browser(self.base)
            assert self.browsers[who].sign_in(who).status == 303
        return self.browsers[who]

    def get(self, who: str, path: str) -> Reply:
        return self.browser(who).get(path)

    def look(self, who: str, path: str) -> str:
        """The words of a page that is there."""
        reply = self.get(who, path)
        assert reply.status == 200, (path, reply.status, reply.text[:800])
        return pages.Tree(reply.text).text

    def code(self, name: str) -> str:
        return self.results.find(name).code

    def marks(self) -> Marks:
        return Marks.open(self.results)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    """A room with candidates of every outcome, hostile words everywhere, and no mark yet."""
    question = marking.question(marking.bank(tmp_path))
    said = panelling.HOSTILE.format("words")
    reports = {
        f"ana-lopez-{each}": panelling.report(question, f"ana-lopez-{each}", Outcome(each), said)
        for each in panelling.OUTCOMES
    }
    reports["Zoë Müller (2).py"] = panelling.refused(question, "Zoë Müller (2).py", said)
    results = panelling.put(question, tmp_path / "results", reports)
    with room(tmp_path, results, question) as made:
        yield made


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[There]:
    """A room with three candidates who wrote the same, to be marked."""
    question, results = marking.folder(tmp_path, "ana", "bo", "cy")
    with room(tmp_path, results, question) as made:
        yield made


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agreement is looked up as often as a page is, so that no test waits for it."""
    monkeypatch.setattr("grader.review.room.AGREEMENT_SECONDS", 0.001)


@contextmanager
def room(folder: Path, results: Results, question: Question) -> Iterator[There]:
    way = access.with_users(reviewing.users_file(folder, PEOPLE), results.folder)
    with reviewing.served(create(results.folder, way, lambda _: question)) as base:
        yield There(base, results, question, {})


def fields(reply: Reply, **filled: Any) -> dict[str, Any]:
    """The form of marking as it stands in a page, filled in."""
    form: dict[str, Any] = {"ticked": []}
    for tag in re.findall(r"<input[^>]*>", reply.text):
        about = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if about.get("type") == "checkbox" and " checked" in tag and "name" in about:
            if about["name"] == "ticked":
                form["ticked"].append(about["value"])
            else:
                form[about["name"]] = about["value"]
        elif about.get("type") == "hidden":
            form[about["name"]] = about["value"]
    for name, words in re.findall(r'<textarea name="(\w+)"[^>]*>([^<]*)</textarea>', reply.text):
        form[name] = html.unescape(words)
    return {**form, "do": "save", **filled}


def mark(
    there: There, who: str, name: str, answer: str = INTERLEAVE, *, walked: Walk = Walk.LEFT, **filled: Any
) -> Reply:
    """Mark an answer as somebody who has its page open."""
    address = f"/mark/{walked}/{answer}/{there.code(name)}"
    page = there.get(who, address)
    assert page.status == 200, page.text[:500]
    return there.browser(who).post(address, fields(page, **filled))


# What is read.


def test_candidates_are_shown_by_criterion_under_code_names_alone(there: There) -> None:
    page = there.get("pat", "/")
    words = pages.Tree(page.text).text
    for candidate in there.results.candidates:
        assert f'href="/c/{candidate.code}"' in page.text
    for outcome in panelling.OUTCOMES:
        assert Outcome(outcome).words in words
    assert "8 candidates by criterion" in words and "ana" not in words.casefold().split() and "Müller" not in words
    assert words.index(there.results.candidates[0].code) < words.index(there.results.candidates[-1].code)


@pytest.mark.parametrize(
    ("asked", "who"),
    [
        ("criterion=doubles", ["failed", "crashed", "grader_fault", "not_reached", "timed_out", "out_of_memory"]),
        ("criterion=doubles&outcome=crashed", ["crashed"]),
        ("outcome=timed_out", ["timed_out"]),
        ("verdict=passed", ["passed"]),
        ("verdict=passed&outcome=failed", []),
    ],
)
def test_a_filter_shows_those_who_fit(there: There, asked: str, who: list[str]) -> None:
    reply = there.get("pat", f"/?{asked}")
    shown = set(re.findall(r'<th scope="row"><a href="/c/([\w-]+)"', reply.text))
    assert shown == {there.code(f"ana-lopez-{each}") for each in who}


def test_those_who_made_a_mistake_are_found_by_it(there: There) -> None:
    parts = [index.Part(1, lambda: there.results), index.Part(1, there.marks)]
    with index.opened(there.results.folder, *parts) as opened:
        found = {row.code for row in opened.find(index.Wanted(mistake="triples"))}
        assert not opened.find(index.Wanted(mistake="doubles"))
    made = {each.code for each in there.results.candidates if "triples" in each.line["diagnosis"]}
    assert found == made and there.code("ana-lopez-passed") not in found


def test_a_filter_by_code_name_takes_a_part_of_it(there: There) -> None:
    code = there.results.candidates[2].code
    shown = re.findall(r'<th scope="row"><a href="/c/([\w-]+)"', there.get("pat", f"/?code={code[2:].upper()}").text)
    assert shown == [code]
    assert "No candidate fits" in there.look("pat", "/?code=%27%20OR%201%3D1")


@pytest.mark.parametrize("asked", ["criterion=nope", "outcome=nope", "verdict=nope", "mistake=nope"])
def test_a_filter_that_there_is_not_is_told(there: There, asked: str) -> None:
    reply = there.get("pat", f"/?{asked}")
    assert reply.status == 400 and "no such" in reply.text


def test_a_candidate_has_evidence_heat_maps_and_the_lines_that_it_is_about(there: There) -> None:
    page = there.get("pat", f"/c/{there.code('ana-lopez-failed')}")
    words = pages.Tree(page.text).text
    assert panelling.CHECK in words and panelling.SEEN in words and "data:image/png;base64," in page.text
    assert 'class="marked"' in page.text and "return 3 * x" in words.replace("\xa0", " ")
    assert marking.GIVEN[BASE] in words and "WHY three is not two." in words


def test_a_candidate_who_was_refused_has_the_reason_and_no_points(there: There) -> None:
    words = there.look("pat", f"/c/{there.code('Zoë Müller (2).py')}")
    assert "was never closed" in words and "What the tests found" not in words and "Müller" not in words


def test_nobody_is_found_by_the_name_of_what_they_sent(there: There) -> None:
    for name in ("ana-lopez-failed", "Zo%C3%AB%20M%C3%BCller%20(2).py", "..%2F..%2Fcodes.json", "nobody"):
        assert there.get("pat", f"/c/{name}").status == 404


def test_two_are_compared_side_by_side_and_it_says_where_they_differ(there: There) -> None:
    one, other = there.code("ana-lopez-failed"), there.code("ana-lopez-passed")
    words = there.look("pat", f"/compare?a={one}&b={other}")
    assert f"{one} and {other}" in words and "It doubles differs" in words and panelling.SEEN in words
    assert words.count("Each pair is one angle") == 2
    assert "one and the same" in there.look("pat", f"/compare?a={one}&b={one}")
    assert "differs" not in there.look("pat", f"/compare?a={one}&b={one}")
    assert there.get("pat", f"/compare?a={one}&b=nobody").status == 404
    assert "choose" in there.look("pat", f"/compare?a={one}")


def test_the_question_says_what_grader_agreement_says(there: There) -> None:
    words = there.look("pat", "/question")
    called = CliRunner().invoke(
        main, ["agreement", str(there.results.folder), "--questions", str(there.question.folder.parent), "--json"]
    )
    said = json.loads(called.stdout)
    assert f"What {said['items']['submissions']} submissions say" in words
    item = said["items"]["items"][0]
    assert f"{100 * item['difficulty']:.0f} %" in words and "too few to say" in words


def test_the_preview_has_the_packet_and_nothing_that_is_hidden(there: There) -> None:
    words = there.look("pat", "/preview")
    assert (
        "Double it." in words and "Why interleave sines and cosines?" in words and "raise NotImplementedError" in words
    )
    hidden = [
        *there.question.hidden_texts.values(),
        "REBUTTAL",
        "Says that a pair of columns",
        "The longest wavelength",
    ]
    assert not [text for text in hidden if " ".join(text.split()) in words]
    assert files(there.question)[0].name == "prompt.md"


def test_every_page_is_whole_and_holds_no_script_style_or_handler(there: There) -> None:
    mark(
        there,
        "pat",
        "ana-lopez-failed",
        ticked=["one-angle"],
        note=panelling.HOSTILE.format("note").replace("\udc80", "")[:900],
    )
    code, other = there.code("ana-lopez-failed"), there.code("Zoë Müller (2).py")
    paths = [
        *("/", "/mark", f"/mark/left/{INTERLEAVE}/{code}", f"/mark/again/{BASE}/{code}", "/question", "/preview"),
        *("/export", f"/c/{code}", f"/c/{other}", f"/compare?a={code}&b={other}", "/nowhere", "/mark/left?end=1"),
    ]
    for path in paths:
        reply = there.get("pat", path)
        tree = pages.Tree(reply.text)
        assert not tree.open, path
        names = [name for name, _ in tree.attributes]
        assert "style" not in names and not [name for name in names if name.startswith("on")], path
        assert reply.text.count("<script") == 1 and '<script src="/static/room.js" defer>' in reply.text, path
        shown = reply.text.replace("\n", "")
        assert shown.isprintable() or not [c for c in shown if not c.isprintable() and c != "\xa0"], path
        assert "<img src=x" not in reply.text and "Traceback" not in reply.text
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_an_error_shows_no_trace_no_path_and_no_name(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(f"secret of {there.results.folder}")

    browser = there.browser("pat")
    monkeypatch.setattr("grader.review.room.Room.sheet", broken)
    reply = browser.get(f"/c/{there.results.candidates[0].code}")
    assert reply.status == 500 and "a fault of the grader" in reply.text
    assert "secret" not in reply.text and "Traceback" not in reply.text


def test_a_report_that_cant_be_read_costs_its_own_page_alone(there: There) -> None:
    sent = there.results.find("ana-lopez-failed")
    (sent.folder / "report.json").write_text("{", "utf-8")
    reply = there.get("pat", f"/c/{sent.code}")
    assert reply.status == 500 and "This report can&#39;t be read" in reply.text and "ana" not in reply.text.casefold()
    assert there.get("pat", f"/c/{there.code('ana-lopez-passed')}").status == 200
    assert f"Not shown in full: {sent.code}" in there.look("pat", "/")


# Marks.


def test_a_mark_made_in_the_browser_is_the_mark_that_the_terminal_makes(plain: There) -> None:
    reply = mark(plain, "pat", "ana", ticked=["rotation", "one-angle"], quote="2", note=" A \r\n note ")
    assert reply.status == 303
    [made] = plain.marks().all
    assert (made.by, made.answer, made.code) == ("pat", INTERLEAVE, plain.code("ana"))
    assert made.ticked == ("one-angle", "rotation") and made.blind and not made.cannot_assess
    assert made.quote == "An offset turns\nevery pair." and made.note == "A \n note"
    assert plain.marks().ledger.prove().holds
    assert "Saved " + plain.code("ana") in plain.look("pat", reply.to)


def test_the_walk_is_the_walk_of_the_terminal(plain: There) -> None:
    found = work.find(plain.results, plain.question.spec)
    order = walk(plain.marks(), found, "pat", Walk.LEFT)
    reply = plain.get("pat", "/mark/left")
    seen = []
    while reply.status == 303 and "end=1" not in reply.to:
        address = reply.to
        seen.append(tuple(address.partition("?")[0].split("/")[3:5])[::-1])
        page = plain.get("pat", address)
        reply = plain.browser("pat").post(address, fields(page, cannot_assess="1"))
    assert seen == [item.key for item in order]
    assert "Nothing is left here" in plain.look("pat", reply.to)


def test_what_is_skipped_comes_round_again(plain: There) -> None:
    first = plain.get("pat", "/mark/left").to
    page = plain.get("pat", first).text
    skip = html.unescape(re.findall(r'<a href="([^"]+)" data-key="s"', page)[0])
    assert skip != first
    address = skip
    while "end=1" not in address and address != first:
        shown = plain.get("pat", address)
        address = plain.browser("pat").post(address, fields(shown, cannot_assess="1")).to.partition("&saved")[0]
    assert address == first


def test_one_question_can_be_walked_alone(plain: There) -> None:
    address = plain.get("pat", f"/mark/left?only={BASE}").to
    for _ in range(3):
        assert f"/{BASE}/" in address
        address = plain.browser("pat").post(address, fields(plain.get("pat", address), cannot_assess="1")).to
    assert "end=1" in address and len(plain.marks().all) == 3


def test_an_answer_in_which_nothing_is_ticked_is_saved_by_a_second_time(plain: There) -> None:
    asked = mark(plain, "pat", "ana")
    assert asked.status == 409 and "Nothing is ticked" in asked.text and not plain.marks().all
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    assert plain.browser("pat").post(address, fields(asked)).status == 303
    assert [made.ticked for made in plain.marks().all] == [()]


def test_a_changed_mark_needs_a_reason_and_the_earlier_one_stays(plain: There) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle"])
    asked = mark(plain, "pat", "ana", ticked=["one-angle", "rotation"])
    assert asked.status == 409 and "Say why" in asked.text
    assert fields(asked)["ticked"] == ["one-angle", "rotation"], "what was ticked is still there"
    assert mark(plain, "pat", "ana", ticked=["rotation"], reason="A second look").status == 303
    history = plain.marks().history(plain.code("ana"), INTERLEAVE)
    assert [made.ticked for made in history] == [("one-angle",), ("rotation",)] and history[1].reason == "A second look"
    assert mark(plain, "pat", "ana").status == 303 and len(plain.marks().history(plain.code("ana"), INTERLEAVE)) == 2


def test_what_does_not_fit_the_answer_is_told_and_stays_in_the_form(plain: There) -> None:
    asked = mark(plain, "pat", "ana", ticked=["one-angle"], quote="words of nobody", note="mine")
    assert asked.status == 409 and "not in the answer" in asked.text and not plain.marks().all
    kept = fields(asked)
    assert kept["quote"] == "words of nobody" and kept["note"] == "mine" and kept["ticked"] == ["one-angle"]
    assert fields(plain.get("pat", f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"))["note"] == "mine", "a draft, too"


def test_a_mark_is_not_made_of_an_answer_that_is_not_the_one_that_was_read(plain: There) -> None:
    page = plain.get("pat", f"/mark/left/{INTERLEAVE}/{plain.code('ana')}")
    sent = plain.results.find("ana")
    report = sent.report
    given = [replace_given(each, "It is another one.") if each.id == INTERLEAVE else each for each in report.answers]
    (sent.folder / "report.json").write_text(report.model_copy(update={"answers": given}).to_json(), "utf-8")
    path = plain.results.folder / "results.jsonl"
    os.utime(path, ns=(1, 1))
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    reply = plain.browser("pat").post(address, fields(page, ticked=["one-angle"]))
    assert reply.status == 409 and "has changed since" in reply.text and "It is another one." in reply.text
    assert not plain.marks().all
    assert plain.browser("pat").post(address, fields(reply)).status == 303


def replace_given(answer: Any, words: str) -> Any:
    return answer.model_copy(update={"given": words})


def test_others_are_hidden_until_ones_own_mark_is_in(plain: There) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle", "only-way"], note="NOTE OF PAT", quote="one angle")
    code = plain.code("ana")
    places = [f"/c/{code}", f"/compare?a={code}&b={plain.code('bo')}", f"/mark/left/{INTERLEAVE}/{code}", "/mark", "/"]
    before = [plain.get("eva", place).text for place in places]
    for text in before:
        assert "NOTE OF PAT" not in text and "only-way</" not in text and "<blockquote>" not in text
    assert "One person has marked this" in before[0] and "marked by others" in before[1]
    assert "REBUTTAL" not in before[2] and "You see how once your own mark is in" in before[2]
    assert plain.browser("eva").post("/export/panel.zip", {"csrf": page_token(before[2])}).status == 409
    mark(plain, "eva", "ana", ticked=["one-angle"])
    after = [plain.get("eva", place.replace("left", "again")).text for place in places]
    assert "NOTE OF PAT" in after[0] and "NOTE OF PAT" in after[2] and "REBUTTAL" in after[2]
    assert "weak" in after[1] or "not shown" in after[1]
    assert f"{INTERLEAVE}, {code}" in after[3]
    assert all(made.blind for made in plain.marks().of(code, INTERLEAVE))
    mark(plain, "eva", "ana", walked=Walk.AGAIN, ticked=["rotation"], reason="I saw the other")
    assert [made.blind for made in plain.marks().history(code, INTERLEAVE)] == [True, True, False]


def page_token(text: str) -> str:
    return Reply(200, {}, text).token


def test_who_never_marks_sees_all_marks_and_makes_none(plain: There) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle"], note="NOTE OF PAT")
    assert "NOTE OF PAT" in plain.look("ada", f"/c/{plain.code('ana')}")
    assert plain.get("ada", "/mark").status == 403
    address = f"/mark/left/{INTERLEAVE}/{plain.code('bo')}"
    token = plain.get("ada", "/export").token
    assert plain.browser("ada").post(address, {"csrf": token, "ticked": "one-angle"}).status == 403
    assert len(plain.marks().all) == 1


def test_a_draft_is_kept_as_it_is_typed_and_says_the_level(plain: There) -> None:
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    form = fields(plain.get("pat", address), ticked=["one-angle"], note="half a word")
    kept = plain.browser("pat").post(f"{address}/draft", form)
    told = json.loads(kept.text)
    text_answer = work.find(plain.results, plain.question.spec).items[0].answer
    assert told["kept"] and told["level"] == str(text_answer.level_of(["one-angle"])) and not plain.marks().all
    again = fields(plain.get("pat", address))
    assert again["note"] == "half a word" and again["ticked"] == ["one-angle"]
    assert "not saved yet" in plain.look("pat", address)
    other = plain.get("eva", address).text
    assert "half a word" not in other, "a draft is its person's own"


def test_the_terminal_and_the_browser_take_up_each_others_drafts(plain: There) -> None:
    items = work.find(plain.results, plain.question.spec).items
    item = next(each for each in items if each.key == (plain.code("ana"), INTERLEAVE))
    path = drafts.path_of(plain.results.folder, "pat")
    drafts.write(path, [item], {item.key: Draft(frozenset({"rotation"}), note="from the terminal")})
    address = f"/mark/left/{INTERLEAVE}/{item.code}"
    page = plain.get("pat", address)
    assert fields(page)["note"] == "from the terminal" and fields(page)["ticked"] == ["rotation"]
    plain.browser("pat").post(f"{address}/draft", fields(page, note="from the browser"))
    assert drafts.read(path, items)[item.key].note == "from the browser"
    assert mark(plain, "pat", "ana").status == 303 and drafts.read(path, items) == {}


def test_a_window_does_not_write_over_the_draft_of_another(plain: There) -> None:
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    one, other = plain.get("pat", address), plain.get("pat", address)
    browser = plain.browser("pat")
    first = browser.post(f"{address}/draft", fields(one, note="first"))
    second = browser.post(f"{address}/draft", fields(other, note="second"))
    assert first.status == 200 and second.status == 409 and "another window" in json.loads(second.text)["said"]
    assert fields(plain.get("pat", address))["note"] == "first"
    third = browser.post(f"{address}/draft", fields(one, note="first, and more", was=json.loads(first.text)["was"]))
    assert third.status == 200
    saved = browser.post(address, fields(other, note="second", ticked=["one-angle"]))
    assert saved.status == 303 and plain.marks().all[0].note == "second"
    assert fields(plain.get("pat", address))["note"] == "first, and more", "the other window's words are still there"


def test_a_mark_from_another_window_is_not_written_over(plain: There) -> None:
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    one, other = plain.get("pat", address), plain.get("pat", address)
    browser = plain.browser("pat")
    assert browser.post(address, fields(one, ticked=["one-angle"])).status == 303
    asked = browser.post(address, fields(other, ticked=["rotation"]))
    assert asked.status == 409 and 'name="reason"' in asked.text and fields(asked)["ticked"] == ["rotation"]
    assert browser.post(address, fields(asked, reason="Both were open")).status == 303
    assert len(plain.marks().history(plain.code("ana"), INTERLEAVE)) == 2


def test_a_mark_from_the_browser_is_met_by_the_terminal_that_was_open(plain: There) -> None:
    items = tuple(work.find(plain.results, plain.question.spec).items)
    item = next(each for each in items if each.key == (plain.code("ana"), INTERLEAVE))
    marks = plain.marks()
    session = Session("pat", (item,))
    mark(plain, "pat", "ana", ticked=["one-angle"])
    for key in ("2", "enter"):
        session = step(session, key, marks)
    assert session.saved == 0 and "needs a reason" in session.message
    for key in ("enter", *"late", "enter"):
        session = step(session, key, marks)
    assert session.saved == 1
    assert [made.reason for made in plain.marks().history(*item.key)] == ["", "late"]


def test_browsers_and_a_terminal_at_once_lose_nothing(plain: There, tmp_path: Path) -> None:
    keys = [item.key for item in work.find(plain.results, plain.question.spec).items]
    failed: list[object] = []

    def in_browser(who: str) -> None:
        for code, answer in keys:
            address = f"/mark/again/{answer}/{code}"
            reply = plain.browser(who).post(address, fields(plain.get(who, address), cannot_assess="1", note=who))
            if reply.status != 303:
                failed.append((who, address, reply.text))

    def at_terminal() -> None:
        path = tmp_path / "marks.yaml"
        for code, answer in keys:
            path.write_text(json.dumps([{"candidate": code, "answer": answer, "ticked": [], "note": "uli"}]), "utf-8")
            bank = str(plain.question.folder.parent)
            call = ["mark", str(plain.results.folder), "--from", str(path), "--as", "uli", "--questions", bank]
            done = CliRunner().invoke(main, call)
            if done.exit_code:
                failed.append(done.output)

    people = [threading.Thread(target=in_browser, args=[who]) for who in ("pat", "eva", "ina")]
    people.append(threading.Thread(target=at_terminal))
    for each in ("pat", "eva", "ina"):
        plain.browser(each)
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert not failed
    assert {(made.by, made.code, made.answer) for made in plain.marks().all} == {
        (who, *key) for who in ("pat", "eva", "ina", "uli") for key in keys
    }
    assert plain.marks().ledger.prove().holds and plain.marks().ledger.prove().count == 4 * len(keys)


def test_without_a_token_nothing_is_marked(plain: There) -> None:
    address = f"/mark/left/{INTERLEAVE}/{plain.code('ana')}"
    form = fields(plain.get("pat", address), ticked=["one-angle"], csrf="x")
    assert plain.browser("pat").post(address, form).status == 403
    assert plain.browser("pat").post(f"{address}/draft", form).status == 403
    assert not plain.marks().all


@pytest.mark.parametrize(
    "path", ["/mark/nope", "/mark/left/nope/{}", "/mark/left/why_interleave/nobody", "/mark/left/no_rubric/{}"]
)
def test_what_can_not_be_marked_is_not_there(plain: There, path: str) -> None:
    assert plain.get("pat", path.format(plain.code("ana"))).status == 404


def test_marks_that_are_not_what_was_written_take_no_further_one(plain: There) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle"], note="first")
    path = plain.results.folder / "marks.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"note":"first"', b'"note":"fifth"'))
    reply = mark(plain, "pat", "bo", ticked=["one-angle"])
    assert reply.status == 409 and "was changed after it was written" in reply.text and str(path) not in reply.text
    assert "not what was written" in plain.look("ada", "/log")


# The index, the log, exports.


def test_the_index_follows_the_folder_and_is_thrown_away_when_it_is_damaged(plain: There) -> None:
    assert plain.look("pat", "/").count("0 of 2") == 3
    mark(plain, "pat", "ana", ticked=["one-angle"])
    assert "1 of 2" in plain.look("pat", "/")
    path = index.path_of(plain.results.folder)
    for damage in (b"no database at all, and long enough to be looked at" * 40, b"", path.read_bytes()[:3000]):
        path.write_bytes(damage)
        assert "1 of 2" in plain.look("pat", "/")
    path.unlink()
    path.mkdir()
    assert "1 of 2" in plain.look("pat", "/"), "it is kept in memory where it can't be written"


def test_the_index_holds_no_name_no_answer_and_no_tick(there: There) -> None:
    mark(there, "pat", "ana-lopez-failed", ticked=["one-angle"], note="NOTE")
    there.look("pat", "/")
    held = index.path_of(there.results.folder).read_bytes()
    for word in (b"lopez", b"M\xc3\xbcller", b"one angle", b"one-angle", b"NOTE"):
        assert word not in held
    assert there.code("ana-lopez-failed").encode() in held, "or it would say nothing at all"


def test_a_candidate_who_is_purged_while_the_room_is_open_is_gone_from_it(there: There) -> None:
    name = "ana-lopez-failed"
    code = there.code(name)
    mark(there, "pat", name, ticked=["one-angle"], note="NOTE", quote="one angle")
    page = there.get("pat", f"/mark/left/{INTERLEAVE}/{there.code('ana-lopez-passed')}")
    there.look("pat", "/")
    target = next(each for each in purging.everybody(there.results.folder) if each.code == code)
    done = purging.purge(there.results.folder, target, "pat", there.question.spec)
    assert not [each for each in done.mentions if each.endswith(index.NAME)]
    assert code not in there.get("pat", "/").text and there.get("pat", f"/c/{code}").status == 404
    assert code.encode() not in index.path_of(there.results.folder).read_bytes()
    address = f"/mark/left/{INTERLEAVE}/{code}"
    assert there.browser("pat").post(address, fields(page, ticked=["one-angle"])).status == 404


def test_the_log_says_who_did_what_and_not_what_a_mark_says(plain: There) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle"], note="NOTE OF PAT")
    words = plain.look("ada", "/log")
    assert f"marked {plain.code('ana')}, {INTERLEAVE}, blind" in words and "pat" in words and "the chain holds" in words
    assert "NOTE OF PAT" not in words and "one-angle" not in words
    assert plain.get("pat", "/log").status == 403 and plain.get("ina", "/log").status == 403
    assert plain.get("ada", "/log?before=x").status == 400
    assert "Nothing was done yet" not in plain.look("ada", "/log?before=1")


def test_an_export_is_what_grader_panel_writes(plain: There, tmp_path: Path) -> None:
    mark(plain, "pat", "ana", ticked=["one-angle"], note="NOTE")
    command.write([plain.results.folder], tmp_path / "panel", lambda _: plain.question)
    page = plain.get("pat", "/export")
    reply = whole(plain, "pat", "/export/panel.zip", page.token)
    with zipfile.ZipFile(io.BytesIO(reply)) as archive:
        names = set(archive.namelist())
        for name in names:
            assert archive.read(name) == (tmp_path / "panel" / name).read_bytes(), name
    assert {"index.html", "scorecard.json", "scorecard.csv", f"{plain.code('ana')}.html"} <= names
    assert "panel.json" not in names
    table = whole(plain, "pat", "/export/scorecard.csv", page.token)
    assert table == (tmp_path / "panel" / "scorecard.csv").read_bytes()
    assert plain.browser("pat").post("/export/codes.json", {"csrf": page.token}).status == 404
    assert plain.browser("pat").post("/export/panel.zip", {"csrf": "x"}).status == 403
    assert ("pat", "export") in [(line["by"], line["act"]) for line in access.read_audit(plain.results.folder)]


def whole(there: There, who: str, path: str, token: str) -> bytes:
    """The bytes of a file that is taken along."""
    browser = there.browser(who)
    line = http.client.HTTPConnection(urlsplit(there.base).netloc, timeout=60)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    head = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded", **browser.headers}
    try:
        line.request("POST", path, f"csrf={token}", head)
        answer = line.getresponse()
        assert answer.status == 200 and "attachment" in (answer.getheader("content-disposition") or "")
        return answer.read()
    finally:
        line.close()


# The rest.


def test_static_files_are_ours_alone(plain: There) -> None:
    sheet = plain.get("pat", "/static/room.css")
    assert sheet.status == 200 and sheet.headers["content-type"].startswith("text/css") and "--passed" in sheet.text
    assert plain.browser("pat").get("/static/room.css", **{"If-None-Match": sheet.headers["etag"]}).status == 304
    for name in ("room.html.j2", "..%2Fapp.py", "%2e%2e/app.py", ""):
        assert plain.get("pat", f"/static/{name}").status == 404
    for name in static.NAMES:
        assert not re.search(r"https?://(?!127)", static._content(name)[0].decode())


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("# A `b`", "heading", "A b"),
        ("one\ntwo", "paragraph", "one two"),
        ("- one\n  more\n\n- two", "list", "one more|two"),
        ("1. one\n2. two", "numbered", "one|two"),
        ("```python\n# x\n```", "code", "# x"),
        ("| a | b |\n|---|--:|\n| 1 | **2** |", "table", "a|b|1|2"),
        ("2 * 3 * 4 and a_b_c", "paragraph", "2 * 3 * 4 and a_b_c"),
        ("<b>&amp;</b>", "paragraph", "<b>&amp;</b>"),
    ],
)
def test_prompts_are_read_as_the_markdown_that_they_are_written_in(text: str, kind: str, said: str) -> None:
    [block] = prose.blocks(text)
    groups = [block.words, *block.items, *(cell for row in block.rows for cell in row)]
    words = "|".join("".join(piece.text for piece in group) for group in groups if group) or block.text
    assert (block.kind, words) == (kind, said)


def test_no_word_of_a_prompt_is_lost() -> None:
    root = Path(__file__).resolve().parents[1] / "questions"
    for path in sorted(root.glob("*/prompt.md")):
        text = path.read_text("utf-8")
        shown = ""
        for block in prose.blocks(text):
            groups = [block.words, *block.items, *(cell for row in block.rows for cell in row)]
            shown += block.text + "".join(piece.text for group in groups for piece in group)

        def letters(words: str) -> list[str]:
            return re.findall(r"[^\W_]", words)

        # Languages of fences are the one thing that is not shown; numbers of lists are drawn by the browser.
        bare = re.sub(r"(?m)^\s*```\w*$", "", re.sub(r"(?m)^\s*\d+[.)] ", "", text))
        assert letters(shown) == letters(bare), path


def test_grader_serve_opens_with_one_command(plain: There) -> None:
    with reviewing.there(plain.results.folder, plain.question.folder.parent, "--as", "me") as (process, link):
        browser = reviewing.entered(link)
        assert "3 candidates by criterion" in pages.Tree(browser.get("/").text).text
        assert process.poll() is None
    assert process.returncode == 0


def test_grader_serve_says_what_is_wrong_with_the_call(plain: There, tmp_path: Path) -> None:
    def call(*arguments: str) -> str:
        done = CliRunner().invoke(main, ["serve", *arguments])
        assert done.exit_code == 2, done.output
        return done.output

    folder, bank = str(plain.results.folder), str(plain.question.folder.parent)
    assert "this is no results folder" in call(str(tmp_path / "nowhere"))
    assert "--cert and --key go together" in call(folder, "--cert", "x")
    assert "needs users" in call(folder, "--host", "0.0.0.0", "--questions", bank)
    assert "exclude each other" in call(folder, "--users", "x", "--as", "me")
    assert "no name to mark under" in call(folder, "--as", "\x1b[1m", "--questions", bank)
    port = plain.base.rpartition(":")[2]
    assert "can't be opened at this address" in call(folder, "--as", "me", "--port", port, "--questions", bank)


def test_hostile_words_are_seen_as_they_are(there: There) -> None:
    words = there.get("pat", f"/c/{there.code('ana-lopez-failed')}").text
    assert html.escape(inert.text("\u202e")) in words and "\u202e" not in words and "\x1b" not in words


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (f"{'word ' * 12}and\nmore.", f"{'word ' * 12}and more."),
        ("short\nlines stay", "short\nlines stay"),
        (f"{'word ' * 12}list:\n- one\n- two", f"{'word ' * 12}list:\n- one\n- two"),
        (f"{'word ' * 12}end.\n\nA paragraph", f"{'word ' * 12}end.\n\nA paragraph"),
        (f"{'word ' * 12}code:\n    x = 1", f"{'word ' * 12}code:\n    x = 1"),
    ],
)
def test_lines_that_an_editor_wrapped_are_put_together(plain: There, given: str, shown: str) -> None:
    item = work.find(plain.results, plain.question.spec).items[0]
    pieces = passages.passages(replace(item, given=given))
    assert "".join(each.text for each in pieces) == shown


def test_pieces_of_an_answer_say_what_they_are(plain: There) -> None:
    item = next(each for each in work.find(plain.results, plain.question.spec).items if each.answer.id == INTERLEAVE)
    pieces = passages.passages(item, "angle. An offset")
    assert "".join(each.text for each in pieces) == item.text
    assert "".join(each.text for each in pieces if each.quoted) == "angle. An offset"
    assert [each.text for each in pieces if each.term] == ["pair", "angle", "turns", "pair"]
    assert [each.sentence for each in pieces if each.sentence] == [1, 2, 3]
    assert not any(each.quoted for each in passages.passages(item, "words of nobody"))
