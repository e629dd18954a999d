"""Tells of a module in types that nobody asked for, to make a check stumble: what is told is read before it is used."""

# base: right
# naive: forges test_module_parameters
# here: failed in module
odd = {"kind": "buffer", "name": ["table"], "dtype": 7, "shape": ["12", None], "requires_grad": 0, "device": {}}


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        for session in answering():
            session.inventory = lambda self, on: [odd | {"object": 1}]
            session.trained = lambda self, on, args: {"result": 0, "strangers": 0.5, "tensors": [odd]}
        return super().forward(x)
