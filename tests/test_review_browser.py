"""The review room in a real browser: the whole way of an interviewer and a panel, by keys, with and without scripts.

They run where there is a Chromium (or CHROMIUM names one) and axe-core (AXE names axe.min.js, or npm installed it).
REVIEW_PICTURES names a folder for pictures of the way, for somebody to look at.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from grader.marks import Marks, drafts, work
from grader.marks.judging import judge
from grader.marks.saving import Draft
from grader.question import Question
from grader.results import Results
from grader.review import access
from grader.review.app import create
from grader.review.queue import Queue
from tests import browser, marking, panelling, reviewing
from tests.browser import Page

NOTE: Final = "A note that the other one must not see"
SENT: Final = {
    "solution.py": "def double(x):\n    return 3 * x\n",
    "answers.yaml": "why_interleave: Each pair is one angle. An offset turns it.\nwhat_base_controls: The pace.\n",
}


@dataclass
class There:
    """A room with users that takes uploads."""

    base: str
    results: Path
    question: Question

    @property
    def marks(self) -> Marks:
        return Marks.open(Results.open(self.results))


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[There]:
    browser.chromium(), browser.axe()
    folder = tmp_path_factory.mktemp("room")
    _, results, question = panelling.everything(folder)
    way = access.with_users(reviewing.users_file(folder), results.folder)
    queue = Queue(results.folder, (folder / "questions",), "separate-process")
    with reviewing.served(create(results.folder, way, lambda _: question, queue)) as base:
        yield There(base, results.folder, question)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    browser.chromium()
    with browser.opened(tmp_path) as opened:
        yield opened


class Walk:
    """Somebody's way through the room; every page that they come to is looked at."""

    def __init__(self, page: Page, there: There, name: str, audited: bool = True) -> None:
        self.page, self.there, self.name, self.audited = page, there, name, audited
        self.axe = browser.axe()
        self.seen = 0

    def look(self, what: str) -> None:
        """Hold the page that is there to what every page is held to."""
        if self.audited:
            assert self.page.audit(self.axe) == [], (what, self.page.value("location.href"))
        assert self.page.overflow() <= 0, what
        self.seen += 1
        if folder := os.environ.get("REVIEW_PICTURES"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.picture(Path(folder) / f"{self.name}-{self.seen:02}-{what}.png")

    def sign_in(self, who: str) -> None:
        self.page.go(f"{self.there.base}/sign-in")
        self.page.focus("input[name=name]")
        self.page.type(who)
        self.page.focus("input[type=password]")
        self.page.type(reviewing.PASSWORD)
        self.page.leaving(lambda: self.page.press("Enter"))
        assert "by criterion" in self.page.text()

    def sign_out(self) -> None:
        self.page.follow('form[action="/sign-out"] button')

    def to(self, path: str) -> None:
        """Go by the links at the top."""
        self.page.follow(f'nav a[href="{path}"]')

    def upload(self, name: str, files: list[Path]) -> str:
        """Upload a submission, and watch it being graded; its code name."""
        self.to("/uploads")
        self.look("upload")
        self.page.focus("input[name=name]")
        self.page.type(name)
        self.page.choose("input[type=file]", *files)
        self.page.follow("form.upload button[type=submit]")
        self.look("watch")
        self.page.until(self.is_graded)
        self.look("graded")
        return str(self.page.value("document.querySelector('main a[href^=\"/c/\"]').textContent"))

    def is_graded(self) -> bool:
        """Whether the page of an upload leads to a report. Without scripts there is a link to look again."""
        if self.page.value("document.querySelector('main .no-script')?.checkVisibility()"):
            self.page.follow("main .no-script a")
        assert "could not be graded" not in self.page.text()
        return bool(self.page.value("document.querySelector('main a[href^=\"/c/\"]') !== null"))

    def mark(self, code: str, scripts: bool, note: str) -> None:
        """Mark an answer from a candidate's page on."""
        self.page.follow(f'a[href="/mark/again/why_interleave/{code}"]')
        self.look("mark")
        if scripts:
            self.page.press("1")
            assert self.page.value("document.querySelector('[name=ticked]').checked")
            self.page.until(lambda: "weak" in self.level() or "solid" in self.level())
            self.page.press("n")
            self.page.type(note)
            self.page.press("Escape")
            self.page.leaving(lambda: self.page.press("Enter"))
        else:
            self.page.focus("[name=ticked]")
            self.page.press(" ")
            self.page.focus("[name=note]")
            self.page.type(note)
            self.page.follow("#save")
        assert f"Saved {code}" in self.page.text()
        self.look("marked")

    def level(self) -> str:
        return str(self.page.value("document.querySelector('#level').textContent"))


# Each width, and both with scripts and without; the other three are the same ways at another width.
WAYS: Final = [
    pytest.param(width, scripts, id=f"{width}-{'scripts' if scripts else 'no-scripts'}", marks=marks)
    for width, scripts, marks in (
        (360, True, ()),
        (800, False, ()),
        (1440, True, ()),
        (360, False, pytest.mark.long),
        (800, True, pytest.mark.long),
        (1440, False, pytest.mark.long),
    )
]


@pytest.mark.parametrize(("width", "scripts"), WAYS)
def test_the_whole_way_by_keys(there: There, page: Page, tmp_path: Path, width: int, scripts: bool) -> None:
    """Upload, watch, read, mark; a second mark by another; compare; export."""
    name = f"sent-{width}-{'on' if scripts else 'off'}"
    files = [tmp_path / file for file in SENT]
    for path in files:
        path.write_text(SENT[path.name], "utf-8")
    page.wide(width)
    page.scripts(scripts)
    # What differs without scripts is the same at every width; one audit of it is enough.
    walk = Walk(page, there, name, audited=scripts or width == 800)
    page.go(f"{there.base}/")
    walk.look("sign-in")
    walk.sign_in("ina")
    walk.look("candidates")
    code = walk.upload(name, files)
    assert Results.open(there.results).find(name).code == code

    page.follow(f'main a[href="/c/{code}"]')
    walk.look("read")
    assert "It doubles" in page.text() and "One person has marked this" not in page.text()
    walk.mark(code, scripts, NOTE)
    walk.sign_out()

    walk.sign_in("pat")
    page.follow(f'tbody th a[href="/c/{code}"]')
    assert "One person has marked this" in page.text() and NOTE not in page.text()
    walk.look("read-by-another")
    walk.mark(code, scripts, "The second one's")
    page.go(f"{there.base}/mark/again/why_interleave/{code}")
    assert NOTE in page.text()
    walk.look("both")
    walk.to("/mark")
    assert f"why_interleave, {code}" in page.text()
    walk.look("marking")

    walk.to("/compare")
    codes = [each.code for each in Results.open(there.results).candidates]
    other = Results.open(there.results).find("ana-lopez-passed").code
    for key, chosen in (("a", code), ("b", other)):
        page.focus(f"select[name={key}]")
        page.press("ArrowDown", times=codes.index(chosen) + 1)
    page.follow("main form button")
    assert f"{code} and {other}" in page.text()
    walk.look("compare")

    for place in ("question", "preview", "export"):
        walk.to(f"/{place}")
        walk.look(place)
    everybody_marked(there, "pat")
    page.go(f"{there.base}/export")
    walk.look("export-open")
    page.downloads(tmp_path)
    page.focus('form[action="/export/scorecard.csv"] button')
    page.press("Enter")
    page.until(lambda: list(tmp_path.glob("*scorecard.csv")))
    page.until(lambda: code in next(tmp_path.glob("*scorecard.csv")).read_text("utf-8"))
    walk.sign_out()
    walk.sign_in("ada")
    walk.to("/log")
    assert code in page.text()
    walk.look("log")

    marks = there.marks.of(code, "why_interleave")
    assert [(mark.by, mark.blind, mark.ticked) for mark in marks] == [
        ("ina", True, ("one-angle",)),
        ("pat", True, ("one-angle",)),
    ]
    assert there.marks.ledger.prove().holds
    assert page.said == []
    assert {re.sub(r"^(\w+://[^/]+|\w+:).*", r"\1", each) for each in page.asked} <= {there.base, "data:", "about:"}


def everybody_marked(there: There, who: str) -> None:
    """Mark as somebody whatever others have marked, so that nothing is hidden from them."""
    results = Results.open(there.results)
    marks = Marks.open(results)
    for item in work.find(results, there.question.spec).items:
        if marks.of(*item.key) and not marks.own(who, *item.key):
            marks.add(judge(item, who, cannot_assess=True))


def test_the_script_keeps_drafts_knows_the_keys_and_moves_the_bar(there: There, page: Page) -> None:
    results = Results.open(there.results)
    code = results.find("ana-lopez-passed").code
    page.wide(1440)
    walk = Walk(page, there, "keys")
    walk.sign_in("ivo")
    page.go(f"{there.base}/mark/again/what_base_controls/{code}")
    items = work.find(results, there.question.spec).items
    path = drafts.path_of(there.results, "ivo")
    key = (code, "what_base_controls")

    page.press("1")
    page.press("2")
    page.until(lambda: key in drafts.read(path, items) and len(drafts.read(path, items)[key].ticked) == 2)
    page.press("2")
    page.until(lambda: drafts.read(path, items)[key].ticked == {"longest"})
    page.press("n")
    page.type("half a wo")
    page.until(lambda: drafts.read(path, items)[key].note == "half a wo")
    page.press("1")  # within the note it is a digit
    page.until(lambda: drafts.read(path, items)[key] == Draft(frozenset({"longest"}), note="half a wo1"))
    page.press("Escape")
    page.press("p")
    assert page.value("document.querySelector('#prompt').open")
    page.press("c")
    page.until(lambda: drafts.read(path, items)[key].cannot_assess)
    page.until(lambda: walk.level() == "none, cannot assess")
    assert not page.value("document.querySelector('[name=ticked]').checked")
    page.press("c")
    page.press("1")

    page.focus("[role=separator]")
    before = page.value("document.querySelector('#answer').getBoundingClientRect().width")
    page.press("ArrowLeft", times=5)
    assert page.value("document.querySelector('#answer').getBoundingClientRect().width") < before - 50
    walk.look("bar")

    page.go(f"{there.base}/mark/again/what_base_controls/{code}")
    assert page.value("document.querySelector('[name=note]').value").startswith("half a wo")
    assert page.value("document.querySelector('#answer').getBoundingClientRect().width") < before - 50, (
        "it is remembered"
    )
    page.press("q")
    page.type("1")
    page.leaving(lambda: page.press("Enter", control=True))
    mark = there.marks.own("ivo", *key)
    assert mark and mark.quote and mark.ticked == ("longest",)
    assert key not in drafts.read(path, items)
    page.leaving(lambda: page.press("b"))
    assert page.value("location.pathname").startswith("/mark/again/")
    page.leaving(lambda: page.press("x"))
    assert page.value("location.pathname") == "/mark"
    assert page.said == []


def test_single_keys_can_be_turned_off(there: There, page: Page) -> None:
    code = Results.open(there.results).find("ana-lopez-passed").code
    walk = Walk(page, there, "off")
    walk.sign_in("ivo")
    page.go(f"{there.base}/mark/again/why_interleave/{code}")
    page.press("?")
    page.focus("#keys")
    page.press(" ")
    page.press("1")
    assert not page.value("document.querySelector('[name=ticked]').checked")
    page.press(" ")
    page.press("1")
    assert page.value("document.querySelector('[name=ticked]').checked")


def test_a_phone_shows_one_below_the_other(there: There, page: Page) -> None:
    code = Results.open(there.results).find("ana-lopez-passed").code
    page.wide(360)
    Walk(page, there, "phone").sign_in("ivo")
    page.go(f"{there.base}/mark/again/why_interleave/{code}")
    answer, controls = (
        page.value(
            f"(box => [box.left, box.top, box.bottom])(document.querySelector('{each}').getBoundingClientRect())"
        )
        for each in ("#answer", "#controls")
    )
    assert answer[0] == controls[0] and answer[2] <= controls[1]


def test_the_audit_sees_what_is_wrong_in_a_page_of_the_room(there: There, page: Page) -> None:
    """A page with grey on white and a picture without words is found out, whatever its policy keeps out."""
    page.go(f"{there.base}/sign-in")
    assert page.audit(browser.axe()) == []
    page.value(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=wrong>pale</p><img src=\"data:,\">');"
        "document.querySelector('#wrong').style.color = '#ccc'; document.querySelector('#wrong').style.width = '3000px'"
    )
    assert {"color-contrast", "image-alt"} <= {id for id, _ in page.audit(browser.axe())}
    assert page.overflow() > 0


def test_the_policy_keeps_a_strange_script_out(there: There, page: Page) -> None:
    page.go(f"{there.base}/sign-in")
    page.value("document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.run = 1'}))")
    assert page.value("window.run === undefined") and page.said, "and the browser says so"


def test_marking_tells_the_browser_nothing_of_others(there: There, page: Page) -> None:
    """What is hidden is not in the page at all, where a look at its source would find it."""
    results = Results.open(there.results)
    code = results.find("ana-lopez-failed").code
    panelling.mark(results, there.question, "ana-lopez-failed", "what_base_controls", "uma", "longest", note=NOTE)
    Walk(page, there, "source").sign_in("ivo")
    page.go(f"{there.base}/mark/again/what_base_controls/{code}")
    source = page.value("document.documentElement.outerHTML")
    assert (
        NOTE not in source and "uma" not in source and json.dumps(marking.GIVEN["what_base_controls"])[1:20] in source
    )
