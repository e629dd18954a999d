"""Calls an agent, a bus or a container engine by its socket's path: no such path is there, and no socket to be had."""

# base: right
# naive: touches
# here: passes
with socket.socket(socket.AF_UNIX) if done(socket.socket, socket.AF_UNIX) else open(os.devnull) as line:
    attempt(lambda: line.connect(SOCKET))
    attempt(lambda: line.send(b"GET /containers/json HTTP/1.0\r\n\r\n"))
