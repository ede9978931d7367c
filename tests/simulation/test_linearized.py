"""The linear system near a state by compiled code, against differences of the readable rate."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import kernels_for
from rbdkit.formulations import SE3, JointSystem, linearize
from rbdkit.library import double_pendulum, random_tree, shaken_pendulum
from rbdkit.simulation.forces import Constant, TracedForce
from rbdkit.simulation.linearized import Near, linearized
from rbdkit.simulation.traced_forces import torque_law


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
