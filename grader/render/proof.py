"""What `grader validate` prints, and its page: claims, the kill matrix, and the mutants."""

from __future__ import annotations

import sys
from typing import Final, TextIO

from grader.outcome import Outcome
from grader.render import pages
from grader.render.paper import Paper
from grader.validate.proof import Kind, Proof, Row
from grader.variants.formula import told

SHOWN: Final = 12  # problems of one claim that a terminal shows
ORDER: Final = (Kind.REFERENCE, Kind.SKELETON, Kind.UNUSUAL, Kind.WRONG)


def summary(proofs: list[Proof], stream: TextIO | None = None, *, width: int | None = None) -> None:
    """Print proofs: in full with its matrix if there is one, in a few lines each otherwise."""
    paper = Paper(stream or sys.stdout, width)
    for proof in proofs:
        _head(paper, proof)
        if len(proofs) == 1:
            _matrix(paper, proof)
        _findings(paper, proof, every=len(proofs) == 1)
        _survivors(paper, proof)
        if len(proofs) > 1:
            paper.put()
    if len(proofs) > 1:
        held = sum(proof.holds for proof in proofs)
        style = "bold green" if held == len(proofs) else "bold red"
        paper.put((f"{held} of {len(proofs)} questions are proven", style))
    paper.deliver()


def page(proofs: list[Proof]) -> str:
    """One HTML page of proofs."""
    return pages.template("proof.html.j2").render(
        proofs=proofs, ORDER=ORDER, cell=cell, rows_of=rows_of, Outcome=Outcome, meaning=meaning, told=told
    )


def markdown(proofs: list[Proof]) -> str:
    """A summary of proofs for documentation: without times, so that it changes only when a proof does."""
    lines = ["# Proofs", "", "What `grader validate` found for each question.", ""]
    lines += ["| question | version | right | wrong | checks | mutants killed | equivalent | proven |"]
    lines += ["|---|---:|---:|---:|---:|---:|---:|---|"]
    for proof in proofs:
        right = sum(row.kind in (Kind.REFERENCE, Kind.UNUSUAL) for row in proof.rows)
        wrong = sum(row.kind is Kind.WRONG for row in proof.rows)
        cells = [f"`{proof.id}`", proof.version, right, wrong, len(proof.rows[0].checks)]
        cells += [proof.count("killed"), proof.count("equivalent"), "yes" if proof.holds else "no"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += ["", "## What is claimed of each", ""]
    lines += [f"- {finding.claim}." for finding in proofs[0].findings]
    if varied := [proof for proof in proofs if proof.variants]:
        lines += ["", "## Variants that were tried", ""]
        lines += [f"- `{proof.id}`: {'; '.join(told(each.choices) for each in proof.variants)}" for proof in varied]
    lines += ["", "## Mutants that are marked equivalent", ""]
    for proof in proofs:
        for mutant in proof.mutants:
            if mutant.fate == "equivalent":
                lines.append(f"- `{proof.id}`, `{mutant.id}`: {mutant.reason}")
    return "\n".join(lines) + "\n"


def rows_of(proof: Proof, kind: Kind) -> list[Row]:
    """The rows of one kind."""
    return [row for row in proof.rows if row.kind is kind]


def cell(row: Row, criterion: str) -> str:
    """What one submission did to one criterion: `·` passed, `×` failed as it should, `!` neither, or a blank."""
    if criterion not in row.criteria:
        return " "
    passed = row.criteria[criterion] is Outcome.PASSED
    due = row.kind is Kind.SKELETON or criterion in row.fails
    return "!" if passed is due else "·" if passed else "×"


def meaning(row: Row, criterion: str) -> str:
    """A cell in words."""
    if criterion not in row.criteria:
        return "not looked at"
    outcome = row.criteria[criterion].words
    return outcome if cell(row, criterion) != "!" else f"{outcome}, which it should not be"


def _head(paper: Paper, proof: Proof) -> None:
    word, style = ("proven", "bold green") if proof.holds else ("not proven", "bold red")
    counts = {fate: proof.count(fate) for fate in ("killed", "equivalent", "survived")}
    fates = ", ".join(f"{count} {fate}" for fate, count in counts.items() if count)
    paper.put((f"{proof.id} ", "bold"), f"version {proof.version}: ", (word, style))
    paper.put(
        f"{len(proof.rows)} submissions, {len(proof.rows[0].checks)} checks, "
        f"{len(proof.mutants)} mutants ({fates or 'none'}), {proof.seconds:g} s",
        indent=2,
    )
    if not proof.whole:
        paper.put("These files were proven in full before; this is a few of each kind. --whole tries all.", indent=2)
    for each in proof.variants:
        count = f"{each.submissions} submissions, {each.mutants} mutants"
        paper.put(f"{told(each.choices)}: {count}", lead=("variant  ",), indent=2)


def _matrix(paper: Paper, proof: Proof) -> None:
    criteria = list(proof.rows[0].criteria)
    paper.heading("Kill matrix")
    paper.put("· passed   × failed, as it should   ! not as it should", indent=2)
    for place, id in enumerate(criteria):
        paper.put(f"{_letter(place)}  {id}", indent=2)
    name = max(len(row.name) for row in proof.rows)
    letters = " ".join(_letter(place) for place in range(len(criteria)))
    paper.put()
    paper.put(f"{'':<{name}}  {letters}", indent=2)
    for kind in ORDER:
        for row in rows_of(proof, kind):
            cells = [cell(row, id) for id in criteria]
            styles = {"!": "bold red", "×": "yellow", "·": "dim", " ": ""}
            marks = [part for mark in cells for part in ((mark, styles[mark]), (" ", ""))]
            paper.put(f"{row.name:<{name}}  ", *marks, indent=2)


def _letter(place: int) -> str:
    return chr(ord("a") + place) if place < 26 else chr(ord("A") + place - 26)


def _findings(paper: Paper, proof: Proof, *, every: bool) -> None:
    shown = [finding for finding in proof.findings if every or not finding.holds]
    if shown:
        paper.heading("Claims")
    for finding in shown:
        mark, style = ("✓", "green") if finding.holds else ("✗", "bold red")
        paper.put(finding.claim, lead=((f"{mark} ", style),), indent=2)
        for problem in finding.problems[:SHOWN]:
            paper.put(problem, lead=("- ",), indent=6)
        if len(finding.problems) > SHOWN:
            paper.put(f"and {len(finding.problems) - SHOWN} more; --json lists them all", indent=6)


def _survivors(paper: Paper, proof: Proof) -> None:
    survivors = [mutant for mutant in proof.mutants if mutant.fate == "survived"]
    if survivors:
        paper.heading("Mutants that no check kills")
    for mutant in survivors:
        paper.put((mutant.id, "bold"), indent=2)
        for line in mutant.diff.splitlines():
            style = "red" if line.startswith("-") else "green" if line.startswith("+") else "dim"
            if not line.startswith(("---", "+++")):
                paper.put((line, style), indent=6)
