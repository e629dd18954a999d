"""One writer of results at a time: a batch, an upload, a regrade that is applied, a purge. Marks have their own lock.

The lock is on the folder itself and leaves no file. It ends with the process that holds it, however that ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader import inert
from grader.errors import CallError


@contextmanager
def held(folder: Path, waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Be the one who writes results into the folder; wait until another is done.

    Args:
        folder: the folder of results, which has to be there.
        waiting: called once if there is another.

    Raises:
        CallError: there is no such folder, or it can't be locked.
    """
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _refused(folder, error) from None
    try:
        try:
            _take(opened, waiting)
        except OSError as error:
            raise _refused(folder, error) from None
        yield
    finally:
        os.close(opened)


def _take(opened: int, waiting: Callable[[], object]) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(opened, fcntl.LOCK_EX)


def _refused(folder: Path, error: OSError) -> CallError:
    return CallError("this folder of results can't be locked", where=inert.line(str(folder)), found=error.strerror)
