"""Three arms on the same batches: a bigram model, blocks without positions, and the same blocks with positions."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Any, Final

from solutions.experiments.corpus import Corpus
from solutions.experiments.jobs import Job
from solutions.experiments.references import reference
from solutions.experiments.samples import continuation
from solutions.experiments.training import parameters

QUESTION: Final = "paired-position-experiment"
NEEDED: Final = 64  # tokens of a part of the corpus: more than a window and its last target
EARLY: Final = (10, 30, 100, 250)  # steps to evaluate at while the loss falls fast


def protocol(**changes: Any) -> Any:
    """The question's protocol, with some numbers changed."""
    return replace(reference(QUESTION).Protocol(), **changes)


def schedule(steps: int, eval_every: int) -> tuple[int, ...]:
    """The steps to evaluate at: before the first update, some early ones, every `eval_every` and the last."""
    early = (step for step in EARLY if step < min(steps, eval_every))
    return tuple(sorted({0, *early, *range(eval_every, steps, eval_every), steps}))


def settings() -> dict[str, Any]:
    """What the experiment is beside its corpus, steps and seeds."""
    fixed = asdict(protocol())
    return {name: value for name, value in fixed.items() if name not in ("steps", "seeds", "evaluate_at")}


def jobs(corpus: Corpus, *, steps: int, seeds: list[int], eval_every: int) -> list[Job]:
    """A job for each seed and arm."""
    ours = reference(QUESTION)
    plan = protocol(steps=steps, evaluate_at=schedule(steps, eval_every), seeds=tuple(seeds))
    return [
        Job(f"{arm}-seed-{seed}", arm, partial(make, corpus, plan, arm, seed), partial(measured, corpus, arm))
        for seed in seeds
        for arm in ours.ARMS
    ]


def make(corpus: Corpus, plan: Any, arm: str, seed: int) -> Any:
    """The reference's training of one arm, at its beginning."""
    ours = reference(QUESTION)
    return ours.Training(ours.build_models(corpus.vocab_size, plan, seed)[arm], corpus.splits, plan, seed)


def measured(corpus: Corpus, arm: str, training: Any) -> dict[str, Any]:
    """What one run has to tell."""
    context = training.protocol.context
    return {
        "arm": arm,
        "seed": training.seed,
        "parameters": parameters(training.model),
        "history": training.history,
        "sample": continuation(training.model, corpus, context, context),
    }
