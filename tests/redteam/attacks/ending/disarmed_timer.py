"""Disarms the alarm that was to stop it: clocks and kills are outside."""
# base: right
# runner: alarmed
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    signal.alarm(0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        pass
