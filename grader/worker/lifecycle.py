"""What becomes of a module's tensors: through a step of training, and through saving and loading.

Both are done by hand on what the module holds, and beside that by the module's own word, so that the two can be
compared. torch.optim stays out of it: its first optimizer imports torch's compiler, for seconds.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

import torch

from grader.wire import Value
from grader.worker.describe import Describer
from grader.worker.inventory import MAX_ENTRIES, Held, as_plain, entry, held_by

LEARNING_RATE: Final = 0.1
MAX_NODES: Final = 100_000
HIDDEN: Final = "(under no name)"

_grad: Final = torch.Tensor.grad  # the slot itself, past any property of a subclass
_requires_grad: Final = torch.Tensor.requires_grad.__get__
_is_leaf: Final = torch.Tensor.is_leaf.__get__
_grad_fn: Final = torch.Tensor.grad_fn.__get__


def trained(module: torch.nn.Module, arguments: list[Value], describer: Describer) -> dict[str, Value]:
    """Call the module once, pull the sum of squares of its result back, halved, and take two steps of plain SGD.

    The first step is over what the module's own `parameters()` gives, as a training loop's would be. The second is over
    every tensor that a gradient arrived at: those that the module holds, and those that the graph of the result leads
    to and that are nowhere below the module (`hidden`). The module is left as the steps made it.

    Returns:
        `result`, as a call gives it; `strangers`, how many tensors `parameters()` gives that are not below the module;
        and `tensors`, one dict for each: `tensor` as in an inventory, and whether it is `given` by `parameters()`, is
        `hidden`, had a `gradient`, and was changed by the call and its backward pass (`by_call`), by the first step
        (`by_optimizer`) and by the second (`by_gradient`).
    """
    claimed = [each for each in islice(module.parameters(), MAX_ENTRIES) if issubclass(type(each), torch.Tensor)]
    held = _unique(held_by(module))
    _forget_gradients(held)
    before = _states(held)
    leaves = [_leaf(argument) for argument in describer.from_wire(arguments)]
    # Copies of leaves, as embeddings are in a model: writing into them is allowed.
    result = module(*[leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves])
    told = describer.to_wire(result)
    held = _unique([*held, *held_by(module)])  # some build their tensors in the first call
    known = {id(tensor) for _, tensor, _ in held}
    strangers = sum(id(tensor) not in known for tensor in claimed)
    excluded = known | {id(leaf) for leaf in leaves}
    held += [(HIDDEN, leaf, "loose") for leaf in _leaves_of(result) if id(leaf) not in excluded]
    before += _states(held[len(before) :])
    _pull_back(result)
    with_gradient = [_gradient(tensor) is not None for _, tensor, _ in held]
    called = _states(held)
    _step(claimed)
    optimized = _states(held)
    _step(tensor for _, tensor, _ in held)
    stepped = _states(held)
    given = {id(tensor) for tensor in claimed}
    steps: list[Value] = [
        {
            "tensor": entry(each, number),
            "given": id(each[1]) in given,
            "hidden": id(each[1]) not in known,
            "gradient": with_gradient[number],
            "by_call": _differ(before[number], called[number]),
            "by_optimizer": _differ(called[number], optimized[number]),
            "by_gradient": _differ(optimized[number], stepped[number]),
        }
        for number, each in enumerate(held)
    ]
    return {"result": told, "strangers": strangers, "tensors": steps}


def _unique(held: list[Held]) -> list[Held]:
    """Each tensor once, by the first of its names."""
    first: dict[int, Held] = {}
    for each in held:
        first.setdefault(id(each[1]), each)
    return list(first.values())


def _forget_gradients(held: list[Held]) -> None:
    with as_plain():
        for _, tensor, _ in held:
            if _is_leaf(tensor):
                _grad.__set__(tensor, None)


def _leaf(argument: Any) -> Any:
    differentiable = isinstance(argument, torch.Tensor) and argument.is_floating_point()
    return argument.requires_grad_() if differentiable else argument


def _leaves_of(result: Any) -> list[torch.Tensor]:
    """The tensors at which the backward pass of a result ends."""
    if not _is_differentiable(result):
        return []
    with as_plain():
        root = _grad_fn(result)
    if root is None:
        return [result]
    leaves, stack, seen = [], [root], {root}
    while stack and len(seen) < MAX_NODES:
        node = stack.pop()
        variable = getattr(node, "variable", None)  # of the nodes that add to the gradient of a leaf
        if issubclass(type(variable), torch.Tensor):
            leaves.append(variable)
        following = [after for after, _ in node.next_functions if after is not None and after not in seen]
        seen.update(following)
        stack.extend(following)
    return leaves


def _pull_back(result: Any) -> None:
    """Half the sum of squares, pulled back, where there is something to pull back from."""
    if _is_differentiable(result):
        with as_plain():
            half = torch.sum(torch.mul(result, torch.Tensor.detach(result)))
            torch.Tensor.backward(half)  # of a scalar, or torch would import sympy


def _is_differentiable(result: Any) -> bool:
    with as_plain():
        return issubclass(type(result), torch.Tensor) and bool(_requires_grad(result))


def _gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """The gradient that arrived at a tensor; none where it is itself computed from others."""
    with as_plain():
        gradient: torch.Tensor | None = _grad.__get__(tensor) if _is_leaf(tensor) else None
    return gradient


def _step(tensors: Iterable[torch.Tensor]) -> None:
    """One step of plain SGD; a tensor that is given twice takes one step."""
    with torch.no_grad(), as_plain():
        for tensor in {id(tensor): tensor for tensor in tensors}.values():
            gradient = _gradient(tensor)
            if gradient is not None:
                torch.Tensor.sub_(torch.Tensor.detach(tensor), gradient, alpha=LEARNING_RATE)


def _states(held: list[Held]) -> list[torch.Tensor | None]:
    with as_plain():
        return [_bytes_of(tensor) for _, tensor, _ in held]


def _bytes_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """A copy of a tensor's numbers as bytes, so that NaN equals itself; None where there are none on the CPU."""
    bare = torch.Tensor.detach(tensor)  # a fresh tensor, without any attribute that was set on the other
    if bare.device.type != "cpu" or bare.layout is not torch.strided:
        return None
    whole = bare.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
    return whole.reshape(-1).view(torch.uint8)


