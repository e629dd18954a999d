"""Probing the isolation: the probe submission in a real worker of this run, and the tier that follows from it."""

import os
import tempfile

from grader.errors import GraderFault, TooLittleIsolation
from grader.examine.brief import Brief
from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.subject import Subject
from grader.examine.zygote import Zygote
from grader.report import Isolation
from grader.sandbox import cgroup, promises
from grader.sandbox.limits import Limits
from grader.sandbox.tiers import Tier


def probe(zygote: Zygote, limits: Limits | None = None) -> Isolation:
    """The tier that workers of this zygote are in, and each promise of it.

    Raises:
        GraderFault: the zygote did not start, or not even the weakest tier holds.
    """
    zygote.wait()
    brief = Brief("", "", {}, [], {}, {}, limits or Limits())
    subject = Subject(brief, promises.PROBE_SOURCE, zygote.control)
    with tempfile.NamedTemporaryFile(prefix="canary-") as canary:
        os.chmod(canary.name, 0o666)  # noqa: PTH101 - open to all, so that only the sandbox can be in the way
        try:
            facts = Candidate(subject).facts(canary.name, os.getpid())
        except (Lost, Raised, Mismatch) as error:
            raise GraderFault("the probe of the isolation did not finish", found=str(error)) from error
        finally:
            subject.close()
    kept = promises.probes(facts)
    memory = "cgroup" if cgroup.family() else "per process"
    return Isolation(tier=promises.tier_of(kept), probes=kept, memory=memory)


def require(found: Isolation, wanted: Tier, missing: tuple[str, ...]) -> Isolation:
    """The isolation to report, if it is as strong as wanted.

    `Tier.EXTERNAL` means that the caller vouches for a container or machine around all of this: then what is probed
    inside is reported with its probes, under that name where it is weaker.

    Raises:
        TooLittleIsolation: it is weaker.
    """
    tier = Tier(found.tier)
    if tier.reaches(wanted):
        return found
    if wanted is Tier.EXTERNAL:
        return found.model_copy(update={"tier": Tier.EXTERNAL.value})
    raise TooLittleIsolation(
        "workers are not kept apart well enough to run a stranger's code",
        found=f"{tier} ({'; '.join(missing) or 'no reason known'})",
        expected=f"{wanted} or better",
        next_step="`grader doctor` says what to change; --allow-unsandboxed grades all the same, at your own risk.",
    )
