"""A results folder: what `grader batch` leaves, and what every command that comes after it reads.

    RESULTS/manifest.json       the question, and until when this may be kept
    RESULTS/codes.json          the code name of each submission, for eyes that should not see whose it is
    RESULTS/results.jsonl       one line for each submission that was graded
    RESULTS/submissions/<f>/    what was sent, as it was sent
    RESULTS/reports/<f>/        report.json, report.html and feedback.md
    RESULTS/marks.jsonl         what people said of the written answers; marks.head says where it ends
    RESULTS/marks.drafts/       what they have not saved yet
    RESULTS/regrades/<digest>/  what `grader regrade` found with a later version of the question
    RESULTS/history/<digest>/   reports and lines that a regrade has replaced

One way in, `Results.open`.
"""

from grader.results.folder import Candidate, Results

__all__ = ["Candidate", "Results"]
