"""Sends an answer byte by byte, so that there is always something new: it is stopped by the clock all the same."""
# base: right
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    lengths = struct.pack("<IQ", 100, 1 << 20)
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        for descriptor in channels():
            os.write(descriptor, lengths[:1] or b" ")
        lengths = lengths[1:]
        time.sleep(0.05)