def _differ(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    return one is not None and other is not None and not torch.equal(one, other)


def round_trip(
    module: torch.nn.Module, fresh: torch.nn.Module, arguments: list[Value], describer: Describer
) -> dict[str, Value]:
    """Save a module by its own `state_dict()`, and load that into a fresh one by torch's own `load_state_dict`.

    The tensors are copied in between, as a file would. Whatever strict loading would raise about is told, not raised.

    Returns:
        `own` and `plain`, the keys of the module's own `state_dict()` and of torch's; `missing` and `unexpected`, the
        keys that strict loading misses in it and does not know; `result` of the module and `restored` of the fresh one,
        called on the same arguments.
    """
    result = describer.to_wire(module(*describer.from_wire(arguments)))
    own = dict(module.state_dict())
    plain = torch.nn.Module.state_dict(module)
    copied = {key: _copy(value) for key, value in own.items()}
    clash = torch.nn.Module.load_state_dict(fresh, copied, strict=False)
    return {
        "own": _names(own),
        "plain": _names(plain),
        "missing": _names(clash.missing_keys),
        "unexpected": _names(clash.unexpected_keys),
        "result": result,
        "restored": describer.to_wire(fresh(*describer.from_wire(arguments))),
    }


def _copy(value: Any) -> Any:
    if not issubclass(type(value), torch.Tensor):
        return value
    with as_plain():
        return torch.Tensor.detach(value).clone()


def _names(keys: Iterable[Any]) -> list[Value]:
    return [key[:200] for key in islice(keys, MAX_ENTRIES) if type(key) is str]
