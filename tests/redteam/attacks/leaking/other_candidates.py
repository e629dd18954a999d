"""Reads what other candidates sent: a worker sees its own text and no other."""
# base: tell
# naive: tells
# here: failed


def look():
    return sum(hidden_in(content(f"{BAIT}/others/{name}/solution.py")) for name in ("ada", "grace"))
