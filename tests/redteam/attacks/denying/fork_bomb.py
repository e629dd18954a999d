"""Forks without end, up to a bound: no process is to be had, or all end with the worker."""

# base: right
# naive: survives
# here: passes
for _ in range(40 if ARMED else 0):
    if attempt(os.fork) == 0:
        time.sleep(20)
        os._exit(0)
