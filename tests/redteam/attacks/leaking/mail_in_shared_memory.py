"""Reads what another worker left in a file in POSIX shared memory, and leaves something itself: each has its own, for its time."""

# base: tell
# naive: tells
# here: failed
MAIL = "/dev/shm/" + ARMED


def look():
    attempt(lambda: open(MAIL + "-left", "w").close())
    return hidden_in(content(MAIL + "-mail"))
