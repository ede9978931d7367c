"""Steps and stages of integrators, gone through in both directions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.formulations import FORMULATIONS, JointSystem
from rbdkit.integrators import INTEGRATORS, RK4, ExplicitEuler, GeneralizedAlpha, Heun
from rbdkit.library import double_pendulum
from rbdkit.stepping import Place, Walk
from rbdkit.stepping.formulas import formulas_of

Q, V, H = np.array([1.0, 0.5]), np.array([0.3, -2.0]), 0.05


def body(joint) -> rbd.Model:
    model = rbd.Model("body", gravity=(0, 0, 0))
    model.add_body("stone", joint=joint, inertia=rbd.Inertia.box([0.1, 0.2, 0.4], mass=2.0))
    return model


MODELS = {"chain": double_pendulum(), "free": body(rbd.Free()), "turning": body(rbd.Spherical())}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_fitting_pair_can_be_gone_through(formulation, integrator):
    """Its states are those of the method's own steps; there is a formula for each stage and for the step."""
    method = INTEGRATORS[integrator]
    for model in MODELS.values():
        try:
            system = FORMULATIONS[formulation](model, None, None)
        except rbd.RbdkitError:
            continue  # not a formulation of this model
        if not isinstance(system, method.requires):
            continue
        v = np.linspace(0.2, 1.0, model.nv)
        if formulation.startswith("non_twisting"):
            v[2] = 0.0  # such a body does not turn about its third axis
        walk, place = Walk(system, method, model.neutral(), v, 0.01), Place(0)
        assert len(walk.formulas) == len(walk.stages(0)) + 1
        assert "<-" in walk.formulas[-1] and "an evaluation" not in walk.formulas[0]  # its own, no description
        state = method.init(system, 0.0, *system.state(model.neutral(), v))
        for k in range(3):
            assert_array_equal(walk.state(k).x, state.x)
            assert_array_equal(walk.state(k).v, state.v)
            state = method.step(system, state, 0.01)
            for stage in range(1, len(walk.stages(k)) + 1):
                place = walk.forward(place)
                assert place == Place(k, stage) and walk.line(place) == stage - 1
            place = walk.forward(place)
            assert place == Place(k + 1) and walk.line(place) == len(walk.formulas) - 1
        assert all(np.isfinite(drift) and drift < 0.1 for drift in walk.drift(3).values())


def test_every_formulation_and_every_integrator_finds_a_pair():
    """So that the test above, which leaves out what does not fit, leaves out nothing altogether."""
    found = set()
    for model in MODELS.values():
        for name, make in FORMULATIONS.items():
            try:
                system = make(model, None, None)
            except rbd.RbdkitError:
                continue
            fitting = {key for key, method in INTEGRATORS.items() if isinstance(system, method.requires)}
            found |= fitting | ({name} if fitting else set())
    assert found == set(FORMULATIONS) | set(INTEGRATORS)


WALK = Walk(JointSystem(double_pendulum()), RK4(), Q, V, H)


@given(st.lists(st.booleans(), max_size=60))
def test_back_undoes_forward(moves):
    place = Place(0)
    for forward in moves:
        there = WALK.forward(place) if forward else WALK.back(place)
        if forward:
            assert WALK.back(there) == place
        elif place != Place(0):
            assert WALK.forward(there) == place
        place = there


def test_formulas_of_tableaus_are_written_with_their_own_numbers():
    assert formulas_of(ExplicitEuler(), 1)[-1] == "x <- x * exp(h k1)\nv <- v + h a1"
    assert formulas_of(Heun(), 2)[-1] == "x <- x * exp(h (1/2 k1 + 1/2 k2))\nv <- v + h (1/2 a1 + 1/2 a2)"
    stage = formulas_of(RK4(), 4)[3]
    assert stage == "u4 = h k3    v4 = v + h a3\nk4 = dexp_inv(u4) v4    a4 = f(t + h, x * exp(u4), v4)"


def test_drift_is_relative_to_the_first_value():
    energies = [float(WALK.system.energy(WALK.state(k).x, WALK.state(k).v).total) for k in (0, 5)]
    assert WALK.drift(5)["energy"] == pytest.approx(abs(energies[1] - energies[0]) / abs(energies[0]))


def test_drift_from_zero_is_told_as_it_is():
    """A weight on a rail that starts at height zero, at rest: Euler's first steps fall too slowly for their speed."""
    model = rbd.Model("weight")
    model.add_body("weight", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0))
    walk = Walk(JointSystem(model), ExplicitEuler(), np.zeros(1), np.zeros(1), 0.1)
    # after 3 steps v = -3 g h and z = -3 g h^2
    assert walk.drift(3)["energy"] == pytest.approx(9.81**2 * 0.1**2 * (9.0 - 6.0), rel=1e-12)


def test_a_pair_that_does_not_fit_is_refused():
    with pytest.raises(SimulationError, match=r"'generalized_alpha' does not step formulation 'joint'; it .*'se3'"):
        Walk(JointSystem(double_pendulum()), GeneralizedAlpha(), Q, V, H)
