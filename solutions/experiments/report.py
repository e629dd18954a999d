"""Tables and figures, made from `results.json` alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from solutions.experiments import charts, cross, paired, panels
from solutions.experiments.keeping import replace
from solutions.experiments.references import reference

UNIT: Final = "nats per token"
Results = Mapping[str, Any]
Files = dict[str, str]


def write(results: Results, folder: Path) -> None:
    """Write results.md and the figures into a folder."""
    kinds: dict[str, Callable[[Results], Files]] = {"paired": of_paired, "depth": of_depth, "cross": of_cross}
    for name, text in kinds[results["settings"]["experiment"]](results).items():
        replace(folder / name, lambda path: path.write_text(text, encoding="utf-8"))  # noqa: B023 - called at once


def of_paired(results: Results) -> Files:
    """The arms with their ranges, the planned contrasts, the curves and the texts."""
    ours = reference(paired.QUESTION)
    settings = results["settings"]
    summary = ours.summarize({**results, "unit": UNIT, "protocol": {"steps": settings["steps"]}})
    contrasts = {name: each["differences"] for name, each in summary["contrasts"].items()}
    return {
        "results.md": ours.render_tables(summary),
        "loss.svg": charts.curves(
            "Validation loss", UNIT, histories(results, "arm"), after=min(250, settings["steps"] // 4)
        ),
        "differences.svg": charts.differences("Paired differences of the validation loss", UNIT, contrasts),
        "samples.svg": samples(results, lambda run: run["arm"]),
    }


def of_depth(results: Results) -> Files:
    """The depths with their ranges, the differences from the depth before, the curves and the texts."""
    runs, depths = results["runs"], results["settings"]["blocks"]
    final = {(run["depth"], run["seed"]): run["history"][-1] for run in runs}
    seeds = results["settings"]["seeds"]
    sizes = {run["depth"]: run["parameters"] for run in runs}
    rows = [
        [f"{depth}", f"{sizes[depth]:,}", *extent([final[depth, seed]["validation"] for seed in seeds])]
        for depth in depths
    ]
    contrasts = {
        f"{deep} - {shallow} blocks": {
            str(seed): final[deep, seed]["validation"] - final[shallow, seed]["validation"] for seed in seeds
        }
        for shallow, deep in itertools.pairwise(depths)
    }
    start = min(250, results["settings"]["steps"] // 4)
    files = {
        "results.md": f"Validation loss in {UNIT}, after the last update.\n\n"
        + table(["blocks", "parameters", "mean", "seed range"], rows)
        + "\n",
        "loss.svg": charts.curves(
            "Validation loss by depth", UNIT, histories(results, "depth", " blocks"), after=start
        ),
        "samples.svg": samples(results, lambda run: f"{run['depth']} blocks"),
    }
    if contrasts:
        files["differences.svg"] = charts.differences("Paired differences between depths", UNIT, contrasts)
    return files


def of_cross(results: Results) -> Files:
    """The table over all seeds and of each, native losses with their range, the curves, the heat map and the texts."""
    ours = reference(cross.QUESTION)
    runs, settings = results["runs"], results["settings"]
    contexts, seeds = settings["contexts"], settings["seeds"]
    head = ["trained at", *(f"{each} tokens" for each in contexts)]

    def shown(seed: int | None) -> str:
        found = ours.cross_table(runs, split="validation", seed=seed)
        cells = [["" if value is None else f"{value:.4f}" for value in row] for row in found]
        return table(head, [[str(context), *row] for context, row in zip(contexts, cells, strict=True)])

    native = [
        [f"{row['context']}", f"{row['mean']:.4f}", f"{row['lowest']:.4f} to {row['highest']:.4f}"]
        for row in ours.native_summary(runs, split="validation")
    ]
    parts = [
        f"Validation loss in {UNIT}, after the last update; mean of {len(seeds)} seeds.\n\n{shown(None)}",
        *(f"Seed {seed}.\n\n{shown(seed)}" for seed in seeds),
        "At the training context.\n\n" + table(["context", "mean", "seed range"], native),
    ]
    whole = ours.cross_table(runs, split="validation")
    return {
        "results.md": "\n\n".join(parts) + "\n",
        "loss.svg": charts.curves(
            "Validation loss at the training context",
            UNIT,
            histories(results, "context", " tokens"),
            after=min(250, settings["steps"] // 4),
        ),
        "heat-map.svg": panels.heat_map(
            "Validation loss by training context and length",
            f"Mean of {len(seeds)} seeds, in {UNIT}; darker is lower.",
            whole,
            contexts,
        ),
        "samples.svg": samples(results, lambda run: f"context {run['context']}"),
    }


def histories(results: Results, key: str, unit: str = "") -> dict[str, list[charts.History]]:
    """The validation loss over the updates, for each arm, seed by seed."""
    found: dict[str, list[charts.History]] = {}
    for run in results["runs"]:
        rows = [(entry["step"], entry["validation"]) for entry in run["history"]]
        found.setdefault(f"{run[key]}{unit}", []).append(rows)
    return found


def samples(results: Results, heading: Callable[[Any], str]) -> str:
    """What the models of the first seed wrote. Which seed that is was settled before anything ran."""
    first = results["settings"]["seeds"][0]
    runs = [run for run in results["runs"] if run["seed"] == first]
    below = f"Seed {first}, sampling seed 123, temperature 1, 100 tokens. Headings have this seed's validation loss."
    texts = {f"{heading(run)} ({run['history'][-1]['validation']:.3f})": run["sample"]["text"] for run in runs}
    return panels.texts("The same prompt, continued", below, texts, prompt=runs[0]["sample"]["prompt"])


def extent(values: Sequence[float]) -> tuple[str, str]:
    """Mean, and the range from the lowest to the highest."""
    return f"{fmean(values):.4f}", f"{min(values):.4f} to {max(values):.4f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
