"""What a candidate receives: all that is needed, nothing that is hidden, and the same bytes every time."""

from __future__ import annotations

import ast
import csv
import json
import re
import stat
import sys
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from grader.bank import Bank
from grader.batch import entries, run
from grader.batch.crew import local
from grader.cli import main
from grader.errors import CallError, QuestionError
from grader.examine.zygote import Zygote
from grader.packet import carried, contents, many, templates, zips
from grader.packet.settings import Settings
from grader.packet.task import TASK, Task
from grader.question import Question, files_of
from grader.results import codenames, manifest
from grader.rubric import written
from grader.rubric.spec import Choice, ChoiceAnswer, NumberAnswer
from grader.sandbox.tiers import Tier
from grader.scaffold import make
from grader.submission.manifest import Manifest
from grader.validate import packet

ROOT: Final = Path(__file__).resolve().parents[1]
BANK: Final = Bank.find(start=ROOT)
QUESTIONS: Final = {question.id: question for question in BANK.all()}
SWAP: Final = QUESTIONS["swap-learned-positions"]
EVERY: Final = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
WORDS: Final = 8  # in a row, that are no coincidence
IMPORTS: Final = re.compile(r"^\s*(from|import)\s.*$", re.MULTILINE)


def made(question: Question = SWAP, code: str = "") -> dict[str, bytes]:
    """The files of a packet."""
    return contents.coded(contents.contents(question, Settings()), code)


def command(*arguments: str | Path) -> Result:
    """The result of `grader start`."""
    return CliRunner().invoke(main, ["start", *map(str, arguments)])


# What is in it


@EVERY
def test_it_holds_what_is_needed_and_no_more(question: Question) -> None:
    spec = question.spec
    expected = {"README.md", "prompt.md", "solution.py", "answers.yaml", "requirements.txt", "check.py"}
    expected |= {"preflight.zip", "packet.json", "test_public.py", *spec.support}
    expected |= {spec.suite.file} if spec.suite else set()
    files = made(question)
    assert set(files) == expected
    assert files["solution.py"].decode() == question.read(spec.skeleton)
    assert files["prompt.md"].decode() == question.read(spec.prompt)


@EVERY
def test_the_page_says_what_a_candidate_wants_to_know(question: Question) -> None:
    page = made(question)["README.md"].decode()
    assert page.startswith(f"# {question.spec.title}\n")
    assert f"about {question.spec.minutes} minutes" in page
    for words in ("Not judged", "Kept", "180 days", "Who sees it", "code name", "Python 3.", "check.py", "by people"):
        assert words in page
    assert "{" not in page
    assert all(f"`{name}`" in page for name in made(question) if name != "README.md")
    assert "\n\n\n" not in page


def test_the_settings_stand_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "grader.toml").write_text('[packet]\ncontact = "jobs@example.org"\nretain_days = 30\n')
    monkeypatch.chdir(tmp_path)
    assert command(SWAP.id, "--out", "one", "--seen-by", "Kim and Jo").exit_code == 0
    page = (tmp_path / "one" / "README.md").read_text("utf-8")
    assert page.count("jobs@example.org") == 2
    assert "30 days" in page and "Kim and Jo" in page
    assert command(SWAP.id, "--out", "two", "--contact", "kim@example.org", "--retain-days", "9").exit_code == 0
    page = (tmp_path / "two" / "README.md").read_text("utf-8")
    assert "jobs@" not in page and "kim@example.org" in page and "9 days" in page


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("[packet]\ncontakt = 'x'\n", "there is no such setting: found packet.contakt"),
        ("[packet]\nretain_days = 'x'\n", "packet.retain_days is wrong: found 'x', expected a number of days"),
        ("[packet]\nretain_days = 0\n", "packet.retain_days is wrong: found 0"),
        ("[packet]\nretain_days = true\n", "packet.retain_days is wrong: found True"),
        ("packet = 1\n", "`packet` is not a table"),
        ("pocket = 1\n", "there is no such setting: found pocket"),
    ],
)
def test_a_setting_that_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, said: str
) -> None:
    (tmp_path / "grader.toml").write_text(settings)
    monkeypatch.chdir(tmp_path)
    result = command(SWAP.id, "--out", "one")
    assert (result.exit_code, said in result.output) == (2, True), result.output
    assert not (tmp_path / "one").exists()


