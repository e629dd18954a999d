"""One candidate in the results of several questions, joined by the name that was sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.errors import CallError
from grader.results import Candidate, Results


@dataclass(frozen=True)
class Person:
    """A candidate under the code name that pages show; `sent` has what they sent by the question's id."""

    code: str
    sent: dict[str, Candidate]


def joined(folders: Sequence[Results]) -> list[Person]:
    """Everybody in the results, in the order of code names. A code name is that of the first folder that has one.

    Raises:
        CallError: two folders are of one question.
    """
    seen: dict[str, Results] = {}
    for results in folders:
        other = seen.setdefault(results.manifest.question, results)
        if other is not results:
            raise CallError(
                "two folders hold results of one question",
                where=str(results.folder),
                found=f"{results.manifest.question}, as in {other.folder}",
                next_step="Name one folder for each question.",
            )
    people: dict[str, Person] = {}
    taken: set[str] = set()
    for results in folders:
        for candidate in results.candidates:
            if candidate.name not in people:
                people[candidate.name] = Person(_free(candidate.code, taken), {})
                taken.add(people[candidate.name].code)
            people[candidate.name].sent[results.manifest.question] = candidate
    return sorted(people.values(), key=lambda person: person.code)


def leave_out_unreadable(people: Sequence[Person]) -> list[str]:
    """Take out what has no report that can be read, and say whose it is, by code name and question."""
    troubles = []
    for person in people:
        for question, candidate in list(person.sent.items()):
            try:
                candidate.report  # noqa: B018 - it is read, and kept
            except CallError as error:
                del person.sent[question]
                # Where it is has the candidate's name in it.
                troubles.append(f"{person.code}, {question}: {error.what}. {error.next_step or ''}".strip())
    return troubles


def _free(code: str, taken: set[str]) -> str:
    """The code name, or with a letter after it where another folder gave the same to somebody else."""
    if code not in taken:
        return code
    return next(each for letter in "bcdefghijklmnopqrstuvwxyz" if (each := f"{code}-{letter}") not in taken)
