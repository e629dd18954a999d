"""Copied code is found however it is dressed up, what the question gave is not, and no report ever hears of it."""

from __future__ import annotations

import ast
import csv
import itertools
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from grader.bank import Bank
from grader.cli import main
from grader.errors import CallError
from grader.question import Question
from grader.render import similar as render
from grader.results import Results
from grader.similarity.export import export
from grader.similarity.pairs import THRESHOLD, Pair, compare
from grader.similarity.study import NOTE, Study, study
from grader.similarity.tokens import tokens
from grader.similarity.winnowing import K, W, winnow
from tests import marking


def pairs(*arguments: Any, **more: Any) -> list[Pair]:
    """The pairs alone."""
    return compare(*arguments, **more).pairs


KINDS = st.sampled_from(["n", "(", ")", "=", "0", "def"])


@st.composite
def shared_runs(draw: st.DrawFn) -> tuple[list[str], list[str], int, int, int, int, int]:
    """Two rows with a common run of at least w + k - 1 tokens: the rows, where it begins, its length, k and w."""
    k, w = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    run = draw(st.lists(KINDS, min_size=w + k - 1, max_size=w + k + 20))
    before, other = draw(st.lists(KINDS, max_size=30)), draw(st.lists(KINDS, max_size=30))
    after, last = draw(st.lists(KINDS, max_size=30)), draw(st.lists(KINDS, max_size=30))
    return [*before, *run, *after], [*other, *run, *last], len(before), len(other), len(run), k, w


@given(shared_runs())
@example((["n"] * 13, ["n"] * 13, 0, 0, 13, 8, 6))
@example(
    (["0", *["n"] * 13], ["n"] * 13, 1, 0, 13, 8, 6)
)  # equal hashes only: which is taken must not hang on the place
def test_every_common_run_of_w_plus_k_minus_1_tokens_is_found(
    made: tuple[list[str], list[str], int, int, int, int, int],
) -> None:
    a, b, i, j, length, k, w = made
    inside = {(each.hash, each.start - i) for each in winnow(a, k, w) if i <= each.start <= i + length - k}
    assert inside & {(each.hash, each.start - j) for each in winnow(b, k, w) if j <= each.start <= j + length - k}


@given(st.lists(KINDS, max_size=60), st.lists(KINDS, max_size=60), st.integers(1, 8), st.integers(1, 8))
def test_a_fingerprint_in_common_is_a_run_of_k_in_common(a: list[str], b: list[str], k: int, w: int) -> None:
    for one in winnow(a, k, w):
        for other in winnow(b, k, w):
            assert (one.hash == other.hash) == (a[one.start : one.start + k] == b[other.start : other.start + k])


@given(st.lists(KINDS, min_size=30, max_size=300), st.integers(1, 8), st.integers(1, 8))
def test_no_window_is_without_a_fingerprint(row: list[str], k: int, w: int) -> None:
    starts = [each.start for each in winnow(row, k, w)]
    assert starts == sorted(set(starts))
    assert all(later - earlier <= w for earlier, later in itertools.pairwise(starts))
    assert starts[0] < w
    assert starts[-1] + w + k > len(row)


def test_names_literals_comments_docstrings_and_layout_make_no_difference() -> None:
    one = '"""Doc."""\ndef f(a, b=1):\n    """Doc\n    string."""\n    return a + "x"  # a comment\n'
    two = "def g(\n    first,\n    second = 2.5,\n):\n\n\n  return (first\n) + 'yy'\n"
    assert [each.kind for each in tokens(one)] == ["def", *"n(n,n=0):", "return", "n", "+", "s"]
    assert [each.kind for each in tokens(two)] != [each.kind for each in tokens(one)], "a bracket more is a difference"
    same = two.replace("(first\n)", "first").replace("2.5,", "2.5")
    assert [each.kind for each in tokens(same)] == [each.kind for each in tokens(one)]
    assert [each.line for each in tokens(one) if each.kind == "return"] == [5]


@pytest.mark.parametrize("source", ["", "def f(:\n  x = (1,\n", "x = '''", "\tx\n  y\n z", "x = $\n", "\udcff = 1\n"])
def test_what_is_no_python_ends_no_comparison(source: str) -> None:
    assert pairs({"a": source, "b": source, "c": "x = 1\n"}) == []


