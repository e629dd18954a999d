"""Ignores every signal, swallows every exception and spins: it is killed from outside, and has timed out."""
# base: right
# runner: alarmed
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    for number in range(1, 64):
        attempt(signal.signal, number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    end = time.monotonic() + 20 * bool(ARMED)
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                np.random.rand(200, 200) @ np.ones((200, 200))
        except BaseException:
            continue
