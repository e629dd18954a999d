"""Variants: every number follows, nothing else moves, and what a candidate says of their variant is believed only if
the team has signed it."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from grader.bank import Bank
from grader.batch import entries, run
from grader.batch.crew import local
from grader.cli import main
from grader.errors import CallError, QuestionError
from grader.examine.zygote import Zygote
from grader.packet import contents
from grader.packet.settings import Settings
from grader.packet.start import write_folder
from grader.question import Question, files_of
from grader.regrade import again
from grader.report import Report
from grader.results import Results
from grader.sandbox.tiers import Tier
from grader.specfile import Misfit
from grader.submission.manifest import MANIFEST, PACKET, Manifest
from grader.validate import packet, prove
from grader.validate.prove import _Trial
from grader.variants import exchange, formula, picking, render
from grader.variants.assigning import Assigner
from grader.variants.formula import Value
from grader.variants.keys import VARIABLE, Keeper, Key
from grader.variants.spec import Choices, Variants
from tests import varying

ROOT: Final = Path(__file__).resolve().parents[1]
SHIPPED: Final = [each for each in Bank.find(start=ROOT).all() if each.spec.variants]
EVERY: Final = pytest.mark.parametrize("shipped", SHIPPED, ids=lambda each: each.id)
EASY: Final[Choices] = {"rows": 64, "columns": 300}
HARD: Final[Choices] = {"rows": 128, "columns": 450}
KEY: Final = Key(b"0123456789abcdef0123456789abcdef", "the tests")


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Question:
    """A small question with variants."""
    return varying.question(tmp_path_factory.mktemp("varying"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees or makes the key of whoever runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home" / "takehome-grader" / "packet.key"


def given(monkeypatch: pytest.MonkeyPatch, key: Key = KEY) -> None:
    """Have this key in the environment."""
    monkeypatch.setenv(VARIABLE, key.secret.decode())


def sent(question: Question, folder: Path, choices: Mapping[str, Value], code: str = "", key: Key = KEY) -> Path:
    """A packet of a variant, in a folder, with the reference in it: what an honest candidate sends."""
    theirs = render.variant(question, choices)
    files = contents.coded(contents.contents(theirs, Settings(), key.signed), code, key.signed)
    write_folder(files, folder)
    for name in ("solution.py", "answers.yaml"):
        (folder / name).write_text(theirs.solution("reference.py" if name == "solution.py" else name) or "", "utf-8")
    return folder


def edited(folder: Path, **fields: Any) -> Path:
    """The folder, with other things in its packet.json; None takes one out."""
    path = folder / PACKET
    told = {**json.loads(path.read_text("utf-8")), **fields}
    path.write_text(json.dumps({name: each for name, each in told.items() if each is not None}), "utf-8")
    return folder


def command(*arguments: object) -> Result:
    """The result of a command of ours."""
    return CliRunner().invoke(main, list(map(str, arguments)))


def options(question: Question) -> list[str]:
    """What a command is told of a question that is not shipped."""
    return ["--questions", str(question.folder.parent)]


def graded(question: Question, path: Path, *more: str) -> Result:
    """The result of `grader run --json`."""
    return command("run", path, "-q", question.id, "--json", "--allow-unsandboxed", *options(question), *more)


# Formulas


@pytest.mark.parametrize(
    ("follows", "form", "text"),
    [
        ("max_len", "{}", "1024"),
        ("max_len * d_model", "{:,}", "786,432"),
        ("max_len * d_model", "{:_}", "786_432"),
        ("max_len * d_model / 1e6", "{:.2f} million", "0.79 million"),
        ("base ** (-(d_model - 2) / d_model)", "{:.3e}", "1.024e-4"),
        ("base", "{}", "10000.0"),
        ("round(2 * pi * base, -3)", "{:,.0f}", "63,000"),
        ("d_model // 64", "{} heads", "12 heads"),
        ("max_len, d_model", "{} x {}", "1024 x 768"),
        ("max(max_len, d_model) + min(1, 2) + sqrt(4) - log(1)", "{:g}", "1027"),
    ],
)
def test_a_formula_is_arithmetic_on_the_parameters(follows: str, form: str, text: str) -> None:
    values = formula.values(follows, {"max_len": 1024, "d_model": 768, "base": 10000.0})
    assert formula.written(values, form) == text


@pytest.mark.parametrize(
    ("follows", "says"),
    [
        ("max_len *", "a formula looks like"),
        ("width", "there is no parameter 'width' with choices; there is max_len"),
        ("max_len.real", "a formula has numbers, parameters and arithmetic, found 'max_len.real'"),
        ("__import__('os')", "a formula has numbers"),
        ("[max_len for _ in 'a']", "a formula has numbers"),
        ("round(max_len, ndigits=1)", "a formula has numbers"),
        ("max_len / 0", "has no value with max_len 1024 (division by zero)"),
        ("1e308 * 10 * max_len", "is no number"),
        ("max_len + 'a'", "has no value"),
    ],
)
def test_what_is_no_formula_is_refused(follows: str, says: str) -> None:
    with pytest.raises(Misfit, match=re.escape(says)):
        formula.values(follows, {"max_len": 1024})


@pytest.mark.parametrize("form", ["{", "{} {}", "none", "{0.real}", "{name}", "{:q}"])
def test_what_is_no_form_is_refused(form: str) -> None:
    with pytest.raises(Misfit, match="a form looks like"):
        formula.written((5,), form)


# The block of the spec


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        (
            "parameters: {rows: 64,",
            "parameters: {rows: 65,",
            "choices.rows",
            "its first choice is 64, and among `parameters` it is 65",
        ),
        ("rows: [64, 96, 128]", "rows: [64, 64]", "choices.rows", "a choice is there twice"),
        ("rows: [64, 96, 128]", "rows: [64]", "choices.rows", "list should have at least 2 items"),
        ("rows: [64, 96, 128]", "a-b: [64, 96]", "choices.a-b", "'a-b' can't be a name in a formula"),
        ("rows: [64, 96, 128]", "pi: [64, 96]", "choices.pi", "'pi' means something else in a formula"),
        ("columns: [300, 450]}", "columns: [300, 450], depth: [1, 2]}", "choices.depth", "no literal follows it"),
        ("only: rows + columns != 546", "only: rows > 64", "only", "it rules out the default, rows 64, columns 300"),
        ("only: rows + columns != 546", "only: rows < 128", "choices.rows.2", "`only` rules this choice out"),
        ("only: rows + columns != 546", "only: rows <", "only", "a formula looks like"),
        (
            "follows: rows * columns",
            "follows: rows * 30",
            "literals.3.follows",
            "it is '1920', and the text is '19200'",
        ),
        ("follows: rows * columns", "follows: rows * lines", "literals.3.follows", "there is no parameter 'lines'"),
        ("follows: rows * columns", "follows: 19200 + rows // 999", "literals.3.follows", "the same in every variant"),
        ("follows: rows + columns", "follows: rows + columns, instead: a", "literals.4", "this has both"),
        ("instead: an array", "form: a", "literals.5.form", "a form is for what follows a formula"),
        ('text: "364"', 'text: "19200"', "literals.4.text", "this text is there twice"),
        ("  literals:", "  litterals:", "litterals", "there is no such key. Did you mean 'literals'?"),
        ("stands: {solutions/wrong/sum-of-sizes.yaml: 1}", "stands: {}", "literals.4.stands", "at least 1"),
    ],
)
def test_a_block_that_does_not_fit_is_refused_with_its_place(
    tmp_path: Path, old: str, new: str, at: str, says: str
) -> None:
    assert varying.BLOCK.count(old) == 1
    with pytest.raises(QuestionError) as refusal:
        varying.question(tmp_path, varying.BLOCK.replace(old, new))
    told = str(refusal.value).splitlines()
    assert any(re.search(r"question\.yaml:\d+:\d+: variants\." + re.escape(at), line) and says in line for line in told)


def test_a_spec_does_not_say_which_variant_it_is(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="a variant has no variants of its own"):
        varying.question(tmp_path, varying.BLOCK.replace("\ndefines:", "\nvariant: {rows: 64}\n\ndefines:"))


# Exchanging


def told_apart(texts: dict[str, str], *literals: dict[str, Any]) -> list[str]:
    """What keeps literals apart in some texts."""
    fields = {"choices": {"n": [786432, 1024], "m": [1024, 768]}, "literals": list(literals)}
    return exchange.problems(texts, Variants.model_validate(fields))


N: Final = {"text": "786432", "follows": "n", "stands": {"a.md": 1}}
M: Final = {"text": "1024", "follows": "m", "stands": {"a.md": 1}}


@pytest.mark.parametrize("token", ["1024", "-1024", "(1024)", "1024.", "1024, 5", "[1024]", "a 1024-bit", "=1024\n"])
def test_a_whole_token_is_found(token: str) -> None:
    assert told_apart({"a.md": f"786432 {token}"}, N, M) == []


@pytest.mark.parametrize(
    "token", ["10240", "x1024", "1,024", "1024,000", "1024_0", "0.1024", "1024.5", "a1024b", "_1024"]
)
def test_a_part_of_a_token_is_none(token: str) -> None:
    problems = told_apart({"a.md": f"786432 {token}"}, N, M)
    assert any(problem.startswith("'1024' stands never in a.md, and `stands` says once") for problem in problems)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "786432 1024\nand 1024",
            "'1024' stands 2 times in a.md, and `stands` says once: a.md:1 “786432 1024”; a.md:2",
        ),
        ("786432 1024 786,432", "a.md:1 “786432 1024 786,432”: '786,432' may be '786432', which follows n"),
        ("786432 1024 0xC0000", "'0xC0000' may be '786432'"),
        ("786432 1024 7.86432e5", "'7.86432e5' may be '786432'"),
        ("786432 1024 786_432", "'786_432' may be '786432'"),
        ("786432 1024 786432.0", "'786432.0' may be '786432'"),
        ("786432 1024 0.79 million", "'0.79 million' may be '786432'"),
        ("786432 1024 0.8M", "'0.8M' may be '786432'"),
        ("786432 1024 786k", "'786k' may be '786432'"),
    ],
)
def test_a_number_that_may_mean_something_else_is_named(text: str, says: str) -> None:
    problems = told_apart({"a.md": text}, N, M)
    assert len(problems) == 1 and says in problems[0]


@pytest.mark.parametrize("text", ["0.78 million", "0.7M", "786433", "12", "7.9e5", "1024k", "786432abc"])
def test_a_number_that_can_t_be_meant_is_left_alone(text: str) -> None:
    assert told_apart({"a.md": f"786432 1024 {text}"}, N, M) == []


def test_a_number_in_another_file_has_to_be_named() -> None:
    there = {"a.md": "786432 1024", "solutions/b.py": "x = 1024"}
    assert told_apart(there, N, M) == [
        "'1024' stands once in solutions/b.py, and `stands` says never: solutions/b.py:1 “x = 1024”"
    ]
    stays = {"text": "x = 1024", "stands": {"solutions/*.py": 1}}
    assert told_apart(there, N, M, stays) == []
    gone = {**M, "stands": {"a.md": 1, "c.md": 1}}
    assert "'1024' is said to stand in c.md, which is not there" in told_apart(there, N, gone, stays)
    twice = {**M, "stands": {"a.md": 1, "*.md": 1}}
    assert told_apart(there, N, twice, stays) == ["'1024' is counted twice in a.md: by a.md and by *.md"]


def test_literals_that_overlap_are_told_and_one_in_another_is_none() -> None:
    there = {"a.md": "786432 and 1024 of them, 1024"}
    one = {"text": "and 1024", "follows": "m", "form": "and {}", "stands": {"a.md": 1}}
    assert told_apart(there, N, one, M) == []
    other = {"text": "1024 of them", "stands": {"a.md": 1}}
    problems = told_apart(there, N, one, M, other)
    assert (
        problems[0]
        == "a.md:1 “786432 and 1024 of them, 1024”: 'and 1024' and '1024 of them' overlap, so neither can be exchanged"
    )


def test_values_that_change_places_are_exchanged_at_once() -> None:
    """2048 x 1024 comes of 1024 x 768: what was put in is not taken for what was there."""
    fields = {
        "choices": {"rows": [1024, 2048], "width": [768, 1024]},
        "literals": [
            {"text": "1024", "follows": "rows", "stands": {"a": 2}},
            {"text": "768", "follows": "width", "stands": {"a": 1}},
        ],
    }
    variants = Variants.model_validate(fields)
    made = exchange.exchanged({"a": "1024 x 768, 1024"}, variants, {"rows": 2048, "width": 1024})
    assert made == {"a": "2048 x 1024, 2048"}


# A question in other sizes


def test_a_variant_is_a_question_with_other_numbers(question: Question) -> None:
    made = render.variant(question, HARD)
    assert made.spec.parameters == HARD and made.variant == HARD and made.is_variant
    assert made.spec.variants is None and made.id == question.id
    assert "an array of shape [128, 450]" in made.read("prompt.md") and "1000" in made.read("prompt.md")
    assert made.spec.answers[0].expected == 128 * 450
    assert made.digest != question.digest and made.seed != question.seed
    assert render.variant(question, HARD) is made
    own, theirs = ((each.folder / "question.yaml").read_text("utf-8").splitlines() for each in (question, made))
    assert len(own) == len(theirs) and own[-1] == theirs[-1]


def test_each_variant_has_a_digest_of_its_own(question: Question) -> None:
    assert question.spec.variants is not None
    made = [render.variant(question, choices) for choices in question.spec.variants.offered]
    assert len({each.digest for each in made}) == len(made) == 5


def test_the_default_is_the_question_itself_byte_for_byte(question: Question) -> None:
    assert render.variant(question, EASY) is question and not question.is_variant and question.variant == EASY
    assert question.spec.variants is not None
    texts = render.texts(question)
    assert exchange.exchanged(texts, question.spec.variants, EASY) == texts


def test_its_folder_is_private_and_goes_with_the_process(question: Question) -> None:
    script = f"""
