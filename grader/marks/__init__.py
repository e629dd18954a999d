"""Marks: what people say of written answers, kept line by line in RESULTS/marks.jsonl and never overwritten.

Theory of operation. `events` are the lines and their hashes, `chain` proves them, `ledger` is the files they are in,
and `book` reads them as marks: who said what last, and who may see it. `work` finds what is left to mark and in which
order, `second` draws what is marked twice, and `walks` has both. `judging` puts a mark together and refuses what does
not fit the answer; `saving` says what becomes of a draft, and `drafts` keeps it. There are three ways in: a file of
marks (`fromfile`), the review room (`grader.review`), and a terminal, where `session` is what keys do, `screen` what is
shown, and `terminal` the loop around both. `purge` removes a candidate and leaves the chain whole.
"""

from grader.marks.book import Marks
from grader.marks.mark import Mark, digest

__all__ = ["Mark", "Marks", "digest"]
