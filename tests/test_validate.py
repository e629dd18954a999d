"""A proof names what does not hold: the wrong submission that gets through, and the right one that is refused."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from grader.bank import Bank
from grader.bench import Bench
from grader.cli import main
from grader.errors import QuestionError
from grader.examine.zygote import Zygote
from grader.question import Question
from grader.render import proof as render
from grader.scaffold import MARK, make
from grader.validate import claims, margins, packet, prove, public, record
from grader.validate.proof import Finding, Kind, Proof

ID = "row-softmax"


def written(folder: Path) -> Question:
    """The template of a question, as if its author had filled it in."""
    make(ID, folder / "questions")
    for path in folder.rglob("*.*"):
        path.write_text(path.read_text("utf-8").replace(MARK, "Written"), "utf-8")
    return load(folder)


def load(folder: Path) -> Question:
    return Bank((folder / "questions",)).get(ID)


def edit(path: Path, old: str, new: str) -> None:
    """Replace what stands in a file once."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), "utf-8")


def problems(findings: list[Finding], claim: str) -> list[str]:
    """What speaks against a claim."""
    return next(finding.problems for finding in findings if finding.claim == claim)


def test_the_template_is_proven_once_it_is_written(zygotes: tuple[Zygote, Zygote], tmp_path: Path) -> None:
    proof = prove(written(tmp_path), *zygotes)
    assert proof.holds, [finding for finding in proof.findings if not finding.holds]
    assert proof.count("survived") == 0
    assert proof.count("killed") >= 10
    assert {row.kind for row in proof.rows} == set(Kind)


@pytest.fixture(scope="module")
def broken(zygotes: tuple[Zygote, Zygote], tmp_path_factory: pytest.TempPathFactory) -> Proof:
    """A question that is wrong in everything that only running it shows."""
    folder = tmp_path_factory.mktemp("broken")
    question = written(folder)
    hidden, solutions = question.folder / "hidden" / "test_softmax.py", question.solutions
    edit(hidden, "atol=1e-9", "atol=1e-30")
    edit(hidden, "rng.uniform(0, 2000, size=(4, 6))", "rng.uniform(0, 2, size=(4, 6))")
    edit(question.folder / "prompt.md", "[0.0, 1.0]]", "[0.25, 0.75]]")
    edit(question.folder / "public/test_public.py", "def test", "def test_nothing():\n    pass\n\n\ndef test")
    edit(question.folder / "question.yaml", "minutes: 15", "minutes: 15\nlimits: {memory_mib: 300}")
    shutil.copy(solutions / "reference.py", solutions / "wrong/forgotten.py")
    with (question.folder / "question.yaml").open("a") as stream:
        stream.write("\nequivalent:\n  - {mutant: nowhere, reason: It was there once.}\n")
    return prove(load(folder), *zygotes)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Wrong fails what its misconception says, and nothing else", "wrong/overflows.py gets through large-scores"),
        ("Unusual but right scores in full", "unusual/torch-softmax.py misses right-numbers"),
        ("Every criterion is failed by a wrong submission", "no wrong submission fails large-scores"),
        ("Every check is failed by a wrong submission", "Scores between 0 and 2000 give finite numbers"),
        ("Every tolerance leaves the reference a margin", "moved by 8 units in the last place"),
        ("Every limit leaves the reference a margin", "MiB of memory of 300"),
        ("Public tests fail on the skeleton", "1 of 2 tests pass on the skeleton"),
        ("The prompt's examples are right", "test_examples failed"),
        ("Every solution is there, and is put to use", "wrong/forgotten.py is named by no misconception"),
        ("Hidden tests kill every mutant of the reference", "survives"),
        (
            "Every mutant that is marked equivalent survives",
            "nowhere is marked equivalent, but there is no such mutant",
        ),
        ("Every mistake is named, and no other", "wrong/overflows.py shows overflows, the report names nothing"),
    ],
)
def test_what_does_not_hold_is_named(broken: Proof, claim: str, told: str) -> None:
    found = problems(broken.findings, claim)
    assert any(told in problem for problem in found), found


