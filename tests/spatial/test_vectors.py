import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import ForceVector, Inertia, MotionVector, crf, crm, fields, plucker, se3


@pytest.fixture
def v(rng):
    return MotionVector(rng.standard_normal(6))


@pytest.fixture
def f(rng):
    return ForceVector(rng.standard_normal(6) + 1)


@pytest.mark.source("F2.09")
def test_scalar_product_is_the_power_of_point_forces(rng, v):
    """Sum of force times velocity over the points where forces act."""
    points, forces = rng.standard_normal((2, 10, 3))
    total = sum((ForceVector.at([0, 0, 0], F, P) for F, P in zip(forces, points)), start=ForceVector(np.zeros(6)))
    power = (forces * fields.velocity_at(v.array, points)).sum()
    assert v.dot(total) == pytest.approx(power, rel=1e-13)
    assert total.dot(v) == v.dot(total)


@pytest.mark.source("F2.09")
def test_scalar_product_is_the_same_at_every_origin(rng, v, f):
    X = plucker.from_pose(se3.random(rng))
    assert v.transform(X).dot(f.transform(X)) == pytest.approx(v.dot(f), rel=1e-13)
    assert_array_equal((X @ v).array, X @ v.array)
    assert_allclose(f.transform(X).array, np.linalg.inv(X).T @ f.array, atol=1e-14)


@pytest.mark.source("F2.09")
def test_products_that_do_not_exist_are_refused_with_a_reason(rng, v, f):
    X = np.eye(6)
    for wrong, reason in [
        (lambda: v.dot(v), "kinetic energy"),
        (lambda: f.dot(f), "independent of the frame"),
        (lambda: v.dot(v.array), "ndarray"),
        (lambda: f.cross(f), "no cross product"),
        (lambda: f.cross(v), r"v\.cross\(f\)"),
        (lambda: v.cross(3.0), "MotionVector or a ForceVector"),
        (lambda: v + f, "same kind"),
        (lambda: v - v.array, "same kind"),
        (lambda: v * v, "dot and cross"),
        (lambda: X @ f, r"f\.transform\(X\)"),
        (lambda: MotionVector(f), "dual spaces"),
        (lambda: Inertia(1.0) @ f, "inverse_inertia"),
    ]:
        with pytest.raises(TypeError, match=reason):
            wrong()
    with pytest.raises(ValueError, match=r"\(3,\)"):
        MotionVector([1, 2, 3])


@pytest.mark.source("F2.03", "F2.05")
def test_from_a_point_and_back_to_any_point(rng):
    """Eq 2.1 and 2.6: the same vector from data at P, read off at Q."""
    w, v_P, P, Q = rng.standard_normal((4, 3))
    assert_allclose(fields.velocity_at(MotionVector.at(w, v_P, P), Q), v_P + np.cross(w, Q - P), atol=1e-14)
    assert_allclose(fields.moment_about(ForceVector.at(v_P, w, P), Q), v_P + np.cross(w, Q - P), atol=1e-14)


def test_vector_space_operations_and_cross_products(v, f):
    assert_allclose((2 * v + v / 2 - v).array, 1.5 * v.array, atol=1e-15)
    assert_array_equal((np.float64(2.0) * v).array, 2 * v.array)
    assert_array_equal((-f).array, -f.array)
    assert_allclose(v.cross(2 * v).array, 0, atol=1e-15)
    assert_allclose(v.cross(f).array, crf(v.array) @ f.array, atol=1e-14)
    assert_allclose(v.cross(MotionVector(f.array)).array, crm(v.array) @ f.array, atol=1e-14)
    assert isinstance(v.cross(f), ForceVector)
    assert isinstance(Inertia.box((1, 2, 3), mass=2.0) @ v, ForceVector)


def test_vectors_are_values(v, f):
    assert v == MotionVector(v) and hash(v) == hash(MotionVector(v))
    assert v != ForceVector(v.array) and v != 1
    assert eval(repr(f), {"ForceVector": ForceVector}) == f
    assert pickle.loads(pickle.dumps(v)) == v and copy.deepcopy(v) == v
    assert_array_equal(np.asarray(v), v.array)
    assert_array_equal(np.concatenate([v.angular, v.linear]), v.array)
    for array in (v.array, copy.deepcopy(v).array):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
