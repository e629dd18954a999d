"""The model card of the second reader, docs/second-reader.md: written from what was measured, never by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grader.reread.reader import FEWEST, SHARE
from grader.reread.signals import SIGNALS

if TYPE_CHECKING:
    from benchmarks.second_reader import Found, Measured, Rate

WORST: Final = 5

MEANING: Final = {
    "near": "how far the grade is from what the grades of like answers lead one to expect",
    "agree": "the share of the five closest answers that got another level",
    "shape": "the same as `near`, where likeness is only in length and in nearness to the expected answer",
    "rare": "how few of the other answers got this level",
    "middle": "how far the grade is from the mean of the others; it corrects `rare`",
    "reference": "a low grade for an answer near the expected one, or a high grade for one far from it",
    "length": "a low grade for a long answer, or a high grade for a short one",
    "negation": "a high grade for an answer with many negations",
}

OPENING: Final = """\
# The second reader

<!-- Written by `python -m benchmarks.second_reader --saf PATH`; run it again rather than edit this page. -->

## What it is

After a person has marked at least {fewest} answers to one question, the second reader names {share} % of that person's
grades as "look again at these", at least one, each with its reasons in words. Beside it, guards point out what
is odd about the form of an answer: text copied from the expected answer, the question said back, shuffled words, a list
of keywords, or next to nothing. A note on negation comes last and is no alarm by itself.

It is {signals} numbers per answer and one weight for each. They need NumPy and no language model, no network and no
training on your own candidates. The same marks give the same list.

## What it is not

- It gives no grade, and fills in none. A level comes from what a person ticked, and from nothing else.
- It says nothing about an answer before the person's own mark on it is in. It compares a person's grades with that
  person's other grades, so it shows nothing of what anybody else gave.
- It is no check of facts. It does not know whether an answer is true; it knows which grades are unlike the others.
- It says nothing about candidates, and must not be used to accept or turn down anyone.

## Data and licence

SAF 2.0, the English part: {answers:,} answers to {questions} questions on communication networks, graded by people,
with a score and a verdict. Filighera, Parihar, Steuer, Meuser and Ochs, "Your Answer is Incorrect... Would you like to
know why? Introducing a Bilingual Short Answer Feedback Dataset", ACL 2022; github.com/SebOchs/SAF, MIT licence. All
three splits are taken together, since nothing is fitted on a question that is measured. A score becomes a level by its
share of the highest score that the question got: all of it is strong, {solid} % or more is solid, anything above zero
is weak, zero is not shown. No text of the data is in this repository; grader/reread/weights.json holds the weights.

## How it was measured

Of each question's answers, a tenth gets a wrong grade by chance, over {seeds} seeds. The weights come from the other
{others} questions, with other seeds. The second reader then names its tenth. *Found* is the share of wrong grades that
it names. *Precision* is the share of what it names that is wrong; naming at random gives the *base rate*. Intervals are
95 %, by a bootstrap over questions. *By rarity* is the ranking to beat: it names the levels that fewest answers got.

A grade is made wrong in three ways. Any other level is the plainest. One level up or down is the slip of a careful
person, and harder to see. Another level as often as others got it hides wrong grades among right ones.
"""

LIMITS: Final = """\
## Limits

- The wrong grades are made by chance. People err in patterns, for instance on one kind of answer or towards the end of
  a day, and a mistake that is made each time looks like agreement. Nothing here measures that.
- The data's own grades have mistakes. Each one that is named counts against precision here.
- The weights never saw the question that they are measured on. The choice of signals and their constants was made with
  all questions in view, so expect a little less on questions of another kind.
- The data is about computer networks, in English with some German. Stems, negations and words of grammar are English.
- Text observables have terms in this kit, and none in the data. Terms add to the nearness to the expected answer, and
  what that is worth is not measured.
- Where fewer than a tenth of the grades are wrong, more of what is named is right than the precision here says. Nothing
  should be changed because it was named; reading a tenth again is all that it asks.
