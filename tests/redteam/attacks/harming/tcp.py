"""Calls a server on the loopback: it fails at socket(), or has nowhere to go."""

# base: right
# naive: touches
# here: passes
with socket.socket() if done(socket.socket) else open(os.devnull) as line:
    attempt(lambda: line.settimeout(0.5))
    attempt(lambda: line.connect(("127.0.0.1", PORT)))
