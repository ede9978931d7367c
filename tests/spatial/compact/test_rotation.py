"""Section A.5: the tricks give what plain products of matrices give, for what the book says they cost."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import ModelError
from rbdkit.spatial import plucker, so3
from rbdkit.spatial.compact import AxialRotation, Matrix, Symmetric, Vector, rotation
from rbdkit.spatial.compact.axial import rx, ry, rz

EXACT = dict(rtol=0, atol=1e-14)  # numbers of about 1, a dozen roundings


def general(A):
    return Matrix.of(np.asarray(A).ravel().tolist())


def symmetric(A):
    return Symmetric.upper(general(A))


@pytest.mark.source("FA.07")
def test_product_of_two_rotations(rng, cost):
    F, G = so3.random(rng), so3.random(rng)
    assert_allclose(rotation.product(general(F), general(G)), F @ G, **EXACT)
    assert cost(lambda F, G: rotation.product(general_of(F), general_of(G)), (3, 3), (3, 3)) == "24m + 15a"
    assert cost(lambda F, G: F @ G, (3, 3), (3, 3)) == "27m + 18a"


@pytest.mark.source("FA.07")
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_product_of_many_rotations(n, rng, cost):
    factors = [so3.random(rng) for _ in range(n + 1)]
    expected = np.eye(3)
    for F in factors:
        expected = expected @ F
    assert_allclose(rotation.product(*map(general, factors)), expected, **EXACT)
    found = cost(lambda *F: rotation.product(*map(general_of, F)), *[(3, 3)] * (n + 1))
    assert found == (f"{18 * n + 6}m + {12 * n + 3}a" if n else "0")


@pytest.mark.source("FA.08")
def test_rotated_matrices(rng, cost):
    E, A = so3.random(rng), rng.normal(size=(3, 3))
    for by_trace, price in ((True, "40m + 39a"), (False, "42m + 37a")):
        assert_allclose(rotation.rotate(general(E), general(A), by_trace), E @ A @ E.T, **EXACT)
        found = cost(lambda E, A, t=by_trace: rotation.rotate(general_of(E), general_of(A), t), (3, 3), (3, 3))
        assert found == price
    S = A + A.T
    assert_allclose(rotation.rotate_symmetric(general(E), symmetric(S)).full, E @ S @ E.T, **EXACT)
    assert cost(lambda E, S: rotation.rotate_symmetric(general_of(E), Symmetric(S)), (3, 3), 6) == "28m + 29a"
    assert cost(lambda E, A: E @ A @ E.T, (3, 3), (3, 3)) == "54m + 36a"


AXIAL = [("x", rx, plucker.rx), ("y", ry, plucker.ry), ("z", rz, plucker.rz)]


@pytest.mark.source("FA.09")
@pytest.mark.parametrize(("axis", "turn", "plain"), AXIAL, ids="xyz")
@pytest.mark.parametrize("theta", [0.0, 0.7, -2.9, np.pi])
def test_axial_rotations(axis, turn, plain, theta, rng):
    E, A, v = plain(theta), rng.normal(size=(3, 3)), rng.normal(size=3)
    R = turn(theta)
    assert R.axis == axis
    assert_allclose(R.matrix, E, rtol=0, atol=0)
    assert_allclose(R.inverse.matrix, E.T, rtol=0, atol=0)
    assert_allclose(R.vector(Vector(v)), E @ v, **EXACT)
    assert_allclose(R.general(general(A)), E @ A @ E.T, **EXACT)
    assert_allclose(R.inverse.general(general(A)), E.T @ A @ E, **EXACT)
    assert_allclose(R.symmetric(symmetric(A + A.T)).full, E @ (A + A.T) @ E.T, **EXACT)
    assert_allclose(R.inverse.symmetric(symmetric(A + A.T)).full, E.T @ (A + A.T) @ E, **EXACT)


@pytest.mark.source("FA.09")
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_cost_of_axial_rotations(axis, cost):
    def ready(E):
        return AxialRotation(axis, *E)

    assert cost(lambda E, v: ready(E).vector(Vector(v)), 6, 3) == "4m + 2a"
    assert cost(lambda E, A: ready(E).general(Matrix.of(A)), 6, 9) == "12m + 12a"
    assert cost(lambda E, A: ready(E).symmetric(Symmetric(A)), 6, 6) == "8m + 7a"
    assert cost(lambda E: [ready(E).inverse.cs, ready(E).inverse.cs2], 6) == "0"


@pytest.mark.source("FA.09")
def test_cost_of_the_constants_is_paid_once(cost):
    def constants(R):
        return [R.cs, R.ss, R.cs2, R.cc_ss]

    assert cost(lambda c, s: constants(AxialRotation.of("x", c, s)), (), ()) == "2m + 3a"
    assert cost(lambda theta: constants(rz(theta)), ()) == "2m + 3a + 2t"  # the book leaves out sine and cosine


@pytest.mark.source("FA.08", "FA.09")
def test_three_turns_about_axes_are_a_little_cheaper_than_one_general_rotation(rng, cost):
    angles, A = rng.normal(size=3), rng.normal(size=(3, 3))
    E = plucker.rx(angles[2]) @ plucker.ry(angles[1]) @ plucker.rz(angles[0])
    turned = rx(angles[2]).general(ry(angles[1]).general(rz(angles[0]).general(general(A))))
    assert_allclose(turned, rotation.rotate(general(E), general(A)), **EXACT)

    def thrice(E, A):
        for k, axis in enumerate("zyx"):
            A = AxialRotation(axis, *E[k]).general(A)
        return A

    assert cost(lambda E, A: thrice(E, Matrix.of(A)), (3, 6), 9) == "36m + 36a"


def test_an_unknown_axis_is_refused():
    with pytest.raises(ModelError, match="about 'x', 'y' or 'z', not about 'w'"):
        AxialRotation.of("w", 1.0, 0.0)


def general_of(E):
    """A traced array as three rows."""
    return Matrix.of(E.ravel())
