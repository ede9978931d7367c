"""Table 4.1 of Featherstone (2008), axis z: E, r, S and T entry by entry as printed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.joints import Cylindrical, EulerSpherical, Free, Helical, Planar, Prismatic, Revolute, Spherical

e1, e2, e3, e4, e5, e6 = np.eye(6)
H = 0.35  # pitch


def rz(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def eq_4_12(p):
    p0, p1, p2, p3 = p
    return 2 * np.array([
        [p0**2 + p1**2 - 0.5, p1 * p2 + p0 * p3, p1 * p3 - p0 * p2],
        [p1 * p2 - p0 * p3, p0**2 + p2**2 - 0.5, p2 * p3 + p0 * p1],
        [p1 * p3 + p0 * p2, p2 * p3 - p0 * p1, p0**2 + p3**2 - 0.5],
    ])  # fmt: skip


def in_plane(q):
    c, s = np.cos(q[0]), np.sin(q[0])
    return [c * q[1] - s * q[2], s * q[1] + c * q[2], 0]


TABLE = {  # joint: E(q), r(q), columns of S, columns of T
    "revolute": (Revolute("z"), lambda q: rz(q[0]), lambda q: [0, 0, 0], [e3], [e1, e2, e4, e5, e6]),
    "prismatic": (Prismatic("z"), lambda q: np.eye(3), lambda q: [0, 0, q[0]], [e6], [e1, e2, e3, e4, e5]),
    "helical": (
        Helical("z", H), lambda q: rz(q[0]), lambda q: [0, 0, H * q[0]],
        [e3 + H * e6], [e1, e2, e4, e5, e6 - H * e3],
    ),
    "cylindrical": (Cylindrical("z"), lambda q: rz(q[0]), lambda q: [0, 0, q[1]], [e3, e6], [e1, e2, e4, e5]),
    "planar": (Planar("z", "successor"), lambda q: rz(q[0]), in_plane, [e3, e4, e5], [e1, e2, e6]),
    "spherical": (Spherical(), eq_4_12, lambda q: [0, 0, 0], [e1, e2, e3], [e4, e5, e6]),
    "free": (
        Free("successor"), lambda q: eq_4_12(q[:4]), lambda q: eq_4_12(q[:4]).T @ q[4:], [e1, e2, e3, e4, e5, e6], [],
    ),
}  # fmt: skip
IDS = {
    "revolute": "F4.11", "prismatic": "F4.12", "helical": "F4.13", "cylindrical": "F4.14", "planar": "F4.15",
    "spherical": "F4.16", "free": "F4.18",
}  # fmt: skip


@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.source(IDS[row])) for row in TABLE])
def test_row(row, rng, plucker_matrix):
    joint, E, r, S, T = TABLE[row]
    for _ in range(3):
        q = joint.random(rng)
        X = plucker_matrix(E(q), np.array(r(q), dtype=float))
        assert_allclose(joint.transform(q), X, atol=1e-15)
        assert_array_equal(joint.motion_subspace(q), np.column_stack(S))
        assert_array_equal(joint.constraint_subspace(q), np.column_stack(T) if T else np.zeros((6, 0)))


@pytest.mark.source("F4.17")
def test_euler_angles(rng, plucker_matrix):
    """E = rx(q3) ry(q2) rz(q1) written out (Eq 4.7), S (Eq 4.8) and a constant T."""
    joint = EulerSpherical()
    q = rng.uniform(-3, 3, size=3)
    (c1, c2, c3), (s1, s2, s3) = np.cos(q), np.sin(q)
    E = np.array([
        [c1 * c2, s1 * c2, -s2],
        [c1 * s2 * s3 - s1 * c3, s1 * s2 * s3 + c1 * c3, c2 * s3],
        [c1 * s2 * c3 + s1 * s3, s1 * s2 * c3 - c1 * s3, c2 * c3],
    ])  # fmt: skip
    assert_allclose(joint.transform(q), plucker_matrix(E, np.zeros(3)), atol=1e-15)
    assert_allclose(joint.motion_subspace(q)[:3], [[-s2, 0, 1], [c2 * s3, c3, 0], [c2 * c3, -s3, 0]], atol=1e-16)
    assert_array_equal(joint.constraint_subspace(q), np.column_stack([e4, e5, e6]))


@pytest.mark.parametrize("make", [Revolute, Prismatic, lambda a: Helical(a, H), Cylindrical, Planar,
                                  lambda a: Planar(a, "successor")])  # fmt: skip
@pytest.mark.parametrize("axis, turn", [
    ("x", [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ("y", [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
])  # fmt: skip
def test_other_axes_are_the_table_turned(make, axis, turn, rng):
    """A joint about x or y is the joint about z in axes that are named cyclically; `turn` takes z to the axis."""
    joint, about_z = make(axis), make("z")
    P = np.array(turn, dtype=float)
    P6 = np.kron(np.eye(2), P)
    q = joint.random(rng)
    assert_allclose(joint.transform(q), P6 @ about_z.transform(q) @ P6.T, atol=1e-15)
    assert_array_equal(joint.motion_subspace(q), P6 @ about_z.motion_subspace(q))
    same_span = np.hstack([joint.constraint_subspace(q), P6 @ about_z.constraint_subspace(q)])
    assert np.linalg.matrix_rank(same_span) == 6 - joint.nv
