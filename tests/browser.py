"""A Chromium that tests drive: its own protocol, spoken over a pipe, so that nothing else has to be installed.

with browser.opened(tmp_path) as page:
    page.go("http://127.0.0.1:8017/")
    page.press("Tab")
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PATIENCE: Final = 180.0  # seconds; a busy machine is no failure
# A key by the name that pages know, its code, and the character that it types.
KEYS: Final = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    " ": ("Space", 32, " "),
}


def chromium() -> str:
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


class Page:
    """One page of one browser.

    Attributes:
        asked: the addresses that it asked for.
        said: what went wrong in it: errors of scripts, and what its policy refused.
    """

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._rest = b""
        self._numbers = itertools.count(1)
        self._session = ""
        self._scripts = True
        self.asked: list[str] = []
        self.said: list[str] = []
        made = self.call("Target.createTarget", url="about:blank")
        self._session = self.call("Target.attachToTarget", targetId=made["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol, and wait for what it gives."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != number:
            self._note(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        found: dict[str, Any] = answer["result"]
        return found

    def wide(self, width: int, height: int = 900) -> None:
        """Give it a size, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def scripts(self, on: bool) -> None:
        """Whether pages may run scripts from now on."""
        self._scripts = on
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def downloads(self, folder: Path) -> None:
        """Where files go that a page hands out."""
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def go(self, address: str) -> None:
        """Go to an address, and wait until it is there."""
        self.call("Page.navigate", url=address)
        self.settle()

    def settle(self) -> None:
        """Wait until the page is there with all that it asked for."""
        self.until(lambda: self.value("document.readyState") == "complete" and self.value("location.href") != "")

    def value(self, expression: str) -> Any:
        """What an expression is in the page; this works where the page's own scripts are off, too."""
        given = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in given, given["exceptionDetails"]
        return given["result"].get("value")

    def until(self, holds: Callable[[], object]) -> None:
        """Wait for something."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if holds():
                    return
            except AssertionError as error:  # the page went away while it was asked
                if "navigated" not in str(error) and "context" not in str(error):
                    raise
            assert time.monotonic() < end, f"in vain, at {self.value('location.href')}: {self.text()[:2000]}"
            time.sleep(0.03)

    def press(self, key: str, times: int = 1, control: bool = False) -> None:
        """Press a key, as a person would."""
        code, number, text = KEYS.get(key) or (f"Key{key.upper()}", ord(key.upper()), key)
        for _ in range(times):
            about = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 2 if control else 0}
            typed = {"text": text} if text and not control else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **about, **typed)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, words: str) -> None:
        """Type words where the focus is."""
        self.call("Input.insertText", text=words)

    def focus(self, selector: str) -> None:
        """Go to an element by the Tab key alone; a failure if it can't be reached so."""
        for _ in range(400):
            if self.value(f"document.activeElement !== null && document.activeElement.matches({json.dumps(selector)})"):
                return
            self.press("Tab")
        raise AssertionError(f"the Tab key does not get to {selector}")

    def follow(self, selector: str) -> None:
        """Get to a link or a button by keys, press Enter, and wait for the page that comes."""
        self.focus(selector)
        self.leaving(lambda: self.press("Enter"))

    def leaving(self, act: Callable[[], object]) -> None:
        """Do something that leads to another page, and wait for that."""
        before = self._loaded()
        act()
        self.until(lambda: self._loaded() != before)
        self.settle()

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files in a field."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in files])

    def text(self) -> str:
        """The words that are shown."""
        return str(self.value("document.body ? document.body.innerText : ''"))

    def audit(self, source: str) -> list[Any]:
        """What axe-core finds. It is put in from outside the page, which the page's policy has no say in."""
        self.call("Emulation.setScriptExecutionDisabled", value=False)  # for axe; a page's own don't run any more
        try:
            return self._audited(source)
        finally:
            self.call("Emulation.setScriptExecutionDisabled", value=not self._scripts)

    def _audited(self, source: str) -> list[Any]:
        self.call("Runtime.evaluate", expression=source)
        asked = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
        found = self.value(
            f"axe.run(document, {json.dumps(asked)}).then(found => JSON.stringify(found.violations.map("
            "each => [each.id, each.nodes.slice(0, 3).map(node => node.html.slice(0, 200))])))"
        )
        listed: list[Any] = json.loads(found)
        return listed

    def overflow(self) -> int:
        """How many pixels the page is wider than the screen."""
        return int(self.value("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def picture(self, path: Path, whole: bool = True) -> None:
        """Write what it looks like to a PNG; the whole of it, or what is on the screen."""
        taken = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))

    def _loaded(self) -> object:
        try:
            return self.value("performance.timeOrigin")
        except AssertionError:
            return None

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._receive, 1 << 20)
            assert piece, "the browser is gone"
            self._rest += piece
        raw, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.asked.append(message["params"]["request"]["url"])
            case "Runtime.exceptionThrown":
                self.said.append(str(message["params"]["exceptionDetails"]))
            case "Log.entryAdded":
                entry = message["params"]["entry"]
                if entry["source"] == "security":
                    self.said.append(entry["text"])


@contextmanager
def opened(folder: Path) -> Iterator[Page]:
    """A browser with a profile of its own, and one page in it."""
    ours, theirs = os.pipe(), os.pipe()  # what the browser reads, and what it writes

    def place() -> None:
        # Copies first: one of the four may be 3 or 4 itself.
        reads, writes = os.dup(ours[0]), os.dup(theirs[1])
        os.dup2(reads, 3)
        os.dup2(writes, 4)

    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
    flags += ["--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={folder / 'profile'}"]
    process = subprocess.Popen(
        [chromium(), *flags, "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=place,
    )
    os.close(ours[0])
    os.close(theirs[1])
    try:
        yield Page(ours[1], theirs[0])
    finally:
        process.kill()
        process.wait()
        os.close(ours[1])
        os.close(theirs[0])
