"""An implicit integrator of one's own, whose `step` calls Newton's method, runs compiled wherever systems record
themselves."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit import engine
from rbdkit.formulations import Stiff, VelocityLevel
from rbdkit.formulations.constrained import ConstrainedSystem
from rbdkit.integrators import OneStep, State, newton, records, why_not_recorded
from rbdkit.library import double_pendulum, tumbling_box, tumbling_box_state

DIAGONAL = 1.0 - np.sqrt(0.5)
"""Coefficient of the diagonally implicit method of order 2 that is L-stable (Alexander 1977)."""


class Midpoint:
    """Full Newton steps and nothing else, without a base class."""

    order = 2

    def step(self, system, state, h):
        def residual(v):
            return v - state.v - h / 2 * system.rate(state.t + h / 2, system.move(state.x, h / 2 * v), v)

        v_m, how = newton.solve(residual, state.v, what=f"the step from t = {state.t:.3g} s")
        return State(state.t + h, system.move(state.x, h * v_m), 2 * v_m - state.v, solve=how)


class Trapezoidal:
    """The Jacobian of earlier steps serves as long as it leads to the solution."""

    order = 2

    def step(self, system, state, h):
        t, x, v = state.t, state.x, state.v
        a = system.rate(t, x, v)

        def end(w):
            return system.move(x, h / 2 * (v + w))

        def residual(w):
            return w - v - h / 2 * (a + system.rate(t + h, end(w), w))

        options = {"patience": 6, "last": state.solve, "tolerance": 1e-13 * newton.largest(v, least=1.0)}
        w, how = newton.solve(residual, v + h * a, **options)
        return State(t + h, end(w), w, solve=how)


class Diagonal:
    """Two sets of equations in a step, one after the other."""

    order = 2

    def step(self, system, state, h):
        t, x, v, c = state.t, state.x, state.v, DIAGONAL * h

        def first(k):
            return k - system.rate(t + c, system.move(x, c * (v + c * k)), v + c * k)

        k_1, _ = newton.solve(first, system.rate(t, x, v))
        u_1, v_1 = (h - c) * (v + c * k_1), v + (h - c) * k_1

        def second(k):
            return k - system.rate(t + h, system.move(x, u_1 + c * (v_1 + c * k)), v_1 + c * k)

        k_2, how = newton.solve(second, k_1)
        return State(t + h, system.move(x, u_1 + c * (v_1 + c * k_2)), v_1 + c * k_2, solve=how)


class Rosenbrock:
    """Three linear systems with the same matrix (Hairer and Wanner 1996, section IV.7, with weights of no meaning)."""

    order = 1
    requires = Stiff

    def step(self, system, state, h):
        t, x, v, c = state.t, state.x, state.v, 0.4 * h
        own = system.stiffness(t, x, v)
        w_1 = own.increment(c, h * system.rate(t, x, v), c * h * v)
        v_1 = v + 0.5 * w_1
        w_2 = own.increment(c, h * system.rate(t + 0.5 * h, system.move(x, 0.5 * h * v_1), v_1), c * h * v_1)
        w_3 = own.increment(0.2 * h, w_1 - w_2, 0.0 * v)
        v_new = v + 0.25 * w_1 + 0.75 * w_2 + 0.1 * w_3
        return State(t + h, system.move(x, 0.5 * h * (v + v_new)), v_new)


METHODS = (Midpoint(), Trapezoidal(), Diagonal())


def from_python(method):
    """The same method without a record."""
    own = {"name": "from_python", "order": method.order, "record": None, "step": type(method).step}
    others = {name: getattr(method, name) for name in ("requires", "begin") if hasattr(method, name)}
    return type("FromPython", (OneStep,), own | others)()


def law(t, q, v):
    return np.sin(40.0 * t) - 0.3 * v


PENDULUM = (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law)
BOX = (tumbling_box(), *tumbling_box_state(), None)
LINKAGE = (rbd.library.planar_four_bar(), None, None, None)
CASES = [("joint", PENDULUM), ("se3", PENDULUM), ("so3xr3", PENDULUM), ("redmax", PENDULUM), ("quaternion", BOX),
         ("local_velocity", BOX), ("joint", LINKAGE), ("se3", LINKAGE)]  # fmt: skip


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize(("formulation", "case"), CASES)
def test_it_runs_compiled(formulation, case, method):
    """And makes the same corrections; where its solutions are solved to round-off, the same motion.

    In steps of 1 ms a residual of the linkage is its tolerance to the last digits, and round-off counts corrections.
    """
    model, q, v, tau = case
    own, other = (
        rbd.simulate(
            model, q, v, duration=0.025, dt=1.25e-3, integrator=each, formulation=formulation,
            tau=tau and mark(tau), progress=False,
        )
        for each, mark in ((method, rbd.traced), (from_python(method), rbd.untraced))
    )  # fmt: skip
    assert "compiled loop" in own.report.backend and "does not record its steps" in other.report.backend
    assert own.report.iterations == other.report.iterations >= 1
    np.testing.assert_allclose(own.q[-1], other.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(own.v[-1], other.v[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_its_compiled_steps_have_its_order(method):
    """Measured against SciPy's own loop."""
    model, q, v, _ = PENDULUM

    def rate(t, y):
        return np.concatenate([y[2:], rbd.aba(model, y[:2], y[2:], law(t, y[:2], y[2:]))])

    exact = solve_ivp(rate, (0.0, 0.2), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]
    options = {"duration": 0.2, "integrator": method, "tau": rbd.traced(law), "progress": False}
    off = [np.abs(rbd.simulate(model, q, v, dt=dt, **options).q[-1] - exact).max() for dt in (4e-3, 2e-3, 1e-3)]
    orders = np.log2(np.divide(off[:-1], off[1:]))
    np.testing.assert_allclose(orders, 2.0, atol=0.05)  # the next term of the error is a per cent of it


