"""Looks for a way to a cloud's metadata address, without sending anything: there is no socket to ask with."""
# base: tell
# naive: tells
# here: failed


def look():
    if not PORT:
        return 0
    with socket.socket(type=socket.SOCK_DGRAM) if done(socket.socket) else open(os.devnull) as line:
        there = done(lambda: line.connect(("169.254.169.254", 80)))
        return there + done(lambda: line.connect(("127.0.0.1", 80)))
