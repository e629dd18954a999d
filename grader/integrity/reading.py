"""Looking through a submission's text, parsed and never run.

A note is a reason to look, not a verdict: whoever wants to hide something from a reader of source text can. So the
rules aim at few false alarms.
"""

from __future__ import annotations

import ast
import re
import tokenize
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from grader.inert import short
from grader.integrity import spoken
from grader.integrity.names import MOST_NODES, Names, Scope, chain, constant, is_number, root
from grader.integrity.rules import (
    ATTRIBUTES,
    CODE_OBJECTS,
    COMPUTED,
    DISGUISED,
    IMPORTS,
    PATCHES,
    READER,
    RULES,
    TABLE,
    UNREAD,
    UNSEEN,
    WORDS,
    Rule,
    watched,
)
from grader.report import IntegrityPart

MOST_NOTES: Final = 50
MOST_OF_ONE: Final = 8  # lines of one rule, so that none crowds out the others
TABLE_NUMBERS: Final = 200
PACKED_CHARACTERS: Final = 1000

# What honest files set in libraries.
SETTINGS: Final = re.compile(
    r"torch\.backends\b|sys\.(stdout|stderr|stdin|dont_write_bytecode|tracebacklimit)\Z|warnings\.\w+\Z|matplotlib\b"
)
RUNS_TEXT: Final = {"builtins.eval", "builtins.compile"}
IMPORTS_TEXT: Final = {"builtins.__import__", "importlib.import_module", "importlib.__import__"}
SETS: Final = {f"builtins.{name}" for name in ("setattr", "delattr", "object.__setattr__", "type.__setattr__")}
REACHES_FAR: Final = {"os", "sys", "builtins", "gc", "posix", "ctypes", "importlib", "inspect"}


def notes(source: str, support: Sequence[str] = ()) -> list[IntegrityPart]:
    """What in a submission's text is worth a look, by line, at most 50 notes. Never raises.

    Args:
        source: the text. One that is not Python gives no notes.
        support: the question's own files, which a submission may import, and whose objects it may change.
    """
    reading = Reading({name.removesuffix(".py") for name in support})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
            tree = ast.parse(source)
        reading.read(Names(tree))
        reading.read_text(source)
    except (RecursionError, MemoryError):
        reading.note_the_end(1)
    except (SyntaxError, ValueError):
        return []
    return reading.parts()


