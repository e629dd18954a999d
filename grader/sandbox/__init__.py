"""Confinement of the worker: the tiers, what they promise, and the limits that hold in each."""
