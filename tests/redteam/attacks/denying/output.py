"""Prints 24 MiB without a line's end, by every way there is: what is over the cap is counted and dropped."""

# base: right
# naive: floods
# here: passes
for _ in range(24 if ARMED else 0):
    os.write(1 + _ % 2, b"\x1b[31mx" * (1 << 17) + bytes(1 << 18))
print("x" * 100_000, end="")
print("y" * 100_000, end="", file=sys.stderr)
