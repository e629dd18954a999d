"""Models of the candidate's, the agreed names and shapes of their parameters, and what they should compute."""

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

import block_oracle
import numpy as np
from bags import items
from block_oracle import Array
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, describe, expect_array


class Sizes(NamedTuple):
    """The arguments of a model; no two of the dimensions that they make are alike."""

    vocab_size: int = 17
    context: int = 9
    d_model: int = 12
    n_layers: int = 2
    n_head: int = 3


SIZES = Sizes()


def built(candidate: Candidate, sizes: Sizes = SIZES) -> Handle:
    """A new model."""
    return as_module(candidate.ContextModel(*sizes))


def as_module(value: Any) -> Handle:
    """A model, or a Mismatch."""
    if not isinstance(value, Handle):
        raise Mismatch(f"found {describe(value)}, expected a torch.nn.Module")
    return value


def family(candidate: Candidate, contexts: list[int], *, seed: int, sizes: Sizes = SIZES) -> list[Handle]:
    """The candidate's models of some contexts."""
    vocab_size, _, d_model, n_layers, n_head = sizes
    models = candidate.build_models(vocab_size, contexts, d_model=d_model, n_layers=n_layers, n_head=n_head, seed=seed)
    return [as_module(model) for model in items(models, len(contexts), "build_models' result")]


def values(candidate: Candidate, model: Handle) -> dict[str, Array]:
    """Every parameter that a model holds, by name."""
    held = {each.name: candidate.value(model, each.name) for each in candidate.inventory(model).parameters}
    for name, value in held.items():
        if not isinstance(value, np.ndarray):
            raise Mismatch(f"the parameter {name} is {describe(value)}, expected numbers")
    return held


def shapes(sizes: Sizes = SIZES) -> dict[str, tuple[int, ...]]:
    """The agreed names and shapes of a model's parameters."""
    vocab_size, context, d_model, n_layers, n_head = sizes
    width = d_model // n_head
    block = block_oracle.shapes(d_model, n_head, width, width, 4 * d_model)
    return {
        "tokens.weight": (vocab_size, d_model),
        "positions.weight": (context, d_model),
        **{f"stack.blocks.{place}.{name}": shape for place in range(n_layers) for name, shape in block.items()},
        "norm.weight": (d_model,),
        "norm.bias": (d_model,),
        "head.weight": (vocab_size, d_model),
        "head.bias": (vocab_size,),
    }


def logits_of(model: Handle, ids: NDArray[np.int64], sizes: Sizes = SIZES) -> Array:
    """The model's logits for ids (B, T), if they are that."""
    return expect_array(model(ids), (*ids.shape, sizes.vocab_size), of=f"the result for ids of {list(ids.shape)}")


def expected_logits(ids: NDArray[np.int64], weights: dict[str, Array], sizes: Sizes = SIZES) -> Array:
    """What the model of the prompt gives for ids (B, T), float64."""
    weights = {name: value.astype("float64") for name, value in weights.items()}
    blocks = [
        {name: weights[f"stack.blocks.{place}.{name}"] for name in block_oracle.shapes(1, 1, 1, 1, 1)}
        for place in range(sizes.n_layers)
    ]
    x = weights["tokens.weight"][ids] + weights["positions.weight"][: ids.shape[1]]
    x, _ = block_oracle.apply_all(x, blocks, sizes.n_head)
    x = block_oracle.normalised(x, weights["norm.weight"], weights["norm.bias"])
    return np.asarray(x @ weights["head.weight"].T + weights["head.bias"])


def token_ids(rng: np.random.Generator, batch: int, length: int, sizes: Sizes = SIZES) -> NDArray[np.int64]:
    """Random token ids (B, T)."""
    return rng.integers(0, sizes.vocab_size, size=(batch, length))


def expect_refusal(what: str, call: Callable[[], Any]) -> None:
    """A Mismatch unless the call raises a ValueError, or a class of the candidate's own, which may derive from it."""
    try:
        call()
    except Raised as error:
        if error.type != "ValueError" and hasattr(builtins, error.type):
            raise Mismatch(f"{what} raised {error.type}, expected a ValueError") from None
        return
    raise Mismatch(f"{what} was accepted, expected a ValueError")
