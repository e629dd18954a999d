"""Fills its input with infinity, so that a reference evaluated later on the same tensor agrees: it had a copy."""
# base: wrong
# naive: forges test_module_later
# here: failed


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        with torch.no_grad():
            return x.fill_(float("inf"))
