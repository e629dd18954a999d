"""Sends a zip whose members lead out of the folder: it is refused, and nothing is extracted."""

# runner: unpacks
# naive: touches
# here: refused leads elsewhere
import zipfile
from pathlib import Path


def submission(folder, constants):
    path = Path(folder, "submission.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("solution.py", SOURCES["right"])
        archive.writestr("../" * 12 + constants["BAIT"].lstrip("/") + "/slipped.txt", "out")
        archive.writestr(constants["BAIT"] + "/slipped_too.txt", "out")
    return path
