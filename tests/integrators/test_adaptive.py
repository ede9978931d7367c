from itertools import pairwise

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.formulations import LinearSystem
from rbdkit.integrators import Adaptive


@pytest.mark.parametrize("system", ["free body", "spherical pendulum", "branched tree"])
@pytest.mark.parametrize(("method", "tolerance"), [("dop853", 1e-10), ("rk45", 1e-8), ("rk23", 1e-6)])
def test_reaches_its_tolerance(systems, reference, torque_free, method, tolerance, system):
    """The error at the end is some tens of times the tolerance of one step."""
    model, q0, v0 = systems[system]
    duration = 0.3 if system == "branched tree" else 0.5
    q_end, v_end = reference(system, duration)
    states = list(Adaptive(method, tolerance, tolerance).samples(torque_free(model), np.array([0.0, duration]), q0, v0))
    q, v, steps = states[-1]
    model.check_q(q)
    error = np.max(np.abs(np.concatenate([model.difference(q_end, q), v - v_end])))
    assert tolerance * 1e-4 < error < 100 * tolerance
    assert steps > 1


@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
def test_several_turns_through_many_charts(systems, reference, torque_free, method):
    """The body tumbles through about three turns: a rotation vector from the start alone would pass 2 pi."""
    model, q0, v0 = systems["free body"]
    q_end, v_end = reference("free body", 5.0)
    times = np.linspace(0.0, 5.0, 101)
    states = list(Adaptive(method, 1e-9, 1e-9).samples(torque_free(model), times, q0, v0))
    assert len(states) == 100
    turned = sum(np.linalg.norm(model.difference(a[0], b[0])[:3]) for a, b in pairwise(states))
    assert turned > 5 * np.pi
    q, v, _ = states[-1]
    tolerance = 1e-6 if method == "dop853" else 1e-4  # the error per step adds up, and the middle axis is unstable
    assert np.max(np.abs(model.difference(q_end, q))) < tolerance
    assert np.max(np.abs(v - v_end)) < tolerance


def test_a_steady_spin_through_many_turns(torque_free):
    """Constant velocity lets the solver take steps of many turns at once."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    times = np.linspace(0.0, 20.0, 11)
    omega = np.array([0.0, 3.0, 4.0])
    states = Adaptive(max_step=np.inf).samples(torque_free(model), times, model.neutral(), omega)
    for t, (q, v, _) in zip(times[1:], states, strict=True):
        expected = model.integrate(model.neutral(), omega * t)
        assert min(np.max(np.abs(q - expected)), np.max(np.abs(q + expected))) < 1e-12
        np.testing.assert_allclose(v, omega, rtol=1e-14)


def test_samples_between_steps_are_as_good(systems, torque_free):
    """The same run sampled coarsely and finely passes the same states."""
    model, q0, v0 = systems["spherical pendulum"]
    system, free = torque_free(model), Adaptive("dop853", max_step=np.inf)
    fine = list(free.samples(system, np.linspace(0.0, 1.0, 101), q0, v0))
    coarse = list(free.samples(system, np.array([0.0, 1.0]), q0, v0))
    np.testing.assert_allclose(fine[-1][0], coarse[-1][0], atol=1e-14)
    assert fine[-1][2] == coarse[-1][2]
    middle = list(free.samples(system, np.array([0.0, 0.5]), q0, v0))[-1]
    np.testing.assert_allclose(fine[49][0], middle[0], atol=1e-7)


def test_sampling_costs_few_evaluations(systems, torque_free):
    model, q0, v0 = systems["spherical pendulum"]

    def evaluations(samples):
        system, count = torque_free(model), [0]
        inner = system.rate
        system.rate = lambda t, x, v: (count.__setitem__(0, count[0] + 1), inner(t, x, v))[1]
        list(Adaptive("dop853", max_step=np.inf).samples(system, np.linspace(0.0, 1.0, samples), q0, v0))
        return count[0]

    assert evaluations(1001) < 1.4 * evaluations(2)  # three more in each step, whatever the number of samples


@pytest.mark.parametrize("method", ["dop853", "rk45", "rk23"])
def test_trial_steps_into_the_impossible_are_taken_back(method):
    """The rate of an oscillator that cannot be computed once costs a step, not the run."""
    calls = []

    class Fragile(LinearSystem):
        def rate(self, t, x, v):
            calls.append(t)
            if len(calls) == 30:
                raise FloatingPointError("the state is not finite any more")
            return super().rate(t, x, v)

    system = Fragile(-np.eye(1), np.zeros((1, 1)))
    *_, (x, v, _) = Adaptive(method, 1e-8, 1e-8).samples(system, np.array([0.0, 2.0]), np.zeros(1), np.ones(1))
    assert len(calls) > 30
    np.testing.assert_allclose([x[0], v[0]], [np.sin(2.0), np.cos(2.0)], atol=1e-6)


@pytest.mark.parametrize("method", ["dop853", "rk45", "rk23"])
def test_no_step_short_enough(method):
    """v' = v^3 reaches infinity at t = 1/2."""

    class Explosive(LinearSystem):
        def rate(self, t, x, v):
            return v**3

    system = Explosive(np.zeros((1, 1)), np.zeros((1, 1)))
    with pytest.raises(FloatingPointError, match=f"{method} finds no step short enough"), np.errstate(all="ignore"):
        list(Adaptive(method).samples(system, np.linspace(0.0, 1.0, 11), np.zeros(1), np.ones(1)))


