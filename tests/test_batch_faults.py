"""Whatever happens to a batch, its finished results are those of a run that nobody disturbed.

The faults are real: processes are killed, a disk runs full, attacks are mixed in. `make faults` does the same to many
submissions of a shipped question.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.faults import Batch, Running
from benchmarks.same import differences, results_of
from grader.question import Question
from grader.results import ledger

MODELS = ("reference.py", "wrong/over-the-first-axis.py", "unusual/torch-softmax.py", "wrong/overflows.py")
COUNT = 8
QUICK = ("ending/exit_on_import", "forging/well_formed_frame", "patching/request_loop", "ending/abort")


@pytest.fixture(scope="module")
def models(small: Question) -> list[Path]:
    """Right, wrong and unusual."""
    return [small.solutions / path for path in MODELS]


@pytest.fixture(scope="module")
def options(small: Question) -> list[str]:
    """What `grader batch` is told."""
    return ["-q", small.id, "--questions", str(small.folder.parent), "--allow-unsandboxed", "-j", "2"]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, models: list[Path], options: list[str]) -> Batch:
    """A batch that nobody disturbs."""
    home = tmp_path_factory.mktemp("calm")
    faults.fill(home / "sent", COUNT, models)
    batch = Batch(home / "sent", home / "results", options)
    assert batch.run() == 0, batch.said
    return batch


Same = Callable[[Batch], None]


@pytest.fixture
def batch(calm: Batch, tmp_path: Path) -> Batch:
    """The same batch, into another folder."""
    return Batch(calm.source, tmp_path / "results", calm.options)


@pytest.fixture
def same(calm: Batch) -> Same:
    """Makes sure that a batch has come to the same."""

    def same(batch: Batch) -> None:
        assert differences(results_of(batch.out), results_of(calm.out)) == [], batch.said

    return same


def test_what_differs_is_seen(calm: Batch, tmp_path: Path) -> None:
    """The comparison itself: it would not do if it found nothing."""
    copy = tmp_path / "copy"
    shutil.copytree(calm.out, copy)
    assert differences(results_of(copy), results_of(calm.out)) == []
    lines = (copy / ledger.NAME).read_bytes().splitlines(keepends=True)
    (copy / ledger.NAME).write_bytes(b"".join(lines[1:]))
    report = copy / "reports" / "00001.py" / "report.json"
    report.write_text(report.read_text("utf-8").replace('"failed"', '"crashed"'), "utf-8")
    (copy / "reports" / "00002.py" / ".report.json.0123abcd").write_text("{", "utf-8")
    (copy / "reports" / "00003.py" / "feedback.md").unlink()
    assert [each.split(" differs")[0] for each in differences(results_of(copy), results_of(calm.out))] == [
        "reports/00001.py/report.json",
        "reports/00002.py/.report.json.0123abcd is there, and belongs to nothing",
        "reports/00003.py/feedback.md is missing",
        "results.jsonl",
    ]


def test_a_batch_that_is_killed_comes_to_the_same(batch: Batch, same: Same) -> None:
    """Once with results and with files that it had begun to write, and once at any moment, however early."""
    running = batch.start()
    assert running.until_lines(1)
    running.kill()
    graded = {line["name"] for line in ledger.read(batch.out / ledger.NAME)}
    missing = next(name for name in (f"{number:05}.py" for number in range(COUNT)) if name not in graded)
    for folder in (batch.out / "reports" / missing, batch.out):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".report.json.0123abcd").write_text("{", "utf-8")
    faults.killed(batch, 1, 6.0, random.Random())
    same(batch)


@pytest.mark.parametrize(
    "find",
    [lambda running: running.child(faults.ZYGOTE), lambda running: running.child(faults.EXAMINER), Running.worker],
    ids=["zygote", "examiner", "worker"],
)
def test_a_process_that_is_lost_costs_nobody_anything(
    batch: Batch, same: Same, find: Callable[[Running], int | None]
) -> None:
    """One a batch: a submission that loses two of its processes, one in each attempt, is not graded a third time."""
    assert faults.children_killed(batch, [find], 1) == 1
    assert "Graded 8, kept 0 of 8" in batch.said
    same(batch)


def test_ctrl_c_keeps_what_was_graded_and_two_batches_do_not_write_into_one_folder(
    calm: Batch, tmp_path: Path, models: list[Path]
) -> None:
    """The second one is refused; the first one goes on, until it is interrupted."""
    sent = shutil.copytree(calm.source, tmp_path / "sent")
    (sent / "slow.py").write_text(f"import time\n\ntime.sleep(3)\n{models[0].read_text('utf-8')}", "utf-8")
    whole, batch = (Batch(sent, tmp_path / name, calm.options) for name in ("whole", "results"))
    assert whole.run() == 0, whole.said
    first = batch.start()
    assert first.until_lines(1)
    second = Batch(batch.source, batch.out, batch.options)
    os.kill(first.process.pid, signal.SIGSTOP)
    assert second.run() == 2 and "results are being written there already" in second.said
    os.kill(first.process.pid, signal.SIGINT)  # met as it goes on: nothing more can be graded before
    os.kill(first.process.pid, signal.SIGCONT)
    assert first.wait() == 3
    assert "The batch was stopped: it was interrupted" in batch.said
    assert "Traceback" not in batch.said
    assert batch.run() == 0
    assert differences(results_of(batch.out), results_of(whole.out)) == [], batch.said


def test_a_full_disk_ends_the_batch_and_costs_one_submission(batch: Batch, same: Same) -> None:
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("needs root and a mount namespace, for a small disk")
    size = sum(path.stat().st_size for path in (batch.source.parent / "results").rglob("*") if path.is_file())
    said = faults.starved(batch, size // 1024)
    assert "The batch was stopped: the disk is full" in said
    assert "exit status 3" in said
    assert said.count("No space left on device") <= 2, "one submission, and perhaps the summary"
    same(batch)


def test_a_line_that_does_not_fit_leaves_nothing_of_it(calm: Batch, tmp_path: Path) -> None:
    """The real thing: the system refuses to let the file grow by more than a few bytes."""
    shutil.copy(calm.out / ledger.NAME, tmp_path)
    book = ledger.Ledger(tmp_path)
    before = book.path.read_bytes()
    line = {**book.lines["00000.py"], "name": "another.py"}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            book.add(line)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert book.path.read_bytes() == before and "another.py" not in book.lines
    book.add(line)
    assert ledger.read(book.path) == [*ledger.read(calm.out / ledger.NAME), line] == list(book.lines.values())


def test_attacks_in_a_batch_change_nothing_for_the_others(tmp_path: Path, models: list[Path], small: Question) -> None:
    from tests.redteam.attack import ATTACKS

    attacks = [attack for attack in ATTACKS if attack.name in QUICK]
    options = ["-q", small.id, "--questions", str(small.folder.parent)]
    assert faults.attacked(tmp_path, models, options, 12, attacks, 3) == []
    among = {line["name"]: line for line in ledger.read(tmp_path / "among" / ledger.NAME)}
    assert len(among) == 12 and sum("attack" in name for name in among) == 4
    assert not any(line["verdict"] == "passed" for name, line in among.items() if "attack" in name)


def test_a_node_that_is_lost_costs_nobody_anything_and_a_scheduler_ends_the_batch(
    batch: Batch, same: Same, tmp_path: Path
) -> None:
    """The batch that lost its scheduler is graded to its end here."""
    pytest.importorskip("distributed")
    from benchmarks.nodes import Nodes

    with Nodes(2) as nodes:
        nodes.await_workers(2)
        local = batch.options
        far = [*(each for each in local if each not in ("-j", "2")), "--cluster", str(nodes.scheduler_file)]
        one = Batch(batch.source, tmp_path / "one-node", far)
        running = one.start()
        assert running.until_lines(1)
        nodes.workers[0].kill()
        assert running.wait() == 0, (one.said, nodes.log())
        same(one)
        batch.options = far
        running = batch.start()
        assert running.until_lines(1)
        nodes.scheduler.kill()
        assert running.wait() == 3
    assert "The batch was stopped: the cluster's scheduler can't be reached any more" in batch.said
    assert "Traceback" not in batch.said
    batch.options = local
    assert batch.run() == 0, batch.said
    same(batch)
