"""An integrator of one's own, `step` and nothing else, runs compiled wherever systems record themselves."""

import math

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.formulations import Projectable
from rbdkit.integrators import OneStep, RungeKutta, State, records, why_not_recorded
from rbdkit.library import double_pendulum, tumbling_box, tumbling_box_state

SHARE = 0.5


def average(a, b):
    return SHARE * (a + b)


class Verlet(OneStep):
    """Half a kick, a drift, half a kick: nothing of it is known to rbdkit."""

    name = "verlet"
    order = 1

    def step(self, system, state, h):
        half = state.v + 0.5 * h * system.rate(state.t, state.x, state.v)
        x = system.move(state.x, h * half)
        return State(state.t + h, x, half + 0.5 * h * system.rate(state.t + h, x, half))


class Elaborate(OneStep):
    """Functions of time, of the step and of vectors, a helper, attributes, and stages that are used again later."""

    name = "elaborate"
    order = 1

    def __init__(self, shares):
        self.shares = np.array(shares)

    def step(self, system, state, h):
        t, x, v = state.t, state.x, state.v
        first = system.rate(t, x, v)
        u = h * average(v, v + h * first)
        middle = system.move(x, 0.5 * u)
        second = system.rate(t + h / 2, middle, system.local_rate(0.5 * u, v + 0.5 * h * first))
        zero = np.zeros_like(v)
        bent = np.clip(second, -30.0, 30.0) + h**2 * np.sin(t) * np.where(v > 0.0, np.tanh(v), -np.exp(v))
        total = sum(share * rate for share, rate in zip(self.shares, (first, bent), strict=True))
        third = system.rate(t + h, system.move(middle, 0.5 * u), v + h * total)
        return State(t + h, system.move(x, u + zero), v + h * (0.9 * total + 0.1 * third))


class Plain:
    """What a reader of a paper writes: no base class, no name."""

    order = 1

    def step(self, system, state, h):
        v = state.v + h * system.rate(state.t, state.x, state.v)
        return State(state.t + h, system.move(state.x, h * v), v)


def from_python(method):
    """The same method without a record."""
    return type("FromPython", (type(method),), {"record": None, "__init__": lambda self: None, **vars(method)})()


def law(t, q, v):
    return np.sin(40.0 * t) - 0.3 * v


METHODS = (Verlet(), Elaborate([0.4, 0.6]), RungeKutta([[0, 0, 0], [0.3, 0, 0], [0.1, 0.5, 0]], [0.25, 0.25, 0.5]))
CASES = {
    "joint": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "se3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "so3xr3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "quaternion": (tumbling_box(), *tumbling_box_state(), None),
    "local_velocity": (tumbling_box(), *tumbling_box_state(), None),
}


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("formulation", CASES)
def test_it_runs_compiled_in_every_formulation(formulation, method):
    model, q, v, tau = CASES[formulation]
    motions = [
        rbd.simulate(
            model, q, v, duration=0.02, dt=1e-3, integrator=own, formulation=formulation,
            tau=tau and mark(tau), progress=False,
        )
        for own, mark in ((method, rbd.traced), (from_python(method), rbd.untraced))
    ]  # fmt: skip
    assert records(method) and not records(from_python(method))
    assert "compiled loop" in motions[0].report.backend and "Python" in motions[1].report.backend
    np.testing.assert_allclose(motions[0].q[-1], motions[1].q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motions[0].v[-1], motions[1].v[-1], rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_it_runs_compiled_with_loops(method):
    model = rbd.library.planar_four_bar()
    for formulation in ("joint", "se3"):
        runs = [
            rbd.simulate(model, duration=0.01, integrator=own, formulation=formulation, progress=False)
            for own in (method, from_python(method))
        ]
        assert "compiled loop" in runs[0].report.backend and "Python" in runs[1].report.backend
        np.testing.assert_allclose(runs[0].v[-1], runs[1].v[-1], rtol=0, atol=1e-12)


class Kept(Plain, OneStep):
    """A step that ends with a projection."""

    name, requires, conserves = "kept", Projectable, ("constraints",)

    def step(self, system, state, h):
        end = super().step(system, state, h)
        return State(end.t, *system.project(end.x, end.v, end.t))


@pytest.mark.parametrize("formulation", ["se3", "so3xr3"])
def test_a_step_may_end_with_a_projection(formulation):
    own, other = (
        rbd.simulate(
            rbd.library.planar_four_bar(), duration=0.02, integrator=method, formulation=formulation, progress=False
        )
        for method in (Kept(), from_python(Kept()))
    )
    assert "compiled loop" in own.report.backend and "Python" in other.report.backend
    assert own.report.constraint_error < 1e-12
    np.testing.assert_allclose(own.w, other.w, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_prescribed_joints_are_where_they_are_at_each_stage():
    """Also where a step asks for more times than it has stages."""
    model = rbd.Model("crane")

    def swing(t):
        return np.sin(30.0 * t), 30.0 * np.cos(30.0 * t), -900.0 * np.sin(30.0 * t)

    model.add_body(
        "cart", joint=rbd.Prescribed(rbd.Prismatic("x"), swing), inertia=rbd.Inertia.box((0.2, 0.1, 0.1), mass=1.0)
    )
    model.add_body("load", "cart", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0.0, 0.0, -1.0]))
    for method in METHODS:
        own, other = (
            rbd.simulate(model, [0.3], duration=0.02, integrator=each, progress=False)
            for each in (method, from_python(method))
        )
        assert "compiled loop" in own.report.backend and "Python" in other.report.backend
        np.testing.assert_allclose(own.v[-1], other.v[-1], rtol=0, atol=1e-12)


