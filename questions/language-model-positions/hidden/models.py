"""Building a language model, finding its parts by what they are, and setting their numbers.

What the parts are called has a criterion of its own; all others find them by shape.
"""

from typing import Any, NamedTuple

import block_oracle
import numpy as np
from block_oracle import Array
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, Raised, describe, expect_array, tensor

KINDS = ("learned", "sinusoidal")
# Rounding comes to some 1e-5; the smallest mistake moves the logits by a tenth and more.
ATOL = 2e-3
IN_BLOCKS = ".blocks."


class Sizes(NamedTuple):
    """The arguments of a model; no two of the dimensions that they make are alike."""

    vocab_size: int = 17
    context: int = 9
    d_model: int = 12
    n_layers: int = 1
    n_head: int = 3

    def with_context(self, context: int) -> "Sizes":
        """The same model for another context."""
        return self._replace(context=context)


SIZES = Sizes()


def built(candidate: Candidate, kind: str | None, sizes: Sizes = SIZES) -> Handle:
    """A new model of the candidate's, in evaluation mode: training has a check of its own."""
    return as_module(candidate.LanguageModel(*sizes, position_encoding=kind)).train(False)


def is_missing(candidate: Candidate, kind: str, called: bool = False) -> bool:
    """Whether this is the sinusoidal model and can't be built, or called: other criteria are about it alone."""
    if kind == "learned":
        return False
    try:
        model = built(candidate, kind)
        if called:
            model(np.zeros((1, 2), "int64"))
    except (Mismatch, Raised):
        return True
    return False


def as_module(value: Any) -> Handle:
    """What a constructor gave, or a Mismatch."""
    if not isinstance(value, Handle):
        raise Mismatch(f"the constructor gives {describe(value)}, expected a torch.nn.Module")
    return value


def shapes(sizes: Sizes = SIZES, kind: str = "learned") -> dict[str, tuple[int, ...]]:
    """The agreed names and shapes of a model's parameters."""
    vocab_size, context, d_model, n_layers, n_head = sizes
    width = d_model // n_head
    block = block_oracle.shapes(d_model, n_head, width, width, 4 * d_model)
    return {
        "tokens.weight": (vocab_size, d_model),
        **({"positions.weight": (context, d_model)} if kind == "learned" else {}),
        **{f"stack.blocks.{place}.{name}": shape for place in range(n_layers) for name, shape in block.items()},
        "norm.weight": (d_model,),
        "norm.bias": (d_model,),
        "head.weight": (vocab_size, d_model),
        "head.bias": (vocab_size,),
    }


def drawn(rng: np.random.Generator, sizes: Sizes = SIZES) -> dict[str, Array]:
    """Random numbers for all parameters of a learned model, under the agreed names."""
    values = block_oracle.drawn(rng, shapes(sizes))
    for name in ("tokens.weight", "positions.weight"):
        values[name] *= 2.5  # as large as embeddings usually are
    return values


def even(values: dict[str, Array]) -> dict[str, Array]:
    """These numbers with queries of zero, so that every token looks at all up to itself alike, whatever they are."""
    flat = {name: np.zeros_like(value) for name, value in values.items() if name.endswith("attention.w_q.weight")}
    return {**values, **flat}


def names_of(candidate: Candidate, model: Handle, sizes: Sizes = SIZES) -> dict[str, str]:
    """Under which name the model has each of the agreed parameters, as far as it has them."""
    held = [each for each in candidate.inventory(model) if each.kind == "parameter"]
    inside = {each.name.partition(IN_BLOCKS)[2]: each.name for each in held if IN_BLOCKS in each.name}
    outside = {each.name: each.shape for each in held if IN_BLOCKS not in each.name}
    vocab_size, d_model = sizes.vocab_size, sizes.d_model
    tables = [name for name, shape in outside.items() if shape == (vocab_size, d_model)]
    # The head is the one with a bias beside it, or the later one if there is none.
    head = next((name for name in tables if outside.get(_beside(name)) == (vocab_size,)), tables[-1] if tables else "")
    tokens = next((name for name in tables if name != head), "")
    parts = {
        "tokens.weight": tokens,
        "positions.weight": _position_table({n: s for n, s in outside.items() if n not in (tokens, head)}, sizes),
        "norm.weight": next((name for name, shape in outside.items() if shape == (d_model,) and _is_gain(name)), ""),
        "norm.bias": next((name for name, shape in outside.items() if shape == (d_model,) and not _is_gain(name)), ""),
        "head.weight": head,
        "head.bias": _beside(head) if _beside(head) in outside else "",
    }
    blocks = {f"stack.blocks.{below}": name for below, name in inside.items()}
    return {**blocks, **{name: found for name, found in parts.items() if found}}


