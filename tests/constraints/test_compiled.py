"""Constraints in compiled loops against the readable form of the same formulation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import SE3, Baumgarte, Bodywise, SO3xR3
from rbdkit.integrators import INTEGRATORS
from rbdkit.model.constraint import seen


class Wave(rbd.ConstraintElement):
    """The height of a point goes with time and with an angle: a user's class, with all that may be asked."""

    body: str
    joint: str
    height: float
    swing: float
    timed: bool = False

    def gap(self, at):
        q = at.coordinates(self.joint)
        wave = 0.4 * np.sin(3.0 * at.time) if self.timed else 0.0
        return at.position(self.body, (0.1, 0.2, 0.3))[2] - self.height - self.swing * np.sum(np.sin(q)) - wave


class Skate(rbd.ConstraintElement):
    """A point moves along its own y axis as the wind does."""

    body: str
    wind: float

    def slip(self, at):
        return at.rotation(self.body)[:, 1] @ at.velocity(self.body, (0.2, 0.1, 0.0)) - self.wind


def tied(seed: int, timed: bool = False) -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """A random tree of joints whose axes are fixed in the successor, held by constraints, at a state near them."""
    rng = np.random.default_rng(seed)
    names = [f"b{k}" for k in range(6)]
    kinds = [rbd.Revolute("y"), rbd.Prismatic("x"), rbd.Free(), rbd.Spherical(), rbd.Cylindrical("z"), rbd.Planar("z")]
    model = rbd.Model(gravity=rng.normal(size=3))
    kinds = [kinds[k] for k in rng.permutation(6)]
    for k, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        parent = "world" if k == 0 else str(rng.choice(["world", *names[:k]]))
        inertia = rbd.Inertia.box(rng.uniform(0.2, 0.5, 3), mass=rng.uniform(0.5, 2.0))
        model.add_body(name, parent, kind, rng.normal(size=3) * 0.3, inertia.transformed(
            rbd.pose(position=rng.uniform(-0.2, 0.2, 3))), damping=0.1, stiffness=0.0)  # fmt: skip
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    place = seen(model, q, v, 0.0)
    a, b, c = (str(x) for x in rng.choice(names, 3, replace=False))
    turning = next(j for j in model.joints if j.type.kind == "revolute")
    sliding = next(j for j in model.joints if j.type.kind == "prismatic")
    model.add_constraint("rod", rbd.Distance(a, b, float(np.linalg.norm(place.position(a) - place.position(b)))))
    height = place.position(c, (0.1, 0.2, 0.3))[2] - 0.3 * np.sin(turning.coordinates(q)[0])
    model.add_constraint("wave", Wave(c, turning.name, float(height), 0.3, timed))
    model.add_constraint("skate", Skate(b, 0.2))
    offset = sliding.coordinates(q)[0] - 0.5 * turning.coordinates(q)[0]
    model.add_constraint("screw", rbd.Tie(sliding.name, turning.name, 0.5, float(offset)))
    return model, q, v


def stepped(system, method, times, x, v):
    """By the readable form."""
    state = method.init(system, times[0], x, v)
    for k in range(len(times) - 1):
        state = method.step(system, state, times[k + 1] - times[k])
    return state.x, state.v


