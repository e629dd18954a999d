"""preflight.zip: a copy of the very modules that read a submission here, and what they need to know of the question."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Final

from grader.bank import PACKAGE

MODULES: Final = (
    "__init__.py",
    "errors.py",
    "inert.py",
    "sandbox/__init__.py",
    "sandbox/limits.py",
    "rubric/__init__.py",
    "rubric/answersheet.py",
    "rubric/choosing.py",
    "rubric/numerals.py",
    "rubric/written.py",
    "packet/__init__.py",
    "packet/check.py",
    "packet/preflight.py",
    "packet/task.py",
    "packet/trial.py",
    "packet/zips.py",
)
WHOLE: Final = ("submission",)
YAML: Final = "ruamel.yaml"


def modules() -> dict[str, bytes]:
    """The modules of the grader and those of ruamel.yaml, by their path in the archive, with their licences."""
    own = [PACKAGE / name for name in MODULES]
    own += [path for folder in WHOLE for path in sorted((PACKAGE / folder).glob("*.py"))]
    return {
        **{f"grader/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in own},
        "grader/LICENSE": _licence("takehome-grader", PACKAGE.parent / "LICENSE"),
        **_yaml(),
    }


def _yaml() -> dict[str, bytes]:
    import ruamel.yaml

    home = Path(ruamel.yaml.__file__).parent
    files = {f"ruamel/yaml/{path.name}": path.read_bytes() for path in sorted(home.glob("*.py"))}
    # A folder without this file would be searched for in every other place as well.
    return {"ruamel/__init__.py": b"", **files, "ruamel/yaml/LICENSE": _licence(YAML)}


def _licence(package: str, beside: Path | None = None) -> bytes:
    """The licence of a package: the file of a checkout, or the one that was installed with it."""
    if beside is not None and beside.is_file():
        return beside.read_bytes()
    found = [path for path in metadata.files(package) or () if path.name == "LICENSE"]
    return b"".join(Path(path.locate()).read_bytes() for path in found)
