"""Derivatives of what force elements do: recorded and reversed, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import kernels_for


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_slopes_are_those_of_differences(forced, seed):
    model = forced(seed)
    q, v, _ = state(model)
    kernels = kernels_for(model)
    rows = [np.tile(x, (model.nv, 1)) for x in (q, v)]
    found = kernels.own_gradient(*rows, np.eye(model.nv))
    by_q, by_v = algorithms.element_derivatives(model, q, v)
    scale = max(np.abs(by_q).max(), np.abs(by_v).max())
    assert found.by_q == pytest.approx(by_q, abs=1e-9 * scale)  # differences over 1e-5
    assert found.by_v == pytest.approx(by_v, abs=1e-9 * scale)


def test_derivatives_of_forward_dynamics_have_them(forced):
    model = forced(2)
    state_ = state(model)
    compiled, book = (rbd.forward_dynamics_derivatives(model, *state_, backend=name) for name in ("auto", "book"))
    for name in ("a", "da_dq", "da_dv", "da_dtau"):
        expected = getattr(book, name)
        assert getattr(compiled, name) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max()), name


def test_gradients_by_every_parameter():
    """Of a chain with a spring, drag and friction: by numbers of elements, and by all that moves what they act on."""
    rng = np.random.default_rng(5)
    model = rbd.Model()
    joints = [rbd.Revolute([0.6, 0.0, 0.8]), rbd.Spherical(), rbd.Helical("y", 0.2), rbd.Universal("x", "y")]
    parent = "world"
    for k, joint in enumerate(joints):
        inertia = rbd.Inertia(1.0 + k, rng.normal(size=3), np.diag([5.0, 6.0, 7.0]))
        place = rbd.pose(position=rng.normal(size=3))
        parent = model.add_body(f"b{k}", parent, joint, place, inertia, friction=0.2 * (k == 2))
    model.add_force("band", rbd.Spring("b1", "b3", 30.0, 0.2, 0.7, (0.1, 0.0, 0.4), (0.3, 0.2, 0.0)))
    model.add_force("rope", rbd.Spring("world", "b2", 12.0, 0.5, at_a=(0.5, 1.0, -0.2)))
    model.add_force("grease", rbd.JointFriction("b0_joint", 0.4, creep=0.2))
    q, v, tau = state(model)
    w = rng.normal(size=model.nv)
    found = rbd.forward_dynamics_gradient(model, q, v, tau, w).parameters
    h = 1e-6

    def value(changed):
        return w @ rbd.forward_dynamics(model.with_parameters(changed), q, v, tau)

    checked = set()
    for name, x in model.parameters.items():
        if name.endswith((".inertia", ".rest", ".armature")) or name not in found:
            continue
        if name.endswith("placement"):
            twists = h * np.eye(6)
            ends = [[x @ rbd.spatial.se3.exp(s * e) for s in (1.0, -1.0)] for e in twists]
        else:
            at_bound = np.all(np.asarray(x) == 0.0) and "at_" not in name  # less than zero is refused
            low, high = (0.0, 2.0 * h) if at_bound else (-h, h)
            unit = np.eye(np.size(x)).reshape(np.size(x), *np.shape(x))
            ends = [[x + s * e for s in (high, low)] for e in unit]
        slope = np.array([value({name: a}) - value({name: b}) for a, b in ends]).reshape(found[name].shape) / (2.0 * h)
        # h^2, eps / h of accelerations of some tens, and one side where less than zero is refused
        assert found[name] == pytest.approx(slope, rel=1e-5, abs=2e-6 * max(1.0, np.abs(slope).max())), name
        checked.add(name)
    assert {"band.at_a", "rope.rest_length", "grease.coulomb", "b2_joint.friction", "b1_joint.placement",
            "b2_joint.pitch", "gravity"} <= checked  # fmt: skip


def test_where_derivatives_by_placements_are_not_known_that_is_said(forced):
    model = forced(2)
    state_ = state(model)
    with pytest.raises(rbd.ModelError, match="'hook'"):
        rbd.forward_dynamics_gradient(model, *state_, np.ones(model.nv))
    with pytest.raises(rbd.ModelError, match="'band'"):
        rbd.forward_dynamics_gradient(model, *state_, np.ones(model.nv), backend="book")


class Notches(rbd.ForceElement):
    """Pulls towards the next whole tenth of a radian."""

    joint: str
    stiffness: float

    def act(self, at):
        q = at.coordinates(self.joint)
        at.apply_torque(self.joint, self.stiffness * (0.1 * np.floor(10.0 * q + 0.5) - q))


def test_what_rounds_has_no_slope():
    """Between two notches it is a spring: the slope of the next whole number is zero, by states and by parameters."""
    model = rbd.library.pendulum()
    model.add_force("catch", Notches(model.joints[1].name, 7.0))
    q, v, tau = np.array([0.42]), np.zeros(1), np.zeros(1)
    H, plain = rbd.crba(model, q)[0, 0], rbd.forward_dynamics_derivatives(rbd.library.pendulum(), q, v, tau).da_dq
    found = rbd.forward_dynamics_derivatives(model, q, v, tau).da_dq
    np.testing.assert_allclose(found, plain - 7.0 / H, rtol=1e-13)
    assert rbd.forward_dynamics_parameter_jacobian(model, q, v, tau)["catch.stiffness"] == pytest.approx(-0.02 / H)