@EVERY
def test_each_answer_has_its_prompt_and_a_place(question: Question) -> None:
    sheet = made(question)["answers.yaml"].decode()
    forms = [answer.asked for answer in question.spec.answers]
    read, notes = written.read(sheet, "", forms)
    assert notes == []
    assert [answer.notes for answer in read] == [("not given",)] * len(forms)
    plain = " ".join(re.sub(r"^# ?", "", sheet, flags=re.MULTILINE).split())
    for answer in question.spec.answers:
        assert " ".join(answer.prompt.split()) in plain
    filled = re.sub(r"^(\w+):( \|)?$", r"\1: |\n  Words of mine.", sheet, flags=re.MULTILINE)
    read, _ = written.read(filled, "", forms)
    texts = [answer for answer, form in zip(read, forms, strict=True) if form.kind == "text"]
    assert all(answer.given == "Words of mine." and answer.notes == () for answer in texts)


def test_a_choice_comes_with_its_ids_and_a_number_with_its_unit() -> None:
    criterion = SWAP.spec.criteria[0].id
    size = NumberAnswer(
        id="size",
        kind="number",
        criterion=criterion,
        prompt="How large?",
        expected=12.5,
        tolerance=1,
        unit="MB",
        units={"GB": 1000.0},
    )
    pick = ChoiceAnswer(
        id="pick",
        kind="choice",
        criterion=criterion,
        prompt="Which?",
        expected="b",
        choices=[Choice(id="a", says="The first."), Choice(id="b", says="The: second.")],
    )
    spec = SWAP.spec.model_copy(update={"answers": [size, pick]})
    question = Question(spec, SWAP.folder, SWAP.solutions)
    sheet = made(question)["answers.yaml"].decode()
    assert "MB" in sheet and "GB" in sheet and "12.5" not in sheet
    assert "#   a: The first.\n#   b: The: second.\npick:\n" in sheet
    task = Task.from_json(zips.unpack(made(question)["preflight.zip"])[TASK])
    read, _ = written.read("size: 0.02 GB\npick: B\n", "", task.forms)
    assert [answer.notes for answer in read] == [("read as 20 MB",), ("read as b (The: second.)",)]
    assert "12.5" not in repr(task) and "'b'" in repr(task)


def test_the_environment_is_the_one_that_grades() -> None:
    text = made()["requirements.txt"].decode()
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    pins = [line for line in text.splitlines() if not line.startswith("#")]
    assert {pin.partition("==")[0] for pin in pins} == {"numpy", "torch", "pytest"}
    assert all(pin in constraints.splitlines() for pin in pins)
    assert "Python {}.{}".format(*sys.version_info[:2]) in text


def test_without_a_checkout_the_installed_versions_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = contents.pins()
    monkeypatch.setattr(contents, "PACKAGE", tmp_path / "grader")
    assert contents.pins() == expected


def test_a_question_without_a_starter_for_tests_gets_a_plain_one() -> None:
    question = QUESTIONS["positional-encodings"]
    assert question.spec.suite
    suite = question.spec.suite.model_copy(update={"file": "test_mine.py"})
    other = Question(question.spec.model_copy(update={"suite": suite}), question.folder, question.solutions)
    text = made(other)["test_mine.py"].decode()
    ast.parse(text)
    assert f"solution.{question.defines[0]}" in text


@pytest.mark.parametrize("name", ["README.md", "check.py", "packet.json"])
def test_a_file_of_the_question_may_not_go_by_a_name_of_the_packet(tmp_path: Path, name: str) -> None:
    make("row-softmax", tmp_path / "questions")
    folder = tmp_path / "questions" / "row-softmax"
    (folder / name).write_text("x")
    spec = (folder / "question.yaml").read_text("utf-8")
    (folder / "question.yaml").write_text(re.sub("^defines:", f"support: [{name}]\ndefines:", spec, flags=re.MULTILINE))
    with pytest.raises(QuestionError, match="name of one of the packet"):
        made(Bank((folder.parent,)).get("row-softmax"))


