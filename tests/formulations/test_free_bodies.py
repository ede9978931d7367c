"""Formulations of free bodies: against joint coordinates, their compiled loops, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.formulations import JointSystem, LocalVelocity, QuaternionBodies, body_system
from rbdkit.formulations.local_velocity import Projection
from rbdkit.integrators import (
    INTEGRATORS,
    RK4,
    MuntheKaas,
    Projected,
    SymplecticEuler,
    Variational,
    records,
)
from rbdkit.library import pendulum
from rbdkit.spatial import se3
from rbdkit.trace.run import backend

FORMULATIONS = pytest.mark.parametrize("cls", [LocalVelocity, QuaternionBodies])


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def model(rng):
    """Two bodies with frames anywhere, one joint of either sort."""
    model = rbd.Model("two bodies", gravity=(0.3, -1.0, -9.81))
    for name, translation in (("a", "predecessor"), ("b", "successor")):
        S = rng.standard_normal((3, 3))
        inertia = rbd.Inertia(1.5, 0.3 * rng.standard_normal(3), np.trace(S @ S.T) * np.eye(3) - S @ S.T)
        model.add_body(name, joint=rbd.Free(translation), placement=se3.random(rng), inertia=inertia)
    return model


@pytest.fixture
def loads(rng):
    """Joint forces and external forces, constant."""
    tau, f_ext = rng.standard_normal(12), rng.standard_normal((3, 6))
    return (lambda t, x, v: tau), (lambda t, x, v: f_ext)


@FORMULATIONS
def test_states_poses_velocities_and_energy_are_those_of_the_joint_coordinates(cls, model, rng):
    q = np.array([model.random_q(rng) for _ in range(6)]).reshape(2, 3, -1)
    v = rng.standard_normal((2, 3, model.nv))
    system, joint = cls(model), JointSystem(model)
    x, w = system.state(q, v)
    assert x.shape[:-1] == w.shape[:-1] == (2, 3)
    assert_allclose(system.poses(x), joint.poses(q), rtol=0, atol=1e-14)
    assert_allclose(system.velocities(x, w), joint.velocities(q, v), rtol=0, atol=1e-14)
    for name in ("kinetic", "gravitational", "spring"):
        assert_allclose(getattr(system.energy(x, w), name), getattr(joint.energy(q, v), name), rtol=0, atol=1e-12)
    assert system.constraint_error(x).shape == (2, 3, 0)


@FORMULATIONS
def test_momentum_is_that_of_the_joint_coordinates(cls, model, rng):
    q, v = model.random_q(rng), rng.standard_normal(model.nv)
    floating = model.with_parameters({"gravity": (0.0, 0.0, 0.0)})
    system, joint = cls(floating), JointSystem(floating)
    found, expected = system.invariants(*system.state(q, v)), joint.invariants(q, v)
    assert set(found) == set(expected) == {"energy", "angular momentum", "linear momentum"}
    for name in found:
        assert_allclose(found[name], expected[name], rtol=1e-13, atol=1e-13)
    assert set(cls(model).invariants(*cls(model).state(q, v))) == {"energy"}


@pytest.mark.source("H.07")
@FORMULATIONS
def test_accelerations_are_those_of_the_articulated_body_algorithm(cls, model, rng, loads):
    """Rates of the twists of both bodies along the motion, by central differences of fourth order: 1e-10."""
    q, v = model.random_q(rng), rng.standard_normal(model.nv)
    system, joint = cls(model, *loads), JointSystem(model, *loads)
    x, w = system.state(q, v)
    w_dot, h = system.rate(0.0, x, w), 1e-3

    def twists(s):
        moved = system.move(x, s * w + 0.5 * s * s * w_dot)
        return system.velocities(moved, w + s * w_dot)[1:].ravel()

    slope = (8 * (twists(h) - twists(-h)) - (twists(2 * h) - twists(-2 * h))) / (12 * h)
    assert_allclose(slope, joint.rate(0.0, q, v), rtol=0, atol=1e-9)


@FORMULATIONS
def test_moving_and_measuring_displacements(cls, model, rng):
    """`displacement` inverts `move`, `local_rate` is its derivative."""
    system = cls(model)
    x, w = system.state(model.random_q(rng), rng.standard_normal(model.nv))
    u, h = 0.4 * rng.standard_normal(12), 1e-6
    there = system.move(x, u)
    assert_allclose(system.displacement(x, there), u, rtol=0, atol=1e-14)
    ahead, back = (system.displacement(x, system.move(there, s * w)) for s in (h, -h))
    assert_allclose((ahead - back) / (2 * h), system.local_rate(u, w), rtol=0, atol=1e-8)


@pytest.mark.source("H.02", "H.09")
def test_the_choice_of_points_changes_the_coordinates_but_not_the_motion(model, rng):
    """Runge-Kutta methods commute with the constant map D: the same bodies end in the same poses to round-off."""
    q, v = model.random_q(rng), rng.standard_normal(model.nv)
    ends = []
    for projection in (None, Projection.tetrahedral(), {"b": Projection(*rng.standard_normal((2, 6, 3)))}):
        system = LocalVelocity(model, projection=projection)
        state = RK4().init(system, 0.0, *system.state(q, v))
        for _ in range(20):
            state = RK4().step(system, state, 0.05)
        ends.append(system.poses(state.x))
    assert_allclose(ends[1], ends[0], rtol=0, atol=1e-12)
    assert_allclose(ends[2], ends[0], rtol=0, atol=1e-10)  # its condition number is some ten


@FORMULATIONS
@pytest.mark.parametrize("method", [m for m in INTEGRATORS.values() if isinstance(m, MuntheKaas)], ids=lambda m: m.name)
def test_compiled_loop_takes_the_same_steps(cls, method, model, rng):
    """To a few hundred roundings of numbers of size one; every third state and the last are recorded."""
    system = cls(model)
    x, w = system.state(model.random_q(rng), rng.standard_normal(model.nv))
    times, progress = np.linspace(0.5, 1.5, 41), []
    run = system.compiled_run(method, times, x, w, 3, progress.append)
    state = method.init(system, 0.5, x, w)
    states = [state] + [state := method.step(system, state, h) for h in np.diff(times)]
    assert run.at.tolist() == [*range(0, 40, 3), 40]
    assert run.steps == 40 and not run.ran_away and not run.interrupted and progress[-1] == 1.0
    for k, at in enumerate(run.at):
        assert_allclose(run.q[k], states[at].x, rtol=0, atol=1e-12)
        assert_allclose(run.v[k], states[at].v, rtol=0, atol=1e-12)


@FORMULATIONS
def test_compiled_loop_without_llvm(cls, model, rng, monkeypatch):
    system = cls(model)
    x, w = system.state(model.random_q(rng), rng.standard_normal(model.nv))
    arguments = (RK4(), np.linspace(0, 1, 21), x, w, 5, lambda done: None)
    native = system.compiled_run(*arguments)
    monkeypatch.setattr(body_system, "available", lambda: ("python", "asked for"))
    generated = system.compiled_run(*arguments)
    assert generated.at.tolist() == native.at.tolist() == [0, 5, 10, 15, 20]
    assert_allclose(generated.q, native.q, rtol=0, atol=1e-13)
    assert_allclose(generated.v, native.v, rtol=0, atol=1e-13)
    assert backend.available()[0] in ("llvm", "python")


@FORMULATIONS
def test_compiled_loop_stops_before_a_state_that_is_not_finite(cls):
    model = rbd.Model("fast", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(1.0, inertia_com=np.diag([5.3, 1.2, 4.4])))
    system = cls(model)
    x, w = system.state(model.neutral(), np.array([0.01, 0.0, 100.0, 0, 0, 0]))
    run = system.compiled_run(RK4(), np.linspace(0, 1, 11), x, w, 1, lambda done: None)
    assert run.ran_away and 0 < run.steps < 10
    assert np.isfinite(run.q).all() and np.isfinite(run.v).all() and len(run.at) == run.steps + 1


@FORMULATIONS
def test_compiled_loop_can_be_interrupted(cls, model):
    system = cls(model)
    x, w = system.state(model.neutral(), np.ones(model.nv))

    def stop(done):
        raise KeyboardInterrupt

    run = system.compiled_run(RK4(), np.linspace(0, 1, 1001), x, w, 1, stop)
    assert run.interrupted and run.steps < 1000 and len(run.q) == run.steps + 1


@FORMULATIONS
def test_compiled_loop_leaves_to_python_what_it_does_not_know(cls, model, loads):
    arguments = (np.linspace(0, 1, 3), np.zeros(3), np.zeros(3), 1, lambda done: None)
    assert cls(model, f_ext=loads[1]).compiled_run(RK4(), *arguments) is None
    assert cls(model, tau=loads[0]).compiled_run(RK4(), *arguments) is None


class Shorter(RK4):
    """A method whose steps are its own, but which inherits recorded ones."""

    def step(self, system, state, h):
        return super().step(system, state, 0.5 * h)


class Midpoint(MuntheKaas):
    name, order, A, b = "midpoint", 2, ((0.0, 0.0), (0.5, 0.0)), (0.0, 1.0)


def test_recorded_steps_are_those_of_the_class_that_makes_them():
    assert all(map(records, (RK4(), SymplecticEuler(), Midpoint())))
    assert not any(map(records, (Shorter(), Projected(Variational()))))


@FORMULATIONS
def test_a_state_that_runs_away_is_noticed(cls, model):
    system = cls(model)
    x, w = system.state(model.neutral(), np.ones(model.nv))
    for values in (np.inf, np.nan, 1e101):
        with pytest.raises(FloatingPointError):
            system.rate(0.0, x, values * w)
        with pytest.raises(FloatingPointError):
            system.move(x, values * w)


@FORMULATIONS
def test_simulate_runs_them_under_loads(cls):
    """Joint forces and external forces of (t, q, v), as for joint coordinates; order 4 makes 1e-9 of a step of 5 ms."""
    model = one_body()

    def pull(t, q, v):
        return {"ball": rbd.wrench([np.sin(3.0 * t), 0.0, 9.0], q[4:])}

    options = {"v0": [1.0, 2.0, 0.5, 0.1, 0.2, 0.3], "duration": 0.5, "dt": 5e-3, "progress": False}
    options |= {"f_ext": pull, "tau": lambda t, q, v: 1e-3 * np.ones(6)}
    joint, run = rbd.simulate(model, **options), rbd.simulate(model, formulation=cls.name, **options)
    assert_allclose(run.poses(), joint.poses(), rtol=0, atol=1e-8)
    assert_allclose(run.v, joint.v, rtol=0, atol=1e-7)
    assert f"formulation '{cls.name}'" in repr(run)
    free = rbd.simulate(model, formulation=cls.name, duration=0.1, dt=1e-3, progress=False)
    assert "compiled loop" in repr(free)


# --- what is refused --------------------------------------------------------------------------------------------------


def one_body(**joint) -> rbd.Model:
    model = rbd.Model("one body")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint_name="float", **joint)
    return model


@FORMULATIONS
def test_only_bodies_that_move_freely(cls):
    with pytest.raises(ModelError, match=r"'rod' hangs on 'world' by a revolute joint; other formulations, 'joint'"):
        cls(pendulum())
    chained = one_body()
    chained.add_body("moon", "ball", rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    with pytest.raises(ModelError, match="'moon' hangs on 'ball'"):
        cls(chained)
    looped = one_body()
    looped.add_loop("string", "world", "ball", rbd.Spherical())
    with pytest.raises(ModelError, match="loop joint 'string'"):
        cls(looped)
    with pytest.raises(ModelError, match="has no bodies"):
        cls(rbd.Model("nothing"))


@FORMULATIONS
@pytest.mark.parametrize("what", ["stiffness", "damping", "armature"])
def test_no_springs_dampers_and_rotors(cls, what):
    with pytest.raises(ModelError, match=f"joint 'float' has the {what}.*apply it by tau or f_ext"):
        cls(one_body(**{what: 2.0}))


@FORMULATIONS
def test_bodies_need_inertia_about_every_axis(cls):
    model = rbd.Model("point")
    model.add_body("point", joint=rbd.Free(), inertia=rbd.Inertia(1.0))
    with pytest.raises(ModelError, match="'point' has no mass, or no inertia about some axis"):
        cls(model)


def test_projections_are_given_by_body_name():
    model = one_body()
    with pytest.raises(ModelError, match="'bal'"):
        LocalVelocity(model, projection={"bal": Projection.tetrahedral()})
    with pytest.raises(ModelError, match="is not a Projection"):
        LocalVelocity(model, projection="tetrahedral")
    system = LocalVelocity(model, projection={"ball": Projection.tetrahedral()})
    assert_allclose(system.D[0], Projection.tetrahedral().D)