class Reading:
    """One text being looked through, and what was found.

    Args:
        own: the question's own modules.
    """

    def __init__(self, own: set[str]) -> None:
        self.own = own
        self.names = Names(ast.Module([], []))
        self.found: dict[tuple[str, int], str] = {}
        self.settled: set[ast.AST] = set()  # nodes that were judged together with the one above them

    def read(self, names: Names) -> None:
        """Look through the tree."""
        self.names = names
        for count, (node, scope) in enumerate(names.walk()):
            if node not in self.settled:
                self.look(node, scope, getattr(node, "lineno", 0))
            if count == MOST_NODES:
                self.note_the_end(getattr(node, "lineno", 1))

    def read_text(self, source: str) -> None:
        """Look through what the tree doesn't hold: comments, and the letters of names."""
        tokens = spoken.tokens(source)
        if len(tokens) == spoken.MOST_TOKENS:
            self.note_the_end(tokens[-1].start[0])
        for line, block in spoken.comments(tokens):
            self.look_at_words(block, line)
        first = {token.string: token.start[0] for token in reversed(tokens) if token.type == tokenize.NAME}
        for name, line in first.items():
            self.look_at_letters(name, line)

    # What is noted of each kind of node

    def look(self, node: ast.AST, scope: Scope, line: int) -> None:
        """Note what a node does that has a rule."""
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.look_at(alias.name, line)
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    self.look_at(module if alias.name == "*" else f"{module}.{alias.name}", line)
            case ast.Name():
                self.look_at(self.names.path(node, scope), line)
            case ast.Attribute():
                self.look_at_attribute(node, scope, line)
            case ast.Subscript():
                self.look_at_item(node, scope, line)
            case ast.Call():
                self.look_at_call(node, scope, line)
            case ast.Constant(value=str(text)):
                self.look_at_words(text, line, node)
            case ast.Constant(value=bytes(packed)) if len(packed) > PACKED_CHARACTERS:
                self.note(TABLE, f"{len(packed):,} bytes", line)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                count = sum(map(is_number, self.leaves(node)))
                if count > TABLE_NUMBERS:
                    self.note(TABLE, f"{count:,} numbers", line)

    def look_at(self, path: str | None, line: int) -> None:
        """A dotted path."""
        rule = watched(path) if path else None
        if path and rule and path.partition(".")[0] not in self.own:
            self.note(rule, path.removeprefix("builtins."), line)

    def look_at_attribute(self, node: ast.Attribute, scope: Scope, line: int) -> None:
        """A chain of attributes, all at once."""
        self.look_at(self.names.path(node, scope), line)
        for name in chain(node):
            if name in ATTRIBUTES:
                self.note(ATTRIBUTES[name], name, line)
        if not isinstance(node.ctx, ast.Load):
            self.look_at_change(node.value, node.attr, scope, line)

    def look_at_change(self, of: ast.expr, name: str, scope: Scope, line: int) -> None:
        """An attribute that is set or deleted: noted where it is a library's, or code."""
        if name == "__code__":
            self.note(CODE_OBJECTS, name, line)
        base = self.names.path(of, scope, surely=True)
        if base is None or base.startswith("builtins.") or self.is_object_of_the_question(base):
            return
        path = f"{base}.{name}"
        if not watched(path) and not SETTINGS.match(path):
            self.note(PATCHES, path, line)

    def is_object_of_the_question(self, path: str) -> bool:
        """Whether a path leads to what may be an object in a support file, and not to the file or a class in it."""
        module, _, rest = path.partition(".")
        last = rest.rpartition(".")[2]
        return module in self.own and rest != "" and not last[:1].isupper()

    def look_at_item(self, node: ast.Subscript, scope: Scope, line: int) -> None:
        """An item: set in `sys.modules`, or in the dictionary of a library."""
        of, is_set = node.value, not isinstance(node.ctx, ast.Load)
        path = self.names.path(of, scope)
        if is_set and path in ("sys.modules", "builtins"):
            self.note(IMPORTS if path == "sys.modules" else PATCHES, path, line)
        elif is_set and isinstance(of, ast.Attribute) and of.attr == "__dict__":
            self.look_at_change(of.value, "__dict__", scope, line)
        elif is_set and isinstance(of, ast.Call) and of.args and self.names.path(of.func, scope) == "builtins.vars":
            self.look_at_change(of.args[0], "__dict__", scope, line)
        own_module = path == "sys.modules" and isinstance(node.slice, ast.Name) and node.slice.id == "__name__"
        if own_module or (is_set and path in ("sys.modules", "os.environ")):  # setting OMP_NUM_THREADS is no question
            self.settled |= {of, root(of)}

    def look_at_call(self, node: ast.Call, scope: Scope, line: int) -> None:
        """A call that runs text, imports by name, or reaches or sets an attribute by name."""
        path, args = self.names.path(node.func, scope), node.args
        first, second = [*map(constant, args[:2]), None, None][:2]
        if path == "builtins.exec" or (path in RUNS_TEXT and args and first is None):
            self.note(COMPUTED, path.removeprefix("builtins."), line)
        elif path in IMPORTS_TEXT and args:
            self.note(COMPUTED, path.removeprefix("builtins."), line) if first is None else self.look_at(first, line)
        elif path in SETS and args:
            self.look_at_change(args[0], second or "…", scope, line)
        elif path == "builtins.getattr" and len(args) > 1:
            base = self.names.path(args[0], scope)
            if second is None and base in REACHES_FAR:
                self.note(COMPUTED, f"getattr({base}, …)", line)
            if second is not None:
                self.look_at(f"{base}.{second}" if base else None, line)
                if second in ATTRIBUTES:
                    self.note(ATTRIBUTES[second], second, line)

    def look_at_words(self, text: str, line: int, literal: ast.Constant | None = None) -> None:
        """A string literal, or a run of comments."""
        last = (literal.end_lineno or line) if literal else line + text.count("\n")
        found = [(READER, pattern.search(text)) for pattern in spoken.SPOKEN]
        found.append((UNSEEN, spoken.INVISIBLE_TEXT.search(text)))
        if literal:
            found += [(rule, pattern.search(text)) for pattern, rule in WORDS]
        for rule, match in found:
            if match:
                at = min(line + text.count("\n", 0, match.start()), last)
                self.note(rule, spoken.quoted(match[0]), at)
        if len(text) > PACKED_CHARACTERS:
            words = text.split()
            dense = sum(map(len, words))
            if dense > PACKED_CHARACTERS and len(words) * 40 < dense:
                self.note(TABLE, f"{dense:,} characters with hardly a space", line)

    def look_at_letters(self, name: str, line: int) -> None:
        """An identifier: its letters, and the words that it is made of."""
        if not name.isascii():
            plain = unicodedata.normalize("NFKC", name)
            if spoken.is_disguised(name, plain) or (plain.isascii() and watched(plain)):
                self.note(DISGUISED, name, line)
        elif name.count("_") > 1 and any(pattern.search(name.replace("_", " ")) for pattern in spoken.SPOKEN):
            self.note(READER, name, line)

    def leaves(self, node: ast.expr) -> Iterator[ast.expr]:
        """What a literal container holds, through containers inside it and signs."""
        waiting: list[ast.expr | None] = [node]
        while waiting:
            match waiting.pop():
                case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) as inner:
                    waiting += items
                    self.settled.add(inner)
                case ast.Dict(keys=keys, values=values) as inner:
                    waiting += [*keys, *values]
                    self.settled.add(inner)
                case ast.UnaryOp(operand=operand):
                    waiting.append(operand)
                case ast.expr() as leaf:
                    yield leaf

    # What is told

    def note(self, rule: Rule, found: str, line: int) -> None:
        """Take down what was found, once for each rule and line."""
        self.found.setdefault((rule.id, line), found)

    def note_the_end(self, line: int) -> None:
        """Take down that nothing was looked at after a line."""
        self.note(UNREAD, f"line {line}", line)

    def parts(self) -> list[IntegrityPart]:
        """The notes, by line."""
        lines: dict[str, list[int]] = defaultdict(list)
        for id, line in sorted(self.found, key=lambda each: (each[1], each[0])):
            lines[id].append(line)
        told = sorted((line, id) for id, every in lines.items() for line in every[:MOST_OF_ONE])
        return [
            IntegrityPart(id=id, where=f"line {line}", detail=self.sentence(id, line, lines[id]))
            for line, id in told[:MOST_NOTES]
        ]

    def sentence(self, id: str, line: int, lines: list[int]) -> str:
        """The sentence for a note; the last one of a rule says how many more lines there are."""
        says = next(rule.says for rule in RULES if rule.id == id).format(short(self.found[id, line], 80))
        more = len(lines) - MOST_OF_ONE
        if more <= 0 or line != lines[MOST_OF_ONE - 1]:
            return says
        return f"{says.rstrip('.')}, and so do {more:,} more lines."
