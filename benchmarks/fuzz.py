"""Damaged frames against the wire, and damaged submissions against the whole engine, by the thousand.

    python -m benchmarks.fuzz --frames 10000 --submissions 2000

Every frame has to be a message or a ProtocolError, in little time and memory. Every submission has to get a report,
a refusal or a CallError: no traceback, no hang, no fault of ours, and a report that every renderer can show. The same
seed gives the same inputs. Exits with 1 if anything else happened, and says with which input.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grader import wire
from grader.bank import Bank
from grader.errors import CallError
from grader.grade import Engine
from grader.question import Question
from grader.render import terminal
from grader.render.feedback import feedback
from grader.render.html import page
from grader.report import Report
from grader.wire import Array, ProtocolError, Ref, Stub

QUESTION: Final = "swap-learned-positions"
ROOM: Final = 1 << 20
FRAME_SECONDS: Final = 5.0
SUBMISSION_SECONDS: Final = 300.0  # far beyond the limits of a submission: only a hang takes that long

Rng = random.Random


class Found(Exception):
    """Something that must not happen, with the input that shows it."""

    def __init__(self, what: str, shown_by: bytes) -> None:
        self.what, self.shown_by = what, shown_by
        super().__init__(what)


# Damage to bytes

SHARP: Final = (
    *(b"\x00", b"\xff", b"\x80", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"-", b"9" * 25, b"NaN", b"1e9"),
    *(b"Infinity", b"null", b"true", b'{"k":', b'"v":[', b'"shape":', b"[[[[[[[[", b"\\ud800", b"\xed\xa0\x80"),
    *(b"os.system", b'"object"', b"\x7f\xff\xff\xff\xff\xff\xff\xff", b"\xef\xbb\xbf"),
)


def damaged(content: bytes, others: Sequence[bytes], rng: Rng, sharp: Sequence[bytes] = SHARP) -> bytes:
    """The bytes with one to four faults: flipped, cut out, doubled, put in, cut off, or spliced with others."""
    found = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(found) + 1)
        length = min(rng.choice((1, 1, 2, 4, 8, 64)), len(found) - at)
        match rng.randrange(7):
            case 0 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at : at + length] = rng.randbytes(length)
            case 2:
                del found[at : at + length]
            case 3:
                found[at:at] = found[at : at + length] * rng.choice((1, 2, 50))
            case 4:
                found[at:at] = rng.choice(sharp)
            case 5:
                del found[at:]
            case _:
                other = rng.choice(others)
                found[at:] = other[rng.randrange(len(other) + 1) :]
    return bytes(found)


# Frames

REPLIES: Final[tuple[dict[str, wire.Value], ...]] = (
    {"ok": None},
    {"ok": {"table": "array", "text": "rows \u00e9 \u2264", "count": -(1 << 63), "rate": 0.1, "right": True}},
    {"ok": Array("ndarray", "float64", (2, 3), bytes(48))},
    {"ok": [Array("tensor", "int8", (4,), bytes(4), True), Array("tensor", "bool", (0, 3), b""), (1, 2.5, "x")]},
    {"ok": Stub("tensor", "bfloat16", (3, 1 << 40), "meta")},
    {"ok": Ref(3, "solution.SinusoidalPositions")},
    {"raised": {"type": "ValueError", "message": "too long", "line": 45}},
    {"undefined": "count_parameters"},
    {"ok": [[[[[[{"deep": [1, 2, 3]}]]]]]]},
    {"ok": [{"ok": Array("ndarray", "float32", (8,), bytes(32))}] * 6},
)


def frame_of(message: dict[str, wire.Value]) -> bytes:
    """The whole frame for a message."""
    return b"".join(bytes(part) for part in wire.encode(message, ROOM))


def frames(count: int, seed: int) -> Iterator[bytes]:
    """Damaged frames: by bytes, by bytes under lengths that still add up, or by values in a header that is JSON."""
    rng = Rng(seed)
    whole = [frame_of(reply) for reply in REPLIES]
    for _ in range(count):
        frame = rng.choice(whole)
        kind = rng.randrange(4)
        if kind < 2:
            frame = damaged(frame, whole, rng)
        if kind == 1:
            body = frame[wire.LENGTHS.size :]
            end = body.rfind(b"}") + 1 or len(body)
            frame = framed(body[:end], body[end:])
        if kind > 1:
            end = wire.LENGTHS.size + wire.LENGTHS.unpack_from(frame)[0]
            header = json.loads(frame[wire.LENGTHS.size : end])
            for _ in range(rng.randint(1, 3)):
                header = respelled(header, rng)
            frame = framed(json.dumps(header).encode(), frame[end:])
        yield frame


def framed(header: bytes, payload: bytes) -> bytes:
    """A frame around any header and payload, with the lengths that they have."""
    return wire.LENGTHS.pack(len(header), len(payload)) + header + payload


ATOMS: Final[tuple[Any, ...]] = (
    *(None, True, 0, 1, -1, 6, 1 << 62, 1 << 63, -(1 << 63), 10**30, 0.5, float("nan"), "", "\ud800", "x" * 600_000),
    *("list", "tuple", "dict", "array", "stub", "ref", "float", "ndarray", "tensor", "object", ">f8", "os.system"),
    *([], {}, [[]], {"k": "list", "v": [1]}, {"k": "float", "v": "0x1p99999"}, [1] * 60_000, {"k": "ref", "id": True}),
)


def respelled(value: Any, rng: Rng) -> Any:
    """A JSON value with one part of it exchanged, left out, doubled, put under another name or wrapped."""
    inner = value if isinstance(value, dict | list) and value and rng.randrange(5) else None
    if isinstance(inner, dict):
        key = rng.choice(list(inner))
        match rng.randrange(6):
            case 0:
                return {name: item for name, item in inner.items() if name != key}
            case 1:
                return {rng.choice(("k", "v", "ok", "shape", "x")): inner[key], **inner}
            case _:
                return {**inner, key: respelled(inner[key], rng)}
    if isinstance(inner, list):
        at = rng.randrange(len(inner))
        changed = [respelled(inner[at], rng)] * rng.choice((0, 1, 1, 1, 2, 20))
        return [*inner[:at], *changed, *inner[at + 1 :]]
    if rng.randrange(6) == 0:
        for _ in range(rng.choice((1, 3, 30))):
            value = {"k": rng.choice(("list", "tuple")), "v": [value]}
        return value
    return rng.choice(ATOMS)


def outcome_of_frame(frame: bytes) -> str:
    """What became of a frame: a message, cut short, or why it was refused; a Found for anything else."""
    start = time.process_time()
    try:
        message = wire.read(io.BytesIO(frame).read, ROOM)
    except ProtocolError as error:
        outcome = re.sub(r"\d+", "N", str(error))[:60]
    except Exception:  # noqa: BLE001 - whatever it is, it is what this looks for
        raise Found(traceback.format_exc(), frame) from None
    else:
        outcome = "cut short" if message is None else "a message"
    if time.process_time() - start > FRAME_SECONDS:
        raise Found("a frame took too long", frame)
    return outcome


# Submissions

TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*|[-+*/%@<>=!]=?|\*\*|\S")
CODE: Final = tuple(
    token.encode()
    for token in (
        *("0", "1", "-1", "None", "True", "'x'", "[]", "{}", "x", "self", "float('nan')", "1e308", "10 ** 400", "..."),
        *(
            "return ",
            "raise ",
            "yield ",
            "await ",
            "del ",
            "global x",
            "import os\n",
            "while True:\n",
            "lambda: ",
            "\t",
        ),
        *("\n\n", ":", "(", ")", "    ", "#", '"""', "\\\n", "@", "*", "\x00", "\x0c", "\u202e", "\ufeff", "\r", "é"),
        *("np.inf", "torch.Tensor", ".T", ".float()", ".double()", ".detach()", ".add_(1)", "()", "[None]", "[::-1]"),
    )
)