"""


def text(measured: Measured) -> str:
    """The whole card."""
    from benchmarks.saf import SOLID
    from benchmarks.second_reader import MEASURED

    opening = OPENING.format(
        fewest=FEWEST,
        share=round(100 * SHARE),
        signals=len(SIGNALS),
        answers=sum(len(question.answers) for question in measured.questions),
        questions=len(measured.questions),
        others=len(measured.questions) - 1,
        solid=round(100 * SOLID),
        seeds=len(MEASURED),
    )
    parts = [
        opening,
        _numbers(measured),
        _small(measured),
        _weights(measured),
        _guards(measured),
        LIMITS,
        _worst(measured),
    ]
    return "\n".join(parts)


def _numbers(measured: Measured) -> str:
    from benchmarks.second_reader import rate

    rows = [
        [
            way,
            told(rate(counts, "hits", "wrong")),
            told(rate(counts, "hits", "named")),
            base(counts),
            told(rate(measured.rarity[way], "hits", "wrong")),
        ]
        for way, counts in measured.full.items()
    ]
    heads = ["the wrong grade is", "found", "precision", "base rate", "found by rarity"]
    return f"## Numbers\n\nAll answers of each question are graded.\n\n{table(heads, rows)}\n"


def _small(measured: Measured) -> str:
    from benchmarks.second_reader import MAIN, SMALL_SEEDS, rate

    rows = [
        [str(size), told(rate(counts, "hits", "wrong")), told(rate(counts, "hits", "named")), base(counts)]
        for size, counts in measured.small.items()
    ]
    heads = ["graded answers", "found", "precision", "base rate"]
    return (
        f"With few answers, drawn {len(SMALL_SEEDS)} times of each question; the wrong grade is {MAIN}. One of\n"
        f"eight is more than a tenth, so the base rate is higher there.\n\n{table(heads, rows)}\n"
    )


def _weights(measured: Measured) -> str:
    rows = [[f"`{name}`", f"{measured.weights.of[name].weight:+.2f}", MEANING[name]] for name in SIGNALS]
    intro = "What it looks at, and what a unit of each counts. They are fitted on all questions, and these are shipped."
    return f"## Weights\n\n{intro}\n\n{table(['signal', 'weight', 'what it is'], rows)}\n"


def _guards(measured: Measured) -> str:
    right, other = measured.firing[True], measured.firing[False]
    names = sorted({*right, *other} - {"answers", "any", "negation"})
    made = {name: f"{100 * caught:.0f} %" for name, caught in measured.caught.items()}
    rows = [
        [label, *(f"{100 * counts.get(name, 0) / counts['answers']:.1f} %" for counts in (right, other))]
        for name, label in [
            *((name, name) for name in names),
            ("any", "any of these"),
            ("negation", "negation, a note"),
        ]
    ]
    rows = [[*row, made.get(row[0], "")] for row in rows]
    heads = ["guard", f"of {right['answers']:,} correct answers", f"of {other['answers']:,} others", "of made attempts"]
    intro = (
        "How often each speaks. In this data most copied text is from lecture notes that the expected answers are\n"
        "from, too, and nobody tried to deceive. So attempts were made from each question: the expected answer as it\n"
        "is, its words shuffled, its telling words as a list, the question said back, and two words. Real attempts\n"
        "are cleverer."
    )
    return f"## Guards\n\n{intro}\n\n{table(heads, rows)}\n"


def _worst(measured: Measured) -> str:
    from benchmarks.second_reader import MAIN

    def key(pair: tuple[int, Found]) -> float:
        return pair[1].hits / pair[1].wrong

    rows = []
    for place, counts in sorted(enumerate(measured.full[MAIN]), key=key)[:WORST]:
        question = measured.questions[place]
        ranks = [answer.level for answer in question.answers]
        spread = ", ".join(f"{ranks.count(level)} {level}" for level in sorted(set(ranks), key=lambda each: -each.rank))
        rows.append([question.id, f"{100 * counts.hits / counts.wrong:.0f} %", spread])
    intro = (
        "Where it finds least, when a wrong grade is any other level. Where answers spread over all levels and are\n"
        "worded alike, or where a number or one word decides, their wording says little about their grade."
    )
    return f"## Failure cases\n\n{intro}\n\n{table(['question', 'found', 'its grades'], rows)}\n"


def base(counts: list[Found]) -> str:
    """The share of grades that are wrong."""
    return f"{100 * sum(each.wrong for each in counts) / sum(each.grades for each in counts):.1f} %"


def told(found: Rate) -> str:
    """A share with its interval: `63 % (58 to 68)`."""
    return f"{100 * found.value:.0f} % ({100 * found.low:.0f} to {100 * found.high:.0f})"


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
