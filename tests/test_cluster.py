"""A batch on a cluster: the same results as here, from nodes that agree, and nothing is believed unread."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from benchmarks.same import results_of
from grader.batch import entries, run
from grader.batch.crew import local
from grader.batch.entries import Entry
from grader.cli import main
from grader.cluster import parcel, reply
from grader.cluster.terms import Terms
from grader.errors import CallError, GraderError, GraderFault, TooLittleIsolation
from grader.examine.zygote import Zygote
from grader.grade import Engine
from grader.question import Question
from grader.report import Report
from grader.sandbox.tiers import Tier
from grader.scaffold import make

if TYPE_CHECKING:
    from benchmarks.nodes import Nodes

KEY = "grade-00"


@pytest.fixture(scope="module")
def terms(small: Question) -> Terms:
    """Those of a batch over the small question."""
    return Terms.of(small, None, (small.folder.parent,), Tier.SEPARATE_PROCESS, "00" * 32)


@pytest.fixture(scope="module")
def report(small: Question, zygote: Zygote) -> Report:
    """The report of the small question's reference."""
    with Engine(small, zygote, require=Tier.SEPARATE_PROCESS) as engine:
        return engine.grade(small.solutions / "reference.py")


def opened(answer: object, terms: Terms, small: Question) -> Report | GraderError:
    """A reply, read as that to the task of the reference."""
    return reply.opened(answer, terms, KEY, small, "reference.py")


def test_a_reply_comes_back_as_it_was(terms: Terms, small: Question, report: Report) -> None:
    assert opened(reply.sealed(terms, KEY, report), terms, small) == report
    error = CallError("there is nothing", where="a.py", next_step="Look.")
    told = opened(reply.sealed(terms, KEY, error), terms, small)
    assert isinstance(told, CallError) and str(told) == str(error)


def test_a_reply_that_was_altered_is_refused(terms: Terms, small: Question, report: Report) -> None:
    whole = reply.sealed(terms, KEY, report)
    for place in (0, 31, 32, len(whole) // 2, len(whole) - 1):
        altered = bytearray(whole)
        altered[place] ^= 1
        with pytest.raises(GraderFault, match="its seal is not of this task"):
            opened(bytes(altered), terms, small)


@pytest.mark.parametrize("answer", [b"", b"x" * 32, "text", None, {"report": {}}, 7])
def test_what_is_no_reply_is_refused(terms: Terms, small: Question, answer: object) -> None:
    with pytest.raises(GraderFault, match="it is no reply"):
        opened(answer, terms, small)


def test_the_reply_to_another_task_or_batch_is_refused(terms: Terms, small: Question, report: Report) -> None:
    for other in (reply.sealed(terms, "grade-01", report), reply.sealed(replace(terms, secret="01" * 32), KEY, report)):
        with pytest.raises(GraderFault, match="its seal is not of this task"):
            opened(other, terms, small)


def put(fields: Any, path: str, value: Any) -> None:
    """Set a value deep inside."""
    *above, last = path.split(".")
    for step in above:
        fields = fields[int(step)] if isinstance(fields, list) else fields[step]
    fields[last] = value


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("question.digest", "0" * 64, "it is of the question"),
        ("submission.name", "another.py", "it is of another.py"),
        ("seed", 7, "it is of the seed 7"),
        ("environment.torch", "1.0", "torch 1.0 there"),
        ("criteria.0.id", "made-up", "its criteria are not the question's"),
        ("criteria.0.points", 1000.0, "its criteria are not the question's"),
        ("criteria.0.earned", 0.0, "its points are not those of its outcomes"),
        ("criteria.0.outcome", "failed", "its points are not those of its outcomes"),
        ("score.earned", 1.0, "its score is not the sum of its points"),
        ("verdict", "failed", "its verdict does not follow"),
        ("verdict", "refused", "it is refused, and measured all the same"),
        ("isolation.tier", "none", "it was made in the tier none"),
        ("isolation.tier", 3, "it is no report: isolation.tier"),
        ("score", None, "it is no report: score"),
        ("more", 1, "it is no report: more"),
        ("schema", "other/1", "it is no report: schema_"),
    ],
)
def test_a_report_that_was_not_asked_for_or_does_not_add_up_is_refused(
    terms: Terms, small: Question, report: Report, path: str, value: Any, why: str
) -> None:
    """Also if whoever made it holds the batch's secret."""
    fields = json.loads(report.to_json())
    put(fields, path, value)
    with pytest.raises(GraderFault) as caught:
        opened(resealed(terms, {"report": fields}), terms, small)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"report": []},
        {"report": {}, "error": {}},
        {"error": {"kind": "SystemExit", "what": "x"}},
        {"error": {"kind": "CallError", "what": "x", "where": 1, "found": "", "expected": "", "next_step": ""}},
        {"error": {"kind": "CallError", "what": "x"}},
    ],
)
def test_text_that_is_no_report_and_no_error_is_refused(terms: Terms, small: Question, body: Any) -> None:
    with pytest.raises(GraderFault, match="the reply of a node was refused"):
        opened(resealed(terms, body), terms, small)