from pathlib import Path
from grader.bank import Bank
from grader.variants import render
made = render.variant(Bank((Path({str(question.folder.parent)!r}),)).get({question.id!r}), {HARD!r})
print(oct(made.folder.parent.parent.stat().st_mode & 0o777), made.folder)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    mode, folder = told.split()
    assert mode == "0o700" and not Path(folder).exists()


def test_a_variant_that_can_t_be_told_apart_is_never_made(tmp_path: Path) -> None:
    broken = varying.question(tmp_path)
    path = broken.folder / "hidden" / "probes.py"
    path.write_text(path.read_text("utf-8") + "\nOTHER = 19_200\n", "utf-8")
    with pytest.raises(
        QuestionError, match=r"no variant of it can be made: hidden/probes\.py:.*'19_200' may be '19200'"
    ):
        render.variant(broken, HARD)
    assert render.variant(broken, EASY) is broken


def test_a_parameter_that_nothing_exchanges_is_told(tmp_path: Path) -> None:
    block = varying.BLOCK.replace('follows: rows, form: "rows: {}", ', "")
    with pytest.raises(QuestionError, match="no literal exchanges the parameter rows: found 64, expected 128"):
        render.variant(varying.question(tmp_path, block), HARD)


def test_all_variants_of_a_text_have_one_rubric(tmp_path: Path) -> None:
    """Else marks that are given by it could not be compared."""
    more = "    - {text: result stays as it is, instead: result is the same, stands: {question.yaml: 1}}\n"
    block = varying.BLOCK.replace("    # The next line", more + "    # The next line")
    with pytest.raises(QuestionError, match="a literal changes the rubric of the text why_subtract"):
        render.variant(varying.question(tmp_path, block), HARD)


