"""Reads what another worker left in a file in a folder that everybody may write to, and leaves something itself: each has its own, for its time."""

# base: tell
# naive: tells
# here: failed
MAIL = os.path.join("/tmp", ARMED)


def look():
    attempt(lambda: open(MAIL + "-left", "w").close())
    return hidden_in(content(MAIL + "-mail"))
