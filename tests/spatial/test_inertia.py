import copy
import pickle

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rbdkit.errors import ModelError
from rbdkit.spatial import Inertia, body, plucker, se3, so3
from rbdkit.spatial import inertia as inertia_module


def point_masses(rng, n=12):
    return rng.uniform(0.1, 1.0, n), rng.standard_normal((n, 3))


def from_points(masses, points):
    """The definition: mass, mean and second moments of a cloud of point masses."""
    m, c = masses.sum(), masses @ points / masses.sum()
    d = points - c
    return Inertia(m, c, sum(mi * (x @ x * np.eye(3) - np.outer(x, x)) for mi, x in zip(masses, d)))


@pytest.fixture
def some(rng):
    return from_points(*point_masses(rng))


@pytest.mark.source("F2.22")
def test_matrix_is_the_sum_of_the_point_masses(rng):
    """Eq 2.63 against h = sum [x cross m v; m v] over the points, for each unit motion."""
    masses, points = point_masses(rng)
    momenta = np.zeros((6, 6))
    for k, (w, v) in enumerate(np.eye(6).reshape(6, 2, 3)):
        linear = masses[:, None] * (v + np.cross(w, points))
        momenta[:, k] = [*np.cross(points, linear).sum(axis=0), *linear.sum(axis=0)]
    assert_allclose(from_points(masses, points).matrix, momenta, atol=1e-13)


@pytest.mark.source("F2.22")
def test_ten_parameters_and_matrix_give_the_inertia_back(some):
    for again in (Inertia.from_ten_parameters(some.ten_parameters), Inertia.from_matrix(some.matrix)):
        assert again.mass == pytest.approx(some.mass, rel=1e-15)
        assert_allclose(again.com, some.com, rtol=1e-14)
        assert_allclose(again.inertia_com, some.inertia_com, atol=1e-13)
    assert Inertia.from_ten_parameters(np.zeros(10)) == Inertia.zero()


@pytest.mark.source("F2.22")
def test_agrees_with_pinocchio(some):
    """Pinocchio lists (m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) and is linear first."""
    other = pin.Inertia(some.mass, some.com, some.inertia_com)
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
    assert_allclose(some.ten_parameters[order], other.toDynamicParameters(), atol=1e-13)
    swap = [3, 4, 5, 0, 1, 2]
    assert_allclose(some.matrix[np.ix_(swap, swap)], other.matrix(), atol=1e-13)


@pytest.mark.source("F2.22")
def test_matrix_is_positive_definite(some):
    assert_array_equal(some.matrix, some.matrix.T)
    assert np.linalg.eigvalsh(some.matrix).min() > 0


@pytest.mark.source("F2.22", "F2.23")
def test_every_way_to_an_inertia_leads_to_a_symmetric_one(rng):
    """To the last bit, and for any body: a product in the wrong order shows in every second one of these."""
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    for _ in range(50):
        one, two = (from_points(*point_masses(rng)) for _ in range(2))
        R = so3.random(rng)
        ways = [
            one,
            one + two,
            one.transformed(se3.random(rng)),
            Inertia.from_ten_parameters(one.ten_parameters),
            Inertia.from_matrix(one.matrix * (1 + 1e-10 * rng.standard_normal((6, 6)))),
            Inertia.mesh(rng.standard_normal((4, 3)), faces, density=1.0),
            Inertia(1.0, rng.standard_normal(3), R @ np.diag([2.0, 3.0, 4.0]) @ R.T),
        ]
        for body_ in ways:
            assert_array_equal(body_.inertia_com, body_.inertia_com.T)
            assert_array_equal(body_.matrix, body_.matrix.T)
            inverse = body.inverse_inertia(body_)
            assert_array_equal(inverse, inverse.T)


def test_what_round_off_is_not_is_left_for_the_findings():
    """Six digits of a file are averaged; a matrix that says two different things is kept to be shown."""
    nearly = np.diag([1.0, 1.0, 1.0])
    nearly[0, 1] = 8e-6
    assert Inertia(1.0, inertia_com=nearly).inertia_com[0, 1] == Inertia(1.0, inertia_com=nearly).matrix[1, 0] == 4e-6
    wrong = 2e-5 * np.eye(3, k=1) + np.eye(3)
    assert_array_equal(Inertia(1.0, inertia_com=wrong, check=False).inertia_com, wrong)
    with pytest.raises(ModelError, match="not symmetric"):
        Inertia(1.0, inertia_com=wrong)


@pytest.mark.source("F2.22")
def test_a_general_symmetric_matrix_is_no_rigid_body_inertia(some, rng):
    A = rng.standard_normal((6, 6))
    with pytest.raises(ModelError, match=r"form Eq 2\.63"):
        Inertia.from_matrix(some.matrix + 1e-3 * A @ A.T)
    with pytest.raises(ModelError, match="shape"):
        Inertia.from_matrix(np.eye(3))
    with pytest.raises(ModelError, match="10 parameters"):
        Inertia.from_ten_parameters(np.ones(9))


