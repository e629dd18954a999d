"""Sleeps in C with the interpreter's lock held, so that no watchdog of the same process runs: it is stopped from outside."""
# base: right
# runner: alarmed
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        ctypes.PyDLL(None).usleep(900_000)
