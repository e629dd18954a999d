"""`python -m benchmarks.faults`: a batch is killed, interrupted, attacked and starved, and its results are compared.

Each fault is done to a real `grader batch`, in a folder of its own; then the same command is run again until it ends by
itself. The results have to equal those of a run that nobody disturbed, but for times and code names. The tests do the
same with a few submissions.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.demo import QUESTION, ROOT, SOLUTIONS
from benchmarks.peers.measuring import below
from benchmarks.same import differences, results_of
from grader.render.results import PAGE
from grader.results import ledger

if TYPE_CHECKING:
    from tests.redteam.attack import Attack
    from tests.redteam.bait import Bait

END_SECONDS: Final = 30.0
ZYGOTE: Final = b"grader.worker.zygote"
EXAMINER: Final = b"grader.examine"


@dataclass
class Batch:
    """A batch that can be run again and again.

    Attributes:
        source: the submissions.
        out: the results.
        options: what the command is told besides, the question above all.
        said: what the last run printed, on either stream.
    """

    source: Path
    out: Path
    options: list[str]
    said: str = ""

    def command(self) -> list[str]:
        """The command."""
        return [sys.executable, "-m", "grader", "batch", str(self.source), "-o", str(self.out), *self.options]

    def start(self) -> Running:
        """Begin, and return at once."""
        log = Path(tempfile.mkstemp(prefix="batch-", suffix=".log")[1])
        with log.open("wb") as stream:
            process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                start_new_session=True,
                preexec_fn=let_interrupt,
            )
        return Running(self, process, log)

    def run(self) -> int:
        """Run it to its end, and return its exit status."""
        return self.start().wait()

    @property
    def lines(self) -> int:
        """How many lines its ledger has."""
        path = self.out / ledger.NAME
        return path.read_bytes().count(b"\n") if path.is_file() else 0


def let_interrupt() -> None:
    """Have Ctrl-C work even where the shell that started this process in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Running:
    """A run of a batch."""

    batch: Batch
    process: subprocess.Popen[bytes]
    log: Path

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        status = self.process.wait()
        self.batch.said = self.log.read_text("utf-8", "replace")
        self.log.unlink()
        return status

    def until_lines(self, count: int) -> bool:
        """Wait for so many lines; False if it ended before."""
        while self.process.poll() is None:
            if self.batch.lines >= count:
                return True
            time.sleep(0.002)
        return False

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal, and wait until it is gone with everything below it."""
        family = [(pid, _began(pid)) for pid in below(self.process.pid)]
        self.process.send_signal(number)
        self.wait()
        end = time.monotonic() + END_SECONDS
        while left := [pid for pid, began in family if began and _began(pid) == began]:
            if time.monotonic() > end:
                raise RuntimeError(f"processes outlived the batch: {left}")
            time.sleep(0.02)

    def child(self, sign: bytes) -> int | None:
        """A process below it whose command line holds `sign`."""
        return next((pid for pid in below(self.process.pid)[1:] if sign in _command(pid)), None)

    def worker(self) -> int | None:
        """A process of a worker that is there now: the worker itself, or one that keeps it."""
        zygote = self.child(ZYGOTE)
        return random.choice(forks) if zygote and (forks := below(zygote)[1:]) else None


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _began(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty if it has ended."""
    with suppress(OSError):
        state, *rest = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return "" if state == "Z" else rest[18]
    return ""


def killed(batch: Batch, times: int, seconds: float, rng: random.Random) -> int:
    """SIGKILL of the batch at random moments, each within so many seconds of its start. How many it survived."""
    survived = 0
    for _ in range(times):
        running = batch.start()
        with suppress(subprocess.TimeoutExpired):
            running.process.wait(rng.uniform(0, seconds))
        survived += running.process.poll() is not None
        running.kill()
    batch.run()
    return survived


def children_killed(batch: Batch, finds: Sequence[Callable[[Running], int | None]], after: int) -> int:
    """SIGKILL of processes below the batch in turn, one a line from so many on; it has to end by itself. How many died.

    Args:
        batch: what is disturbed.
        finds: each gives the process that is killed next, or None as long as there is none.
        after: lines before the first is killed.
    """
    running, done = batch.start(), 0
    for number, find in enumerate(finds):
        if not running.until_lines(after + number):
            break
        end = time.monotonic() + END_SECONDS
        while running.process.poll() is None and time.monotonic() < end:
            if pid := find(running):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    done += 1
                break
    running.wait()
    return done


def interrupted(batch: Batch, running: Running, after: int) -> int:
    """Ctrl-C in a run after so many lines; its exit status. Then the rest is graded."""
    running.until_lines(after)
    running.process.send_signal(signal.SIGINT)
    status = running.wait()
    said = batch.said
    batch.run()
    batch.said = said
    return status


def starved(batch: Batch, room: int) -> str:
    """A disk of so many KiB that runs full, then has room: what the first run said. Needs root, for a tmpfs.

    The disk is in a mount namespace of its own, and the results are copied out of it.
    """
    out, batch.out = batch.out, batch.out.parent / "disk" / "results"
    disk = batch.out.parent
    disk.mkdir()
    command = " ".join(f"'{part}'" for part in batch.command())
    script = f"""
        set -e
        mount -t tmpfs -o size={room}k none '{disk}'
        {command} || echo "exit status $?"
        echo "======"
        mount -o remount,size=1g '{disk}'
        {command}
        cp -a '{disk}/results' '{out}'
    """
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    batch.out = out
    batch.said = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"the second run did not end well: {batch.said[-600:]}")
    return done.stdout.partition("======")[0]


