"""Reads what another worker left in System V memory, and leaves a segment itself: each has its own, for its time."""

# base: tell
# naive: tells
# here: failed
libc.shmat.restype = ctypes.c_void_p


def look():
    libc.shmget(KEY + 1, 64, 0o1666)
    segment = libc.shmget(KEY, 64, 0)
    address = libc.shmat(segment, None, 0o10000) if segment >= 0 else None
    return hidden_in(ctypes.string_at(address, 64)) if address not in (None, (1 << 64) - 1) else 0
