"""The general joint constraint, for every joint type, driven in time or not, and either way around."""

from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import constraints as con
from rbdkit.errors import ModelError
from rbdkit.joints import Cylindrical, Prescribed, Reversed, Revolute, Universal
from rbdkit.library import joint_gallery, uncommon_joints
from rbdkit.library.pinion_hinge import active_force_subspace, pinion_hinge, tooth_force
from rbdkit.spatial import plucker, se3, subspace
from rbdkit.spatial.cross import cross_motion

H = 1e-5


class DrivenSlide(Revolute):
    """A cylindrical joint whose slide follows time: S for the turning, sigma for the sliding, both at once."""

    kind: ClassVar[str] = "driven slide"

    def pose(self, q, t=0.0):
        return super().pose(q) @ se3.pose(position=np.sin(2.0 * t) * self.axis)

    def velocity(self, q, v, t=0.0):
        return super().velocity(q, v) + np.concatenate([np.zeros(3), 2.0 * np.cos(2.0 * t) * self.axis])

    def velocity_product(self, q, v, t=0.0):
        return np.concatenate([np.zeros(3), -4.0 * np.sin(2.0 * t) * self.axis])

    def calc(self, q, v, t=0.0):
        return self.transform(q, t), self.motion_subspace(q), self.velocity(q, v, t), self.velocity_product(q, v, t)


def swing(size):
    k = np.arange(1, size + 1)
    return lambda t: (np.sin(k * t) + 0.2, k * np.cos(k * t), -(k**2) * np.sin(k * t))


JOINTS = [
    *joint_gallery(np.random.default_rng(35)),
    *uncommon_joints(np.random.default_rng(35)),
    Prescribed(Cylindrical("y"), swing(2)),
    Prescribed(Universal(), swing(2)),
    Reversed(Prescribed(Universal(), swing(2))),
    DrivenSlide([0.0, 0.6, 0.8]),
    Reversed(DrivenSlide("x")),
]


@pytest.fixture(params=JOINTS, ids=[f"{k}-{joint.kind}" for k, joint in enumerate(JOINTS)])
def joint(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(335)


@pytest.fixture
def state(joint, rng):
    """q, qd, t, and the constraint there."""
    q, qd, t = joint.random(rng), rng.normal(size=joint.nv), 0.37
    return q, qd, t, con.joint_constraint(joint, q, qd, t=t)


def along(f, joint, q, qd, t):
    """d/dt of f(q, t) in the motion at this state, by a central difference."""
    return (f(joint.integrate(q, H * qd), t + H) - f(joint.integrate(q, -H * qd), t - H)) / (2 * H)


@pytest.mark.source("F3.12")
def test_velocity_is_that_of_the_pose(joint, state):
    """X_J' = -(v_J x) X_J with v_J = S qd + sigma (Eq 3.32); rounding and truncation leave 1e-9."""
    q, qd, t, found = state
    X = joint.transform(q, t)
    rate = along(joint.transform, joint, q, qd, t)
    expected = -np.column_stack([cross_motion(found.v_J, column) for column in X.T])
    assert_allclose(rate, expected, atol=1e-8)
    assert_allclose(found.v_J, found.S @ qd + found.sigma, atol=1e-14)
    assert_allclose(found.T.T @ found.v_J, found.T.T @ found.sigma, atol=1e-13)  # Eq 3.38


@pytest.mark.source("F3.12")
def test_the_drift_is_the_apparent_rate(joint, state):
    """c_J = S_ring qd + sigma_ring (Eqs 3.41-3.43), by differences of S and sigma along the motion."""
    q, qd, t, found = state

    def S_qd(q, t):
        return joint.motion_subspace(q) @ qd

    def sigma(q, t):
        return np.array(joint.velocity(q, np.zeros(joint.nv), t))

    assert_allclose(found.c_J, along(S_qd, joint, q, qd, t) + along(sigma, joint, q, qd, t), atol=1e-8)


@pytest.mark.source("F3.12")
def test_forces_complete_each_other(joint, state, rng):
    _, qd, _, found = state
    n_f = joint.nv
    assert_allclose(found.T_a.T @ found.S, np.eye(n_f), atol=1e-13)  # Eq 3.35
    assert_allclose(found.T.T @ found.S, np.zeros((6 - n_f, n_f)), atol=1e-13)  # Eq 3.36
    assert subspace.is_direct_sum(found.T_a, found.T)
    tau, lam = rng.normal(size=n_f), rng.normal(size=6 - n_f)
    f_J = found.force(tau, lam)
    assert_allclose(found.generalized_force(f_J), tau, atol=1e-12)  # Eq 3.37
    assert_allclose(found.constraint_force(f_J), found.T @ lam, atol=1e-12)
    active, driven = found.power(tau, qd, lam)
    assert active + driven == pytest.approx(f_J @ found.v_J, abs=1e-12)  # Eq 3.39


@pytest.mark.source("F3.12")
def test_any_active_forces_that_reach_every_freedom_will_do(joint, state, rng):
    q, qd, t, found = state
    forces = rng.normal(size=(6, joint.nv))
    other = con.joint_constraint(joint, q, qd, t=t, active=forces)
    assert_allclose(other.T_a.T @ other.S, np.eye(joint.nv), atol=1e-12)
    assert subspace.same(other.T_a, forces)
    tau = rng.normal(size=joint.nv)
    difference = other.T_a @ tau - found.T_a @ tau
    assert_allclose(other.S.T @ difference, 0, atol=1e-12)  # the bearings make up for it


@pytest.mark.source("F3.12", "F3.10")
def test_accelerations_of_bodies_behind_the_joint(joint, state, rng):
    """Eq 3.40 against the recursion, on a moving predecessor, and Eq 3.44."""
    q, qd, t, found = state
    model = rbd.Model("pair", gravity=np.zeros(3))
    inertia = rbd.Inertia.box([0.2, 0.3, 0.4], mass=1.0)
    model.add_body("predecessor", joint=rbd.Free(), inertia=inertia)
    model.add_body("successor", "predecessor", joint, inertia=inertia)
    qs, qds = np.concatenate([model.random_q(rng)[:7], q]), np.concatenate([rng.normal(size=6), qd])
    qdds = rng.normal(size=model.nv)
    run = algorithms.rnea(model, qs, qds, qdds, t=t)
    a_J = run.a[2] - run.X[2] @ run.a[1]
    assert_allclose(found.acceleration(qdds[6:], run.v[2]), a_J, atol=1e-11)
    known = found.T.T @ (found.c_J + cross_motion(run.v[2], found.v_J))
    assert_allclose(found.T.T @ a_J, known, atol=1e-11)  # Eq 3.44


@pytest.mark.source("F3.10", "F3.12")
def test_a_driven_slide_is_a_prescribed_joint_with_a_hinge_on_it(rng):
    """The one-freedom rheonomic joint of section 3.4, in one piece and in two."""
    inertia = rbd.Inertia.box([0.2, 0.3, 0.4], mass=1.0).transformed(se3.random(rng))
    whole, parts = rbd.Model("whole"), rbd.Model("parts")
    whole.add_body("body", joint=DrivenSlide("y"), inertia=inertia)
    motion = Prescribed(rbd.Prismatic("y"), lambda t: (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)))
    parts.add_body("slide", joint=motion)
    parts.add_body("body", "slide", Revolute("y"), inertia=inertia)
    for t in (0.0, 0.4, 1.1):
        q, qd, tau = rng.normal(size=(3, 1))
        one, two = (algorithms.aba(model, q, qd, tau, t=t) for model in (whole, parts))
        assert_allclose(one.qdd, two.qdd, rtol=1e-12)
        assert_allclose(one.a[1], two.a[2], rtol=1e-12, atol=1e-13)


