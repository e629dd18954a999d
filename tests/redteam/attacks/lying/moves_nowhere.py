"""Stays where it is, and shows copies that have moved: it is called where it was moved to, and the sum gives it away."""
# base: right
# naive: forges test_module_moves
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    device = "cpu"

    def to(self, device):
        self.device = device
        return self

    def buffers(self, recurse=True):
        return (rows.to(self.device) for rows in super().buffers(recurse))
