"""Sleeps, which takes no CPU time: the wall clock ends it."""
# base: right
# naive: hangs
# here: timed_out in counter


def count_parameters(model):
    time.sleep(20 * bool(ARMED))