def test_a_survivor_is_shown_with_its_diff(broken: Proof) -> None:
    survivors = [mutant for mutant in broken.mutants if mutant.fate == "survived"]
    assert survivors
    assert all("\n-" in mutant.diff and "\n+" in mutant.diff for mutant in survivors)


def test_a_proof_is_shown_alike_in_words_and_on_a_page(broken: Proof, tmp_path: Path) -> None:
    with (tmp_path / "told").open("w+", encoding="utf-8") as stream:
        render.summary([broken], stream)
        stream.seek(0)
        told = stream.read()
    page = render.page([broken])
    for text in (told, page):
        assert "not proven" in text
        assert "wrong/overflows.py gets through large-scores" in text
        assert "wrong/over-the-first-axis.py" in text
    assert broken.to_json()["holds"] is False


def test_feedback_that_gives_a_number_away_is_named(zygotes: tuple[Zygote, Zygote], tmp_path: Path) -> None:
    question = written(tmp_path)
    edit(question.folder / "question.yaml", "title: Each row is a softmax", "title: Off by less than 1741")
    edit(
        question.folder / "hidden/test_softmax.py",
        "rng.normal(size=(2, 3, 5))",
        "rng.normal(size=(2, 3, 5), scale=1741 / 1741)",
    )
    found = problems(prove(load(tmp_path), *zygotes, quick=True).findings, "Feedback gives nothing away")
    assert any("the feedback holds the hidden number 1741" in problem for problem in found), found


def test_a_check_that_needs_luck_is_named(zygotes: tuple[Zygote, Zygote], tmp_path: Path) -> None:
    """At seed 1, and hardly any other, the check draws small scores and lets the wrong solution through."""
    question = written(tmp_path)
    hidden = question.folder / "hidden/test_softmax.py"
    name = zlib.crc32(b"test_large_scores_give_finite_numbers")
    unlucky = int(np.random.default_rng([margins.OTHER_SEEDS[0], name]).integers(1 << 20))
    edit(hidden, "rng.uniform(0, 2000,", f"rng.uniform(0, 2 if rng.integers(1 << 20) == {unlucky} else 2000,")
    proof = prove(load(tmp_path), *zygotes)
    assert [finding.claim for finding in proof.findings if not finding.holds] == [
        "Other hidden inputs let nothing wrong through"
    ]
    assert problems(proof.findings, "Other hidden inputs let nothing wrong through") == [
        "wrong/overflows.py gets through large-scores at seed 1"
    ]


def lose_the_solutions(question: Question) -> str:
    shutil.rmtree(question.solutions)
    return r"reference\.py: the reference that a question is proven by is missing"


def misspell_the_reference(question: Question) -> str:
    edit(question.solutions / "reference.py", "    shifted", "    shifted shifted")
    return r"reference\.py: the reference can't be graded: Mend line 8, column 13"


def write_the_prompt_in_latin_1(question: Question) -> str:
    path = question.folder / "prompt.md"
    path.write_bytes(path.read_bytes() + "café".encode("latin-1"))
    return r"prompt\.md: a file of the question can't be read: found bytes that are not UTF-8"


@pytest.mark.parametrize("break_it", [lose_the_solutions, misspell_the_reference, write_the_prompt_in_latin_1])
def test_a_file_without_which_nothing_can_be_proven_is_named(
    zygotes: tuple[Zygote, Zygote], tmp_path: Path, break_it: Callable[[Question], str]
) -> None:
    told = break_it(written(tmp_path))
    with pytest.raises(QuestionError, match=told):
        prove(load(tmp_path), *zygotes, quick=True)


def test_a_byte_order_mark_is_no_text(zygotes: tuple[Zygote, Zygote], tmp_path: Path) -> None:
    """Some editors begin every file with one."""
    question = written(tmp_path)
    for path in (question.solutions / "reference.py", question.folder / "skeleton.py", question.folder / "prompt.md"):
        path.write_text(path.read_text("utf-8"), "utf-8-sig")
    assert prove(load(tmp_path), *zygotes, quick=True).holds


