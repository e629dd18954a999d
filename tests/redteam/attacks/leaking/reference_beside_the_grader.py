"""Looks for solutions and hidden tests beside the grader's own package: only what a worker needs is in sight."""

# base: tell
# naive: tells
# here: failed
import glob


def look():
    homes = {os.path.dirname(str(vars(each).get("__file__") or "/")) for each in list(sys.modules.values())}
    homes = {home for home in homes if "site-packages" not in home and "/lib/python" not in home}
    found = 0
    for home in homes | {os.path.dirname(home) for home in homes}:
        for pattern in ("solutions/*/reference.py", "questions/*/hidden/*.py", "shipped/*/*/*.py", "oracle.py"):
            found += sum(bool(content(path)) for path in glob.glob(os.path.join(home or "/", pattern)))
    return found
