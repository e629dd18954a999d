"""Packets: what a candidate receives, and the preflight that comes along.

Made here, with the question at hand: `contents` says what a packet holds, `start` and `many` write it. Carried into
each packet, and run by its check.py: `task`, `trial`, `preflight`, `check` and `zips`, with `grader.submission` and the
reading of answers. `carried` lists them. What is carried uses the standard library and ruamel.yaml alone, runs on every
system, and holds nothing of the question but what the candidate was given.
"""
