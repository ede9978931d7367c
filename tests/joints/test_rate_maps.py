"""The rate maps of planar and free joints, corrected; those that are printed do not move the pose with v_J."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import ModelError
from rbdkit.joints import Free, Planar, Spherical


def printed_table_4_1(q, v):
    """qdot = alpha, with the constant S of the table."""
    return v


def printed_example_4_5(q, v):
    """The first column (1, -q3, q2) belongs to another choice of variables."""
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[1, 0, 0], [-q[2], c, -s], [q[1], s, c]]) @ v


def corrected_in_predecessor_axes(q, v):
    c, s = np.cos(q[0]), np.sin(q[0])
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ v


def corrected_in_successor_axes(q, v):
    return np.array([[1, 0, 0], [q[2], 1, 0], [-q[1], 0, 1]]) @ v


@pytest.fixture
def residual(slope, cross_motion):
    """How far dX_J/dt is from -(v_J x) X_J if the coordinates move as the map says."""

    def largest(joint, q, v, rate_map):
        qdot = rate_map(q, v)
        X, _, v_J, _ = joint.calc(q, v)
        return np.abs(slope(joint.transform, q, qdot) + cross_motion(v_J) @ X).max()

    return largest


Q, V = np.array([0.7, 0.9, -0.4]), np.array([1.3, 0.5, -0.8])


@pytest.mark.source("F4.15", "F3.02")
@pytest.mark.parametrize("translation, right, wrong", [
    ("successor", corrected_in_successor_axes, printed_table_4_1),
    ("predecessor", corrected_in_predecessor_axes, printed_example_4_5),
])  # fmt: skip
def test_planar(residual, translation, right, wrong):
    joint = Planar("z", translation)
    assert_allclose(joint.rate(Q, V), right(Q, V), atol=1e-15)
    assert residual(joint, Q, V, right) < 1e-12
    assert residual(joint, Q, V, wrong) > 0.3


@pytest.mark.source("F4.18", "F3.02")
@pytest.mark.parametrize("translation", ["predecessor", "successor"])
def test_free(residual, rng, translation):
    """The printed map is (Eq 4.13 for the quaternion and) qdot = v for the translation."""
    joint = Free(translation)
    q, v = joint.random(rng), rng.normal(size=6)
    R = joint.pose(q)[:3, :3]
    moved = R @ v[3:] if translation == "predecessor" else v[3:] - np.cross(v[:3], q[4:])
    assert_allclose(joint.rate(q, v)[4:], moved, atol=1e-15)
    assert residual(joint, q, v, joint.rate) < 3e-12
    missed = np.linalg.norm(moved - v[3:])  # one of the nine entries of E rx has sqrt(2) / 3 |r| or more
    printed = residual(joint, q, v, lambda q, v: np.concatenate([joint.rate(q, v)[:4], v[3:]]))
    assert printed > 0.47 * missed > 1e-3


@pytest.mark.source("F4.16", "F4.26", "F3.02")
def test_quaternion_rate_is_eq_4_13(rng):
    """pdot = Q omega / 2, at right angles to p."""
    p, omega = Spherical().random(rng), rng.normal(size=3)
    p0, p1, p2, p3 = p
    Q = np.array([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]])
    pdot = Spherical().rate(p, omega)
    assert_allclose(pdot, 0.5 * Q @ omega, atol=1e-15)
    assert abs(pdot @ p) < 1e-15


@pytest.mark.source("F4.15", "F4.18")
@pytest.mark.parametrize("make", [lambda translation: Planar([0.6, 0.0, 0.8], translation), Free])
def test_both_translations_are_one_joint(make, rng):
    """Same pose, same velocity variables: the same motion in other coordinates."""
    a, b = make("predecessor"), make("successor")
    q, dv = a.random(rng), rng.normal(size=a.nv)
    p = b.project(a.pose(q))
    assert_allclose(b.pose(p), a.pose(q), atol=2e-15)
    assert_allclose(b.pose(b.integrate(p, dv)), a.pose(a.integrate(q, dv)), atol=4e-15)
    assert_allclose(b.difference(p, b.integrate(p, dv)), a.difference(q, a.integrate(q, dv)), atol=1e-14)


@pytest.mark.parametrize("make, kind", [(Planar, "planar"), (Free, "free")])
def test_unknown_translation(make, kind):
    with pytest.raises(ModelError, match=f"translation 'world' of a {kind} joint must be 'predecessor' or 'successor'"):
        make(translation="world")
