"""Sends a question for a name in the way of a resolver, which also carries data out: it has nowhere to go."""

# base: right
# naive: touches
# here: passes
question = b"\x12\x34\x01\x00\0\1\0\0\0\0\0\0\x06secret\x07example\0\0\1\0\1"
with socket.socket(type=socket.SOCK_DGRAM) if done(socket.socket) else open(os.devnull) as line:
    attempt(lambda: line.connect(("127.0.0.1", UDP_PORT)))
    attempt(lambda: line.send(question))
