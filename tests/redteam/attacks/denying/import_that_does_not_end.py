"""Does not come to the end of its import: the file did not load, for its time."""

# base: wrong
# naive: hangs
# here: unloaded was stopped after
end = time.monotonic() + 20 * bool(ARMED)
while time.monotonic() < end:
    pass
