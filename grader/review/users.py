"""users.toml: who may come in, with which roles, and the hash of each password.

    [users]
    ana = {roles = ["panel"], password = "scrypt$15$…"}

`grader users add` writes such a line. A running room reads the file again when it has changed, so whoever is taken out
of it is out of the room.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from grader import inert
from grader.errors import CallError
from grader.marks.book import LONGEST_NAME
from grader.render import files
from grader.review import passwords
from grader.review.people import ROLES, Person

ADD: Final = "`grader users add FILE NAME --role ROLE` writes a line."
PRIVATE: Final = 0o600


def _kept(password: str) -> str:
    if not passwords.is_written(password):
        raise ValueError("this is no hash of a password")
    return password


class User(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    roles: list[Literal["interviewer", "panel", "admin"]] = Field(min_length=1)
    password: Annotated[str, AfterValidator(_kept)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    users: dict[str, User] = Field(min_length=1)


class Users:
    """The people of a users.toml.

    Raises:
        CallError: the file can't be read, or others than its owner may write it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = _state(path)
        self._users = read(path)

    def person(self, name: str) -> Person | None:
        """Somebody by name, as the file is now; None if they are not in it."""
        user = self._now().get(name)
        return Person(name, frozenset(user.roles)) if user else None

    def signed_in(self, name: str, password: str) -> Person | None:
        """Somebody by name and password; None if either is wrong, and no clock tells which."""
        user = self._now().get(name)
        fits = passwords.fits(password, user.password if user else _of_nobody())
        return Person(name, frozenset(user.roles)) if user and fits else None

    def _now(self) -> dict[str, User]:
        try:
            state = _state(self.path)
            if state != self._seen:
                self._users, self._seen = read(self.path), state
        except CallError:
            return {}  # a file that can't be read lets nobody in
        return self._users


def read(path: Path) -> dict[str, User]:
    """The users of a file, by name.

    Raises:
        CallError: it can't be read, or holds something else.
    """
    where = inert.line(str(path))
    try:
        if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise CallError(
                "others may write this file, and let themselves in",
                where=where,
                found=f"mode {stat.S_IMODE(path.stat().st_mode):o}",
                expected=f"{PRIVATE:o}",
                next_step=f"Run `chmod 600 {where}`.",
            )
        fields = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) else str(error)
        raise CallError("the users can't be read", where=where, found=found, next_step=ADD) from None
    try:
        users = _File.model_validate(fields).users
    except ValidationError as error:
        first = error.errors()[0]
        found = inert.short(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", 120)
        raise CallError("this is no file of users", where=where, found=found, next_step=ADD) from None
    for name in users:
        if plain(name) != name:
            raise CallError("this is no name", where=where, found=inert.short(repr(name), 60), next_step=ADD)
    folded = [name.casefold() for name in users]
    if twice := next((name for name in users if folded.count(name.casefold()) > 1), None):
        raise CallError("two users differ in capitals alone", where=where, found=inert.line(twice))
    return users


def plain(name: str) -> str:
    """A name as marks are signed with it.

    Raises:
        CallError: it is empty, too long, or can't be seen in full.
    """
    found = unicodedata.normalize("NFC", name).strip()
    if not found or len(found) > LONGEST_NAME or inert.line(found) != found:
        raise CallError(
            "this is no name to mark under",
            found=inert.short(name, 40) or "nothing",
            expected=f"1 to {LONGEST_NAME} characters that can be seen",
        )
    return found


def line_of(name: str, roles: list[str], password: str) -> str:
    """The line of a user, without its line break.

    Raises:
        CallError: the name, a role or the password can't be used.
    """
    if unknown := [role for role in roles if role not in ROLES]:
        raise CallError("there is no such role", found=inert.line(unknown[0]), expected=" or ".join(ROLES))
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", plain(name)) else json.dumps(plain(name), ensure_ascii=False)
    return f"{key} = {{roles = {json.dumps(roles)}, password = {json.dumps(passwords.hashed(password))}}}"


def add(path: Path, name: str, roles: list[str], password: str) -> bool:
    """Write a user's line into the file, in the place of an earlier one of theirs; the file is made if it is not there.

    Returns:
        Whether there was an earlier one.

    Raises:
        CallError: the file holds something else; or the name, a role or the password can't be used.
    """
    fresh = line_of(name, roles, password)
    there = read(path) if path.exists() else {}
    lines = path.read_text("utf-8").splitlines() if there else ["[users]"]
    key = fresh.partition(" = {")[0]
    kept = [line for line in lines if plain(name) not in there or line.partition(" = {")[0].strip() != key]
    old = os.umask(0o077)
    try:
        files.replace(path, "\n".join([*kept, fresh]) + "\n")
    finally:
        os.umask(old)
    read(path)  # a line that was written in another way than ours is told now, and not at the next start
    return plain(name) in there


@cache
def _of_nobody() -> str:
    return passwords.hashed(secrets.token_hex(16))


def _state(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise CallError("the users can't be read", where=inert.line(str(path)), found=error.strerror) from None
    return found.st_ino, found.st_mtime_ns, found.st_size