# The same bytes


@EVERY
def test_it_is_the_same_whenever_and_wherever_it_is_made(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = zips.pack(made(question))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert zips.pack(made(question)) == first
    assert str(ROOT).encode() not in b"".join(every_byte(question).values())


def test_the_digest_says_which_packet_it_is_and_not_whose() -> None:
    nobody, somebody = made(), made(code="red-owl-10")
    assert {name for name in nobody if nobody[name] != somebody[name]} == {"packet.json"}
    about = [json.loads(files["packet.json"]) for files in (nobody, somebody)]
    assert [each["code"] for each in about] == ["", "red-owl-10"]
    assert about[0]["digest"] == about[1]["digest"]
    other = contents.contents(SWAP, Settings(contact="kim@example.org"))
    assert json.loads(other["packet.json"])["digest"] != about[0]["digest"]


def test_a_zip_depends_on_nothing_but_its_files() -> None:
    files = {"b": b"2", "a": b"1"}
    assert zips.pack(files) == zips.pack(dict(reversed(files.items())))
    assert zips.unpack(zips.pack(files)) == files
    assert zips.digest({"x.zip": zips.pack(files)}) == zips.digest({"x.zip": zips.pack(dict(sorted(files.items())))})


# Nothing hidden


def every_byte(question: Question) -> dict[str, bytes]:
    """All files of a packet, those in preflight.zip included."""
    files = made(question)
    inside = zips.unpack(files.pop("preflight.zip"))
    return {**files, **{f"preflight.zip/{name}": raw for name, raw in inside.items()}}


def hidden(question: Question) -> Iterator[tuple[str, str]]:
    """All that a candidate is not to read, without import lines, which everybody writes alike."""
    yield from question.hidden_texts.items()
    for path in files_of(question.solutions):
        yield path.name, path.read_text("utf-8")
    yield from packet.judgements(question)
    for each in question.spec.suite.mutants if question.spec.suite else ():
        yield each.id, each.pitfall


def runs(text: str) -> set[tuple[str, ...]]:
    """Every run of eight words of a text that says something."""
    words = re.findall(r"\w+", IMPORTS.sub("", text).lower())
    every = {tuple(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}
    return {run for run in every if sum(word.isidentifier() for word in run) * 3 > WORDS}


def secrets(question: Question, files: dict[str, bytes]) -> dict[tuple[str, ...], str]:
    """Every run of words that stands in something hidden and not in the task itself, and where."""
    task = set[tuple[str, ...]]().union(*(runs(raw.decode()) for name, raw in files.items() if is_open(question, name)))
    return {run: where for where, text in hidden(question) for run in runs(text) - task}


def is_open(question: Question, name: str) -> bool:
    """Whether a file of a packet is the task itself: the prompt and the skeleton.

    Support files and public tests are written for candidates, and for them `grader validate` has the same rule with
    longer runs, since a mathematical signature is soon eight words long.
    """
    return name in {"prompt.md", "solution.py", "test_public.py", *question.spec.support}


def found(question: Question, files: dict[str, bytes], secret: dict[tuple[str, ...], str]) -> list[str]:
    """Where files of a packet repeat something hidden."""
    return [
        f"{name} and {secret[run]}: {' '.join(run)}"
        for name, raw in files.items()
        if not is_open(question, name)
        for run in runs(raw.decode())
        if run in secret
    ]


@EVERY
def test_no_run_of_words_of_anything_hidden_is_in_any_byte_of_it(question: Question) -> None:
    assert sum(1 for _ in hidden(question)) > 50
    files = every_byte(question)
    assert found(question, files, secrets(question, files)) == []
    assert list(packet.leaks(question)) == []


@pytest.mark.parametrize("where", ["README.md", "answers.yaml", "check.py", "preflight.zip/packet/task.json"])
def test_a_run_of_hidden_words_would_be_found_anywhere(where: str) -> None:
    files = every_byte(SWAP)
    secret = secrets(SWAP, files)
    for name, text in list(hidden(SWAP))[::9]:
        planted = runs(text)
        if planted:
            more = " ".join(sorted(planted)[0]).encode()
            assert found(SWAP, {where: files[where] + b"\n" + more}, secret), name


def test_validate_looks_at_the_same_packet(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = next(answer.expected for answer in SWAP.spec.answers if answer.kind == "text")
    page = contents.readme(SWAP, Settings())
    monkeypatch.setattr(contents, "readme", lambda *_: page + wrong.encode())
    assert any(problem.startswith("README.md gives away the answer") for problem in packet.leaks(SWAP))


@EVERY
def test_no_right_answer_is_told_to_the_check(question: Question) -> None:
    task = zips.unpack(made(question)["preflight.zip"])[TASK].decode()
    assert not {"expected", "accepted", "observables", "criteria", "tell", "known_wrong"} & set(keys(json.loads(task)))


def keys(thing: object) -> Iterator[str]:
    """Every key in a JSON document."""
    if isinstance(thing, dict):
        yield from thing
    for each in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ():
        yield from keys(each)


# What is carried


def test_the_modules_are_those_of_the_grader_byte_for_byte() -> None:
    inside = zips.unpack(made()["preflight.zip"])
    own = {name: raw for name, raw in inside.items() if name.startswith("grader/") and name.endswith(".py")}
    assert own == {name: (ROOT / name).read_bytes() for name in own}
    assert {f"grader/submission/{path.name}" for path in (ROOT / "grader/submission").glob("*.py")} <= set(own)
    assert b"MIT" in inside["grader/LICENSE"] and b"MIT" in inside["ruamel/yaml/LICENSE"]
    assert not [name for name in inside if name.endswith((".pyc", ".so", ".pyd"))]


def test_nothing_carried_imports_what_is_not_carried() -> None:
    inside = carried.modules()
    there = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in inside}
    for name, raw in inside.items():
        if not name.startswith("grader/") or not name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(raw)):
            tops = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            tops += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in tops:
                known = module in there if module.split(".")[0] in ("grader", "ruamel") else True
                assert known or module.partition(".")[0] in sys.stdlib_module_names, (name, module)
                assert module.split(".")[0] in {"grader", "ruamel", *sys.stdlib_module_names}, (name, module)


def test_the_templates_are_found_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "PACKAGE", tmp_path / "grader")
    assert templates.folder() == tmp_path / "candidate_template"
    (tmp_path / "grader" / "shipped" / "candidate_template").mkdir(parents=True)
    assert templates.folder() == tmp_path / "grader" / "shipped" / "candidate_template"


