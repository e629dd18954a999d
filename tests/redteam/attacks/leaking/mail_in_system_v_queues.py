"""Finds another worker's System V queue and semaphores, and leaves some itself: each has its own, for its time."""
# base: tell
# naive: tells
# here: failed


def look():
    libc.msgget(KEY + 1, 0o1666)
    libc.semget(KEY + 1, 1, 0o1666)
    return (libc.msgget(KEY, 0) >= 0) + (libc.semget(KEY, 1, 0) >= 0)
