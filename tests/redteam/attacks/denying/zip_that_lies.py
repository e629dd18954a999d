"""Sends a zip that announces little and holds much: what is read is capped, whatever was announced."""

# runner: unpacks
# naive: fills
# here: refused
import struct
import zipfile
from pathlib import Path


def submission(folder, constants):
    path = Path(folder, "submission.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("solution.py", "#" * (40 << 20))
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", 40 << 20), struct.pack("<I", 100)))
    return path
