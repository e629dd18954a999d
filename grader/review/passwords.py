"""Passwords, of which only a scrypt hash with a salt of its own is ever kept."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import threading
from typing import Final

from grader.errors import CallError

COST: Final = 15  # log2 of scrypt's N: 32 MiB and about a tenth of a second for each guess, with r = 8 and p = 1
MOST_COST: Final = 18
LEAST: Final = 12  # characters
MOST: Final = 1000
WRITTEN: Final = re.compile(r"scrypt\$(\d{1,2})\$([A-Za-z0-9+/]{22}==)\$([A-Za-z0-9+/]{43}=)")

# Each guess takes 32 MiB. Strangers who guess at once wait for each other, and not for our memory.
AT_ONCE: Final = threading.Semaphore(2)


def hashed(password: str) -> str:
    """What is kept of a password: `scrypt$<log2 N>$<salt>$<hash>`.

    Raises:
        CallError: it is too short, or too long.
    """
    if not LEAST <= len(password) <= MOST:
        raise CallError(
            "this password can't be used",
            found=f"{len(password)} characters",
            expected=f"{LEAST} to {MOST}",
            next_step="Several plain words in a row are easy to keep in mind and hard to guess.",
        )
    salt = secrets.token_bytes(16)
    return f"scrypt${COST}${_text(salt)}${_text(_derived(password, salt, COST))}"


def is_written(kept: str) -> bool:
    """Whether a text could have been made by `hashed`."""
    found = WRITTEN.fullmatch(kept)
    return found is not None and 10 <= int(found[1]) <= MOST_COST


def fits(password: str, kept: str) -> bool:
    """Whether a password is the one that a hash was made of; it takes as long when it is not."""
    found = WRITTEN.fullmatch(kept)
    if found is None or len(password) > MOST:
        return False
    salt, wanted = base64.b64decode(found[2]), base64.b64decode(found[3])
    return hmac.compare_digest(_derived(password, salt, int(found[1])), wanted)


def _derived(password: str, salt: bytes, cost: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    with AT_ONCE:
        return hashlib.scrypt(raw, salt=salt, n=1 << cost, r=8, p=1, maxmem=(1 << cost) * 8 * 128 * 2, dklen=32)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
