"""The warm, clean process that workers are forked from. Run as
`python -m grader.worker.zygote FD TIER [MODULE …]`.

It imports torch and NumPy once, so that a worker costs a fork. It never holds a test, an answer, a candidate's file
or the path of a question: what it knows, every worker knows.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence

import numpy as np
import torch

from grader.sandbox import confine
from grader.sandbox.hugepages import HugePages
from grader.sandbox.limits import Limits
from grader.sandbox.tiers import Tier
from grader.worker import compiler, keeper, load, loop


def main(control: int, strongest: str, *modules: str) -> None:
    """Fork a keeper and its worker for each datagram of limits on `control`, until the other end closes.

    Workers are confined as well as the system allows, up to the tier `strongest`. They inherit `modules`, which are
    imported first: afterwards this process sees no more than a worker may.
    """
    torch.set_num_threads(1)  # before the first operation, or forked children hang
    compiler.leave_out()
    _warm()
    missing = bring_in(modules)
    load.seed()
    load.ours()
    memory = HugePages()
    plan = confine.prepare(Tier(strongest))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers report on the leash, so the kernel may reap them
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the command's to handle; it closes the socket
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=control) as line:
        line.send(json.dumps({"missing": plan.missing, "failed": missing}).encode())
        while True:
            request, descriptors, _, _ = socket.recv_fds(line, 4096, 3)
            if not request:
                return
            if os.fork() == 0:
                line.detach()
                os.close(control)
                channel, leash, output = descriptors
                keeper.keep(plan, Limits(**json.loads(request)), channel, leash, output, loop.serve)
            for descriptor in descriptors:
                os.close(descriptor)
            memory.gather()


def bring_in(modules: Sequence[str]) -> str:
    """Import the modules; what went wrong, or nothing. What they put into the environment is taken out again."""
    environment = dict(os.environ)
    try:
        for name in modules:
            importlib.import_module(name)
    except ImportError as error:
        return str(error)
    finally:
        os.environ.clear()
        os.environ.update(environment)
    return ""


def _warm() -> None:
    """Touch what every submission touches first, so that workers inherit it done."""
    layer = torch.nn.Linear(2, 2)
    layer(torch.from_numpy(np.ones((1, 2), dtype="float32"))).sum().backward()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
