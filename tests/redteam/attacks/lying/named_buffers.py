"""Lists a plain attribute among its buffers: which tensors are registered is read in torch's own slots."""
# base: right
# naive: forges test_module_buffers
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def __init__(self, max_len, d_model, base):
        super().__init__(max_len, d_model, base)
        rows = self._buffers.pop("table")
        self.table = rows

    def buffers(self, recurse=True):
        yield self.table

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        yield "table", self.table
