"""What each peer wants around the checks: files in a folder, and a command that is run in it.

Each is used as its own pages describe for a single machine. None of the files mentions what is graded: the solution
is copied into the folder as `solution.py`, or as what the peer calls it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Final

from benchmarks.peers import checks, plain
from benchmarks.peers.checks import CHECKS

# Without the plugins of the environment that is shared.
PLAIN: Final = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist")
DEFINED: Final = ("sinusoidal_pe", "SinusoidalPositions", "count_parameters")
TORCH: Final = "import torch\n\ntorch.set_num_threads(1)\n"


class Failed(RuntimeError):
    """A peer could not be installed or run here; the sentence says why."""


class Peer(ABC):
    """One peer.

    Attributes:
        name: as it is called where it is published.
        packages: what pip installs.
    """

    name: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]

    def __init__(self, binaries: Path) -> None:
        self.binaries = binaries
        self.python = str(binaries / "python")

    def once(self, folder: Path) -> None:
        """Write what all submissions share into a new folder."""
        self._copy(folder)

    @abstractmethod
    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        """Make a new folder ready for one submission."""

    @abstractmethod
    def command(self, shared: Path, folder: Path) -> list[str]:
        """What is run in the folder."""

    @abstractmethod
    def failures(self, folder: Path, said: str) -> set[str]:
        """The checks that did not pass, from what the command left and said."""

    @staticmethod
    def _copy(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(str(checks.__file__), folder / "same_checks.py")
        shutil.copy(str(plain.__file__), folder / "plain.py")


class Pytest(Peer):
    """Plain pytest: a file of tests beside the solution, and a report in JUnit's XML."""

    name = "plain pytest"
    packages = ("pytest",)

    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        shutil.copytree(shared, folder)
        shutil.copy(solution, folder / "solution.py")
        tests = [f"def test_{name}():\n    CHECKS[{name!r}](Plain(solution))\n" for name in CHECKS]
        head = f"{TORCH}import solution\nfrom plain import Plain\nfrom same_checks import CHECKS\n"
        (folder / "test_same.py").write_text("\n\n".join([head, *tests]), "utf-8")

    def command(self, shared: Path, folder: Path) -> list[str]:
        del shared, folder
        return [self.python, "-m", "pytest", *PLAIN, "--junitxml=out.xml", "test_same.py"]

    def failures(self, folder: Path, said: str) -> set[str]:
        del said
        import xml.etree.ElementTree as ET

        cases = ET.parse(folder / "out.xml").getroot().iter("testcase")
        found = {case.attrib["name"].removeprefix("test_"): case.find("failure") is not None for case in cases}
        return CHECKS.keys() - {name for name, failed in found.items() if not failed}


class Gradescope(Pytest):
    """gradescope-utils: unittest with weights, and a report in Gradescope's JSON."""

    name = "gradescope-utils"
    packages = ("gradescope-utils",)

    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        shutil.copytree(shared, folder)
        shutil.copy(solution, folder / "solution.py")
        head = (
            f"{TORCH}import unittest\n\nimport solution\n"
            "from gradescope_utils.autograder_utils.decorators import weight\n"
            "from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner\nfrom plain import Plain\n"
            "from same_checks import CHECKS\n\n\nclass Same(unittest.TestCase):\n"
        )
        tests = [
            f"    @weight(1)\n    def test_{name}(self):\n        '''{name}'''\n"
            f"        CHECKS[{name!r}](Plain(solution))\n"
            for name in CHECKS
        ]
        tail = (
            "\n\nif __name__ == '__main__':\n    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Same)\n"
            "    with open('results.json', 'w') as stream:\n        JSONTestRunner(visibility='visible', "
            "stream=stream).run(suite)\n"
        )
        (folder / "run_tests.py").write_text(head + "\n".join(tests) + tail, "utf-8")

    def command(self, shared: Path, folder: Path) -> list[str]:
        del shared, folder
        return [self.python, "run_tests.py"]

    def failures(self, folder: Path, said: str) -> set[str]:
        del said
        told = json.loads((folder / "results.json").read_text("utf-8"))["tests"]
        return CHECKS.keys() - {each["name"] for each in told if each["score"] == each["max_score"]}


