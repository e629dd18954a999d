"""What a report records of where it was made: versions that can change a number, and nothing that names a machine."""

import platform
from importlib import metadata
from typing import Final

from grader import __version__

RECORDED: Final = ("torch", "numpy", "pytest", "hypothesis")


def versions() -> dict[str, str]:
    """The versions of the grader, of Python and of the packages that grading rests on."""
    found = {name: metadata.version(name) for name in RECORDED}
    return {
        "grader": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **found,
    }
