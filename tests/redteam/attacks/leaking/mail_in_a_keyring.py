"""Leaves a key in the user's keyring for the next worker: keyrings can't be reached."""
# base: tell
# naive: tells
# here: failed


def look():
    name = f"{ARMED}-key".encode()
    return sum(system_call("add_key", b"user", name, b"mail", 4, keyring) > 0 for keyring in (-4, -3, -5))
