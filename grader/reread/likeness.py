"""How alike texts are: the cosine of their TF-IDF vectors over words and word pairs, and over runs of characters.

Words see what is said, runs of characters forgive spelling. TF-IDF as in Salton and Buckley, "Term-weighting approaches
in automatic text retrieval" (1988): logarithmic counts, smoothed inverse document frequency, vectors of length one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grader.reread.words import Word, words

Matrix = NDArray[np.float64]

SHORTEST_RUN: Final = 3
LONGEST_RUN: Final = 5
COLUMNS: Final = 1024  # of the matrix of terms that are in memory at once


def word_terms(said: Sequence[Word]) -> list[str]:
    """The telling words of a text by their stems, and every two neighbouring words."""
    stems = [word.stem for word in said]
    pairs = [f"{one} {other}" for one, other in pairwise(stems)]
    return [stem for stem, word in zip(stems, said, strict=True) if word.tells] + pairs


def character_terms(said: Sequence[Word]) -> list[str]:
    """The runs of three to five characters within words; a space marks where a word starts or ends."""
    padded = [f" {word.text} " for word in said]
    lengths = range(SHORTEST_RUN, LONGEST_RUN + 1)
    return [text[at : at + n] for text in padded for n in lengths for at in range(len(text) - n + 1)]


def cosines(documents: Sequence[Sequence[str]]) -> Matrix:
    """The cosine of every two documents, each a list of terms.

    Returns:
        (n, n), each in [0, 1]; the diagonal is 1, or 0 for a document without terms.
    """
    n = len(documents)
    number: dict[str, int] = {}
    ids = [number.setdefault(term, len(number)) for document in documents for term in document]
    rows = np.repeat(np.arange(n), [len(document) for document in documents])
    cells, times = np.unique(np.array(ids, dtype=np.int64) * n + rows, return_counts=True)  # by term, then document
    terms, rows = cells // max(n, 1), cells % max(n, 1)
    among = np.bincount(terms, minlength=len(number))  # documents that have the term
    values = (1 + np.log(times)) * (np.log((1 + n) / (1 + among)) + 1)[terms]
    lengths = np.sqrt(np.bincount(rows, weights=values**2, minlength=n))
    values /= lengths[rows]
    # A term that one document has adds to its length alone; the others get columns, a block of them at a time.
    shared = among > 1
    column = (np.cumsum(shared) - 1)[terms]
    keep = shared[terms]
    rows, column, values = rows[keep], column[keep], values[keep]
    product = np.zeros((n, n))
    for first in range(0, int(shared.sum()), COLUMNS):
        start, end = np.searchsorted(column, [first, first + COLUMNS])
        block = np.zeros((n, COLUMNS))
        block[rows[start:end], column[start:end] - first] = values[start:end]
        product += block @ block.T
    np.fill_diagonal(product, lengths > 0)
    return product


def likeness(texts: Sequence[str]) -> Matrix:
    """How alike every two texts are: the mean of the two cosines, (n, n), each in [0, 1]."""
    said = [words(text) for text in texts]
    return (cosines([word_terms(each) for each in said]) + cosines([character_terms(each) for each in said])) / 2
