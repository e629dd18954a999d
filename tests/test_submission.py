"""Promises about reading what a candidate sends: what is taken, what is refused and why, and that nothing hangs."""

from __future__ import annotations

import hashlib
import io
import json
import os
import socket
import stat
import struct
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import torch

from grader.errors import CallError
from grader.packet import zips
from grader.submission import (
    Asked,
    Refused,
    Submission,
    Wanted,
    folder,
    manifest,
    origin,
    read,
    reading,
    signatures,
    sourcetext,
    syntax,
)
from grader.submission import asked as asked_module
from grader.submission.archive import Archive
from grader.submission.notebook import without_magics

CODE = "def f(x):\n    return x\n"
ANSWERS = "delta: 1\n"
FLAG_ENCRYPTED = 0x1


def file(tmp_path: Path, content: bytes | str, name: str = "solution.py") -> Path:
    """A file with this content."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def packed(tmp_path: Path, members: dict[str, str], change: Callable[[zipfile.ZipInfo], None] | None = None) -> Path:
    """A zip with these members."""
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.filename = info.orig_filename = name
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            if change:
                change(info)
            archive.writestr(info, content)
    return path


def notebook(tmp_path: Path, *cells: str | list[str]) -> Path:
    """A notebook with these code cells."""
    body = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    text = {"cell_type": "markdown", "source": "# Words"}
    return file(tmp_path, json.dumps({"nbformat": 4, "cells": [text, *body]}), "solution.ipynb")


def wants(*names: str) -> Asked:
    """What asks for these names, whatever they are."""
    return Asked(defines=tuple(map(Wanted, names)))


def refusal(path: Path) -> str:
    """The reason for which this is refused."""
    with pytest.raises(Refused) as caught:
        read(path)
    return caught.value.reason


# Single files


@pytest.mark.parametrize("name", ["solution.py", "my solution (1).py", "Lösung für café.py", "SOLUTION.PY", "-x.py"])
def test_a_file_is_taken_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    sent = read(file(tmp_path / "a folder, naïve", CODE, name))
    digest = hashlib.sha256(f"{name}\0{hashlib.sha256(CODE.encode()).hexdigest()}\n".encode()).hexdigest()
    assert sent == Submission(name, CODE, None, "", digest, (name,), ())


@pytest.mark.parametrize(
    ("content", "source", "note"),
    [
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "solution.py starts with a byte order mark"),
        (b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n", "solution.py has Windows line endings (CRLF)"),
        (b"x = 1\ry = 2\r", "x = 1\ny = 2\n", "solution.py has old Macintosh line endings (CR)"),
        (b"x = 1", "x = 1", None),
        (b"if 1:\n\tx = 1\n", "if 1:\n\tx = 1\n", None),
        (b"x = 1\n\x0c\ny = 2\n", "x = 1\n\x0c\ny = 2\n", None),
        (b"", "", None),
        (b"# coding: utf8\nx = 1\n", "# coding: utf8\nx = 1\n", None),
        (b"#!/bin/x\n# -*- coding: UTF-8-unix -*-\n", "#!/bin/x\n# -*- coding: UTF-8-unix -*-\n", None),
        (b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n", None),
        ("é = 'ünï ← 漢字 🙂'\n".encode(), "é = 'ünï ← 漢字 🙂'\n", None),
    ],
)
def test_harmless_habits_are_accepted_and_noted(tmp_path: Path, content: bytes, source: str, note: str | None) -> None:
    sent = read(file(tmp_path, content))
    assert sent.source == source
    assert sent.notes == ((note,) if note else ())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "x = 1\ns = 'é'\n".encode("latin-1"),
            "as UTF-8: line 2, column 6 of solution.py is the byte 0xe9",
        ),
        ("s = '漢'\n".encode("cp932"), "Save solution.py as UTF-8: line 1, column 6"),
        (b"\xef\xbb\xbfa\r\nb\rc\xff", "line 3, column 2"),
        (b"\xef\xbb\xbfa\xff", "line 1, column 2"),
        ("x = 1\n".encode("utf-16"), "it is UTF-16"),
        ("x = 1\n".encode("utf-16-le"), "line 1, column 2 of solution.py is a NUL byte"),
        (b"x = 1\ny = '\0'\n", "line 2, column 6 of solution.py is a NUL byte"),
        (b"# -*- coding: utf-7 -*-\nx = 1\n", "take out line 1 of solution.py, which declares utf-7"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp932 :\n", "take out line 2"),
        ("x = 1\ny = 'a\u202eb'\n".encode(), "U+202E (right-to-left override) at line 2, column 7 of solution.py"),
        ("# \u2066\n".encode(), "U+2066 (left-to-right isolate) at line 1, column 3"),
        (b"#" * (512 * 1024 + 1), "smaller than 512 KiB"),
    ],
)
def test_what_would_be_misread_is_refused_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    reason = refusal(file(tmp_path, content))
    assert said in reason
    assert "\n" not in reason
    assert reason.isprintable()


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("x = 1\ny = (\n", "line 2, column 5"),
        ("def f():\n    return 1\nreturn 2\n", "line 3, column 1"),
        ("x = 1\nif x:\nprint(x)\n", "line 3, column 1"),
        ("print 'x'\n", "line 1, column 1"),
        ("x = 1\n  y = 2\n", "line 2"),
        ("s = “x”\n", "line 1, column 5"),
        ("x = 1\nlast = = 2", "line 2, column 8"),
        ("x = " + "9" * 5000, "line 1"),
    ],
)
def test_a_syntax_error_is_refused_with_its_place_and_the_python_that_grades(
    tmp_path: Path, code: str, place: str
) -> None:
    reason = refusal(file(tmp_path, code))
    assert reason.startswith(f"Mend {place}")
    assert f" of solution.py, which Python {sys.version_info[0]}.{sys.version_info[1]} (the version" in reason
    assert reason.endswith(".")
    assert len(reason) < 400


def test_syntax_of_a_later_python_is_refused_with_its_place(tmp_path: Path) -> None:
    reason = refusal(file(tmp_path, "x = 1\ntype? X = int\n"))
    assert "line 2, column 5" in reason
    assert "(the version that grades)" in reason


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "-" * 20_000 + "1",
        "x = " + "(" * 20_000,
        "x" + ".a" * 15_000,
        "x = " + "1 + " * 8_000 + "1",
        "x = " + "lambda: " * 4_000 + "1",
        "x" + "[0]" * 100_000,
        "if x: pass\n" + "elif x: pass\n" * 30_000,
    ],
    ids=["signs", "brackets", "attributes", "sums", "lambdas", "subscripts", "branches"],
)
def test_a_bomb_for_the_parser_is_refused_in_little_time(tmp_path: Path, code: str) -> None:
    start = time.process_time()
    assert refusal(file(tmp_path, code)).startswith("Mend ")
    assert time.process_time() - start < 10


def test_a_parser_that_dies_takes_nothing_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "APART", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert "too complex" in refusal(file(tmp_path, "x = 1\n" * 10_000))


def test_a_long_but_honest_file_is_taken(tmp_path: Path) -> None:
    sent = read(file(tmp_path, "x = [1, 2]  # é\n" * 10_000 + CODE), wants("f", "g"))
    assert sent.notes == ("does not define g",)


def test_a_warning_of_the_parser_stays_inside(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(file(tmp_path, "s = '\\d'\nt = s is 'x'\nassert (s, t)\n"))
    assert caught == []


def test_nothing_that_was_sent_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    read(file(tmp_path, f"open({str(mark)!r}, 'w')\n"))
    assert not mark.exists()


@pytest.mark.parametrize(
    "code",
    [
        "def f(): pass",
        "async def f(): pass",
        "class f: pass",
        "f = 1",
        "f: int = 1",
        "a, (f, *b) = 1, (2,)",
        "import numpy as f",
        "import f.g",
        "from a import f",
        "try:\n    import a\nexcept E:\n    def f(): pass",
        "if 1:\n    pass\nelse:\n    f = 1",
        "with a:\n    f = 1",
        "from a import *",
    ],
)
def test_a_name_defined_in_any_way_is_not_noted_as_missing(tmp_path: Path, code: str) -> None:
    assert read(file(tmp_path, code), wants("f")).notes == ()


@pytest.mark.parametrize(
    "code", ["", "f", "f: int", "def g():\n    f = 1", "x.f = 1", "class C:\n    def f(self): pass", "[f for f in x]"]
)
def test_a_name_that_is_not_defined_is_noted_and_not_refused(tmp_path: Path, code: str) -> None:
    assert read(file(tmp_path, code), wants("f")).notes == ("does not define f",)


# Paths that the caller got wrong


def call_error(path: Path) -> str:
    """What is said of a path that can't be used."""
    with pytest.raises(CallError) as caught:
        read(path)
    assert caught.value.exit_code == 2
    said = str(caught.value)
    assert "\n" not in said
    assert ".zip" in said  # says what to pass instead
    return said


