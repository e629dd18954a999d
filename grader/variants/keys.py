"""The team's key, and what it signs: that a packet of a question was made in this variant, for this code name.

The key stands in the environment variable GRADER_KEY, or else in a file: the one that grader.toml names as `key` in its
table [packet], or `takehome-grader/packet.key` in the folder of the person's settings. `grader start` makes the file
where there is none. A signature says which key it is of, by a digest, so that a key that was changed is told apart from
a packet that was changed. It is HMAC-SHA256 over everything that packet.json says of where it comes from.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grader import inert
from grader.errors import CallError
from grader.packet.settings import Settings
from grader.submission.manifest import SIGNED, Manifest

VARIABLE: Final = "GRADER_KEY"
FILE: Final = Path("takehome-grader") / "packet.key"
PURPOSE: Final = b"takehome-grader/variant/1"
SHORTEST: Final = 16  # characters; whoever has a packet can try shorter ones until the signature fits
BYTES: Final = 32
PRIVATE: Final = 0o600


@dataclass(frozen=True)
class Key:
    """The team's key.

    Attributes:
        secret: its bytes; shown nowhere.
        where: what it was read from, in words.
    """

    secret: bytes = field(repr=False)
    where: str

    @property
    def name(self) -> str:
        """A digest that says which key it is, and nothing of what is in it."""
        return hmac.new(self.secret, b"takehome-grader/key", hashlib.sha256).hexdigest()[:8]

    def signed(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """What packet.json says, with the signature of it."""
        plain = {name: value for name, value in about.items() if name != "signature"}
        return {**plain, "signature": f"{self.name}.{self._sign(plain)}"}

    def verify(self, claim: Manifest) -> str:
        """Why a claim is not believed, as a clause; empty if it is as this key signed it."""
        name, _, digest = claim.signature.partition(".")
        if not digest:
            return "says which variant it is of, and was not signed"
        if hmac.compare_digest(digest.encode("utf-8", "surrogatepass"), self._sign(claim.signed).encode()):
            return ""
        if name != self.name:
            return f"was signed with another key ({inert.short(name, 20)}; this one, from {self.where}, is {self.name})"
        return "was changed after it was signed"

    def _sign(self, about: Mapping[str, Any]) -> str:
        body = json.dumps({name: about[name] for name in SIGNED}, sort_keys=True, separators=(",", ":"))
        return hmac.new(self.secret, PURPOSE + b"\0" + body.encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Keeper:
    """Where the key is looked for.

    Attributes:
        file: the file of the key, where the environment has none.
    """

    file: Path

    @classmethod
    def here(cls) -> Keeper:
        """Where a team keeps its key: the path in grader.toml; if there is none, among the person's settings."""
        named = Settings.find(Path.cwd()).key
        # Path.home() raises where nobody knows the user, as in some containers, and most who grade need no key.
        home = Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"))  # noqa: PTH111
        return cls(Path(named) if named else home / FILE)

    @property
    def has_one(self) -> bool:
        """Whether there is a key, be it one that can be used or not."""
        return bool(os.environ.get(VARIABLE)) or self.file.exists()

    def find(self) -> Key | None:
        """The key, if there is one.

        Raises:
            CallError: it is too short, can't be read, or others could read it.
        """
        if said := os.environ.get(VARIABLE):
            return _key(said, VARIABLE)
        try:
            status = self.file.stat()
            text = self.file.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
            raise CallError("the team's key can't be read", where=inert.line(str(self.file)), found=why) from None
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
            raise CallError(
                "the team's key can be read by others",
                where=inert.line(str(self.file)),
                found=f"the mode {stat.S_IMODE(status.st_mode):o}",
                expected=f"{PRIVATE:o}",
                next_step=f"If nobody has read it, `chmod {PRIVATE:o}` it.",
            )
        return _key(text, inert.line(str(self.file)))

    def make(self) -> tuple[Key, bool]:
        """The key, and whether it was made just now.

        Raises:
            CallError: there is one that can't be used, or none can be written.
        """
        key = self.find()
        if key is not None:
            return key, False
        part = self.file.with_name(f".{self.file.name}.{secrets.token_hex(4)}")
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as stream:
                stream.write(secrets.token_hex(BYTES) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            made = _placed(part, self.file)
        except OSError as error:
            raise CallError(
                f"the team's key can't be written ({error.strerror or error})",
                where=inert.line(str(self.file)),
                next_step=f"Name another file as `key` in [packet] of grader.toml, or set {VARIABLE}.",
            ) from None
        finally:
            part.unlink(missing_ok=True)
        key = self.find()
        assert key is not None
        return key, made

    def refuse_inside(self, folder: Path) -> None:
        """Raise a CallError if the key would lie in a folder that is sent, or holds results."""
        if self.file.resolve().is_relative_to(folder.resolve()):
            raise CallError(
                "the team's key is in the folder that this writes to, where others may get it",
                where=inert.line(str(self.file)),
                next_step="Keep it elsewhere: move it, and name its place as `key` in [packet] of grader.toml.",
            )


def _placed(part: Path, file: Path) -> bool:
    """Give a new file its name, unless another call was quicker; its key is the team's then."""
    try:
        os.link(part, file)
    except FileExistsError:
        return False
    except OSError:  # a disk without links
        if file.exists():
            return False
        part.replace(file)
    return True


def _key(text: str, where: str) -> Key:
    secret = text.strip()
    if len(secret) < SHORTEST:
        raise CallError(
            "the team's key is too short to keep anything",
            where=where,
            found=f"{len(secret)} characters",
            expected=f"at least {SHORTEST}",
            next_step="`python -c 'import secrets; print(secrets.token_hex(32))'` makes one.",
        )
    return Key(secret.encode(), where)
