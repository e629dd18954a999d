"""Keeps a weight as a plain attribute that `dir()` does not tell of: attributes are read in the object's own dict."""
# base: right
# naive: forges test_module_attributes
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def __init__(self, max_len, d_model, base):
        super().__init__(max_len, d_model, base)
        self.__dict__["learned"] = nn.Parameter(torch.zeros(d_model))

    def __dir__(self):
        return ["forward", "table"]

    def forward(self, x):
        return super().forward(x) + self.learned
