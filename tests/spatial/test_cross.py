import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.spatial import crf, crm, cross_force, cross_motion, plucker, se3, so3

vectors = st.tuples(*[st.floats(-10, 10, allow_subnormal=False)] * 6).map(np.array)
rotations = st.integers(0, 2**32 - 1).map(lambda seed: so3.random(np.random.default_rng(seed)))
points = st.tuples(*[st.floats(-3, 3, allow_subnormal=False)] * 3).map(np.array)


@pytest.mark.source("F2.15")
@settings(max_examples=100, deadline=None, derandomize=True)
@given(vectors, vectors, vectors, st.floats(-10, 10), rotations, points)
def test_identities_of_table_2_3(u, v, f, factor, E, r):
    X = plucker.plucker(E, r)
    Xf, X_inverse = plucker.force(X), plucker.inverse(X)
    tolerance = {"rtol": 0, "atol": 1e-10}  # sums of products up to 10 * 10 * 10 * |r|^2 = 1e4, times eps
    assert_array_equal(crf(v), -crm(v).T)
    assert_allclose(crm(factor * v), factor * crm(v), **tolerance)
    assert_allclose(crm(u + v), crm(u) + crm(v), **tolerance)
    assert_allclose(crf(u + v), crf(u) + crf(v), **tolerance)
    assert_allclose(crm(X @ v), X @ crm(v) @ X_inverse, **tolerance)
    assert_allclose(crf(X @ v), Xf @ crf(v) @ X.T, **tolerance)
    assert_allclose(crm(u) @ v, -crm(v) @ u, **tolerance)
    assert_allclose(crm(u) @ v, -v @ crf(u), **tolerance)
    assert_allclose(crf(u) @ f, -f @ crm(u), **tolerance)
    assert_allclose(crm(crm(u) @ v), crm(u) @ crm(v) - crm(v) @ crm(u), **tolerance)
    assert_allclose(crf(crm(u) @ v), crf(u) @ crf(v) - crf(v) @ crf(u), **tolerance)
    assert_allclose(cross_motion(u, u), np.zeros(6), **tolerance)


@pytest.mark.source("F2.15")
def test_crm_is_the_rate_of_a_vector_that_is_carried_along(rng):
    """m(t) = Ad(exp(t v)) m and f(t) = Ad(exp(t v))^-T f, Eq 2.29 and 2.30, by central difference."""
    v, m, f, h = *rng.standard_normal((3, 6)), 1e-6
    ahead, behind = (se3.adjoint(se3.exp(s * v)) for s in (h, -h))
    assert_allclose(cross_motion(v, m), (ahead - behind) @ m / (2 * h), atol=1e-9)
    assert_allclose(
        cross_force(v, f), (behind.T - ahead.T) @ f / (2 * h), atol=1e-9
    )  # Ad(exp(t v))^-T = Ad(exp(-t v))^T


@pytest.mark.source("F2.15")
def test_vector_forms_are_the_three_dimensional_products(rng):
    """Eq 2.33 and 2.34 with numpy's cross."""
    (w, v), (m, m_O) = rng.standard_normal((2, 2, 3))
    a, b = np.concatenate([w, v]), np.concatenate([m, m_O])
    assert_allclose(cross_motion(a, b), [*np.cross(w, m), *(np.cross(w, m_O) + np.cross(v, m))], atol=1e-15)
    assert_allclose(cross_force(a, b), [*(np.cross(w, m) + np.cross(v, m_O)), *np.cross(w, m_O)], atol=1e-15)


def test_stacks_and_lists(rng):
    v, m = rng.standard_normal((2, 4, 5, 6))
    assert_allclose(cross_motion(v, m), (crm(v) @ m[..., None])[..., 0], atol=1e-15)
    assert_allclose(cross_force(v[0, 0], m), (crf(v[0, 0]) @ m[..., None])[..., 0], atol=1e-15)
    assert_array_equal(cross_motion(list(v[0, 0]), tuple(m[0, 0])), cross_motion(v[0, 0], m[0, 0]))
    with pytest.raises(ValueError, match="6 numbers"):
        crm(np.zeros(3))
