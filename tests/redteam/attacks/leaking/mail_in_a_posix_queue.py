"""Finds another worker's POSIX message queue, and leaves one itself: each has its own, for its time."""
# base: tell
# naive: tells
# here: failed


def look():
    libc.mq_open(f"/{ARMED}-left".encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
    return libc.mq_open(f"/{ARMED}".encode(), os.O_RDONLY) >= 0
