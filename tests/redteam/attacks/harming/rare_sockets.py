"""Opens raw, netlink, packet, IPv6, virtual machine and crypto sockets: each fails at socket()."""
# base: tell
# naive: tells
# here: failed


def look():
    kinds = [(10, 1, 0), (2, 3, 1), (16, 3, 0), (16, 3, 15), (17, 3, 0), (40, 1, 0), (38, 5, 0), (1, 1, 0)]
    return sum(done(lambda: socket.socket(*kind).close()) for kind in kinds)
