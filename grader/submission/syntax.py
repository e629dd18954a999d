"""Whether code is Python, and which names it defines, without running any of it.

The parser is no match for every text: in Python 3.11 one line of 512 KiB can crash it, and another can keep
it busy for minutes. A short text can do neither, and is parsed right here. A long one is parsed by this same
file in a process of its own, under limits; if that process dies, the text was too complex.
"""

from __future__ import annotations

import ast
import json
import resource
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

SHORT = 32 << 10  # characters; measured: a tenth of the length that crashes, and a quarter of a second at worst
CPU_SECONDS = 10
WALL_SECONDS = 300  # only against a machine that stands still; the limit on CPU time decides
MEMORY_BYTES = 2 << 30
TOO_COMPLEX = "the source is too complex to parse"


@dataclass(frozen=True)
class Parsed:
    """What parsing found.

    Attributes:
        names: what is defined at the top level, as far as the text shows.
        star: whether names may come from a `from x import *`.
        problem: the interpreter's message, if the text is not Python; else empty.
        line: the line of the problem, from 1; 0 where it isn't known.
        column: the column of the problem, from 1; 0 where it isn't known.
    """

    names: list[str]
    star: bool = False
    problem: str = ""
    line: int = 0
    column: int = 0


def parse(source: str) -> Parsed:
    """Parse code of any kind, in bounded time and memory.

    Raises:
        OSError: no process could be started, or it failed.
        subprocess.TimeoutExpired: the machine is too busy to tell.
    """
    return parse_here(source) if len(source) <= SHORT else parse_apart(source)


def parse_here(source: str) -> Parsed:
    """Parse code in this process."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a candidate's odd escapes are no warnings of ours
            tree = ast.parse(source)
            compile(tree, "solution.py", "exec", dont_inherit=True)  # finds more, such as a lone return
        names = list(dict.fromkeys(bound(tree)))
    except SyntaxError as error:
        return Parsed(
            [],
            problem=error.msg or "invalid syntax",
            line=error.lineno or 0,
            column=max(error.offset or 0, 0),
        )
    except (RecursionError, MemoryError, OverflowError, SystemError, ValueError):
        return Parsed([], problem=TOO_COMPLEX)
    return Parsed([name for name in names if name != "*"], star="*" in names)


def parse_apart(source: str) -> Parsed:
    """Parse code in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(Path(__file__).resolve())],
        input=source.encode(),
        capture_output=True,
        env={},
        timeout=WALL_SECONDS,
        check=False,
    )
    if done.returncode > 0:
        raise OSError(f"the parser ended with status {done.returncode}")
    return Parsed(**json.loads(done.stdout)) if done.returncode == 0 else Parsed([], problem=TOO_COMPLEX)


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


def main() -> None:
    """Parse standard input under limits, and print what was found as JSON."""
    limits = {resource.RLIMIT_CPU: CPU_SECONDS, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":  # elsewhere the limit on address space can't be set, or does nothing
        limits[resource.RLIMIT_AS] = MEMORY_BYTES
    for limit, value in limits.items():
        hard = resource.getrlimit(limit)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowest, lowest))
    print(json.dumps(asdict(parse_here(sys.stdin.buffer.read().decode()))))


if __name__ == "__main__":
    main()
