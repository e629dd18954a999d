"""Turning source bytes into modules, without a file, a path or a folder to import from."""

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import random
import sys
from collections.abc import Sequence
from functools import cache
from types import ModuleType

import numpy as np
import torch

SOLUTION = "solution"
PACKAGE = __name__.partition(".")[0]
SEED = 20_170_612


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the question's support modules, and the solution, from text held in memory."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module that we hold the text of."""
        del path, target
        if fullname not in self.sources:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=f"{fullname}.py")

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's text in it."""
        name, text = module.__name__, self.sources[module.__name__]
        filename = f"{name}.py"
        module.__file__ = filename
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (
            len(text),
            None,
            lines,
            filename,
        )  # inspect and torch.jit read a function's text
        exec(compile(text, filename, "exec", dont_inherit=True), module.__dict__)


def install(sources: dict[str, str]) -> None:
    """Make `import NAME` find the given texts, before anything of the same name on disk, and none of our modules."""
    hide()
    sys.meta_path.insert(0, SourceFinder(sources))
    sys.path[:] = [entry for entry in sys.path if entry]


def hide() -> None:
    """Take what observes a submission out of its easy reach: code that exchanged it could lie about itself.

    Frames and the collector lead there still; nothing that a process says of itself is proof against its own code.
    """
    for name in ours():
        sys.modules.pop(name, None)
    sys.modules["__main__"] = ModuleType("__main__")


@cache
def ours() -> list[str]:
    """The names of our modules. The zygote asks first, since a fork that looks through all names copies their pages."""
    return [name for name in sys.modules if name.partition(".")[0] == PACKAGE]


def seed() -> None:
    """Have each worker forked from this process start with the same random numbers, so that a submission repeats."""
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
