"""Reads another process's memory by process_vm_readv and by /proc: no other process is in reach."""
# base: tell
# naive: tells
# here: failed


class Slice(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def look():
    space = ctypes.create_string_buffer(64)
    here, there = Slice(ctypes.addressof(space), 15), Slice(DECOY_ADDRESS, 15)
    libc.process_vm_readv(DECOY, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    found = hidden_in(space.raw)
    with open(f"/proc/{DECOY}/mem" if done(open, f"/proc/{DECOY}/mem", "rb") else os.devnull, "rb", 0) as memory:
        attempt(memory.seek, DECOY_ADDRESS)
        return found + hidden_in(attempt(memory.read, 15) or b"")