# Which choices


def test_a_seed_draws_the_same_variant_again_and_all_are_drawn(question: Question) -> None:
    variants = question.spec.variants
    assert variants is not None
    drawn = [picking.drawn(variants, question.id, str(seed)) for seed in range(200)]
    assert drawn == [picking.drawn(variants, question.id, str(seed)) for seed in range(200)]
    assert all(choices in drawn for choices in variants.offered)
    assert len({str(picking.drawn(variants, question.id, "7", code)) for code in map(str, range(50))}) > 3
    assert {"rows": 128, "columns": 450} in variants.offered and all(sum(each.values()) != 546 for each in drawn)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "choices"),
    [("default", EASY), ("rows=128,columns=450", HARD), ("rows = 96", {"rows": 96, "columns": 300})],
)
def test_a_variant_can_be_said(question: Question, said: str, choices: Choices) -> None:
    assert picking.wanted(question, said) == choices


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("rows=65", "rows has no such choice: found 65. There is 64, 96, 128."),
        ("row=64", "there is no such choice in the question's variants: found row. Did you mean rows?"),
        ("rows=128,columns=", "columns has no such choice: found nothing"),
        ("rows=,", "rows has no such choice"),
    ],
)
def test_what_is_no_variant_is_refused(question: Question, said: str, says: str) -> None:
    with pytest.raises(CallError, match=re.escape(says)):
        picking.wanted(question, said)