def test_it_runs_in_lanes_and_in_web_pages(wasm, tree, kernels, off):
    model, times = tree("plain"), 1e-3 * np.arange(11)
    rng = np.random.default_rng(0)
    q, v, tau = (rng.normal(size=(5, model.nv)) for _ in range(3))
    for given in METHODS[1:]:
        method = rbd.integrators.FromStep(given)
        alone = [engine.simulate(kernels("plain", "llvm"), q[k], v[k], times, method, tau[k]) for k in range(5)]
        there = engine.simulate(kernels("plain", "wasm"), q[0], v[0], times, method, tau[0])
        assert off(there.q, alone[0].q) < 1e-13 and off(there.v, alone[0].v) < 1e-12
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 1)
            own = [kernels("plain", "llvm")] * 5
            together = engine.simulate_many(own, q, v, times, method, tau[:, None])
        assert together[0].lanes > 1
        for one, other in zip(together, alone, strict=True):
            assert off(one.q, other.q) < 1e-13 and off(one.v, other.v) < 1e-12


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_equations_without_solution_end_the_run():
    """v' = v^3 cannot be stepped so far."""
    with pytest.raises(rbd.errors.ConvergenceError, match=r"the equations of the step could not be solved"):
        rbd.simulate(
            double_pendulum(), [0.4, -0.7], [30.0, -40.0], duration=0.5, dt=0.05, integrator=Trapezoidal(),
            tau=rbd.traced(lambda t, q, v: 0.5 * v * v * v), progress=False,
        )  # fmt: skip


def solving(residual=lambda system, v: v - 1.0, **options):
    """A method that solves equations of its own."""

    def step(self, system, state, h):
        z, how = newton.solve(lambda v: residual(system, v), state.v, **options)
        return State(state.t + h, system.move(state.x, h * z), z, solve=how)

    return type("Own", (OneStep,), {"name": "own", "order": 1, "step": step})()


def test_what_cannot_be_recorded_says_why():
    assert records(solving())
    assert "Jacobian of its own" in why_not_recorded(solving(jacobian=np.diag))
    assert "allows 40 corrections" in why_not_recorded(solving(max_iterations=40))
    assert "is an object of type float, not a vector" in why_not_recorded(solving(lambda system, v: 1.0))
    inner = solving(lambda system, v: newton.solve(lambda w: w - v, v)[0])
    assert "equations inside of others" in why_not_recorded(inner)

    def step(self, system, state, h):
        seen = []
        newton.solve(lambda v: seen.append(v) or v - 1.0, state.v)
        return State(state.t + h, system.move(state.x, h * seen[0]), state.v)

    leak = type("Own", (OneStep,), {"name": "own", "order": 1, "step": step})()
    assert "elsewhere than in these" in why_not_recorded(leak)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_bodies_that_know_nothing_of_each_other_are_stepped_together_where_a_step_mixes_their_numbers():
    class Mixing(OneStep):
        """A step that is shorter the faster the fastest is."""

        name, order = "mixing", 1

        def step(self, system, state, h):
            a = system.rate(state.t, state.x, state.v)
            v = state.v + h * a / (1.0 + np.max(np.abs(state.v))) + h * np.sum(state.v) - h * np.min(state.v)
            return State(state.t + h, system.move(state.x, h * v), v)

    model = rbd.Model("two boxes")
    for name in ("one", "other"):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.4], mass=2.0))
    v = np.arange(12.0)
    runs = [
        rbd.simulate(model, None, v, duration=0.01, integrator=each, formulation="quaternion", progress=False)
        for each in (Mixing(), from_python(Mixing()))
    ]
    assert "compiled loop" in runs[0].report.backend
    np.testing.assert_allclose(runs[0].v, runs[1].v, rtol=1e-14, atol=1e-13)


