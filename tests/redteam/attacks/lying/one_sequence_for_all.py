"""Drops the batch, which broadcasts when it is compared: nothing broadcasts here."""
# base: right
# naive: forges test_module_allclose
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        return super().forward(x)[0]
