"""What a candidate receives: it gives nothing away, its numbers are right, and it asks for what fits the time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader import specfile
from grader.question import Question
from grader.validate.proof import Finding

SHARED_WORDS: Final = 10  # so many words in a row are no coincidence
SHARED_TOKENS: Final = 24  # of code, where imports and signatures repeat
LINES_A_MINUTE: Final = 4.0  # nobody writes more, and thinks
LEAST_LINES_AN_HOUR: Final = 3.0
DECIMALS: Final = re.compile(r"(?<![\w.])\d+\.\d{4,}")


def findings(question: Question) -> list[Finding]:
    """What can be told without running anything."""
    return [
        Finding(claim="Nothing hidden is in the packet", problems=list(leaks(question))),
        Finding(claim="Minutes and limits are plausible", problems=[*_minutes(question), *_limits(question)]),
        Finding(claim="The prompt's numbers stand in a public test", problems=list(untested_numbers(question))),
    ]


def packet_texts(question: Question) -> dict[str, str]:
    """Each text that a candidate receives, by name."""
    named = [question.folder / name for name in (question.spec.prompt, question.spec.skeleton)]
    if question.spec.suite is not None:
        named.append(question.folder / question.spec.suite.file)
    paths = [*named, *question.support, *public_tests(question)]
    return {path.name: specfile.read_text(path) for path in paths if path.is_file()}


def public_tests(question: Question) -> list[Path]:
    """The files of the public tests."""
    return sorted((question.folder / "public").glob("test_*.py"))


def leaks(question: Question) -> Iterator[str]:
    """Where the packet repeats a hidden test, an expected answer, or a misconception."""
    packet = packet_texts(question)
    for hidden, text in question.hidden_texts.items():
        for name, given in packet.items():
            if shared := _common(text, given, SHARED_TOKENS, r"\w+|[^\w\s]"):
                yield f"{name} and {hidden} both hold “{shared}”"
    for where, text in _judgements(question):
        for name, given in packet.items():
            if shared := _common(text, given, SHARED_WORDS, r"\w+"):
                yield f"{name} gives away {where}: “{shared}”"


def _judgements(question: Question) -> Iterator[tuple[str, str]]:
    """What only interviewers are to read, with the words for where it stands."""
    for each in question.spec.misconceptions:
        yield f"the misconception {each.id}", f"{each.heard} {each.why}"
    for answer in question.spec.answers:
        if answer.kind == "text":
            yield f"the answer {answer.id}", answer.expected
            for known in answer.known_wrong:
                yield f"a rebuttal of the answer {answer.id}", f"{known.says} {known.rebuttal}"


def _common(one: str, other: str, length: int, token: str) -> str:
    """The first run of so many tokens that stands in both texts."""
    words = re.findall(token, one.lower())
    there = re.findall(token, other.lower())
    seen = {tuple(there[start : start + length]) for start in range(len(there) - length + 1)}
    runs = (tuple(words[start : start + length]) for start in range(len(words) - length + 1))
    return next((" ".join(run) for run in runs if run in seen and _says_something(run)), "")


def _says_something(run: tuple[str, ...]) -> bool:
    """Whether a run of tokens is more than numbers and signs, as a table is that the prompt gives."""
    return sum(token.isidentifier() for token in run) * 3 > len(run)


def _minutes(question: Question) -> Iterator[str]:
    minutes = question.spec.minutes
    skeleton = set(question.read(question.spec.skeleton).splitlines())
    lines = [line for line in (question.reference or "").splitlines() if line.strip() and line not in skeleton]
    if len(lines) > minutes * LINES_A_MINUTE:
        yield f"{minutes} minutes are few for the {len(lines)} lines that the reference adds to the skeleton"
    if lines and len(lines) < minutes / 60 * LEAST_LINES_AN_HOUR:
        yield f"{minutes} minutes are many for the {len(lines)} lines that the reference adds to the skeleton"


def _limits(question: Question) -> Iterator[str]:
    limits = question.spec.limits
    for what, less, more in (
        ("call_cpu_seconds", limits.call_cpu_seconds, limits.submission_cpu_seconds),
        ("call_cpu_seconds", limits.call_cpu_seconds, limits.call_wall_seconds),
        ("submission_cpu_seconds", limits.submission_cpu_seconds, limits.submission_wall_seconds),
    ):
        if less > more:
            yield f"{what} is {less:g}, and what it is part of is limited to {more:g}"


def untested_numbers(question: Question) -> Iterator[str]:
    """Numbers that the prompt gives to four decimals or more, and no public test looks at.

    The reference passes the public tests and the hidden ones, so a number that stands in both prompt and public test
    can't contradict a hidden one.
    """
    tests = "\n".join(specfile.read_text(path) for path in public_tests(question))
    tested = {float(number) for number in DECIMALS.findall(tests)}
    for number in dict.fromkeys(DECIMALS.findall(question.read(question.spec.prompt))):
        if float(number) not in tested:
            yield f"the prompt says {number}, which no public test checks"
