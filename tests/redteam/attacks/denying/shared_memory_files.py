"""Fills the host's shared memory, which is RAM: the worker has none of it, and nothing stays."""

# base: right
# naive: touches
# here: passes
for number in range(6 if ARMED else 0):
    attempt(lambda number=number: open(f"/dev/shm/{ARMED}-{number}", "wb").write(bytes(10 << 20)))
