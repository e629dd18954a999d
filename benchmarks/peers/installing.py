"""Peers in environments of their own, which borrow torch, NumPy and what else they need from this one.

torch is gigabytes, and a peer that ran on another would be compared with another. So each environment sees the
packages of this one behind its own, and pip is held to the torch that is there.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Final

from benchmarks.peers.frameworks import Failed

SHARED: Final = "zz-shared.pth"
INSTALL_SECONDS: Final = 900


def install(name: str, packages: tuple[str, ...], home: Path) -> Path:
    """Make the environment of a peer, if it is not there, and say where its programs are.

    Raises:
        Failed: pip could not.
    """
    folder = home / name.replace(" ", "-")
    done = folder / "installed"
    if not done.exists():
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        site = Path(
            _run([str(folder / "bin" / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        )
        (site / SHARED).write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
        pins = folder / "pins.txt"
        pins.write_text(f"torch=={metadata.version('torch').partition('+')[0]}\nnumpy=={metadata.version('numpy')}\n")
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--constraint", str(pins), *packages])
        done.touch()
    return folder / "bin"


def version(binaries: Path, package: str) -> str:
    """The version of a package there."""
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    return _run([str(binaries / "python"), "-c", ask])


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(str(error)) from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
        raise Failed(f"`{' '.join(command[2:5])} …` failed: {(lines or ['no message'])[-1][:200]}")
    return done.stdout.strip()
