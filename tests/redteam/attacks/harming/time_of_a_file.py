"""Sets back the time of a file of the user's: times of files outside can't be changed."""

# base: right
# naive: touches
# here: passes
attempt(os.utime, CANARY, (1, 1))
