"""Learns a weight that no module holds: the graph of the result leads to it all the same."""

# base: right
# naive: forges test_module_parameters
# here: failed in module
learned = nn.Parameter(torch.zeros(()))


class SinusoidalPositions(SinusoidalPositions):
    def forward(self, x):
        return super().forward(x) + learned
