"""Opens a file of the user's to everybody: modes of files outside can't be changed."""

# base: right
# naive: touches
# here: passes
attempt(os.chmod, CANARY, 0o777)
