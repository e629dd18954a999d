"""Text that a trained model writes: the same prompt, sampler and temperature for every model.

One text shows what a model does and not how well, so it is never chosen: the first seed's stands in the figure.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import nn

from solutions.experiments.corpus import Corpus

SAMPLING_SEED: Final = 123
NEW_TOKENS: Final = 100


def continuation(model: nn.Module, corpus: Corpus, prompt: int, context: int) -> dict[str, str]:
    """The first tokens of the validation text, and what a model writes after them at temperature 1.

    Args:
        model: is shown `context` tokens at most.
        corpus: its validation part gives the prompt.
        prompt: the number of tokens to begin with.
        context: how many the model can be shown.
    """
    begin = corpus.splits["validation"][:prompt]
    sampler = torch.Generator().manual_seed(SAMPLING_SEED)
    ids = begin[None]  # (1, T)
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            for _ in range(NEW_TOKENS):
                probabilities = model(ids[:, -context:])[:, -1].softmax(dim=-1)  # (1, V)
                ids = torch.cat((ids, torch.multinomial(probabilities, 1, generator=sampler)), dim=1)
    finally:
        model.train(training)
    return {"prompt": corpus.decode(begin.tolist()), "text": corpus.decode(ids[0, prompt:].tolist())}
