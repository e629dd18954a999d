"""The references of questions as modules, found by the ids of their questions."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SHARED: Final = ROOT / "questions" / "shared" / "support"


@cache
def reference(question: str) -> ModuleType:
    """The reference of a question, which imports its support files as a candidate's file would."""
    for folder in (ROOT / "questions" / question, SHARED):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    name = f"reference_of_{question.replace('-', '_')}"
    path = ROOT / "solutions" / question / "reference.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
