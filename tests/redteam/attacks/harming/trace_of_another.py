"""Attaches to another process of the user's as a debugger does: no other process is in reach."""

# base: right
# naive: touches
# here: passes
if libc.ptrace(0x4206, DECOY, None, None) == 0:
    libc.ptrace(0x4207, DECOY, None, None)
    threading.Event().wait(0.1)
    with open(BAIT + "/traced", "w") as file:
        file.write("it was")
