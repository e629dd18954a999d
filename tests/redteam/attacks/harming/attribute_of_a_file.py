"""Hangs an attribute on a file of the user's: attributes of files outside can't be changed."""

# base: right
# naive: touches
# here: passes
attempt(os.setxattr, CANARY, "user.visited", b"1")
attempt(os.setxattr, CANARY, "trusted.visited", b"1")
