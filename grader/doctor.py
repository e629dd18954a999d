"""`grader doctor`: whether this machine can grade, what keeps a candidate's code apart on it, and how to get more."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from grader import environment
from grader.errors import GraderError
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.sandbox import cgroup
from grader.sandbox.promises import PROMISES
from grader.sandbox.tiers import Tier


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found.

    Attributes:
        versions: of what grading rests on.
        tier: the isolation that was probed; "none" if there is not even a worker.
        probes: each promise, and whether it was kept.
        memory: how memory is limited, in words.
        missing: why the tier is not a stronger one.
        advice: what to do about that.
        trouble: why this machine can't grade; empty if it can.
    """

    versions: dict[str, str]
    tier: str
    probes: dict[str, bool]
    memory: str
    missing: tuple[str, ...]
    advice: tuple[str, ...]
    trouble: str

    @property
    def healthy(self) -> bool:
        """Whether strangers' files can be graded here without further ado."""
        return not self.trouble and Tier(self.tier).reaches(Tier.CONFINED)


def examine() -> Findings:
    """Start a worker as for a submission, and probe it."""
    versions = environment.versions()
    if sys.platform != "linux":
        return Findings(versions, "none", {}, "", (), advice(Tier.SEPARATE_PROCESS), "workers need Linux")
    try:
        with Zygote() as zygote:
            found = isolation.probe(zygote)
            missing = zygote.missing
    except GraderError as error:
        return Findings(versions, "none", {}, "", (), (), str(error))
    return Findings(versions, found.tier, found.probes, cgroup.words(), missing, advice(Tier(found.tier)), "")


def advice(tier: Tier) -> tuple[str, ...]:
    """What to do for a stronger tier, from what this system shows of itself."""
    if tier is Tier.SEALED:
        return ()
    if sys.platform == "win32":
        return ("Run the grader inside WSL2, where all tiers work.",)
    if sys.platform != "linux":
        return ("Run the grader in a Linux virtual machine or container.",)
    steps = [line for file, bad, line in SWITCHES if _reads(file) in bad]
    if Path("/.dockerenv").exists():
        steps.append(
            "In Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined lets workers have "
            "namespaces of their own; or grade with --require external, if nothing of yours is in the container."
        )
    if tier is Tier.SEPARATE_PROCESS and _version() < (5, 13):
        steps.append("Use Linux 5.13 or newer, which has Landlock.")
    return tuple(steps) or ("Grade in a virtual machine or container that holds nothing of yours.",)


SWITCHES = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        ("1",),
        "AppArmor keeps user namespaces from this program: give the Python that runs it a profile with `userns,`, "
        "or `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        ("0",),
        "User namespaces are switched off: `sudo sysctl -w kernel.unprivileged_userns_clone=1`.",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        ("0",),
        "User namespaces are switched off: `sudo sysctl -w user.max_user_namespaces=15000`.",
    ),
)


def _reads(file: str) -> str:
    try:
        return Path(file).read_text("ascii").strip()
    except OSError:
        return ""


def _version() -> tuple[int, ...]:
    numbers = platform.release().split("-")[0].split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdigit())


def to_json(findings: Findings) -> str:
    """The findings for programs."""
    return json.dumps({**asdict(findings), "healthy": findings.healthy}, indent=2) + "\n"


def to_text(findings: Findings) -> str:
    """The findings for people."""
    can = "This machine can grade strangers' files."
    if findings.trouble:
        can = f"This machine can't grade: {findings.trouble}"
    elif not findings.healthy:
        can = "This machine can grade, but a candidate's code would reach what you can reach (--allow-unsandboxed)."
    lines = [can, "", *(f"{name:<12} {version}" for name, version in findings.versions.items())]
    lines += ["", f"isolation    {findings.tier}, as probed in a worker just now"]
    for promise in PROMISES:
        if promise.name in findings.probes:
            kept = findings.probes[promise.name]
            lines.append(f"  {'kept' if kept else 'OPEN'}  {promise.name:<19} {promise.kept if kept else promise.open}")
    if findings.memory:
        lines.append(f"memory       {findings.memory}")
    if findings.missing or findings.advice:
        lines += ["", "For a stronger tier", *(f"  {line}" for line in (*findings.missing, *findings.advice))]
    return "\n".join(lines) + "\n"
