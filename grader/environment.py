"""What a report records of where it was made: versions that can change a number, and nothing that names a machine."""

import platform
from functools import cache
from importlib import metadata
from typing import Final

from grader import __version__

RECORDED: Final = ("torch", "numpy", "pytest", "hypothesis")


def versions() -> dict[str, str]:
    """The versions of the grader, of Python and of the packages that grading rests on."""
    return {
        "grader": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **{name: _installed(name) for name in RECORDED},
    }


@cache
def _installed(name: str) -> str:
    return metadata.version(name)
