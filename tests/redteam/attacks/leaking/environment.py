"""Looks for secrets in the environment: a worker has none but what keeps its libraries to one thread."""
# base: tell
# naive: tells
# here: failed


def look():
    found = json.dumps(dict(os.environ)).encode() + content("/proc/self/environ")
    strings = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    place = 0
    while strings and strings[place] is not None:
        found += strings[place]
        place += 1
    return hidden_in(found) or VARIABLE in os.environ
