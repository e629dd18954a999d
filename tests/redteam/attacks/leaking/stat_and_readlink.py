"""Learns of files by their size and by where links lead: there is nothing by that name."""
# base: tell
# naive: tells
# here: failed
# open: confined


def look():
    found = done(os.stat, SECRET_FILE) + done(os.stat, CANARY) + done(os.listdir, BAIT)
    return found + hidden_in((attempt(os.readlink, BAIT + "/link") or "").encode()) + os.path.exists(SOCKET)