@pytest.mark.parametrize("name", ["nothing.py", "nothing/solution.py", "x\0y.py", "\x1b[31m.py"])
def test_a_path_that_does_not_exist_is_named(tmp_path: Path, name: str) -> None:
    said = call_error(tmp_path / name)
    assert "there is nothing at this path" in said
    assert said.isprintable()


@pytest.mark.parametrize("name", ["solution.tar.gz", "solution.txt", "solution", "answers.yaml", "solution.rar"])
def test_a_kind_of_file_that_can_not_be_graded_is_named(tmp_path: Path, name: str) -> None:
    assert "this kind of file" in call_error(file(tmp_path, CODE, name))


def test_a_folder_without_a_solution_is_named(tmp_path: Path) -> None:
    file(tmp_path, "x", "notes.txt")
    (tmp_path / "solution.py").mkdir()
    assert "there is no solution.py in it: found notes.txt, solution.py/" in call_error(tmp_path)


@pytest.mark.parametrize("name", ["pipe.py", "pipe.zip", "pipe.ipynb", "pipe", "solution.py"])
def test_a_named_pipe_is_never_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert "a named pipe" in call_error(tmp_path / name)
    if name == "solution.py":
        assert "a named pipe" in call_error(tmp_path)


def test_a_device_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link.py").symlink_to("/dev/zero")
    opened: list[Any] = []
    monkeypatch.setattr(os, "open", lambda *arguments: opened.append(arguments))
    assert "a device" in call_error(tmp_path / "link.py")
    assert "a device" in call_error(Path("/dev/zero"))
    assert opened == []


