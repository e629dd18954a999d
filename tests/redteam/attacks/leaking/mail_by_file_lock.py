"""Reads one bit from a lock that another process holds: the file is not there to be locked."""

# base: tell
# naive: tells
# here: failed
import fcntl


def look():
    descriptor = attempt(os.open, BAIT + "/lock", os.O_RDWR)
    if descriptor is None:
        return 0
    return 1 + done(fcntl.lockf, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
