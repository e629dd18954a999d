"""Sends answers whose aliases multiply to a billion: they are counted before they are followed."""

# runner: answers
# naive: hangs
# here: passes
from pathlib import Path


def submission(folder, constants):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    Path(folder, "answers.yaml").write_text("\n".join([*lines, "why: *a8"]) + "\n")
    Path(folder, "solution.py").write_text(SOURCES["right"])
    return Path(folder)
