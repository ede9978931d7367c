"""Every planar operator is the spatial one, restricted to motion in the x-y plane."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import Inertia, crf, crm, planar, plucker

OTHERS = [0, 1, 5]


def leaves_the_plane(matrix):
    """Whether a spatial operator takes planar vectors out of the plane."""
    return np.abs(matrix[np.ix_(OTHERS, planar.INDEX)]).max() > 0


@pytest.mark.source("F2.26", "F2.27")
def test_cross_operators(rng):
    v = rng.standard_normal(3)
    for small, large in [(planar.crm, crm), (planar.crf, crf)]:
        assert_array_equal(small(v), planar.extract(large(planar.embed(v))))
        assert not leaves_the_plane(large(planar.embed(v)))
    w, x, y = v
    m, mx, my = rng.standard_normal(3)
    assert_allclose(planar.crm(v) @ [m, mx, my], [0, y * m - w * my, w * mx - x * m])  # Eq 2.76


@pytest.mark.source("F2.26", "F2.27")
def test_transform():
    """Eq 2.77: a shift by (x, y), then a turn by theta."""
    X = plucker.rotz(0.7) @ plucker.xlt([0.3, -1.2, 0.0])
    assert_allclose(planar.transform(0.7, 0.3, -1.2), planar.extract(X), atol=1e-15)
    assert_allclose(np.linalg.inv(planar.transform(0.7, 0.3, -1.2)).T, planar.extract(plucker.force(X)), atol=1e-15)


@pytest.mark.source("F2.26", "F2.27")
def test_inertia():
    """Eq 2.78: of a body whose mirror plane is the plane of motion."""
    I = Inertia(2.0, (0.3, -0.4, 0.0), np.diag([1.0, 1.5, 2.0]))
    assert_allclose(planar.inertia(2.0, (0.3, -0.4), 2.0), planar.extract(I.matrix), atol=1e-15)
    assert not leaves_the_plane(I.matrix)


@pytest.mark.source("F2.27")
def test_embedding_and_back(rng):
    v = rng.standard_normal((4, 3))
    assert_array_equal(planar.extract(planar.embed(v)), v)
    assert_array_equal(planar.embed(v)[:, OTHERS], 0)
