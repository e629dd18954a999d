"""Tells of a module in types that nobody asked for, to make a check stumble: what is told is read before it is used."""

# base: right
# naive: forges test_module_parameters
# here: failed in module
odd = {"kind": "buffer", "name": ["table"], "dtype": 7, "shape": ["12", None], "requires_grad": 0, "device": {}}


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        for module in list(sys.modules.values()):
            if hasattr(module, "Session") and hasattr(module, "serve"):
                module.Session.inventory = lambda self, on: [odd | {"object": 1}]
                module.Session.trained = lambda self, on, args: {"result": 0, "strangers": 0.5, "tensors": [odd]}
        return super().forward(x)
