"""Fails on purpose, and lets the message show the test and what was expected: candidates read the spec's sentences."""
# base: wrong
# runner: pytest
# naive: shows
# here: failed
