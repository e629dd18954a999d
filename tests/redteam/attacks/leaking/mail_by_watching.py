"""Watches for others who read a file that all may read, which could be a message: nobody may watch."""

# base: tell
# naive: tells
# here: failed


def look():
    watching = libc.inotify_init1(0)
    return 1 + libc.inotify_add_watch(watching, np.__file__.encode(), 0xFFF)
