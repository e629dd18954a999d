"""Reads compiled tests: none is in the worker's file system, and none is written."""

# base: tell
# naive: tells
# here: failed
import glob
import marshal


def look():
    found = 0
    for place in {os.getcwd(), BAIT, BAIT + "/hidden"}:
        for path in glob.glob(place + "/__pycache__/*.pyc"):
            found += hidden_in(repr(attempt(marshal.loads, content(path)[16:])).encode() + content(path))
    return found
