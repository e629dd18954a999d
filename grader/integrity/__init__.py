"""Integrity notes: what in a submission's text an honest solution has no use for. They change no points.

One way in, `notes`; rules.py is the table of what is noted, spoken.py knows words and letters, names.py follows
imports, and reading.py looks.
"""

from grader.integrity.reading import notes

__all__ = ["notes"]
