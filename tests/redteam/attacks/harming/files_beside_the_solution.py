"""Sends startup files along with the solution, which run when tests are collected beside them: nothing else is taken."""

# runner: pytest
# naive: touches
# here: passes
from pathlib import Path


def submission(folder, constants):
    planted = f"open({constants['BAIT'] + '/ran_outside'!r}, 'w').close()\n"
    for name in ("conftest.py", "sitecustomize.py", "setup.py", "oracle.pyc", "__init__.py"):
        Path(folder, name).write_text(planted)
    Path(folder, "pytest.ini").write_text("[pytest]\naddopts = -p conftest\n")
    Path(folder, "solution.py").write_text(SOURCES["right"])
    return Path(folder)