class Otter(Peer):
    """otter-grader: a zip of tests and settings, and `otter run`, its way without containers."""

    name = "otter-grader"
    packages = ("otter-grader", "ipykernel")  # which it starts, and does not ask for

    def once(self, folder: Path) -> None:
        self._copy(folder)
        (folder / "tests").mkdir()
        for name in CHECKS:
            (folder / "tests" / f"{name}.py").write_text(
                "import sys\nimport types\n\nfrom otter.test_files import test_case\n\nOK_FORMAT = False\n"
                f"name = {name!r}\npoints = 1\n\n\n@test_case(points=1)\ndef test(env):\n"
                f"    sys.path.insert(0, {str(folder)!r})\n    from plain import Plain\n"
                "    from same_checks import CHECKS\n\n"
                f"    CHECKS[{name!r}](Plain(types.SimpleNamespace(**env)))\n",
                "utf-8",
            )
        # Helpers can't come along in the zip: a second .py file beside the submission is refused.
        run = [str(self.binaries / "otter"), "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"`otter generate` ended with {done.returncode}: {done.stderr[-300:]}")

    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        del shared
        (folder / "out").mkdir(parents=True)
        shutil.copy(solution, folder / "solution.py")

    def command(self, shared: Path, folder: Path) -> list[str]:
        del folder
        zipped = str(shared / "autograder.zip")
        return [str(self.binaries / "otter"), "run", "--no-logo", "-a", zipped, "-o", "out", "solution.py"]

    def failures(self, folder: Path, said: str) -> set[str]:
        del said
        told = json.loads((folder / "out" / "results.json").read_text("utf-8"))["tests"]
        return CHECKS.keys() - {each["name"] for each in told if each.get("score") == each.get("max_score", -1)}


class Check50(Peer):
    """check50 in development mode: a package of checks, each run in a process of its own."""

    name = "check50"
    packages = ("check50",)

    def once(self, folder: Path) -> None:
        self._copy(folder)
        (folder / ".cs50.yaml").write_text(
            'check50:\n  checks: __init__.py\n  files:\n    - !exclude "*"\n    - !require solution.py\n', "utf-8"
        )
        head = (
            f"{TORCH}import importlib.util\nimport sys\nfrom pathlib import Path\n\nimport check50\n\n"
            "sys.path.insert(0, str(Path(__file__).parent))\n\n"
            "from plain import Plain\nfrom same_checks import CHECKS\n"
            "\n\ndef expect(name):\n    spec = importlib.util.spec_from_file_location('solution', 'solution.py')\n"
            "    solution = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(solution)\n    try:\n"
            "        CHECKS[name](Plain(solution))\n    except Exception as error:\n"
            "        raise check50.Failure(str(error))\n"
        )
        tests = [f"@check50.check()\ndef {name}():\n    '''{name}'''\n    expect({name!r})\n" for name in CHECKS]
        (folder / "__init__.py").write_text("\n\n".join([head, *tests]), "utf-8")

    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        del shared
        folder.mkdir(parents=True)
        shutil.copy(solution, folder / "solution.py")

    def command(self, shared: Path, folder: Path) -> list[str]:
        del folder
        return [str(self.binaries / "check50"), "--dev", "-o", "json", "--output-file", "out.json", "--", str(shared)]

    def failures(self, folder: Path, said: str) -> set[str]:
        del said
        told = json.loads((folder / "out.json").read_text("utf-8"))["results"]
        return CHECKS.keys() - {each["name"] for each in told if each["passed"]}


class PrairieLearn(Peer):
    """pytest-prairielearn-grader: a plugin that runs the solution in a second process, and asks it over a socket."""

    name = "pytest-prairielearn-grader"
    packages = ("pytest-prairielearn-grader", "networkx", "pandas", "plot-serializer")  # it imports the last three

    def prepare(self, shared: Path, folder: Path, solution: Path) -> None:
        shutil.copytree(shared, folder)
        inside = folder / "test_same"
        inside.mkdir()
        shutil.copy(solution, inside / "student_code.py")
        # What is under test may not import `sys` there, so the helpers stand in the same file.
        helpers = [Path(str(module.__file__)).read_text("utf-8") for module in (checks, plain)]
        ask = "def run_check(name):\n    CHECKS[name](Plain(_solution))\n    return True\n"
        own = f"import types\n\n_solution = types.SimpleNamespace({', '.join(f'{name}={name}' for name in DEFINED)})\n"
        (inside / "trailing_code.py").write_text("\n\n".join([own, *helpers, ask]), "utf-8")
        head = (
            "import builtins\n\nimport pytest\nfrom pytest_prairielearn_grader import ConfigObject\n\n"
            "autograder_config = ConfigObject(sandbox_timeout=60.0, builtin_whitelist=dir(builtins))\n"
        )
        tests = [
            f"@pytest.mark.grading_data(name={name!r}, points=1)\ndef test_{name}(module_sandbox):\n"
            f"    assert module_sandbox.query_function('run_check', {name!r}, query_timeout=60.0)\n"
            for name in CHECKS
        ]
        (folder / "test_same.py").write_text("\n\n".join([head, *tests]), "utf-8")

    def command(self, shared: Path, folder: Path) -> list[str]:
        del shared, folder
        return [self.python, "-m", "pytest", *PLAIN, "test_same.py"]

    def failures(self, folder: Path, said: str) -> set[str]:
        del said
        found = next(folder.rglob("autograder_results.json"))
        told = json.loads(found.read_text("utf-8"))["tests"]
        return CHECKS.keys() - {each["name"] for each in told if each["points"] == each["max_points"]}


PEERS: Final[tuple[type[Peer], ...]] = (Pytest, Gradescope, Check50, PrairieLearn, Otter)
