"""Pages in a real browser: axe finds nothing, nothing spills over the screen, nothing is asked for.

They run where there is a Chromium (or CHROMIUM names one) and axe-core (AXE names axe.min.js, or npm installed it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from grader.render import candidate
from grader.render.html import page
from tests import browser, panelling
from tests.browser import Page

WIDTHS: Final = (360, 800, 1440)


@dataclass(frozen=True)
class Looked:
    """What a browser says of a page: what axe finds, how wide it is, and what it asked for besides."""

    violations: list[Any]
    width: int
    requests: list[str]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """One browser for all of them."""
    browser.chromium(), browser.axe()
    with browser.opened(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def looked_at(opened: Page, source: str, width: int, folder: Path) -> Looked:
    """Open a page at that width, with all that it can fold open, and its own policy in force."""
    path = folder / "page.html"
    path.write_text(source, "utf-8")
    opened.wide(width)
    opened.asked.clear()
    opened.go(path.as_uri())
    assert opened.value("document.querySelectorAll('meta[http-equiv=Content-Security-Policy]').length") == 1
    opened.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    asked = [each for each in opened.asked if each != path.as_uri() and not each.startswith("data:")]
    return Looked(opened.audit(browser.axe()), opened.value("document.documentElement.scrollWidth"), asked)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("panel")
    out, results, question = panelling.everything(folder)
    shown = panelling.report(question, "hostile", words=panelling.HOSTILE.format("words"))
    return {
        "index": (out / "index.html").read_text("utf-8"),
        "candidate": (out / f"{results.find('ana-lopez-failed').code}.html").read_text("utf-8"),
        "report": page(shown),
        "feedback": candidate.page(shown),
    }


@pytest.mark.parametrize("name", ["index", "candidate", "report", "feedback"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_reads_well_for_everybody_at_every_width(
    opened: Page, written: dict[str, str], name: str, width: int, tmp_path: Path
) -> None:
    found = looked_at(opened, written[name], width, tmp_path)
    assert found.violations == []
    assert found.width <= width
    assert found.requests == []


def test_what_is_wrong_is_seen(opened: Page, tmp_path: Path) -> None:
    """Grey on white, a picture without words, a line too long, and a request: found out, so a clean page says much."""
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src * data: \'unsafe-inline\'">'
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    wrong = '<p style="color:#bbb;width:900px">pale</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'
    wrong += '<img src="other.png" alt="x">'
    head = f"<!doctype html><html lang='en'><head>{policy}{viewport}<title>x</title></head>"
    source = f"{head}<body><main><h1>x</h1>{wrong}</main></body></html>"
    found = looked_at(opened, source, 360, tmp_path)
    assert {"color-contrast", "image-alt"} <= {id for id, _ in found.violations}
    assert found.width >= 900
    assert found.requests == [(tmp_path / "other.png").as_uri()]