# `grader start`


def test_start_writes_a_folder_and_a_zip_of_it(tmp_path: Path) -> None:
    out = tmp_path / "for" / "kestrel"
    result = command(SWAP.id, "--out", out, "--zip")
    assert result.exit_code == 0, result.output
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert files == made()
    inside = zips.unpack((tmp_path / "for" / "kestrel.zip").read_bytes())
    assert inside == {f"kestrel/{name}": raw for name, raw in files.items()}


@pytest.mark.parametrize("there", ["folder", "file", "zip"])
def test_start_overwrites_nothing(tmp_path: Path, there: str) -> None:
    out = tmp_path / "out"
    mine = {"folder": out / "notes.txt", "file": out, "zip": tmp_path / "out.zip"}[there]
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    result = command(SWAP.id, "--out", out, "--zip")
    assert result.exit_code == 2
    assert "there is something at this path already" in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert mine.read_text() == "mine"
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 1


def test_start_names_a_question_that_is_not_there(tmp_path: Path) -> None:
    result = command("swap-learned-position", "--out", tmp_path / "x")
    assert result.exit_code == 2
    assert "Did you mean swap-learned-positions?" in result.output


# A packet for each of many


def listed(tmp_path: Path, *names: str, header: str = "name,mail") -> Path:
    """A list of candidates."""
    path = tmp_path / "candidates.csv"
    path.write_text("\n".join([header, *(f'"{name}",x@example.org' for name in names)]) + "\n", "utf-8")
    return path