def test_public_tests_that_use_up_all_time_are_named(zygotes: tuple[Zygote, Zygote], tmp_path: Path) -> None:
    question = written(tmp_path)
    limits = "limits: {call_cpu_seconds: 2, submission_cpu_seconds: 0.5}"
    edit(question.folder / "question.yaml", "minutes: 15", f"minutes: 15\n{limits}")
    edit(
        question.folder / "public/test_public.py",
        "def test",
        "def test_for_ever():\n    while True: pass\n\n\ndef test",
    )
    found = problems(public.findings(load(tmp_path), zygotes[1]), "Public tests pass on the reference")
    assert found == ["public/test_public.py: out of time: it took more than the submission_cpu_seconds of 0.5"]


def test_a_limit_on_calls_that_is_close_and_a_check_that_takes_long_itself_are_named(
    zygotes: tuple[Zygote, Zygote], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(margins, "OWN_SECONDS", 0.9)
    question = written(tmp_path)
    edit(question.folder / "question.yaml", "minutes: 15", "minutes: 15\nlimits: {call_cpu_seconds: 2}")
    busy = "    end = time.process_time() + 1\n    while time.process_time() < end: pass"
    edit(question.solutions / "reference.py", "    shifted", f"    import time\n    time.sleep(3)\n{busy}\n    shifted")
    hidden = question.folder / "hidden/test_softmax.py"
    edit(hidden, "    scores = rng.uniform", "    import time; time.sleep(1)\n    scores = rng.uniform")
    with Bench(load(tmp_path), zygotes[0], 1) as bench:
        found = margins.findings(load(tmp_path), bench, [], quick=True)
    tight = problems(found, "Every limit leaves the reference a margin")
    assert len(tight) == 1 and "of the CPU seconds a call of 2" in tight[0], tight
    slow = problems(found, "No hidden check takes long itself")
    assert len(slow) == 1
    taken = re.match(r"'Scores between 0 and 2000 give finite numbers' takes (\d+\.\d) s beside", slow[0])
    assert taken and float(taken[1]) < 3, "what the reference takes is not the check's"


def leak_a_test(question: Question) -> None:
    lines = (question.folder / "hidden/test_softmax.py").read_text("utf-8").partition("def ")[2]
    with (question.folder / "prompt.md").open("a") as stream:
        stream.write(f"\ndef {lines[:400]}\n")


def leak_lines_in_comments(question: Question) -> None:
    lines = (question.folder / "hidden/test_softmax.py").read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if "rng.normal" in line)
    told = "".join(f"# {line.strip()}\n" for line in lines[first : first + 3])
    path = question.folder / "skeleton.py"
    path.write_text(path.read_text("utf-8") + told, "utf-8")


def leak_lines_in_a_list(question: Question) -> None:
    lines = (question.folder / "hidden/test_softmax.py").read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if "rng.normal" in line)
    with (question.folder / "prompt.md").open("a") as stream:
        stream.write("".join(f"- `{line.strip()}`\n" for line in lines[first : first + 3]))


def leak_an_answer(question: Question) -> None:
    edit(
        question.folder / "prompt.md",
        "What the function returns.",
        "It multiplies numerator and denominator by the same factor, which cancels.",
    )


def show_an_untested_number(question: Question) -> None:
    edit(question.folder / "prompt.md", "`1000` is fine", "exp(1) is 2.718281")


def ask_for_too_much(question: Question) -> None:
    edit(question.folder / "question.yaml", "minutes: 15", "minutes: 1")
    edit(question.solutions / "reference.py", "    exponentials", "    x = 1\n" * 9 + "    exponentials")


def ask_for_too_little(question: Question) -> None:
    edit(question.folder / "question.yaml", "minutes: 15", "minutes: 600")


def set_limits_upside_down(question: Question) -> None:
    edit(question.folder / "question.yaml", "minutes: 15", "minutes: 15\nlimits: {call_cpu_seconds: 90}")


