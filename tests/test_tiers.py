"""Isolation is what a probe finds, marks do not depend on it, and too little of it is refused.

The tiers that this machine does not offer are skipped, with what was not shown.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.bank import Bank
from grader.errors import GraderFault, TooLittleIsolation
from grader.examine import isolation
from grader.examine.workers import Usage, Worker
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.report import Isolation, Report
from grader.sandbox import cgroup, kernel, promises, seccomp
from grader.sandbox.confine import Plan
from grader.sandbox.limits import Limits
from grader.sandbox.promises import PROMISES
from grader.sandbox.tiers import Tier
from grader.variants.assigning import Assigner
from grader.worker import keeper

ROOT = Path(__file__).resolve().parents[1]
QUESTION = Bank.find().get("swap-learned-positions")
TIERS = (Tier.SEALED, Tier.CONFINED, Tier.SEPARATE_PROCESS)
SUBMISSIONS = ("reference.py", "wrong/sines-first.py", "wrong/plain-attribute.py", "unusual/index-select.py")
# Root grades in every other test, and who may neither is both of the others at once.
LAUNCHES = (
    pytest.param([], marks=pytest.mark.long),
    ["--user"],
    ["--no-namespaces"],
    pytest.param(["--user", "--no-namespaces"], marks=pytest.mark.long),
)
WARM = ExitStack()


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    """In the end the warm processes are ended."""
    with WARM:
        yield
    for each in (warm, probed, graded):
        each.cache_clear()


@cache
def warm(tier: Tier) -> Zygote:
    """A zygote that tries for a tier."""
    return WARM.enter_context(Zygote(tier))


@cache
def probed(tier: Tier) -> tuple[Isolation, tuple[str, ...]]:
    """What a zygote that tries for a tier gets, and why it is no more."""
    return isolation.probe(warm(tier)), warm(tier).missing


def offered(tier: Tier) -> Isolation:
    """The probed isolation, if this machine offers the tier."""
    found, missing = probed(tier)
    if found.tier != tier:
        pytest.skip(f"{tier} is not offered here: {'; '.join(missing)}")
    return found


@pytest.mark.parametrize("tier", TIERS)
def test_each_tier_keeps_what_it_promises_and_claims_no_more(tier: Tier) -> None:
    found = offered(tier)
    for promise in PROMISES:
        if tier.reaches(promise.tier):
            assert found.probes[promise.name], promise
    assert promises.tier_of(found.probes) is tier


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_a_promise_that_is_broken_costs_the_tier(promise: promises.Promise) -> None:
    kept = {each.name: each is not promise for each in PROMISES}
    if promise.tier is Tier.SEPARATE_PROCESS:
        with pytest.raises(Exception, match=promise.name):
            promises.tier_of(kept)
    else:
        assert not promises.tier_of(kept).reaches(promise.tier)


def marks(report: Report) -> dict[str, Any]:
    """A report without its isolation and timing."""
    return report.model_dump(exclude={"isolation", "timing"})


@cache
def graded(tier: Tier) -> list[dict[str, Any]]:
    """The marks of a few submissions in a tier."""
    with Engine(QUESTION, warm(tier), require=Tier.SEPARATE_PROCESS) as engine:
        return [marks(engine.grade(QUESTION.solutions / path)) for path in SUBMISSIONS]


@pytest.mark.parametrize("tier", TIERS[:2])
def test_marks_are_the_same_in_every_tier(tier: Tier) -> None:
    offered(tier)
    assert graded(tier) == graded(Tier.SEPARATE_PROCESS)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become an ordinary user: that was not shown")
@pytest.mark.parametrize("launch", LAUNCHES, ids=lambda launch: " ".join(launch) or "root")
def test_whoever_grades_gets_the_same_marks(launch: list[str]) -> None:
    path = QUESTION.solutions / "wrong/sines-first.py"
    command = [sys.executable, "-m", "grader", "run", str(path), "-q", QUESTION.id, "--json", "--allow-unsandboxed"]
    start = [sys.executable, str(ROOT / "tests/launch.py"), *launch]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*start, *command], capture_output=True, text=True, cwd="/", env=environment, check=False)
    assert done.returncode == 1, done.stderr
    report = Report.from_fields(json.loads(done.stdout))
    expected = deepcopy(graded(Tier.SEPARATE_PROCESS)[1])
    expected["submission"]["notes"] += Assigner(QUESTION).of(path).notes
    assert marks(report) == expected
    strongest = Tier.CONFINED if "--no-namespaces" in launch else Tier(probed(Tier.SEALED)[0].tier)
    assert report.isolation.tier == strongest


def test_too_little_isolation_is_refused_with_what_to_do() -> None:
    with (
        Engine(QUESTION, warm(Tier.SEPARATE_PROCESS)) as engine,
        pytest.raises(TooLittleIsolation, match="--allow-unsandboxed") as refused,
    ):
        engine.grade(QUESTION.solutions / "reference.py")
    assert refused.value.exit_code == 3


def test_someone_who_vouches_for_a_container_may_grade_in_it() -> None:
    with Engine(QUESTION, warm(Tier.SEPARATE_PROCESS), require=Tier.EXTERNAL) as engine:
        found = engine.warm.isolation()
    assert found.tier == Tier.EXTERNAL
    assert not all(found.probes.values()), "what is open inside is still told"


@pytest.mark.parametrize("step", ["landlock.restrict", "seccomp.install", "kernel.prctl"])
def test_a_worker_that_can_not_be_confined_is_a_fault_of_ours_and_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A step that fails ends the worker before it is sent a byte; no candidate loses a mark for it."""

    def fails(*_: object) -> None:
        raise OSError(1, "refused")

    monkeypatch.setattr(f"grader.sandbox.{step}", fails)
    monkeypatch.setattr("grader.worker.keeper._die_with_parent", lambda: None)
    plan = Plan(namespaces=False, filters=True, owner=None, readable=(), mapped=1 << 40, missing=())
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with control, theirs:
        child = os.fork()
        if child == 0:
            _, (channel, leash, output), _, _ = socket.recv_fds(theirs, 4096, 3)
            keeper.keep(plan, Limits(), channel, leash, output, lambda _: None)
        with pytest.raises(GraderFault, match="not be confined"):
            Worker(control, Limits(), Usage())
        os.waitpid(child, 0)