def resealed(terms: Terms, body: Any) -> bytes:
    """A reply with this body."""
    text = json.dumps(body).encode()
    return reply.seal(terms, KEY, text) + text


def test_a_parcel_brings_along_what_grading_looks_at(tmp_path: Path) -> None:
    sent = tmp_path / "ann b"
    (sent / "inner" / "deep" / "deeper" / "deepest").mkdir(parents=True)
    (sent / "inner" / "solution.py").write_text("x = 1\n", "utf-8")
    (sent / "inner" / "deep" / "notes.txt").write_text("y", "utf-8")
    (sent / "inner" / "deep" / "deeper" / "deepest" / "far.txt").write_text("z", "utf-8")
    (sent / "inner" / "deep" / "deeper" / "near.txt").write_text("z", "utf-8")
    (sent / "inner" / "link.py").symlink_to("/etc/passwd")
    os.mkfifo(sent / "inner" / "pipe")
    got = parcel.unpack(parcel.pack(sent), tmp_path / "node")
    assert got == tmp_path / "node" / "ann b"
    assert (got / "inner" / "solution.py").read_text("utf-8") == "x = 1\n"
    assert (got / "inner" / "deep" / "deeper" / "near.txt").is_file()
    assert (got / "inner" / "link.py").is_symlink() and (got / "inner" / "pipe").is_fifo()
    assert not (got / "inner" / "deep" / "deeper" / "deepest" / "far.txt").exists()


