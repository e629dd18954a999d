"""What a candidate can run before sending: public tests and the prompt's examples, held against the reference."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from typing import Final

from grader import specfile
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.suite.grading import IMPORTS
from grader.suite.runs import OutOfAllTime, OwnTests, Run, Runner
from grader.validate.proof import Finding

EXAMPLES: Final = "test_examples_of_the_prompt.py"


def warm() -> Zygote:
    """A zygote to run tests on."""
    return Zygote(imports=IMPORTS)


def findings(question: Question, zygote: Zygote) -> list[Finding]:
    """Run the public tests on the reference and the skeleton, and the prompt's examples on the reference."""
    zygote.bring_in(question.spec.imports)
    zygote.wait()
    return [
        Finding(claim="Public tests pass on the reference", problems=list(_refused(question, zygote))),
        Finding(claim="Public tests fail on the skeleton", problems=list(_accepted(question, zygote))),
        Finding(claim="The prompt's examples are right", problems=list(_examples(question, zygote))),
    ]


def _refused(question: Question, zygote: Zygote) -> Iterator[str]:
    files = question.public
    if not files:
        yield "there is no public/test_*.py"
    for path in files:
        run = _run(question, zygote, path.name, specfile.read_text(path), question.reference or "")
        if not run.accepted:
            yield f"public/{path.name}: {_told(run)}"


def _accepted(question: Question, zygote: Zygote) -> Iterator[str]:
    skeleton = question.read(question.spec.skeleton)
    for path in question.public:
        run = _run(question, zygote, path.name, specfile.read_text(path), skeleton)
        if run.passed:
            yield f"public/{path.name}: {run.passed} of {run.tests} tests pass on the skeleton, so they tell nothing"


def _examples(question: Question, zygote: Zygote) -> Iterator[str]:
    """The prompt's `>>>` examples, run as a session in which the solution's names are there."""
    prompt = question.read(question.spec.prompt)
    try:
        examples = doctest.DocTestParser().get_examples(prompt.replace("```", ""))
    except ValueError as error:
        yield f"{question.spec.prompt} has an example that can't be read: {error}"
        return
    if examples:
        run = _run(question, zygote, EXAMPLES, _session(prompt), question.reference or "")
        if not run.accepted:
            yield f"{question.spec.prompt} has an example that the reference does not give: {_told(run)}"


def _session(prompt: str) -> str:
    """A test that runs the examples of a text with the names of the solution."""
    return f"""import doctest
import io
import solution

TEXT = {prompt.replace("```", "")!r}


def test_examples():
    names = dict(vars(solution))
    examples = doctest.DocTestParser().get_doctest(TEXT, names, "prompt", None, 0)
    told = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=told.write).failed
    assert not failed, told.getvalue()
"""


def _run(question: Question, zygote: Zygote, file: str, text: str, source: str) -> Run:
    runner = Runner(zygote.control, OwnTests(file, text), question.brief.support, question.spec.limits)
    try:
        return runner.run(source)
    except OutOfAllTime:
        most = question.spec.limits.submission_cpu_seconds
        return Run(broken="out of time", seen=f"it took more than the submission_cpu_seconds of {most:g}")


def _told(run: Run) -> str:
    if run.failed:
        return f"{', '.join(dict.fromkeys(run.failed))} failed"
    return f"{run.broken}: {run.seen}" if run.broken else "no test passed"