def test_step_and_order_are_enough():
    options = {"duration": 0.05, "progress": False}
    own = rbd.simulate(double_pendulum(), [0.4, -0.7], integrator=Plain(), **options)
    ours = rbd.simulate(double_pendulum(), [0.4, -0.7], integrator="symplectic_euler", **options)
    assert own.report.integrator == "Plain" and "compiled loop" in own.report.backend
    assert np.array_equal(own.q, ours.q)
    with pytest.raises(rbd.SimulationError, match=r"Plain is a class; give an object, Plain\(\)"):
        rbd.simulate(double_pendulum(), integrator=Plain, **options)


def test_an_integrator_without_a_step_is_told_so():
    class Idle(OneStep):
        name, order = "idle", 1

    with pytest.raises(rbd.SimulationError, match=r"integrator Idle has no step\(system, state, h\)"):
        rbd.simulate(double_pendulum(), duration=0.1, integrator=Idle())


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_what_a_step_uses_may_change_between_runs(monkeypatch):
    method, model = Elaborate([0.4, 0.6]), double_pendulum()

    def both():
        runs = [rbd.simulate(model, [0.4, -0.7], duration=0.02, integrator=method, progress=False, backend=b) for b in
                ("auto", "book")]  # fmt: skip
        assert "compiled loop" in runs[0].report.backend
        np.testing.assert_allclose(runs[0].v, runs[1].v, rtol=0, atol=1e-13)
        return runs[0].v[-1]

    seen = [both()]
    monkeypatch.setitem(globals(), "SHARE", 0.25)
    seen.append(both())
    monkeypatch.setitem(globals(), "average", lambda a, b: b)
    seen.append(both())
    method.shares[0] = 0.7
    seen.append(both())
    monkeypatch.setattr(Elaborate, "step", Verlet.step)
    seen.append(both())
    assert len({tuple(v) for v in seen}) == 5


LOG = []


def step_of(body):
    """A step that does something else before it goes on as `Plain` does."""
    return lambda self, system, state, h: body(self, system, state, h) or Plain.step(self, system, state, h)