def test_a_parcel_unpacks_nothing_outside(tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    sent.mkdir()
    (sent / "up").symlink_to(tmp_path)
    whole = parcel.pack(sent).replace(b"sent/up", b"../.././")
    with pytest.raises(CallError, match="can't be unpacked"):
        parcel.unpack(whole, tmp_path / "node")


def test_a_socket_and_nothing_make_no_parcel_of_a_batch_fail(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        with pytest.raises(CallError, match="sent nothing to grade"):
            parcel.unpack(parcel.pack(tmp_path / "socket"), tmp_path / "node")
    with pytest.raises(CallError, match="can't be sent to a node"):
        parcel.pack(tmp_path / "missing.py")


def test_a_question_or_a_version_that_differs_is_told(terms: Terms, small: Question) -> None:
    assert terms.find_question().digest == small.digest
    assert Terms.from_bytes(terms.to_bytes()) == terms
    with pytest.raises(GraderFault, match="the question row-softmax is another"):
        replace(terms, digest="0" * 64).find_question()
    with pytest.raises(GraderFault, match=r"numpy .* there, 1\.0 here"):
        replace(terms, versions={**terms.versions, "numpy": "1.0"}).find_question()
    with pytest.raises(CallError, match="there is no such question"):
        replace(terms, folders=()).find_question()


def test_a_cluster_that_is_not_there_is_told(small: Question, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    call = ["batch", str(tmp_path), "-o", str(tmp_path / "out"), "-q", small.id]
    call += ["--questions", str(small.folder.parent), "--cluster"]
    result = CliRunner().invoke(main, [*call, "nowhere"])
    assert result.exit_code == 2 and "the cluster can't be reached" in result.output
    assert CliRunner().invoke(main, [*call, "nowhere", "--jobs", "2"]).exit_code == 2


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """A cluster of two nodes."""
    pytest.importorskip("distributed")
    from benchmarks.nodes import Nodes

    with Nodes(2) as nodes:
        nodes.await_workers(2)
        yield nodes


SENT = ("reference.py", "wrong/over-the-first-axis.py", "wrong/overflows.py", "unusual/torch-softmax.py")


@pytest.fixture
def folder(small: Question, tmp_path: Path) -> Path:
    """Submissions of every kind, and one that is none."""
    source = tmp_path / "sent"
    source.mkdir()
    for path in SENT:
        shutil.copy(small.solutions / path, source / Path(path).name)
    (source / "broken.py").write_text("def broken(:\n", "utf-8")
    (source / "folder").mkdir()
    shutil.copy(small.solutions / "reference.py", source / "folder" / "solution.py")
    (source / "folder" / "extra.txt").symlink_to("/etc/passwd")
    (source / "nothing").mkdir()
    return source


def test_a_cluster_gives_the_results_that_this_machine_gives(
    nodes: Nodes, small: Question, zygote: Zygote, folder: Path, tmp_path: Path
) -> None:
    call = ["batch", str(folder), "-q", small.id, "--questions", str(small.folder.parent), "--allow-unsandboxed"]
    result = CliRunner().invoke(main, [*call, "-o", str(tmp_path / "far"), "--cluster", str(nodes.scheduler_file)])
    assert result.exit_code == 3, (result.output, nodes.log())
    assert "Graded 6, kept 0 of 7" in result.output
    found = entries.find(folder, tmp_path / "unused").entries
    progress, _ = run.run(small, found, tmp_path / "near", local(zygote, jobs=2, require=Tier.SEPARATE_PROCESS))
    (tmp_path / "far" / "summary.html").unlink()  # which is the command's to write
    assert results_of(tmp_path / "far") == results_of(tmp_path / "near")
    assert progress.troubles["nothing"] in result.output, "in the words of this machine, with its paths"
    again = CliRunner().invoke(main, [*call, "-o", str(tmp_path / "far")])
    assert "Graded 0, kept 6 of 7" in again.output, "what a node graded is not graded again here"


def test_a_regrade_on_a_cluster_comes_to_what_this_machine_comes_to(
    nodes: Nodes, small: Question, folder: Path, tmp_path: Path
) -> None:
    """With a question that has changed since."""
    make(small.id, tmp_path / "bank")
    call = ["--questions", str(tmp_path / "bank"), "--allow-unsandboxed"]
    graded = CliRunner().invoke(main, ["batch", str(folder), "-q", small.id, "-o", str(tmp_path / "near"), *call])
    assert "Graded 6" in graded.output
    shutil.copytree(tmp_path / "near", tmp_path / "far")
    check = tmp_path / "bank" / small.id / "hidden" / "test_softmax.py"
    check.write_text(check.read_text("utf-8").replace("rng.uniform(0, 2000", "rng.uniform(0, 2"), "utf-8")
    spec = tmp_path / "bank" / small.id / "question.yaml"
    spec.write_text(spec.read_text("utf-8").replace("version: 1", "version: 2"), "utf-8")
    again = ["regrade", *call, "--apply", "--json"]
    far = CliRunner().invoke(main, [*again, str(tmp_path / "far"), "--cluster", str(nodes.scheduler_file)])
    near = CliRunner().invoke(main, [*again, str(tmp_path / "near")])
    assert far.exit_code == near.exit_code == 0, (far.output, nodes.log())
    assert json.loads(far.stdout)["changes"] == json.loads(near.stdout)["changes"]
    both = CliRunner().invoke(main, [*again, str(tmp_path / "far"), "--cluster", "x", "--jobs", "2"])
    assert both.exit_code == 2 and "--nthreads" in both.output


def test_nodes_that_differ_are_not_used_and_a_cluster_of_them_is_refused(
    nodes: Nodes, small: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader import environment
    from grader.cluster.crew import remote

    folders = (small.folder.parent,)
    address = str(nodes.scheduler_file)
    with pytest.raises(CallError, match="no node of this cluster can be used") as caught:
        remote(address, (), require=Tier.SEPARATE_PROCESS)(small, None, 1)
    assert str(caught.value).count("there is no such question") == 2, "each node says why"
    other = {**environment.versions(), "torch": "9.9"}
    monkeypatch.setattr(environment, "versions", lambda: other)
    with pytest.raises(CallError, match=r"torch .* there, 9\.9 here"):
        remote(address, folders, require=Tier.SEPARATE_PROCESS)(small, None, 1)


def test_nodes_that_keep_workers_apart_too_little_are_not_used(small: Question) -> None:
    """The real thing: a node in which no namespace can be made is no better than confined."""
    pytest.importorskip("distributed")
    if os.geteuid() != 0:
        pytest.skip("needs root, to have a node that can't make namespaces")
    from benchmarks.nodes import Nodes
    from grader.cluster.crew import remote

    folders = (small.folder.parent,)
    with Nodes(0) as nodes:
        nodes.add(launcher=[str(Path(__file__).with_name("launch.py")), "--no-namespaces"])
        with pytest.raises(TooLittleIsolation, match="no node of this cluster can be used"):
            remote(str(nodes.scheduler_file), folders, require=Tier.SEALED)(small, None, 1)
        nodes.add()
        nodes.await_workers(2)
        with remote(str(nodes.scheduler_file), folders, require=Tier.SEALED)(small, None, 4) as crew:
            assert len(crew.notes) == 1 and "is not used: workers are not kept apart well enough" in crew.notes[0]
            sent = [Entry(f"{n}.py", small.solutions / "reference.py") for n in range(4)]
            tiers = {outcome.isolation.tier for _, outcome in crew.grade(sent) if isinstance(outcome, Report)}
        assert tiers == {"sealed"}, "all of it was done by the other"
