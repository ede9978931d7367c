import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import Dyadic, ForceVector, Inertia, MotionVector, crf, crm, plucker, se3
from rbdkit.spatial.body import inverse_inertia

KINDS = [(a, b) for a in ("motion", "force") for b in ("motion", "force")]
VECTOR = {"motion": MotionVector, "force": ForceVector}


@pytest.mark.source("F2.02")
def test_a_dyad_takes_a_scalar_product_and_a_direction(rng):
    """(a b.) c = a (b . c); a sum of r independent dyads has rank r."""
    a, b = rng.standard_normal((2, 6, 3))
    L = Dyadic.from_dyads(a, b, "motion", "force")
    c = MotionVector(rng.standard_normal(6))
    applied = sum(a[:, i] * c.dot(ForceVector(b[:, i])) for i in range(3))
    assert_allclose((L @ c).array, applied, atol=1e-13)
    assert L.rank == 3


@pytest.mark.source("F2.02")
def test_dyads_are_found_again(rng):
    a, b = rng.standard_normal((2, 6, 4))
    for L in (Dyadic.from_dyads(a, b, "motion", "motion"), Dyadic.from_dyads(a, a, "motion", "force")):
        x, y = L.dyads()
        assert x.shape == y.shape == (6, 4)
        assert_allclose(x @ y.T, L.matrix, atol=1e-12)


@pytest.mark.source("F2.02", "F2.22")
def test_a_rigid_body_inertia_is_six_dyads(rng):
    """Eq 2.64: I = sum of g g. with six force vectors; none of them alone depends on the kind of the other factor."""
    I = Inertia.box((1, 2, 3), mass=2.0).transformed(se3.random(rng))
    x, y = Dyadic(I.matrix, "motion", "force").dyads()
    assert_allclose(x, y, atol=0)
    assert_allclose(x @ x.T, I.matrix, atol=1e-13)


@pytest.mark.source("F2.02")
def test_a_symmetric_dyadic_stays_so_in_other_coordinates(rng):
    """Eq 2.66 is a congruence: the dyads are found by pairs, x = y, after it as before."""
    for _ in range(20):
        X, I = plucker.from_pose(se3.random(rng)), Inertia.box((1, 2, 3), mass=2.0).transformed(se3.random(rng))
        for L in (Dyadic(I.matrix, "motion", "force"), Dyadic(inverse_inertia(I), "force", "motion")):
            moved = L.transform(X)
            assert_array_equal(moved.matrix, moved.matrix.T)
            x, y = moved.dyads()
            assert_array_equal(x, y)


@pytest.mark.source("F2.02")
@pytest.mark.parametrize(("source", "target"), KINDS)
def test_transforms_of_table_2_5(rng, source, target):
    """Applied and then transformed, or transformed and then applied: the same vector."""
    X = plucker.from_pose(se3.random(rng))
    L, c = Dyadic(rng.standard_normal((6, 6)), source, target), VECTOR[source](rng.standard_normal(6))
    result = L.transform(X) @ c.transform(X)
    assert isinstance(result, VECTOR[target])
    assert_allclose(result.array, (L @ c).transform(X).array, atol=1e-12)


@pytest.mark.source("F2.02")
def test_the_four_types_occur(rng):
    """v x, v x*, I and its inverse transform as the tables say they do."""
    T, v = se3.random(rng), rng.standard_normal(6)
    X, I = plucker.from_pose(T), Inertia.box((1, 2, 3), mass=2.0)
    moved = I.transformed(se3.inverse(T))
    for matrix, source, target, expected in [
        (crm(v), "motion", "motion", crm(X @ v)),
        (crf(v), "force", "force", crf(X @ v)),
        (I.matrix, "motion", "force", moved.matrix),
        (inverse_inertia(I), "force", "motion", inverse_inertia(moved)),
    ]:
        assert_allclose(Dyadic(matrix, source, target).transform(X).matrix, expected, atol=1e-12)


def test_the_wrong_kind_of_vector_is_refused(rng):
    with pytest.raises(TypeError, match="maps motion vectors"):
        Dyadic(np.eye(6), "motion", "force") @ ForceVector(np.ones(6))
