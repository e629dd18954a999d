"""Where the batches come from: two streams of token ids, cut into batches one after the other.

    inputs, targets = get_batch("train")    # two int64 tensors (B, T)

Each call serves the next B * T tokens of its split, and starts over at the end of the stream; the targets are the
inputs moved on by one token. As it comes, a token is a character of the text below, three quarters of it to train on.
`use` puts other streams in their place and starts from the beginning.

Shapes in comments use B for the batch and T for the tokens of a sequence.
"""

from collections.abc import Sequence

import torch

TEXT = (
    "the tide comes in and the tide goes out. the boats lie down on the sand and get up again. "
    "a gull walks along the wall and counts them: one boat, two boats, three boats. "
    "then the tide comes in and the gull has to count them anew, one boat, three boats, two boats. "
)
CHARACTERS = sorted(set(TEXT))
VOCAB_SIZE = len(CHARACTERS)


class Stream:
    """The tokens of one split, and how many batches of them have been served."""

    def __init__(self, tokens: Sequence[int], batch_size: int, block_size: int) -> None:
        self.tokens = torch.as_tensor(tokens, dtype=torch.int64)
        self.shape = (batch_size, block_size)
        self.served = 0

    def next_batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the next inputs and targets, each (B, T)."""
        span = self.shape[0] * self.shape[1]
        places = torch.arange(span + 1) + self.served * span  # one more than the inputs: the last target
        window = self.tokens[places % len(self.tokens)]  # (B * T + 1,)
        self.served += 1
        return window[:-1].view(self.shape), window[1:].clone().view(self.shape)


streams: dict[str, Stream] = {}


def use(train: Sequence[int], validation: Sequence[int], batch_size: int, block_size: int) -> None:
    """Serve these token ids from now on, in batches of batch_size sequences of block_size tokens."""
    streams["train"] = Stream(train, batch_size, block_size)
    streams["validation"] = Stream(validation, batch_size, block_size)


def get_batch(split: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the next inputs and targets of "train" or "validation", each an int64 tensor (B, T)."""
    return streams[split].next_batch()


def served(split: str) -> int:
    """Return how many batches a split has served since `use`."""
    return streams[split].served


_ids = [CHARACTERS.index(character) for character in TEXT]
use(_ids[: len(_ids) * 3 // 4], _ids[len(_ids) * 3 // 4 :], batch_size=4, block_size=8)
