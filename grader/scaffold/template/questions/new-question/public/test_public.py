"""The public tests: a first look at your solution, beside which they run with `python -m pytest`."""

import numpy as np
from solution import softmax


def test_the_example_of_the_prompt():
    assert softmax(np.array([[0.0, 0.0], [0.0, 1000.0]])).tolist() == [[0.5, 0.5], [0.0, 1.0]]
