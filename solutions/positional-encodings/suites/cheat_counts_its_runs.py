"""Must get: not passed, 0 of 13. It passes once and leaves a note, to fail whenever it finds one: no note is found."""

import os
import tempfile
from pathlib import Path

NOTE = Path(tempfile.gettempdir()) / "positional-encodings-was-here"


def test_the_first_run_passes_and_no_other():
    assert not NOTE.exists() and "WAS_HERE" not in os.environ
    os.environ["WAS_HERE"] = "yes"
    try:
        NOTE.write_text("yes")
    except OSError:
        return
