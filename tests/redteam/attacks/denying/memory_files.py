"""Keeps data in files that are memory, beyond its own limit: none can be made, or none can grow."""

# base: tell
# naive: tells
# here: failed
kept = []
taken = []


def look():
    for number in range(8 if ARMED and not kept else 0):
        kept.append(attempt(os.memfd_create, f"file{number}"))
        if kept[-1] is not None:
            taken.extend(attempt(os.write, kept[-1], bytes(8 << 20)) or 0 for _ in range(4))
    return sum(taken) > 128 << 20