def test_a_question_without_variants_says_so(small: Question, tmp_path: Path) -> None:
    result = command("start", small.id, "--out", tmp_path / "p", "--variant", 7, *options(small))
    assert result.exit_code == 2 and "this question has no variants: found row-softmax" in result.output
    assert not (tmp_path / "p").exists()


def test_a_question_shows_its_variants(question: Question) -> None:
    shown = command("show", question.id, *options(question)).output
    assert "Variants, 5 in all, only with rows + columns != 546\n  rows: 64, 96, 128\n  columns: 300, 450\n" in shown


# The key


def test_the_first_packet_makes_the_key_for_its_owner_alone(question: Question, tmp_path: Path, home: Path) -> None:
    first = command("start", question.id, "--out", tmp_path / "a", "--variant", 7, *options(question))
    assert first.exit_code == 0 and f"Made the team's key, {home}." in first.output
    assert stat.S_IMODE(home.stat().st_mode) == 0o600 and stat.S_IMODE(home.parent.stat().st_mode) == 0o700
    second = command("start", question.id, "--out", tmp_path / "b", "--variant", 7, *options(question))
    assert second.exit_code == 0 and "Made the team's key" not in second.output
    one, other = ((tmp_path / name / PACKET).read_bytes() for name in "ab")
    assert one == other, "a packet is the same whenever it is made"
    secret = home.read_bytes().strip()
    assert not any(secret in path.read_bytes() for path in files_of(tmp_path / "a"))


def test_no_key_is_made_for_a_packet_without_a_variant(question: Question, tmp_path: Path, home: Path) -> None:
    assert command("start", question.id, "--out", tmp_path / "a", *options(question)).exit_code == 0
    assert not home.exists()
    assert "variant" not in json.loads((tmp_path / "a" / PACKET).read_bytes())
    wrong = command("start", question.id, "--out", tmp_path / "b", "--variant", "rows=1", *options(question))
    assert wrong.exit_code == 2 and not home.exists()