@pytest.mark.source("F3.13")
@pytest.mark.parametrize("radius", [0.05, 0.3, -0.3, 2.0])
def test_example_3_2(radius, rng):
    """T_a as printed; the motion does not know the radius, the bearing does."""
    found = con.joint_constraint(Revolute("z"), np.zeros(1), np.zeros(1), active=tooth_force(radius)[:, None])
    assert_allclose(found.T_a, active_force_subspace(radius), atol=1e-15)
    assert_allclose(found.T_a[:, 0], [0, 0, 1, 0, -1 / radius, 0], atol=1e-14)
    model, (q, qd, tau) = pinion_hinge(), rng.normal(size=(3, 1))
    X = model.joints[1].transform(q) @ model.X_tree[1]  # the wheels touch at a place that is fixed in the base
    active = plucker.force(X) @ found.T_a @ tau
    driven = algorithms.aba(
        model, q, qd, np.zeros(1), f_ext={"beam": found.T_a @ tau}
    )  # the force of the tooth, as it is
    assert_allclose(driven.qdd, algorithms.aba(model, q, qd, tau).qdd, rtol=1e-12)
    bearing = algorithms.rnea(model, q, qd, driven.qdd, f_ext={"beam": found.T_a @ tau}).f[1]
    f_J = algorithms.rnea(model, q, qd, driven.qdd).f[1]
    assert_allclose(f_J - active, bearing, atol=1e-12 * max(1.0, np.abs(bearing).max()))
    here = con.joint_constraint(Revolute("z"), q, qd, active=active[:, None])
    assert_allclose(here.constraint_force(f_J), bearing, atol=1e-12 * max(1.0, np.abs(bearing).max()))


@pytest.mark.source("F3.13")
def test_the_bearing_pays_for_a_small_wheel():
    """By hand: a beam at rest without weight, driven by a torque of 1 N m; Newton for its centre of mass."""
    model = pinion_hinge().with_parameters({"gravity": np.zeros(3)})
    zero, tau = np.zeros(1), np.ones(1)
    qdd = algorithms.aba(model, zero, zero, tau).qdd
    f_J = algorithms.rnea(model, zero, zero, qdd).f[1]
    inertia = model.bodies[1].inertia
    for radius in (0.1, 0.3, 0.6):
        T_a = active_force_subspace(radius)
        bearing = con.joint_constraint(Revolute("z"), zero, zero, active=T_a).constraint_force(f_J)
        swing = inertia.mass * inertia.com[0] * qdd[0]  # m a of the centre of mass, along y
        assert_allclose(bearing, [0, 0, 0, 0, swing + 1 / radius, 0], atol=1e-12)


@pytest.mark.source("F3.13")
def test_a_force_that_reaches_no_freedom_is_refused():
    with pytest.raises(ModelError, match="needs a lever arm"):
        con.active_forces(Revolute("z").motion_subspace(np.zeros(1)), np.array([[0.0, 0, 0, 1, 0, 0]]).T)
    with pytest.raises(ModelError, match="do not fit"):
        con.active_forces(np.eye(6)[:, :2], np.eye(6)[:, :1])
    with pytest.raises(ModelError, match="no lever arm"):
        tooth_force(0.0)
