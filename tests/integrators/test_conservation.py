"""Every integrator keeps what it says that it keeps, on every formulation in `FORMULATIONS` that it can step.

What `conserves` names is a key of a formulation's `invariants`, kept to round-off on each formulation that has it, or
one of the phrases below.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.formulations import FORMULATIONS, Formulation, JointSystem
from rbdkit.integrators import INTEGRATORS
from rbdkit.library import pendulum
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
    """A pendulum swings on with its amplitude, which explicit Euler's would have outgrown."""
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


PHRASES = {
    "energy, on average": energy_wavers_without_drift,
    "energy of oscillations, on average": oscillations_keep_their_energy_on_average,
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


@pytest.mark.source("F3.03")
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
