"""Whether what a submission defines can be called as the question asks, as far as its text shows.

Only what is certain is told: a function or class that is defined once, at the top level, without a decorator. What
comes about in another way is left to the checks, which call it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from grader.inert import short
from grader.submission.asked import Wanted

MODULES: Final = ("nn.Module", "torch.nn.Module")  # bases of which it is known what they bring
OF_OBJECTS: Final = frozenset(dir(object))
# torch is not there where a candidate's own check reads this. A module also has a `forward`, which only refuses.
BROUGHT: Final = """
    __call__ __getattr__ __setstate__ add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr
    float get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers
    named_children named_modules named_parameters parameters register_backward_hook register_buffer
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory
    state_dict to to_empty train type xpu zero_grad
"""
OF_MODULES: Final = OF_OBJECTS.union(BROUGHT.split())
SHOWN: Final = 120  # characters of a signature


@dataclass(frozen=True)
class Takes:
    """A function's parameters, as far as calls depend on them.

    Attributes:
        order: those that are taken by position, of which the first `needed` have no default.
        unnamed: how many of them can't be given by name.
        by_name: those that are taken by name only, and whether each is needed.
        rest: whether there is a `*args`.
        others: whether there is a `**kwargs`.
    """

    order: Sequence[str]
    needed: int
    unnamed: int = 0
    by_name: Mapping[str, bool] = field(default_factory=dict)
    rest: bool = False
    others: bool = False

    def __str__(self) -> str:
        shown = [name if place < self.needed else f"{name}=…" for place, name in enumerate(self.order)]
        shown += ["*args"] if self.rest else ["*"] if self.by_name else []
        shown += [name if needed else f"{name}=…" for name, needed in self.by_name.items()]
        return short(f"({', '.join([*shown, *(['**kwargs'] if self.others else [])])})", SHOWN)

    def fits(self, asked: Takes) -> bool:
        """Whether calls that suit `asked` suit this: the shortest one, and one that leaves nothing out."""
        fewest = {name for name, needed in asked.by_name.items() if needed}
        optional = set(asked.order[asked.needed :])
        return self.binds(asked.needed, fewest) and (
            self.binds(len(asked.order), set(asked.by_name)) or self.binds(asked.needed, {*asked.by_name, *optional})
        )

    def binds(self, positional: int, names: set[str]) -> bool:
        """Whether a call with so many arguments by position, and these by name, can be made."""
        if positional > len(self.order) and not self.rest:
            return False
        open_to_names = {*self.order[max(positional, self.unnamed) :], *self.by_name}
        missing = {*self.order[positional : self.needed], *(name for name, needed in self.by_name.items() if needed)}
        return missing <= names and (self.others or names <= open_to_names)


@dataclass(frozen=True)
class Defined:
    """What a text shows of a function or class.

    Attributes:
        kind: "function" or "class".
        takes: what it is called with; None where the text doesn't show it.
        methods: for a class, what its body defines; None for what is no plain method.
        whole: whether a method that neither its body nor a known base defines is not there at all.
        is_module: whether the base is torch's module.
    """

    kind: str
    takes: Takes | None
    methods: Mapping[str, Takes | None] = field(default_factory=dict)
    whole: bool = False
    is_module: bool = False

    def lacks(self, method: str) -> bool:
        """Whether a method is not there for certain."""
        given = OF_MODULES if self.is_module else OF_OBJECTS
        return self.whole and method not in self.methods and method not in given

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Defined:
        """What `dataclasses.asdict` took apart."""

        def takes(each: Mapping[str, Any] | None) -> Takes | None:
            return None if each is None else Takes(**each)

        methods = {name: takes(each) for name, each in fields["methods"].items()}
        return cls(fields["kind"], takes(fields["takes"]), methods, fields["whole"], fields["is_module"])


def defined(body: Iterable[ast.stmt], names: Iterable[str]) -> dict[str, Defined]:
    """The functions and classes of a module's body that can be told from the text; `names` is every binding in it."""
    times = Counter(names)
    found: dict[str, Defined] = {}
    for statement in body:
        match statement:
            case ast.FunctionDef(decorator_list=[]) if times[statement.name] == 1:
                found[statement.name] = Defined("function", takes(statement.args))
            case ast.ClassDef(decorator_list=[], keywords=[]) if times[statement.name] == 1:
                found[statement.name] = _class(statement)
    return found


def _class(statement: ast.ClassDef) -> Defined:
    methods: dict[str, Takes | None] = {}
    whole = known = all(_dotted(base) in MODULES for base in statement.bases)
    for each in statement.body:
        match each:
            case ast.FunctionDef():
                plain = not each.decorator_list and each.name not in methods
                methods[each.name] = takes(each.args, drop=1) if plain else None
            case ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None) | ast.Pass():
                pass
            case _:
                whole = False  # it may define anything
    whole = whole and "__getattr__" not in methods
    made = None if "__new__" in methods else methods.get("__init__")
    if "__init__" not in methods and "__new__" not in methods and whole:
        made = Takes([], 0)
    return Defined("class", made, methods, whole, bool(statement.bases) and known)


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute(value=ast.Name() | ast.Attribute(value=ast.Name())):
            return f"{_dotted(node.value)}.{node.attr}"
    return ""


def takes(given: ast.arguments, drop: int = 0) -> Takes | None:
    """The parameters, without the first `drop`; None if there are not so many."""
    order = [each.arg for each in (*given.posonlyargs, *given.args)]
    if len(order) < drop:
        return None
    needed = len(order) - len(given.defaults)
    return Takes(
        order[drop:],
        max(needed - drop, 0),
        max(len(given.posonlyargs) - drop, 0),
        {each.arg: value is None for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)},
        given.vararg is not None,
        given.kwarg is not None,
    )


def asked(signature: str) -> Takes:
    """The parameters that a spec writes, as in "(max_len, d_model)"."""
    match ast.parse(f"def f{signature}: ...").body:
        case [ast.FunctionDef() as function]:
            return takes(function.args) or Takes([], 0)
    raise ValueError(f"{signature!r} is no signature")  # the spec's model has looked at it


def misfits(found: Mapping[str, Defined], wanted: Iterable[Wanted]) -> Iterator[str]:
    """A note for each definition that can't be called as it is asked for."""
    for each in wanted:
        there = found.get(each.name)
        if there is None:
            continue
        if (there.kind, each.kind) == ("class", "function") and "__new__" not in there.methods:
            yield f"{each.name} is a class, expected a function {each.name}{each.signature}"
            continue
        yield from _misfit(each.name, there.takes, each.signature)
        for name, signature in each.methods.items() if there.kind == "class" else ():
            if there.lacks(name):
                yield f"{each.name} does not define {name}"
            yield from _misfit(f"{each.name}.{name}", there.methods.get(name), signature)


def _misfit(label: str, takes: Takes | None, signature: str) -> Iterator[str]:
    if takes is not None and signature and not takes.fits(asked(signature)):
        yield f"{label} takes {takes}, expected {label}{signature}"
