"""The batch's end of a cluster: greets the nodes, keeps them busy, and believes no reply before it has read it."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import queue
import secrets
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader import inert
from grader.batch.crew import Crew, Graded, Hire
from grader.batch.entries import Entry
from grader.bench import MOST_TRIES
from grader.cluster import parcel, reply
from grader.cluster.terms import Terms
from grader.errors import CallError, GraderError, GraderFault, TooLittleIsolation
from grader.question import Question
from grader.sandbox.tiers import Tier

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS: Final = 30
RESULT_SECONDS: Final = 60
ALONE_SECONDS: Final = 120.0  # for which a batch waits for a node to come back
TICK: Final = 1.0
AHEAD: Final = 2  # tasks for each thread of the cluster, so that none waits for the next submission
LOGGERS: Final = ("distributed", "distributed.client", "distributed.utils", "distributed.comm")  # each has a level
START: Final = "Start `dask scheduler` and `dask worker`, and pass the scheduler's address, as in tcp://host:8786."


@dataclass(slots=True)
class Task:
    """A submission that is on its way: `nodes` are those that may grade it, all if empty; `tries` how often it went."""

    entry: Entry
    key: str
    parcel: bytes
    nodes: frozenset[str] = frozenset()
    future: Future[bytes] | None = None
    tries: int = 0


class Cluster(Crew):
    """The nodes of a Dask cluster that agree with the batch's terms. A context manager; leaving it lets them go.

    Raises:
        CallError: the cluster can't be reached, or none of its nodes agrees.
        TooLittleIsolation: no node keeps workers apart as required.
    """

    def __init__(
        self, question: Question, seed: int | None, most: int, address: str, folders: tuple[Path, ...], require: Tier
    ) -> None:
        self.question, self.most, self.notes = question, most, []
        self.terms = Terms.of(question, seed, folders, require, secrets.token_hex(32))
        self.nodes: dict[str, int] = {}  # the threads of each node that is used
        self.refused: dict[str, str] = {}  # why others are not
        self.weak = False
        self._arrived: queue.SimpleQueue[tuple[Task, Future[bytes]]] = queue.SimpleQueue()
        self._greeter = ThreadPoolExecutor(1)  # a node takes seconds to start, and the others go on
        self.client = connect(address)
        try:
            self._greeting = self._greeter.submit(self._greet, sorted(self._there()))
            self._greeting.result()
            if not self.nodes:
                raise self._nobody(address)
        except BaseException:
            self.close()
            raise

    def grade(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Graded]]:
        """Keep a few tasks for each thread on their way, and give each reply as it arrives."""
        waiting, running = iter(entries), dict[str, Task]()
        looked = seen = time.monotonic()
        done = False
        while running or not done:
            while len(running) < self._room() and not done:
                if (entry := next(waiting, None)) is None:
                    done = True
                    continue
                try:
                    task = self._send(entry)
                except GraderError as error:
                    yield entry, error
                else:
                    running[task.key] = task
            with suppress(queue.Empty):
                task, future = self._arrived.get(timeout=TICK if running else 0)
                if task.future is future and (outcome := self._outcome(task)) is not None:
                    del running[task.key]
                    yield task.entry, outcome
            if (now := time.monotonic()) - looked > TICK:
                looked = now
                self._look(running)
                seen = now if self.nodes else seen
                if now - seen > ALONE_SECONDS or self.client.status == "closed":
                    for task in running.values():
                        yield task.entry, GraderFault("there is no node left to grade it")
                    return

    def lost(self) -> str:
        """Why nothing more can be graded there; empty if some node is left."""
        if self.client.status != "running":
            return "the cluster's scheduler can't be reached any more"
        self.nodes = {address: threads for address, threads in self._there().items() if address in self.nodes}
        return "" if self.nodes else "no node of the cluster is left"

    def close(self) -> None:
        """Drop what is on its way, and let the nodes end their processes."""
        from grader.cluster import node

        self._greeter.shutdown(wait=False, cancel_futures=True)
        with suppress(OSError, RuntimeError):  # a cluster that is gone has nothing to be let go
            if self.client.status == "running" and self.nodes:
                self.client.run(node.dismiss, workers=list(self.nodes), on_error="ignore")
        with suppress(OSError, RuntimeError):
            self.client.close(timeout=5)

    def _room(self) -> int:
        return min(self.most, AHEAD * max(sum(self.nodes.values()), 1))

    def _send(self, entry: Entry) -> Task:
        packed = parcel.pack(entry.path)
        content = hashlib.sha256(packed).hexdigest()
        of = json.dumps([self.terms.digest, self.terms.seed, self.terms.versions, entry.name, content])
        key = f"grade-{hmac.digest(bytes.fromhex(self.terms.secret), of.encode(), 'sha256').hex()}"
        task = Task(entry, key, packed)
        self._submit(task)
        return task

    def _submit(self, task: Task) -> None:
        from grader.cluster import node

        # Where all nodes agree Dask is free to choose, and those that join later get their share.
        task.nodes = frozenset(self.nodes) if self.refused else frozenset()
        task.tries += 1
        task.future = future = self.client.submit(
            node.grade,
            self.terms.to_bytes(),
            task.key,
            task.parcel,
            key=f"{task.key}-{task.tries}",
            workers=list(task.nodes) or None,
            pure=False,
        )
        future.add_done_callback(lambda _: self._arrived.put((task, future)))

    def _outcome(self, task: Task) -> Graded | None:
        """What became of a task that has ended; None if it was sent again."""
        assert task.future is not None
        status = task.future.status
        try:
            if status != "finished":
                why = task.future.exception(timeout=RESULT_SECONDS) if status == "error" else None
                raise GraderFault("a node was lost, or failed", found=inert.short(repr(why), 300) if why else None)
            answer = task.future.result(timeout=RESULT_SECONDS)
            outcome = reply.opened(answer, self.terms, task.key, self.question, name_of(task.entry))
        except GraderFault as fault:
            if status == "finished":
                self.notes.append(str(fault).removesuffix("."))
            outcome = fault
        except Exception as error:  # noqa: BLE001 - whatever a lost connection or a strange reply raises in Dask
            outcome = GraderFault("a node was lost, or failed", found=inert.short(repr(error), 300))
        if isinstance(outcome, GraderFault) and task.tries < MOST_TRIES and self.client.status == "running":
            self._submit(task)
            return None
        if isinstance(outcome, GraderError) and outcome.where:
            outcome.where = inert.line(str(task.entry.path.parent / outcome.where))
        return outcome

    def _there(self) -> dict[str, int]:
        """The threads of each node that there is, by its address; none where the scheduler can't be reached."""
        try:
            return dict(self.client.nthreads())
        except (OSError, RuntimeError):
            return {}

    def _look(self, running: dict[str, Task]) -> None:
        """Greet nodes that are new, forget those that are gone, and send again what only those might have graded."""
        there = self._there()
        self.nodes = {address: threads for address, threads in there.items() if address in self.nodes}
        if self._greeting.done() and (new := there.keys() - self.nodes.keys() - self.refused.keys()):
            self._greeting = self._greeter.submit(self._greet, sorted(new))
        for task in running.values():
            if task.nodes and self.nodes and not task.nodes & self.nodes.keys():
                if task.future is not None:
                    task.future.cancel()
                self._submit(task)

    def _greet(self, addresses: list[str]) -> None:
        """Ask nodes whether they can grade this, and have them make ready."""
        from grader.cluster import node

        there = self._there()
        told = self.client.run(node.greet, self.terms.to_bytes(), workers=addresses, on_error="return")
        for address, answer in told.items():
            if not isinstance(answer, bytes):
                self._refuse(address, f"it has no grader like this one ({inert.short(repr(answer), 200)})")
                continue
            said = json.loads(answer)
            if "refused" in said:
                self._refuse(f"{address}", said["refused"], weak=said["weak"])
            else:
                self.nodes[address] = there.get(address, 1)

    def _refuse(self, address: str, why: str, *, weak: bool = False) -> None:
        self.refused[address] = why
        self.weak |= weak
        self.notes.append(f"the node {address} is not used: {inert.short(why, 400)}")

    def _nobody(self, address: str) -> GraderError:
        if not self.refused:
            return CallError("this cluster has no nodes", where=address, next_step="Start `dask worker` for it.")
        kind = TooLittleIsolation if self.weak else CallError
        return kind("no node of this cluster can be used", where=address, found="; ".join(self.notes))


