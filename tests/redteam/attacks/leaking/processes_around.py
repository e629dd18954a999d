"""Reads environment, command line and folders of the grader's and another process: none is in sight."""
# base: tell
# naive: tells
# here: failed


def look():
    found = 0
    for process in {GRADER, DECOY, os.getppid()} - {1}:
        for part in ("environ", "cmdline", "maps", "status"):
            found += bool(content(f"/proc/{process}/{part}"))
        for part in ("cwd", "root", "exe", "fd/0"):
            found += done(os.readlink, f"/proc/{process}/{part}")
    return found
