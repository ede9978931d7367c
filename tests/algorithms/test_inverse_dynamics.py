"""Inverse dynamics by routes that share nothing but the joint types."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.base_motion import base_motion
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crf

SEEDS = range(10)
ROUND_OFF = 1e-12  # sums along chains of 20 bodies in different order


@pytest.mark.source("F5.03", "F5.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_base_and_body_coordinates_agree(seed, off):
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    f_ext = {body.name: np.random.default_rng(seed).normal(size=6) for body in model.bodies[::3]}
    assert (
        off(algorithms.rnea_base(model, q, v, a, f_ext=f_ext), algorithms.rnea(model, q, v, a, f_ext=f_ext).tau)
        < ROUND_OFF
    )


@pytest.mark.source("F5.03")
@pytest.mark.parametrize("seed", SEEDS)
def test_forces_in_base_coordinates_act_through_the_jacobians(seed, off):
    """tau = sum J^T (f - f_x), and what turns the rotors."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    f_ext = np.random.default_rng(seed).normal(size=(len(model.bodies), 6))
    base = base_motion(model, q, v, a, f_ext=f_ext)
    found = sum(
        rbd.jacobian(model, q, body.name, "world").T @ (base.f[body.index] - base.f_x[body.index])
        for body in model.bodies[1:]
    )
    for joint in model.joints:
        found[joint.v_slice] += joint.armature * a[joint.v_slice]
    assert off(found, rbd.rnea(model, q, v, a, f_ext=f_ext)) < ROUND_OFF
    assert base_motion(model, q, v, a).f_x is None


@pytest.mark.source("F5.05")
@pytest.mark.parametrize("seed", SEEDS)
def test_external_forces_act_through_the_jacobians(seed, off):
    """tau changes by -sum J^T f."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    f_ext = {body.name: np.random.default_rng(seed).normal(size=6) for body in model.bodies[1:]}
    change = rbd.rnea(model, q, v, a, f_ext=f_ext) - rbd.rnea(model, q, v, a)
    expected = -sum(rbd.jacobian(model, q, name, "world").T @ f for name, f in f_ext.items())
    assert off(change, expected, scale=np.max(np.abs(rbd.rnea(model, q, v, a)))) < ROUND_OFF


@pytest.mark.source("F5.05")
def test_gravity_equals_an_acceleration_of_the_base_the_other_way(off):
    """A weightless model in a lift: a prescribed joint lifts it with the acceleration of free fall."""
    model = random_tree(3, 6)
    lifted = rbd.Model("lift", gravity=(0, 0, 0))
    g = float(np.linalg.norm(model.gravity))
    up = rbd.Prismatic(-model.gravity / g)
    lifted.add_body("lift", joint=rbd.Prescribed(up, lambda t: ([0.5 * g * t**2], [g * t], [g])))
    for body in model.bodies[1:]:
        parent = "lift" if body.parent == 0 else model.bodies[body.parent].name
        lifted.add_body(body.name, parent, body.joint.type, body.joint.placement, body.inertia)
    q, v, a = random_state(model, 3)
    assert off(rbd.rnea(lifted, q, v, a, t=0.7), rbd.rnea(model, q, v, a)) < ROUND_OFF


@pytest.mark.source("F5.06")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_terms_taken_alone(seed, off):
    """tau = H a + Coriolis + gravity, and the Coriolis part grows with the square of the speed."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    still = np.zeros(model.nv)
    tau = rbd.rnea(model, q, v, a)
    inertial, coriolis = algorithms.inverse_dynamics_delta(model, q, a), algorithms.coriolis_force(model, q, v)
    parts = inertial, coriolis, rbd.gravity_force(model, q)
    scale = max(np.max(np.abs(part)) for part in parts)
    assert off(sum(parts), tau, scale) < ROUND_OFF
    assert off(parts[2], rbd.rnea(model, q, still, still)) < ROUND_OFF
    assert off(algorithms.coriolis_force(model, q, -3.0 * v), 9.0 * parts[1], scale) < ROUND_OFF


