"""After the mark: what a person may want to look at again, in answers that they have marked, and in no others.

words.py      words, sentences and their places
guards.py     what is odd about the form of an answer
likeness.py   how alike texts are
signals.py    what speaks against a grade, as numbers
weights.py    what each signal counts; weights.json holds the numbers, docs/second-reader.md says where they are from
reader.py     the second reader: which grades are worth another look
reasons.py    why, in sentences
notes.py      both, for the marks of one person

Everything here is about one person's own marks: nothing of an answer is told before that person's mark on it is in, and
nothing of what others gave.
"""

from grader.reread.notes import Note, Rereading, after, of_results
from grader.reread.reader import SecondReading, second_reading

__all__ = ["Note", "Rereading", "SecondReading", "after", "of_results", "second_reading"]
