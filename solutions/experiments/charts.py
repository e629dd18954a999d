"""Charts of losses: curves with the range of the seeds, and differences that are paired by seed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from statistics import fmean

from solutions.experiments.svg import (
    COLOURS,
    DASHES,
    GRID,
    INK,
    QUIET,
    Axis,
    area,
    dot,
    line,
    page,
    words,
)

History = Sequence[tuple[int, float]]  # step and loss
WIDTH, HEIGHT = 760.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 150.0, 56.0, 48.0


def curves(title: str, unit: str, arms: Mapping[str, Sequence[History]], *, after: int = 0) -> str:
    """The loss of each arm over the updates: the mean of its seeds, and the range from the lowest to the highest.

    Args:
        title: what is shown.
        unit: of the losses.
        arms: for each arm, the history of each seed; all have the same steps.
        after: the first step that is shown, so that the start does not flatten the rest.
    """
    shown = {name: spread(seeds, after) for name, seeds in arms.items()}
    steps = [step for rows in shown.values() for step, *_ in rows]
    losses = [loss for rows in shown.values() for _, low, _, high in rows for loss in (low, high)]
    across = Axis(min(steps), max(steps), LEFT, WIDTH - RIGHT)
    up = Axis(*padded(losses), HEIGHT - BOTTOM, TOP)
    seeds = max(len(each) for each in arms.values())
    parts = frame(title, f"Mean of {seeds} seeds; the band goes from the lowest to the highest.", across, up)
    parts += [
        words(across.at(each), HEIGHT - 28, f"{each:,.0f}", anchor="middle", fill=QUIET) for each in across.ticks()
    ]
    parts.append(words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "updates", anchor="middle", fill=QUIET))
    parts.append(words(16, (TOP + HEIGHT - BOTTOM) / 2, unit, anchor="middle", fill=QUIET, turned=True))
    ends = apart([up.at(rows[-1][2]) for rows in shown.values()], 17)
    for place, ((name, rows), end) in enumerate(zip(shown.items(), ends, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        lower = [(across.at(step), up.at(low)) for step, low, _, _ in rows]
        upper = [(across.at(step), up.at(high)) for step, _, _, high in rows]
        middle = [(across.at(step), up.at(mean)) for step, _, mean, _ in rows]
        parts += [area(lower + upper[::-1], colour), line(middle, colour, dash=DASHES[place % len(DASHES)])]
        parts.append(words(WIDTH - RIGHT + 8, end + 4, f"{name} {rows[-1][2]:.3f}", fill=colour, bold=True))
    says = "; ".join(f"{name} goes from {rows[0][2]:.3f} to {rows[-1][2]:.3f}" for name, rows in shown.items())
    return page(WIDTH, HEIGHT, title, f"Mean losses in {unit} over the updates: {says}.", parts)


def differences(title: str, unit: str, contrasts: Mapping[str, Mapping[str, float]]) -> str:
    """One row for each contrast: the difference of each seed, and their mean.

    Args:
        title: what is shown.
        unit: of the differences.
        contrasts: for each contrast, the difference by seed.
    """
    height = TOP + 92.0 * len(contrasts) + BOTTOM
    values = [value for by_seed in contrasts.values() for value in by_seed.values()]
    across = Axis(*padded([*values, 0.0]), 190, WIDTH - 40)
    parts = [words(20, 26, title, size=16, bold=True)]
    parts.append(
        words(
            20, 44, "A dot for each seed, a bar at their mean; left of zero the first one named is lower.", fill=QUIET
        )
    )
    bottom = height - BOTTOM
    for tick in across.ticks():
        zero = abs(tick) < 1e-9
        parts.append(line([(across.at(tick), TOP), (across.at(tick), bottom)], INK if zero else GRID, width=1))
        parts.append(
            words(across.at(tick), bottom + 18, f"{tick:+.3g}" if not zero else "0", anchor="middle", fill=QUIET)
        )
    parts.append(words((190 + WIDTH - 40) / 2, height - 10, unit, anchor="middle", fill=QUIET))
    for row, (name, by_seed) in enumerate(contrasts.items()):
        middle = TOP + 92 * row + 46
        mean, colour = fmean(by_seed.values()), COLOURS[1 + row % 2]
        parts.append(words(20, middle, name, bold=True))
        parts.append(words(20, middle + 18, f"mean {mean:+.4f}", fill=QUIET))
        parts.append(line([(across.at(mean), middle - 30), (across.at(mean), middle + 30)], colour, width=3))
        for place, (seed, value) in enumerate(by_seed.items()):
            y = middle + 20 * (place - (len(by_seed) - 1) / 2)
            parts += [dot(across.at(value), y, colour), words(across.at(value) + 9, y + 4, seed, size=11, fill=QUIET)]
    says = "; ".join(
        f"{name}: " + ", ".join(f"seed {seed} {value:+.4f}" for seed, value in by_seed.items())
        for name, by_seed in contrasts.items()
    )
    return page(WIDTH, height, title, f"Differences in {unit}. {says}.", parts)


def spread(seeds: Sequence[History], after: int) -> list[tuple[int, float, float, float]]:
    """Step, lowest, mean and highest loss over the seeds, for each step from `after` on."""
    rows = []
    for entries in zip(*seeds, strict=True):
        step, losses = entries[0][0], [loss for _, loss in entries]
        if step >= after:
            rows.append((step, min(losses), fmean(losses), max(losses)))
    return rows


def padded(values: Sequence[float]) -> tuple[float, float]:
    """The range of some numbers, and a little more."""
    low, high = min(values), max(values)
    more = 0.06 * (high - low) or max(0.1, 0.01 * abs(high))
    return low - more, high + more


def frame(title: str, below: str, across: Axis, up: Axis) -> list[str]:
    """Title and grid."""
    parts = [words(20, 26, title, size=16, bold=True), words(20, 44, below, fill=QUIET)]
    for tick in up.ticks():
        parts.append(line([(across.start, up.at(tick)), (across.end, up.at(tick))], GRID, width=1))
        parts.append(words(across.start - 8, up.at(tick) + 4, f"{tick:g}", anchor="end", fill=QUIET))
    return parts


def apart(places: Sequence[float], least: float) -> list[float]:
    """The places, moved down until no two are closer than `least`; in the order given."""
    found = list(places)
    order = sorted(range(len(places)), key=lambda each: places[each])
    for before, after in itertools.pairwise(order):
        found[after] = max(found[after], found[before] + least)
    return found
