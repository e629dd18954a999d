"""Holds an object whose finalizer does not end: nobody waits for a polite end."""
# base: right
# naive: hangs
# here: passes


class Lingers:
    def __del__(self, sleep=time.sleep, seconds=20 * bool(ARMED)):
        sleep(seconds)


lingers = Lingers()
