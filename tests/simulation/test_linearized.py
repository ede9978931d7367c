"""The linear system near a state by compiled code, against differences of the readable rate."""

import numpy as np
import pytest
from scipy.optimize import root

import rbdkit as rbd
from rbdkit.engine import kernels_for
from rbdkit.formulations import SE3, JointSystem, linearize
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.library import double_pendulum, random_tree, shaken_pendulum
from rbdkit.simulation.forces import Constant, TracedForce
from rbdkit.simulation.linearized import Near, linearized
from rbdkit.simulation.traced_forces import torque_law
from rbdkit.spatial import quaternion


def follower():
    model = rbd.Model("follower")
    rod = rbd.Inertia(1.0, com=[0.0, 0.0, -0.5], inertia_com=np.diag([0.3, 0.2, 0.25]))
    model.add_body("a", joint=rbd.Revolute("y"), inertia=rod, damping=0.3, stiffness=4.0)
    model.add_body("b", "a", rbd.Revolute("x"), [0.0, 0.0, -1.0], rod, mimic=rbd.Mimic("a_joint", -0.5, 0.2))
    model.add_body("c", "b", rbd.Spherical(), [0.0, 0.0, -1.0], rod, damping=0.1)
    return model


MODELS = [double_pendulum(), random_tree(4, 6), random_tree(7, 6), follower(), shaken_pendulum()]


def swirl(t, q, v):
    return -2.0 * v + np.sin(t) * np.cos(v) + q[0]


def same(model, tau, f_ext, seed=0):
    """Both linear systems at a random state."""
    rng = np.random.default_rng(seed)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    (found,) = linearized([Near(JointSystem(model, tau, f_ext), 0.3, q, v)])
    expected = linearize(JointSystem(model, tau, f_ext, book=True), 0.3, q, v)
    # central differences over 1e-6 leave the round-off of accelerations, 1e-15 of the largest terms, a million times
    for name in ("K", "C"):
        mine, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-7 * max(1.0, np.abs(theirs).max()), err_msg=name)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("tau", ["none", "constant", "function", "traced"])
@pytest.mark.parametrize("forces", ["none", "constant", "function"])
def test_it_is_what_differences_find(model, tau, forces):
    rows = np.random.default_rng(5).normal(size=(len(model.bodies), 6))
    law = {
        "none": None,
        "constant": Constant(np.ones(model.nv)),
        "function": swirl,
        "traced": TracedForce(swirl, torque_law(model, rbd.traced(swirl), swirl, 1.0)),
    }[tau]
    acting = {"none": None, "constant": Constant(rows), "function": lambda t, q, v: rows * (1.0 + v[0] + t)}[forces]
    same(model, law, acting)


def test_other_systems_have_no_such_code():
    class Own(JointSystem):
        def rate(self, t, x, v):
            return -x

    model = double_pendulum()
    state = 0.0, np.zeros(2), np.zeros(2)
    assert linearized([Near(Own(model), *state)]) == [None]
    assert linearized([Near(SE3(model, None, None), *state)]) == [None]
    assert kernels_for(model) is not None and linearized([Near(JointSystem(model), *state)]) != [None]
    assert linearized([Near(JointSystem(model), 0.0, np.array([np.nan, 0.0]), np.zeros(2))]) == [None]


def test_several_states_are_looked_at_together_as_each_is_alone():
    """With forces of their own, one of them beyond all numbers."""
    for model in MODELS:
        rng = np.random.default_rng(3)
        states = [
            Near(JointSystem(model, tau), t, model.random_q(rng), rng.normal(size=model.nv))
            for t, tau in ((0.0, Constant(rng.normal(size=model.nv))), (0.5, swirl), (0.7, None))
        ]
        states.append(states[0]._replace(v=np.full(model.nv, np.inf)))
        together = linearized(states)
        assert together.pop() is None and len(together) == 3
        for found, near in zip(together, states):
            (alone,) = linearized([near])
            np.testing.assert_array_equal(found.K, alone.K)
            np.testing.assert_array_equal(found.C, alone.C)


def linked(free):
    """A skew double pendulum: as a tree, or of free bodies that the same hinges close to loops."""
    model = rbd.Model("linked")
    placed = [([0.1, 0.0, 0.2], "upper", "world", "y"), ([0.0, 0.1, -0.8], "lower", "upper", "x")]
    for place, name, parent, axis in placed:
        inertia = rbd.Inertia(1.5, (0.1, 0.05, -0.4), np.diag([0.05, 0.06, 0.02]))
        if not free:
            model.add_body(name, parent, rbd.Revolute(axis), placement=place, inertia=inertia, damping=0.3)
            continue
        model.add_body(name, joint=rbd.Free(), inertia=inertia)
        model.add_loop(f"{name} hinge", parent, name, rbd.Revolute(axis), place, damping=0.3)
    return model


def test_loops_move_as_fast_as_the_tree_that_they_stand_for():
    """Where it stands still, rates are the same in all coordinates; two of these equilibria are unstable."""
    tree, closed = linked(False), linked(True)
    rng = np.random.default_rng(5)
    for _ in range(6):
        found = root(lambda q: rbd.rnea(tree, q, np.zeros(2), np.zeros(2)), tree.random_q(rng), tol=1e-13)
        assert np.abs(found.fun).max() < 1e-10
        poses = rbd.forward_kinematics(tree, found.x).poses
        x = np.concatenate([[*quaternion.from_matrix(poses[k][:3, :3]), *poses[k][:3, 3]] for k in (1, 2)])
        (of_tree,) = linearized([Near(JointSystem(tree), 0.0, found.x, np.zeros(2))])
        (of_loops,) = linearized([Near(ClosedJointSystem(closed), 0.0, x, np.zeros(12))])
        rates = np.linalg.eigvals(of_loops.matrix)
        for rate in np.linalg.eigvals(of_tree.matrix):
            assert np.abs(rates - rate).min() < 1e-7 * max(1.0, abs(rate))  # differences over 1e-6, of round-off 1e-14
        # no motion leaves the loops: 20 of 24 rates are nothing, of double zeros, whose round-off is a root of 1e-16
        assert np.sort(np.abs(rates))[: len(rates) - 4].max() < 1e-6


@pytest.mark.parametrize(("name", "duration"), [("peaucellier", 5.0), ("variable_mobility", 1.0)])
def test_loops_that_are_followed_are_not_called_too_fast(name, duration):
    """Rates of 1e5 1/s were found off the loops."""
    run, finer = (rbd.simulate(getattr(rbd.library, name)(), duration=duration, dt=dt) for dt in (1e-3, 1.25e-4))
    assert run.report.adequacy.stable and run.report.adequacy.fastest_rate < 100.0
    np.testing.assert_allclose(run.q, finer.q[::8], rtol=0.0, atol=1e-4)
