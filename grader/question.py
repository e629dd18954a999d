"""A question: its spec as models, its files, and the digest of all of them.

questions/<id>/question.yaml is read into `Spec`; `Question` adds the folder, and the solutions that prove it.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from grader import specfile
from grader.errors import QuestionError
from grader.examine.brief import Brief, Definition
from grader.parts import Id, Part, Words, known, once
from grader.rubric.spec import Answer
from grader.sandbox.limits import Limits
from grader.specfile import Misfit
from grader.submission.asked import Asked, Wanted, fingerprint
from grader.variants.formula import Value
from grader.variants.spec import Variants

SPEC_NAME: Final = "question.yaml"

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=100)]
RelativePath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")]


class Defines(Part):
    """Something that a submission has to define."""

    name: str = Field(pattern=r"^[A-Za-z_]\w*$", description="The name at the top level of solution.py.")
    kind: Literal["function", "class"]
    signature: str = Field(description='The parameters, as in "(max_len, d_model, base)".')
    methods: dict[str, str] = Field(default={}, description="For a class: each method's parameters without self.")
    gives: Words = Field(description="What it returns or is, in one phrase.")

    @field_validator("signature")
    @classmethod
    def _signature(cls, signature: str) -> str:
        return parameters(signature)

    @field_validator("methods")
    @classmethod
    def _methods(cls, methods: dict[str, str]) -> dict[str, str]:
        return {name: parameters(signature, name) for name, signature in methods.items()}


def parameters(signature: str, *location: str) -> str:
    """The signature, if Python can read it as one."""
    try:
        match ast.parse(f"def f{signature}: ...").body:
            case [ast.FunctionDef(body=[ast.Expr()])]:
                return signature
    except SyntaxError:
        pass
    raise Misfit('a signature looks like "(max_len, d_model, base)"', *location)


class Criterion(Part):
    """One named, pointed thing that the question checks."""

    id: Id
    title: Words
    points: float = Field(ge=0, le=1000, allow_inf_nan=False)
    required: bool = Field(default=False, description="Whether the run can pass without it.")
    rests_on: list[Id] = Field(default=[], description="Criteria without which this one is not reached.")
    tags: list[str] = Field(default=[])
    tell: Words = Field(description="The sentence that a candidate may be told when it is not passed.")


class Misconception(Part):
    """A named mistake, with the wrong solution that shows it."""

    id: Id
    title: Words
    heard: Words = Field(description="What people say who make it.")
    why: Words = Field(description="Why it is wrong.")
    solution: RelativePath = Field(description="Its wrong solution: a .py file, or a .yaml file of answers.")
    also: list[RelativePath] = Field(default=[], description="Other ways to write the same mistake.")
    fails: list[Id] = Field(min_length=1, description="The criteria that it fails; it passes all others.")


class Equivalent(Part):
    """A mutant of the reference that no check can kill, since it does the same."""

    mutant: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="As `grader validate` names it.")
    reason: Words = Field(description="Why it does the same.")


class SuiteMutant(Part):
    """The reference with one mistake in it, which the candidate's own tests should notice."""

    id: Id
    pitfall: Words = Field(description="The mistake, in words that a candidate may read.")
    required: bool = Field(default=True, description="Whether the tests have to notice it, whatever they score.")
    solution: RelativePath = Field(description="Its file under solutions/<id>/.")


class Suite(Part):
    """The candidate's own tests, graded by which mutants of the reference they notice."""

    file: str = Field(default="test_solution.py", pattern=r"^test_\w+\.py$", description="The file beside solution.py.")
    criterion: Id = Field(description="The criterion that the tests decide.")
    threshold: float = Field(gt=0, le=1, description="The share of mutants that have to be noticed.")
    run_cpu_seconds: float = Field(default=10.0, gt=0, description="CPU time of one run of all the tests.")
    mutants: list[SuiteMutant] = Field(min_length=1)


