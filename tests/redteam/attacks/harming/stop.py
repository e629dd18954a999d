"""Stops another process of the user's: no other process is in reach."""

# base: right
# naive: touches
# here: passes
attempt(os.kill, DECOY, signal.SIGSTOP)
time.sleep(0.05)