def test_a_file_exchanged_for_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    monkeypatch.setattr(folder, "kind_of", lambda _: stat.S_IFREG)
    assert "a named pipe" in call_error(tmp_path / "pipe.py")


def test_a_socket_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.py")
        assert "a socket" in call_error(Path("s.py"))


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = file(tmp_path, CODE)

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert "found permission denied" in call_error(path)


# Folders


def test_a_folder_gives_its_solution_and_answers(tmp_path: Path) -> None:
    file(tmp_path, CODE)
    file(tmp_path, b"\xef\xbb\xbfdelta: 1\r\n", "answers.yaml")
    sent = read(tmp_path)
    assert (sent.source, sent.answers, sent.answers_problem) == (CODE, ANSWERS, "")
    assert sent.files == ("solution.py", "answers.yaml")
    assert sent.name == tmp_path.name


def test_the_other_suffix_of_answers_is_taken(tmp_path: Path) -> None:
    file(tmp_path, CODE)
    file(tmp_path, ANSWERS, "answers.yml")
    assert read(tmp_path).answers == ANSWERS


def test_what_else_is_in_the_folder_is_ignored_and_noted_code_first(tmp_path: Path) -> None:
    for name in ("solution.py", "conftest.py", "torch.py", "json.py", "pytest.ini", "sitecustomize.py", ".env"):
        file(tmp_path, CODE, name)
    file(tmp_path, CODE, "public/solution.py")
    file(tmp_path, CODE, "__pycache__/x.pyc")
    sent = read(tmp_path)
    assert sent.notes == ("ignored: conftest.py, json.py, sitecustomize.py, torch.py, public/, pytest.ini",)
    assert sent.files == ("solution.py",)


def test_a_crowd_of_files_is_a_short_note(tmp_path: Path) -> None:
    for number in range(30):
        file(tmp_path, CODE, f"n{number:02}.txt")
    file(tmp_path, CODE)
    (note,) = read(tmp_path).notes
    assert note.endswith("n07.txt and 22 more")


def test_names_of_files_are_shown_inert(tmp_path: Path) -> None:
    file(tmp_path, CODE)
    hostile = os.fsdecode(b"\x1b[31m\n\xff" + "\u202e".encode() + b".txt")
    file(tmp_path, CODE, hostile)
    (note,) = read(tmp_path).notes
    assert note == r"ignored: \x1b[31m\n\udcff\u202e.txt"
    sent = read(file(tmp_path, CODE, hostile.replace("txt", "py")))
    assert sent.name == sent.files[0] == r"\x1b[31m\n\udcff\u202e.py"


def test_the_only_python_file_is_taken_for_the_solution(tmp_path: Path) -> None:
    for name in ("my solution (1).py", "conftest.py", "test_public.py", "gpt.py"):
        file(tmp_path, CODE, name)
    sent = read(tmp_path, Asked(support=("gpt.py",)))
    assert sent.files == ("my solution (1).py",)
    assert sent.notes[0] == "there is no solution.py; my solution (1).py was taken for it"
    assert "there is no solution.py" in call_error(tmp_path)  # without knowing gpt.py there are two


def test_the_only_notebook_is_taken_for_the_solution(tmp_path: Path) -> None:
    notebook(tmp_path, CODE)
    assert read(tmp_path).source == f"# cell 1\n{CODE}"


def test_a_link_to_a_place_outside_is_refused(tmp_path: Path) -> None:
    file(tmp_path, CODE, "elsewhere.py")
    inside = tmp_path / "sent"
    inside.mkdir()
    (inside / "solution.py").symlink_to("../elsewhere.py")
    assert "a link to a place outside" in refusal(inside)


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    file(tmp_path, CODE, "mine.txt")
    (tmp_path / "solution.py").symlink_to("mine.txt")
    assert read(tmp_path).source == CODE


def test_thousands_of_files_are_refused(tmp_path: Path) -> None:
    for number in range(2001):
        (tmp_path / f"{number}.txt").touch()
    assert "more than 2000 files" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"x" * (2 << 20), "answers.yaml is larger than 256 KiB"),
        ("why: é\n".encode("latin-1"), "Save answers.yaml as UTF-8: line 1, column 6"),
        ("why: x\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_answers_that_can_not_be_read_do_not_keep_the_code_from_being_graded(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file(tmp_path, CODE)
    file(tmp_path, content, "answers.yaml")
    sent = read(tmp_path)
    assert (sent.source, sent.answers) == (CODE, None)
    assert problem in sent.answers_problem


@pytest.mark.parametrize("target", ["pipe", "/etc/hostname"])
def test_answers_that_are_no_file_do_not_keep_the_code_from_being_graded(tmp_path: Path, target: str) -> None:
    file(tmp_path, CODE)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "answers.yaml").symlink_to(target)
    sent = read(tmp_path)
    assert (sent.source, sent.answers) == (CODE, None)
    assert sent.answers_problem.startswith("answers.yaml can't be read: ")


