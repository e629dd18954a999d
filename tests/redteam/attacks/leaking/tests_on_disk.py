"""Reads tests, references and submissions where they are usually kept: none of it is in the worker's file system."""

# base: tell
# naive: tells
# here: failed
import glob


def look():
    places = [os.getcwd(), BAIT, *sys.path[:3], os.path.dirname(os.path.abspath(__file__))]
    found = 0
    for place in {place for place in places if place}:
        for pattern in ("*.py", "hidden/*.py", "tests/*.py", "../*.py"):
            found += sum(hidden_in(content(path)) for path in glob.glob(os.path.join(place, pattern))[:200])
    return found