class Spec(Part):
    """The whole of question.yaml."""

    id: Id
    version: int = Field(ge=1)
    title: Words
    level: Words
    minutes: int = Field(ge=1, le=60 * 24 * 14)
    draft: bool = Field(
        default=False, description="Not proven yet: it is listed as a draft, and no packet is made of it."
    )
    roles: list[Words] = Field(default=[])
    prompt: FileName = "prompt.md"
    skeleton: FileName = "skeleton.py"
    support: list[FileName] = Field(default=[], description="Files of the packet that a submission may import.")
    imports: list[Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")]] = Field(
        default=[],
        description="Slow modules that every submission needs, which the warm interpreter imports before it is forked.",
    )
    parameters: dict[str, int | float | str | bool] = Field(
        default={}, description="Numbers that tests and prompt share."
    )
    variants: Variants | SkipJsonSchema[None] = Field(
        default=None, description="The choices that parameters have, and what in the files follows them."
    )
    variant: dict[str, Value] = Field(
        default={}, description="In the copy that the grader makes for a variant: what was chosen. Not for authors."
    )
    defines: list[Defines] = Field(min_length=1)
    limits: Limits = Limits()
    criteria: list[Criterion] = Field(min_length=1)
    answers: list[Answer] = Field(default=[])
    misconceptions: list[Misconception] = Field(default=[])
    suite: Suite | SkipJsonSchema[None] = Field(
        default=None, description="The candidate's own tests, where the question asks for some."
    )
    equivalent: list[Equivalent] = Field(default=[], description="Mutants of the reference that do the same.")

    @model_validator(mode="after")
    def _ids_resolve(self) -> Self:
        criteria = [criterion.id for criterion in self.criteria]
        for what, key, name, ids in (
            ("criterion", "criteria", "id", criteria),
            ("answer", "answers", "id", [answer.id for answer in self.answers]),
            ("misconception", "misconceptions", "id", [misconception.id for misconception in self.misconceptions]),
            ("definition", "defines", "name", [each.name for each in self.defines]),
            ("mutant", "suite.mutants", "id", [each.id for each in self.suite.mutants] if self.suite else []),
        ):
            once(ids, what, *key.split("."), name=name)
        for place, criterion in enumerate(self.criteria):
            known(criterion.rests_on, criteria[:place], "a criterion above it", "criteria", place, "rests_on")
        for place, misconception in enumerate(self.misconceptions):
            known(misconception.fails, criteria, "a criterion", "misconceptions", place, "fails")
        for place, answer in enumerate(self.answers):
            if answer.kind != "text":
                known([answer.criterion], criteria, "a criterion", "answers", place, "criterion")
        if self.suite:
            known([self.suite.criterion], criteria, "a criterion", "suite", "criterion")
        if self.variants and self.variant:
            raise Misfit("a variant has no variants of its own", "variant")
        for name, value in (self.variants.default if self.variants else {}).items():
            if (is_now := self.parameters.get(name, value)) != value:
                raise Misfit(
                    f"its first choice is {value!r}, and among `parameters` it is {is_now!r}",
                    "variants",
                    "choices",
                    name,
                )
        return self

    @property
    def checked(self) -> list[Criterion]:
        """The criteria that hidden tests decide; answers and the candidate's own tests decide the others."""
        others = {answer.criterion for answer in self.answers if answer.kind != "text"}
        if self.suite:
            others.add(self.suite.criterion)
        return [criterion for criterion in self.criteria if criterion.id not in others]