class Dressed(ast.NodeTransformer):
    """Other names, other numbers, other words, and no docstrings."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = f"my_{node.id}" if node.id not in ("np", "torch", "nn", "float", "sum", "ValueError") else node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = f"my_{node.arg}"
        node.annotation = self.visit(node.annotation) if node.annotation else None
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            node.value = f"other {node.value}"
        elif isinstance(node.value, float):
            node.value += 0.5
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)


def dressed(source: str) -> str:
    """The same code as somebody might dress it up, with its definitions in another order."""
    tree = Dressed().visit(ast.parse(source))
    imports = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    rest = [each for each in tree.body if each not in imports]
    return ast.unparse(ast.fix_missing_locations(ast.Module([*imports, *reversed(rest)], [])))


@pytest.fixture(scope="module")
def swap() -> Question:
    """The first question."""
    return Bank.find(()).get("swap-learned-positions")


def given_by(question: Question) -> list[str]:
    """What everybody gets."""
    return [question.read(question.spec.skeleton), *(path.read_text("utf-8") for path in question.support)]


def solution(question: Question, path: str) -> str:
    """A solution of it."""
    text = question.solution(path)
    assert text
    return text


def test_a_copy_is_found_with_other_names_numbers_and_order(swap: Question) -> None:
    reference = solution(swap, "reference.py")
    copy = dressed(reference)
    assert "my_angular_frequency" in copy
    assert copy.index("count_parameters") < copy.index("def sinusoidal_pe")
    (pair,) = pairs({"a": reference, "b": copy}, given_by(swap))
    assert pair.share > 0.8
    lines = reference.splitlines()
    first, last = pair.regions[0].a
    assert any("np.stack" in line for line in lines[first - 1 : last])
    assert all("import" not in line for line in lines[first - 1 : last])


INDEPENDENT = [
    "rotation-recurrence",
    "pure-python-loops",
    "complex-exponentials",
    "einsum-angles",
    "closure-per-column",
]


def test_solutions_of_their_own_are_not_shown(swap: Question) -> None:
    sources = {name: solution(swap, f"unusual/{name}.py") for name in INDEPENDENT}
    sources["reference"] = solution(swap, "reference.py")
    shown = pairs(sources, given_by(swap))
    assert [pair for pair in shown if "reference" in (pair.a, pair.b)] == []
    among = pairs(sources, given_by(swap), threshold=0, keep_common=True)
    assert max(pair.share for pair in among if "reference" in (pair.a, pair.b)) < THRESHOLD - 0.1


def test_the_skeleton_alone_is_nothing_in_common(swap: Question) -> None:
    skeleton = given_by(swap)[0]
    other = skeleton.replace("raise NotImplementedError", "print(1); raise NotImplementedError")
    assert pairs({"a": skeleton, "b": skeleton, "c": other}, [skeleton], threshold=0) == []
    assert pairs({"a": skeleton, "b": skeleton}, threshold=0), "without it there is"


def test_support_files_are_nothing_in_common() -> None:
    helper = "def helper(x, y):\n    z = [x + y for x in y if x > 2 and y < 3]\n    return {x: z[x] for x in z}\n"
    own = "def mine(x):\n    while x:\n        x = x - 1 if x % 2 else x // 2\n        yield x, x * x, -x\n"
    row = {"a": helper + own, "b": own + helper}
    (pair,) = pairs(row, [helper])
    assert [region.a for region in pair.regions] == [(4, 7)]
    assert [region.b for region in pair.regions] == [(1, 4)]
    assert pairs({"a": helper, "b": helper}, [helper], threshold=0) == []


FORMULAS = [f"def f{n}(x):\n    return " + " + ".join(["x * x"] * n + ["[x]"] * 12) + "\n" for n in (3, 5, 8, 13, 21)]
COMMON = "def common(a, b):\n    for i in range(a):\n        b[i] = a ** i / (b[i] - 1)\n    return b, a, len(b)\n"
UNCOMMON = (
    "class C:\n    def g(self):\n        try:\n            self.x += 1\n        finally:\n            del self.y[0]\n"
)


def test_what_more_than_a_third_have_counts_only_if_that_is_asked_for() -> None:
    sources = {f"s{n}": COMMON + (UNCOMMON if n < 2 else "") for n in range(9)}
    shown = pairs(sources)
    assert [(pair.a, pair.b) for pair in shown] == [("s0", "s1")]
    assert [region.a for region in shown[0].regions] == [(5, 10)]
    assert len(pairs(sources, keep_common=True)) == 36


def test_twenty_copies_are_told_whatever_is_common() -> None:
    copies = {f"s{n:02}": COMMON + UNCOMMON for n in range(20)}
    others = {"own": COMMON + FORMULAS[0], "x": "x = [1, 2, 3, 4, 5, 6, 7]\n", "y": "y = [1, 2, 3, 4, 5, 6, 7]\n"}
    found = compare({**copies, **others})
    assert found.pairs == []
    assert found.same == [sorted(copies)], "a short line is an accident"
    assert 0.7 < found.set_aside < 1
    everything = compare({**copies, **others}, keep_common=True)
    assert everything.set_aside == 0 and everything.same == found.same
    assert len([pair for pair in everything.pairs if pair.share == 1]) >= 190
    assert compare({"a": COMMON, "b": COMMON}, [COMMON]).same == [], "what the question gave is nobody's copy"


def test_below_the_threshold_nothing_is_shown() -> None:
    sources = {"a": COMMON + FORMULAS[0], "b": COMMON + UNCOMMON}
    (pair,) = pairs(sources, threshold=0)
    assert 0 < pair.share < 1
    assert pairs(sources, threshold=pair.share) == [pair]
    assert pairs(sources, threshold=pair.share + 0.01) == []


def test_a_long_copy_is_compared_in_time_that_grows_with_its_length() -> None:
    source = "".join(
        f"def f{n}(x):\n    return {' + '.join(['x', '[x]'][n >> i & 1] for i in range(12))}\n" for n in range(3000)
    )
    (pair,) = pairs({"a": source, "b": source})
    assert pair.share == 1
    assert len(pair.regions) == 1


def results_of(question: Question, folder: Path) -> Results:
    """A results folder of that question: a copy, a work of one's own, and one that is no Python."""
    sent = {
        "ana.py": solution(question, "reference.py"),
        "bo.py": dressed(solution(question, "reference.py")) + "\n# </ol><script>alert(1)</script>\x1b[2J\n",
        "cy.py": solution(question, "unusual/rotation-recurrence.py"),
        "di.py": "def broken(:\n",
    }
    results = marking.make(question, folder, {name: {} for name in sent})
    for each in results.candidates:
        (each.sent / each.name / "solution.py").write_text(sent[each.name], "utf-8")
    return Results.open(folder)