def test_the_digest_is_of_names_and_bytes_alone(tmp_path: Path) -> None:
    members = {"solution.py": CODE, "answers.yaml": ANSWERS}
    for name, content in members.items():
        file(tmp_path / "one", content, name)
        file(tmp_path / "two", content, name)
    file(tmp_path / "two", "x", "other.txt")
    digests = {read(tmp_path / "one").digest, read(tmp_path / "two").digest, read(packed(tmp_path, members)).digest}
    assert len(digests) == 1
    file(tmp_path / "two", CODE + "\n", "solution.py")
    assert read(tmp_path / "two").digest not in digests


def test_a_refusal_carries_what_was_sent(tmp_path: Path) -> None:
    file(tmp_path, b"\xef\xbb\xbfx = (\r\n")
    file(tmp_path, "x", "other.txt")
    with pytest.raises(Refused) as caught:
        read(tmp_path)
    assert caught.value.name == tmp_path.name
    assert caught.value.files == ("solution.py",)
    assert len(caught.value.digest) == 64
    assert caught.value.notes[0] == "ignored: other.txt"
    assert len(caught.value.notes) == 3


# Zips


@pytest.mark.parametrize("home", ["", "swap/", "./", "Ünï côdé/"])
def test_a_zip_is_read_like_a_folder(tmp_path: Path, home: str) -> None:
    sent = read(
        packed(
            tmp_path,
            {
                f"{home}solution.py": CODE,
                f"{home}answers.yaml": ANSWERS,
                f"{home}torch.py": "x",
                f"{home}.DS_Store": "x",
                f"__MACOSX/{home}._solution.py": "x",
                "__MACOSX/solution.py": "x",
            },
        )
    )
    assert (sent.source, sent.answers, sent.files) == (CODE, ANSWERS, ("solution.py", "answers.yaml"))
    assert sent.notes == (f"ignored: {home.removeprefix('./')}torch.py",)
    assert sent.name == "sent.zip"


def test_another_name_in_a_zip_is_taken_for_the_solution(tmp_path: Path) -> None:
    sent = read(packed(tmp_path, {"a/lösung.py": CODE, "a/public/test_public.py": "x", "a/answers.yml": ANSWERS}))
    assert (sent.source, sent.answers, sent.files) == (CODE, ANSWERS, ("lösung.py", "answers.yml"))


@pytest.mark.parametrize(
    "name",
    ["../x.py", "a/../../x", "/etc/x", "C:/x", "c:x", "..\\x", "a\\x", "\\\\host\\x", "a/..", "x\0.py"],
)
def test_a_member_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path, {"solution.py": CODE, name.replace("\0", "!"): "x"})
    path.write_bytes(path.read_bytes().replace(name.replace("\0", "!").encode(), name.encode()))
    reason = refusal(path)
    assert "has a path that leads elsewhere" in reason
    assert reason.isprintable()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["sent.zip"]


@pytest.mark.parametrize(
    ("kind", "what"), [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFIFO, "neither a file nor a folder")]
)
def test_a_member_of_a_special_kind_is_refused(tmp_path: Path, kind: int, what: str) -> None:
    def special(info: zipfile.ZipInfo) -> None:
        if info.filename == "answers.yaml":
            info.external_attr = (kind | 0o777) << 16

    assert what in refusal(packed(tmp_path, {"solution.py": CODE, "answers.yaml": "/etc/passwd"}, special))


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"solution.py": CODE})
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= FLAG_ENCRYPTED
    path.write_bytes(raw)
    assert "without a password" in refusal(path)


def test_ten_gigabytes_of_zeros_are_refused_by_what_is_declared(tmp_path: Path) -> None:
    path = packed(tmp_path, {"solution.py": CODE, "zeros.bin": "0"})
    raw = bytearray(path.read_bytes())
    struct.pack_into("<L", raw, raw.rindex(b"PK\x01\x02") + 24, 4_000_000_000)
    path.write_bytes(raw)
    assert "unpacks to over 64 MiB" in refusal(path)


def test_a_bomb_that_declares_a_small_size_is_never_unpacked(tmp_path: Path) -> None:
    path = packed(tmp_path, {"solution.py": "#" * (32 << 20)})
    assert "smaller than 512 KiB" in refusal(path)
    raw = bytearray(path.read_bytes())
    struct.pack_into("<L", raw, raw.rindex(b"PK\x01\x02") + 24, 10)
    path.write_bytes(raw)
    assert "can't be read" in refusal(path)


def test_a_member_is_unpacked_no_further_than_asked(tmp_path: Path) -> None:
    path = packed(tmp_path, {"solution.py": "#" * (32 << 20)})
    assert Archive(path.read_bytes()).read("solution.py", 10) == b"#" * 11


def test_a_compression_that_can_not_be_stopped_halfway_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("solution.py", CODE)
    assert "ordinary compression" in refusal(path)


def test_thousands_of_members_are_refused(tmp_path: Path) -> None:
    assert "more than 2000 files" in refusal(packed(tmp_path, {f"{n}.txt": "" for n in range(2001)}))


def test_a_list_of_members_is_not_read_beyond_what_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number:050}", "")
    start = time.process_time()
    assert "more than 2000 files" in refusal(path)
    assert time.process_time() - start < 1


def test_an_archive_above_the_limit_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, {"solution.py": CODE})
    with path.open("r+b") as sparse:
        sparse.truncate((64 << 20) + 1)
    assert "larger than 64 MiB" in refusal(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("again", ["solution.py", "./solution.py"])
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path, again: str) -> None:
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("solution.py", CODE)
        archive.writestr(again, "x = 1")
    assert "it holds solution.py twice" in refusal(path)


