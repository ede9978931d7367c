"""Functions of one scalar on arrays of floats: what they give on each element."""

import numpy as np
import pytest

from rbdkit.trace import scalar

X = np.array([-2.5, -1.0, -0.0, 0.0, 0.3, 1.0, 2.5, 7.0, np.inf])
Y = np.array([1.0, -1.0, 0.0, -0.0, -0.3, 1.0, 3.5, 0.0, -0.0])
FINITE = X[:-1]
EXACT = {
    "sqrt": (lambda x: scalar.sqrt(abs(x)), (X,)),
    "divide": (scalar.divide, (X, Y)),
    "divide a number": (lambda y: scalar.divide(3.0, y), (Y,)),
    "copysign": (scalar.copysign, (X, Y)),
    "copysign of a number": (lambda y: scalar.copysign(2.0, y), (Y,)),
    "equal": (scalar.equal, (X, Y)),
    "select": (lambda x, y: scalar.select(x < y, x, 1.0), (X, Y)),
    "maximum": (scalar.maximum, (X, Y)),
    "minimum": (scalar.minimum, (X, Y)),
    "holds": (scalar.holds, (X,)),
    "both": (scalar.both, (X, Y)),
    "both of conditions": (lambda x, y: scalar.both(x < 1.0, y < 0.5), (X, Y)),
    "either": (scalar.either, (X, Y)),
    "opposite": (scalar.opposite, (X,)),
    "whole": (scalar.whole, (FINITE,)),
    "nearest": (scalar.nearest, (FINITE,)),
    "polynomial": (lambda x: scalar.polynomial([1.0, -2.0, 0.5], x), (FINITE,)),
}
TO_THE_LAST_DIGIT = {
    "sin": (scalar.sin, (FINITE,)),
    "cos": (scalar.cos, (FINITE,)),
    "arctan2": (scalar.arctan2, (X, Y)),
    "arctan2 of a number": (lambda y: scalar.arctan2(0.3, y), (Y,)),
}


def both_ways(function, given):
    stacked = function(*given)
    single = [function(*map(float, row)) for row in zip(*given, strict=True)]
    assert isinstance(stacked, np.ndarray) and not any(isinstance(x, np.ndarray) for x in single)
    return stacked, single


@pytest.mark.parametrize("name", EXACT)
def test_bit_by_bit(name):
    """Signs of zeros, infinite and invalid quotients too."""
    stacked, single = both_ways(*EXACT[name])
    np.testing.assert_array_equal(stacked, single)
    if stacked.dtype == float:
        np.testing.assert_array_equal(np.signbit(stacked[~np.isnan(stacked)]), np.signbit(single)[~np.isnan(stacked)])


@pytest.mark.parametrize("name", TO_THE_LAST_DIGIT)
def test_to_the_last_digit(name):
    """NumPy's own sine, cosine and arctan2 are not those of the C library: both are good to one unit."""
    stacked, single = both_ways(*TO_THE_LAST_DIGIT[name])
    np.testing.assert_array_max_ulp(stacked, np.array(single), maxulp=1)
