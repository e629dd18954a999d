"""Models to count: the layers of a GPT, and models with any sharing you like. They hold tensors and compute nothing.

Shapes in comments use V for the vocabulary, C for the context and D for d_model.
"""

from __future__ import annotations

import math

import torch
from torch import nn


def new_embedding(rows: int, d_model: int) -> nn.Embedding:
    """Return a trainable nn.Embedding(rows, d_model); nothing is drawn at random, so that it costs nothing on meta."""
    return nn.Embedding.from_pretrained(torch.zeros(rows, d_model), freeze=False)


class Block(nn.Module):
    """The layers of one transformer block."""

    def __init__(self, d_model: int, qkv_bias: bool) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(d_model)
        self.query_key_value = nn.Linear(d_model, 3 * d_model, bias=qkv_bias)
        self.output = nn.Linear(d_model, d_model)
        self.norm_feed_forward = nn.LayerNorm(d_model)
        self.widen = nn.Linear(d_model, 4 * d_model)
        self.narrow = nn.Linear(4 * d_model, d_model)


class Decoder(nn.Module):
    """The layers of a GPT; `Decoder()` has the sizes of GPT-2 small.

    Args:
        tied: the head's weight is the token table itself, the same nn.Parameter under two names.
        learned_positions: positions are a trained table; otherwise they are a buffer of the same shape.
        qkv_bias: queries, keys and values have biases; all other layers but the head have theirs in any case.
        device: where the tensors are; on "meta" they have shapes and no numbers, and cost no memory at any size.
    """

    def __init__(
        self,
        vocab_size: int = 50257,
        context: int = 1024,
        d_model: int = 768,
        n_layer: int = 12,
        tied: bool = True,
        learned_positions: bool = True,
        qkv_bias: bool = True,
        device: str = "cpu",
    ) -> None:
        super().__init__()
        with torch.device(device):
            self.tokens = new_embedding(vocab_size, d_model)  # (V, D)
            if learned_positions:
                self.positions = new_embedding(context, d_model)  # (C, D)
            else:
                self.register_buffer("position_table", torch.zeros(context, d_model))  # (C, D)
            self.blocks = nn.ModuleList(Block(d_model, qkv_bias) for _ in range(n_layer))
            self.norm = nn.LayerNorm(d_model)
            self.head = nn.Linear(d_model, vocab_size, bias=False)  # weight (V, D)
        if tied:
            self.head.weight = self.tokens.weight


def assemble(
    storages: list[tuple[int, str, float]],
    tensors: list[tuple[str, int, int, tuple[int, ...]]],
    places: list[tuple[str, int | None]],
    same_modules: list[tuple[str, str]] = [],  # noqa: B006 - read, never written
    device: str = "cpu",
) -> nn.Module:
    """Build a module from a description of what shares what; handy for tests of your own.

    Args:
        storages: pieces of memory, each as (elements, dtype, the value that fills it).
        tensors: each as (kind, number of its storage, first element, shape). The kind is "parameter", "frozen",
            "buffer" or "scratch", which is a buffer that is not saved.
        places: each as (dotted name, number of its tensor). A tensor may have several places. None instead of a number
            leaves the name empty, as the bias of a linear layer without one.
        same_modules: each as (new dotted name, dotted name of a submodule that it is to lead to as well).
        device: where the memory is.

    For example, a head that is tied to its table, both by one object of shape (5, 2):

        assemble([(10, "float32", 0.5)], [("parameter", 0, 0, (5, 2))], [("tokens.weight", 0), ("head.weight", 0)])
    """
    memory = []
    for elements, dtype, value in storages:
        flat = torch.zeros(elements, dtype=getattr(torch, dtype), device=device)
        memory.append(flat if flat.is_meta else flat.fill_(value))
    made: list[torch.Tensor] = []
    for kind, storage, first, shape in tensors:
        view = memory[storage][first : first + math.prod(shape)].view(shape)
        trained = kind == "parameter"
        made.append(nn.Parameter(view, requires_grad=trained) if trained or kind == "frozen" else view)
    root = nn.Module()
    for name, number in places:
        path, _, last = name.rpartition(".")
        module, tensor = submodule(root, path), None if number is None else made[number]
        if number is None or isinstance(tensor, nn.Parameter):
            module.register_parameter(last, tensor)
        else:
            module.register_buffer(last, tensor, persistent=tensors[number][0] == "buffer")
    for new, old in same_modules:
        path, _, last = new.rpartition(".")
        submodule(root, path).add_module(last, submodule(root, old))
    return root


def submodule(root: nn.Module, path: str) -> nn.Module:
    """Return the module at a dotted path below root; what is missing on the way is made."""
    for name in path.split(".") if path else ():
        if name not in dict(root.named_children()):
            root.add_module(name, nn.Module())
        root = getattr(root, name)
    return root
