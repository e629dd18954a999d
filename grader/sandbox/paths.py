"""What a worker may read: the interpreter, its packages, and the system's libraries. Nothing of the user's.

The grader's own package is left out, and with it, in an installed grader, the questions inside it.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent.parent

DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
SYSTEM_LIBRARIES: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
# torch and OpenMP look at the processors; without these they complain, or guess.
SYSTEM_FILES: Final = ("/etc/ld.so.cache", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")


def readable() -> list[str]:
    """The folders and files, as they are named, without those that do not exist or lie in another one."""
    import numpy
    import torch

    packages = [Path(str(module.__file__)).parent.parent for module in (numpy, torch)]
    folders = [
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        *(str(folder) for folder in packages),
        str(Path(sys.base_prefix, "lib")),
        *SYSTEM_LIBRARIES,
        *SYSTEM_FILES,
    ]
    found = sorted({folder for folder in folders if folder and os.path.exists(folder)})  # noqa: PTH110
    return [path for path in found if not any(_is_below(path, other) for other in found)]


def hidden(roots: list[str]) -> list[str]:
    """What has to be covered although it lies in one of the readable folders: the grader itself, wherever it shows."""
    places = {str(PACKAGE), *(str(Path(root, PACKAGE.name)) for root in site.getsitepackages())}
    return sorted(place for place in places if any(_is_below(place, root) for root in roots) and Path(place).is_dir())


def _is_below(path: str, other: str) -> bool:
    return path != other and Path(path).is_relative_to(other)