def test_each_candidate_gets_a_packet_by_code_name(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = command(SWAP.id, "--many", listed(tmp_path, "Ada L.", "José Ñ", "Ada K."), "--out", out)
    assert result.exit_code == 0, result.output
    codes = many.read_names(out / "names.csv")
    assert list(codes) == ["Ada L.", "José Ñ", "Ada K."]
    assert all(map(codenames.is_code, codes.values())) and len(set(codes.values())) == 3
    assert {path.name for path in out.iterdir()} == {"names.csv", *(f"{SWAP.id}-{code}.zip" for code in codes.values())}
    for name, code in codes.items():
        inside = zips.unpack((out / f"{SWAP.id}-{code}.zip").read_bytes())
        found = Manifest.parse(inside[f"{SWAP.id}/packet.json"])
        assert found and found.code == code
        assert not any(word.encode() in raw for raw in inside.values() for word in (name, "example.org"))
    assert stat.S_IMODE((out / "names.csv").stat().st_mode) == 0o600


def test_more_rows_keep_the_code_names_and_packets_that_are_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    many.write(SWAP, Settings(), listed(tmp_path, "Ada", "Jo"), out)
    before = many.read_names(out / "names.csv")
    sent = out / f"{SWAP.id}-{before['Ada']}.zip"
    sent.write_bytes(b"as it was sent")
    result = command(SWAP.id, "--many", listed(tmp_path, "Kim", "Jo", "Ada"), "--out", out, "--contact", "new")
    assert "Made 1 packets, kept 2." in result.output
    after = many.read_names(out / "names.csv")
    assert before.items() <= after.items() and set(after) == {"Ada", "Jo", "Kim"}
    assert sent.read_bytes() == b"as it was sent"
    many.write(SWAP, Settings(), listed(tmp_path, "Kim"), out)
    assert many.read_names(out / "names.csv") == after, "who is no longer in the list is still somebody"


def test_two_calls_at_once_lose_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, read = tmp_path / "out", many.read_names

    def slowly(path: Path) -> dict[str, str]:
        found = read(path)
        time.sleep(0.3)
        return found

    monkeypatch.setattr(many, "read_names", slowly)
    lists = {"Ada": tmp_path / "one", "Jo": tmp_path / "two"}
    for name, folder in lists.items():
        folder.mkdir()
        lists[name] = listed(folder, name)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda path: many.write(SWAP, Settings(), path, out), lists.values()))
    assert set(read(out / "names.csv")) == {"Ada", "Jo"}
    assert len({path for each in made for path in each.written}) == 2


def test_a_name_that_a_spreadsheet_would_work_out_is_kept_as_text(tmp_path: Path) -> None:
    names = ["=1+1", "'quoted", "+44 Kim", "@jo", "O'Neil", "'=odd"]
    out = tmp_path / "out"
    many.write(SWAP, Settings(), listed(tmp_path, *names), out)
    codes = many.read_names(out / "names.csv")
    assert set(codes) == set(names)
    with (out / "names.csv").open(newline="") as stream:
        assert not [row for row in csv.reader(stream) if row[0].startswith(many.FORMULA)]
    many.write(SWAP, Settings(), listed(tmp_path, *names), out)
    assert many.read_names(out / "names.csv") == codes


@pytest.mark.parametrize(
    ("names", "header", "said"),
    [
        (["Ada", "Jo", "Ada"], "name,mail", "two rows have one name"),
        (["Ada", "Jo", " Ada "], "name,mail", "rows 2 and 4: two rows have one name: found Ada."),
        (["Ada", ""], "name,mail", "a row has no name"),
        (["Ada"], "who,mail", "no column `name`: found who, mail"),
        ([], "name,mail", "there is nobody in this list"),
    ],
)
def test_a_list_that_is_wrong_is_told_and_nothing_is_written(
    tmp_path: Path, names: list[str], header: str, said: str
) -> None:
    result = command(SWAP.id, "--many", listed(tmp_path, *names, header=header), "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert said in result.output
    assert not (tmp_path / "out").exists()


def test_a_list_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "candidates.csv"
    path.write_bytes("name\nJosé\n".encode("latin-1"))
    with pytest.raises(CallError, match="this list can't be read"):
        many.listed(path)
    with pytest.raises(CallError, match=r"this list can't be read: found No such file"):
        many.listed(tmp_path / "none.csv")


def test_a_list_of_who_is_who_that_was_damaged_is_never_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "names.csv").write_text("name;code\nAda;red-owl-10\n")
    with pytest.raises(CallError, match="not as it was written"):
        many.write(SWAP, Settings(), listed(tmp_path, "Ada"), out)
    assert [path.name for path in out.iterdir()] == ["names.csv"]
    assert "Ada;red" in (out / "names.csv").read_text()


