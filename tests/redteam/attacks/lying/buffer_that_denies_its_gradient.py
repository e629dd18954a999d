"""Trains a buffer whose type says that it needs no gradient: it is asked past its type, and the gradient arrives."""
# base: right
# naive: forges test_module_buffers
# here: failed in module


class Still(torch.Tensor):
    requires_grad = property(lambda self: False)

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function == torch.Tensor.requires_grad.__get__:
            return False
        with torch._C.DisableTorchFunctionSubclass():
            return function(*args, **(kwargs or {}))


class SinusoidalPositions(SinusoidalPositions):
    def __init__(self, max_len, d_model, base):
        super().__init__(max_len, d_model, base)
        rows = self._buffers["table"].as_subclass(Still)
        torch._C.TensorBase.requires_grad_(rows, True)
        self._buffers["table"] = rows

    def forward(self, x):
        with torch._C.DisableTorchFunctionSubclass():
            return (x + self._buffers["table"][: x.shape[1]]).as_subclass(torch.Tensor)
