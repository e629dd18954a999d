"""Zips whose bytes depend on nothing but what is in them: no clock, no system, no order of a folder."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from typing import Final

EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can tell
MODE: Final = 0o100644
UNIX: Final = 3


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files, by path."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, EPOCH)
            member.create_system, member.external_attr = UNIX, MODE << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, files[name], compresslevel=9)
    return whole.getvalue()


def unpack(raw: bytes) -> dict[str, bytes]:
    """The files of a zip that was made here."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the paths and bytes of these files; of a zip among them, over what is in it."""
    whole = hashlib.sha256()
    for name in sorted(files):
        content = files[name]
        own = digest(unpack(content)) if name.endswith(".zip") else hashlib.sha256(content).hexdigest()
        whole.update(f"{name}\0{own}\n".encode())
    return whole.hexdigest()