REFUSED = {
    "it may change 'LOG' (append)": lambda self, system, state, h: LOG.append(state.t),
    "it calls 'print'": lambda self, system, state, h: print(end=""),
    "branches on a number made of h and t": lambda self, system, state, h: (state.t > 0.0) and None,
    "branches on a vector": lambda self, system, state, h: (state.v > 0.0) and None,
    "takes single numbers of a vector": lambda self, system, state, h: state.v[0] and None,
    "takes single numbers of coordinates": lambda self, system, state, h: state.x[0] and None,
    "asks for the value of a number made of h and t": lambda self, system, state, h: math.sqrt(h) * 0.0 or None,
    "calls numpy.norm on a vector": lambda self, system, state, h: np.linalg.norm(state.v) * 0.0 or None,
    "asks the system for 'energy'": lambda self, system, state, h: system.energy and None,
    "its step computes with coordinates": lambda self, system, state, h: np.add(state.x, 0.0) is None or None,
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_recorded_says_why(reason):
    method = type("Own", (OneStep,), {"name": "own", "order": 1, "step": step_of(REFUSED[reason])})()
    assert reason in why_not_recorded(method)


def ending(change):
    """A method whose steps end otherwise than those of `Plain`."""

    def step(self, system, state, h):
        return change(Plain.step(self, system, state, h), h)

    return type("Own", (OneStep,), {"name": "own", "order": 1, "step": step})()


def test_a_state_that_says_more_or_less_is_not_recorded():
    assert "ends at t + 0.5 h" in why_not_recorded(ending(lambda end, h: State(end.t - h / 2, end.x, end.v)))
    assert "keeps something for the next" in why_not_recorded(ending(lambda end, h: State(end.t, end.x, end.v, end.v)))
    assert "does not return a State" in why_not_recorded(ending(lambda end, h: State(end.t, end.x, None)))
    assert not why_not_recorded(ending(lambda end, h: State(end.t + h - h, end.x, end.v)))


def test_vectors_are_not_changed_in_place():
    def step(self, system, state, h):
        v = state.v
        v += h * system.rate(state.t, state.x, state.v)
        return State(state.t + h, system.move(state.x, h * v), v)

    method = type("Own", (OneStep,), {"name": "own", "order": 1, "step": step})()
    assert "changes a vector in place" in why_not_recorded(method)


def test_methods_that_do_the_same_share_their_code():
    assert Verlet().record == Verlet().record and hash(Verlet().record) == hash(Verlet().record)
    assert Verlet().record != Elaborate([0.4, 0.6]).record != Elaborate([0.4, 0.7]).record


def test_it_runs_in_lanes_and_in_web_pages(wasm, tree, kernels, off):
    model, times = tree("plain"), 1e-3 * np.arange(11)
    rng = np.random.default_rng(0)
    q, v, tau = (rng.normal(size=(5, model.nv)) for _ in range(3))
    for method in METHODS[:2]:
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
        package = engine.packaged(model, method)
        assert "v_rates" in package["programs"]["simulate"]["arrays"]


def test_its_motion_of_a_model_from_a_file_is_shown(tmp_path):
    rbd.save(double_pendulum(), tmp_path / "pendulum.json")
    model = rbd.load(tmp_path / "pendulum.json")
    options = {"duration": 0.05, "dt": 1e-3, "progress": False}
    run = rbd.simulate(model, [0.4, -0.7], integrator=Verlet(), **options)
    exact = rbd.simulate(model, [0.4, -0.7], integrator="rk4", **options)
    assert "compiled loop" in run.report.backend and run.report.integrator == Verlet.name
    assert 0.0 < np.abs(run.q - exact.q).max() < 1e-4
    view = rbd.show(run)
    assert np.array_equal(view.trajectory.q, run.q)
    view.close()


def test_it_is_stepped_through_stage_by_stage():
    """Where a method says nothing of its stages they are the states at which it asks for rates."""
    from rbdkit.formulations import JointSystem

    model = double_pendulum()
    system = JointSystem(model)
    state = Verlet().init(system, 0.0, np.array([0.4, -0.7]), np.zeros(2))
    first, second = Verlet().stages(system, state, 0.01)
    assert (first.t, second.t) == (0.0, 0.01)
    assert np.array_equal(first.v_rate, rbd.aba(model, [0.4, -0.7], [0.0, 0.0], [0.0, 0.0]))
    assert np.array_equal(second.v, 0.005 * first.v_rate)
