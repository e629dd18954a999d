"""Whether code is Python, and which names it defines, without running any of it.

The parser is no match for every text: in Python 3.11 one line of 512 KiB can crash it, and another can keep
it busy for minutes. A short text can do neither, and is parsed right here. A long one is parsed by this same
module in a process of its own, under limits; if that process dies, the text was too complex.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from grader.submission import signatures
from grader.submission.signatures import Defined

Version = tuple[int, int]

SHORT: Final = 32 << 10  # characters; measured: a tenth of the length that crashes, and a quarter of a second at worst
CPU_SECONDS: Final = 10
WALL_SECONDS: Final = 300  # only against a machine that stands still; the limit on CPU time decides
MEMORY_BYTES: Final = 2 << 30
TOO_COMPLEX: Final = "the source is too complex to parse"
NOT_RUN: Final = (1, 2)  # how Python ends when the parser could not be run; a crash ends it in another way
NEEDED: Final = ("SYSTEMROOT",)  # without it Windows starts no Python
HERE: Final = sys.version_info[:2]
ROOT: Final = Path(__file__).absolute().parents[2]  # a folder, or the archive that a packet carries
APART: Final = "import sys; sys.path.insert(0, sys.argv[1]); from grader.submission.syntax import main; main()"


@dataclass(frozen=True)
class Parsed:
    """What parsing found.

    Attributes:
        names: what is defined at the top level, as far as the text shows.
        star: whether names may come from a `from x import *`.
        imports: the modules that are imported whenever the file is loaded, each with its line.
        defined: the functions and classes that can be told from the text.
        problem: the interpreter's message, if the text is not Python; else empty.
        line: the line of the problem, from 1; 0 where it isn't known.
        column: the column of the problem, from 1; 0 where it isn't known.
    """

    names: list[str]
    star: bool = False
    imports: Mapping[str, int] = field(default_factory=dict)
    defined: Mapping[str, Defined] = field(default_factory=dict)
    problem: str = ""
    line: int = 0
    column: int = 0

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Parsed:
        """What `dataclasses.asdict` took apart."""
        defined = {name: Defined.from_fields(each) for name, each in fields["defined"].items()}
        return cls(**{**fields, "defined": defined})


def parse(source: str, version: Version = HERE) -> Parsed:
    """Parse code of any kind, in bounded time and memory.

    Args:
        source: the code.
        version: the Python that it is for. What a later one has added is a problem, as far as this one's parser knows.

    Raises:
        OSError: no process could be started, or it failed.
        subprocess.TimeoutExpired: the machine is too busy to tell.
    """
    return parse_here(source, version) if len(source) <= SHORT else parse_apart(source, version)


def parse_here(source: str, version: Version = HERE) -> Parsed:
    """Parse code in this process."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
            tree = ast.parse(source, feature_version=version if version < HERE else None)
            compile(tree, "solution.py", "exec", dont_inherit=True)  # finds more, such as a lone return
        every = list(bound(tree))
    except SyntaxError as error:
        return Parsed(
            [],
            problem=error.msg or "invalid syntax",
            line=error.lineno or 0,
            column=max(error.offset or 0, 0),
        )
    except (RecursionError, MemoryError, OverflowError, SystemError, ValueError):
        return Parsed([], problem=TOO_COMPLEX)
    names = [name for name in dict.fromkeys(every) if name != "*"]
    return Parsed(names, "*" in every, imports(tree.body), signatures.defined(tree.body, every))


def parse_apart(source: str, version: Version = HERE) -> Parsed:
    """Parse code in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", APART, str(ROOT), *map(str, version)],
        input=source.encode(),
        capture_output=True,
        env={name: os.environ[name] for name in NEEDED if name in os.environ},
        timeout=WALL_SECONDS,
        check=False,
    )
    if done.returncode in NOT_RUN:
        raise OSError(f"the parser ended with status {done.returncode}")
    return Parsed([], problem=TOO_COMPLEX) if done.returncode else Parsed.from_fields(json.loads(done.stdout))


def bound(tree: ast.Module) -> Iterator[str]:
    """The names that statements at the top level bind, inside if, for, while, try, with and match as well."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Tuple(ctx=ast.Store()) | ast.List(ctx=ast.Store()) | ast.Starred(ctx=ast.Store()):
                waiting += ast.iter_child_nodes(node)
            case ast.expr() | ast.AnnAssign(value=None):
                pass
            case _:
                waiting += ast.iter_child_nodes(node)


def imports(body: Iterable[ast.stmt]) -> dict[str, int]:
    """The top-level modules that plain statements of a module's body import, with the line of the first of each."""
    found: dict[str, int] = {}
    for statement in body:
        match statement:
            case ast.Import():
                names = [alias.name for alias in statement.names]
            case ast.ImportFrom(level=0, module=str(module)):
                names = [module]
            case _:
                continue
        for name in names:
            found.setdefault(name.partition(".")[0], statement.lineno)
    return found


def limit() -> None:
    """Limit this process. Windows knows no such limits, and there the clock decides alone."""
    try:
        import resource
    except ImportError:
        return
    limits = {resource.RLIMIT_CPU: CPU_SECONDS, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":  # elsewhere the limit on address space can't be set, or does nothing
        limits[resource.RLIMIT_AS] = MEMORY_BYTES
    for kind, value in limits.items():
        hard = resource.getrlimit(kind)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowest, lowest))


def main() -> None:
    """Parse standard input under limits, and print what was found as JSON."""
    limit()
    version = (int(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps(asdict(parse_here(sys.stdin.buffer.read().decode(), version))))
