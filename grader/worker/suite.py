"""Running a candidate's own tests with pytest, all in memory: the tests, and the solution that they are run against.

Which solution it is, the question's reference or a mutant of it, is what the tests must find out by calling it. So
nothing else tells: there is no file, no text is kept for `inspect` to find, and names and places are the same for all.

pytest and Hypothesis are imported when tests are run: a zygote of suites has them loaded, the others have no use for
them.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from grader.wire import Value
from grader.worker import load
from grader.worker.describe import raised

if TYPE_CHECKING:
    import pytest

MOST_NAMES: Final = 20
MOST_CHARACTERS: Final = 200
FOLDER: Final = "scratch"  # where tmp_path leads, below the worker's own folder
BLOCKED: Final = (
    *("cacheprovider", "terminal", "junitxml", "pastebin", "faulthandler", "doctest", "warnings"),
    *("threadexception", "unraisableexception"),
)
ARGUMENTS: Final = (
    *("-c", os.devnull, "--rootdir=.", "--noconftest", "--assert=plain", "--capture=sys", f"--basetemp={FOLDER}"),
    *(word for name in BLOCKED for word in ("-p", f"no:{name}")),
)


class Once(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the solution from code that was compiled before, and keeps neither text nor code of it.

    Whoever imports or reloads it again gets the same module, with its names as they were: nothing is run a second time.
    """

    def __init__(self, code: CodeType) -> None:
        self.code: CodeType | None = code
        self.module: ModuleType | None = None
        self.names: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of the solution, unless loading it has failed."""
        del path, target
        if fullname != load.SOLUTION or (self.code is None and self.module is None):
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=f"{load.SOLUTION}.py")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module that there is, or None for a new one."""
        del spec
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Run the solution in its module; after that, give its names back what they stood for."""
        code, self.code = self.code, None
        if code is not None:
            module.__file__ = f"{load.SOLUTION}.py"
            exec(code, module.__dict__)
            self.module, self.names = module, dict(module.__dict__)
        module.__dict__.update(self.names)


class Tally:
    """The plugin that collects the one module and counts what became of its tests.

    Args:
        file: the name of the file of tests.
        text: its text.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.tests = self.passed = self.finished = 0
        self.failed: list[str] = []
        self.broken: dict[str, Value] | None = None

    def pytest_collection(self, session: pytest.Session) -> bool:
        """In place of looking for files."""
        import pytest

        tally = self

        class InMemory(pytest.Module):
            def _getobj(self) -> ModuleType:
                return tally.module()

        module = InMemory.from_parent(session, path=Path(self.file).absolute())
        session.items = list(session.genitems(module))
        session.config.hook.pytest_collection_modifyitems(session=session, config=session.config, items=session.items)
        session.testscollected = self.tests = len(session.items)
        return True

    def module(self) -> ModuleType:
        """The module of tests. It is made once, and stays in `sys.modules`."""
        name = Path(self.file).stem
        if name not in sys.modules:
            importlib.import_module(load.SOLUTION)  # what can't be loaded fails every test of it
            module = sys.modules[name] = ModuleType(name)
            module.__file__ = self.file
            linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(keepends=True), self.file)
            exec(compile(self.text, self.file, "exec", dont_inherit=True), module.__dict__)
        return sys.modules[name]

    def pytest_exception_interact(self, call: pytest.CallInfo[Any], report: Any) -> None:
        """Keep what a file that can't be collected raised."""
        if report.when == "collect" and self.broken is None and call.excinfo is not None:
            self.broken = raised(call.excinfo.value, self.file)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Keep what ended the run, such as `sys.exit()` while the file was loaded."""
        self.broken = self.broken or raised(excinfo.value, self.file)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of one test."""
        name = report.nodeid.partition("::")[2][:MOST_CHARACTERS]
        self.finished += report.when == "teardown"
        if report.failed and name not in self.failed:
            self.failed.append(name)
        elif report.passed and report.when == "call":
            self.passed += 1


def run(sources: dict[str, str], file: str, tests: str) -> Value:
    """Run tests against a solution, and say how they ended.

    Args:
        sources: the texts of the solution, which is taken out of the dict, and of the modules that it may import.
        file: the name of the file of tests.
        tests: its text.

    Returns:
        `tests`, how many there are; `passed`, how many passed; `failed`, the names of those that failed, or whose
        setup did; `broken`, what kept the file from being collected or the run from ending, None for nothing.
    """
    import pytest

    _settle_hypothesis()
    code = compile(sources.pop(load.SOLUTION), f"{load.SOLUTION}.py", "exec", dont_inherit=True)
    load.install(sources)
    sys.meta_path.insert(0, Once(code))
    del code
    tally = Tally(file, tests)
    status = pytest.main([*ARGUMENTS], plugins=[tally])
    ended = status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
    if (not ended or tally.finished < tally.tests) and tally.broken is None:
        tally.broken = {"type": "Interrupted", "message": "the run of the tests was broken off", "line": None}
    failed: list[Value] = [*tally.failed[:MOST_NAMES]]
    return {"tests": tally.tests, "passed": tally.passed, "failed": failed, "broken": tally.broken}


def _settle_hypothesis() -> None:
    """Have properties give the same result in every run: the same examples, no database, no deadline.

    A failure is not made smaller: that it failed is all that is asked for.
    """
    import hypothesis
    from hypothesis import configuration

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    configuration.set_hypothesis_home_dir(os.devnull)
    hypothesis.settings.register_profile(
        "suite",
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        report_multiple_bugs=False,
    )
    hypothesis.settings.load_profile("suite")
