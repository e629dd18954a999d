"""What check.py knows of the question: no more than the candidate was given, and how it will be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from grader.rubric.written import Form
from grader.submission.asked import Asked

FOLDER: Final = "packet/"  # in preflight.zip
TASK: Final = f"{FOLDER}task.json"
FILES: Final = f"{FOLDER}files/"  # the files of the packet that a candidate leaves as they came
SKELETON: Final = f"{FOLDER}skeleton.py"
SUITE: Final = f"{FOLDER}suite.py"


@dataclass(frozen=True)
class Task:
    """A question, as check.py sees it.

    Attributes:
        title: the question's title.
        asked: what a submission has to be.
        forms: what each written answer has to be, in the order of the spec.
        public: the names of the files of public tests.
        cpu_seconds: the CPU time that the grader gives the hidden checks of a submission, all together.
        suite_cpu_seconds: the CPU time of one run of the candidate's own tests; 0 where there are none.
        environment: the versions that grade, of Python and of the packages.
    """

    title: str
    asked: Asked
    forms: tuple[Form, ...]
    public: tuple[str, ...]
    cpu_seconds: float
    suite_cpu_seconds: float
    environment: Mapping[str, str]

    def to_json(self) -> str:
        """The text of task.json."""
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: bytes) -> Task:
        """The task that `to_json` wrote."""
        fields: dict[str, Any] = json.loads(text)
        return cls(
            **{
                **fields,
                "asked": Asked.from_fields(fields["asked"]),
                "forms": tuple(Form(**each) for each in fields["forms"]),
                "public": tuple(fields["public"]),
            }
        )