@pytest.mark.parametrize("formulation", [SE3, SO3xR3, Bodywise])
@pytest.mark.parametrize("seed", range(2))
def test_steps_are_those_of_the_readable_form(seed, formulation):
    model, q, v = tied(seed, timed=True)
    system = formulation(model)
    x, w = system.state(q, v)
    times = 0.3 + 2e-3 * np.arange(4)
    assert system.obstacle(None) == ""
    run = system.compiled_run(INTEGRATORS["rk4"], times, x, w, 1, lambda done: None)
    for found, expected in zip((run.q[-1], run.v[-1]), stepped(system, INTEGRATORS["rk4"], times, x, w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(2))
def test_projected_and_pulled_steps_are_those_of_the_readable_form(seed):
    model, q, v = tied(seed)
    pulled = partial(SE3, baumgarte=Baumgarte(15.0, 20.0))
    times = 2e-3 * np.arange(4)
    for make, name in ((SE3, "rk4_projected"), (SO3xR3, "rk4_projected"), (pulled, "rk4")):
        system, method = make(model), INTEGRATORS[name]
        x, w = system.state(q, v)
        x = system.move(x, 1e-3 * np.sin(np.arange(len(w))))  # a little open
        run = system.compiled_run(method, times, x, w, 1, lambda done: None)
        for found, expected in zip((run.q[-1], run.v[-1]), stepped(system, method, times, x, w), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        if name == "rk4_projected":
            assert np.abs(system.constraint_error(run.q[-1])).max() < 1e-13
            own = system.slip(run.q[-1], run.v[-1])
            assert np.abs(own).max() < 1e-12


@pytest.mark.parametrize("name", ["rk4_projected", "velocity_euler", "generalized_alpha"])
def test_methods_that_close_joints_know_the_time(name):
    """Of constraints that time moves, in positions, velocities and accelerations."""
    model, body = rbd.Model("waves"), rbd.Inertia.box([0.3, 0.2, 0.1], mass=2.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=body, joint_name="hinge")
    model.add_body("b", "a", rbd.Spherical(), (0.3, 0.0, 0.1), body)
    q, v = model.random_q(2), np.array([0.4, 1.0, -0.5, 0.3])
    height = seen(model, q, v, 0.3).position("b", (0.1, 0.2, 0.3))[2] - 0.3 * np.sin(q[0]) - 0.4 * np.sin(0.9)
    model.add_constraint("wave", Wave("b", "hinge", float(height), 0.3, True))
    times, method = 0.3 + 2e-3 * np.arange(4), INTEGRATORS[name]
    for system in (SE3(model), SO3xR3(model)):
        x, w = system.state(q, v)
        run = system.compiled_run(method, times, x, w, 1, lambda done: None)
        assert run.steps == 3
        for found, expected in zip((run.q[-1], run.v[-1]), stepped(system, method, times, x, w), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_what_is_compiled_for_one_model_serves_others():
    """Numbers are inputs: another length, ratio or place of a frame compiles nothing."""
    from rbdkit.formulations.constrained.compiled import code_of

    model, q, v = tied(1)
    system = SE3(model)
    x, w = system.state(q, v)
    system.compiled_run(INTEGRATORS["rk4"], np.array([0.0, 1e-3]), x, w, 1, lambda done: None)
    made = code_of.cache_info().misses
    other = SE3(model.with_parameters({"rod.length": 2.0, "screw.ratio": 0.7, "wave.swing": 0.1, "skate.wind": 0.3}))
    run = other.compiled_run(INTEGRATORS["rk4"], np.array([0.0, 1e-3]), x, w, 1, lambda done: None)
    assert code_of.cache_info().misses == made
    expected = stepped(other, INTEGRATORS["rk4"], np.array([0.0, 1e-3]), x, w)
    np.testing.assert_allclose(run.q[-1], expected[0], rtol=0, atol=1e-11)
    assert (
        np.abs(run.q[-1] - system.compiled_run(INTEGRATORS["rk4"], np.array([0.0, 1e-3]), x, w, 1, print).q[-1]).max()
        > 1e-9
    )


def test_loops_and_constraints_go_together():
    model = rbd.library.planar_four_bar()
    crank = model.joints[1].name
    model.add_body("wheel", joint=rbd.Revolute("y"), inertia=rbd.Inertia.cylinder(0.2, 0.05, mass=1.0))
    q = model.neutral()
    model.add_constraint("belt", rbd.Tie("wheel_joint", crank, 3.0, float(-3.0 * q[0])))
    system = SE3(model)
    x, v = system.project(*system.state(q, np.array([1.0, 0.0, 0.0, 0.0])))
    times = 1e-3 * np.arange(4)
    run = system.compiled_run(INTEGRATORS["rk4"], times, x, v, 1, lambda done: None)
    expected = stepped(system, INTEGRATORS["rk4"], times, x, v)
    np.testing.assert_allclose(run.q[-1], expected[0], rtol=0, atol=1e-12)
    q, v = system.joint_state(run.q[-1], run.v[-1])
    assert abs(v[3] - 3.0 * v[0]) < 1e-8
    assert np.abs(system.constraint_error(run.q[-1])).max() < 1e-9


def test_constraints_that_say_the_same_twice_count_once():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0))
    start = np.array([0.4, -0.8]), np.array([1.0, -2.0])
    once = rbd.simulate(model, *start, duration=0.05, formulation="se3").q[-1]
    model.add_constraint("again", rbd.Tie("hinge1", "hinge2", -0.5))
    twice = rbd.simulate(model, *start, duration=0.05, formulation="se3")
    assert "compiled loop" in str(twice)
    np.testing.assert_allclose(twice.q[-1], once, rtol=0, atol=1e-12)
