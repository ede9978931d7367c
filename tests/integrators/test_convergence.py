"""Every integrator in `INTEGRATORS` shows its order, on every formulation in `FORMULATIONS` that it can step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.formulations import FORMULATIONS, Formulation, JointSystem, NonTwistingSplitEuler
from rbdkit.integrators import INTEGRATORS, Adaptive
from rbdkit.spatial import se3

DURATION = 0.4
STEPS = {1: 80, 2: 14, 3: 12, 4: 16, 5: 16}
"""Steps at which the error is that of the leading term and far from round-off, by order."""


@cache
def top() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """One body on a ball joint, heavy, with a principal axis along z; it begins without spin about z."""
    model = rbd.Model("top")
    J = [[0.30, -0.02, 0.0], [-0.02, 0.40, 0.0], [0.0, 0.0, 0.20]]
    model.add_body("top", joint=rbd.Spherical(), inertia=rbd.Inertia(2.0, [0.0, 0.0, 0.1], J))
    return model, model.integrate(model.neutral(), [1.2, 0.3, 0.4]), np.array([1.5, -2.0, 0.0])


@cache
def two_bodies() -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """Two free bodies whose frames are not in their centres of mass."""
    rng, model = np.random.default_rng(3), rbd.Model("two bodies", gravity=(0.3, -1.0, -9.81))
    for name, translation in (("a", "predecessor"), ("b", "successor")):
        S = rng.standard_normal((3, 3))
        inertia = rbd.Inertia(1.5, 0.3 * rng.standard_normal(3), np.trace(S @ S.T) * np.eye(3) - S @ S.T)
        model.add_body(name, joint=rbd.Free(translation), placement=se3.random(rng), inertia=inertia)
    return model, model.random_q(rng), rng.standard_normal(model.nv)


def loads(system: Formulation):
    """A spring to a point, a force that changes in time, a moment fixed to the body: all of them on every body."""

    def f_ext(t, x, v):
        poses = system.poses(x)
        wrenches = np.zeros((len(poses), 6))
        for i, T in enumerate(poses[1:], 1):
            R, p = T[:3, :3], T[:3, 3]
            force = np.array([np.sin(5.0 * t), 1.0, 0.5]) - 4.0 * (p + R @ [0.1, 0.2, 0.3])
            wrenches[i] = [*(R @ [0.3, -0.5, 0.0] + np.cross(p, force)), *force]
        return wrenches

    return f_ext


@cache
def sample(formulation: str) -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """The first of the models that the formulation takes."""
    for make in (top, two_bodies):
        try:
            FORMULATIONS[formulation](make()[0])
        except ModelError:
            continue
        return make()
    raise AssertionError(f"no sample for formulation {formulation!r}: add one here")


def system_of(cls: type[Formulation], model: rbd.Model) -> Formulation:
    system = cls(model)
    system.f_ext = loads(system)
    return system


def shown(system: Formulation, x, v) -> np.ndarray:
    """What all formulations have in common: poses and velocities of the bodies."""
    return np.concatenate([system.poses(x)[1:].ravel(), system.velocities(x, v)[1:].ravel()])


@cache
def reference(formulation: str) -> np.ndarray:
    """The end to about 1e-12: by joint coordinates, or for the body without twist by its equations on the sphere."""
    cls = NonTwistingSplitEuler if formulation.startswith("non_twisting") else JointSystem
    model, q, v = sample(formulation)
    system = system_of(cls, model)
    times = np.array([0.0, DURATION])
    (x, w, *_), *_ = Adaptive("dop853", 1e-13, 1e-13).samples(system, times, *system.state(q, v))
    return shown(system, x, w)


def error(integrator, formulation: str, steps: int) -> float:
    model, q, v = sample(formulation)
    system, h = system_of(FORMULATIONS[formulation], model), DURATION / steps
    state = integrator.init(system, 0.0, *system.state(q, v))
    for _ in range(steps):
        state = integrator.step(system, state, h)
    assert state.t == pytest.approx(DURATION)
    return float(np.linalg.norm(shown(system, state.x, state.v) - reference(formulation)))


PAIRS = [
    pytest.param(method, formulation, id=f"{method.name}-{formulation}")
    for method in INTEGRATORS.values()
    for formulation, cls in FORMULATIONS.items()
    if isinstance(cls(sample(formulation)[0]), method.requires)
]


def test_every_integrator_and_every_formulation_is_tried():
    methods, formulations = zip(*(pair.values for pair in PAIRS), strict=True)
    assert {method.name for method in methods} == set(INTEGRATORS)
    assert set(formulations) == set(FORMULATIONS)


@pytest.mark.source("F3.03", "S1.07", "H.09")
@pytest.mark.parametrize(("integrator", "formulation"), PAIRS)
def test_halving_the_step_divides_the_error_by_two_to_the_order(integrator, formulation):
    """A third of an order is for the next term of the series; half of one at order 5, whose term is small by design."""
    steps = STEPS[integrator.order]
    coarse, fine = (error(integrator, formulation, n) for n in (steps, 2 * steps))
    assert np.log2(coarse / fine) == pytest.approx(integrator.order, abs=0.5 if integrator.order == 5 else 0.33), (
        coarse,
        fine,
    )