SPRUNG = double_pendulum().with_parameters({"hinge1.stiffness": 300.0, "hinge2.damping": 0.2})


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("formulation", ["joint", "redmax", "se3", "so3xr3", "maximal", "loop"])
def test_linear_equations_of_stiff_forces_are_solved_compiled(formulation):
    model, q = (rbd.library.planar_four_bar(), None) if formulation == "loop" else (SPRUNG, [0.4, -0.7])
    own, other = (
        rbd.simulate(
            model, q, duration=0.02, dt=1e-3, integrator=each, progress=False,
            formulation="se3" if formulation == "loop" else formulation,
        )
        for each in (Rosenbrock(), from_python(Rosenbrock()))
    )  # fmt: skip
    assert "compiled loop" in own.report.backend and "does not record its steps" in other.report.backend
    np.testing.assert_allclose(own.q[-1], other.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(own.v[-1], other.v[-1], rtol=0, atol=1e-12 * max(1.0, np.abs(other.v[-1]).max()))


class AdamsBashforth(OneStep):
    """Two steps back; it keeps the accelerations of the last one."""

    name, order, requires = "adams_bashforth", 2, ConstrainedSystem

    def begin(self, system, state, h):
        return (system.rate(state.t, state.x, state.v),)

    def step(self, system, state, h):
        (before,) = state.memory or self.begin(system, state, h)
        a = system.rate(state.t, state.x, state.v)
        v = state.v + h * (1.5 * a - 0.5 * before)
        return State(state.t + h, system.move(state.x, 0.5 * h * (state.v + v)), v, (a,))


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_what_a_step_keeps_for_the_next_one_is_kept_compiled(formulation):
    """Of systems with constraints; others begin in too many places."""
    own, other = (
        rbd.simulate(rbd.library.planar_four_bar(), duration=0.02, integrator=each, formulation=formulation,
                     progress=False)
        for each in (AdamsBashforth(), type("P", (AdamsBashforth,), {"record": None})())
    )  # fmt: skip
    assert "compiled loop" in own.report.backend and "does not record its steps" in other.report.backend
    np.testing.assert_allclose(own.v[-1], other.v[-1], rtol=0, atol=1e-12)
    plain = type("Plain", (AdamsBashforth,), {"requires": rbd.formulations.System})()
    assert "keeps something for the next one" in why_not_recorded(plain)


def test_what_a_step_asks_has_to_be_required():
    class Careless(Rosenbrock, OneStep):
        name, requires = "careless", rbd.formulations.System

    assert "asks the system for 'stiffness', which not every system has" in why_not_recorded(Careless())

    class Confused(OneStep):
        name, order, requires = "confused", 1, VelocityLevel

        def step(self, system, state, h):
            first = system.stiffness(state.t, state.x, state.v)
            system.stiffness(state.t, state.x, 2.0 * state.v)
            return State(state.t + h, state.x, state.v + first.increment(h, state.v, state.v))

    assert "asks matrices of one state after" in why_not_recorded(Confused())


def test_a_first_step_of_another_kind_is_not_recorded():
    class Starting(OneStep):
        """Explicit at first, which compiled loops have no place for."""

        name, order = "starting", 1

        def step(self, system, state, h):
            a = system.rate(state.t, state.x, state.v)
            if state.solve is None:
                a = 2.0 * a
            v, how = newton.solve(lambda w: w - state.v - h * a, state.v, last=state.solve)
            return State(state.t + h, system.move(state.x, h * v), v, solve=how)

    assert "first step, which finds no state.solve, does something else" in why_not_recorded(Starting())


def test_a_record_that_is_written_by_hand_is_left_alone():
    class Own(OneStep):
        name, order, step = "own", 1, Midpoint.step

        @staticmethod
        def record(system, n):
            raise NotImplementedError

    motion = rbd.simulate(double_pendulum(), [0.4, -0.7], duration=0.002, integrator=Own(), progress=False)
    assert "record of Own is written by hand, and steps are recorded from step alone" in motion.report.backend