def test_two_solutions_in_different_folders_are_refused_and_named(tmp_path: Path) -> None:
    reason = refusal(packed(tmp_path, {"old/solution.py": CODE, "new/solution.py": CODE}))
    assert reason == "Send one solution.py, not several: there are new/solution.py, old/solution.py."


def corrupted() -> list[bytes]:
    """A good zip, damaged in many ways."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("solution.py", CODE * 50)
    good = whole.getvalue()
    flipped = [good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :] for at in range(len(good))]
    return [b"", b"PK", b"not a zip", good[:-5], good[:60], good[20:], *flipped]


def test_a_corrupt_archive_is_refused_or_read_but_never_a_crash(tmp_path: Path) -> None:
    outcomes = set()
    for content in corrupted():
        try:
            outcomes.add(read(file(tmp_path, content, "sent.zip")).source)
        except (Refused, CallError) as error:
            outcomes.add(type(error).__name__)
    assert outcomes <= {CODE * 50, "Refused", "CallError"}
    assert "Refused" in outcomes


def test_a_zip_without_a_solution_is_named(tmp_path: Path) -> None:
    assert "there is no solution.py in it: found README.md" in call_error(packed(tmp_path, {"README.md": "x"}))


# Notebooks


def test_the_code_cells_of_a_notebook_are_read_in_order(tmp_path: Path) -> None:
    sent = read(notebook(tmp_path, ["import a\n", "x = 1"], "def f(): pass"), wants("f"))
    assert sent.source == "# cell 1\nimport a\nx = 1\n# cell 2\ndef f(): pass"
    assert sent.notes == ("solution.ipynb is a notebook: its 2 code cells were read in order",)
    assert sent.files == ("solution.ipynb",)


def test_magics_and_shell_lines_are_left_out_and_noted(tmp_path: Path) -> None:
    sent = read(notebook(tmp_path, "%matplotlib inline\nx = 1", "y = 2", "if x:\n    !pip install torch\n"))
    assert sent.source.split("\n")[1:3] == ["pass  # %matplotlib inline", "x = 1"]
    assert "    pass  # !pip install torch" in sent.source
    assert sent.notes[1] == "magics and shell lines were left out, in code cell 1, 3"


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("x = (a\n  % b)", "x = (a\n  % b)"),
        ('s = """\n% not a magic\n!nor this\n"""', 's = """\n% not a magic\n!nor this\n"""'),
        ("x = a \\\n  % b", "x = a \\\n  % b"),
        ("x = '('  # (\n%time", "x = '('  # (\npass  # %time"),
        ("%%time\nx = 1", "pass  # %%time\nx = 1"),
        ("%%bash\nls (", "# %%bash\n# ls ("),
        ("%%writefile solution.py\nx = 1", "pass  # %%writefile solution.py\nx = 1"),
        ("files = !ls\nx = 1", "pass  # files = !ls\nx = 1"),
        ("np.array?\nx = 1", "pass  # np.array?\nx = 1"),
        ("!pip install \\\n  torch\nx = 1", "pass  # !pip install \npass  # torch\nx = 1"),
        ("x != 1\nx %= 2", "x != 1\nx %= 2"),
    ],
)
def test_only_what_is_no_python_is_left_out_and_no_line_moves(cell: str, kept: str) -> None:
    quiet = "\n".join(without_magics(cell.split("\n")))
    assert [line.rstrip() for line in quiet.split("\n")] == [line.rstrip() for line in kept.split("\n")]


def test_an_error_in_a_notebook_is_told_with_its_cell(tmp_path: Path) -> None:
    reason = refusal(notebook(tmp_path, "x = 1\ny = 2", "# cell 9\nz = (\n"))
    assert reason.startswith("Mend cell 2, line 2, column 5 of solution.ipynb")
    assert "cell 1, line 2, column 6" in refusal(notebook(tmp_path, "x\ns = '\u202e'", "y"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON at line 1, column 2"),
        ("[" * 100_000, "it is not JSON"),
        ("9" * 5000, "it is not JSON"),
        ("[]", "no list of cells"),
        ('{"worksheets": []}', "no list of cells"),
        ('{"cells": [{"cell_type": "code", "source": [1]}]}', "a code cell's source is [1]"),
        ('{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', "cell 1, line 1, column 1"),
        ('{"cells": [{"cell_type": "code", "source": "x\\u0000"}]}', "is a NUL byte"),
        (json.dumps({"cells": [{"cell_type": "code", "source": "#" * 600_000}]}), "more than 512 KiB"),
        (b"\xff", "as UTF-8"),
        (" " * ((16 << 20) + 1), "larger than 16 MiB"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert said in refusal(file(tmp_path, content, "solution.ipynb"))


def test_a_hostile_line_in_a_notebook_takes_little_time(tmp_path: Path) -> None:
    start = time.process_time()
    read(notebook(tmp_path, " " * 200_000 + "\n%%writefile" + " " * 100_000 + "\n" + "a" * 100_000))
    assert time.process_time() - start < 2


def test_the_limits_are_the_ones_that_the_promises_name() -> None:
    assert reading.ANSWERS_BYTES == 256 << 10
    assert sourcetext.SOURCE_BYTES == 512 << 10


# Signatures, as far as a text shows them


TABLE = Wanted("table", "function", "(rows, width, base=2.0)")
TRAIN = Wanted("train", "function", "(model, *, steps, rate)")
LAYER = Wanted("Layer", "class", "(width)", {"forward": "(x)"})


@pytest.mark.parametrize(
    "code",
    [
        "def table(rows, width, base=2.0): ...",
        "def table(n, d, base=1): ...",
        "def table(n, d, b=1): ...",
        "def table(*args, **kwargs): ...",
        "def table(rows, width, *, base=1, more=2): ...",
        "def table(rows, width, base=1, more=2): ...",
        "def table(rows, width, **rest): ...",
        "table = lambda rows: rows",
        "from functools import partial\ntable = partial(print)",
        "@cache\ndef table(rows): ...",
        "if 1:\n    def table(rows): ...",
        "def table(rows): ...\ntable = other",
        "class table:\n    def __new__(cls, rows, width, base): ...",
    ],
)
def test_what_can_be_called_as_asked_or_can_not_be_told_is_not_noted(tmp_path: Path, code: str) -> None:
    assert read(file(tmp_path, code), Asked(defines=(TABLE,))).notes == ()


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("def table(rows): ...", "table takes (rows), expected table(rows, width, base=2.0)"),
        ("def table(rows, width, base): ...", "table takes (rows, width, base), expected table(rows, width, base=2.0)"),
        ("def table(rows, width, *, base): ...", "table takes (rows, width, *, base), expected table("),
        ("def table(rows, width): ...", "table takes (rows, width), expected table("),
        ("def table(*, rows, width, base=1): ...", "table takes (*, rows, width, base=…), expected table("),
        ("def table(): ...", "table takes (), expected table("),
        ("class table: ...", "table is a class, expected a function table("),
    ],
)
def test_what_can_not_be_called_as_asked_is_noted_with_what_was_asked(tmp_path: Path, code: str, note: str) -> None:
    sent = read(file(tmp_path, code), Asked(defines=(TABLE,)))
    assert len(sent.notes) == 1
    assert sent.notes[0].startswith(note)
    assert sent.lacks == sent.notes


@pytest.mark.parametrize(
    ("code", "note"),
    [
        ("def train(model, *, steps, rate): ...", ""),
        ("def train(model, steps, rate): ...", ""),
        ("def train(model, **settings): ...", ""),
        ("def train(model, *, rate, steps, seed=0): ...", ""),
        ("def train(model, *, steps): ...", "train takes (model, *, steps), expected train(model, *, steps, rate)"),
        ("def train(model, steps, rate, /): ...", "train takes (model, steps, rate), expected"),
        ("def train(model, *, steps, rate, seed): ...", "train takes (model, *, steps, rate, seed), expected"),
    ],
)
def test_what_is_taken_by_name_only_is_looked_at_by_name(tmp_path: Path, code: str, note: str) -> None:
    notes = read(file(tmp_path, code), Asked(defines=(TRAIN,))).notes
    assert len(notes) == bool(note)
    assert "".join(notes).startswith(note)


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        ("def __init__(self, width): ...\n def forward(self, x): ...", ()),
        ("def __init__(self, width, more=1): ...\n def forward(self, x, *rest): ...", ()),
        ("def __init__(self, width): ...\n forward = other", ()),
        ("def __init__(self, width): ...\n @torch.no_grad()\n def forward(self): ...", ()),
        (
            "def __init__(self, width, base): ...\n def forward(self, x): ...",
            ("Layer takes (width, base), expected Layer(width)",),
        ),
        (
            "def __init__(self, width): ...\n def forward(self): ...",
            ("Layer.forward takes (), expected Layer.forward(x)",),
        ),
        ("def __init__(self, width): ...", ("Layer does not define forward",)),
        ("def forward(self, x): ...", ("Layer takes (), expected Layer(width)",)),
    ],
)
def test_a_module_is_looked_at_with_its_methods(tmp_path: Path, body: str, notes: tuple[str, ...]) -> None:
    asked = Asked(defines=(LAYER,))
    assert read(file(tmp_path, f"class Layer(nn.Module):\n {body}\n"), asked).notes == notes
    if "does not define" in "".join(notes) or "takes ()" in "".join(notes[:1]).replace("forward takes ()", ""):
        assert read(file(tmp_path, f"class Layer(Base):\n {body}\n"), asked).notes == (), "its base may define it"


SAVED: Final = Wanted("Saved", "class", "", {"forward": "(x)", "load_state_dict": "(state)", "__repr__": "()"})


@pytest.mark.parametrize(
    ("base", "lacking"),
    [
        ("nn.Module", ["forward"]),
        ("torch.nn.Module", ["forward"]),
        ("Base", []),
        ("nn.Module, Base", []),
        ("", ["forward", "load_state_dict"]),
    ],
)
def test_a_method_that_a_base_gives_is_not_noted_as_missing(tmp_path: Path, base: str, lacking: list[str]) -> None:
    for code in (f"class Saved({base}):\n    pass\n", "x = 1\n" * 10_000 + f"class Saved({base}):\n    pass\n"):
        notes = read(file(tmp_path, code), Asked(defines=(SAVED,))).notes
        assert list(notes) == [f"Saved does not define {name}" for name in lacking]


def test_what_a_module_brings_is_known() -> None:
    there = {name for name in dir(torch.nn.Module) if callable(getattr(torch.nn.Module, name))}
    public = {name for name in there if not name.startswith("_") or name.endswith("__")}
    assert public - {"forward"} <= signatures.OF_MODULES
    assert "forward" not in signatures.OF_MODULES


def test_signatures_are_read_in_a_long_file_too(tmp_path: Path) -> None:
    sent = read(file(tmp_path, "x = 1\n" * 10_000 + "def table(rows): ...\n"), Asked(defines=(TABLE,)))
    assert sent.notes == ("table takes (rows), expected table(rows, width, base=2.0)",)


def test_syntax_of_a_later_python_than_grades_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, "match 1:\n    case _: pass\n")
    assert read(path).source
    with pytest.raises(Refused, match=r"Python 3\.8 \(the version that grades\)"):
        read(path, Asked(python=(3, 8)))
    long = file(tmp_path, "x = 1\n" * 10_000 + "match 1:\n    case _: pass\n")
    with pytest.raises(Refused, match=r"line 10002.*Python 3\.8"):
        read(long, Asked(python=(3, 8)))


# What comes back with a packet

GIVEN = {"gpt.py": asked_module.fingerprint(b"x = 1\n"), "test_public.py": asked_module.fingerprint(CODE.encode())}
PACKET = Asked(question="swap", version=2, support=("gpt.py",), given=GIVEN)


def manifest_of(files: dict[str, str], **packet: object) -> str:
    """The manifest that check.py would write of these files."""
    hashes = {name: hashlib.sha256(content.encode()).hexdigest() for name, content in files.items()}
    return manifest.manifest_text({"question": "swap", "version": 2, "code": "red-owl-10", **packet}, hashes, {})


def returned(tmp_path: Path, home: str = "", **changed: str) -> Path:
    """A zip of everything that was in a packet, and what is in it now."""
    own = {"solution.py": CODE, "answers.yaml": ANSWERS}
    members = {
        **own,
        **dict.fromkeys(("README.md", "prompt.md", "check.py", "preflight.zip", "requirements.txt"), "x"),
        "packet.json": manifest.packet_text({"question": "swap", "version": 2, "code": "red-owl-10"}),
        "manifest.json": manifest_of(own),
        "submission.zip": "PK",
        "gpt.py": "x = 1\r\n",
        "test_public.py": CODE,
        **changed,
    }
    return packed(tmp_path, {f"{home}{name}": content for name, content in members.items()})


@pytest.mark.parametrize("home", ["", "swap/", "sent (1)/"])
def test_what_came_with_the_packet_is_ignored_without_a_word(tmp_path: Path, home: str) -> None:
    sent = read(returned(tmp_path, home), PACKET)
    assert sent.notes == ()
    assert sent.files == ("solution.py", "answers.yaml")
    assert sent.manifest is not None
    assert sent.manifest.code == "red-owl-10"


@pytest.mark.parametrize("name", ["gpt.py", "test_public.py", "helper.py", "torch.py"])
def test_what_was_changed_or_added_is_noted_as_ignored(tmp_path: Path, name: str) -> None:
    assert read(returned(tmp_path, **{name: "y = 2\n"}), PACKET).notes == (f"ignored: {name}",)


def test_a_file_that_was_changed_after_the_manifest_is_noted_and_graded(tmp_path: Path) -> None:
    sent = read(returned(tmp_path, **{"solution.py": "y = 2\n"}), PACKET)
    assert sent.notes == ("solution.py was changed after check.py wrote the manifest",)
    assert sent.source == "y = 2\n"


def test_a_file_that_came_or_went_after_the_manifest_is_noted(tmp_path: Path) -> None:
    came = returned(tmp_path, **{"manifest.json": manifest_of({"solution.py": CODE})})
    assert read(came, PACKET).notes == ("answers.yaml was added after check.py wrote the manifest",)
    went = returned(tmp_path, **{"manifest.json": manifest_of({"solution.py": CODE, "x": "", "answers.yaml": ANSWERS})})
    assert read(went, PACKET).notes == ("x is in the manifest, and was not taken",)


def test_a_packet_of_another_question_or_version_is_noted(tmp_path: Path) -> None:
    own = {"solution.py": CODE, "answers.yaml": ANSWERS}
    other = returned(tmp_path, **{"manifest.json": manifest_of(own, question="tied")})
    assert read(other, PACKET).notes == ("the packet was for the question tied, not swap",)
    older = returned(tmp_path, **{"manifest.json": manifest_of(own, version=1)})
    assert read(older, PACKET).notes == ("the packet was made from version 1 of the question; this is version 2",)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": 1}', "[" * 50_000, '{"a": ' * 9000, "\0", "x" * 100_000, '{"schema": "other"}'],
)
def test_a_manifest_that_is_none_is_noted_and_nothing_else(tmp_path: Path, content: str) -> None:
    sent = read(returned(tmp_path, **{"manifest.json": content}), PACKET)
    assert sent.notes == ("manifest.json is not as check.py writes it, and was ignored",)
    assert sent.manifest is None


@pytest.mark.parametrize(
    ("packet", "code"),
    [
        ({"code": 5}, ""),
        ({"code": "x" * 500}, ""),
        ({"version": 10**30}, "red-owl-10"),
        ({"variant": [1]}, "red-owl-10"),
    ],
)
def test_a_manifest_with_odd_values_is_read_as_far_as_it_goes(
    tmp_path: Path, packet: dict[str, object], code: str
) -> None:
    own = {"solution.py": CODE, "answers.yaml": ANSWERS}
    sent = read(returned(tmp_path, **{"manifest.json": manifest_of(own, **packet)}), PACKET)
    assert sent.manifest is not None
    assert sent.manifest.code == code
    assert sent.notes == ()


def test_the_folder_of_a_packet_tells_its_origin_without_a_manifest(tmp_path: Path) -> None:
    file(tmp_path, CODE)
    file(tmp_path, manifest.packet_text({"question": "swap", "version": 2, "code": "red-owl-10"}), "packet.json")
    assert read(tmp_path, PACKET).notes == ()
    found = origin(tmp_path)
    assert found is not None
    assert (found.code, found.question) == ("red-owl-10", "swap")


@pytest.mark.parametrize("name", ["nothing", "x.py", "x.zip", "x.ipynb"])
def test_the_origin_of_what_has_none_is_nothing(tmp_path: Path, name: str) -> None:
    assert origin(tmp_path / name) is None
    assert origin(file(tmp_path, "x", name)) is None


def test_check_py_is_no_solution(tmp_path: Path) -> None:
    file(tmp_path, CODE, "mine.py")
    file(tmp_path, CODE, "check.py")
    assert read(tmp_path).files == ("mine.py",)


def test_a_folder_in_a_folder_is_opened(tmp_path: Path) -> None:
    file(tmp_path / "sent" / "swap", CODE)
    file(tmp_path / "sent" / "__MACOSX", "x", "._swap")
    sent = read(tmp_path / "sent")
    assert sent.source == CODE
    assert sent.notes == ("swap/ in it was read",)


def test_folders_around_a_submission_are_opened_and_a_zip_in_them(tmp_path: Path) -> None:
    file(tmp_path / "sent" / "a" / "b" / "c", CODE)
    assert read(tmp_path / "sent").notes == ("a/b/c/ in it was read",)
    inner = packed(tmp_path, {"solution.py": CODE}).read_bytes()
    file(tmp_path / "other" / "a" / "b", inner, "submission.zip")
    assert read(tmp_path / "other").notes == ("a/b/submission.zip in it was read",)
    file(tmp_path / "deep" / "a" / "b" / "c" / "d", CODE)
    assert "there is no solution.py in it: found a/" in call_error(tmp_path / "deep")
    file(tmp_path / "two" / "a" / "b", CODE)
    file(tmp_path / "two" / "a" / "c", CODE)
    assert "there is no solution.py in it: found a/" in call_error(tmp_path / "two")


def test_a_folder_in_a_folder_that_leads_elsewhere_is_not_opened(tmp_path: Path) -> None:
    file(tmp_path / "elsewhere", CODE)
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "swap").symlink_to("../elsewhere")
    assert "a link to a place outside" in refusal(tmp_path / "sent")


@pytest.mark.parametrize("around", ["folder", "zip"])
def test_a_zip_in_a_folder_or_in_a_zip_is_opened_once(tmp_path: Path, around: str) -> None:
    inner = packed(tmp_path, {"solution.py": CODE}).read_bytes()
    for _ in range(2):
        if around == "folder":
            (tmp_path / "sent").mkdir(exist_ok=True)
            (tmp_path / "sent" / "submission.zip").write_bytes(inner)
            path = tmp_path / "sent"
        else:
            path = tmp_path / "mail.zip"
            path.write_bytes(zips.pack({"submission.zip": inner}))
        if inner.count(b"PK\x01\x02") == 1 and b"solution.py" in inner:
            assert read(path).source == CODE
            assert read(path).notes == ("submission.zip in it was read",)
        else:
            assert "there is no solution.py in it" in call_error(path)
        inner = zips.pack({"submission.zip": inner})


def test_a_bomb_in_a_zip_in_a_zip_is_refused(tmp_path: Path) -> None:
    bomb = packed(tmp_path, {"solution.py": "#" * (32 << 20)}).read_bytes()
    path = tmp_path / "mail.zip"
    path.write_bytes(zips.pack({"sent.zip": bomb}))
    assert "smaller than 512 KiB" in refusal(path)


@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("import requests.adapters, math", ("line 1 imports requests: ",)),
        ("x = 1\nfrom scipy import special\nimport scipy", ("line 2 imports scipy: ",)),
        ("import numpy as np, torch\nfrom torch import nn\nimport gpt", ()),
        ("import einops", ()),
        ("try:\n    import numba\nexcept ImportError:\n    numba = None", ()),
        ("def f():\n    import requests", ()),
        ("from . import x", ()),
    ],
)
def test_an_import_that_is_not_there_when_it_is_graded_is_noted(
    tmp_path: Path, code: str, notes: tuple[str, ...]
) -> None:
    asked = Asked(question="swap", support=("gpt.py",), imports=("einops",))
    sent = read(file(tmp_path, code), asked)
    assert len(sent.notes) == len(notes) and all(map(str.startswith, sent.notes, notes))
    assert sent.lacks == sent.notes
    assert read(file(tmp_path, code)).notes == ()