@pytest.mark.source("F2.23")
def test_sum_is_the_inertia_of_all_points_together(rng):
    masses, points = point_masses(rng)
    a, b = from_points(masses[:5], points[:5]), from_points(masses[5:], points[5:])
    whole = from_points(masses, points)
    for total in (a + b, sum([a, b])):
        assert_allclose(total.matrix, whole.matrix, atol=1e-13)
        assert_allclose(total.matrix, a.matrix + b.matrix, atol=1e-13)
    assert a + Inertia.zero() == a == sum([a])
    assert Inertia.zero() + Inertia.zero() == Inertia.zero()


@pytest.mark.source("F2.23")
def test_transform_is_the_congruence_and_moves_the_points(rng):
    """Eq 2.66 with the 6x6 matrices, and the same points seen from the other frame."""
    masses, points = point_masses(rng)
    A_T_B = se3.random(rng)
    seen = from_points(masses, points).transformed(A_T_B)
    A_X_B = np.linalg.inv(plucker.from_pose(A_T_B))
    A_X_B_star = np.linalg.inv(A_X_B).T
    assert_allclose(seen.matrix, A_X_B_star @ from_points(masses, points).matrix @ np.linalg.inv(A_X_B), atol=1e-12)
    there = points @ A_T_B[:3, :3].T + A_T_B[:3, 3]
    assert_allclose(seen.matrix, from_points(masses, there).matrix, atol=1e-12)


def test_principal_axes(rng):
    R = so3.random(rng)
    principal = Inertia.box((1.0, 2.0, 3.0), mass=12.0).transformed(se3.pose(R)).principal()
    assert_allclose(principal.moments, [5, 10, 13], rtol=1e-14)
    assert_allclose(np.abs(principal.axes.T @ R), np.eye(3)[::-1], atol=1e-14)
    assert so3.is_rotation(principal.axes, tol=1e-14)


def test_an_inertia_is_a_value(some):
    same = Inertia(some.mass, some.com.tolist(), some.inertia_com.tolist())
    assert same == some and hash(same) == hash(some)
    assert some != Inertia(some.mass + 1e-15, some.com, some.inertia_com) and some != 3
    assert Inertia(1.0, (0.0, -0.0, 0.0)) == Inertia(1.0) and hash(Inertia(1.0, (-0.0, 0, 0))) == hash(Inertia(1.0))
    assert eval(repr(some), {"Inertia": Inertia}) == some
    assert pickle.loads(pickle.dumps(some)) == some and copy.deepcopy(some) == some
    copied = copy.deepcopy(some)
    for array in (copied.com, some.com, some.inertia_com, some.matrix):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        some.mass = 2.0
    source = np.array([1.0, 2.0, 3.0])
    made = Inertia(1.0, source)
    source[0] = 9.0
    assert made.com[0] == 1.0


def test_products_with_motion_vectors(some, rng):
    v = rng.standard_normal(6)
    assert_allclose(some @ v, some.matrix @ v)
    assert_allclose(body.momentum(some, v), some.matrix @ v)


def test_solids_take_mass_or_density():
    assert Inertia.box((1, 2, 3), density=2.0) == Inertia.box((1, 2, 3), mass=12.0)
    with pytest.raises(ModelError, match="exactly one"):
        Inertia.sphere(1.0)
    with pytest.raises(ModelError, match="exactly one"):
        Inertia.sphere(1.0, mass=1.0, density=1.0)
    with pytest.raises(ModelError, match="thin shell"):
        Inertia.hollow_sphere(1.0, 1.0, density=1000.0)
    with pytest.raises(ModelError, match="negative"):
        Inertia.sphere(1.0, mass=-1.0)


def test_wrong_shapes_are_refused_with_the_name():
    with pytest.raises(ModelError, match=r"com has shape \(2,\)"):
        Inertia(1.0, (0.0, 0.0))
    with pytest.raises(ModelError, match=r"inertia_com has shape \(3,\)"):
        Inertia(1.0, inertia_com=(1.0, 1.0, 1.0))
    with pytest.raises(ModelError, match="mass must hold numbers"):
        Inertia("heavy")
    with pytest.raises(ModelError, match=r"pose \(4, 4\), got shape \(6, 6\)"):
        Inertia(1.0).transformed(np.eye(6))


def test_findings_are_made_once(monkeypatch):
    """An inertia never changes, and neither does what is wrong with it; each caller gets a list of its own."""
    made, looked = Inertia(-1.0, check=False), []
    find = inertia_module.inertia_findings
    monkeypatch.setattr(inertia_module, "inertia_findings", lambda *numbers: looked.append(1) or find(*numbers))
    first = made.findings()
    assert first == ["the mass is negative: -1 kg"]
    first.clear()
    assert made.findings() == ["the mass is negative: -1 kg"]
    assert looked == [1]
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
