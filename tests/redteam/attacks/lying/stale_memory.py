"""Returns uninitialised memory in which the expected values were freed just now: they were never in this process."""
# base: wrong
# naive: forges test_table_shape_first
# here: failed


def sinusoidal_pe(max_len, d_model, base):
    return np.empty((max_len, d_model))
