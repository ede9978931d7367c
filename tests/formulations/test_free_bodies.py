"""Formulations of free bodies: against joint coordinates, their compiled loops, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.formulations import JointSystem, LocalVelocity, QuaternionBodies, body_system
from rbdkit.formulations.local_velocity import Projection, gamma, mass_matrix, tangent
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
from rbdkit.spatial import quaternion, se3, so3
from rbdkit.trace.run import backend

FORMULATIONS = pytest.mark.parametrize("cls", [LocalVelocity, QuaternionBodies])


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def bodies(rng, names="ab"):
    """Bodies with frames anywhere, on joints of both sorts."""
    model = rbd.Model("bodies", gravity=(0.3, -1.0, -9.81))
    for k, name in enumerate(names):
        S = rng.standard_normal((3, 3))
        inertia = rbd.Inertia(1.5, 0.3 * rng.standard_normal(3), np.trace(S @ S.T) * np.eye(3) - S @ S.T)
        joint = rbd.Free("successor" if k % 2 else "predecessor")
        model.add_body(name, joint=joint, placement=se3.random(rng), inertia=inertia)
    return model


@pytest.fixture
def model(rng):
    """Two bodies."""
    return bodies(rng)


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


FEW_AND_MANY = pytest.mark.parametrize("names", ["a", "abc", "abcdefg"])
"""Few bodies are computed one by one on floats, many at once on arrays."""


@FEW_AND_MANY
@FORMULATIONS
def test_a_stack_of_states_gives_what_each_state_gives(cls, names, rng):
    """To rounding: sine and cosine of floats and of arrays may differ in the last digit."""
    system = cls(bodies(rng, names))
    q = np.array([system.model.random_q(rng) for _ in range(6)]).reshape(2, 3, -1)
    v, u = rng.standard_normal((2, 2, 3, system.model.nv))
    x, w = system.state(q, v)
    stacked = system.rate(0.0, x, w), system.move(x, u), system.local_rate(u, w), system.displacement(x, x[::-1])
    for k in np.ndindex(2, 3):
        other = 1 - k[0], k[1]
        single = system.state(q[k], v[k])
        assert_allclose(x[k], single[0], rtol=0, atol=1e-15)
        assert_allclose(w[k], single[1], rtol=0, atol=1e-15)
        alone = system.rate(0.0, x[k], w[k]), system.move(x[k], u[k]), system.local_rate(u[k], w[k])
        for found, expected in zip(stacked, (*alone, system.displacement(x[k], x[other])), strict=True):
            assert_allclose(found[k], expected, rtol=0, atol=4e-15 * np.abs(expected).max())


def one_of_each(system, rng, size):
    """A state, its velocity, and a displacement by rotation vectors of a given length, (n, 6) each but the state."""
    x, w = system.state(system.model.random_q(rng), rng.standard_normal(system.model.nv))
    n = rng.standard_normal((system.n, 2, 3))
    n[:, 1] *= size / np.linalg.norm(n[:, 1], axis=-1, keepdims=True)
    return x, w.reshape(-1, 6), n.reshape(-1, 6)


SIZES = pytest.mark.parametrize("size", [0.0, 1e-9, 0.3, 3.0])


@pytest.mark.source("H.08", "H.09")
@FEW_AND_MANY
@SIZES
def test_local_velocities_move_as_the_tangent_operators_of_se3_say(names, size, rng):
    """By the 4x4 and 6x6 matrices of `tangent`, `mass_matrix` and `gamma`, which share no code with the equations."""
    projection = Projection.hexahedral(0.7, 1.3, 2.1)
    system = LocalVelocity(bodies(rng, names), projection=projection)
    x, w, n = one_of_each(system, rng, size)
    H, u, D = system.frames(x), n @ projection.D.T, projection.D
    moved = system.move(x, u.ravel())
    assert_allclose(system.frames(moved), H @ tangent.exp(n), rtol=0, atol=4e-15)
    assert_allclose(system.displacement(x, moved).reshape(-1, 6), tangent.log(tangent.exp(n)) @ D.T, rtol=0, atol=2e-14)
    expected = [D @ tangent.unified_inverse(projection, n_i) @ w_i for n_i, w_i in zip(n, w, strict=True)]
    assert_allclose(system.local_rate(u.ravel(), w.ravel()).reshape(-1, 6), expected, rtol=0, atol=4e-14)
    Q = system.forces(0.0, x, w.ravel()) @ projection.D_inverse
    rates, terms = system.rate(0.0, x, w.ravel()).reshape(-1, 6), system.gamma_w(w.ravel())
    for Q_i, w_i, w_rate, term, m, J in zip(Q, w, rates, terms, system.mass, system.J, strict=True):
        M, Gamma = mass_matrix(projection, m, J), gamma(projection, m, J, w_i)
        assert_allclose(term, Gamma @ w_i, rtol=0, atol=1e-14)
        assert_allclose(M @ w_rate + Gamma @ w_i, Q_i, rtol=0, atol=1e-13 * np.abs(Q_i).max())  # Eq 79


@FEW_AND_MANY
@SIZES
def test_quaternions_move_as_those_of_rbdkit_spatial(names, size, rng):
    """By `rbdkit.spatial.quaternion` and `so3` in place of the equations, and by Newton and Euler."""
    system = QuaternionBodies(bodies(rng, names))
    x, v, n = one_of_each(system, rng, size)
    n, state = np.roll(n, 3, axis=-1), x.reshape(-1, 7)
    moved = system.move(x, n.ravel())
    expected = quaternion.multiply(state[:, :4], quaternion.exp(n[:, :3]))
    assert_allclose(moved.reshape(-1, 7), np.hstack([expected, state[:, 4:] + n[:, 3:]]), rtol=0, atol=2e-15)
    assert_allclose(system.displacement(x, moved), n.ravel(), rtol=0, atol=1e-14)
    n_rate = (so3.right_jacobian_inverse(n[:, :3]) @ v[:, :3, None])[..., 0]
    found = system.local_rate(n.ravel(), v.ravel()).reshape(-1, 6)
    assert_allclose(found, np.hstack([n_rate, v[:, 3:]]), rtol=0, atol=1e-14)
    v_rate = system.rate(0.0, x, v.ravel()).reshape(-1, 6)
    for J, Omega, rate in zip(system.J, v[:, :3], v_rate, strict=True):
        assert_allclose(J @ rate[:3], -np.cross(Omega, J @ Omega), rtol=0, atol=1e-13)
        assert_allclose(rate[3:], system.model.gravity)


@FEW_AND_MANY
@FORMULATIONS
def test_loads_on_each_body(cls, names, rng):
    """Force and moment about the centres of mass, of wrenches about the origin and of joint forces, with matrices."""
    model = bodies(rng, names)
    tau, f_ext = rng.standard_normal(model.nv), rng.standard_normal((len(model.bodies), 6))
    system = cls(model, lambda t, x, v: tau, lambda t, x, v: f_ext)
    x, v = system.state(model.random_q(rng), rng.standard_normal(model.nv))
    at_centre = np.roll(np.swapaxes(se3.adjoint(system.frames(x)), -1, -2) @ f_ext[1:, :, None], 3, axis=-2)[..., 0]
    own = np.swapaxes(se3.adjoint(se3.pose(position=system.com)), -1, -2) @ tau.reshape(-1, 6, 1)
    weight = system.mass[:, None] * (model.gravity @ system.frames(x)[:, :3, :3])
    expected = at_centre + np.roll(own, 3, axis=-2)[..., 0] + np.hstack([weight, np.zeros_like(weight)])
    assert_allclose(system.forces(0.0, x, v), expected, rtol=0, atol=1e-14)


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
