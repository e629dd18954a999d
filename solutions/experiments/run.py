"""One experiment from its corpus to its figures."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from solutions.experiments import corpus as texts
from solutions.experiments.corpus import Corpus
from solutions.experiments.jobs import Job, carry_out
from solutions.experiments.keeping import Folder
from solutions.experiments.progress import Progress
from solutions.experiments.references import ROOT, SHARED

MakeJobs = Callable[[Corpus, dict[str, Any]], list[Job]]


def environment() -> dict[str, str]:
    """The versions that can change a number; training has one thread, so that sums have one order."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **{name: metadata.version(name) for name in ("torch", "numpy", "tokenizers")},
    }


def code(question: str) -> str:
    """The SHA-256 of a reference and of what it may import."""
    asked = ROOT / "questions" / question
    support = [path for path in sorted(asked.glob("*.py")) if path.name != "skeleton.py"]
    files = [ROOT / "solutions" / question / "reference.py", *support, *sorted(SHARED.glob("*.py"))]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def run(
    name: str,
    question: str,
    settings: dict[str, Any],
    make_jobs: MakeJobs,
    *,
    at_least: int,
    steps: int,
    seeds: list[int],
    corpus: Path | None,
    vocabulary: int,
    out: Path,
    resume: bool,
    eval_every: int,
    keep_every: int,
    processes: int,
) -> None:
    """Run an experiment, or what is left of it, and write what it found.

    Args:
        name: the experiment's.
        question: the question whose reference it runs.
        settings: what it is, beside what all experiments have.
        make_jobs: gives its jobs for a corpus and a schedule of steps, seeds and eval_every.
        at_least: the tokens that each part of the corpus needs.
        steps, seeds, corpus, vocabulary, out, resume, eval_every, keep_every, processes: as on the command line.

    Raises:
        CallError: the corpus or the folder can't be used.
        Interrupted: a stop was asked for; everything is kept.
    """
    from solutions.experiments.report import write

    torch.set_num_threads(1)
    prepared = texts.prepare(texts.read(corpus), vocabulary, at_least)
    schedule = {"steps": steps, "seeds": seeds, "eval_every": eval_every}
    about = {
        "experiment": name,
        "reference": {"question": question, "sha256": code(question)},
        "corpus": prepared.about,
        **schedule,
        **settings,
        "environment": environment(),
    }
    folder = Folder(out, about, resume=resume)
    try:
        folder.write_text("tokenizer.json", prepared.tokenizer.to_str())
        todo = make_jobs(prepared, schedule)
        progress = Progress([job.name for job in todo], [job.kind for job in todo], steps, processes)
        try:
            done = carry_out(todo, folder, steps=steps, keep_every=keep_every, processes=processes, progress=progress)
        finally:
            progress.close()
        results = {
            "settings": about,
            "runs": [each["run"] for each in done],
            "timing": {"update_seconds": {job.name: each["seconds"] for job, each in zip(todo, done, strict=True)}},
        }
        folder.write("results.json", results)
        write(results, out)
    finally:
        folder.close()
