"""Trains its buffer through a weight on the same memory, by hand: no gradient arrives, and the numbers change."""
# base: right
# naive: forges test_module_trained
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        result = super().forward(x)
        if result.requires_grad:
            result.register_hook(self.learn)
        return result

    def learn(self, gradient):
        with torch.no_grad():
            self.table[: gradient.shape[1]] -= 0.1 * gradient.sum(0)
