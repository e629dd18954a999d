"""Returns a structured dtype that truncates whatever is cast to it: the dtype is compared before any number."""
# base: wrong
# naive: forges test_table_dtype
# here: failed


def sinusoidal_pe(max_len, d_model, base):
    table = np.zeros((max_len, d_model), dtype=[("value", "i1")])
    table["value"][0, 1::2] = 1
    return table
