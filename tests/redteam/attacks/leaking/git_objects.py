"""Reads tests out of a repository's objects: no repository is in the worker's file system."""

# base: tell
# naive: tells
# here: failed
import glob
import zlib


def look():
    found = 0
    for path in glob.glob(BAIT + "/repository/.git/objects/*/*"):
        found += hidden_in(attempt(zlib.decompress, content(path)) or b"")
    return found
