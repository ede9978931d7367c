"""Functions of the state inside the compiled loop: they move the model as they do when called from Python, and what
cannot run there, or might not be a function of its arguments alone, is called from Python.
"""

import functools

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.library import double_pendulum, pendulum, random_tree
from rbdkit.trace import Dependencies, Impure, select

GAIN = 3.0
COUNTS = {"calls": 0}
METHODS = ["rk4", "explicit_euler", "symplectic_euler"]


@pytest.fixture(scope="module")
def tree():
    """Every joint type."""
    return random_tree(3, 17)


def damping(t, q, v):
    return -GAIN * v


def law_for(model):
    rng = np.random.default_rng(4)
    K, rest = rng.normal(size=(model.nv, model.nv)), rng.normal(size=model.nv)

    def law(t, q, v):
        tau = np.zeros_like(v)
        tau[:] = damping(t, q, v) + 0.1 * K @ (np.sin(3.0 * t) * rest - v)
        tau[0] = np.clip(q[-1] / (1.0 + q[-1] ** 2), -0.2, 0.2)
        return np.where(np.abs(tau) < 2.0, tau, 2.0 * tau / np.sqrt(1.0 + tau * tau))

    return law


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # for the Euler methods it is
@pytest.mark.parametrize("integrator", METHODS)
def test_a_traced_torque_moves_all_joints_as_from_python(tree, integrator):
    law, steps = law_for(tree), {"duration": 0.05, "dt": 5e-3, "integrator": integrator}
    q0 = tree.random_q(1)
    compiled = rbd.simulate(tree, q0, tau=rbd.traced(law), **steps)
    called = rbd.simulate(tree, q0, tau=rbd.untraced(law), **steps)
    assert compiled.report.backend.endswith(", tau traced") and "untraced as asked for" in called.report.backend
    assert "tau traced" in repr(compiled)
    # ten steps of round-off
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(compiled.v, called.v, rtol=0, atol=1e-11)
    np.testing.assert_allclose(compiled.tau, called.tau, rtol=0, atol=1e-11)


def test_the_time_of_a_stage_is_right():
    """A mass pushed with t^3 from rest: RK4 integrates polynomials of time up to degree 3 exactly."""
    model = rbd.Model("mass", gravity=(0, 0, 0))
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    motion = rbd.simulate(model, duration=2.0, dt=0.125, tau=rbd.traced(lambda t, q, v: [8.0 * t**3]))
    np.testing.assert_allclose(motion.v[:, 0], motion.t**4, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.tau[:, 0], 8.0 * motion.t**3, rtol=1e-14)


@pytest.mark.parametrize("form", ["mapping", "rows"])
def test_traced_external_forces(form):
    model = double_pendulum()
    name, size = model.bodies[2].name, len(model.bodies)

    def push(t, q, v):
        force = rbd.wrench([np.sin(t) - v[0], 0.0, q[1] * 2.0], point=[0.1, 0.0, 0.0])
        return {name: force} if form == "mapping" else np.array([0.0 * force] * (size - 1) + [force])

    compiled = rbd.simulate(model, [0.3, 0.4], duration=0.5, dt=5e-3, f_ext=rbd.traced(push))
    called = rbd.simulate(model, [0.3, 0.4], duration=0.5, dt=5e-3, f_ext=rbd.untraced(push))
    assert compiled.report.backend.endswith("f_ext traced")
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-12)


def test_both_at_once_and_every_nth_state():
    model = double_pendulum()
    name = model.bodies[2].name
    given = {
        "tau": rbd.traced(lambda t, q, v: -0.2 * v),
        "f_ext": rbd.traced(lambda t, q, v: {name: [0.0, 0.0, 0.0, np.cos(t), 0.0, 0.0]}),
    }
    motion = rbd.simulate(model, [0.3, 0.4], duration=0.5, dt=5e-3, every=7, **given)
    assert "tau and f_ext traced" in motion.report.backend
    other = rbd.simulate(model, [0.3, 0.4], duration=0.5, dt=5e-3, every=7, backend="book", **given)
    np.testing.assert_allclose(motion.q, other.q, rtol=0, atol=1e-12)
    assert motion.report.energy_error < 1e-5  # the work of both is accounted for


