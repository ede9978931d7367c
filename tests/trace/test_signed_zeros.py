"""Signs of zeros in recorded laws: where something is divided by them, they are those of IEEE 754."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.trace.test_conditions import law_of, recorded, values

STATES = [
    (t, [a, b, 0.5], [c, -1.5, 2.0])
    for t in (0.0, 1.0)
    for a in (0.0, -0.0, 1.0, -2.0)
    for b in (0.0, -0.0, 1.0)
    for c in (0.0, -0.0, 3.0, -1.0)
]
ZEROS = [
    "q[0] + 0.0", "0.0 - q[0]", "-q[0] - q[1]", "-(q[0] + q[1])", "q[0] - q[1]", "q[0] * q[1]", "0.0 * q[0]",
    "-0.0 * q[0]", "q[0] * 0.0 + q[1] * 0.0", "0.0 * q[0] - 0.0 * q[1]", "q[0] * q[1] * 0.0", "(0.0 * q[0]) * q[1]",
    "q[0] + 0.0 * q[1]", "q[0] - 0.0 * q[1]", "0.0 * q[0] + q[1]", "-2.0 * q[0] - v[0]",
    "-(0.0 * q[0])", "(0.0 * q[0]) / -2.0", "np.cross(q, np.zeros(3))",
    "np.cross(np.array([q[0], q[1], v[0]]), [0.0, 1.0, -2.0])",
    "np.multiply(q[0], 0.0 < 0.0)", "np.where(v[0] > 0.0, 0.0 * q[0], q[1])", "np.sqrt(q[0] * q[0] + 0.0)",
    "sum([q[0], q[1]])", "np.sin(-q[0] - q[1])", "np.ceil(0.3 * v[1] + 0.1 * q[0])", "(q[0] + 0.0) + q[1]",
    "q[0] - 0", "0 - q[0]", "q[0] + 0", "q[0] * 0", "q[0] % -1.5", "q[0] // -1.5",
    "-0.0 / (v[0] - 0.5)", "(-0.0 * q[0]) / (v[0] - 0.5)",
    "np.where(q[0] > 0.0, -0.0, q[1])", "np.where(q[0] > 0.0, q[1], -0.0)", "np.where(q[0] > 0.0, 0.0, -0.0)",
    "np.where(q[0] > 0.0, -0.0, 0.0 * q[1])", "np.where(q[0] > 0.0, -0.0, 0.0) + 0.0 * v[0]",
    "q @ np.zeros(3)", "q[:2] @ v[:2]", "np.zeros(3) @ q", "(np.outer(q, v) @ q)[0]", "np.outer(q, v)[1] @ np.ones(3)",
    "np.dot(q[:2], v[:2])", "q[:2].dot(v[:2])", "np.inner(q[:2], v[:2])", "q[:1] @ v[:1]", "np.dot(q[:1], v[:1])",
    "np.sum(q[:2])", "q[:1].sum()", "np.mean(q[:2])", "np.trace(np.outer(q, v)[:1, :1])", "np.cumsum(q)[1]",
    "np.convolve(q[:2], v[:2])[1]", "np.prod(q[:2])", "np.matmul(q[:2], v[:2])",
    "-(q[0] - q[1]) - 0.0", "abs(-q[0] - q[1])", "0.0 * (q[0] + q[1]) * v[0]",
]  # fmt: skip


@pytest.mark.parametrize("text", ZEROS)
@pytest.mark.parametrize("use", ["1.0 / ({})", "np.arctan2(t, {})", "np.copysign(t, {})", "-3.0 / (2.0 * ({}))"])
def test_zeros_have_the_signs_of_python(text, use):
    law = law_of(use.format(text))
    with np.errstate(all="ignore"):
        expected = np.array([law(t, np.array(q), np.array(v)) for t, q, v in STATES])
    record = recorded(law)
    for backend in ("python", "llvm"):
        found = values(record, STATES, backend)
        assert_array_equal(np.isinf(found), np.isinf(expected))
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("-3.0 * q[0] - 0.5 * v[0]", "2m + 1a"), ("np.cross([0.0, 0.0, 1.0], v)", "0"), ("sum(q) / 2.0", "2a + 1d"),
        ("q / (1.0 + sum(0.0 * v))", "0"), ("q / np.sqrt(sum(x * x for x in v))", "3m + 2a + 3d + 1r"),
    ],
)  # fmt: skip
def test_signs_cost_nothing_where_nothing_depends_on_them(text, operations):
    assert str(recorded(law_of(text)).operations()) == operations
