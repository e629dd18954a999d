"""What a candidate receives: it gives nothing away, its numbers are right, and it asks for what fits the time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from grader import specfile
from grader.packet.contents import texts
from grader.question import Question
from grader.rubric.spec import TextAnswer
from grader.validate.giveaways import given_away, unoffered
from grader.validate.proof import Finding

SHARED_WORDS: Final = 10  # so many words in a row are no coincidence
SHARED_TOKENS: Final = 24  # of code, where imports and signatures repeat
WORD: Final = r"\w+"
CODE: Final = r"\w+|[^\w\s#\"'`\\]"  # what it is in a comment, in quotes or broken over lines, it is without
MARGIN: Final = re.compile(r"^[\s#>*|+.-]+", re.MULTILINE)  # a comment's, a quotation's, a list's or a session's
LINES_A_MINUTE: Final = 4.0  # nobody writes more, and thinks
LEAST_LINES_AN_HOUR: Final = 3.0
DECIMALS: Final = re.compile(r"(?<![\w.])\d+\.\d{4,}")


def findings(question: Question) -> list[Finding]:
    """What can be told without running anything."""
    return [
        Finding(claim="Nothing hidden is in the packet", problems=list(leaks(question))),
        Finding(claim="Every choice is offered", problems=list(_unoffered(question))),
        Finding(claim="Minutes and limits are plausible", problems=[*_minutes(question), *_limits(question)]),
        Finding(claim="The prompt's numbers stand in a public test", problems=list(untested_numbers(question))),
    ]


def leaks(question: Question) -> Iterator[str]:
    """Where the packet repeats a hidden test, an expected answer, or a misconception."""
    packet = texts(question)
    for hidden, name, run in shared(question.hidden_texts.items(), packet, SHARED_TOKENS, CODE):
        yield f"{name} and {hidden} both hold “{run}”"
    for where, name, run in shared(judgements(question), packet, SHARED_WORDS, WORD):
        yield f"{name} gives away {where}: “{run}”"
    for name, given in packet.items():
        for found in given_away(given, question.spec.answers):
            yield f"{name} gives away {found}"


def _unoffered(question: Question) -> Iterator[str]:
    # answers.yaml repeats whatever the spec offers; a candidate should meet it on the page with the task.
    return unoffered(question.read(question.spec.prompt), question.spec.answers)


def judgements(question: Question) -> Iterator[tuple[str, str]]:
    """What only interviewers are to read, with the words for where it stands."""
    for each in question.spec.misconceptions:
        yield f"the misconception {each.id}", f"{each.heard} {each.why}"
    for answer in question.spec.answers:
        if isinstance(answer, TextAnswer):
            yield f"the answer {answer.id}", answer.expected
            for point in answer.observables:
                yield f"the observable {point.id} of the answer {answer.id}", point.says
            for known in answer.known_wrong:
                yield f"a rebuttal of the answer {answer.id}", f"{known.says} {known.rebuttal}"


def shared(
    secrets: Iterable[tuple[str, str]], packet: Mapping[str, str], length: int, token: str
) -> Iterator[tuple[str, str, str]]:
    """Of each secret text and file of the packet with a run of so many tokens in common: their names, and the first."""
    there = {name: set(_runs(given, length, token)) for name, given in packet.items()}
    for where, text in secrets:
        telling = [run for run in _runs(text, length, token) if _says_something(run)]
        for name, given in there.items():
            if run := next((run for run in telling if run in given), None):
                yield where, name, " ".join(run)


def _runs(text: str, length: int, token: str) -> Iterator[tuple[str, ...]]:
    """Every run of so many tokens, in order, wherever a line begins."""
    tokens = re.findall(token, MARGIN.sub("", text.lower()))
    return zip(*(tokens[start:] for start in range(length)), strict=False)


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
    tests = "\n".join(specfile.read_text(path) for path in question.public)
    tested = {float(number) for number in DECIMALS.findall(tests)}
    for number in dict.fromkeys(DECIMALS.findall(question.read(question.spec.prompt))):
        if float(number) not in tested:
            yield f"the prompt says {number}, which no public test checks"