@dataclass(frozen=True)
class Question:
    """A question on disk.

    Attributes:
        spec: what question.yaml says.
        folder: questions/<id>.
        solutions: solutions/<id>; it need not exist, and then no mistake is named.
    """

    spec: Spec
    folder: Path
    solutions: Path

    @classmethod
    def load(cls, folder: Path, solutions: Path) -> Question:
        """Read a question's folder.

        Raises:
            QuestionError: the spec is wrong, is for another id than the folder, or names a file that is not there.
        """
        path = folder / SPEC_NAME
        spec = specfile.load(path, Spec)
        if spec.id != folder.name:
            raise QuestionError(
                "the id differs from the folder's name",
                where="{}:{}:{}".format(path, *specfile.position(specfile.read_yaml(path), ["id"])),
                found=spec.id,
                expected=folder.name,
            )
        question = cls(spec, folder, solutions)
        for path in (*map(folder.joinpath, (spec.prompt, spec.skeleton, "hidden")), *question.support):
            if not path.exists():
                raise QuestionError("a file that the question needs is missing", where=str(path), next_step="Add it.")
        question._find_mutants(path=folder / SPEC_NAME)
        return question

    def _find_mutants(self, path: Path) -> None:
        """Raise a QuestionError where the files that the candidate's own tests are run against are not all there."""
        suite = self.spec.suite
        if suite is None:
            return
        for place, mutant in enumerate(suite.mutants):
            if not (self.solutions / mutant.solution).is_file():
                location: list[str | int] = ["suite", "mutants", place, "solution"]
                raise QuestionError(
                    "the mutant's file is missing",
                    where="{}:{}:{}".format(path, *specfile.position(specfile.read_yaml(path), location)),
                    found=f"no file {self.solutions / mutant.solution}",
                    next_step="Add it.",
                )
        if self.reference is None:
            where = str(self.solutions / "reference.py")
            raise QuestionError("the question's own tests need its reference", where=where, next_step="Add it.")

    @property
    def id(self) -> str:
        """The question's id, which is its folder's name."""
        return self.spec.id

    @property
    def variant(self) -> Mapping[str, Value]:
        """What is chosen of its variants: the default of a question that has some, and nothing where it has none."""
        return self.spec.variants.default if self.spec.variants else self.spec.variant

    @property
    def is_variant(self) -> bool:
        """Whether it is the copy of a question in other sizes than that one's own."""
        return bool(self.spec.variant)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the paths and bytes of all files of the question and its solutions, shared ones included."""
        whole = hashlib.sha256()
        top = self.folder.parent.parent
        shared = [path for path in self.support if path.parent != self.folder]
        for path in (*files_of(self.folder), *files_of(self.solutions), *shared, *self.helpers):
            root = self.solutions.parent.parent if path.is_relative_to(self.solutions) else top
            content = hashlib.sha256(specfile.read_bytes(path)).hexdigest()
            whole.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
        return whole.hexdigest()

    @property
    def shared(self) -> Path:
        """What the questions of a bank have in common: `support/` for submissions, `hidden/` for hidden tests."""
        return self.folder.parent / "shared"

    @property
    def support(self) -> list[Path]:
        """The support files, each from the question's own folder or else from the shared one."""
        own = [self.folder / name for name in self.spec.support]
        common = self.shared / "support"
        return [path if path.exists() or not (common / path.name).exists() else common / path.name for path in own]

    @cached_property
    def helpers(self) -> list[Path]:
        """The shared modules that the hidden tests import, and those that these import in turn."""
        there = {path.stem: path for path in files_of(self.shared / "hidden") if path.suffix == ".py"}
        found: dict[str, Path] = {}
        waiting = [path for path in files_of(self.folder / "hidden") if path.suffix == ".py"]
        while waiting:
            for name in imported(specfile.read_text(waiting.pop())):
                if name in there and name not in found:
                    found[name] = there[name]
                    waiting.append(there[name])
        return sorted(found.values())

    @cached_property
    def hidden_texts(self) -> dict[str, str]:
        """Every Python text that only the examiner sees, by the path that a person knows it by."""
        paths = [*files_of(self.folder / "hidden"), *self.helpers]
        return {f"hidden/{path.name}": specfile.read_text(path) for path in paths if path.suffix == ".py"}

    @property
    def defines(self) -> list[str]:
        """The names that a submission has to define."""
        return [each.name for each in self.spec.defines]

    @property
    def public(self) -> list[Path]:
        """The files of the public tests."""
        return sorted((self.folder / "public").glob("test_*.py"))

    @cached_property
    def asked(self) -> Asked:
        """What a submission has to be, for those who read it."""
        spec = self.spec
        return Asked(
            question=spec.id,
            version=spec.version,
            defines=tuple(Wanted(each.name, each.kind, each.signature, each.methods) for each in spec.defines),
            support=tuple(spec.support),
            imports=tuple(sorted({name.partition(".")[0] for name in spec.imports})),
            suite=self.suite_file,
            given={path.name: fingerprint(specfile.read_text(path).encode()) for path in (*self.support, *self.public)},
        )

    @property
    def suite_file(self) -> str | None:
        """The name of the file of the candidate's own tests, where the question asks for some."""
        return self.spec.suite.file if self.spec.suite else None

    @property
    def seed(self) -> int:
        """The seed of a run that is given none: the same for everyone who answers this version."""
        return int(self.digest[:8], 16)

    @cached_property
    def brief(self) -> Brief:
        """The question as the examiner needs it."""
        spec = self.spec
        return Brief(
            hidden=str(self.folder / "hidden"),
            criteria={criterion.id: criterion.rests_on for criterion in spec.checked},
            defines=[Definition(each.name, each.kind, each.signature) for each in spec.defines],
            helpers=str(self.shared / "hidden"),
            support={path.stem: specfile.read_text(path) for path in self.support if path.suffix == ".py"},
            parameters=dict(spec.parameters),
            limits=spec.limits,
        )

    def read(self, name: str) -> str:
        """The text of one of the question's files."""
        return specfile.read_text(self.folder / name)

    @cached_property
    def reference(self) -> str | None:
        """The text of the reference solution, if there is one."""
        return self.solution("reference.py")

    def solution(self, path: str) -> str | None:
        """The text of a file among the solutions, if it is there."""
        file = self.solutions / path
        return specfile.read_text(file) if file.is_file() else None


def imported(text: str) -> set[str]:
    """The top-level names of the modules that a text imports; none if it is no Python, which is told elsewhere."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return set()
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def files_of(root: Path) -> list[Path]:
    """The files that make up a folder, sorted; caches and hidden files do not."""
    if not root.is_dir():
        return []
    left_out = re.compile(r"(^|/)(\.|__pycache__(/|$))|\.pyc$")
    found = [path for path in root.rglob("*") if path.is_file()]
    return sorted(path for path in found if not left_out.search(path.relative_to(root).as_posix()))


def schema() -> dict[str, Any]:
    """The JSON Schema of question.yaml, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Spec.model_json_schema()}
