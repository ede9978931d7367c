"""Cuboids of 10 x 1 x 1 cm and 1 g/cm3 in steps of 0.01 s: reduced, maximal and recursive ways to the same energy."""

import warnings
from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.redmax import bodies_at, hyper_reduced_equation, implicit_velocities
from rbdkit.derivatives import stiffness_at
from rbdkit.simulation import SimulationWarning

H, GRAVITY = 1e-2, (0.0, 0.0, -980.0)  # s; cm/s2, so energies are in g cm2/s2
CUBOID = rbd.Inertia.box([10.0, 1.0, 1.0], mass=10.0).transformed(rbd.pose(position=[5.0, 0.0, 0.0]))


def off(found, expected) -> float:
    """Largest deviation as a share of the largest number."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def cuboids(parents, joints, **options) -> rbd.Model:
    """Cuboid k hangs by its end at the far end of cuboid parents[k]; -1 is the world."""
    model = rbd.Model("cuboids", gravity=GRAVITY)
    for k, (parent, joint) in enumerate(zip(parents, joints, strict=True)):
        where = ("world", None) if parent < 0 else (f"body{parent}", [10.0, 0.0, 0.0])
        model.add_body(f"body{k}", where[0], joint, where[1], CUBOID, joint_name=f"joint{k}", **options)
    return model


def springs() -> rbd.Model:
    model = cuboids([-1, 0, 1], [rbd.Revolute("y")] * 3)
    model.add_force("spring", rbd.Spring("body0", "body2", 2e3, 15.0, damping=1e3, at_a=(5, 0, 0), at_b=(5, 0, 0)))
    return model


HINGE, MIMIC = rbd.Revolute("y"), rbd.Mimic("joint0")
SCENES = {
    "serial chain": lambda: cuboids(range(-1, 4), [HINGE] * 5),
    "different axes": lambda: cuboids(range(-1, 2), [rbd.Revolute("x"), rbd.Revolute("y"), rbd.Revolute("z")]),
    "branching": lambda: cuboids([-1, 0, 0, 1, 2], [HINGE, *[rbd.Revolute([0.0, 0.6, 0.8])] * 2, HINGE, HINGE]),
    "ball joints": lambda: cuboids(range(-1, 2), [rbd.Spherical()] * 3),
    "universal joints": lambda: cuboids(range(-1, 2), [rbd.Universal()] * 3),
    "joint stiffness": lambda: cuboids(range(-1, 2), [HINGE] * 3, stiffness=1e6, damping=1e4),
    "springs": springs,
}


@pytest.mark.source("S1.10", "S1.11", "S1.17", "S2.03", "S2.17")
@pytest.mark.parametrize("name", SCENES)
def test_energies_agree(name):
    """After 0.1 s: 'joint' and 'redmax' step by step to round-off; 'maximal' as the step goes to nothing."""
    model = SCENES[name]()
    v0 = np.random.default_rng(0).normal(size=model.nv)
    run = partial(rbd.simulate, model, v0=v0, duration=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # 0.01 s is the notes' step, not one of good accuracy
        one, other = (run(dt=H, formulation=x, integrator="linearly_implicit_euler") for x in ("joint", "redmax"))
        assert off(one.energy().total, other.energy().total) < 1e-9
        exact = run(dt=H / 20)
        errors = [
            np.abs(run(dt=H / k, formulation="maximal", integrator="linearly_implicit_euler").q[-1] - exact.q[-1]).max()
            for k in (4, 8)
        ]
    assert 1.6 < errors[0] / errors[1] < 2.4


@pytest.mark.source("S2.18")
def test_joints_that_all_turn_alike_are_one_coordinate():
    """Mimic joints of the model, and J_rR = (1, 1, 1) of the chain without them, step by step."""
    tied = rbd.Model("tied", gravity=GRAVITY)
    for k in range(3):
        where = ("world", None) if k == 0 else (f"body{k - 1}", [10.0, 0.0, 0.0])
        own = {"joint_name": f"joint{k}"} | ({"mimic": MIMIC} if k else {})
        tied.add_body(f"body{k}", where[0], HINGE, where[1], CUBOID, **own)
    free, q, v = cuboids(range(-1, 2), [HINGE] * 3), 0.0, 0.0
    for _ in range(20):
        v += H * float(
            hyper_reduced_equation(bodies_at(free, np.full(3, q), np.full(3, v)), np.ones((3, 1))).accelerations()[0]
        )
        q += H * v
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        motion = rbd.simulate(tied, duration=0.2, dt=H, formulation="redmax", integrator="velocity_euler")
    assert motion.q[-1] == pytest.approx([q], rel=1e-11)


@pytest.mark.source("S2.17")
def test_the_step_written_by_hand_is_that_of_the_integrator():
    """With the readable algorithms of the notes alone."""
    model = springs()
    q, v = np.array([0.1, -0.3, 0.2]), np.array([1.0, 2.0, -1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        run = rbd.simulate(model, q, v, duration=0.1, dt=H, formulation="redmax", integrator="linearly_implicit_euler")
    for _ in range(10):
        bodies = bodies_at(model, q, v)
        v = implicit_velocities(bodies, stiffness_at(model, bodies, q), H)
        q = q + H * v
    assert off(run.q[-1], q) < 1e-11
    assert off(run.v[-1], v) < 1e-11
