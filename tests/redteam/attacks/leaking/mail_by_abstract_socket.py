"""Calls another worker by an abstract socket, and listens on one itself: there is no socket to be had."""
# base: tell
# naive: tells
# here: failed


def look():
    with socket.socket(socket.AF_UNIX) if done(socket.socket, socket.AF_UNIX) else open(os.devnull) as line:
        found = done(lambda: line.connect(f"\0{ARMED}"))
    with socket.socket(socket.AF_UNIX) if done(socket.socket, socket.AF_UNIX) else open(os.devnull) as line:
        return found + done(lambda: line.bind(f"\0{ARMED}-left"))
