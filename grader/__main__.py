"""`python -m grader` is the `grader` command."""

import sys
from pathlib import Path

# `-m` lets the folder that it is run in shadow any module, and that folder may be a candidate's.
if sys.path and Path(sys.path[0]).resolve() == Path.cwd():
    del sys.path[0]

from grader.cli import main

main()
