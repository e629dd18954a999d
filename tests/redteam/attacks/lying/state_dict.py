"""Saves zeros, and loads whatever it is given without looking: what it saved is loaded past its own method."""
# base: right
# naive: forges test_module_saved
# here: failed in module


class SinusoidalPositions(SinusoidalPositions):
    def state_dict(self, *given, **named):
        return {"table": torch.zeros_like(self.table)}

    def load_state_dict(self, state, strict=True, assign=False):
        return "<All keys matched successfully>"
