"""Embedded pairs from Python and in the compiled loop: SciPy's steps, one by one, on every system that records."""

import pickle
import warnings

import numpy as np
import pytest
import scipy

import rbdkit as rbd
from rbdkit import engine
from rbdkit.algorithms import forward_dynamics
from rbdkit.engine import Kernels, NotCovered, kernels_for
from rbdkit.errors import ConvergenceError, SimulationError
from rbdkit.integrators import Adaptive, EmbeddedPair, records
from rbdkit.integrators.adaptive import EXPLICIT, SOLVERS
from rbdkit.library import (
    double_pendulum,
    random_state,
    random_tree,
    spherical_pendulum,
    tumbling_box,
    tumbling_box_state,
)
from rbdkit.simulation import SimulationWarning
from rbdkit.trace.run.native import machine


class FromPython(Adaptive):
    """The same, stepped from Python: its samples are its own."""

    def samples(self, system, times, x, v):
        return super().samples(system, times, x, v)


def slider(**numbers):
    """A mass of 1 kg on a rail, without weight."""
    model = rbd.Model("slider", gravity=(0, 0, 0))
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), joint_name="rail", **numbers)
    return model


def both(*arguments, method="rk45", tolerance=1e-9, tau=None, **options):
    """A motion by the compiled loop, and from Python."""
    runs = []
    for cls in (Adaptive, FromPython):
        law = tau if not callable(tau) else (rbd.traced if cls is Adaptive else rbd.simulation.untraced)(tau)
        runs.append(rbd.simulate(*arguments, integrator=cls(method, tolerance, tolerance), tau=law, **options))
    assert "compiled loop" in runs[0].report.backend and "from Python" in runs[1].report.backend
    return runs


def off(one, other):
    return max(np.max(np.abs(one.q - other.q)), np.max(np.abs(one.v - other.v)))


BOGACKI_SHAMPINE = (
    [[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 3 / 4, 0, 0], [2 / 9, 1 / 3, 4 / 9, 0]],
    [2 / 9, 1 / 3, 4 / 9, 0], [7 / 24, 1 / 4, 1 / 3, 1 / 8],
)  # fmt: skip
FEHLBERG = (
    [[0] * 6, [1 / 4, *[0] * 5], [3 / 32, 9 / 32, *[0] * 4], [1932 / 2197, -7200 / 2197, 7296 / 2197, 0, 0, 0],
     [439 / 216, -8, 3680 / 513, -845 / 4104, 0, 0], [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40, 0]],
    [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55], [25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0],
)  # fmt: skip


@pytest.mark.parametrize("start", [double_pendulum, spherical_pendulum])
def test_a_pair_of_ones_own_takes_the_steps_of_scipys_if_it_is_the_same(start):
    """Bogacki and Shampine's, whose dense output is the cubic, too; its last stage is the first of the next step."""
    pair, model = EmbeddedPair(*BOGACKI_SHAMPINE, "mine"), start()
    assert (pair.order, pair.least_order) == (3, 2)
    v = np.linspace(0.3, 1.0, model.nv)
    runs = [
        rbd.simulate(model, v0=v, duration=1.0, dt=0.05, integrator=cls(method, 1e-6, 1e-6, max_step=np.inf))
        for method in (pair, "rk23")
        for cls in (Adaptive, FromPython)
    ]
    assert [run.report.backend.startswith("compiled loop") for run in runs] == [True, False, True, False]
    assert len({run.report.steps for run in runs}) == 1
    assert max(off(run, runs[2]) for run in runs) < 1e-12


def test_a_pair_of_ones_own_of_another_tableau():
    """Fehlberg's, against a far finer motion; the step follows the tolerance by the order of the estimate."""
    pair = EmbeddedPair(*FEHLBERG, "fehlberg")
    assert (pair.order, pair.least_order) == (5, 4)
    given = double_pendulum(), [0.4, -0.3], [0.3, 1.0]
    exact = rbd.simulate(*given, duration=2.0, dt=0.1, integrator="dop853")
    rough = both(*given, method=pair, tolerance=1e-6, duration=2.0, dt=0.1)
    fine = both(*given, method=pair, tolerance=1e-9, duration=2.0, dt=0.1)
    assert off(*rough) < 1e-12 and off(*fine) < 1e-12
    assert np.max(np.abs(rough[0].q[-1] - exact.q[-1])) < 1e-5
    assert np.max(np.abs(fine[0].q[-1] - exact.q[-1])) < 1e-8
    gap = rough[0].q[-1] - exact.q[-1]
    assert rough[0].error_growth().end == pytest.approx(np.max(np.abs(gap)), rel=0.5)  # by the same pair, finer
    pickle.loads(pickle.dumps(fine[0]))


