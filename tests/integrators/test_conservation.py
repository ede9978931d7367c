"""Every integrator keeps what it says that it keeps, on every formulation in `FORMULATIONS` that it can step.

What `conserves` names is a key of a formulation's `invariants`, kept to round-off on each formulation that has it, or
one of the phrases below.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError
from rbdkit.formulations import FORMULATIONS, Formulation, JointSystem
from rbdkit.integrators import INTEGRATORS
from rbdkit.library import double_pendulum, pendulum, random_state, random_tree
from rbdkit.spatial import quaternion

ROUND_OFF = 1e-12
"""Relative, over fifty steps: sums of that many roundings, and what Newton's method leaves in each step."""
J = np.array([[3.0, -1.0 / 7.0, 0.0], [-1.0 / 7.0, 4.0, 0.0], [0.0, 0.0, 5.0]])


@cache
def floating() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """A tumbling body that nothing holds; it begins without spin about its z axis."""
    model = rbd.Model("floating body", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(2.0, [0.1, -0.2, 0.3], J))
    return model, model.random_q(5), np.array([0.6, 1.5, 0.0, 1.0, -0.5, 0.3])


@cache
def pivoted() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """A body that turns about its centre of mass, without spin about its z axis."""
    model = rbd.Model("pivoted body", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, inertia_com=J))
    return model, model.random_q(5), np.array([0.6, 1.5, 0.0])


@cache
def heavy() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """The same body with its pivot off the centre of mass, in gravity."""
    model = rbd.Model("heavy top")
    model.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(0.4, [0.0, 0.0, 0.5], J))
    return model, model.random_q(5), np.array([0.6, 1.5, 0.0])


def systems(requires: type, *models) -> list[tuple[Formulation, np.ndarray, np.ndarray]]:
    """All formulations of the models that an integrator can step, with initial states."""
    found = []
    for cls in FORMULATIONS.values():
        for model, q, v in models:
            try:
                system = cls(model)
            except ModelError:
                continue
            if isinstance(system, requires):
                found.append((system, *system.state(q, v)))
    return found


