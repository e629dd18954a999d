"""Announces a long answer and sends none of it: it is stopped by the clock."""
# base: right
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    for descriptor in channels():
        os.write(descriptor, struct.pack("<IQ", 100, 1 << 20))
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        pass
