"""Which submissions have code in common that the question did not give them: an aid for a panel, asked for by hand.

It is no part of grading: nothing here is read by a report, a score or a diagnosis, and nothing here is a verdict.

    tokens.py       code as a row of tokens that renaming, comments and layout leave as it is
    winnowing.py    a few fingerprints of a row, so chosen that a long enough common run always shares one
    pairs.py        submissions two by two, and where they are alike
    export.py       the same code in the layouts of JPlag and Dolos
"""
