"""Models of several depths on the same batches; what a shallow and a deep one both have starts alike."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from grader.errors import CallError
from solutions.experiments import paired
from solutions.experiments.corpus import Corpus
from solutions.experiments.jobs import Job

QUESTION: Final = paired.QUESTION
NEEDED: Final = paired.NEEDED
ARM: Final = "sinusoidal"
MOST: Final = 64  # blocks


def check(depths: list[int]) -> None:
    """Raise a CallError where a depth is none."""
    for depth in depths:
        if not 1 <= depth <= MOST:
            raise CallError(
                "this is no depth", where="--depths", found=str(depth), expected=f"1 to {MOST} transformer blocks"
            )


def settings(depths: list[int]) -> dict[str, Any]:
    """What the experiment is beside its corpus, steps and seeds."""
    return {**paired.settings(), "arm": ARM, "blocks": depths}


def jobs(corpus: Corpus, depths: list[int], *, steps: int, seeds: list[int], eval_every: int) -> list[Job]:
    """A job for each seed and depth."""
    at = paired.schedule(steps, eval_every)
    plans = {depth: paired.protocol(steps=steps, evaluate_at=at, seeds=tuple(seeds), blocks=depth) for depth in depths}
    return [
        Job(
            f"depth-{depth}-seed-{seed}",
            f"depth-{depth}",
            partial(paired.make, corpus, plan, ARM, seed),
            partial(measured, corpus, depth),
        )
        for seed in seeds
        for depth, plan in plans.items()
    ]


def measured(corpus: Corpus, depth: int, training: Any) -> dict[str, Any]:
    """What one run has to tell."""
    return {"depth": depth, **paired.measured(corpus, ARM, training)}