def test_pairs_that_are_none_are_refused():
    A, b, _ = FEHLBERG
    with pytest.raises(SimulationError, match="b and other are the same"):
        EmbeddedPair(A, b, b)
    with pytest.raises(SimulationError, match=r"add up to 0\.5"):
        EmbeddedPair([[0]], [1.0], [0.5])


@pytest.mark.parametrize("cls", [Adaptive, FromPython])
@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize(("dt", "max_step"), [(0.02, np.inf), (0.4, np.inf), (0.4, 0.03), (0.02, None)])
def test_the_steps_of_scipy_itself_on_the_readable_dynamics(cls, method, dt, max_step, monkeypatch):
    """In one chart: |q - q0| stays below 1. Recorded many times a step, and after many steps."""
    model, q0, v0, tolerance = double_pendulum(), np.array([0.4, -0.3]), np.array([0.3, 1.0]), 1e-8
    with monkeypatch.context() as patch:
        patch.setattr(scipy.integrate.OdeSolver, "step", None)  # no step of ours is one of its
        run = rbd.simulate(model, q0, v0, 0.8, dt, integrator=cls(method, tolerance, tolerance, max_step=max_step))
    longest = dt if max_step is None else max_step

    def rate(t, y):
        return np.concatenate([y[2:], forward_dynamics(model, q0 + y[:2], y[2:], np.zeros(2))])

    solver = getattr(scipy.integrate, SOLVERS[method])
    solver = solver(rate, 0.0, np.concatenate([np.zeros(2), v0]), 0.8, rtol=tolerance, atol=tolerance, max_step=longest)
    states, steps = [solver.y], 0
    for t in run.t[1:]:
        while solver.t < t:
            solver.step()
            steps += 1
        states.append(solver.y if solver.t == t else solver.dense_output()(t))
    assert run.report.steps == steps
    if longest > 1.0:
        assert steps < 40 if method == "dop853" else steps > 40
    assert steps >= 0.8 / longest - 1e-9
    expected = np.array(states)
    # rounding of the equations, through as many steps; it moves the error estimates and so the steps by as little
    np.testing.assert_allclose(run.q, q0 + expected[:, :2], rtol=0, atol=2e-13)
    np.testing.assert_allclose(run.v, expected[:, 2:], rtol=0, atol=2e-12)


def law(t, q, v):
    return np.sin(3.0 * t) - 0.3 * v


