"""Gives its author a name that leads out of the folder of reports: nothing is written under a name that was sent."""

# runner: answers
# naive: touches
# here: passes
from pathlib import Path


def submission(folder, constants):
    Path(folder, "answers.yaml").write_text(f"name: ../{'../' * 12}{constants['BAIT']}/ada\nwhy: x\n")
    Path(folder, "solution.py").write_text(SOURCES["right"])
    return Path(folder)