@pytest.mark.parametrize(
    ("break_it", "claim", "told"),
    [
        (leak_a_test, "Nothing hidden is in the packet", "prompt.md and hidden/test_softmax.py both hold"),
        (leak_lines_in_comments, "Nothing hidden is in the packet", "solution.py and hidden/test_softmax.py both hold"),
        (leak_lines_in_a_list, "Nothing hidden is in the packet", "prompt.md and hidden/test_softmax.py both hold"),
        (leak_an_answer, "Nothing hidden is in the packet", "prompt.md gives away the answer why_subtract"),
        (show_an_untested_number, "The prompt's numbers stand in a public test", "the prompt says 2.718281"),
        (ask_for_too_much, "Minutes and limits are plausible", "1 minutes are few"),
        (ask_for_too_little, "Minutes and limits are plausible", "600 minutes are many"),
        (set_limits_upside_down, "Minutes and limits are plausible", "call_cpu_seconds is 90"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_can_be_told_without_running_is_told(
    tmp_path: Path, break_it: Callable[[Question], None], claim: str, told: str
) -> None:
    question = written(tmp_path)
    assert not any(finding.problems for finding in packet.findings(question))
    break_it(question)
    found = problems(packet.findings(load(tmp_path)), claim)
    assert any(told in problem for problem in found), found


def test_what_is_still_to_be_written_is_named_by_file_and_line(tmp_path: Path) -> None:
    marked = make(ID, tmp_path / "questions")
    found = problems(claims.files(load(tmp_path)), "Nothing is left to be written")
    assert {problem.split(":")[0] for problem in found} == {
        path.relative_to(tmp_path).as_posix().partition("/")[2] for path in marked
    }
    assert f"{ID}/prompt.md:1: # {MARK}: the title" in found


def test_a_change_asks_for_a_version(tmp_path: Path) -> None:
    question = written(tmp_path)
    assert record.versioned(question).holds, "a question that was never recorded is free to change"
    proof = Proof(id=ID, version=1, title="", digest=question.digest, findings=[], rows=[], mutants=[], seconds=0)
    record.keep(question, proof)
    assert record.versioned(load(tmp_path)).holds
    edit(question.folder / "prompt.md", "15 minutes", "16 minutes")
    assert "set `version: 2`" in record.versioned(load(tmp_path)).problems[0]
    edit(question.folder / "question.yaml", "version: 1", "version: 2")
    assert record.versioned(load(tmp_path)).holds


def test_a_record_that_is_none_is_told_with_its_place(tmp_path: Path) -> None:
    question = written(tmp_path)
    (tmp_path / "questions" / record.NAME).write_text('{"row-softmax": 3}', "utf-8")
    with pytest.raises(QuestionError, match=r"proven\.json: the record of proven questions can't be read"):
        record.versioned(question)


def test_the_command_makes_proves_and_records_a_question(
    tmp_path: Path, zygotes: tuple[Zygote, Zygote], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public, "warm", lambda: nullcontext(zygotes[1]))
    bank = str(tmp_path / "questions")
    made = CliRunner().invoke(main, ["new", ID, "--in", bank])
    assert made.exit_code == 0, made.output
    assert f"questions/{ID}/prompt.md" in made.output
    assert CliRunner().invoke(main, ["new", ID, "--in", bank]).exit_code == 2, "nothing is overwritten"
    assert CliRunner().invoke(main, ["new", "No Id", "--in", bank]).exit_code == 2
    for path in tmp_path.rglob("*.*"):
        path.write_text(path.read_text("utf-8").replace(MARK, "Written"), "utf-8")
    page = tmp_path / "proof.html"
    proven = CliRunner().invoke(main, ["validate", ID, "--questions", bank, "--record", "--page", str(page), "--json"])
    assert proven.exit_code == 0, proven.output
    assert json.loads(proven.output)[0]["holds"] is True
    assert "proven" in page.read_text("utf-8")
    assert json.loads((tmp_path / "questions" / record.NAME).read_text("utf-8"))[ID]["version"] == 1
    again = CliRunner().invoke(main, ["validate", ID, "--questions", bank])
    assert again.exit_code == 0 and "proven in full before" in again.output
    whole = json.loads(CliRunner().invoke(main, ["validate", ID, "--questions", bank, "--whole", "--json"]).output)[0]
    assert whole["whole"] and len(whole["rows"]) == len(json.loads(proven.output)[0]["rows"])
    edit(tmp_path / "solutions" / ID / "unusual" / "torch-softmax.py", "def softmax", "# Another word.\ndef softmax")
    changed = json.loads(CliRunner().invoke(main, ["validate", ID, "--questions", bank, "--json"]).output)[0]
    assert changed["whole"] and not changed["holds"], "a change is proven in full, and asks for a version"
