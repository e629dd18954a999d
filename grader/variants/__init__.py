"""Variants: one question in several sizes, so that an answer which is passed on is an answer to something else.

formula.py      arithmetic on the parameters, as a spec writes it
spec.py         the block `variants` of question.yaml: choices, and the literals that follow them
exchange.py     where literals stand in the files, and the files with others in their place
render.py       a question in, the same question in other sizes out: an ordinary `Question` in a folder of its own
picking.py      which choices: from a seed, by hand, or all that have to be proven
keys.py         the team's key, and the signature that a packet carries
assigning.py    which variant a submission answers, and why that is believed

A variant of a question is a question. Nothing but this package knows how it came about.
"""
