"""feedback.md, which the candidate may see: the spec's own sentences, no word of a hidden test or a worker.

What was seen, the checks, the diagnosis, notes on integrity, the environment and the seed are left out, since
each can say more about the hidden tests than the spec's author chose to. So are the rubrics of texts, and what was
expected for a fact. Why a file could not be loaded, and how a fact was read, is the candidate's own to know.
"""

from collections.abc import Iterable
from typing import Final

from grader.outcome import Outcome
from grader.render import words
from grader.render.markdown import block, code, prose
from grader.report import AnswerPart, CriterionPart, Report

RESUBMIT: Final = (
    "Nothing was graded, so nothing counts against you. Change what is named above, run the public tests "
    "that came with the question, and send it again."
)
CUT: Final = 400  # characters of a name or a note that are shown
SHORT: Final = 12  # characters of a digest that tell two submissions apart


def feedback(report: Report) -> str:
    """The text of feedback.md."""
    reason = words.refusal(report)
    cause = words.unmeasured(report)
    why = ["## Why nothing could be measured", block(cause)] if cause else []
    graded = [*why, *_criteria(report), *_answers(report), *_suite(report)]
    refused = ["## Why it was refused", block(reason), "## What to do", RESUBMIT]
    return "\n\n".join([*_head(report), *(refused if reason else graded), *_notes(report)]) + "\n"


def _head(report: Report) -> list[str]:
    question, submission = report.question, report.submission
    files = ", ".join(code(name, CUT) for name in submission.files)
    return [
        f"# Feedback: {prose(question.title)}",
        f"Result: {report.headline}. {words.required(report)}".rstrip(),
        _items(
            [
                f"Question: {code(question.id)}, {prose(words.which(question))}",
                f"Submission: {code(submission.name, CUT)}, digest {code(submission.digest[:SHORT])}",
                f"Files read: {files or 'none'}",
            ]
        ),
    ]


def _criteria(report: Report) -> list[str]:
    passed = [each for each in report.criteria if each.outcome is Outcome.PASSED]
    missed = [each for each in report.criteria if each.outcome is not Outcome.PASSED]
    sections = ["## Not passed", *map(_missed, missed)] if missed else []
    done = [f"{each.outcome.glyph} {prose(each.title)}: {_points(each)}" for each in passed]
    return [*sections, "## Passed", _items(done)] if passed else sections


def _missed(criterion: CriterionPart) -> str:
    required = " This criterion is required." if criterion.required else ""
    paragraphs = [
        f"### {criterion.outcome.glyph} {prose(criterion.title)}",
        f"{criterion.outcome.words.capitalize()}: {_points(criterion)}.{required}",
        words.MEANING.get(criterion.outcome, ""),
        # After a fault of ours the spec's sentence would read as a reproach for what nobody measured.
        prose(criterion.feedback) if criterion.outcome is not Outcome.GRADER_FAULT else "",
    ]
    return "\n\n".join(filter(None, paragraphs))


def _points(criterion: CriterionPart) -> str:
    earned, _, possible = words.points(criterion).partition("/")
    return f"{earned} of {possible} points"


def _answers(report: Report) -> list[str]:
    return ["## Your answers", _items(map(_answer, report.answers))] if report.answers else []


def _answer(answer: AnswerPart) -> str:
    given = "given" if words.is_given(answer) else "not given"
    if answer.outcome is None:
        state = f"{given}, for people to read" if words.is_given(answer) else given
    else:
        state = f"{given}; {words.BY_MACHINE}: {answer.outcome.glyph} {answer.outcome.words}"
        state += f"; {prose(reading, CUT)}" if (reading := words.reading(answer)) else ""
    return f"{prose(answer.prompt)} ({state})"


def _suite(report: Report) -> list[str]:
    """Which mistakes the candidate's own tests noticed, by the spec's words; never what a mutant looks like."""
    part = report.suite
    if part is None:
        return []
    own = f" On your own solution: {prose(part.own_solution, CUT)}." if part.own_solution else ""
    return [
        f"## Your tests in {code(part.file)}",
        f"{words.suite(part).capitalize()}. {prose(part.reason, CUT)}".rstrip() + own,
        *filter(None, [_items(f"{words.noticed(each)}: {prose(each.pitfall)}" for each in part.pitfalls)]),
    ]


def _notes(report: Report) -> list[str]:
    notes = [prose(note, CUT) for note in report.submission.notes]
    return ["## How your files were read", _items(notes)] if notes else []


def _items(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)
