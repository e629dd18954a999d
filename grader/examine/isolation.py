"""Probing the isolation: the probe submission in a real worker of this run, and the tier that follows from it."""

from grader.errors import GraderFault
from grader.examine.brief import Brief
from grader.examine.candidate import Candidate
from grader.examine.errors import Lost, Mismatch, Raised
from grader.examine.subject import Subject
from grader.examine.zygote import Zygote
from grader.report import Isolation
from grader.sandbox import tiers
from grader.sandbox.limits import Limits


def probe(zygote: Zygote, limits: Limits | None = None) -> Isolation:
    """The tier that workers of this zygote are in, and each promise of it.

    Raises:
        GraderFault: the zygote did not start, or not even the weakest tier holds.
    """
    zygote.wait()
    brief = Brief("", {}, [], {}, {}, limits or Limits())
    subject = Subject(brief, tiers.PROBE_SOURCE, zygote.control)
    try:
        facts = Candidate(subject).facts()
    except (Lost, Raised, Mismatch) as error:
        raise GraderFault("the probe of the isolation did not finish", found=str(error)) from error
    finally:
        subject.close()
    kept = tiers.probes(facts)
    return Isolation(tier=tiers.active(kept), probes=kept)
