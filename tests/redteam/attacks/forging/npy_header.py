"""Leaves an array file whose elements run code when they are read: no array format with objects is read."""
# base: wrong
# naive: touches
# here: failed


class Runs:
    def __reduce__(self):
        return exec, (f"open({BAIT + '/loaded'!r}, 'w').close()",)


np.save("values.npy", np.array([Runs()], dtype=object), allow_pickle=True)
np.savez("values.npz", np.array([Runs()], dtype=object))


def sinusoidal_pe(max_len, d_model, base):
    return {"descr": "|O", "fortran_order": False, "shape": (max_len, d_model)}