def run(integrator, system, x, v, h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """All states (steps + 1, nx), (steps + 1, nv)."""
    states = [integrator.init(system, 0.0, x, v)]
    for _ in range(steps):
        states.append(integrator.step(system, states[-1], h))
    return np.array([s.x for s in states]), np.array([s.v for s in states])


def drift(values: np.ndarray) -> float:
    """Largest change since the start, relative to the largest value."""
    return float(np.max(np.abs(values - values[0])) / max(np.max(np.abs(values)), 1e-300))


def keeps(integrator, name: str) -> int:
    """Check an invariant on all systems that have it, and give their number."""
    tried = 0
    for system, x, v in systems(integrator.requires, floating(), pivoted(), heavy()):
        if name in system.invariants(x, v):
            values = system.invariants(*run(integrator, system, x, v, 0.08, 50))[name]
            assert drift(values) < ROUND_OFF, (system.name, system.model.name, drift(values))
            tried += 1
    return tried


def constraints_hold(integrator) -> int:
    """Positions obey the joints at the end of every step, however long it is."""
    tried = 0
    for system, x, v in systems(integrator.requires, heavy()):
        xs, _ = run(integrator, system, x, v, 0.08, 50)
        assert system.constraint_error(xs).shape[-1] > 0
        assert np.max(np.abs(system.constraint_error(xs))) < ROUND_OFF, system.name
        tried += 1
    return tried


def energy_wavers_without_drift(integrator) -> int:
    """On a body tethered by a spring: no more of it in the second half of a long run than in the first, less with h."""
    tried, stiffness, hook = 0, 6.0, np.array([0.5, 0.2, 0.0, 1.0])
    for system, x, v in systems(integrator.requires, floating()):

        def ends(x, system=system):
            return (system.poses(x)[..., 1, :, :] @ hook)[..., :3]

        def pull(t, x, v, ends=ends):
            end = ends(x)
            return np.array([np.zeros(6), rbd.wrench(-stiffness * end, end)])

        system.f_ext = pull
        errors = []
        for h in (0.12, 0.06):
            xs, vs = run(integrator, system, x, v, h, round(18 / h))
            total = system.energy(xs, vs).total + 0.5 * stiffness * np.sum(ends(xs) ** 2, axis=-1)
            first, second = np.split(np.abs(total[1:] - total[0]), 2)
            assert second.max() < 1.2 * first.max(), system.name
            errors.append(first.max() / total[0])
        assert 1e-6 < errors[1] < 0.5 * errors[0] < 0.05, (system.name, errors)
        tried += 1
    return tried


def oscillations_keep_their_energy_on_average(integrator) -> int:
    """A pendulum swings on with its amplitude, which explicit Euler's would have outgrown; its inertia is constant."""
    model = pendulum()
    system = JointSystem(model)
    x, v = run(integrator, system, np.array([0.8]), np.zeros(1), 0.01, 4000)
    energy = system.energy(x, v).total
    first, second = np.split(energy[1:], 2)
    swing = np.ptp(system.energy(x, v).kinetic)
    assert abs(first.mean() - second.mean()) < 1e-3 * swing
    assert 1e-3 * swing < np.ptp(energy) < 0.2 * swing
    return 1


def free_rotation_keeps(integrator, quantity) -> int:
    """A quantity of the angular velocity in body axes; on the body that turns about its centre of mass, and that floats
    where velocities do not depend on the pose."""
    tried = 0
    for system, x, v in systems(integrator.requires, pivoted(), floating()):
        if system.constraint_error(x).size or system.name.startswith("non_twisting") or "euler" in system.name:
            continue  # these velocities obey other equations
        x, v = run(integrator, system, x, v, 0.08, 50)
        spins = system.velocities(x, v)[:, 1, :3]
        assert drift(quantity(spins)) < ROUND_OFF, (system.name, drift(quantity(spins)))
        tried += 1
    return tried


def energy_wavers_where_inertia_changes(integrator) -> int:
    """On a double pendulum that swings regularly: the same in the second half of a long run as in the first, and four
    times less with half the step (order 2)."""
    system, errors = JointSystem(double_pendulum()), []
    for h in (0.06, 0.03):
        x, v = run(integrator, system, np.array([0.6, 0.2]), np.zeros(2), h, round(24.0 / h))
        energy = system.energy(x, v)
        first, second = np.split(energy.total[1:] - energy.total[0], 2)
        swing = np.ptp(energy.kinetic)
        assert np.abs(second).max() < 1.2 * np.abs(first).max()
        assert abs(first.mean() - second.mean()) < 0.1 * np.ptp(energy.total)
        errors.append(np.ptp(energy.total) / swing)
    assert errors[0] / errors[1] > 3.0 and errors[1] < 0.01, errors
    return 1


def the_step_is_symplectic(integrator) -> int:
    """Differentiated by differences, one step keeps the two-form of (q, p), on models whose inertia depends on q."""
    tried = 0
    for model in (double_pendulum(), random_tree(8, 3, SYMPLECTIC_JOINTS)):
        q, v, _ = random_state(model, 1)
        before, after, slope = two_forms(integrator, model, q, v, 0.05)
        np.testing.assert_allclose(slope.T @ after @ slope, before, rtol=0, atol=3e-8 * np.abs(before).max())
        tried += 1
    return tried


SYMPLECTIC_JOINTS = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Spherical(), rbd.Free(), rbd.Planar("x")]


