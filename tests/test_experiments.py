"""The full experiments: they run the references, lose nothing when they are stopped, and draw what they measured."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

from benchmarks.faults import let_interrupt
from grader.errors import CallError
from solutions.experiments import charts, corpus, cross, depth, paired, panels, report
from solutions.experiments.keeping import Folder, differing
from solutions.experiments.progress import Progress, span
from solutions.experiments.references import reference

pytest.importorskip("tokenizers", reason="the extra `experiments` is not installed")

ROOT = Path(__file__).resolve().parent.parent
WORDS = [
    "tide",
    "boat",
    "gull",
    "wall",
    "sand",
    "rope",
    "harbour",
    "lantern",
    "morning",
    "weather",
    "captain",
    "letter",
    "island",
]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of some thousand words."""
    draws = torch.randint(len(WORDS), (4000,), generator=torch.Generator().manual_seed(1)).tolist()
    path = tmp_path_factory.mktemp("text") / "words.txt"
    path.write_text(" ".join(WORDS[each] for each in draws), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tokens(text: Path) -> corpus.Corpus:
    """Its tokens."""
    torch.set_num_threads(1)
    return corpus.prepare(corpus.read(text), 280, 400)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """A folder of an experiment."""
    held = Folder(tmp_path / "out", {"steps": 5}, resume=False)
    yield held
    held.close()


def command(name: str, text: Path, out: Path, *more: str) -> list[str]:
    """A small experiment's command."""
    given = ["--corpus", str(text), "--out", str(out), "--vocabulary", "280", "--seeds", "42"]
    return [sys.executable, "-m", "solutions.experiments", name, *given, *more]


def run(*args: Any) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(command(*args), cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def results(out: Path) -> Any:
    """What it measured, without its timing."""
    found = json.loads((out / "results.json").read_text("utf-8"))
    del found["timing"]
    return found


# The text


def test_without_a_file_the_text_is_that_of_this_python() -> None:
    text = corpus.read(None)
    assert text.name == "pydoc_data.topics"
    assert len(text.text) > 100_000
    assert text.sha256 == corpus.read(None).sha256


def test_tokens_stand_for_the_text_and_the_hash_for_its_bytes(text: Path, tokens: corpus.Corpus) -> None:
    whole = text.read_text("utf-8")
    decoded = [tokens.decode(ids.tolist()) for ids in tokens.splits.values()]
    assert "".join(decoded) == whole
    assert len(decoded[0]) == int(0.9 * len(whole))
    assert tokens.about["sha256"] == corpus.read(text).sha256
    assert str(text.parent) not in json.dumps(tokens.about)


def test_the_vocabulary_knows_nothing_of_the_validation_text(tmp_path: Path) -> None:
    path = tmp_path / "halves.txt"
    path.write_text("tide " * 900 + "qqzz " * 100, encoding="utf-8")
    found = corpus.prepare(corpus.read(path), 300, 10)
    tokens = found.tokenizer.get_vocab()
    assert any("tide" in token for token in tokens)
    assert not any("qq" in token for token in tokens)


@pytest.mark.parametrize(("held", "says"), [(b"\xff\xfe words", "UTF-8"), (b"tide", "too short")])
def test_a_text_that_can_not_be_used_is_refused(tmp_path: Path, held: bytes, says: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(held)
    with pytest.raises(CallError, match=says):
        corpus.prepare(corpus.read(path), 280, 400)


# The same code as the references


def test_the_paired_experiment_is_that_of_the_reference(tokens: corpus.Corpus, tmp_path: Path) -> None:
    ours = reference(paired.QUESTION)
    plan = paired.protocol(steps=4, evaluate_at=paired.schedule(4, 2), seeds=(42,))
    expected = ours.run_experiment(tokens.splits, tokens.vocab_size, plan, tmp_path)["runs"]
    jobs = paired.jobs(tokens, steps=4, seeds=[42], eval_every=2)
    assert [job.name for job in jobs] == [f"{arm}-seed-42" for arm in ("bigram", "blocks", "sinusoidal")]
    for job, run in zip(jobs, expected, strict=True):
        training = job.make()
        for _ in range(4):
            training.advance(1)
        measured = job.measured(training)
        assert (measured["arm"], measured["parameters"], measured["history"]) == (
            run["arm"],
            run["parameters"],
            run["history"],
        )


def test_the_cross_evaluation_is_that_of_the_reference(tokens: corpus.Corpus) -> None:
    ours, contexts = reference(cross.QUESTION), [32, 128]
    models = ours.build_models(tokens.vocab_size, contexts, seed=42, **cross.MODEL)
    data = {split: ids.tolist() for split, ids in tokens.splits.items()}
    expected = ours.cross_evaluate(
        models,
        contexts,
        data,
        steps=3,
        targets=cross.TARGETS,
        count=cross.COUNT,
        eval_every=2,
        seed=42,
        evaluation_seed=cross.EVALUATION_SEED,
    )
    for job, run in zip(cross.jobs(tokens, contexts, steps=3, seeds=[42], eval_every=2), expected, strict=True):
        training = job.make()
        training.advance(2)
        training.advance(1)
        measured = job.measured(training)
        assert measured["cells"] == run["cells"]
        assert [each["validation"] for each in measured["history"]] == [
            each["validation_loss"] for each in run["history"]
        ]


def test_a_training_that_is_saved_and_loaded_goes_on_bit_for_bit(tokens: corpus.Corpus, tmp_path: Path) -> None:
    (job,) = cross.jobs(tokens, [32], steps=5, seeds=[7], eval_every=2)
    whole, first, second = (job.make() for _ in range(3))
    whole.advance(5)
    first.advance(3)
    first.save(tmp_path / "half.pt")
    second.load(tmp_path / "half.pt")
    second.advance(2)
    assert job.measured(second) == job.measured(whole)
    fresh = job.make()
    fresh.advance(5)
    fresh.advance(0)
    assert job.measured(fresh) == job.measured(whole)


def test_shallow_and_deep_models_start_alike(tokens: corpus.Corpus) -> None:
    one, two = depth.jobs(tokens, [1, 2], steps=2, seeds=[42], eval_every=1)
    shallow, deep = (job.make().model.state_dict() for job in (one, two))  # type: ignore[attr-defined]
    assert set(shallow) < set(deep)
    assert all(torch.equal(value, deep[name]) for name, value in shallow.items())


def test_evaluations_are_at_the_start_the_end_and_between() -> None:
    assert paired.schedule(10_000, 500)[:6] == (0, 10, 30, 100, 250, 500)
    assert paired.schedule(10_000, 500)[-1] == 10_000
    assert paired.schedule(7, 3) == (0, 3, 6, 7)


# Stopped, and gone on with


@pytest.mark.long
def test_killed_or_interrupted_at_any_moment_it_comes_to_the_same_numbers(text: Path, tmp_path: Path) -> None:
    more = ("--steps", "60", "--keep-every", "7", "--eval-every", "20")
    assert run("paired", text, tmp_path / "whole", *more).returncode == 0

    out, signals = tmp_path / "stopped", [signal.SIGKILL, signal.SIGINT, signal.SIGKILL]
    for place, number in enumerate(signals):
        process = subprocess.Popen(
            [*command("paired", text, out, *more), *(["--resume"] if place else [])],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=let_interrupt,
        )
        wait_for_more(out, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
        if process.returncode == 0:
            break  # it was done before the signal came
        if number == signal.SIGINT:
            assert process.returncode == 130, said
            assert "--resume" in said
    last = run("paired", text, out, *more, "--resume")
    assert last.returncode == 0, last.stderr
    assert results(out) == results(tmp_path / "whole")
    for name in ("loss.svg", "differences.svg", "samples.svg", "results.md"):
        assert (out / name).read_text("utf-8") == (tmp_path / "whole" / name).read_text("utf-8")


def wait_for_more(out: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a checkpoint was written that was not there before, or the process is done."""

    def seen() -> dict[str, float]:
        return {each.name: each.stat().st_mtime for each in (out / "checkpoints").glob("*.pt")}

    before = seen()
    while process.poll() is None and seen() == before:
        time.sleep(0.02)


@pytest.mark.long
def test_a_folder_is_not_begun_twice_nor_gone_on_with_otherwise(text: Path, tmp_path: Path) -> None:
    more = ("--steps", "2", "--contexts", "8,32")
    assert run("cross", text, tmp_path / "out", *more).returncode == 0
    again = run("cross", text, tmp_path / "out", *more)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    other = run("cross", text, tmp_path / "out", "--steps", "3", "--contexts", "8,32", "--resume")
    assert other.returncode == 2
    assert "another steps" in other.stderr
    assert "Traceback" not in again.stderr + other.stderr


@pytest.mark.long
def test_two_runs_at_a_time_measure_what_one_does(text: Path, tmp_path: Path) -> None:
    for name, processes in (("one", "1"), ("two", "2")):
        done = run("depth", text, tmp_path / name, "--steps", "4", "--depths", "1,2", "--processes", processes)
        assert done.returncode == 0, done.stderr
    assert results(tmp_path / "one") == results(tmp_path / "two")


def test_a_folder_has_one_process_at_a_time(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solutions.experiments.keeping.PATIENCE", 0.0)
    with pytest.raises(CallError, match="another process"):
        Folder(folder.path, {"steps": 5}, resume=True)


def test_a_damaged_checkpoint_says_what_to_do(folder: Folder) -> None:
    (folder.path / "checkpoints" / "arm.pt").write_bytes(b"PK but no more")
    with pytest.raises(CallError, match=r"arm\.pt.*Remove it"):
        folder.load("arm", lambda path: torch.load(path, weights_only=True))


def test_a_file_is_replaced_whole_or_not_at_all(folder: Folder) -> None:
    folder.write_text("note.txt", "old")

    def half(path: Path) -> None:
        path.write_text("new, but not")
        raise OSError(28, "No space left on device")

    with pytest.raises(CallError, match="nothing is lost"):
        folder.replace("note.txt", half)
    assert (folder.path / "note.txt").read_text() == "old"


@pytest.mark.parametrize(
    ("begun", "asked", "name"),
    [
        ({"steps": 1}, {"steps": 2}, "steps"),
        ({"corpus": {"sha256": "a"}}, {"corpus": {"sha256": "b"}}, "corpus sha256"),
        ({"steps": 1, "old": 3}, {"steps": 1}, "old"),
    ],
)
def test_a_setting_that_is_another_is_named(begun: Any, asked: Any, name: str) -> None:
    found = differing(begun, asked)
    assert found is not None
    assert found[0] == name
    assert differing(asked, asked) is None


# What is said on the way


def test_the_time_left_counts_each_kind_at_its_own_pace() -> None:
    progress = Progress(["a", "b", "c", "d"], ["fast", "slow", "fast", "slow"], 100, 1)
    assert progress.left([0, 0, 0, 0], [0.0] * 4) is None
    assert progress.left([100, 50, 0, 0], [1.0, 50.0, 0.0, 0.0]) == pytest.approx(50 + 1 + 100)
    two = Progress(["a", "b"], ["slow", "slow"], 100, 2)
    assert two.left([100, 0], [10.0, 0.0]) == pytest.approx(10)  # one job can't be done by two
    assert "1 of 4 runs done; b 50 of 100 (1/s); 3 min left" in progress.words([100, 50, 0, 0], [1.0, 50.0, 0.0, 0.0])
    assert [span(each) for each in (45, 150, 9000)] == ["45 s", "2 min", "2.5 h"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["cross", "--contexts", "8,100"], "divisor of 256"),
        (["depth", "--depths", "0"], "1 to 64"),
        (["paired", "--seeds", "1,1"], "twice"),
        (["paired", "--corpus", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_bad_options_are_told_in_a_sentence(args: list[str], says: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from solutions.experiments.cli import main

    told = CliRunner().invoke(main, [*args, "--out", str(tmp_path / "out")])
    assert told.exit_code == 2
    assert says in told.output
    assert "Traceback" not in told.output


# Tables and figures


def measured(losses: dict[tuple[str, int], float]) -> dict[str, Any]:
    """The results of a paired experiment with these final validation losses, by arm and seed."""
    sample = {"prompt": "The tide\n", "text": "comes <in> & \x1b[31mgoes\nout" + " and on" * 30}
    runs = [
        {
            "arm": arm,
            "seed": seed,
            "parameters": 10,
            "history": [{"step": step, "train": 1.0, "validation": loss + left} for step, left in ((0, 3.0), (8, 0.0))],
            "sample": sample,
        }
        for (arm, seed), loss in losses.items()
    ]
    seeds = sorted({seed for _, seed in losses})
    return {"settings": {"experiment": "paired", "steps": 8, "seeds": seeds}, "runs": runs}


LOSSES = {
    ("bigram", 1): 4.0,
    ("blocks", 1): 3.5,
    ("sinusoidal", 1): 3.25,
    ("bigram", 2): 4.5,
    ("blocks", 2): 3.75,
    ("sinusoidal", 2): 3.625,
}


def test_tables_and_figures_say_what_was_measured() -> None:
    files = report.of_paired(measured(LOSSES))
    assert "| blocks | 10 |" in files["results.md"]
    assert "3.6250 | 3.5000 to 3.7500" in files["results.md"]
    differences = ElementTree.fromstring(files["differences.svg"])
    says = differences.findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert "blocks - bigram: seed 1 -0.5000, seed 2 -0.7500" in says
    assert "mean -0.6250" in files["differences.svg"]
    assert "confidence" not in "".join(files.values()).lower().replace("no confidence", "")


def test_figures_are_whole_and_hold_a_strangers_text_as_text() -> None:
    for name, text in report.of_paired(measured(LOSSES)).items():
        if name.endswith(".svg"):
            root = ElementTree.fromstring(text)
            assert root.findtext("{http://www.w3.org/2000/svg}title")
            assert "\x1b" not in text
            assert "<in>" not in text
            assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_dot_stands_left_of_zero_where_the_difference_is_below_it() -> None:
    picture = ElementTree.fromstring(charts.differences("d", "nats", {"a - b": {"1": -0.5, "2": 0.25}}))
    dots = [float(each.get("cx", "")) for each in picture.iter("{http://www.w3.org/2000/svg}circle")]
    zero = next(
        float(each.get("x", ""))
        for each in picture.iter("{http://www.w3.org/2000/svg}text")
        if each.text == "0" and each.get("text-anchor") == "middle"
    )
    assert dots[0] < zero < dots[1]


def test_a_curve_is_the_mean_and_its_band_the_range_of_the_seeds() -> None:
    rows = charts.spread([[(0, 9.0), (5, 2.0)], [(0, 8.0), (5, 4.0)]], after=1)
    assert rows == [(5, 2.0, 3.0, 4.0)]


def test_a_heat_map_leaves_cells_without_a_number_empty() -> None:
    picture = panels.heat_map("h", "b", [[3.0, None], [2.5, 2.0]], [8, 32])
    assert picture.count(".000</text>") + picture.count(".500</text>") == 3
    assert "trained at 8: 3.000 at 8; trained at 32: 2.500 at 8, 2.000 at 32" in picture


def test_figures_can_be_drawn_again_from_the_results(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from solutions.experiments.cli import main

    (tmp_path / "results.json").write_text(json.dumps(measured(LOSSES)), encoding="utf-8")
    told = CliRunner().invoke(main, ["figures", str(tmp_path)])
    assert told.exit_code == 0, told.output
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"differences.svg", "loss.svg", "results.json", "results.md", "samples.svg"}
    (tmp_path / "results.json").write_text("{", encoding="utf-8")
    broken = CliRunner().invoke(main, ["figures", str(tmp_path)])
    assert broken.exit_code == 2
    assert "can't be read" in broken.output


def test_a_protocol_can_be_changed_and_stays_one() -> None:
    plan = paired.protocol(steps=5, evaluate_at=(0, 5), blocks=2)
    assert (plan.steps, plan.blocks, plan.width) == (5, 2, 32)
    assert replace(plan, blocks=6).blocks == 6