def test_another_gain_compiles_nothing(monkeypatch):
    def controller(gain, target):
        return rbd.traced(lambda t, q, v: -gain * (q - target) - 0.3 * v)

    model = pendulum()
    first = rbd.simulate(model, duration=0.02, tau=controller(2.0, 0.7))

    def refuse(*_):
        raise AssertionError("something was compiled")

    monkeypatch.setattr("rbdkit.engine.run.compiled_programs.executable", refuse)
    second = rbd.simulate(model, duration=0.02, tau=controller(5.0, -0.4))
    assert "traced" in second.report.backend
    assert first.tau[0, 0] == pytest.approx(1.4) and second.tau[0, 0] == pytest.approx(-2.0)


def test_long_runs_are_traced_without_being_asked_and_short_ones_are_not():
    law = law_for(double_pendulum())
    assert "tau traced" in rbd.simulate(double_pendulum(), [0.1, 0.2], duration=0.3, tau=law).report.backend
    short = rbd.simulate(double_pendulum(), [0.1, 0.2], duration=0.03, tau=law).report.backend
    assert "few steps are not worth it" in short


class Integral:
    """A controller with a memory."""

    def __init__(self):
        self.sum = 0.0

    def __call__(self, t, q, v):
        self.sum += 1e-3 * q[0]
        return [-self.sum]


def counting(t, q, v):
    COUNTS["calls"] += 1
    return -v


def branching(t, q, v):
    return -v if q[0] > 0.1 else v


def comparing(t, q, v):
    return v if q[0] == 0.0 else -v


def random(t, q, v):
    return np.random.default_rng(0).normal(size=len(v))


def telling(t, q, v):
    print(t)
    return -v


def unknown(t, q, v):
    return -np.i0(q)


def undefined(t, q, v):
    return -no_such_name * v  # noqa: F821


REASONS = {
    "keeps": (Integral, "it is an object of class 'Integral', which may keep something between calls"),
    "counts": (lambda: counting, "it may change 'COUNTS'"),
    "branches": (lambda: branching, "cannot branch on a symbol"),
    "compares": (lambda: comparing, "use rbdkit.trace.equal"),
    "draws": (lambda: random, "draws random numbers"),
    "tells": (lambda: telling, "it calls 'print'"),
    "unknown function": (lambda: unknown, "i0"),
    "name": (lambda: undefined, "has no value yet"),
    "wrong size": (lambda: lambda t, q, v: [v[0], v[0]], r"shape \(2,\); give \(1,\)"),
    "method": (
        lambda: Integral().__call__,
        "'__call__' is a method of an object of class 'Integral'.*rbdkit.traced if",
    ),
}


@pytest.mark.parametrize("kind", REASONS)
def test_why_a_function_is_not_traced(kind):
    from rbdkit.simulation.forces import drive
    from rbdkit.simulation.traced_forces import Untraceable, torque_law

    make, why = REASONS[kind]
    function, model = make(), pendulum()
    checked = drive(model, function, np.linspace(0.0, 1.0, 3)).function
    with pytest.raises(Untraceable, match=why):
        torque_law(model, function, checked, 1.0)


@pytest.mark.filterwarnings("ignore:STEP TOO LONG")  # the energy of a law that depends on its calls cannot be judged
def test_a_function_with_a_memory_is_called_at_every_stage_and_nowhere_else():
    """And its memory holds numbers only: nothing has been tried out on it."""
    memory = Integral()
    with pytest.warns(rbd.simulation.SimulationWarning, match="LAW WITH MEMORY: tau gives other values"):
        motion = rbd.simulate(pendulum(), [0.5], duration=0.3, tau=memory)
    assert "stepped from Python: tau is a Python function: it is an object" in motion.report.backend
    assert isinstance(memory.sum, float)
    COUNTS["calls"] = 0
    rbd.simulate(pendulum(), [0.5], duration=0.3, tau=counting)
    assert COUNTS["calls"] >= 1200


def test_what_numbers_decide_is_noticed_by_comparison():
    """The number of calls is hidden in an object that the function promises not to have."""
    memory = Integral()
    with pytest.raises(SimulationError, match="tau is marked as traced but gives other values on numbers"):
        rbd.simulate(pendulum(), [0.5], duration=0.01, tau=rbd.traced(lambda t, q, v: [float(memory(t, [1.0], v)[0])]))


