import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rbdkit.spatial.components import angle, join, norm, split


def test_single_vectors_come_apart_into_floats_and_stacks_into_arrays(rng):
    v = rng.standard_normal((2, 5, 6))
    assert all(type(x) is float for x in split(v[0, 0], 6))
    assert_array_equal(join(split(v[0, 0], 6)), v[0, 0])
    assert_array_equal(join(split(v, 6)), v)
    with pytest.raises(ValueError, match=r"3 numbers on the last axis, got an array of shape \(6,\)"):
        split(v[0, 0], 3)


def test_lengths(rng):
    w = rng.standard_normal((4, 3))
    assert norm(np.array([3.0, 4.0])) == 5.0
    np.testing.assert_allclose(norm(w), np.linalg.norm(w, axis=-1), rtol=4e-16)
    assert_array_equal(angle(w)[:, 0, 0], norm(w))
    assert type(angle(w[0])) is float
