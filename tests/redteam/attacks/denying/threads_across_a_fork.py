"""Holds a lock in a thread, which a fork of the grader would wait for in vain: nothing is forked where this was loaded."""

# base: right
# runner: forked
# naive: hangs
# here: passes
lock = threading.Lock()


def hold():
    with lock:
        time.sleep(20 * bool(ARMED))


threading.Thread(target=hold, daemon=True).start()
time.sleep(0.01)
os.register_at_fork(after_in_child=lock.acquire)
