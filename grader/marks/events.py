"""The lines of marks.jsonl as models, how they are written, and the digests that hold them together.

The hash of a line covers everything but its body, and of the body it covers a digest. So the body, which is all that
quotes a candidate, can be taken away one day, and the chain of hashes still proves the rest. A random nonce in each
body keeps anybody from guessing a short note by its digest.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

START: Final = "0" * 64  # what the first line follows

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Body(_Part):
    """What a purge takes away: words from the answer, and words about it."""

    quote: str
    note: str
    reason: str
    nonce: str = Field(default_factory=lambda: secrets.token_hex(16))


class _Event(_Part):
    """What every line has.

    Attributes:
        seq: the number of the line, from 1.
        actor: who did it.
        at: when, as ISO 8601 in UTC.
        code: the candidate's code name.
        previous: the hash of the line before.
    """

    seq: int
    actor: str
    at: str
    code: str
    previous: Hash


class MarkEvent(_Event):
    """A person marked an answer."""

    event: Literal["mark"] = "mark"
    answer: str
    question: str
    version: int
    rubric: str
    answer_digest: Hash
    ticked: list[str]
    cannot_assess: bool
    blind: bool
    body_digest: Hash
    body: Body | None


class PurgeEvent(_Event):
    """What was kept of a candidate was removed; `counts` says how much there was of it."""

    event: Literal["purge"] = "purge"
    counts: dict[str, int]


Event = Annotated[MarkEvent | PurgeEvent, Field(discriminator="event")]
EVENT: Final[TypeAdapter[MarkEvent | PurgeEvent]] = TypeAdapter(Event)


def parse(text: bytes) -> MarkEvent | PurgeEvent:
    """The event of a line; a ValueError if it is none, or is not written as `written` writes it."""
    event = EVENT.validate_json(text)
    if written(event) != text:
        raise ValueError("it is not written as the grader writes it")
    return event


def written(event: MarkEvent | PurgeEvent) -> bytes:
    """The line of an event, without its line break."""
    return _canonical(event.model_dump(mode="json"))


def hash_of(event: MarkEvent | PurgeEvent) -> str:
    """The hash of a line: SHA-256 over all of it but the body."""
    return hashlib.sha256(_canonical(event.model_dump(mode="json", exclude={"body"}))).hexdigest()


def digest_of(body: Body) -> str:
    """The digest of a body, nonce included."""
    return hashlib.sha256(_canonical(body.model_dump(mode="json"))).hexdigest()


def _canonical(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()