def reworded(content: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Code with a few words exchanged, or lines moved: more of it still runs than after damage to bytes."""
    text = content.decode("utf-8", "replace")
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        words = TOKEN.findall(lines[at])
        match rng.randrange(5):
            case 0:
                del lines[at]
                lines = lines or [""]
            case 1:
                lines.insert(rng.randrange(len(lines) + 1), lines[at])
            case 2:
                other = rng.choice(others).decode("utf-8", "replace").split("\n")
                lines[at] = rng.choice(other)
            case _ if words:
                old, new = rng.choice(words), rng.choice([*TOKEN.findall(rng.choice(lines)), "0", "1", "x", "None"])
                lines[at] = lines[at].replace(old, new, 1)
    return "\n".join(lines).encode("utf-8", "replace")


def submissions(count: int, seed: int, sources: Sequence[bytes]) -> Iterator[bytes]:
    """Damaged submissions: a third by bytes, two thirds by words and lines."""
    rng = Rng(seed)
    for _ in range(count):
        source = rng.choice(sources)
        if rng.randrange(3):
            yield reworded(source, sources, rng)
        else:
            yield damaged(source, sources, rng, CODE)


def sources(question: Question) -> list[bytes]:
    """All the shipped solutions of a question."""
    return [path.read_bytes() for path in sorted(question.solutions.rglob("*.py"))]


def brisk(question: Question) -> Question:
    """The question with limits that make a hang cheap to wait for."""
    limits = replace(question.spec.limits, call_cpu_seconds=1.0, call_wall_seconds=4.0, submission_cpu_seconds=20.0)
    return Question(question.spec.model_copy(update={"limits": limits}), question.folder, question.solutions)


def outcomes_of_submission(engine: Engine, content: bytes, folder: Path) -> list[str]:
    """What became of a submission: its verdict, then each criterion's outcome; a Found for what must not happen."""
    (folder / "solution.py").write_bytes(content)
    try:
        report = engine.grade(folder)
        shown = [feedback(report), page(report), report.to_json()]
        terminal.summary(report, io.StringIO())
        again = Report.from_fields(json.loads(shown[-1]))
    except CallError:
        return ["call error"]
    except Exception:  # noqa: BLE001 - whatever it is, it is what this looks for
        raise Found(traceback.format_exc(), content) from None
    if again != report:
        raise Found("the report is not what its own JSON says", content)
    if report.verdict == "grader_fault":
        faults = [each.seen for part in report.criteria for each in part.evidence if each.outcome == "grader_fault"]
        raise Found(f"a fault of ours: {faults}", content)
    return [f"verdict {report.verdict}", *(str(part.outcome) for part in report.criteria)]


# The long run


def run(
    inputs: Iterator[bytes], count: int, judge: Callable[[bytes], Sequence[str]], what: str
) -> tuple[Counter[str], int]:
    """Judge each input; the outcomes counted, and how many must not have happened."""
    outcomes: Counter[str] = Counter()
    found = 0
    start = time.monotonic()
    for number, content in enumerate(inputs, start=1):
        # A hang ends the run, with status 1.
        faulthandler.dump_traceback_later(SUBMISSION_SECONDS, exit=True, file=2)
        try:
            outcomes.update(judge(content))
        except Found as error:
            found += 1
            print(f"\n{what} {number}: {error.what}\n{error.shown_by!r}\n", flush=True)
        if number % max(1, count // 20) == 0 or number == count:
            print(f"{what}: {number:,} of {count:,} in {time.monotonic() - start:.0f} s, {found} bad", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return outcomes, found


def grade(count: int, seed: int) -> tuple[Counter[str], int]:
    """Grade damaged submissions, see `run`."""
    question = brisk(Bank.find().get(QUESTION))
    with Engine(question) as engine, tempfile.TemporaryDirectory() as folder:

        def judge(content: bytes) -> list[str]:
            return outcomes_of_submission(engine, content, Path(folder))

        return run(submissions(count, seed, sources(question)), count, judge, "submission")


def table(title: str, outcomes: Counter[str]) -> str:
    """The counts, the most frequent first."""
    return "\n".join([title, *(f"  {count:>7,}  {name}" for name, count in outcomes.most_common())])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="benchmarks.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--submissions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen: Any = parser.parse_args(arguments)
    decoded, bad = run(
        frames(chosen.frames, chosen.seed), chosen.frames, lambda frame: [outcome_of_frame(frame)], "frame"
    )
    graded, lost = grade(chosen.submissions, chosen.seed) if chosen.submissions else (Counter[str](), 0)
    print(table("\nframes", decoded))
    print(table("submissions, and the criteria of those that were graded or refused", graded))
    print(f"\n{bad} bad frames, {lost} bad submissions, seed {chosen.seed}")
    return 1 if bad or lost else 0


if __name__ == "__main__":
    sys.exit(main())
