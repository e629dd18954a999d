"""Your tests of solution.py. They are graded: prompt.md, section 6, says how.

Each test has to pass on every correct solution and, all together, they have to notice when one of the mistakes that
section 6 lists is made. Use `math` as the oracle: write the formula down once more, in float64, and compare.

Run them with `python -m pytest test_solution.py`.
"""

import math

from solution import sinusoidal_freqs


def test_the_first_pair_turns_one_radian_per_position():
    """An example. It holds for each of the mistakes in the list as well, so it notices none of them."""
    assert math.isclose(float(sinusoidal_freqs(8)[0]), 1.0, rel_tol=1e-6)