def name_of(entry: Entry) -> str:
    """What the report of an entry calls it."""
    return inert.short(entry.path.name or entry.path.resolve().name, 200)


def connect(address: str) -> Client:
    """A client of the cluster: of its scheduler, or of the scheduler that a file tells of.

    Raises:
        CallError: Dask is not installed, or the scheduler can't be reached.
    """
    if find_spec("distributed") is None:
        raise CallError(
            "a cluster needs an extra that is not installed",
            next_step="Install it: pip install 'takehome-grader[cluster]'.",
        )
    from distributed import Client

    for name in LOGGERS:  # what matters of it is told in our words
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    where: dict[str, Any] = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        client = Client(**where, timeout=CONNECT_SECONDS, set_as_default=False, name="grader")
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        raise CallError("the cluster can't be reached, or has no nodes", where=address, next_step=START) from None
    except (OSError, ValueError, RuntimeError) as error:
        found = inert.short(str(error), 200)
        raise CallError("the cluster can't be reached", where=address, found=found, next_step=START) from None
    return client


def remote(address: str, folders: tuple[Path, ...], *, require: Tier) -> Hire:
    """Has a crew on a cluster.

    Args:
        address: the scheduler's address, or the path of its scheduler file.
        folders: where nodes look for questions besides the shipped ones, on a disk that they share.
        require: the weakest isolation to work in, on every node.
    """
    return partial(Cluster, address=address, folders=folders, require=require)
