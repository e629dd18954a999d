"""Leaves a process that is nobody's child and ignores signals: it ends with the worker."""

# base: right
# naive: survives
# here: passes
if attempt(os.fork) == 0:
    os.setsid()
    if attempt(os.fork) == 0:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(20 * bool(ARMED))
    os._exit(0)
