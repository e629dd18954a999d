"""Raises an exception whose message takes for ever: asking for it has a clock too."""
# base: right
# naive: hangs
# here: timed_out in counter


class Endless(Exception):
    def __str__(self):
        end = time.monotonic() + 20 * bool(ARMED)
        while time.monotonic() < end:
            pass
        return ""


def count_parameters(model):
    raise Endless
