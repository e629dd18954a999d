"""The inventory of a module: what it holds, under which names, and what kind of tensor each is."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tensor:
    """One line of an inventory: a tensor by one of its names. `kind` is "parameter", "buffer" or "loose"."""

    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    device: str
    object: int

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)


class Inventory(list[Tensor]):
    """Every tensor below a module, by every name, as torch's own slots hold them."""

    @property
    def parameters(self) -> list[Tensor]:
        """Each parameter once, frozen ones and ones that were never registered included."""
        return self._unique("parameter")

    @property
    def buffers(self) -> list[Tensor]:
        """Each buffer once."""
        return self._unique("buffer")

    @property
    def loose(self) -> list[Tensor]:
        """Each tensor that is neither, and so is not moved or saved with the module."""
        return self._unique("loose")

    @property
    def parameter_count(self) -> int:
        """How many elements the unique parameters have together."""
        return sum(each.size for each in self.parameters)

    def _unique(self, kind: str) -> list[Tensor]:
        return list({each.object: each for each in reversed(self) if each.kind == kind}.values())[::-1]