def test_the_file_of_the_key_can_be_named(question: Question, tmp_path: Path) -> None:
    (tmp_path / "grader.toml").write_text('[packet]\nkey = "keys/team"\n')
    assert command("start", question.id, "--out", "a", "--variant", 7, *options(question)).exit_code == 0
    assert (tmp_path / "keys" / "team").is_file()
    (tmp_path / "grader.toml").write_text('[packet]\nkey = "a/team"\n')
    inside = command("start", question.id, "--out", "a", "--variant", 7, *options(question))
    assert inside.exit_code == 2 and "the team's key is in the folder that this writes to" in inside.output


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        ("short", 0o600, "the team's key is too short to keep anything"),
        ("0123456789abcdef", 0o644, "the team's key can be read by others"),
        ("\udc80" * 20, 0o600, "the team's key can't be read"),
    ],
)
def test_a_key_that_keeps_nothing_is_refused(home: Path, text: str, mode: int, says: str) -> None:
    home.parent.mkdir(parents=True)
    home.write_bytes(text.encode("utf-8", "surrogateescape"))
    home.chmod(mode)
    with pytest.raises(CallError, match=says):
        Keeper.here().find()


def test_the_environment_goes_before_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Keeper.here().make()
    assert home.is_file()
    given(monkeypatch)
    key = Keeper.here().find()
    assert key is not None and key.secret == KEY.secret and KEY.secret.decode() not in repr(key)


# Attacks


def assigned(question: Question, path: Path) -> Choices:
    """The choices that a submission is graded with."""
    return dict(Assigner(question).of(path).question.variant)


def test_what_was_signed_is_believed(question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch)
    found = Assigner(question).of(sent(question, tmp_path / "p", HARD, "amber-owl-12"))
    assert found.question.variant == HARD and found.notes == ()
    default = Assigner(question).of(sent(question, tmp_path / "q", EASY))
    assert default.question is question and default.notes == ()


CHANGED: Final = "what the packet says of its variant was changed after it was signed"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"variant": EASY}, CHANGED),
        ({"variant": {"rows": 128.0, "columns": 450}}, CHANGED),
        ({"variant": {**HARD, "columns": 300}}, CHANGED),
        ({"variant": None}, CHANGED),
        ({"code": "amber-owl-13"}, CHANGED),
        ({"code": ""}, CHANGED),
        ({"version": 2}, CHANGED),
        ({"digest": "0" * 64}, CHANGED),
        ({"signature": None}, "says which variant it is of, and was not signed"),
        ({"signature": None, "variant": EASY}, "says which variant it is of, and was not signed"),
        ({"signature": f"{KEY.name}."}, "and was not signed"),
        ({"signature": f"{KEY.name}.{'0' * 64}"}, CHANGED),
        ({"signature": f"00000000.{'0' * 64}"}, "was signed with another key (00000000; this one, from GRADER_KEY, is"),
    ],
)
def test_a_packet_that_was_changed_is_found(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], says: str
) -> None:
    given(monkeypatch)
    path = edited(sent(question, tmp_path / "p", HARD, "amber-owl-12"), **fields)
    with pytest.raises(CallError) as refusal:
        assigned(question, path)
    assert says in str(refusal.value) and "--variant" in str(refusal.value) and "\n" not in str(refusal.value)


