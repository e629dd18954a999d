"""The same checks as a question of the grader's: a bank of one question, whose hidden tests hand them the proxy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from benchmarks.demo import QUESTION, ROOT
from benchmarks.peers import checks

ID: Final = "same-checks"
FOLDER: Final = ROOT / "questions" / QUESTION
TESTS: Final = '''
import numpy as np
import pytest
from same_checks import CHECKS

from grader.checks import Candidate, Raised, criterion


class Ours:
    """The candidate's proxy as a subject."""

    def __init__(self, candidate):
        self.candidate = candidate

    def table(self, max_len, d_model, base):
        return self.candidate.sinusoidal_pe(max_len, d_model, base)

    def module(self, max_len, d_model, base):
        return self.candidate.SinusoidalPositions(max_len, d_model, base)

    def call(self, module, x, training):
        return module.train(training)(x)

    def fails(self, module, x):
        try:
            module(x)
        except Raised:
            return True
        return False

    def held(self, module):
        return [(each.kind, each.shape, each.requires_grad) for each in self.candidate.inventory(module)]

    def leaves(self, module, x):
        seen = self.candidate.observe(module, x)
        return seen.arguments_unchanged and not seen.result_shares_storage

    def gradient(self, module, x):
        seen = self.candidate.gradient(module, x, np.ones_like(x))
        return seen.at_x is not None and bool(np.any(seen.at_x))

    def count(self, model):
        return self.candidate.count_parameters(getattr(self, "_" + model)())

    def _tied(self):
        nn = self.candidate.torch.nn
        embedding, head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        self.candidate.assign(head, "weight", self.candidate.attribute(embedding, "weight"))
        return nn.ModuleList([embedding, head])

    def _frozen(self):
        nn = self.candidate.torch.nn
        return nn.ModuleList([nn.Linear(5, 3), nn.Linear(6, 3).requires_grad_(False)])

    def _with_buffers(self):
        return self.candidate.torch.nn.BatchNorm1d(6)

    def _twins(self):
        nn = self.candidate.torch.nn
        return nn.ModuleList([nn.LayerNorm(4), nn.LayerNorm(4)])

    def _shared(self):
        nn = self.candidate.torch.nn
        layer = nn.Linear(2, 2)
        return nn.Sequential(layer, nn.Sequential(layer, nn.Linear(2, 3)))

    def _empty(self):
        return self.candidate.torch.nn.ReLU()
'''
TEST: Final = """

@criterion("{id}")
def test_{name}(candidate: Candidate) -> None:
    CHECKS["{name}"](Ours(candidate))
"""


def make(folder: Path) -> Path:
    """Write the bank, and say where it is, for `--questions`."""
    bank = folder / "questions"
    hidden = bank / ID / "hidden"
    hidden.mkdir(parents=True)
    for name in ("prompt.md", "skeleton.py", "gpt.py"):
        shutil.copy(FOLDER / name, bank / ID / name)
    shutil.copy(Path(checks.__file__), hidden / "same_checks.py")
    ids = {name: name.replace("_", "-") for name in checks.CHECKS}
    tests = "".join(TEST.format(id=id, name=name) for name, id in ids.items())
    (hidden / "test_same.py").write_text(TESTS.lstrip() + tests, "utf-8")
    spec = {
        "id": ID,
        "version": 1,
        "title": "The same checks",
        "level": "L2 Working",
        "minutes": 20,
        "support": ["gpt.py"],
        "defines": [
            {"name": "sinusoidal_pe", "kind": "function", "signature": "(max_len, d_model, base)", "gives": "a table"},
            {
                "name": "SinusoidalPositions",
                "kind": "class",
                "signature": "(max_len, d_model, base)",
                "gives": "a module",
            },
            {"name": "count_parameters", "kind": "function", "signature": "(model)", "gives": "a count"},
        ],
        "criteria": [
            {"id": id, "title": name, "points": 1, "required": True, "tell": f"See {name}."} for name, id in ids.items()
        ],
    }
    (bank / ID / "question.yaml").write_text(json.dumps(spec, indent=1), "utf-8")  # every JSON text is YAML 1.2
    return bank