@pytest.fixture(scope="module")
def folder(swap: Question, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Such a folder."""
    folder = tmp_path_factory.mktemp("similar") / "results"
    results_of(swap, folder)
    return folder


@pytest.fixture
def found(swap: Question, folder: Path) -> Study:
    """What is in common there."""
    return study(swap, Results.open(folder), threshold=THRESHOLD, keep_common=False)


def run(*arguments: object) -> Any:
    """Call `grader similar`."""
    return CliRunner().invoke(main, ["similar", *map(str, arguments)])


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_page_shows_pairs_by_code_name_and_says_that_it_is_no_verdict(folder: Path, tmp_path: Path) -> None:
    before = tree(folder)
    result = run(folder, "--out", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    assert NOTE in result.output
    page = (tmp_path / "page.html").read_text("utf-8")
    codes = {each.name: each.code for each in Results.open(folder).candidates}
    for name, code in codes.items():
        assert name not in page
        assert (code in page) == (name in ("ana.py", "bo.py"))
    assert "no verdict and no score" in page
    assert "innocent" in page
    assert page.count('<li class="marked">') > 20
    assert "<script" not in page
    assert "\x1b" not in page
    assert tree(folder) == before, "it enters no report, no line and no page of the results"


def test_lines_in_common_are_marked_on_both_sides(found: Study) -> None:
    (pair,) = found.pairs
    for side in ("a", "b"):
        lines = found.sources[getattr(pair, side)].splitlines()
        marked = [lines[number - 1] for number in render.marks(pair, side)]
        assert any("np.stack" in line for line in marked)
        assert not any("import" in line or "<script>" in line for line in marked)
    assert render.marks(Pair("a", "b", (1, 1), (1, 1)), "a") == {}


def test_json_says_what_is_alike(folder: Path, found: Study) -> None:
    result = run(folder, "--json")
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    assert fields["note"] == NOTE
    assert [(each["a"], each["b"]) for each in fields["pairs"]] == [(pair.a, pair.b) for pair in found.pairs]
    assert len(fields["compared"]) == 3
    assert len(fields["unread"]) == 1
    assert (fields["run"], fields["window"]) == (K, W)
    assert json.loads(run(folder, "--json", "--threshold", 1).stdout)["pairs"] == []


def test_many_copies_are_told_on_the_page_in_the_summary_and_in_json(swap: Question, tmp_path: Path) -> None:
    text = solution(swap, "reference.py")
    results = marking.make(swap, tmp_path / "results", {f"{name}.py": {} for name in "abcdef"})
    for each in results.candidates:
        (each.sent / each.name / "solution.py").write_text(f"# {each.code}\n{text}", "utf-8")
    codes = ", ".join(sorted(each.code for each in results.candidates))
    shown = run(results.folder, "--out", tmp_path / "page.html").output
    page = (tmp_path / "page.html").read_text("utf-8")
    for said in (shown, page):
        said = " ".join(said.split())
        assert f"6 sent the same, but for names, literals, comments and layout: {codes}." in said
        assert "100 % of what they wrote was set aside, since more than a third have it; --keep-common" in said
        assert "share 50 % of what is left or more" in said
    fields = json.loads(run(results.folder, "--json").stdout)
    assert (fields["set_aside"], fields["same"], fields["pairs"]) == (1, [codes.split(", ")], [])


def test_a_page_has_to_be_asked_for(folder: Path, tmp_path: Path) -> None:
    assert run(folder).exit_code == 2
    assert run(tmp_path, "--json").exit_code == 2
    assert run(folder, "--json", "--threshold", 2).exit_code == 2


def test_jplag_gets_a_folder_a_submission_and_the_base_code(found: Study, tmp_path: Path) -> None:
    call = export("jplag", found, tmp_path / "out")
    assert "-l python3" in call
    assert {path.name for path in (tmp_path / "out" / "submissions").iterdir()} == set(found.sources)
    for code, source in found.sources.items():
        assert (tmp_path / "out" / "submissions" / code / "solution.py").read_text("utf-8") == source
    assert {path.name for path in (tmp_path / "out" / "base").iterdir()} == {"skeleton.py", "gpt.py"}


def test_dolos_gets_files_and_a_table_of_them_and_both_in_a_zip(found: Study, tmp_path: Path) -> None:
    export("dolos", found, tmp_path / "out")
    with (tmp_path / "out" / "info.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["full_name"] for row in rows} == set(found.sources)
    with zipfile.ZipFile(tmp_path / "out" / "dolos.zip") as packed:
        assert set(packed.namelist()) == {"info.csv", *(row["filename"] for row in rows)}
    for row in rows:
        assert (tmp_path / "out" / row["filename"]).read_text("utf-8") == found.sources[row["full_name"]]
    assert "raise NotImplementedError" in (tmp_path / "out" / "ignore.py").read_text("utf-8")


@pytest.mark.parametrize("kind", ["jplag", "dolos"])
def test_an_export_names_nobody_and_writes_over_nothing(found: Study, folder: Path, tmp_path: Path, kind: str) -> None:
    assert run(folder, "--export", kind, tmp_path / "out").exit_code == 0
    for path, raw in tree(tmp_path / "out").items():
        assert not any(name in path or name.encode() in raw for name in ("ana.py", "bo.py", "cy.py", "di.py"))
    with pytest.raises(CallError, match="holds something already"):
        export(kind, found, tmp_path / "out")


def test_grading_never_looks_at_it() -> None:
    script = (
        "import sys, grader.batch.command, grader.render.html, grader.render.panel, grader.panel.command\n"
        "sys.exit(any(name.startswith('grader.similarity') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
