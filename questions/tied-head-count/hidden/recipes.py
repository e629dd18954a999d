"""Models by description, and what is right about them, worked out from the description alone.

`models.assemble` builds a recipe in the worker; nothing here counts a tensor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from grader.checks import Candidate, Handle, Mismatch, describe

BYTES = {"float16": 2, "float32": 4, "float64": 8, "int64": 8, "bool": 1}
MODULES = ("encoder", "encoder.0", "encoder.1.attention", "decoder", "decoder.norm", "head")
LEAVES = ("weight", "bias", "scale", "table")


@dataclass
class Recipe:
    """What `models.assemble` takes: storages, tensors that look at them, and the places of the tensors."""

    storages: list[tuple[int, str, float]] = field(default_factory=list)
    tensors: list[tuple[str, int, int, tuple[int, ...]]] = field(default_factory=list)
    places: list[tuple[str, int | None]] = field(default_factory=list)
    same_modules: list[tuple[str, str]] = field(default_factory=list)

    def storage(self, elements: int, dtype: str = "float32", value: float | None = None) -> int:
        """Add a storage; without a value it is filled with one of its own."""
        self.storages.append((elements, dtype, len(self.storages) + 1.0 if value is None else value))
        return len(self.storages) - 1

    def view(self, kind: str, storage: int, first: int, shape: tuple[int, ...], *names: str) -> None:
        """Add a tensor that looks at a storage, under some names."""
        self.tensors.append((kind, storage, first, shape))
        self.places += [(name, len(self.tensors) - 1) for name in names]

    def tensor(
        self, kind: str, shape: tuple[int, ...], *names: str, dtype: str = "float32", value: float | None = None
    ) -> None:
        """Add a tensor with a storage of its own, under some names."""
        self.view(kind, self.storage(math.prod(shape), dtype, value), 0, shape, *names)

    def build(self, candidate: Candidate, device: str = "cpu") -> Handle:
        """The model, in the worker, with a name that leads to nothing, as a missing bias does."""
        places = [*self.places, ("encoder.0.missing", None)]
        made = candidate.support("models").assemble(self.storages, self.tensors, places, self.same_modules, device)
        if not isinstance(made, Handle):
            raise Mismatch(f"a model is {describe(made)}")
        return made

    def names(self) -> dict[int, list[str]]:
        """The names of each tensor, by its number."""
        found: dict[int, list[str]] = {}
        for name, number in self.places:
            if number is not None:
                found.setdefault(number, []).append(name)
                for new, old in self.same_modules:
                    if name.startswith(old + "."):
                        found[number].append(new + name.removeprefix(old))
        return found

    def count(self, *kinds: str, by_name: bool = False) -> int:
        """The elements of the tensors of these kinds, once for each object or for each name."""
        return sum(
            math.prod(self.tensors[number][3]) * (len(names) if by_name else 1)
            for number, names in self.names().items()
            if self.tensors[number][0] in kinds
        )

    def groups(self) -> list[list[str]]:
        """The names of each parameter that has several."""
        groups = (sorted(names) for number, names in self.names().items() if self.tensors[number][0] in PARAMETERS)
        return sorted(group for group in groups if len(group) > 1)

    def nbytes(self) -> int:
        """The bytes of all storages that a tensor looks at."""
        used = {self.tensors[number][1] for number in self.names()}
        return sum(elements * BYTES[dtype] for elements, dtype, _ in (self.storages[number] for number in used))


PARAMETERS = ("parameter", "frozen")
BUFFERS = ("buffer", "scratch")


def some_names(rng: np.random.Generator, count: int) -> list[str]:
    """So many different dotted names, at several depths."""
    every = [f"{module}.{leaf}" for module in MODULES for leaf in LEAVES] + [f"root_{leaf}" for leaf in LEAVES]
    return [every[index] for index in rng.permutation(len(every))[:count]]


def a_shape(rng: np.random.Generator) -> tuple[int, ...]:
    """A shape of one to three axes."""
    return tuple(int(size) for size in rng.integers(2, 7, size=rng.integers(1, 4)))


def tied(rng: np.random.Generator, kinds: tuple[str, ...] = ("parameter",), value: float | None = None) -> Recipe:
    """Tensors with one to four names each, and of each kind at least one that has several."""
    recipe, names = Recipe(), some_names(rng, 24)
    for kind in kinds:
        for several in (1, int(rng.integers(2, 5)), int(rng.integers(1, 4)), 2):
            recipe.tensor(kind, a_shape(rng), *(names.pop() for _ in range(several)), value=value)
    return recipe


def same_module_twice(rng: np.random.Generator, kind: str = "parameter") -> Recipe:
    """A submodule with two tensors, one of them deeper, that stands in three places, and a tensor beside it."""
    recipe = Recipe(same_modules=[("decoder.shared", "encoder"), ("again", "encoder")])
    recipe.tensor(kind, a_shape(rng), "encoder.weight")
    recipe.tensor(kind, a_shape(rng), "encoder.inner.bias")
    recipe.tensor(kind, a_shape(rng), "head.weight")
    return recipe


def unshared(rng: np.random.Generator, *kinds: str) -> Recipe:
    """Two tensors of each kind, each with one name and a storage of its own."""
    recipe, names = Recipe(), some_names(rng, 2 * len(kinds))
    for kind in (*kinds, *kinds):
        recipe.tensor(kind, a_shape(rng), names.pop())
    return recipe


def whole_views(rng: np.random.Generator) -> Recipe:
    """Three parameters of other shapes, all of which look at the whole of one storage."""
    recipe, names = Recipe(), some_names(rng, 3)
    rows, columns = int(rng.integers(2, 5)), int(rng.integers(5, 8))
    one = recipe.storage(rows * columns)
    recipe.view("parameter", one, 0, (rows, columns), names[0])
    recipe.view("parameter", one, 0, (columns, rows), names[1])
    recipe.view("parameter", one, 0, (rows * columns,), names[2])
    return recipe


def with_snapshot(rng: np.random.Generator) -> Recipe:
    """A parameter, and a buffer that looks at the same storage."""
    recipe, names = Recipe(), some_names(rng, 2)
    shape = a_shape(rng)
    one = recipe.storage(math.prod(shape))
    recipe.view("parameter", one, 0, shape, names[0])
    recipe.view("buffer", one, 0, shape, names[1])
    return recipe


def parts_of_one(rng: np.random.Generator) -> Recipe:
    """Two parameters that overlap in one storage, and leave the end of it unseen."""
    recipe, names = Recipe(), some_names(rng, 2)
    length = int(rng.integers(4, 9))
    one = recipe.storage(2 * length + 3)
    recipe.view("parameter", one, 0, (length,), names[0])
    recipe.view("parameter", one, length - 2, (length,), names[1])
    return recipe


def whole_and_tail(rng: np.random.Generator) -> Recipe:
    """A parameter that looks at the whole of a storage, and one that looks at the end of it."""
    recipe, length = Recipe(), int(rng.integers(7, 20))
    one = recipe.storage(length)
    recipe.view("parameter", one, 0, (length,), "encoder.weight")
    recipe.view("parameter", one, 4, (length - 4,), "encoder.bias")
    return recipe


def slice_of_one(rng: np.random.Generator) -> Recipe:
    """One parameter that looks at some rows of a larger table."""
    recipe = Recipe()
    columns = int(rng.integers(2, 6))
    recipe.view("parameter", recipe.storage(11 * columns), 2 * columns, (5, columns), "head.weight")
    return recipe


def many_dtypes(rng: np.random.Generator) -> Recipe:
    """Parameters and buffers of several dtypes, saved and unsaved ones."""
    recipe, names = Recipe(), some_names(rng, 6)
    for kind, dtype in (
        ("parameter", "float16"),
        ("parameter", "float64"),
        ("frozen", "float32"),
        ("buffer", "int64"),
        ("buffer", "float32"),
        ("scratch", "bool"),
    ):
        recipe.tensor(kind, a_shape(rng), names.pop(), dtype=dtype)
    return recipe


def decoder_count(
    sizes: tuple[int, ...], tied: bool = True, learned_positions: bool = True, qkv_bias: bool = True
) -> int:
    """The parameters of `models.Decoder`, layer by layer; sizes are vocabulary, context, width and blocks."""
    vocab_size, context, width, n_layer = sizes
    norm = 2 * width
    block = 2 * norm + _linear(3 * width, width, qkv_bias) + _linear(width, width)
    block += _linear(4 * width, width) + _linear(width, 4 * width)
    tables = vocab_size * (1 if tied else 2) + context * learned_positions
    return tables * width + n_layer * block + norm


def _linear(rows: int, columns: int, bias: bool = True) -> int:
    return rows * columns + rows * bias
