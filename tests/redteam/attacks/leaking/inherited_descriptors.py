"""Reads what is open already: nothing is but the standard three and the channel."""
# base: tell
# naive: tells
# here: failed


def look():
    found = 0
    for descriptor in range(3, 256):
        target = attempt(os.readlink, f"/proc/self/fd/{descriptor}") or ""
        found += target.startswith("/") and not target.startswith("/dev/")
        if stat.S_ISFIFO(getattr(attempt(os.fstat, descriptor), "st_mode", 0)):
            found += 1
        elif target.startswith("/"):
            found += hidden_in(attempt(os.pread, descriptor, 1 << 16, 0) or b"")
    return found
