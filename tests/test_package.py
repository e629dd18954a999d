"""The wheel: installed anywhere, without the checkout, it grades with the questions that it carries."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest

from grader.bank import Bank
from grader.question import files_of

ROOT: Final = Path(__file__).resolve().parent.parent
ID: Final = "swap-learned-positions"
PARTS: Final = ("questions", "solutions", "candidate_template")

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("build") is None or not (ROOT / "pyproject.toml").exists(),
    reason="building a wheel needs the package `build` and a checkout",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("wheel")
    isolation = [] if importlib.util.find_spec("hatchling") is None else ["--no-isolation"]
    built = subprocess.run(
        [sys.executable, "-P", "-m", "build", "--wheel", *isolation, "--outdir", str(out), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = out.iterdir()
    return path


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the wheel was installed into; what it depends on is that of these tests."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)],
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        check=True,
    )
    return folder


def installed(site: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The installed command, in a folder that holds nothing of the checkout."""
    return subprocess.run(
        [str(site / "bin" / "grader"), *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_wheel_carries_every_file_of_the_bank_and_no_cache(wheel: Path) -> None:
    carried = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"grader/shipped/{path.relative_to(ROOT).as_posix()}" for part in PARTS for path in files_of(ROOT / part)
    }
    assert expected <= carried
    assert {name for name in carried if name.startswith("grader/shipped/")} == expected
    assert not [name for name in carried if "__pycache__" in name or name.endswith(".pyc")]


def test_the_wheel_carries_what_the_reports_are_made_from(wheel: Path) -> None:
    carried = set(zipfile.ZipFile(wheel).namelist())
    package = {path.relative_to(ROOT).as_posix() for path in files_of(ROOT / "grader")}
    assert package <= carried


def test_the_wheel_holds_nothing_but_the_package(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"grader"}


def test_an_installed_grader_lists_its_questions_with_the_same_digests(site: Path, tmp_path: Path) -> None:
    result = installed(site, "list", "--json", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    digests = {row["id"]: row["digest"] for row in json.loads(result.stdout)}
    assert digests == {question.id: question.digest for question in Bank.find(start=ROOT).all()}


def test_an_installed_grader_finds_its_questions_inside_itself(site: Path, tmp_path: Path) -> None:
    result = installed(site, "show", ID, cwd=tmp_path)
    assert result.returncode == 0
    assert str(site / "grader" / "shipped" / "questions" / ID) in result.stdout
    assert str(ROOT) not in result.stdout


def test_an_installed_grader_grades(site: Path, tmp_path: Path) -> None:
    reference = site / "grader" / "shipped" / "solutions" / ID / "reference.py"
    path = tmp_path / "mine.py"
    path.write_text(reference.read_text("utf-8"), "utf-8")
    result = installed(site, "run", "mine.py", "--question", ID, "--json", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert report["verdict"] == "passed"
    assert {each["outcome"] for each in report["criteria"] if each["id"] != "parameter_delta"} == {"passed"}
