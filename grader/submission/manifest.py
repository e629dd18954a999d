"""What a packet says of itself, and what check.py wrote down of the files that it packed.

packet.json lies in every packet; manifest.json is in the zip that check.py writes, and repeats it. Both come back from
a candidate, so they are a claim: they are noted where they disagree with what was sent, and decide no mark. Keys that
are not known here are left alone, so that a packet can carry more than this version reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from grader.inert import line, short
from grader.submission.asked import Asked

MANIFEST: Final = "manifest.json"
PACKET: Final = "packet.json"
MANIFEST_SCHEMA: Final = "takehome-grader/submission/1"
PACKET_SCHEMA: Final = "takehome-grader/packet/1"
MOST_BYTES: Final = 64 << 10
MOST_NAME: Final = 100  # characters of a code name or an id
MOST_CHOICES: Final = 32  # of a variant
SIGNED: Final = ("question", "version", "digest", "code", "variant")


@dataclass(frozen=True)
class Manifest:
    """A claim of where a submission comes from.

    Attributes:
        question: the id of the question.
        version: its version; 0 where it isn't told.
        packet: the digest of the packet.
        code: the candidate's code name; empty where the packet has none.
        files: the SHA-256 of each file that check.py packed, by name.
        variant: the choices of the variant that the packet is of; empty where none are told, or they are garbled.
        signature: by whom the team says all this; empty where nothing was signed.
        names_variant: whether anything is told of a variant, garbled or not.
    """

    question: str = ""
    version: int = 0
    packet: str = ""
    code: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    variant: Mapping[str, int | float | str | bool] = field(default_factory=dict)
    signature: str = ""
    names_variant: bool = False

    @property
    def signed(self) -> dict[str, Any]:
        """What a signature is over, as packet.json has it."""
        return {
            "question": self.question,
            "version": self.version,
            "digest": self.packet,
            "code": self.code,
            "variant": dict(self.variant),
        }

    @classmethod
    def parse(cls, raw: bytes) -> Manifest | None:
        """Read manifest.json or packet.json; None for what is neither. Whatever was sent, it ends."""
        if len(raw) > MOST_BYTES:
            return None
        try:
            fields = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            return None
        match fields:
            case {"schema": schema, "packet": dict(packet), "files": dict(files)} if schema == MANIFEST_SCHEMA:
                return cls._of(packet, {str(name): str(digest) for name, digest in files.items()})
            case {"schema": schema} if schema == PACKET_SCHEMA:
                return cls._of(fields, {})
        return None

    @classmethod
    def _of(cls, packet: dict[str, Any], files: dict[str, str]) -> Manifest:
        version = packet.get("version")
        words = {name: packet.get(name) for name in ("question", "digest", "code", "signature")}
        plain = {
            name: value if isinstance(value, str) and len(value) <= MOST_NAME else "" for name, value in words.items()
        }
        known = type(version) is int and 0 < version < 1_000_000
        return cls(
            plain["question"],
            version if known else 0,  # type: ignore[arg-type]
            plain["digest"],
            plain["code"],
            files,
            _choices(packet.get("variant")),
            plain["signature"],
            "variant" in packet or "signature" in packet,
        )

    def differences(self, asked: Asked, taken: Mapping[str, str]) -> Iterator[str]:
        """What a person should know: a manifest of something else, and files that are not those it lists.

        Args:
            asked: what is graded.
            taken: the SHA-256 of each file that was taken, by name.
        """
        if self.question and asked.question and self.question != asked.question:
            yield f"the packet was for the question {short(self.question, 60)}, not {asked.question}"
        elif self.version and asked.version and self.version != asked.version:
            yield f"the packet was made from version {self.version} of the question; this is version {asked.version}"
        for name, digest in taken.items() if self.files else ():
            if name not in self.files:
                yield f"{name} was added after check.py wrote the manifest"
            elif self.files[name] != digest:
                yield f"{name} was changed after check.py wrote the manifest"
        for name in self.files:
            if line(name) not in taken:
                yield f"{short(name, 60)} is in the manifest, and was not taken"


def _choices(told: Any) -> dict[str, int | float | str | bool]:
    """The choices of a variant; none of them where one is no plain value."""
    if not isinstance(told, dict) or len(told) > MOST_CHOICES or not all(map(_is_plain, (*told, *told.values()))):
        return {}
    return told


def _is_plain(value: Any) -> bool:
    match value:
        case str():
            return len(value) <= MOST_NAME
        case int():  # and so True and False
            return abs(value) < 1 << 53
        case float():
            return isfinite(value)
    return False


def packet_text(fields: Mapping[str, Any]) -> str:
    """The text of packet.json."""
    return json.dumps({"schema": PACKET_SCHEMA, **fields}, indent=2) + "\n"


def manifest_text(packet: Mapping[str, Any], files: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """The text of manifest.json.

    Args:
        packet: what packet.json holds, repeated key by key, whatever it is.
        files: the SHA-256 of each file beside it, by name.
        environment: the versions that the candidate worked with.
    """
    own = {key: value for key, value in packet.items() if key != "schema"}
    body = {"schema": MANIFEST_SCHEMA, "packet": own, "files": dict(files), "environment": dict(environment)}
    return json.dumps(body, indent=2, sort_keys=True) + "\n"
