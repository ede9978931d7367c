"""What followers and gears transmit: against ties, the balance of the tree without them, and closed forms."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.algorithms import bias_force, crba, passive_force
from rbdkit.algorithms.constraints import constraints_of
from rbdkit.algorithms.gears import Gear, geared_forward_dynamics
from rbdkit.formulations import GearedSystem


def hand(tied):
    """Two fingers on a palm that moves, the second following the first by a `Mimic` or, if tied, by a `Tie`."""
    model = rbd.Model("hand")
    own = dict(inertia=rbd.Inertia(0.7, com=[0.05, 0.1, -0.2], inertia_com=np.diag([0.03, 0.04, 0.02])))
    model.add_body("palm", joint=rbd.Revolute("y"), damping=0.2, **own)
    model.add_body("left", "palm", rbd.Revolute("x"), [0.1, 0.0, 0.2], joint_name="jaw", stiffness=2.0, **own)
    mimic = None if tied else rbd.Mimic("jaw", -0.6, 0.3)
    joint = dict(joint_name="other", damping=0.3, stiffness=4.0, armature=0.02, mimic=mimic)
    model.add_body("right", "palm", rbd.Revolute("z"), [-0.1, 0.1, 0.0], **joint, **own)
    model.add_spring("string", "left", "right", stiffness=30.0, rest_length=0.1, at_a=(0.1, 0.0, 0.0))
    if tied:
        model.add_constraint("belt", rbd.Tie("other", "jaw", -0.6, 0.3))
    return model


def test_a_follower_exerts_what_a_tie_would():
    followed, tied = hand(False), hand(True)
    (belt,) = constraints_of(followed)
    (tie,) = constraints_of(tied)
    rng = np.random.default_rng(4)
    for _ in range(3):
        q, v, tau = rng.normal(size=(3, 2))
        f_ext = {"right": rng.normal(size=6)}
        free = (np.append(q, -0.6 * q[1] + 0.3), np.append(v, -0.6 * v[1]), np.append(tau, 0.0))
        there = tie.force(*free, f_ext=f_ext)
        assert_allclose(belt.force(q, v, tau, f_ext=f_ext), there, rtol=1e-10, atol=1e-12)
        # and the tie's by the accelerations of the engine
        qdd = rbd.forward_dynamics(tied, *free, f_ext=f_ext)
        balance = rbd.rnea(tied, *free[:2], qdd, f_ext=f_ext) - passive_force(tied, *free[:2]) - free[2]
        assert_allclose(balance, tie.K(free[0]).T @ there, rtol=1e-9, atol=1e-11)


def test_motions_tell_it():
    followed, tied = hand(False), hand(True)
    there = rbd.simulate(tied, [0.2, 0.5, 0.0], duration=0.05, tau=[0.1, 0.2, 0.0]).constraint_forces()["belt"]
    motion = rbd.simulate(followed, [0.2, 0.5], duration=0.05, tau=[0.1, 0.2])
    assert_allclose(motion.constraint_forces()["other"], there, atol=1e-8)


def test_a_follower_that_stands_still_is_held():
    """A multiplier of zero: gravity is carried by the transmission."""
    model = rbd.Model("shelf", gravity=(0, 0, -10))
    model.add_body("cart", joint=rbd.Prismatic("x"), joint_name="rail", inertia=rbd.Inertia(1.0))
    still = rbd.Mimic("rail", 0.0, 0.25)
    model.add_body("board", joint=rbd.Prismatic("z"), joint_name="held", inertia=rbd.Inertia(3.0), mimic=still)
    (held,) = constraints_of(model)
    assert (held.name, held.what) == ("held", "follower")
    assert_allclose(held.force([0.3], [2.0]), [30.0], rtol=1e-14)


def test_gears_are_constraints_of_the_same_kind():
    """Their rows by differences; their forces by what the tree without them needs for the accelerations with them."""
    arm = rbd.library.geared_arm(ratio1=5.0, ratio2=3.0)
    model = arm.model
    rng = np.random.default_rng(1)
    y, yd, tau = rng.normal(size=arm.ny), rng.normal(size=arm.ny), rng.normal(size=model.nv)
    q, v = arm.gamma(y), arm.G(y) @ yd
    held = constraints_of(model, arm)
    assert [own.name for own in held] == list(arm.followers) and {own.what for own in held} == {"gear"}
    K = np.concatenate([own.K(q) for own in held])
    assert_allclose(K @ arm.G(y), 0.0, atol=1e-12)
    assert_allclose(np.concatenate([own.gap(q) for own in held]), 0.0, atol=1e-12)
    qdd = arm.G(y) @ geared_forward_dynamics(arm, y, yd, tau + passive_force(model, q, v)) + arm.g(y, yd)
    missing = crba(model, q).H @ qdd + bias_force(model, q, v) - passive_force(model, q, v) - tau
    forces = np.concatenate([own.force(q, v, tau) for own in held])
    assert_allclose(K.T @ forces, missing, rtol=1e-9, atol=1e-9)


def test_a_gear_that_is_curved():
    model = rbd.library.double_pendulum()
    gear = Gear("hinge2", ("hinge1",), lambda x: 0.3 * np.sin(x))
    (held,) = constraints_of(model, [gear])
    q, v, h = np.array([0.4, 0.9]), np.array([1.1, -0.7]), 1e-5
    slope = [(held.gap(q + h * e) - held.gap(q - h * e)) / (2 * h) for e in np.eye(2)]
    assert_allclose(held.K(q)[0], np.ravel(slope), atol=1e-9)
    drift = (held.K(q + h * v) - held.K(q - h * v)) @ v / (2 * h)
    assert_allclose(held.k(q, v), -drift, atol=1e-8)
    assert_allclose(held.slip(q, v), held.K(q) @ v, atol=1e-15)
    system = partial(GearedSystem, gears=[gear])
    motion = rbd.simulate(model, [0.4, 0.3 * np.sin(0.4)], duration=0.02, formulation=system)
    force = motion.constraint_forces()["hinge2"]
    q, v = motion.q[-1], motion.v[-1]
    qdd = (motion.v[-1] - motion.v[-3]) / (2 * 1e-3)  # one step earlier
    balance = rbd.rnea(model, motion.q[-2], motion.v[-2], qdd) - rbd.passive_force(model, motion.q[-2], motion.v[-2])
    assert_allclose(balance[1], force[-2, 0], rtol=1e-4)


def test_bounds_and_touching_bodies_are_refused():
    model = hand(False)
    model.add_constraint("stop", rbd.Limit("jaw", 0.0, 1.0))
    follower = {own.name: own for own in constraints_of(model)}
    with pytest.raises(rbd.ModelError, match=r"'stop'.* is a bound"):
        follower["stop"].force(np.zeros(2), np.zeros(2))
    with pytest.raises(rbd.ModelError, match="'stop'"):
        follower["other"].force(np.zeros(2), np.zeros(2))
    (belt,) = constraints_of(hand(False))
    with pytest.raises(rbd.StateError, match="tau"):
        belt.force(np.zeros(2), np.zeros(2), np.zeros(3))
    assert_array_equal(belt.unilateral, ())
