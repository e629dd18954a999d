"""A submission of our own, graded like any other: it reports what it can reach from inside a worker.

The text of this file is what is sent, so it stands alone. What follows from the facts is decided in tiers.py.
"""

import os
import resource
from typing import Any


def facts() -> dict[str, Any]:
    """What a candidate's code would find here, as plain values."""
    return {
        "pid": os.getpid(),
        "environment": sorted(os.environ),
        "descriptors": [number for number in range(256) if _is_open(number)],
        "folder": sorted(os.listdir(".")),  # noqa: PTH208 - os alone, so that nothing else has to load
        "limits": {
            "memory": resource.getrlimit(resource.RLIMIT_AS)[1] != resource.RLIM_INFINITY,
            "cpu": resource.getrlimit(resource.RLIMIT_CPU)[1] != resource.RLIM_INFINITY,
            "file size": resource.getrlimit(resource.RLIMIT_FSIZE)[1] != resource.RLIM_INFINITY,
            "descriptors": resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 256,
            "core": resource.getrlimit(resource.RLIMIT_CORE)[1] == 0,
        },
    }


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
