"""`grader validate`: proves questions one after the other on one zygote, and shows how they did."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grader.bank import Bank
from grader.bench import at_once
from grader.errors import CallError
from grader.examine.zygote import Zygote
from grader.validate import prove, public
from grader.validate import record as records
from grader.validate.proof import Proof

WIPE = "\r\x1b[K"


def run(bank: Bank, ids: tuple[str, ...], *, jobs: int | None, record: bool, whole: bool) -> list[Proof]:
    """Prove the named questions, or all.

    Args:
        bank: where they are.
        ids: which ones; none for all.
        jobs: submissions at once.
        record: whether to record what is proven in full.
        whole: whether to prove in full also what the record says was proven of these very files. Otherwise a few
            submissions and mutants of such a question are graded again.
    """
    proofs = []
    with Zygote() as zygote, public.warm() as tests:
        questions = [bank.get(id) for id in dict.fromkeys(ids)] if ids else bank.all()
        for question in questions:
            quick = not whole and records.is_kept(question)
            proof = prove(question, zygote, tests, jobs=jobs or at_once(), quick=quick, progress=_progress)
            proofs.append(proof)
            if record and proof.holds and proof.whole and not question.spec.draft:
                records.keep(question, proof)
    _progress("")
    return proofs


def show(proofs: list[Proof], *, as_json: bool, page: Path | None) -> None:
    """Print the proofs, and write their page where one is asked for."""
    from grader.render import proof as render

    if page is not None:
        try:
            page.write_text(render.markdown(proofs) if page.suffix == ".md" else render.page(proofs), "utf-8")
        except OSError as error:
            raise CallError("the page can't be written", where=str(page), found=str(error)) from None
    if as_json:
        sys.stdout.write(json.dumps([proof.to_json() for proof in proofs], indent=2, ensure_ascii=False) + "\n")
    else:
        render.summary(proofs)


def _progress(words: str) -> None:
    """One line on a terminal that is overwritten by the next."""
    if sys.stderr.isatty():
        sys.stderr.write(WIPE + words)
        sys.stderr.flush()
