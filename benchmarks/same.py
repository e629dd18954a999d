"""What two batches have to agree in: everything that they leave, but for times and code names, which are drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

DRAWN: Final = ("codes.json", "manifest.json")
TIMES: Final = re.compile(r"[\d,.]+ ?(s|ms|MiB|KiB)\b")


def results_of(folder: Path) -> dict[str, Any]:
    """Every file of a results folder, by its path: reports without their timing, the lines of the ledger, other texts.

    A page shows times, and they are left out. Of a file whose content is drawn only the name counts.
    """
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            continue
        if name in DRAWN:
            found[name] = ""
        elif path.name == "report.json":
            found[name] = {key: value for key, value in json.loads(path.read_bytes()).items() if key != "timing"}
        elif path.parts[-2:-1] and name.startswith("reports/"):
            found[name] = TIMES.sub("…", path.read_text("utf-8"))
        else:
            found[name] = path.read_bytes()
    return found


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """What differs between two such results, a sentence for each file."""
    told = [f"{name} is missing" for name in wanted.keys() - found.keys()]
    told += [f"{name} is there, and belongs to nothing" for name in found.keys() - wanted.keys()]
    told += [
        f"{name} differs{_where(found[name], wanted[name])}"
        for name in wanted
        if found.get(name, ...) not in (..., wanted[name])
    ]
    return sorted(told)


def _where(found: Any, wanted: Any) -> str:
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return ""
    names = [name for name in wanted if found.get(name) != wanted[name]]
    return f" in {', '.join(f'{name}: {found.get(name)!r:.150} for {wanted[name]!r:.150}' for name in names)}"
