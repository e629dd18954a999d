"""Calls that show more than their result. The raw facts go back; what follows from them the examiner decides."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from grader.wire import Value
from grader.worker.describe import Describer

Call = Callable[[list[Any]], Any]


def observe(call: Call, arguments: list[Value], describer: Describer) -> dict[str, Value]:
    """Call a few times with fresh copies of the arguments, and scribble over the first result before the last.

    What changes in the first call's arguments shows a write in place. A second result unlike the first shows a call
    that does not repeat. A first result that changes when the call is made with other arguments shows memory that is
    used again. What changes in the arguments, or in the last result, after the scribbling shows shared storage.
    """
    first_arguments = describer.from_wire(arguments)
    result = call(first_arguments)
    told = describer.to_wire(result)
    after_call = describer.to_wire(first_arguments)
    repeated = describer.to_wire(call(describer.from_wire(arguments)))
    call([_other(argument) for argument in describer.from_wire(arguments)])
    kept = describer.to_wire(result)
    scribble(result)
    return {
        "result": told,
        "arguments": after_call,
        "repeated": repeated,
        "kept": kept,
        "arguments_after_scribbling": describer.to_wire(first_arguments),
        "repeated_after_scribbling": describer.to_wire(call(describer.from_wire(arguments))),
    }


def _other(argument: Any) -> Any:
    """An argument of the same shape with other numbers, where it holds floats."""
    if isinstance(argument, torch.Tensor):
        return 1 - argument if argument.is_floating_point() else argument
    return 1 - argument if isinstance(argument, np.ndarray) and argument.dtype.kind == "f" else argument


def scribble(result: Any) -> None:
    """Overwrite all the memory behind a result, whatever its strides."""
    for tensor in _arrays(result, 0):
        if isinstance(tensor, torch.Tensor):
            with torch.no_grad():
                storage = torch.Tensor.untyped_storage(torch.Tensor.detach(tensor))
                torch.empty(0, dtype=torch.uint8).set_(storage).fill_(0x5A)
        else:
            owner = tensor
            while type(owner.base) is np.ndarray:
                owner = owner.base
            if owner.flags.writeable:
                owner[...] = 77


def _arrays(value: Any, depth: int) -> Iterator[Any]:
    if type(value) in (torch.Tensor, torch.nn.Parameter, np.ndarray):
        yield value
    elif type(value) in (list, tuple) and depth < 3:
        for item in value[:16]:
            yield from _arrays(item, depth + 1)


def gradient(call: Call, arguments: list[Value], cotangent: Value, describer: Describer) -> dict[str, Value]:
    """Call once and pull `cotangent` back; the gradient of each argument is None where none arrived.

    The arguments are copies of leaves, as embeddings are in a model: writing into them is allowed.
    """
    given = describer.from_wire(arguments)
    copies = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in given]
    result = call(copies)
    if isinstance(result, torch.Tensor) and result.requires_grad:
        # The same as backward(cotangent), which would first import sympy to look at its shape.
        (result * describer.from_wire(cotangent)).sum().backward()
    gradients = [argument.grad if isinstance(argument, torch.Tensor) else None for argument in given]
    return {
        "result": describer.to_wire(result),
        "gradients": describer.to_wire(gradients),
        "arguments": describer.to_wire(copies),
    }
