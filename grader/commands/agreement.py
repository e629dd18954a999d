"""`grader agreement`: how far people agree, and how a question's criteria do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from grader.commands.common import bank_option, open_bank

if TYPE_CHECKING:
    from grader.agreement import Analysis
    from grader.agreement.items import Item
    from grader.agreement.pairs import Table

NAME: Final = 40


@click.command()
@click.argument("folder", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@bank_option
def agreement(folder: Path, as_json: bool, folders: tuple[Path, ...]) -> None:
    """Show how far people agree on the written answers, and how each criterion of the question does.

    Only marks that were made blind count. Below 20 pairs of marks agreement is too few to say; below 30 submissions no
    criterion is flagged.

    Exit status: 0 shown; 2 the call, the question or a file is wrong.
    """
    import json
    from dataclasses import asdict

    from grader import inert
    from grader.agreement import of_results
    from grader.marks import Marks
    from grader.results import Results

    results = Results.open(folder)
    spec = open_bank(folders).get(results.manifest.question).spec
    found = of_results(results, Marks.open(results), spec)
    if as_json:
        click.echo(inert.json_text(json.dumps(asdict(found), indent=2, ensure_ascii=False)))
    else:
        click.echo("\n".join(map(inert.line, [*_marking(found), "", *_criteria(found), "", *_mistakes(found)])))


def _marking(found: Analysis) -> list[str]:
    from grader.agreement import TooFew, in_words

    told = ["Agreement on written answers, of marks that were made blind"]
    width = max((len(id) for id in found.texts), default=0)
    told += [f"  {id:<{width}}  {in_words(each)}" for id, each in found.texts.items()]
    if len(found.texts) > 1:
        told.append(f"  {'all of them':<{width}}  {in_words(found.together)}")
    if found.not_counted:
        told.append(f"  {found.not_counted} marks are not counted: not blind, outdated, or not assessed")
    if not isinstance(found.together, TooFew):
        told += ["", "Levels that pairs of people gave; the lower one is the row", *_table(found.together.levels)]
    for each in found.people:
        told += ["", f"{each.one} is the row and {each.other} the column, {each.pairs} answers"]
        told += [f"  {each.levels.state}"] if isinstance(each.levels, TooFew) else _table(each.levels)
    return told + [f"  {trouble}" for trouble in found.troubles]


def _table(counts: Table) -> list[str]:
    from grader.rubric.levels import Level

    names = [level.value for level in Level]
    width = max(map(len, names))
    head = "  " + " " * width + "".join(f"  {name:>{width}}" for name in names)
    rows = zip(names, counts, strict=True)
    return [head, *(f"  {name:<{width}}" + "".join(f"  {count:>{width}}" for count in row) for name, row in rows)]


def _criteria(found: Analysis) -> list[str]:
    from grader.agreement.items import FEWEST

    told = [f"Criteria, over {found.items.submissions} submissions", f"  {'':<{NAME}}  passed  item-rest"]
    told += [line for item in found.items.items for line in _item(item)]
    if any(item.flags is None for item in found.items.items):
        told.append(f"  Nothing is flagged where a criterion was measured in fewer than {FEWEST} submissions.")
    return told


def _item(item: Item) -> list[str]:
    from grader import inert
    from grader.agreement.pairs import percent

    passed = "–" if item.difficulty is None else percent(item.difficulty)
    correlation = "–" if item.item_rest is None else f"{item.item_rest:+.2f}"
    line = f"  {inert.short(item.id, NAME):<{NAME}}  {passed:>6}  {correlation:>9}"
    return [line, *(f"    ! {flag}" for flag in item.flags or ())]


def _mistakes(found: Analysis) -> list[str]:
    met = {id: count for id, count in found.items.misconceptions.items() if count}
    told = ["Misconceptions that were met", *([] if met else ["  none"])]
    told += [f"  {count:>4}  {found.titles.get(id, id)} ({id})" for id, count in met.items()]
    rest = len(found.items.misconceptions) - len(met)
    return [*told, f"  Nobody made the other {rest} that the question knows."] if rest and met else told
