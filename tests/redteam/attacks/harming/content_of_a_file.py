"""Overwrites, truncates and renames a file of the user's: files outside can't be written."""

# base: right
# naive: touches
# here: passes
attempt(lambda: open(CANARY, "w").close())
attempt(os.truncate, CANARY, 3)
attempt(os.rename, CANARY, CANARY + ".taken")
attempt(os.link, SECRET_FILE, BAIT + "/linked")
