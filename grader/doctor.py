"""`grader doctor`: whether this machine can grade, and what keeps a candidate's code apart on it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass

from grader import environment
from grader.errors import GraderError
from grader.examine import isolation
from grader.examine.zygote import Zygote
from grader.sandbox import tiers


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found. `trouble` is one sentence, empty on a machine that can grade."""

    versions: dict[str, str]
    tier: str
    probes: dict[str, bool]
    open: tuple[str, ...]
    trouble: str

    @property
    def healthy(self) -> bool:
        """Whether submissions can be graded here."""
        return not self.trouble


def examine() -> Findings:
    """Start a worker as for a submission, and probe it."""
    versions = environment.versions()
    if sys.platform != "linux":
        return Findings(versions, "none", {}, (), "workers are forked and watched in ways that only Linux has")
    try:
        with Zygote() as zygote:
            found = isolation.probe(zygote)
        return Findings(versions, found.tier, found.probes, tiers.OPEN, "")
    except GraderError as error:
        return Findings(versions, "none", {}, (), str(error))


def to_json(findings: Findings) -> str:
    """The findings for programs."""
    return json.dumps({**asdict(findings), "healthy": findings.healthy}, indent=2) + "\n"


def to_text(findings: Findings) -> str:
    """The findings for people."""
    lines = [
        "This machine can grade." if findings.healthy else f"This machine can't grade: {findings.trouble}",
        "",
    ]
    lines += [f"{name:<12} {version}" for name, version in findings.versions.items()]
    lines += ["", f"isolation    {findings.tier}"]
    for name, kept in findings.probes.items():
        lines.append(f"  {'kept  ' if kept else 'BROKEN'} {name:<19} {tiers.PROMISES[name]}")
    if findings.open:
        lines += ["", "In this tier a submission can still reach"]
        lines += [f"  {what}" for what in findings.open]
        lines += ["Grade strangers' files in a container or virtual machine that holds nothing of yours."]
    return "\n".join(lines) + "\n"