def test_marked_functions_that_cannot_be_traced_are_refused():
    with pytest.raises(SimulationError, match=r"cannot be traced: line \d+ \(return -v if q"):
        rbd.simulate(pendulum(), duration=0.01, tau=rbd.traced(branching))


def test_captured_arrays_are_not_written_to():
    buffer = np.zeros(1)

    def law(t, q, v):
        buffer[0] += 1.0
        return -v

    motion = rbd.simulate(pendulum(), [0.5], duration=0.3, tau=law)
    assert "(buffer[0] += 1.0): assignment destination is read-only" in motion.report.backend
    assert buffer.flags.writeable and buffer[0] >= 1200


def test_functions_of_functions_are_looked_into():
    K = np.eye(2)

    def outer(x, scale=2.0):
        return scale * K @ x

    def used(law):
        found = Dependencies({"law": law})
        found.require_pure()
        return found.arrays

    assert used(lambda t, q, v: outer(q))[0] is K
    assert used(functools.partial(lambda K, t, q, v: K @ v, K))[0] is K
    log = []

    def inner(x):
        log.append(x)
        return x

    with pytest.raises(Impure, match="it may change 'log'"):
        used(lambda t, q, v: [inner(x) for x in q])
    assert used(lambda t, q, v: select(t < 1.0, v, 2.0 * v)) == []


def test_local_lists_and_comprehensions_keep_nothing():
    def law(t, q, v):
        tau = []
        for x in v:
            tau.append(-x * sum(y for y in [0.1, 0.2]))
        return tau

    assert "tau traced" in rbd.simulate(double_pendulum(), [0.1, 0.2], duration=0.3, tau=law).report.backend


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.SimulationWarning", "ignore:invalid value")
def test_a_torque_that_stops_being_a_number_is_named():
    motion = rbd.simulate(pendulum(), [0.1], duration=1.0, tau=rbd.traced(lambda t, q, v: [np.sqrt(0.5 - t) - 0.8]))
    assert 0.49 < motion.t[-1] <= 0.501
    assert "tau" in motion.report.stopped


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_one_state_is_not_enough_to_try_a_function_at(side):
    """It is another function on numbers than on symbols, but to one side only: some of the trial states are there."""

    def law(t, q, v):
        return [1.0 if isinstance(v[0], float) and side * v[0] > 0.5 else 0.0]

    with pytest.raises(SimulationError, match="something else than t, q, v decides them"):
        rbd.simulate(pendulum(), [0.1], duration=0.01, dt=5e-3, tau=rbd.traced(law))


@pytest.mark.parametrize(
    "law",
    [
        lambda t, q, v: np.array([(q[0] < 0) * 1.0]),
        lambda t, q, v: q < 0,
        lambda t, q, v: np.array([float(q[0] < 0) - (t < 0.1) * 0.5]),
        lambda t, q, v: np.maximum(q > 0, v),
        lambda t, q, v: np.where(v > 0, q > 0, v),
        lambda t, q, v: np.sinc(q) - np.mean(q > 0),
        lambda t, q, v: np.clip(q > 0, 0.1, 0.9) + abs(v) ** abs(q - 0.3),
    ],
)
def test_conditions_are_numbers(law):
    """As NumPy has it, from Python."""
    model = rbd.library.pendulum()
    motion, other = (rbd.simulate(model, [0.3], duration=0.3, tau=f, progress=False) for f in (rbd.traced(law), law))
    assert "tau traced" in motion.report.backend
    plain = rbd.simulate(model, [0.3], duration=0.3, tau=rbd.untraced(law), progress=False)
    np.testing.assert_allclose(motion.q, plain.q, atol=1e-14)
    np.testing.assert_allclose(other.q, plain.q, atol=1e-14)


def test_conditions_with_few_digits_are_computed_by_numpy():
    """It takes the root of a truth value in half precision; the report says so."""
    motion = rbd.simulate(
        rbd.library.pendulum(), [0.3], duration=2.0, tau=lambda t, q, v: np.sqrt(q > 0), progress=False
    )
    assert "numpy.sqrt of a condition is computed in float16" in str(motion.report)
