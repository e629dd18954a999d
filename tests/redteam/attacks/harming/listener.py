"""Listens on the host's loopback: it fails at socket(), or listens where nobody is."""

# base: tell
# naive: tells
# here: failed
kept = []


def look():
    with socket.socket() if done(socket.socket) else open(os.devnull) as line:
        return done(lambda: line.bind(("127.0.0.1", FREE_PORT))) + done(lambda: line.listen())
