"""Starts threads without end, up to a bound: it gets some, and they end with the worker."""

# base: tell
# naive: tells
# here: failed
started = []


def look():
    pause = threading.Event()
    for _ in range(600 if ARMED and not started else 0):
        if not done(threading.Thread(target=pause.wait, args=(20,), daemon=True).start):
            break
        started.append(1)
    return len(started) > 300
