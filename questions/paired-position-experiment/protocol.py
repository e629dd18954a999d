"""The plan of the experiment, written down before the first update: what is compared, with which numbers.

Protocol()                                                      the experiment as planned
Protocol(width=8, context=4, blocks=2, steps=6, evaluate_at=(0, 3, 6))      a small one, to try things with
"""

from dataclasses import dataclass

ARMS = ("bigram", "blocks", "sinusoidal")
CONTRASTS = (("blocks", "bigram"), ("sinusoidal", "blocks"))  # first minus second; no other is planned
SPLITS = ("train", "validation")
UNIT = "nats per token"


@dataclass(frozen=True)
class Protocol:
    """The numbers of an experiment. They are the same for all of its runs.

    Attributes:
        width: of the embeddings.
        context: tokens of a sequence, in training and in evaluation.
        heads: attention heads of a block; they divide the width.
        blocks: transformer blocks of the second and third arm.
        sequences: sequences in a batch, each with `context` targets.
        learning_rate: AdamW's.
        weight_decay: AdamW's, for every parameter.
        steps: updates of a run.
        evaluate_at: the numbers of updates after which a run is evaluated, in ascending order, up to `steps`; 0 is
            before the first update.
        evaluation_windows: sequences on which each split is evaluated.
        evaluation_seed: what those are drawn with.
        seeds: one run of every arm for each.

    Raises:
        ValueError: evaluate_at does not ascend from 0 or more to exactly `steps`.
    """

    width: int = 32
    context: int = 32
    heads: int = 2
    blocks: int = 6
    sequences: int = 8
    learning_rate: float = 0.001
    weight_decay: float = 0.01
    steps: int = 10_000
    evaluate_at: tuple[int, ...] = (0, 100, 250, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000)
    evaluation_windows: int = 32
    evaluation_seed: int = 1
    seeds: tuple[int, ...] = (42, 43, 44)

    def __post_init__(self) -> None:
        asked = tuple(self.evaluate_at)
        if not asked or asked[0] < 0 or asked[-1] != self.steps or sorted(set(asked)) != list(asked):
            raise ValueError(f"evaluate_at is {asked}, expected steps that ascend from 0 or more to {self.steps}")