def test_the_filter_names_every_call_that_it_denies_on_both_machines() -> None:
    for name in seccomp.DENIED:
        intel, arm = kernel.NUMBERS[name]
        assert intel is not None, name
        assert arm is not None or name in GONE, name
    assert all(number is None or number <= kernel.LAST_KNOWN for pair in kernel.NUMBERS.values() for number in pair)


# Calls that aarch64 never had: it has only their successors.
GONE = {
    *("fork", "vfork", "chmod", "chown", "lchown", "utime", "utimes", "futimesat", "link", "symlink", "mknod"),
    *("modify_ldt", "iopl", "ioperm", "uselib", "inotify_init"),
}


@pytest.mark.parametrize("machine", [kernel.X86_64, kernel.AARCH64])
def test_the_filter_is_a_program_that_the_kernel_could_load(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    monkeypatch.setattr(kernel, "MACHINE", machine)
    rules = seccomp.program(42)
    assert len(rules) < 4096
    for place, (code, true, false, _) in enumerate(rules):
        if code not in (seccomp.LOAD, seccomp.RETURN):
            assert place + 1 + max(true, false) < len(rules)
    assert rules[-1][0] == seccomp.RETURN


@pytest.mark.skipif(cgroup.family() is None, reason="no control group can be made here: its ceiling was not shown")
def test_memory_that_escapes_the_address_space_limit_meets_the_group(tmp_path: Path) -> None:
    """A tmpfs file is no address space; the group counts it all the same."""
    hoard = "\nimport os\nfor n in range(4000):\n    open(f'f{n}', 'wb').write(b'x' * (1 << 20))\n"
    reference = QUESTION.reference or ""
    (tmp_path / "solution.py").write_text(reference + hoard)
    with Engine(QUESTION, warm(Tier.SEALED), require=Tier.SEPARATE_PROCESS) as engine:
        report = engine.grade(tmp_path / "solution.py")
        after = engine.grade(QUESTION.solutions / "reference.py")
    assert report.isolation.memory == "cgroup"
    assert report.diagnosis[0].id == "does-not-load"
    assert after.score.earned == 95
