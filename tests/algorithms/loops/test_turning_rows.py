"""Loop joints whose wrenches turn, in compiled code: against the rows of Table 8.4 and readable runs."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.loops import loop_constraint
from rbdkit.engine import kernels_for
from rbdkit.formulations import JointSystem
from rbdkit.formulations.constrained.residuals_program import MANY
from rbdkit.integrators import RK4, Projected
from rbdkit.joints import RackAndPinion, Reversed
from rbdkit.library import random_tree, spatial_slider_crank
from rbdkit.spatial import se3

KINDS = {
    "cross": rbd.Universal("x", "z"),
    "skew cross": rbd.Universal("x", [0.6, 0.0, 0.8]),
    "bore": rbd.SphereInCylinder([0.0, 0.6, 0.8]),
    "pinion": RackAndPinion("z", 0.3),
    "pinion that slips": RackAndPinion("y", 0.0),
    "cross from the other end": Reversed(rbd.Universal("x", "y")),
    "rack": Reversed(RackAndPinion("x", 0.2)),
}


def closed(kind, seed=3):
    """A tree with a loop, and coordinates that close it."""
    rng = np.random.default_rng(seed)
    model = random_tree(4, 7)
    q = model.random_q(rng)
    poses = rbd.forward_kinematics(model, q).poses
    P = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
    S = se3.inverse(poses[6]) @ poses[2] @ P @ kind.pose(kind.random(rng))
    model.add_loop("loop", model.bodies[2], model.bodies[6], kind, P, S)
    return model, q, rng


@pytest.mark.source("F8.05", "F8.06")
@pytest.mark.parametrize("name", KINDS)
def test_rows_are_those_of_the_table(name):
    """Where the loop is open or comes apart, too; a reversed joint has its rows in the other body there."""
    model, q, rng = closed(KINDS[name])
    kernels = kernels_for(model)
    assert kernels.rows is not None
    turned = isinstance(KINDS[name], Reversed)
    for off in (0.0,) if turned else (0.0, 0.01, 0.3):
        there, v = model.integrate(q, off * rng.normal(size=model.nv)), rng.normal(size=model.nv)
        if turned:
            v = rbd.project_velocity(model, q, v)
        expected, found = loop_constraint(model, there, v), kernels.constraint_rows(there, v)
        np.testing.assert_allclose(found.K, expected.K, rtol=0.0, atol=2e-14)
        np.testing.assert_allclose(found.k, expected.k, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(found.gap, expected.delta, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(found.slip, expected.delta_dot, rtol=0.0, atol=1e-13)
        system = JointSystem(model)
        assert found.openness == pytest.approx(system.gaps.largest(system.poses(there)), rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("name", KINDS)
def test_a_compiled_motion_is_the_readable_one(name):
    model, q, rng = closed(KINDS[name])
    v = rbd.project_velocity(model, q, 0.3 * rng.normal(size=model.nv))
    times, method = 1e-3 * np.arange(21), Projected(RK4())
    system = JointSystem(model)
    run = system.compiled_run(method, times, q, v, 1, lambda t: None)
    assert run is not None
    readable = JointSystem(model, book=True)
    state = method.init(readable, 0.0, q, v)
    for _ in range(20):
        state = method.step(readable, state, 1e-3)
    scale = max(1.0, np.abs(state.v).max())
    np.testing.assert_allclose(run.q[-1], state.x, rtol=0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(run.v[-1], state.v, rtol=0.0, atol=1e-10 * scale)
    assert np.abs(system.constraint_error(run.q[-1])).max() < 1e-13
    many = np.array([model.integrate(run.q[-1], 1e-3 * rng.normal(size=model.nv)) for _ in range(MANY)])
    at_once, one_by_one = system.constraint_error(many), np.array([system.constraint_error(x) for x in many])
    np.testing.assert_allclose(at_once, one_by_one, rtol=0.0, atol=1e-14)


def test_forces_of_a_cross_are_those_of_the_book():
    """Its moment stands across both axes as they are, not as they were at the start."""
    model = spatial_slider_crank()
    q = rbd.assemble(model)
    v = rbd.project_velocity(model, q, np.full(model.nv, 2.0))
    run = rbd.simulate(model, q, v, duration=0.2, dt=1e-3)
    compiled, readable = (
        run.loop_forces(),
        rbd.simulate(model, q, v, duration=0.2, dt=1e-3, backend="book").loop_forces(),
    )
    for name, wrench in compiled.wrenches.items():
        np.testing.assert_allclose(wrench, readable.wrenches[name], rtol=0.0, atol=1e-8 * np.abs(wrench).max())