def _position_table(left: dict[str, tuple[int, ...]], sizes: Sizes) -> str:
    """The name of the position table among parameters that are neither tokens nor head, whatever its length is."""
    tables = [name for name, shape in left.items() if len(shape) == 2 and shape[1] == sizes.d_model]
    by_name = [name for name in tables if name == "positions.weight"]
    by_shape = [name for name in tables if left[name][0] == sizes.context]
    return next(iter(by_name + by_shape + tables), "")


def _beside(name: str) -> str:
    return f"{name.removesuffix('weight')}bias"


def _is_gain(name: str) -> bool:
    return name.endswith("weight")


def set_weights(
    candidate: Candidate, model: Handle, values: dict[str, Array], sizes: Sizes = SIZES
) -> dict[str, Array]:
    """Give the model's parameters these numbers, past its own `load_state_dict`, and return what it has of them.

    Where a shape is not the agreed one, which has a criterion of its own, numbers are repeated or left out.
    """
    names = names_of(candidate, model, sizes)
    held = {each.name: each for each in candidate.inventory(model)}
    named = {name: held[names[name]] for name in values if name in names}
    of_object = {each.object: np.resize(values[name], each.shape) for name, each in named.items()}  # tied ones get one
    fitted = {name: of_object[each.object] for name, each in named.items()}
    inside = {names[name]: tensor(value) for name, value in fitted.items() if IN_BLOCKS in names[name]}
    if inside:
        stack = next(iter(inside)).partition(IN_BLOCKS)[0]
        below = {name.removeprefix(f"{stack}."): value for name, value in inside.items()}
        candidate.torch.nn.Module.load_state_dict(candidate.attribute(model, stack), below)
    for name, value in fitted.items():
        if IN_BLOCKS not in names[name]:
            candidate.attribute(model, names[name]).data.copy_(value)
    return fitted


def logits_of(model: Handle, ids: NDArray[np.int64], sizes: Sizes = SIZES) -> Array:
    """The model's logits for ids (B, T), if they are that."""
    shape = (*ids.shape, sizes.vocab_size)
    return expect_array(model(ids), shape, of=f"the result for ids of {list(ids.shape)}", dtypes=("float32",))


def numbers_of(model: Handle, ids: NDArray[np.int64]) -> Array:
    """All the numbers that the model gives for ids, in one row, whatever their shapes are."""
    found: list[Array] = []
    todo = [model(ids)]
    while todo:
        value = todo.pop()
        todo.extend(value if isinstance(value, list | tuple) else [])
        found.extend([value.reshape(-1)] if isinstance(value, np.ndarray) else [])
    if not found:
        raise Mismatch("the model gives no numbers")
    return np.concatenate(found)


def expected_logits(ids: NDArray[np.int64], values: dict[str, Array], positions: Array, sizes: Sizes = SIZES) -> Array:
    """Logits in float64 for the position vectors (T, d_model); a norm or a bias that is not there changes nothing."""
    values = {name: value.astype("float64") for name, value in values.items()}
    blocks = [
        {name: values[f"stack.blocks.{place}.{name}"] for name in block_oracle.shapes(1, 1, 1, 1, 1)}
        for place in range(sizes.n_layers)
    ]
    x, _ = block_oracle.apply_all(values["tokens.weight"][ids] + positions, blocks, sizes.n_head)
    gain, bias = values.get("norm.weight", np.ones(())), values.get("norm.bias", np.zeros(()))
    x = block_oracle.normalised(x, gain, bias)
    return np.asarray(x @ values["head.weight"].T + values.get("head.bias", np.zeros(())))


def token_ids(rng: np.random.Generator, batch: int, length: int, sizes: Sizes = SIZES) -> NDArray[np.int64]:
    """Random token ids (B, T)."""
    return rng.integers(0, sizes.vocab_size, size=(batch, length))


def sinusoids(positions: NDArray[np.int64], d_model: int) -> Array:
    """The vectors (T, d_model) of positions (T,), straight from the prompt, in float64."""
    angles = positions[:, None] * frequencies(d_model)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), d_model)


def frequencies(d_model: int) -> Array:
    """The frequencies, highest first, in float64."""
    return np.asarray(10_000.0 ** (-np.arange(0, d_model, 2) / d_model))
