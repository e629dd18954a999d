"""What was sent is graded again with the question as it is now, compared, and put in the place of the old on demand.

RESULTS/regrades/<digest>/reports/<f>/    the new reports, until they are applied
RESULTS/regrades/<digest>/results.jsonl   a line for each
RESULTS/regrades/<digest>/changes.json    who changed, by how much and why; changes.html shows it
RESULTS/regrades/<digest>/applying.json   only while they are being applied
RESULTS/history/<digest>/                 the reports and lines that were replaced
"""
