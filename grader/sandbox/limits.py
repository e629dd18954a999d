"""What a submission may use. One model: the spec fills it, the worker obeys it, the report names it.

A plain dataclass, since the worker's side imports nothing but the standard library, NumPy and torch.
"""

from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20
KIB: Final = 1 << 10


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one submission. Time is counted in CPU seconds, so that a loaded machine changes no mark;
    the wall clock only backs that up, for code that sleeps.

    Attributes:
        call_cpu_seconds: CPU time of one question to the worker; loading the file is one.
        call_wall_seconds: wall time after which such a question is given up.
        submission_cpu_seconds: CPU time of all workers of a submission together.
        submission_wall_seconds: wall time of all checks of a submission together.
        memory_mib: memory beyond what the warm interpreter already holds.
        file_mib: the largest file that a worker may write.
        descriptors: open files.
        output_kib: how much of what is printed is kept; the rest is counted and dropped.
        frame_mib: the largest answer that is read from a worker.
    """

    call_cpu_seconds: float = 4.0
    call_wall_seconds: float = 30.0
    submission_cpu_seconds: float = 60.0
    submission_wall_seconds: float = 240.0
    memory_mib: int = 2048
    file_mib: int = 16
    descriptors: int = 64
    output_kib: int = 64
    frame_mib: int = 128

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above zero")
