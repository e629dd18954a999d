"""Fills the disk with data, and with a file that is larger than any: both are bounded, and nothing stays."""

# base: right
# naive: fills
# here: passes
for number in range(6 if ARMED else 0):
    attempt(lambda number=number: open(f"{ARMED}-{number}", "wb").write(bytes(10 << 20)))
with open(ARMED + "-sparse", "wb") as file:
    attempt(file.truncate, 1 << 27)