@pytest.mark.source("F5.06")
@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_force_is_the_gradient_of_potential_energy(seed, off):
    """Central differences of step 1e-5: an error of 1e-10 from the step, 1e-10 from round-off, on energies of 100 J."""
    model = random_tree(seed)
    q, v, _ = random_state(model, seed)
    here, steps = np.tile(q, (model.nv, 1)), 1e-5 * np.eye(model.nv)
    ahead, behind = (rbd.energy(model, model.integrate(here, d), v).gravitational for d in (steps, -steps))
    gradient = (ahead - behind) / 2e-5
    assert off(rbd.gravity_force(model, q), gradient) < 1e-9


@pytest.mark.source("F5.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_reactions_hold_every_body_in_its_motion(seed, off):
    """Free-body balance in world axes: d(I v)/dt = reaction - reactions of the children + weight + external force."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    f_ext = np.random.default_rng(seed).normal(size=(len(model.bodies), 6))
    result = algorithms.rnea(model, q, v, a, f_ext=f_ext)
    poses = rbd.forward_kinematics(model, q).poses
    force_to_world = [plucker.force(plucker.inverse(plucker.from_pose(T))) for T in poses]
    reaction = np.array([X @ f for X, f in zip(force_to_world, result.f, strict=True)])
    rate = np.zeros((len(model.bodies), 6))
    h = 1e-5
    for sign in (1.0, -1.0):  # momentum of each body a moment later and before, second order in the displacement
        q_t = model.integrate(q, sign * h * v + 0.5 * h**2 * a)
        velocity = rbd.forward_kinematics(model, q_t, v + sign * h * a)
        for body in model.bodies[1:]:
            X = plucker.force(plucker.inverse(plucker.from_pose(velocity.poses[body.index])))
            rate[body.index] += sign * X @ model.I[body.index] @ velocity.velocities[body.index] / (2.0 * h)
    for body in model.bodies[1:]:
        i, com = body.index, poses[body.index] @ [*body.inertia.com, 1.0]
        weight = rbd.wrench(body.inertia.mass * model.gravity, com[:3])
        balance = reaction[i] - sum(reaction[j] for j in model.children(i)) + weight + f_ext[i]
        assert off(balance, rate[i], scale=np.max(np.abs(reaction))) < 1e-7  # of the differences
    base = sum((reaction[j] for j in model.children(0)), np.zeros(6))
    assert off(result.f[0], base) < ROUND_OFF


@pytest.mark.source("F5.07")
def test_a_reaction_along_the_freedom_is_the_joint_force():
    model = random_tree(5)
    q, v, a = random_state(model, 5)
    result = algorithms.rnea(model, q, v, a)
    for body in model.bodies[1:]:
        joint = body.joint
        np.testing.assert_allclose(result.S[body.index].T @ result.f[body.index], result.tau[joint.v_slice], atol=1e-13)


def test_intermediate_velocities_are_those_of_forward_kinematics(off):
    model = random_tree(7)
    q, v, a = random_state(model, 7)
    assert off(algorithms.rnea(model, q, v, a).v, rbd.forward_kinematics(model, q, v).velocities) < ROUND_OFF


def test_the_force_on_a_spinning_body_is_the_textbook_one():
    """A body on a fixed axis through its centre of mass, not a principal one: the bearing bears omega x I omega."""
    model = rbd.Model(gravity=(0, 0, 0))
    I = np.array([[2.0, 0.0, 0.3], [0.0, 2.0, 0.4], [0.3, 0.4, 1.0]])
    model.add_body("rotor", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, inertia_com=I))
    omega = np.array([0.0, 0.0, 3.0])
    result = algorithms.rnea(model, np.zeros(1), omega[2:], np.zeros(1))
    np.testing.assert_allclose(result.f[1], [*np.cross(omega, I @ omega), 0.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(crf([*omega, 0, 0, 0]) @ model.I[1] @ [*omega, 0, 0, 0], result.f[1], atol=1e-15)