def fill(folder: Path, count: int, models: list[Path], *, alike: bool = False) -> None:
    """Write so many submissions into a new folder, each model in turn; unless `alike`, no two have the same text."""
    folder.mkdir(parents=True)
    for number, model in zip(range(count), itertools.cycle(models), strict=False):
        end = "" if alike else f"\n# The submission {number} of {count}.\n"
        (folder / f"{number:05}{model.suffix}").write_text(model.read_text("utf-8") + end, "utf-8")


def mix_in(folder: Path, attacks: list[Attack], bait: Bait, every: int) -> list[str]:
    """Put an attack in the place of each so-manieth submission of a folder; their names."""
    named = []
    for place, attack in zip(sorted(folder.iterdir())[every - 1 :: every], itertools.cycle(attacks), strict=False):
        with tempfile.TemporaryDirectory() as workshop:
            sent = attack.submit(Path(workshop), bait.constants())
            place.unlink()
            named.append(f"{place.stem}-attack{sent.suffix}")
            shutil.move(sent, folder / named[-1])
    return named


def without(folder: Path, named: list[str]) -> dict[str, object]:
    """The results of a batch, as if it had been without those."""
    found = {key: value for key, value in results_of(folder).items() if not set(Path(key).parts) & set(named)}
    found[ledger.NAME] = [line for line in ledger.read(folder / ledger.NAME) if line["name"] not in named]
    return {name: value for name, value in found.items() if name != PAGE}


def compared(name: str, batch: Batch, whole: dict[str, object]) -> Iterator[str]:
    """What differs from the undisturbed run, in sentences."""
    for each in differences(results_of(batch.out), whole):
        yield f"{name}: {each}"


def models() -> list[Path]:
    """The reference, wrong and unusual solutions of the swap question."""
    return [SOLUTIONS / "reference.py", *sorted(SOLUTIONS.glob("unusual/*.py")), *sorted(SOLUTIONS.glob("wrong/*.py"))]


def main() -> int:
    """Do everything to it, in full size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--submissions", type=int, default=100, help="in a batch that is disturbed (default 100)")
    parser.add_argument("--kills", type=int, default=20, help="SIGKILLs of the batch, and of workers (default 20)")
    parser.add_argument("--attacked", type=int, default=500, help="in a batch with attacks (default 500)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the random moments")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    random.seed(given.seed)
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        troubles = disturb(Path(name), given.submissions, given.kills, random.Random(given.seed))
        from tests.redteam.attack import ATTACKS

        attacks = random.sample(ATTACKS, len(ATTACKS))
        found = attacked(Path(name), models(), ["-q", QUESTION, "--require", "sealed"], given.attacked, attacks, 10)
        print(f"{given.attacked // 10} attacks among {given.attacked}: {found[0] if found else 'equal'}", flush=True)
        troubles += [f"among attacks: {each}" for each in found]
    print("\n".join(troubles) or "All results equal those of an undisturbed run.")
    return bool(troubles)


def disturb(home: Path, count: int, kills: int, rng: random.Random) -> list[str]:
    """Every fault in turn; what differs then."""
    options = ["-q", QUESTION, "--require", "sealed"]
    fill(home / "sent", count, models())

    def batch(name: str, *more: str) -> Batch:
        return Batch(home / "sent", home / name, [*options, *more])

    calm = batch("calm")
    started = time.monotonic()
    calm.run()
    seconds = time.monotonic() - started
    whole = results_of(calm.out)
    print(f"undisturbed: {count} submissions, {seconds:.0f} s", flush=True)
    troubles: list[str] = []

    def look(name: str, disturbed: Batch, note: object) -> None:
        found = list(compared(name, disturbed, whole))
        troubles.extend(found)
        print(f"{name} ({note}): {'equal' if not found else found[0]}", flush=True)

    one = batch("batch")
    look("SIGKILL of the batch", one, f"{kills} times, {killed(one, kills, 2 * seconds / kills + 4, rng)} too late")
    for name, find, times in (
        ("zygote", lambda running: running.child(ZYGOTE), 2),
        ("examiner", lambda running: running.child(EXAMINER), 2),
        ("worker", Running.worker, kills),
    ):
        one = batch(name)
        look(f"SIGKILL of a {name}", one, f"{children_killed(one, [find] * times, count // 10)} times")
    one = batch("interrupted")
    look("Ctrl-C", one, f"exit status {interrupted(one, one.start(), count // 3)}")
    one = batch("starved")
    look("full disk", one, starved(one, 40 * count).strip().splitlines()[-1])
    from benchmarks.nodes import Nodes

    with Nodes(2) as nodes:
        nodes.await_workers(2)
        one = batch("cluster", "--cluster", str(nodes.scheduler_file))
        running = one.start()
        running.until_lines(count // 4)
        nodes.workers[0].kill()
        look("SIGKILL of one of two Dask workers", one, f"exit status {running.wait()}")
    return troubles


def attacked(
    home: Path, models: list[Path], options: list[str], count: int, attacks: list[Attack], every: int
) -> list[str]:
    """Attacks mixed into a batch: what the honest ones get otherwise than without them."""
    from tests.redteam.bait import Bait

    fill(home / "mixed", count, models)
    with Bait() as bait:
        named = mix_in(home / "mixed", attacks, bait, every)
        shutil.copytree(home / "mixed", home / "honest", ignore=lambda _, names: set(names) & set(named))
        alone, among = Batch(home / "honest", home / "alone", options), Batch(home / "mixed", home / "among", options)
        alone.run()
        among.run()
    return list(differences(without(among.out, named), without(alone.out, [])))


if __name__ == "__main__":
    sys.exit(main())