# Code names that come back


def test_a_code_name_that_comes_back_is_kept() -> None:
    codes, doubts = codenames.claimed({"a.zip": "red-owl-10", "b.zip": "red-owl-11"}, {})
    assert (codes, doubts) == ({"a.zip": "red-owl-10", "b.zip": "red-owl-11"}, [])


@pytest.mark.parametrize("code", ["", "admin", "red-owl-9", "red-owl-100", "red-dragon-10", "<b>-owl-10", "red-owl-١٠"])
def test_what_is_no_code_name_is_not_taken_for_one(code: str) -> None:
    assert codenames.claimed({"a.zip": code}, {}) == ({}, [])


def test_a_code_name_that_two_bring_along_is_neithers() -> None:
    codes, doubts = codenames.claimed({"a.zip": "red-owl-10", "b.zip": "red-owl-10"}, {})
    assert codes == {}
    assert len(doubts) == 2
    drawn = codenames.draw(["a.zip", "b.zip"], codes)
    assert len(set(drawn.values())) == 2


def test_a_code_name_of_another_is_not_given_again() -> None:
    taken = {"a.zip": "red-owl-10"}
    claims = {"a.zip": "red-owl-10", "b.zip": "red-owl-10", "c.zip": "tan-owl-10"}
    codes, doubts = codenames.claimed(claims, taken, retired=["tan-owl-10"])
    assert codes == taken
    assert [doubt.partition(" ")[0] for doubt in doubts] == ["b.zip", "c.zip"]


def test_settings_are_changed_by_what_is_given_only() -> None:
    assert Settings().but(contact=None, retain_days=5) == replace(Settings(), retain_days=5)


def test_a_packet_can_be_unpacked_by_any_program(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zips.pack(made()))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert all(member.external_attr >> 16 == zips.MODE for member in archive.infolist())


def test_a_batch_goes_by_the_code_names_of_the_packets_and_merges_nobody(tmp_path: Path, zygote: Zygote) -> None:
    sent, out = tmp_path / "sent", tmp_path / "results"
    sent.mkdir()
    many.write(SWAP, Settings(), listed(tmp_path, "Ada", "Jo", "Kim"), tmp_path / "packets")
    codes = many.read_names(tmp_path / "packets" / "names.csv")
    for name, own in (("a", "Ada"), ("b", "Jo"), ("c", "Jo")):
        inside = zips.unpack((tmp_path / "packets" / f"{SWAP.id}-{codes[own]}.zip").read_bytes())
        (sent / f"{name}.zip").write_bytes(zips.pack(inside))
    (sent / "d").mkdir()
    inside = zips.unpack((tmp_path / "packets" / f"{SWAP.id}-{codes['Kim']}.zip").read_bytes())
    for path, raw in inside.items():
        (sent / "d" / path.rpartition("/")[2]).write_bytes(raw)
    (sent / "e.py").write_text("x = 1\n")

    def graded() -> tuple[run.Progress, dict[str, str]]:
        found = entries.find(sent, tmp_path / "unused").entries
        progress, _ = run.run(SWAP, found, out, local(zygote, jobs=2, require=Tier.SEPARATE_PROCESS))
        return progress, manifest.read_codes(out)

    progress, given = graded()
    assert progress.troubles == {}
    assert (given["a.zip"], given["d"]) == (codes["Ada"], codes["Kim"])
    assert codes["Jo"] not in given.values()
    assert len(set(given.values())) == 5
    assert [doubt.partition(" ")[0] for doubt in progress.doubts] == ["b.zip", "c.zip"]
    (sent / "f.zip").write_bytes((sent / "a.zip").read_bytes())
    progress, later = graded()
    assert given.items() <= later.items()
    assert len(set(later.values())) == 6
    assert [doubt.partition(" ")[0] for doubt in progress.doubts] == ["f.zip"]