@pytest.mark.parametrize("method", ["dop853", "rk45", "rk23", "radau", "lsoda"])
@pytest.mark.parametrize("missing", [np.nan, None])
def test_there_is_no_way_from_a_state_without_rates(method, missing):
    class Nowhere(LinearSystem):
        def rate(self, t, x, v):
            if missing is None:
                raise FloatingPointError("the state is not finite any more")
            return np.full_like(v, missing)

    system = Nowhere(-np.eye(1), np.zeros((1, 1)))
    with pytest.raises(FloatingPointError, match=r"not finite any more|cannot begin: there are no finite acc"):
        list(Adaptive(method).samples(system, np.array([0.0, 1.0]), np.zeros(1), np.ones(1)))


def oscillator(rate):
    return LinearSystem(-(rate**2) * np.eye(1), np.zeros((1, 1)))


@pytest.mark.parametrize("method", ["dop853", "rk45", "rk23", "radau", "lsoda"])
def test_steps_between_two_times_are_counted(method):
    """What is enough for one interval is enough for any number of them, and one step less is not."""
    times, start = np.linspace(0.0, 1.0, 5), (np.zeros(1), np.ones(1))
    steps = [n for *_, n in Adaptive(method, 1e-6, 1e-6).samples(oscillator(50.0), times, *start)]
    most = max(np.diff([0, *steps]))
    assert most > 5
    enough = Adaptive(method, 1e-6, 1e-6, max_steps=int(most))
    assert [n for *_, n in enough.samples(oscillator(50.0), times, *start)] == steps
    k = int(np.argmax(np.diff([0, *steps])))
    short = Adaptive(method, 1e-6, 1e-6, max_steps=int(most) - 1)
    with pytest.raises(ConvergenceError) as caught:
        list(short.samples(oscillator(50.0), times[: k + 2], *start))
    said = str(caught.value)
    assert f"{most - 1} steps of {method} from t = {times[k]:g} s came to t = " in said
    assert f"not to {times[k + 1]:g} s" in said
    assert times[k] < float(said.split("came to t = ")[1].split(" s")[0]) < times[k + 1]
    assert f"Adaptive('{method}', max_steps=" in said


@pytest.mark.parametrize("wrong", [0, -1, 2.0, True, "5", None, np.nan])
def test_numbers_of_steps_are_whole(wrong):
    with pytest.raises(SimulationError, match=r"max_steps = .* must be a whole number of steps"):
        Adaptive(max_steps=wrong)
