"""Energies by several routes, springs and dampers on every joint type, and the power balance."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import joint_gallery, random_state, random_tree

SEEDS = range(6)
GALLERY = [kind for kind in joint_gallery(np.random.default_rng(5)) if kind.nv > 0]


@pytest.fixture(scope="module")
def sprung():
    """A random tree with springs, dampers and rotors in every joint."""

    def make(seed, bodies=12):
        model, rng = random_tree(seed, bodies), np.random.default_rng(seed)
        numbers = {}
        for joint in model.joints:
            if joint.nv:
                for name in ("damping", "stiffness", "armature"):
                    numbers[f"{joint.name}.{name}"] = rng.uniform(0.5, 2.0, joint.nv)
                numbers[f"{joint.name}.rest"] = joint.type.integrate(joint.type.neutral(), rng.uniform(-1, 1, joint.nv))
        return model.with_parameters(numbers)

    return make


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_three_ways(seed, off):
    """Spatial inertias, H, and Koenig's theorem: half m v_com^2 plus half omega . I_com omega."""
    model = random_tree(seed)
    q, v, _ = random_state(model, seed)
    kinematics = rbd.forward_kinematics(model, q, v)
    koenig = 0.0
    for body in model.bodies[1:]:
        omega, linear = np.split(kinematics.velocities[body.index], 2)
        at_com = linear + np.cross(omega, body.inertia.com)
        koenig += 0.5 * (body.inertia.mass * at_com @ at_com + omega @ body.inertia.inertia_com @ omega)
    found = rbd.energy(model, q, v)
    assert off(found.kinetic, koenig) < 1e-13
    assert off(found.kinetic, 0.5 * v @ rbd.crba(model, q) @ v) < 1e-12
    moments = [body.inertia.mass * kinematics.poses[body.index] @ [*body.inertia.com, 1.0] for body in model.bodies[1:]]
    assert off(found.gravitational, -sum(moments)[:3] @ model.gravity, scale=sum(moments)[3] * 9.81) < 1e-14
    assert found.total == found.kinetic + found.potential == found.kinetic + found.gravitational + found.spring


@pytest.mark.parametrize("kind", GALLERY, ids=repr)
def test_spring_force_is_minus_the_gradient_of_spring_energy(kind, off):
    """On every joint type, far from the rest position too; central differences leave 1e-10."""
    rng = np.random.default_rng(1)
    model = rbd.Model()
    numbers = {"stiffness": rng.uniform(1.0, 3.0, kind.nv), "rest": kind.random(rng)}
    model.add_body("body", joint=kind, inertia=rbd.Inertia.sphere(0.1, mass=1.0), **numbers)
    for _ in range(5):
        q = model.joints[1].type.integrate(numbers["rest"], rng.uniform(-1.2, 1.2, kind.nv))
        here, steps = np.tile(q, (kind.nv, 1)), 1e-5 * np.eye(kind.nv)
        ahead, behind = (algorithms.spring_energy(model, stack(model, here, d)) for d in (steps, -steps))
        force = rbd.passive_force(model, q, np.zeros(kind.nv))
        assert off(force, -(ahead - behind) / 2e-5) < 1e-8
    assert algorithms.spring_energy(model, numbers["rest"]) < 1e-25


def stack(model, q, steps):
    return np.array([model.integrate(a, d) for a, d in zip(q, steps, strict=True)])


def test_dampers_take_their_power(sprung, off):
    model = sprung(1)
    q, v, _ = random_state(model, 1)
    only_dampers = model.with_parameters({f"{j.name}.stiffness": np.zeros(j.nv) for j in model.joints if j.nv})
    assert off(-rbd.passive_force(only_dampers, q, v) @ v, algorithms.dissipation(model, v)) < 1e-14
    assert algorithms.dissipation(model, v) > 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balances_to_round_off(sprung, seed):
    model = sprung(seed)
    q, v, tau = random_state(model, seed)
    f_ext = {"b3": np.ones(6), "b8": -np.arange(6.0)}
    a = rbd.forward_dynamics(model, q, v, tau, f_ext=f_ext)
    balance = rbd.power_balance(model, q, v, a, tau, f_ext=f_ext)
    assert abs(balance.residual) < 1e-12 * np.abs(model.nv * np.max(np.abs(a)) * np.max(np.abs(rbd.crba(model, q))))
    assert balance.applied == tau @ v
    off_by = rbd.power_balance(
        model, q, v, a + 0.1, tau, f_ext=f_ext
    ).residual  # what does not belong together is found out
    np.testing.assert_allclose(off_by, v @ rbd.crba(model, q) @ np.full(model.nv, 0.1), rtol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_energy_against_differences_along_a_motion(sprung, off, seed):
    model = sprung(seed)
    q, v, a = random_state(model, seed)
    h = 1e-5
    total = [rbd.energy(model, model.integrate(q, d * v + 0.5 * d * d * a), v + d * a).total for d in (h, -h)]
    rate = rbd.power_balance(model, q, v, a, np.zeros(model.nv)).energy_rate
    scale = abs(v @ rbd.crba(model, q) @ a) + np.abs(rbd.gravity_force(model, q)) @ np.abs(v)
    assert off(rate, (total[0] - total[1]) / (2.0 * h), scale) < 1e-7


def test_power_of_a_driven_joint():
    """The motor of a turntable that speeds up: torque J a, times speed; and the pendulum on it adds its own."""
    model = rbd.Model()

    def spin_up(t):
        return [1.5 * t**2], [3.0 * t], [3.0]

    disc = rbd.Inertia.cylinder(0.5, 0.1, mass=4.0)
    model.add_body("table", joint=rbd.Prescribed(rbd.Revolute("z"), spin_up), inertia=disc)
    inertia = model.bodies[1].inertia.inertia_com[2, 2]
    nothing = np.zeros(0)
    alone = rbd.power_balance(model, nothing, nothing, nothing, nothing, t=2.0)
    np.testing.assert_allclose([alone.energy_rate, alone.driven], inertia * 3.0 * 6.0, rtol=1e-14)
    model.add_body("rod", "table", rbd.Revolute("x"), [0.4, 0, 0], rbd.Inertia(1.0, com=[0, 0, -0.3]))
    q, v, tau = np.array([0.5]), np.array([2.0]), np.array([0.7])
    a = rbd.forward_dynamics(model, q, v, tau, t=2.0)
    balance = rbd.power_balance(model, q, v, a, tau, t=2.0)
    assert abs(balance.residual) < 1e-13 * abs(balance.driven)
    h = 1e-5
    ends = [rbd.energy(model, q + d * v + 0.5 * d * d * a, v + d * a, t=2.0 + d).total for d in (h, -h)]
    np.testing.assert_allclose(balance.energy_rate, (ends[0] - ends[1]) / (2.0 * h), rtol=1e-8)
