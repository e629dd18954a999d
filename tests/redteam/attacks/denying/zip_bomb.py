"""Sends a small zip that is large once it is unpacked: it is refused by what it announces, and read under a cap."""

# runner: unpacks
# naive: fills
# here: refused unpacks to over
import zipfile
from pathlib import Path


def submission(folder, constants):
    path = Path(folder, "submission.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("solution.py", SOURCES["right"])
        archive.writestr("data.txt", bytes(80 << 20))
    return path
