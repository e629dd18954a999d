"""The checks of the swap question, as plain functions: each takes a subject, and asserts.

A subject is a solution that somebody knows how to call, see plain.py and ours.py:

    table(max_len, d_model, base) -> ndarray        the candidate's function
    module(max_len, d_model, base)                  the candidate's module, whatever stands for it
    call(module, x, training) -> ndarray            its forward
    fails(module, x) -> bool                        whether forward raises
    held(module) -> [(kind, shape, requires_grad)]  its parameters and buffers
    leaves(module, x) -> bool                       whether forward leaves x alone, and gives memory of its own
    gradient(module, x) -> bool                     whether a gradient reaches x
    count(model) -> int                             the candidate's counter on a model of MODELS

Nothing but NumPy is imported here, so that the file can be copied beside any peer's tests.
"""

from typing import Any

import numpy as np

MODELS = {"tied": 28, "frozen": 39, "with_buffers": 12, "twins": 16, "shared": 15, "empty": 0}


def exact(max_len: int, d_model: int, base: float) -> Any:
    """The table, in float64."""
    even = d_model // 2 * 2
    angles = np.arange(max_len)[:, None] / base ** (np.arange(0, even, 2) / d_model)
    table = np.zeros((max_len, d_model))
    table[:, 0:even:2], table[:, 1:even:2] = np.sin(angles), np.cos(angles)
    return table


def embeddings(*shape: int) -> Any:
    """Token embeddings: random, float32, the same in every run."""
    return np.random.default_rng(sum(shape)).normal(size=shape).astype("float32")


def near(found: Any, wanted: Any, most: float = 5e-3) -> None:
    """Assert that two arrays have one shape and close values."""
    assert found.shape == wanted.shape, f"shape {found.shape}, expected {wanted.shape}"
    assert np.isfinite(found).all(), "not all numbers are finite"
    off = float(np.abs(found.astype("float64") - wanted).max(initial=0))
    assert off <= most, f"{off:.2g} away from what is right"


def check_interleaved_layout(subject: Any) -> None:
    for base in (30.0, 9.0):
        near(subject.table(120, 8, base), exact(120, 8, base))


def check_frequency_ladder(subject: Any) -> None:
    for max_len, d_model, base in ((96, 2, 7.0), (130, 6, 11.5), (160, 12, 40.0), (101, 18, 5.0)):
        near(subject.table(max_len, d_model, base), exact(max_len, d_model, base))


def check_positions_from_zero(subject: Any) -> None:
    for base in (30.0, 9.0):
        near(subject.table(120, 8, base)[:1], exact(1, 8, base))


def check_odd_width(subject: Any) -> None:
    for d_model in (7, 5, 1):
        table = subject.table(120, d_model, 30.0)
        near(table, exact(120, d_model, 30.0))
        assert not table[:, -1].any(), "the last column is not zero"


def check_angle_precision(subject: Any) -> None:
    near(subject.table(1024, 16, 100.0), exact(1024, 16, 100.0), 2e-6)
    near(subject.table(1024, 64, 10_000.0), exact(1024, 64, 10_000.0), 2e-6)


def check_buffer_registered(subject: Any) -> None:
    held = subject.held(subject.module(12, 8, 100.0))
    assert ("buffer", (12, 8), False) in held or ("buffer", (1, 12, 8), False) in held, f"found {held}"


def check_no_parameters(subject: Any) -> None:
    held = subject.held(subject.module(12, 8, 100.0))
    assert not [each for each in held if each[0] == "parameter"], f"found {held}"


def check_first_rows_added(subject: Any) -> None:
    module, rows = subject.module(20, 8, 100.0), exact(20, 8, 100.0)
    for batch, length in ((3, 5), (1, 1), (1, 9), (4, 1), (3, 12), (2, 20)):
        x = embeddings(batch, length, 8)
        near(subject.call(module, x, False), x + rows[:length])


def check_training_and_evaluation(subject: Any) -> None:
    module, x = subject.module(12, 8, 100.0), embeddings(3, 5, 8)
    for training in (True, False):
        near(subject.call(module, x, training), x + exact(12, 8, 100.0)[:5])


def check_add_not_in_place(subject: Any) -> None:
    module = subject.module(6, 8, 100.0)
    for batch in (1, 3):
        assert subject.leaves(module, embeddings(batch, 6, 8)), "x was changed, or the result shares its memory"


def check_gradient_reaches_x(subject: Any) -> None:
    assert subject.gradient(subject.module(6, 8, 100.0), embeddings(3, 6, 8)), "no gradient reaches x"


def check_too_long_sequence(subject: Any) -> None:
    for max_len, length in ((12, 13), (12, 16), (1, 2)):
        module = subject.module(max_len, 8, 100.0)
        assert subject.fails(module, embeddings(2, length, 8)), f"{length} tokens are taken with {max_len} rows"


def check_unique_counter(subject: Any) -> None:
    for model, wanted in MODELS.items():
        count = subject.count(model)
        assert count == wanted, f"{model}: {count}, expected {wanted}"


EVERY = (
    check_interleaved_layout,
    check_frequency_ladder,
    check_positions_from_zero,
    check_odd_width,
    check_angle_precision,
    check_buffer_registered,
    check_no_parameters,
    check_first_rows_added,
    check_training_and_evaluation,
    check_add_not_in_place,
    check_gradient_reaches_x,
    check_too_long_sequence,
    check_unique_counter,
)
CHECKS = {check.__name__.removeprefix("check_"): check for check in EVERY}