def two_forms(integrator, model: rbd.Model, q, v, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The symplectic forms before and after a step from (q, v), and the derivative of the step in between.

    Momenta in the axes that move along: w = dq1 . dp2 - dq2 . dp1 + p . [dq1, dq2], left trivialised.
    """
    system, n = JointSystem(model), model.nv

    def stepped(z):
        x = model.integrate(q, z[:n])
        state = integrator.init(system, 0.0, x, np.linalg.solve(rbd.crba(model, x), z[n:]))
        state = integrator.step(system, state, h)
        return state.x, rbd.crba(model, state.x) @ state.v

    def form(p):
        bracket = np.zeros((n, n))
        for i, e in enumerate(np.eye(n)):
            ad = np.array([model.local_rate(e, c) - model.local_rate(-e, c) for c in np.eye(n)]).T
            bracket[i] = p @ ad
        return np.block([[bracket, np.eye(n)], [-np.eye(n), np.zeros((n, n))]])

    p = rbd.crba(model, q) @ v
    start = np.concatenate([np.zeros(n), p])
    x_1, p_1 = stepped(start)
    slope, size = np.empty((2 * n, 2 * n)), 1e-5 * max(1.0, np.abs(p).max())
    for k, e in enumerate(size * np.eye(2 * n)):
        ends = [stepped(start + s * e) for s in (1, -1, 2, -2)]
        z = [np.concatenate([model.difference(x_1, x), moved]) for x, moved in ends]
        slope[:, k] = (8.0 * (z[0] - z[1]) - (z[2] - z[3])) / (12.0 * size)
    return form(p), form(p_1), slope


PHRASES = {
    "energy, on average": energy_wavers_without_drift,
    "energy where inertia is constant, on average": oscillations_keep_their_energy_on_average,
    "energy where inertia changes, on average": energy_wavers_where_inertia_changes,
    "the symplectic form": the_step_is_symplectic,
    "energy of free rotation": lambda m: free_rotation_keeps(m, lambda W: np.einsum("ni,ij,nj->n", W, J, W)),
    "length of free angular momentum": lambda m: free_rotation_keeps(m, lambda W: np.linalg.norm(W @ J, axis=1)),
    "constraints": constraints_hold,
}

CLAIMS = [
    pytest.param(method, what, id=f"{method.name}: {what}")
    for method in INTEGRATORS.values()
    for what in method.conserves
]


@pytest.mark.parametrize(("integrator", "what"), CLAIMS)
def test_it_keeps_what_it_claims(integrator, what):
    check = PHRASES.get(what, lambda method: keeps(method, what))
    assert check(integrator) > 0, f"no formulation on which {integrator.name} can show that it keeps {what!r}"


@pytest.mark.parametrize("integrator", INTEGRATORS.values(), ids=INTEGRATORS)
def test_states_stay_on_their_manifold(integrator):
    """Poses of all bodies are rotations and shifts after a hundred steps, whoever steps them."""
    system, x, v = systems(integrator.requires, floating(), pivoted())[0]
    x, _ = run(integrator, system, x, v, 0.02, 100)
    R = system.poses(x)[:, 1, :3, :3]
    assert np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3))) < 1e-12
    np.testing.assert_allclose(quaternion.to_matrix(quaternion.from_matrix(R)), R, atol=1e-12)


def test_a_method_that_claims_nothing_drifts():
    """The tests above can fail: explicit Euler's energy and angular momentum grow by per cents in the same runs."""
    euler = INTEGRATORS["explicit_euler"]
    with pytest.raises(AssertionError):
        keeps(euler, "energy")
    with pytest.raises(AssertionError):
        keeps(euler, "angular momentum")
    with pytest.raises(AssertionError):
        free_rotation_keeps(euler, lambda W: np.linalg.norm(W @ J, axis=1))
    with pytest.raises((AssertionError, FloatingPointError)):
        energy_wavers_without_drift(euler)


@pytest.mark.parametrize("name", ["symplectic_euler", "rk4", "implicit_midpoint"])
def test_methods_that_step_velocities_are_not_symplectic_where_inertia_changes(name):
    """So they do not claim it. Where inertia is constant, semi-implicit Euler is."""
    with pytest.raises(AssertionError):
        the_step_is_symplectic(INTEGRATORS[name])
    before, after, slope = two_forms(INTEGRATORS["symplectic_euler"], pendulum(), np.array([0.8]), np.ones(1), 0.05)
    np.testing.assert_allclose(slope.T @ after @ slope, before, rtol=0, atol=1e-9)


def test_a_variational_step_works_with_dampers_and_refuses_joints_that_time_moves():
    model = double_pendulum().with_parameters({"hinge1.damping": 0.4, "hinge2.damping": 0.2})
    system, method = JointSystem(model), INTEGRATORS["variational"]
    exact = rbd.simulate(model, [0.9, 0.4], duration=2.0, dt=1e-3, integrator="rk4").q[-1]
    off = [np.abs(run(method, system, np.array([0.9, 0.4]), np.zeros(2), h, round(2 / h))[0][-1] - exact).max()
           for h in (0.02, 0.01)]  # fmt: skip
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1) and off[1] < 1e-3
    driven = rbd.Model("driven")
    motion = rbd.Prescribed(rbd.Revolute("y"), lambda t: (np.array([t]), np.array([1.0]), np.array([0.0])))
    driven.add_body("arm", joint=motion, inertia=rbd.Inertia(1.0, [0, 0, 0.1], np.eye(3)), joint_name="motor")
    driven.add_body("rod", "arm", rbd.Revolute("y"), [0, 0, 1.0], rbd.Inertia(1.0, [0, 0, 0.5], np.eye(3)))
    with pytest.raises(SimulationError, match=r"'motor'.*moves as time says.*'rk4'"):
        rbd.simulate(driven, duration=0.1, dt=0.01, integrator="variational")
