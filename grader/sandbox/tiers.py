"""The names of the isolation tiers, strongest first. Which one is active is never assumed: see isolation.py."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """How much stands between a candidate's code and the machine."""

    SEALED = "sealed"
    CONFINED = "confined"
    EXTERNAL = "external"
    SEPARATE_PROCESS = "separate-process"

    def reaches(self, wanted: Tier) -> bool:
        """Whether this tier is as strong as the wanted one."""
        order = list(Tier)
        return order.index(self) <= order.index(wanted)
