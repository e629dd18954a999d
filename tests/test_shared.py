"""What the questions of a bank share: support files, helpers of hidden tests, and modules that are imported once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.bank import Bank
from grader.errors import QuestionError
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.outcome import Verdict
from grader.question import Question
from grader.report import Report
from grader.sandbox.tiers import Tier
from grader.scaffold import make

ID = "row-softmax"
HELPER = "def right(scores):\n    import numpy as np\n    e = np.exp(scores)\n    return e / e.sum(-1, keepdims=True)\n"


@pytest.fixture(scope="module")
def plain() -> Iterator[Zygote]:
    """A warm interpreter for which no question has imported more."""
    with Zygote() as zygote:
        yield zygote


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A question that lists a support file, and hidden tests that import a helper; neither is its own."""
    make(ID, tmp_path / "questions")
    spec = tmp_path / "questions" / ID / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("minutes: 15", "minutes: 15\nsupport: [axes.py]"), "utf-8")
    hidden = tmp_path / "questions" / ID / "hidden" / "test_softmax.py"
    text = hidden.read_text("utf-8")
    text = text.replace("import numpy as np\n", "import numpy as np\nfrom softmaxes import right\n")
    text = text.replace("exponentials / exponentials.sum(axis=-1, keepdims=True)", "right(scores)")
    hidden.write_text(text, "utf-8")
    shared = tmp_path / "questions" / "shared"
    for name, content in {"support/axes.py": "LAST = -1\n", "hidden/softmaxes.py": HELPER}.items():
        (shared / name).parent.mkdir(parents=True)
        (shared / name).write_text(content, "utf-8")
    return tmp_path


def load(folder: Path) -> Question:
    return Bank((folder / "questions",)).get(ID)


def graded(folder: Path, zygote: Zygote) -> Report:
    """A submission that takes its axis from the support file."""
    source = (folder / "solutions" / ID / "reference.py").read_text("utf-8").replace("axis=-1", "axis=LAST")
    sent = folder / "solution.py"
    sent.write_text(source.replace("import numpy as np\n", "import numpy as np\nfrom axes import LAST\n", 1), "utf-8")
    with Engine(load(folder), zygote, require=Tier.SEPARATE_PROCESS) as engine:
        return engine.grade(sent)


def test_support_and_helpers_are_found_in_the_shared_folder(folder: Path, zygote: Zygote) -> None:
    assert graded(folder, zygote).verdict is Verdict.PASSED


def test_a_file_of_the_questions_own_comes_first(folder: Path, zygote: Zygote) -> None:
    (folder / "questions" / ID / "axes.py").write_text("LAST = 0\n", "utf-8")
    assert graded(folder, zygote).verdict is Verdict.FAILED


def test_the_digest_covers_what_is_shared(folder: Path) -> None:
    digests = {load(folder).digest}
    for name in ("support/axes.py", "hidden/softmaxes.py"):
        with (folder / "questions" / "shared" / name).open("a") as stream:
            stream.write("# changed\n")
        digests.add(load(folder).digest)
    assert len(digests) == 3
    for kind in ("support", "hidden"):
        (folder / "questions" / "shared" / kind / "of_another_question.py").write_text("", "utf-8")
    assert load(folder).digest in digests, "what it neither lists nor imports is not its own"


def test_a_support_file_that_is_nowhere_is_told(folder: Path) -> None:
    (folder / "questions" / "shared" / "support" / "axes.py").unlink()
    with pytest.raises(QuestionError, match=r"axes\.py: a file that the question needs is missing"):
        load(folder)


def test_imports_are_there_before_a_worker_is(folder: Path, zygote: Zygote) -> None:
    spec = folder / "questions" / ID / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("minutes: 15", "minutes: 15\nimports: [wave]"), "utf-8")
    sent = folder / "solution.py"
    check = "import sys\nassert 'wave' in sys.modules\n"
    sent.write_text(check + (folder / "solutions" / ID / "reference.py").read_text("utf-8"), "utf-8")
    with Engine(load(folder), zygote, require=Tier.SEPARATE_PROCESS) as engine:
        assert engine.grade(sent).verdict is Verdict.PASSED


def test_an_import_that_is_missing_is_the_questions_fault(folder: Path) -> None:
    spec = folder / "questions" / ID / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("minutes: 15", "minutes: 15\nimports: [not_there]"), "utf-8")
    with (
        pytest.raises(QuestionError, match="No module named 'not_there'"),
        Engine(load(folder), require=Tier.SEPARATE_PROCESS) as engine,
    ):
        engine.grade(folder / "solutions" / ID / "reference.py")


@pytest.fixture(scope="module")
def compiling(small: Question, plain: Zygote) -> Iterator[Engine]:
    """A warm engine whose workers inherit nothing more."""
    with Engine(small, plain, require=Tier.SEPARATE_PROCESS) as engine:
        yield engine


@pytest.mark.parametrize(
    "asking",
    [
        "f = torch.compile(f)",
        "f = torch.compile(f, mode='max-autotune', fullgraph=True)",
        "f = torch.compile(dynamic=True)(f)",
        "f = torch.compiler.disable(recursive=False)(torch.compiler.disable(f))",
        "m = torch.nn.Linear(2, 2)\nassert torch.compile(m) is m\nm.compile()\nm(torch.ones(1, 2))",
    ],
)
def test_code_that_asks_for_a_compiler_runs_as_it_is_written(tmp_path: Path, compiling: Engine, asking: str) -> None:
    sent = tmp_path / "solution.py"
    code = f"import sys, torch\ndef f(x): return x\n{asking}\nassert f(3) == 3 and 'sympy' not in sys.modules\n"
    sent.write_text(code + (compiling.question.reference or ""), "utf-8")
    assert compiling.grade(sent).verdict is Verdict.PASSED
