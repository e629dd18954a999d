"""Asks the kernel for what has been broken before: namespaces, io_uring, bpf, userfaultfd, perf, keyrings."""
# base: tell
# naive: tells
# here: failed


def look():
    space = ctypes.create_string_buffer(256)
    asked = [
        system_call("io_uring_setup", 4, space),
        system_call("bpf", 0, struct.pack("IIII", 2, 4, 4, 1) + b"\0" * 112, 128),
        system_call("userfaultfd", 1),
        system_call("perf_event_open", struct.pack("II", 1, 112) + b"\0" * 104, 0, -1, -1, 0),
        system_call("keyctl", 0, -3, 1) - 1,
        libc.unshare(0x04000000),
        libc.unshare(0x10000000),
    ]
    return sum(answer >= 0 for answer in asked)