KINDS = [rbd.Spherical(), rbd.Planar(), rbd.Free(), rbd.Universal(), rbd.Planar("x", translation="successor")]
CASES = {
    "spherical pendulum": ("joint", spherical_pendulum(), None, [0.5, 1.0, 2.0], None),
    "curved tree": ("joint", random_tree(7, 5, KINDS), *random_state(random_tree(7, 5, KINDS), 7)[:2], None),
    "large tree": ("joint", random_tree(3, 10), *random_state(random_tree(3, 10), 3)[:2], None),
    "constant torque": ("joint", double_pendulum(), [0.4, -0.7], [0.3, 1.0], [0.5, -0.2]),
    "traced torque": ("joint", double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "se3": ("se3", double_pendulum(), [0.4, -0.7], [0.3, 1.0], None),
    "so3xr3": ("so3xr3", double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "bodywise": ("bodywise", double_pendulum(), [0.4, -0.7], [0.3, 1.0], None),
    "quaternion": ("quaternion", tumbling_box(), *tumbling_box_state(), None),
    "local_velocity": ("local_velocity", tumbling_box(), *tumbling_box_state(), None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_steps_in_every_formulation(case):
    formulation, model, q, v, tau = CASES[case]
    for method in ("rk45", "dop853"):
        run, other = both(model, q, v, 0.2, 0.01, method=method, formulation=formulation, tau=tau)
        assert run.report.steps == other.report.steps > 2
        assert len(run) == 21
        assert off(run, other) < 2e-12 * np.abs(other.v).max()  # rounding, which these motions spread


def test_through_many_charts():
    """A body that turns about its middle axis, 100 rad/s, before the instability has spread the rounding far."""
    model, (q, v) = tumbling_box(), tumbling_box_state()
    run, other = both(model, q, v, 0.15, 0.01, method="rk45")
    turned = np.linalg.norm(model.difference(run.q[:-1], run.q[1:])[:, :3], axis=1).sum()
    assert turned > 4.0 * np.pi
    assert run.report.steps == other.report.steps
    assert off(run, other) < 1e-11


def test_a_steady_spin_through_many_turns_a_step():
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    omega = np.array([0.0, 3.0, 4.0])
    run = rbd.simulate(model, v0=omega, duration=20.0, dt=0.1, integrator=Adaptive(max_step=np.inf))
    expected = np.array([model.integrate(model.neutral(), omega * t) for t in run.t])
    assert np.minimum(*(np.abs(run.q - sign * expected).max(axis=1) for sign in (1, -1))).max() < 1e-12
    assert run.report.steps < 100


@pytest.mark.parametrize(("method", "tolerance"), [("dop853", 1e-10), ("rk45", 1e-8), ("rk23", 1e-6)])
def test_between_the_ends_of_steps_it_is_as_exact(method, tolerance):
    """cos(10 t), at times that no step ends at; which times are recorded changes no step."""
    model, integrator = slider(stiffness=100.0), Adaptive(method, tolerance, tolerance, max_step=np.inf)
    fine = rbd.simulate(model, [1.0], [0.0], 2.0, 1e-3, integrator=integrator)
    coarse = rbd.simulate(model, [1.0], [0.0], 2.0, 0.5, integrator=integrator)
    assert fine.report.steps == coarse.report.steps
    assert 5.0 * len(coarse) < coarse.report.steps < 0.5 * len(fine)  # several a record, and several records a step
    np.testing.assert_allclose(fine.q[::500], coarse.q, rtol=0, atol=1e-14)
    error = np.abs(fine.q[:, 0] - np.cos(10.0 * fine.t))
    assert 1e-2 * tolerance < error.max() < 300.0 * tolerance  # some twenty times the tolerance of a step, as they add
    slope = np.abs(fine.v[:, 0] + 10.0 * np.sin(10.0 * fine.t))
    assert slope.max() < 3000.0 * tolerance


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")  # the work of such a torque is not known from a few states
@pytest.mark.parametrize("method", EXPLICIT)
def test_steps_into_a_kick_are_taken_back(method):
    """A torque of 30 N m from one microsecond to the next: steps that lead into it are too long."""
    model = double_pendulum()

    def kick(t, q, v):
        strength = np.clip(1e6 * (t - 0.3), 0.0, 30.0)
        return [strength, 0.5 * strength]

    run, other = both(model, [0.4, -0.7], [0.0, 0.0], 0.5, 0.05, method=method, tolerance=1e-7, tau=kick)
    assert run.report.steps == other.report.steps
    assert off(run, other) < 1e-7  # the tolerance: how long the steps over the edge are hangs on the last digits
    assert np.abs(np.diff(run.v[:, 1])).max() > 1.0
    quiet = rbd.simulate(model, [0.4, -0.7], [0.0, 0.0], 0.5, 0.05, integrator=Adaptive(method, 1e-7, 1e-7))
    assert quiet.report.steps < run.report.steps


def test_there_and_back():
    """Without friction, the same motion backwards is a motion, too."""
    model, start = double_pendulum(), [0.4, -0.7]
    there = rbd.simulate(model, start, [0.3, 1.0], 1.0, 0.1, integrator=Adaptive("dop853", 1e-12, 1e-12))
    back = rbd.simulate(model, there.q[-1], -there.v[-1], 1.0, 0.1, integrator=Adaptive("dop853", 1e-12, 1e-12))
    np.testing.assert_allclose(back.q[::-1], there.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(back.v[::-1], -there.v, rtol=0, atol=1e-8)


# --- forces in tables, joints that move as time says ------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_forces_that_jump_at_the_recorded_times_are_exact(formulation):
    """Constant accelerations between the jumps."""
    model, dt, force = slider(), 0.1, np.array([1.0, -3.0, 0.5, 7.0, 0.0])
    run = rbd.simulate(model, [0.2], [0.1], 0.5, dt, integrator="rk45", tau=force[:, None], formulation=formulation)
    v = 0.1 + np.concatenate([[0.0], np.cumsum(force * dt)])
    q = 0.2 + np.concatenate([[0.0], np.cumsum(v[:-1] * dt + 0.5 * force * dt**2)])
    np.testing.assert_allclose(run.v[:, 0], v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.q[:, 0], q, rtol=0, atol=1e-14)
    assert "compiled loop" in run.report.backend and run.report.steps < 15


def test_forces_that_bend_at_the_recorded_times_are_exact():
    """Accelerations on straight lines, velocities on parabolas."""
    force, dt = np.array([1.0, -3.0, 0.5, 7.0, 0.0, 2.0]), 0.1
    run = rbd.simulate(slider(), [0.0], [0.0], 0.5, dt, integrator="dop853", tau=force[:, None])
    v = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * dt)])
    q = np.concatenate([[0.0], np.cumsum(v[:-1] * dt + (2.0 * force[:-1] + force[1:]) * dt**2 / 6.0)])
    np.testing.assert_allclose(run.v[:, 0], v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.q[:, 0], q, rtol=0, atol=1e-14)


def cart(motion):
    model = rbd.Model("cart")
    ball = rbd.Inertia(1.0, [0.1, 0.0, -0.2], 0.05 * np.eye(3))
    model.add_body("cart", joint=rbd.Prescribed(rbd.Prismatic("x"), motion), inertia=ball)
    model.add_body("rod", "cart", rbd.Revolute("y"), inertia=ball)
    return model


def test_joints_that_move_as_time_says_are_asked_in_every_stage():
    model = cart(lambda t: ([np.sin(5.0 * t)], [5.0 * np.cos(5.0 * t)], [-25.0 * np.sin(5.0 * t)]))
    for method in ("rk45", "dop853"):
        run, other = both(model, [0.3], [0.0], 1.0, 0.1, method=method)
        assert run.report.steps == other.report.steps
        assert off(run, other) < 1e-12


def test_motions_that_cannot_be_traced_are_asked_from_python():
    known = {0.0: 0.0}

    def from_a_book(t):
        known[t] = float(t)
        return [np.sin(known[t])], [np.cos(known[t])], [-np.sin(known[t])]

    run = rbd.simulate(cart(from_a_book), [0.3], [0.0], 0.1, 0.05, integrator="rk45")
    assert run.report.backend.endswith("stepped from Python: joints move as a Python function of time says")
    written = rbd.simulate(
        cart(lambda t: ([np.sin(t)], [np.cos(t)], [-np.sin(t)])), [0.3], [0.0], 0.1, 0.05, integrator="rk45"
    )
    assert off(run, written) < 1e-13


# --- ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("dt", [0.01, 1.0])
def test_a_motion_without_a_next_step_ends_as_with_scipy(method, dt):
    """v' = v^3 reaches infinity at t = 1/2: what is recorded before is kept, if only the start."""
    with pytest.warns(SimulationWarning, match=f"{method} finds no step short enough: Required step size"):
        run, other = both(slider(), [0.0], [1.0], 1.0, dt, method=method, tau=lambda t, q, v: v**3)
    assert run.report.stopped == other.report.stopped
    assert run.report.steps == other.report.steps and len(run) == len(other) == (51 if dt == 0.01 else 1)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_too_many_steps_are_said_as_with_scipy(formulation):
    model = rbd.Model("box", gravity=(0, 0, 0))
    inertia = rbd.Inertia(1.0, [0.1, 0.2, 0.0], np.diag([0.1, 0.15, 0.2]))
    model.add_body("box", joint=rbd.Spherical(), inertia=inertia)
    stopped, steps = [], []
    for cls in (Adaptive, FromPython):
        options = {"integrator": cls("rk45", max_steps=60), "formulation": formulation, "tau": [1.0, 2.0, 3.0]}
        with pytest.warns(SimulationWarning, match="STOPPED.*60 steps of rk45"):
            run = rbd.simulate(model, duration=20.0, dt=0.5, **options)
        stopped.append(run.report.stopped)
        steps.append(run.report.steps)
        with pytest.raises(ConvergenceError, match=r"60 steps of rk45 from t = 0 s came to t = .* not to 20 s"):
            rbd.simulate(model, duration=20.0, dt=20.0, **options)
    assert stopped[0] == stopped[1] and steps[0] == steps[1] > 60


@pytest.mark.parametrize("every", [1, 4])
def test_an_interruption_within_an_interval_keeps_what_there_is(every, monkeypatch):
    """The loop comes up for air within an interval of many steps, and goes on where it was."""
    monkeypatch.setattr("rbdkit.trace.run.company.MOST_AT_ONCE", 2)  # else it is through in its second breath
    model, times = double_pendulum(), np.linspace(0.0, 5.0, 11)
    kernels, method = kernels_for(model), Adaptive("rk45", 1e-12, 1e-12)
    looks = []

    def run(tell, every):
        q, v, tau = np.array([1.0, 0.0]), np.zeros(2), np.zeros(2)
        return engine.simulate(kernels, q, v, times, method, tau, None, every, tell)

    whole = run(looks.append, 1)
    assert not whole.interrupted and whole.steps == 10 and looks[-1] == 1.0
    assert looks.count(0.0) > 1 and len(set(looks)) > 3  # within the first interval, and later
    for limit in range(1, len(looks)):
        told = []

        def press(fraction, told=told, limit=limit):
            told.append(fraction)
            if len(told) == limit:
                raise KeyboardInterrupt

        found = run(press, every)
        done = found.steps
        assert found.interrupted and done == round(10 * told[-1])
        assert found.at.tolist() == sorted({*range(0, done + 1, every), done})
        np.testing.assert_array_equal(found.q, whole.q[found.at])
        np.testing.assert_array_equal(found.v, whole.v[found.at])


def test_an_interrupted_run_says_so():
    told = []

    def press(fraction):
        told.append(fraction)
        if len(told) == 1:
            raise KeyboardInterrupt

    method = Adaptive("rk45", 1e-12, 1e-12)
    with pytest.warns(SimulationWarning, match="STOPPED: interrupted at t = 0 s"):
        run = rbd.simulate(double_pendulum(), [1.0, 0.0], duration=1.0, dt=0.5, integrator=method, progress=press)
    assert len(run) == 1 and run.report.steps == 0


def test_recorded_seldom_it_is_the_same_motion():
    model, method = double_pendulum(), Adaptive("rk45", 1e-12, 1e-12)
    whole = rbd.simulate(model, [1.0, 0.0], None, 2.0, 0.1, integrator=method)
    some = rbd.simulate(model, [1.0, 0.0], None, 2.0, 0.1, integrator=method, every=7)
    np.testing.assert_array_equal(some.t, whole.t[[0, 7, 14, 20]])
    np.testing.assert_array_equal(some.q, whole.q[[0, 7, 14, 20]])
    assert some.report.steps == whole.report.steps > 500


# --- where it runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["double pendulum", "large tree"])
def test_the_python_backend_takes_the_same_steps(name):
    model = double_pendulum() if name == "double pendulum" else random_tree(3, 10)
    q, v = random_state(model, 3)[:2]
    runs = [
        engine.simulate(
            Kernels(model, backend), q, v, np.linspace(0.0, 0.1, 6), Adaptive("rk45", 1e-6, 1e-6), np.zeros(model.nv)
        )
        for backend in ("llvm", "python")
    ]
    assert runs[0].account[0] == runs[1].account[0] > 2
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(runs[0].v, runs[1].v, rtol=0, atol=1e-11)


def test_lanes_take_the_steps_of_each_motion_by_itself():
    """To the last bit, whatever the others in the lanes do; one that needs too many steps spoils none."""
    model, integrator = spherical_pendulum(), Adaptive("rk45", 1e-7, 1e-7, max_steps=60)
    v = np.random.default_rng(0).normal(size=(64, 3)) * np.linspace(1.0, 5.0, 64)[:, None]
    v[5] *= 1e5
    with pytest.warns(SimulationWarning, match=r"60 steps of rk45"):
        ensemble = rbd.sweep(model, {"v0": list(v)}, duration=1.0, dt=2e-3, integrator=integrator)
    assert [failure.member for failure in ensemble.failures] == [5]
    if machine().lanes > 1:
        assert ensemble.report.code[f"compiled loop (LLVM, {machine().lanes} lanes)"] >= 8
    for k in (0, 4, 6, 30, 63):
        alone = rbd.simulate(model, None, v[k], 1.0, 2e-3, integrator=integrator)
        np.testing.assert_array_equal(ensemble[k].q, alone.q)


def test_who_is_compiled():
    assert [records(Adaptive(name)) for name in SOLVERS] == [name in EXPLICIT for name in SOLVERS]
    assert not records(FromPython("rk45"))
    with pytest.raises(NotCovered, match="web pages simulate with steps of one length; Adaptive chooses its own"):
        engine.packaged(double_pendulum(), Adaptive("rk45"))


def test_tolerances_are_scipys():
    with pytest.raises(ValueError, match="`atol` must be positive"):
        rbd.simulate(slider(), [0.0], [1.0], 0.1, 0.1, integrator=Adaptive("rk45", 1e-6, -1.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rbd.simulate(slider(), [0.0], [1.0], 0.1, 0.1, integrator=Adaptive("rk45", 1e-16, 1e-9))
    assert "`rtol` is too small" in str(caught[0].message)


def test_what_has_no_freedom_comes_to_its_end():
    model = rbd.Model("shaken")
    moved = rbd.Prescribed(rbd.Prismatic("x"), lambda t: ([t], [1.0], [0.0 * t]))
    model.add_body("table", joint=moved, inertia=rbd.Inertia(1.0))
    run = rbd.simulate(model, duration=1.0, dt=0.1, integrator="rk45")
    assert len(run) == 11 and run.report.stopped == "" and "compiled loop" in run.report.backend
