"""Motion subspaces and what joints make of inertias, against NumPy's matrices."""

import numpy as np
import pytest

from rbdkit.spatial import body, plucker, so3
from rbdkit.spatial.compact import Diagonal, Forces, JointMatrix, JointVector, Subspace, abi, fv, mv, plx, rbi
from rbdkit.spatial.compact.rotation import TurnAboutZ
from rbdkit.spatial.vector3 import Vector

ROUNDING = 1e-12
"""Of sums of some thirty products of numbers about 1, in a matrix whose condition is below 1e3."""


@pytest.fixture
def joint(rng, some):
    """S (6, 3), an articulated inertia (6, 6) and a rotor (3,), as both have them."""
    S, IA = rng.normal(size=(6, 3)), some(abi)
    return S, Subspace(mv.of(column) for column in S.T), np.array(IA.rows(), dtype=float), IA, rng.uniform(size=3)


def matrix(columns):
    return np.array([column.flat() for column in columns], dtype=float).T


def test_products_with_a_subspace_are_those_of_its_matrix(joint, rng):
    S, own_S, A, IA, _ = joint
    qd, f = rng.normal(size=3), rng.normal(size=6)
    np.testing.assert_allclose((own_S @ qd.tolist()).flat(), S @ qd, atol=ROUNDING)
    np.testing.assert_allclose(own_S.T @ fv.of(f), S.T @ f, atol=ROUNDING)
    np.testing.assert_allclose(matrix(IA @ own_S), A @ S, atol=ROUNDING)
    np.testing.assert_allclose((IA @ own_S).T @ mv.of(f), (A @ S).T @ f, atol=ROUNDING)
    E, r = so3.random(rng), rng.normal(size=3)
    X, own_X = plucker.plucker(E, r), plx(E, r)
    np.testing.assert_allclose(matrix(own_X @ own_S + own_S), X @ S + S, atol=ROUNDING)
    np.testing.assert_allclose(matrix(plucker.inverse(own_X) @ own_S), np.linalg.solve(X, S), atol=ROUNDING)
    np.testing.assert_allclose((plucker.inverse(own_X) @ own_S[0]).flat(), np.linalg.solve(X, S[:, 0]), atol=ROUNDING)
    with pytest.raises(TypeError, match="a force wants"):
        plucker.inverse(own_X) @ fv.of(f)
    assert JointVector(qd) @ JointVector(f[:3]) == pytest.approx(qd @ f[:3], abs=ROUNDING)


def test_a_joint_is_eliminated_as_in_the_book(joint, rng):
    """Eqs 7.43 to 7.49, with the rotor in D."""
    S, own_S, A, IA, rotor = joint
    U, D = A @ S, S.T @ A @ S + np.diag(rotor)
    own_U = IA @ own_S
    own_D = own_S.T @ own_U + Diagonal(rotor.tolist())
    u = rng.normal(size=3)
    np.testing.assert_allclose(own_D.solve(JointVector(u.tolist())), np.linalg.solve(D, u), atol=ROUNDING)
    found = np.array((IA - own_U @ own_D.solve(own_U.T)).rows(), dtype=float)
    np.testing.assert_allclose(found, A - U @ np.linalg.solve(D, U.T), atol=ROUNDING)
    again = JointMatrix.of(own_D.flat())
    np.testing.assert_array_equal(again.solve(u.tolist()), own_D.solve(u.tolist()))


def test_freeing_axis_by_axis_is_freeing_all(joint):
    """What `one_by_one` says of each axis is what a joint with that axis alone would feel."""
    _, own_S, A, IA, rotor = joint
    own_D = own_S.T @ (IA @ own_S) + Diagonal(rotor.tolist())
    for k, w in enumerate(own_D.one_by_one(IA @ own_S)):
        s = np.array(own_S[k].flat(), dtype=float)
        np.testing.assert_allclose(w, A @ s, atol=ROUNDING)
        d = s @ A @ s + rotor[k]
        np.testing.assert_allclose(own_D.inverse[k], 1.0 / d, rtol=ROUNDING)
        A = A - np.outer(A @ s, A @ s) / d


def test_nothing_at_all_resists_motion_along_a_free_unit_axis(some):
    """The elements are zero and not what rounding leaves: a link without mass may stand on the joint."""
    axes = Subspace(mv.of([float(i == k) for i in range(6)]) for k in (2, 4))
    IA = some(abi)
    U = IA @ axes
    D = axes.T @ U
    free = np.array((IA - U @ (D + Diagonal([0.0, 0.0])).solve(U.T)).rows())
    assert not free[[2, 4]].any() and not free[:, [2, 4]].any()
    geared = np.array((IA - U @ (D + Diagonal([0.0, 0.5])).solve(U.T)).rows())
    assert not geared[2].any() and abs(geared[4, 4]) > 1e-3


@pytest.mark.parametrize("kind", [rbi, abi])
def test_an_inertia_is_moved_by_its_transform_from_both_sides(kind, rng, some):
    E, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    E *= np.sign(np.linalg.det(E))
    r, c, s = rng.normal(size=3), np.cos(0.7), np.sin(0.7)
    about_z = TurnAboutZ.by(c, s)
    with_zeros = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    I = some(kind)
    for turn in (E.tolist(), about_z, with_zeros):
        X = plx(turn, r.tolist())
        dense = plucker.plucker(np.array(turn, dtype=float), r)
        np.testing.assert_allclose((X.T @ I @ X).rows(), dense.T @ np.array(I.rows()) @ dense, atol=1e2 * ROUNDING)
    with pytest.raises(TypeError, match=r"X.T @ I @ X"):
        X.T @ I @ plx(E.tolist(), [0.0, 0.0, 0.0])
    with pytest.raises(TypeError, match=r"X.T is for forces"):
        X.T @ mv.of(rng.normal(size=6))


def test_turns_about_z_stay_what_they_are(rng):
    a, b = (TurnAboutZ.by(np.cos(x), np.sin(x)) for x in (0.3, -1.1))
    np.testing.assert_allclose(a @ b, plucker.rz(0.3) @ plucker.rz(-1.1), atol=ROUNDING)
    assert isinstance(a @ b, TurnAboutZ) and isinstance(a.T, TurnAboutZ)
    np.testing.assert_allclose(a.T, plucker.rz(0.3).T)
    v = rng.normal(size=3)
    np.testing.assert_allclose(a @ Vector(v), plucker.rz(0.3) @ v, atol=ROUNDING)


def test_the_equation_of_motion_by_newtons_acceleration(rng, some):
    I, a, v = some(rbi), rng.normal(size=6), rng.normal(size=6)
    dense = np.array(I.rows(), dtype=float)
    expected = body.force(dense, a, v)
    np.testing.assert_allclose(I.force(mv.of(a), mv.of(v)).flat(), expected, atol=1e2 * ROUNDING)


def test_products_without_a_meaning_are_refused(joint):
    _, own_S, _, IA, _ = joint
    with pytest.raises(TypeError, match=r"S.T takes a force"):
        own_S.T @ mv.of([0.0] * 6)
    with pytest.raises(TypeError, match="what is taken from an abi is U D"):
        IA - IA
    assert isinstance(IA @ own_S, Forces)
