"""Swallows the exception that was to stop it: it is stopped by a kill."""
# base: right
# runner: alarmed
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                pass
        except BaseException:
            pass