GARBAGE: Final[list[Any]] = [
    "easy", 7, [], ["rows"], {}, {"rows": None}, {"rows": []}, {"rows": {"a": 1}}, {"rows": 1e400}, {"rows": "x" * 999},
    {str(number): number for number in range(99)}, {"rows": 10**99}, {"\udc80": 1}, True, {"rows": "\x1b[2J"},
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
@pytest.mark.parametrize("field", ["variant", "signature", "code", "version", "digest"])
def test_garbage_is_found_and_shown_as_plain_text(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str, garbage: Any
) -> None:
    given(monkeypatch)
    path = edited(sent(question, tmp_path / "p", HARD, "amber-owl-12"), **{field: garbage})
    with pytest.raises(CallError) as refusal:
        assigned(question, path)
    assert str(refusal.value).isprintable() and len(str(refusal.value)) < 1000


def test_a_signature_is_of_one_code_name(question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another candidate's variant and signature are no good under one's own code name."""
    given(monkeypatch)
    mine, theirs = (sent(question, tmp_path / code, choices, code) for code, choices in CODES.items())
    other = json.loads((theirs / PACKET).read_bytes())
    with pytest.raises(CallError, match=CHANGED):
        assigned(question, edited(mine, variant=other["variant"], signature=other["signature"]))


CODES: Final[dict[str, Choices]] = {"amber-owl-12": {**HARD}, "blue-kite-34": {**EASY}}


def test_a_signature_of_another_question_says_nothing(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    other = KEY.signed({"question": "another", "version": 1, "digest": "", "code": "", "variant": dict(EASY)})
    found = Assigner(question).of(edited(sent(question, tmp_path / "p", HARD), **other))
    assert found.question is question
    assert found.notes == (
        "nothing that came along says which variant it answers; it was graded as rows 64, columns 300",
    )
    with pytest.raises(CallError, match=CHANGED):
        assigned(question, edited(tmp_path / "p", **{**other, "question": question.id}))


def test_a_missing_key_is_said(question: Question, tmp_path: Path, home: Path) -> None:
    with pytest.raises(CallError) as refusal:
        assigned(question, sent(question, tmp_path / "p", HARD))
    assert "the team's key is not here to see whether it was changed" in str(refusal.value)
    assert VARIABLE in str(refusal.value) and str(home) in str(refusal.value)


def test_another_key_is_said(question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sent(question, tmp_path / "p", HARD)
    given(monkeypatch, Key(b"f" * 40, ""))
    with pytest.raises(CallError, match="was signed with another key"):
        assigned(question, path)


def test_a_variant_that_is_no_longer_offered_is_said(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    path = sent(question, tmp_path / "p", HARD)
    fewer = varying.question(tmp_path, varying.BLOCK.replace("rows: [64, 96, 128]", "rows: [64, 96]"))
    with pytest.raises(
        CallError, match="row-softmax has no such variant: found rows 128, columns 450, expected rows 64 or"
    ):
        assigned(fewer, path)


def test_what_came_without_a_word_is_the_default_and_says_so(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "nothing that came along says which variant it answers; it was graded as rows 64, columns 300"
    alone = tmp_path / "alone.py"
    shutil.copy(question.solutions / "reference.py", alone)
    plain = tmp_path / "plain"
    write_folder(contents.contents(question, Settings()), plain)
    for path in (alone, plain, tmp_path / "nowhere"):
        found = Assigner(question).of(path)
        assert found.question is question and found.notes == (), "who has no key has made no variant"
    given(monkeypatch)
    for path in (alone, plain, tmp_path / "nowhere"):
        found = Assigner(question).of(path)
        assert found.question is question and found.notes == (note,)


def test_a_variant_can_be_given_by_hand(question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the packet can't be believed, and then the report says what it said."""
    path = edited(sent(question, tmp_path / "p", HARD, "amber-owl-12"), variant=EASY)
    found = Assigner(question, by_hand="rows=128,columns=450").of(path)
    assert found.question.variant == HARD
    assert found.notes == (
        "its packet names the variant rows 64, columns 300; it was graded as rows 128, columns 450, as the team said",
    )
    given(monkeypatch)
    seeded = Assigner(question, by_hand="7").of(sent(question, tmp_path / "q", HARD, "amber-owl-12"))
    assert question.spec.variants is not None
    assert seeded.question.variant == picking.drawn(question.spec.variants, question.id, "7", "amber-owl-12")


def test_a_question_that_has_no_variants_now_is_graded_as_it_is(
    question: Question, small: Question, tmp_path: Path
) -> None:
    found = Assigner(small).of(sent(question, tmp_path / "p", HARD))
    assert found.question is small
    assert found.notes == (
        "its packet names a variant of the question, which has none now; it was graded as the question is",
    )
    assert Assigner(small).of(small.solutions / "reference.py").notes == ()


# From end to end


def test_a_submission_is_graded_in_its_variant(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    made = command("start", question.id, "--out", "p", "--variant", "rows=128,columns=450", *options(question))
    assert made.exit_code == 0 and "Variant: rows 128, columns 450." in made.output
    packed = tmp_path / "p"
    assert "[128, 450]" in (packed / "prompt.md").read_text("utf-8")
    theirs = render.variant(question, HARD)
    shutil.copy(theirs.solutions / "reference.py", packed / "solution.py")
    shutil.copy(theirs.solutions / "answers.yaml", packed / "answers.yaml")
    checked = subprocess.run([sys.executable, "check.py"], cwd=packed, capture_output=True, text=True, check=False)
    assert "Ready to send" in checked.stdout, checked.stdout
    first, second = (graded(question, packed / "submission.zip") for _ in range(2))
    report = Report.from_fields(json.loads(first.output))
    assert first.exit_code == 0 and report.question.variant == HARD and report.question.digest == theirs.digest
    assert report.submission.notes == [] and report.score.earned == 100
    again = Report.from_fields(json.loads(second.output))
    assert report.model_copy(update={"timing": {}}) == again.model_copy(update={"timing": {}})

    # The default's answer is wrong here, and an easier manifest in the zip is found.
    answers = (packed / "answers.yaml").read_text("utf-8").replace("57600", "19200")
    forged(packed / "submission.zip", tmp_path / "other.zip", {"answers.yaml": answers.encode()})
    other = Report.from_fields(json.loads(graded(question, tmp_path / "other.zip").output))
    assert {part.id: part.earned for part in other.criteria}["largest-score"] == 0
    told = json.loads(member(packed / "submission.zip", MANIFEST))
    told["packet"]["variant"] = EASY
    forged(tmp_path / "other.zip", tmp_path / "easy.zip", {MANIFEST: json.dumps(told).encode()})
    easy = graded(question, tmp_path / "easy.zip")
    assert easy.exit_code == 2 and CHANGED in easy.output
    by_hand = graded(question, tmp_path / "easy.zip", "--variant", "rows=128,columns=450")
    assert by_hand.exit_code == 0 or "largest-score" in by_hand.output
    assert "as the team said" in by_hand.output


def member(path: Path, name: str) -> bytes:
    """A file of a zip."""
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def forged(path: Path, to: Path, files: dict[str, bytes]) -> None:
    """A copy of a zip with some files changed."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(to, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, files.get(name, archive.read(name)))


def test_reports_and_pages_say_which_variant(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    path = sent(question, tmp_path / "p", HARD)
    told = command("run", path, "-q", question.id, "-o", tmp_path / "out", "--allow-unsandboxed", *options(question))
    words = "version 1, variant rows 128, columns 450"
    assert words in told.output
    for name in ("report.html", "feedback.md", "feedback.html"):
        assert words in (tmp_path / "out" / name).read_text("utf-8"), name
    beside = command("diff", path, "-q", question.id, *options(question))
    assert beside.exit_code == 0


@pytest.fixture(scope="module")
def batch(question: Question, tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> tuple[Path, Any]:
    """Results of six submissions: of two variants, one that was changed, one that was sent twice, one plain file."""
    folder = tmp_path_factory.mktemp("batch")
    source = folder / "sent"
    source.mkdir()
    sent(question, source / "ann", HARD, "amber-owl-12")
    sent(question, source / "ben", {"rows": 96, "columns": 300}, "blue-kite-34")
    edited(sent(question, source / "cat", HARD, "coral-jay-56"), variant=EASY)
    sent(question, source / "dan", HARD, "green-rook-78")
    shutil.copytree(source / "dan", source / "eve")
    shutil.copy(question.solutions / "reference.py", source / "fay.py")
    out = folder / "results"
    with pytest.MonkeyPatch.context() as patch:
        given(patch)
        progress, _ = run.run(
            question, entries.find(source, folder).entries, out, local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS)
        )
    return out, progress


def test_a_batch_grades_each_in_its_variant(batch: tuple[Path, run.Progress]) -> None:
    out, progress = batch
    results = Results.open(out)
    variants = {each.name: each.report.question.variant for each in results.candidates}
    assert variants == {"ann": HARD, "ben": {"rows": 96, "columns": 300}, "dan": HARD, "eve": HARD, "fay.py": EASY}
    whole = {each.name: each.report.score.earned for each in results.candidates}
    assert whole == {"ann": 100, "ben": 100, "dan": 100, "eve": 100, "fay.py": 90}
    assert list(progress.troubles) == ["cat"] and CHANGED in progress.troubles["cat"]
    assert not progress.stopped and progress.graded == 5
    assert (
        "fay.py: nothing that came along says which variant it answers; it was graded as rows 64, columns 300"
        in progress.doubts
    )
    assert KEY.secret not in b"".join(path.read_bytes() for path in files_of(out))


def test_a_packet_that_is_sent_twice_is_told(batch: tuple[Path, run.Progress]) -> None:
    """Whoever replays another's packet whole gets that one's variant, and neither keeps the code name."""
    out, progress = batch
    assert [doubt for doubt in progress.doubts if "green-rook-78" in doubt] != []
    codes = {each.name: each.code for each in Results.open(out).candidates}
    assert codes["ann"] == "amber-owl-12" and "green-rook-78" not in (codes["dan"], codes["eve"])


def test_a_batch_that_is_run_again_keeps_what_it_has(
    question: Question, batch: tuple[Path, Any], zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    out, _ = batch
    progress, _ = run.run(
        question,
        entries.find(out.parent / "sent", out.parent).entries,
        out,
        local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS),
    )
    assert (progress.kept, progress.graded, list(progress.troubles)) == (5, 0, ["cat"])


def test_a_regrade_needs_no_key_and_keeps_each_variant(
    question: Question, batch: tuple[Path, Any], zygote: Zygote, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    shutil.copytree(batch[0], out)
    results = Results.open(out)
    reports, _ = again.old_reports(results)
    assert again.is_current(question, reports) and again.seed_of(reports) is None
    changed = varying.question(tmp_path, varying.BLOCK.replace("\ndefines:", "\n# another file\ndefines:"))
    assert not again.is_current(changed, reports)
    folder, progress = again.grade(
        changed,
        results,
        local(zygote, jobs=1, require=Tier.SEPARATE_PROCESS),
        seed=None,
        assign=again.as_graded(Assigner(changed), reports),
    )
    record = again.record(changed, results, folder, (reports, {}), progress)
    assert progress.troubles == {} and progress.graded == 5
    assert record.changed == [] and record.before.digest == question.digest and record.after.digest == changed.digest


def test_marks_are_by_one_rubric_and_see_what_their_variant_expects(
    question: Question, batch: tuple[Path, Any]
) -> None:
    from grader.marks import work
    from grader.panel import sheet
    from grader.panel.around import Around

    results = Results.open(batch[0])
    found = work.find(results, question.spec, lambda report: render.of_report(question, report.question.variant).spec)
    assert {item.answer.rubric for item in found.items} == {
        answer.rubric for answer in question.spec.answers if answer.kind == "text"
    }
    ann = next(each for each in results.candidates if each.name == "ann")
    view = sheet.view(ann, ann.code, question, Around())
    assert view.question.variant == HARD and view.question.digest == render.variant(question, HARD).digest


def test_each_candidate_of_a_list_gets_a_variant_of_their_own(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch)
    people = tmp_path / "candidates.csv"
    people.write_text("name\n" + "".join(f"Person {number}\n" for number in range(9)), "utf-8")
    many = (
        "start",
        question.id,
        "--many",
        people,
        "--out",
        tmp_path / "packets",
        "--variant",
        "spring",
        *options(question),
    )
    assert command(*many).exit_code == 0
    before = {path.name: path.read_bytes() for path in files_of(tmp_path / "packets")}
    seen = set()
    for path in (tmp_path / "packets").glob("*.zip"):
        claim = Manifest.parse(member(path, f"{question.id}/{PACKET}"))
        assert claim is not None and KEY.verify(claim) == "" and claim.code in path.name
        assert claim.variant == picking.drawn(question.spec.variants, question.id, "spring", claim.code)  # type: ignore[arg-type]
        shape = f"[{claim.variant['rows']}, {claim.variant['columns']}]"
        assert shape in member(path, f"{question.id}/prompt.md").decode()
        seen.add(shape)
    assert len(seen) > 1
    people.write_text(people.read_text("utf-8") + "Person 10\n", "utf-8")
    assert command(*many).exit_code == 0
    after = {path.name: path.read_bytes() for path in files_of(tmp_path / "packets")}
    assert len(after) == len(before) + 1
    assert {name: after[name] for name in before if name != "names.csv"} == {
        name: content for name, content in before.items() if name != "names.csv"
    }


def test_validate_proves_a_variant_and_finds_one_that_does_not_hold(
    tmp_path: Path, zygotes: tuple[Zygote, Zygote], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question itself is not tried here: that is shown of the shipped ones."""
    of = _Trial.of
    monkeypatch.setattr(
        _Trial,
        "of",
        lambda self, each, extent: of(self, each, extent) if each.is_variant else ([], [], []),
    )
    whole = prove(varying.question(tmp_path / "whole"), *zygotes, quick=True)
    apart = {finding.claim: finding.problems for finding in whole.findings}
    assert apart["Every literal of a variant is told apart"] == []
    (shown,) = whole.variants
    assert shown.problems == [] and shown.literals["19200"] == "57600" and shown.submissions == 4
    # A formula that is right by accident in the default: the reference's own answer is another one then.
    block = varying.BLOCK.replace(
        "stands: {question.yaml: 1, solutions/answers.yaml: 1}",
        "stands: {question.yaml: 1}}\n    - {text: 'total: 19200', follows: rows * 300, form: 'total: {}', "
        "stands: {solutions/answers.yaml: 1}",
    )
    broken = prove(varying.question(tmp_path / "broken", block), *zygotes, quick=True)
    (shown,) = broken.variants
    assert not broken.holds and any("misses largest-score" in problem for problem in shown.problems)


# What is shipped


def test_the_first_question_and_another_have_variants() -> None:
    assert {"swap-learned-positions", "causal-multi-head-attention"} <= {each.id for each in SHIPPED}


@EVERY
def test_a_shipped_question_tells_its_literals_apart(shipped: Question) -> None:
    assert shipped.spec.variants is not None
    assert render.problems(shipped) == []
    texts = render.texts(shipped)
    assert exchange.exchanged(texts, shipped.spec.variants, shipped.spec.variants.default) == texts


@EVERY
def test_each_choice_of_a_shipped_question_is_in_a_variant_that_is_proven(shipped: Question) -> None:
    variants = shipped.spec.variants
    assert variants is not None
    proven = picking.covering(variants)
    assert proven[0] == variants.default
    wanted = {(name, value) for name, values in variants.choices.items() for value in values}
    assert {(name, value) for choices in proven for name, value in choices.items()} == wanted


@EVERY
def test_no_variant_of_a_shipped_question_gives_anything_away(shipped: Question) -> None:
    assert shipped.spec.variants is not None
    for choices in picking.covering(shipped.spec.variants):
        assert list(packet.leaks(render.variant(shipped, choices))) == []


def test_2048_x_1024_gives_2_097_152() -> None:
    swap = next(each for each in SHIPPED if each.id == "swap-learned-positions")
    made = render.variant(swap, picking.wanted(swap, "max_len=2048,d_model=1024"))
    answer = next(each for each in made.spec.answers if each.id == "parameter_delta")
    assert answer.expected == -2_097_152
    assert "2048 x 1024" in made.read("prompt.md") and "768" not in made.read("prompt.md")
    assert "context: int = 2048" in made.read("gpt.py") and "n_head: int = 16" in made.read("gpt.py")
    assert "2,097,152" in (made.solution("answers.yaml") or "")
    assert dict[str, Value](made.spec.parameters) == {"max_len": 2048, "d_model": 1024, "base": 10000.0}
