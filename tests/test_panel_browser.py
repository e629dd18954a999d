"""Pages in a real browser: axe finds nothing, nothing spills over the screen, nothing is asked for.

They run where there is a Chromium (or CHROMIUM names one) and axe-core (AXE names axe.min.js, or npm installed it).
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from grader.render import candidate
from grader.render.html import page
from tests import panelling

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS: Final = (360, 800, 1440)
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def browser() -> str:
    """The browser, or a skip that says what is missing."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    return found or pytest.skip("there is no Chromium; CHROMIUM can name one")


def axe() -> str:
    """The text of axe-core, or a skip that says what is missing."""
    root = Path(__file__).resolve().parents[1]
    places = [Path("/usr/lib/node_modules"), Path("/usr/local/lib/node_modules"), root / "node_modules"]
    named = [Path(os.environ["AXE"])] if "AXE" in os.environ else []
    for path in (*named, *(place / "axe-core" / "axe.min.js" for place in places)):
        if path.is_file():
            return path.read_text("utf-8")
    return pytest.skip("there is no axe-core; `npm install axe-core`, or let AXE name axe.min.js")


PROBE: Final = """
addEventListener("load", async () => {
  document.querySelectorAll("details").forEach(each => { each.open = true; });
  const found = await axe.run(document, {runOnly: {type: "tag", values: RULES}, resultTypes: ["violations"]});
  const told = {
    violations: found.violations.map(each => [each.id, each.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]),
    width: document.documentElement.scrollWidth,
    requests: performance.getEntriesByType("resource").map(each => each.name).filter(name => !name.startsWith("data:")),
  };
  parent.postMessage(JSON.stringify(told), "*");
});
"""


def looked_at(source: str, width: int, folder: Path) -> dict[str, Any]:
    """What a browser of that width says of a page. Its own policy is taken off, since it keeps axe out too."""
    script = f"<script>{axe()}</script><script>{PROBE.replace('RULES', json.dumps(RULES))}</script>"
    bare, policies = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", source)
    assert policies == 1
    (folder / "page.html").write_text(bare.replace("</body>", f"{script}</body>"), encoding="utf-8")
    (folder / "frame.html").write_text(
        "<script>addEventListener('message', event => {"
        "document.body.insertAdjacentHTML('beforeend', '<pre id=told></pre>');"
        "document.getElementById('told').textContent = event.data; });</script>"
        f"<body><iframe src='page.html' style='border:0;width:{width}px;height:4000px'></iframe>",
        encoding="utf-8",
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    asked = [browser(), *flags, "--virtual-time-budget=60000", "--dump-dom", (folder / "frame.html").as_uri()]
    shown = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=False)
    told = re.search(r'<pre id="told">(.*?)</pre>', shown.stdout, re.DOTALL)
    assert told, shown.stderr[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(told[1]))
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    browser(), axe()
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
    written: dict[str, str], name: str, width: int, tmp_path: Path
) -> None:
    found = looked_at(written[name], width, tmp_path)
    assert found["violations"] == []
    assert found["width"] <= width
    assert found["requests"] == []


def test_the_audit_sees_what_is_wrong(tmp_path: Path) -> None:
    """A page with grey on white and a picture without words is found out, so a clean one says something."""
    policy = '<meta http-equiv="Content-Security-Policy" content="x">'
    wrong = '<p style="color:#bbb;width:900px">pale</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'
    head = f"<!doctype html><html lang='en'><head>{policy}<title>x</title></head>"
    source = f"{head}<body><main><h1>x</h1>{wrong}</main></body></html>"
    found = looked_at(source, 360, tmp_path)
    assert {"color-contrast", "image-alt"} <= {id for id, _ in found["violations"]}
    assert found["width"] > 360
