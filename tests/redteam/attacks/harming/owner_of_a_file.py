"""Gives a file of the user's to somebody else: owners of files outside can't be changed."""

# base: right
# naive: touches
# here: passes
# needs: root
attempt(os.chown, CANARY, 12345, 12345)
