"""The summary that `grader run` prints: coloured and wrapped on a terminal, plain whole lines in a pipe."""

import sys
from typing import Final, TextIO

from grader import inert
from grader.outcome import Outcome, Verdict
from grader.render import words
from grader.render.paper import Paper
from grader.report import AnswerPart, Report

STYLES: Final = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "bold red",
    Outcome.CRASHED: "bold red",
    Outcome.TIMED_OUT: "bold yellow",
    Outcome.OUT_OF_MEMORY: "bold yellow",
    Outcome.NOT_REACHED: "dim",
    Outcome.GRADER_FAULT: "bold magenta",
}
VERDICT_STYLES: Final = {
    Verdict.PASSED: "bold green",
    Verdict.FAILED: "bold red",
    Verdict.REFUSED: "bold yellow",
    Verdict.GRADER_FAULT: "bold magenta",
}
CUT: Final = 400  # characters of a stranger's words that are shown on one line


def summary(report: Report, stream: TextIO | None = None, *, width: int | None = None) -> None:
    """Print the summary of a report.

    Args:
        report: what to show.
        stream: where to; standard output by default. A terminal gets colours, unless NO_COLOR is set.
        width: the columns to wrap at; by default a terminal's own, and no wrapping elsewhere.
    """
    paper = Paper(stream or sys.stdout, width)
    _head(paper, report)
    if reason := words.refusal(report):
        paper.put()
        paper.put(inert.text(reason))
    else:
        _criteria(paper, report)
        _diagnosis(paper, report)
        _answers(paper, report)
        _suite(paper, report)
    paper.items("Notes", [inert.line(note, CUT) for note in report.submission.notes])
    paper.items(
        "For a person to look at; it changes no points",
        [f"{inert.line(each.where, CUT)}: {inert.line(each.detail, CUT)} ({each.id})" for each in report.integrity],
    )
    paper.put()
    paper.put(inert.line(words.isolation(report)), lead=(("isolation   ", "dim"),))
    paper.put(str(report.seed), lead=(("seed        ", "dim"),))
    paper.deliver()


def _head(paper: Paper, report: Report) -> None:
    question, submission = report.question, report.submission
    verdict, _, rest = report.headline.partition(", ")
    paper.put((verdict, VERDICT_STYLES[report.verdict]), (f", {rest}", "bold"))
    if sentence := words.required(report):
        paper.put(sentence)
    named = f"{question.id}, {inert.line(words.which(question))}: {inert.line(question.title)}"
    paper.put(named, lead=(("question    ", "dim"),))
    files = ", ".join(inert.line(name, CUT) for name in submission.files)
    named = inert.line(submission.name, CUT) + (f" ({files})" if files else "")
    paper.put(named, lead=(("submission  ", "dim"),))


def _criteria(paper: Paper, report: Report) -> None:
    outcome = max((len(each.outcome.words) for each in report.criteria), default=0)
    points = max((len(words.points(each)) for each in report.criteria), default=0)
    paper.heading("Criteria")
    for each in report.criteria:
        state = f"{each.outcome.glyph} {each.outcome.words:<{outcome}}"
        number = f"  {words.points(each):>{points}}  "
        mark = " (required)" if each.required else ""
        paper.put(inert.line(each.title), (mark, "dim"), lead=((state, STYLES[each.outcome]), number), indent=2)
        if seen := words.seen(each):
            paper.put(inert.line(seen, CUT), indent=2 + len(state + number))


def _diagnosis(paper: Paper, report: Report) -> None:
    if report.diagnosis:
        paper.heading("Diagnosis")
    for each in report.diagnosis:
        paper.put((inert.line(each.title), "bold"), (f" ({each.id})", "dim"), indent=2)
        paper.put(inert.text(each.why), indent=4)
        if each.criteria:
            costs = "; ".join(map(inert.line, words.titles(report, each.criteria)))
            paper.put(costs, lead=(("costs  ", "dim"),), indent=4)


def _answers(paper: Paper, report: Report) -> None:
    if report.answers:
        paper.heading("Answers")
    for each in report.answers:
        if each.outcome is not None:
            state = f"{each.outcome.glyph} {each.outcome.words}  "
            given = inert.line(each.given.strip(), CUT) or "not given"
            checked = (f" ({each.kind}, {words.BY_MACHINE})", "dim")
            paper.put(f"{each.id}: {given}", checked, lead=((state, STYLES[each.outcome]),), indent=2)
            if each.note and each.note != given:
                paper.put(inert.line(each.note, CUT), indent=2 + len(state))
    _texts(paper, [each for each in report.answers if each.outcome is None])


def _texts(paper: Paper, texts: list[AnswerPart]) -> None:
    """How many were given, and how a person's ticks make the level of each."""
    missing = [each.id for each in texts if not words.is_given(each)]
    if texts:
        count = f"{len(texts) - len(missing)} of {len(texts)} texts given, {words.FOR_A_PERSON}"
        paper.put(count, f"; not given: {', '.join(missing)}" if missing else "", indent=2)
    there = [each for each in texts if words.is_given(each)]
    for each in there:
        if each.observables:
            paper.put(f"{each.id}: {words.rubric(each)} to tick", (f" (rubric {each.rubric})", "dim"), indent=4)
    functions = words.functions(there)
    for ids, levels in functions:
        paper.put("levels" if len(functions) == 1 else f"levels of {', '.join(ids)}", indent=4)
        for line in levels:
            paper.put(line, indent=6)


def _suite(paper: Paper, report: Report) -> None:
    part = report.suite
    if part is None:
        return
    paper.heading(f"Own tests in {inert.line(part.file, CUT)}")
    paper.put(words.suite(part), indent=2)
    if part.reason:
        paper.put(inert.line(part.reason, CUT), indent=2)
    if part.own_solution:
        paper.put(inert.line(part.own_solution, CUT), lead=(("on the candidate's own solution  ", "dim"),), indent=2)
    for each in part.pitfalls:
        outcome = Outcome.PASSED if each.killed else Outcome.FAILED
        state = f"{words.noticed(each)}  "
        paper.put(inert.line(each.pitfall), (f" ({each.id})", "dim"), lead=((state, STYLES[outcome]),), indent=2)
