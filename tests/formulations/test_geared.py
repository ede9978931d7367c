"""Runs of geared trees: against mimic joints, energy with the rotors in it, and curved joints beside the gears."""

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.gears import Gear
from rbdkit.errors import StateError
from rbdkit.formulations.formulation import Formulation
from rbdkit.formulations.geared import GearedSystem
from rbdkit.library import differential, elliptic_gears, geared_arm
from rbdkit.spatial import se3


def run_of(gears, y, yd, duration=0.5, dt=5e-3, **options):
    y, yd = np.array(y), np.array(yd)
    formulation = partial(GearedSystem, gears=gears.gears)
    start = gears.gamma(y), gears.G(y) @ yd
    return rbd.simulate(gears.model, *start, duration, dt, formulation=formulation, progress=False, **options)


@pytest.mark.source("F9.13")
def test_a_run_with_linear_gears_is_that_of_mimic_joints():
    gears = geared_arm(6.0, -4.0)
    mimic = rbd.Model(gravity=gears.model.gravity)
    follows = {"motor 1": rbd.Mimic("shoulder", 6.0), "motor 2": rbd.Mimic("elbow", -4.0)}
    for body in gears.model.bodies[1:]:
        joint, parent = body.joint, gears.model.bodies[body.parent].name
        mimic.add_body(
            body.name, parent, joint.type, joint.placement, body.inertia,
            joint_name=joint.name, mimic=follows.get(joint.name),
        )  # fmt: skip
    y, yd = [0.2, 0.5], [1.0, -2.0]
    run = run_of(gears, y, yd)
    other = rbd.simulate(mimic, y, yd, 0.5, 5e-3, progress=False)
    np.testing.assert_allclose(run.poses(), other.poses(), atol=1e-11)


@pytest.mark.source("F9.13", "F9.14")
@pytest.mark.parametrize("make", [geared_arm, differential, elliptic_gears], ids=lambda make: make.__name__)
def test_energy_error_shrinks_with_the_order_of_the_integrator(make):
    """All bodies' energy, rotors included; rk4 of the step halved: 16 times less, a little more where it is lucky."""
    gears = make()
    y, yd = np.linspace(0.3, 0.9, gears.ny), np.linspace(4.0, -2.0, gears.ny)
    errors = [np.abs(run_of(gears, y, yd, dt=dt).energy_error()).max() for dt in (0.05, 0.025)]
    if errors[0] < 1e-10:  # the differential turns steadily: nothing to be wrong about
        assert make is differential
    else:
        assert 10.0 < errors[0] / errors[1] < 70.0


def test_a_gear_beside_a_ball_joint():
    """A free body that carries a motor with a gear: it is a formulation, and momentum is kept."""
    model = rbd.Model(gravity=(0, 0, 0))
    rng = np.random.default_rng(2)
    box = rbd.Inertia.box([0.3, 0.2, 0.4], mass=2.0)
    model.add_body("bus", joint=rbd.Free(), inertia=box)
    model.add_body("arm", "bus", rbd.Revolute("z"), se3.random(rng), box.transformed(se3.pose(position=[0.3, 0, 0])))
    model.add_body("rotor", "bus", rbd.Revolute("x"), se3.random(rng), rbd.Inertia.cylinder(0.05, 0.1, mass=0.5))
    system = GearedSystem(model, gears=[Gear("rotor_joint", ("arm_joint",), lambda x: 5.0 * x + np.sin(x))])
    assert isinstance(system, Formulation)
    gears = system.gears
    y = gears.independent(gears.model.random_q(rng))
    yd = rng.normal(size=gears.ny)
    drift = []
    for dt in (0.02, 0.01):
        run = run_of(gears, y, yd, 1.0, dt)
        h = np.array([rbd.momentum(model, q, v, "world") for q, v in zip(run.q, run.v, strict=True)])
        drift.append([np.ptp(h, axis=0).max() / np.abs(h).max(), np.abs(run.energy_error()).max()])
    ratios = np.divide(*drift)
    assert np.all(drift[1][0] < 1e-5) and np.all((ratios > 10.0) & (ratios < 70.0))  # of order 4
    u = 0.3 * rng.normal(size=gears.ny)
    np.testing.assert_allclose(system.displacement(y, system.move(y, u)), u, atol=1e-12)


def test_a_start_off_the_gears_is_refused():
    gears = geared_arm(10.0, 10.0)
    formulation = partial(GearedSystem, gears=gears.gears)
    with pytest.raises(StateError, match=r"'motor 1': its coordinate is 0, and its gear makes it 3; take q = gears"):
        rbd.simulate(gears.model, [0.3, 0, 0, 0], duration=0.1, dt=0.01, formulation=formulation, progress=False)
    with pytest.raises(StateError, match=r"'motor 2': its velocity is 1"):
        rbd.simulate(gears.model, np.zeros(4), [0, 0, 0, 1], 0.1, 0.01, formulation=formulation, progress=False)


def test_turns_of_a_follower_are_counted():
    """A motor behind a gear of 1 to 50 turns several times; its recorded angle is fifty times that of its joint."""
    run = run_of(geared_arm(50.0, 50.0), [0.3, 0.5], [1.0, 2.0])
    joints = run.model.joint("shoulder"), run.model.joint("motor 1")
    slow, fast = (run.q[:, joint.q_slice][:, 0] for joint in joints)
    np.testing.assert_allclose(fast, 50.0 * slow, rtol=1e-15)
    assert np.ptp(fast) > 2.0 * np.pi
    np.testing.assert_allclose(run.poses(), rbd.forward_kinematics(run.model, run.q).poses, atol=1e-12)
