"""Sends a datagram on the loopback: it fails at socket(), or has nowhere to go."""

# base: right
# naive: touches
# here: passes
with socket.socket(type=socket.SOCK_DGRAM) if done(socket.socket) else open(os.devnull) as line:
    attempt(lambda: line.sendto(b"hello", ("127.0.0.1", UDP_PORT)))
