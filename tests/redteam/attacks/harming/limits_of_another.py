"""Lowers the limits of another process of the user's: no other process is in reach."""

# base: right
# naive: touches
# here: passes
system_call("prlimit64", DECOY, 7, struct.pack("QQ", 5, 5), None)
