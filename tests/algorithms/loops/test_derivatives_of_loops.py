"""Derivatives of the accelerations of mechanisms: differences, directions that loops allow, and Pinocchio."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit import library

MECHANISMS = {
    "four-bar": library.planar_four_bar,
    "Stewart platform": library.stewart_platform,
    "delta robot": library.delta_robot,
    "spatial slider-crank": library.spatial_slider_crank,
    "governor": lambda: library.flyball_governor().model,
    "Sarrus linkage": library.sarrus_linkage,
    "linear actuator": lambda: library.linear_actuator().model,
}
REDUNDANT = {"Bricard linkage": library.rectangular_bricard}


def closed_state(model: rbd.Model, seed: int):
    """A closed state off the neutral one, joint forces, and a force on the last body."""
    rng = np.random.default_rng(seed)
    q = rbd.assemble(model, model.move(rbd.assemble(model), 0.2 * rng.normal(size=model.nv)))
    v = rbd.project_velocity(model, q, rng.normal(size=model.nv))
    return q, v, rng.normal(size=model.nv), {model.bodies[-1].name: rng.normal(size=6)}


def difference(function, direction, step: float):
    """The derivative of fourth order of a function along a direction at zero."""
    near, far = (function(k * step * direction) - function(-k * step * direction) for k in (1, 2))
    return (8.0 * near - far) / (12.0 * step)


def rows_of(model: rbd.Model, q, v):
    return rbd.engine.kernels_for(model).constraint_rows(q, v).K


def allowed_pairs(model: rbd.Model, q, v):
    """Displacements that loops allow, and for each the change of v that keeps them closed, as columns."""
    K = rows_of(model, q, v)
    _, s, V = np.linalg.svd(K)
    along = V[np.count_nonzero(s > 1e-7 * s[0]) :].T
    turned = [difference(lambda u: rows_of(model, model.move(q, u), v) @ v, unit, 1e-3) for unit in along.T]
    return along, -np.linalg.pinv(K, rcond=1e-7) @ np.array(turned).T


def with_springs() -> rbd.Model:
    """A four-bar with springs, dampers, friction and a muscle-like force between its bars, and one in the loop."""
    model = library.planar_four_bar()
    names = [joint.name for joint in model.joints[1:]]
    model.add_force("coil", rbd.JointSpring(names[0], 12.0, rest=0.4))
    model.add_force("loss", rbd.JointDamper(names[1], 0.7))
    model.add_force("pin spring", rbd.JointSpring(model.loops[0].joint.name, 5.0, rest=0.2))
    model.add_spring("band", model.bodies[1].name, model.bodies[3].name, 40.0, 0.1, damping=2.0)
    return model


def five_bars(crank: rbd.JointType, **options) -> rbd.Model:
    """Five bars in a plane, the first on a given joint and the last one perhaps a mimic."""

    def rod(length: float) -> rbd.Inertia:
        return rbd.Inertia.box((length, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(length / 2, 0, 0)))

    model = rbd.Model("five bars")
    model.add_body("crank", joint=crank, inertia=rod(0.3))
    model.add_body("first", "crank", rbd.Revolute("y"), placement=(0.3, 0, 0), inertia=rod(0.7))
    model.add_body("second", "first", rbd.Revolute("y"), placement=(0.7, 0, 0), inertia=rod(0.7))
    model.add_body("rocker", joint=rbd.Revolute("y"), placement=(1.0, 0, 0), inertia=rod(0.8), **options)
    ends = rbd.pose(position=(0.7, 0, 0)), rbd.pose(position=(0.8, 0, 0))
    model.add_loop("closure", "second", "rocker", rbd.Revolute("y"), *ends)
    return model


def rolling() -> rbd.Model:
    """A gear and a rod beside a chain, as constraint elements."""
    model = library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", ratio=-2.0))
    return model


SPECIAL = {
    "springs": with_springs,
    "prescribed": lambda: five_bars(rbd.Prescribed(rbd.Revolute("y"), lambda t: (0.5 + t + t**2, 1.0 + 2 * t, 2.0))),
    "mimic": lambda: five_bars(rbd.Revolute("y"), mimic=rbd.Mimic("crank_joint", 0.3, -0.6)),
    "tie": rolling,
}


@pytest.mark.parametrize("name", [*MECHANISMS, *SPECIAL])
def test_partial_derivatives_against_differences(name):
    model = (MECHANISMS | SPECIAL)[name]()
    q, v, tau, f = closed_state(model, 1)
    d = rbd.forward_dynamics_derivatives(model, q, v, tau, f_ext=f)
    np.testing.assert_array_equal(d.a, rbd.forward_dynamics(model, q, v, tau, f_ext=f))
    size = np.abs(d.a).max()
    for k, unit in enumerate(np.eye(model.nv)):
        by_q = difference(lambda u: rbd.forward_dynamics(model, model.move(q, u), v, tau, f_ext=f), unit, 1e-3)
        by_v = difference(lambda u: rbd.forward_dynamics(model, q, v + u, tau, f_ext=f), unit, 1e-1)
        by_tau = difference(lambda u: rbd.forward_dynamics(model, q, v, tau + u, f_ext=f), unit, 1e-1)
        for found, expected in ((d.da_dq, by_q), (d.da_dv, by_v), (d.da_dtau, by_tau)):
            scale = max(size, np.abs(found).max())
            np.testing.assert_allclose(found[:, k], expected, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("name", [*MECHANISMS, *REDUNDANT])
def test_along_a_motion_they_are_the_rate_of_the_acceleration(name):
    """Along closed states, with velocities that keep them closed, accelerations have one derivative only."""
    model = (MECHANISMS | REDUNDANT)[name]()
    q, v, tau, _ = closed_state(model, 2)
    d = rbd.forward_dynamics_derivatives(model, q, v, tau)
    pairs = allowed_pairs(model, q, v)
    along = pairs[0] @ np.random.default_rng(3).normal(size=pairs[0].shape[1])

    def state(step: float):
        there = rbd.assemble(model, model.move(q, step * along))
        return there, rbd.project_velocity(model, there, v)

    step, total = 2e-3, np.zeros(model.nv)
    by_q, by_v = np.zeros(model.nv), np.zeros(model.nv)
    for weight, place in ((8.0, 1.0), (-8.0, -1.0), (-1.0, 2.0), (1.0, -2.0)):
        there, faster = state(place * step)
        total += weight * rbd.forward_dynamics(model, there, faster, tau) / (12.0 * step)
        by_q += weight * model.difference(q, there) / (12.0 * step)
        by_v += weight * faster / (12.0 * step)
    found = d.da_dq @ by_q + d.da_dv @ by_v
    np.testing.assert_allclose(found, total, rtol=0, atol=1e-6 * max(np.abs(d.a).max(), np.abs(d.da_dq).max()))


def test_what_joint_forces_do_is_symmetric_and_of_the_rank_of_the_freedoms():
    model = library.stewart_platform()
    q, v, tau, _ = closed_state(model, 4)
    d = rbd.forward_dynamics_derivatives(model, q, v, tau)
    np.testing.assert_allclose(d.da_dtau, d.da_dtau.T, rtol=0, atol=1e-12 * np.abs(d.da_dtau).max())
    assert np.linalg.matrix_rank(d.da_dtau, tol=1e-9 * np.abs(d.da_dtau).max()) == 6


def test_stacks_output_and_the_readable_form():
    model = with_springs()
    states = [closed_state(model, seed)[:3] for seed in range(3)]
    q, v, tau = (np.array(x) for x in zip(*states, strict=True))
    d = rbd.forward_dynamics_derivatives(model, q, v, tau)
    book = rbd.forward_dynamics_derivatives(model, q, v, tau, backend="book")
    for name in ("a", "da_dq", "da_dv", "da_dtau"):
        whole, other = getattr(d, name), getattr(book, name)
        single = [getattr(rbd.forward_dynamics_derivatives(model, *state), name) for state in states]
        np.testing.assert_array_equal(whole, single)
        np.testing.assert_allclose(whole, other, rtol=0, atol=1e-10 * np.abs(other).max())
    again = rbd.forward_dynamics_derivatives(model, q[::-1], v[::-1], tau[::-1], out=d)
    assert again is d
    np.testing.assert_allclose(again.da_dq, book.da_dq[::-1], rtol=0, atol=1e-10 * np.abs(book.da_dq).max())


LINKS = 8


def chain(closing: rbd.JointType) -> rbd.Model:
    """Eight links in space, the last of which is joined to the world."""
    model = rbd.Model("closed chain")
    solid = rbd.Inertia.box((0.1, 0.2, 0.4), mass=1.5).transformed(rbd.pose(position=(0.05, 0.02, -0.2)))
    axes = [np.array([1.0, k, (k * k) % 3 - 1.0]) for k in range(LINKS)]
    for k, (before, name) in enumerate(pairwise(["world", *(f"link{k}" for k in range(LINKS))])):
        joint = rbd.Revolute(axes[k] / np.linalg.norm(axes[k]))
        model.add_body(name, before, joint, placement=(0.0, 0.1 * k, -0.4), inertia=solid)
    pose = rbd.forward_kinematics(model, np.linspace(-0.5, 0.7, LINKS)).pose(model.bodies[-1].name)
    model.add_loop("closure", model.bodies[-1].name, "world", closing, np.eye(4), pose)
    return model


def pinocchio_of(model: rbd.Model) -> pin.Model:
    other = pin.Model()
    other.gravity.linear = np.array(model.gravity)
    for body, joint in zip(model.bodies[1:], model.joints[1:], strict=True):
        own = other.addJoint(
            model.parent[body.index],
            pin.JointModelRevoluteUnaligned(np.asarray(joint.type.axis)),
            pin.SE3(joint.placement),
            joint.name,
        )
        other.appendBodyToJoint(
            own, pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia_com), pin.SE3.Identity()
        )
    return other


@pytest.mark.parametrize("closing", [rbd.Spherical(), rbd.Fixed()], ids=["point", "pose"])
def test_against_pinocchio(closing):
    """A point or a pose of the last link is held, without correction terms."""
    model = chain(closing)
    kind = pin.ContactType.CONTACT_3D if isinstance(closing, rbd.Spherical) else pin.ContactType.CONTACT_6D
    other = pinocchio_of(model)
    loop = model.loops[0]
    held = pin.RigidConstraintModel(
        kind, other, LINKS, pin.SE3.Identity(), 0, pin.SE3(loop.successor_placement), pin.ReferenceFrame.LOCAL
    )
    data, constraints = other.createData(), pin.StdVec_RigidConstraintModel()
    constraints.append(held)
    datas = pin.StdVec_RigidConstraintData()
    datas.append(held.createData())
    pin.initConstraintDynamics(other, data, constraints, datas)
    rng = np.random.default_rng(5)
    q = rbd.assemble(model, np.linspace(-0.5, 0.7, LINKS))
    v, tau = rbd.project_velocity(model, q, rng.normal(size=LINKS)), rng.normal(size=LINKS)
    settings = pin.ProximalSettings(1e-14, 1e-12, 20)
    a = pin.constraintDynamics(other, data, q, v, tau, constraints, datas, settings)
    d = rbd.forward_dynamics_derivatives(model, q, v, tau)
    np.testing.assert_allclose(d.a, a, rtol=0, atol=1e-8 * np.abs(a).max())
    pin.computeConstraintDynamicsDerivatives(other, data, constraints, datas, settings)
    along, faster = allowed_pairs(model, q, v)
    theirs = data.ddq_dq @ along + data.ddq_dv @ faster
    size = np.abs(theirs).max()
    np.testing.assert_allclose(d.da_dq @ along + d.da_dv @ faster, theirs, rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(d.da_dv @ along, data.ddq_dv @ along, rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(d.da_dtau, data.ddq_dtau, rtol=0, atol=1e-8 * np.abs(data.ddq_dtau).max())
    if isinstance(closing, rbd.Fixed):  # written with the same rows, so that all directions agree
        np.testing.assert_allclose(d.da_dq, data.ddq_dq, rtol=0, atol=1e-8 * np.abs(data.ddq_dq).max())
        np.testing.assert_allclose(d.da_dv, data.ddq_dv, rtol=0, atol=1e-8 * np.abs(data.ddq_dv).max())
