import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.errors import StateError
from rbdkit.spatial import basis, plucker, se3


@pytest.mark.source("F2.01")
def test_reciprocal_basis(rng):
    """d_i . e_j = delta_ij; dual coordinates give the scalar product and X* = X^-T between any two dual bases."""
    D, C = rng.standard_normal((2, 6, 6))
    E = basis.dual_basis(D)
    assert_allclose(D.T @ E, np.eye(6), atol=1e-13)
    m, f = rng.standard_normal((2, 6))
    in_D, in_E = basis.dual_coordinates(D, m), basis.dual_coordinates(E, f)
    assert_allclose(D @ in_D, m, atol=1e-12)
    assert_allclose(in_D @ in_E, m @ f, atol=1e-12)
    X = np.linalg.solve(C, D)  # motion coordinates from basis D to basis C
    X_star = np.linalg.solve(basis.dual_basis(C), E)
    assert_allclose(X_star, np.linalg.inv(X).T, atol=1e-11)
    with pytest.raises(StateError, match="independent"):
        basis.dual_basis(np.ones((6, 6)))
    with pytest.raises(StateError, match="independent"):
        basis.dual_basis(np.eye(6)[:4])


@pytest.mark.source("F2.04")
def test_example_2_2():
    """Shift of the origin to P = (r, 0, 0): the printed basis vectors and velocities, and the same spatial vector."""
    r = 0.7
    d_Ox, d_Oy, d_Oz, d_x, d_y, d_z = np.eye(6)
    D_P = basis.motion_basis([r, 0, 0])
    assert_allclose(D_P.T, [d_Ox, d_Oy + r * d_z, d_Oz - r * d_y, d_x, d_y, d_z], atol=0)
    wx, wy, wz, vx, vy, vz = v = np.array([0.3, -0.5, 0.8, 1.0, 2.0, -3.0])
    at_P = basis.dual_coordinates(D_P, v)
    assert_allclose(at_P, [wx, wy, wz, vx, vy + wz * r, vz - wy * r], atol=1e-15)
    assert_allclose(D_P @ at_P, v, atol=1e-15)


@pytest.mark.source("F2.04", "F2.05")
def test_force_basis_is_dual_to_the_motion_basis(rng):
    P = rng.standard_normal(3)
    assert_allclose(basis.motion_basis(P).T @ basis.force_basis(P), np.eye(6), atol=1e-15)
    e_Px = basis.force_basis(P)[:, 3]  # a unit force along the line through P parallel to x
    assert_allclose(e_Px, [*np.cross(P, [1, 0, 0]), 1, 0, 0], atol=1e-15)


@pytest.mark.source("F2.16")
@pytest.mark.parametrize("kind", ["motion", "force"])
def test_multiplication_tables_of_figure_2_5(kind):
    """Each entry is the derivative of a basis vector that is carried along by a unit motion."""
    names = basis.MOTION_BASIS if kind == "motion" else basis.FORCE_BASIS
    table, h = basis.cross_table(kind), 1e-6
    for i, u in enumerate(np.eye(6)):
        moved = se3.adjoint(se3.exp(h * u))
        rate = ((moved if kind == "motion" else np.linalg.inv(moved).T) - np.eye(6)) / h
        for j in range(6):
            entry = table[i][j]
            expected = np.zeros(6)
            if entry != "0":
                expected[names.index(entry.lstrip("-"))] = -1 if entry[0] == "-" else 1
            assert_allclose(rate[:, j], expected, atol=1e-5)  # one-sided difference: h


@pytest.mark.source("F2.16")
def test_entries_that_the_book_works_out():
    table = basis.cross_table()
    assert (table[0][0], table[0][1]) == ("0", "d_Oz")
    assert (table[3][0], table[3][1]) == ("0", "d_z")
    assert all(table[i][j] == "0" for i in (3, 4, 5) for j in (3, 4, 5))  # translations commute


@pytest.mark.source("F2.06")
def test_other_coordinate_order_against_pinocchio(rng):
    """Pinocchio is linear first: its action matrix and motions are ours in the other order."""
    T, v = se3.random(rng), rng.standard_normal(6)
    M = pin.SE3(T)
    assert_allclose(basis.linear_first(se3.adjoint(T)), M.toActionMatrix(), atol=1e-15)
    moved = M.act(pin.Motion(basis.linear_first(v)))
    assert_allclose(basis.angular_first(moved.vector), plucker.inverse(plucker.from_pose(T)) @ v, atol=1e-14)
    stack = rng.standard_normal((4, 3, 6))
    assert_array_equal(basis.linear_first(stack)[..., :3], stack[..., 3:])
    assert_array_equal(basis.angular_first(basis.linear_first(stack)), stack)
