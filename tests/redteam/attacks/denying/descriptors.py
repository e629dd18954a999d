"""Opens files until it is refused: that is soon, and the loop that answers for it goes on."""

# base: tell
# naive: tells
# here: failed
kept = []


def look():
    for _ in range(2000 if ARMED and not kept else 0):
        descriptor = attempt(os.open, os.devnull, os.O_RDONLY)
        if descriptor is None:
            break
        kept.append(descriptor)
    return len(kept) > 512
