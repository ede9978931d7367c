"""The verdict on a step against the stability limits that the textbooks give."""

import pickle
import re

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import kernels_for
from rbdkit.formulations import JointSystem, LinearSystem
from rbdkit.integrators import INTEGRATORS, RK4, ExplicitEuler, Projected, SymplecticEuler
from rbdkit.library import double_pendulum, n_four_bar, pendulum, random_tree, shaken_pendulum
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.adequacy import GROWTH, Sample, assess
from rbdkit.simulation.compiled import JointSteps, acting
from rbdkit.simulation.forces import drive
from rbdkit.simulation.report import find_violations
from rbdkit.simulation.spectrum import followed

STATE = 0.0, np.array([1.0]), np.array([1.0])


def judge(integrator, stiffness, damping, h):
    """The verdict on x'' = -stiffness x - damping x'."""
    system = LinearSystem(np.array([[-stiffness]]), np.array([[-damping]]))
    return assess(integrator, [(system, *STATE)], h)


LIMITS = [  # of |lambda| h, on the negative real axis (a damper) and on the imaginary axis (a spring)
    (RK4(), "damper", 2.785293563405282),
    (RK4(), "spring", 2.8284271247461903),
    (SymplecticEuler(), "spring", 2.0),
    (SymplecticEuler(), "damper", 2.0),
    (ExplicitEuler(), "damper", 2.0),
]


@pytest.mark.parametrize(("integrator", "what", "limit"), LIMITS)
@pytest.mark.parametrize("rate", [3.0, 400.0])
def test_known_limits_of_stability(integrator, what, limit, rate):
    """Two percent of growth a step are let pass, which moves the limits by one percent."""
    stiffness, damping = (rate**2, 0.0) if what == "spring" else (0.0, rate)
    below, above = (judge(integrator, stiffness, damping, x * limit / rate) for x in (0.99, 1.02))
    assert below.stable and below.stable_step == np.inf
    assert not above.stable
    assert above.stable_step * rate == pytest.approx(limit, rel=0.01)
    for verdict in (below, above):
        assert verdict.fastest_rate == pytest.approx(rate, rel=1e-6)
        assert verdict.fastest == 0


def test_explicit_euler_is_never_stable_on_a_spring():
    """Its growth of sqrt(1 + (w h)^2) passes two percent at w h = 0.2."""
    assert judge(ExplicitEuler(), 9.0, 0.0, 0.19 / 3.0).stable
    assert judge(ExplicitEuler(), 9.0, 0.0, 0.21 / 3.0).stable_step == pytest.approx(0.2 / 3.0, rel=0.05)


@pytest.mark.parametrize("integrator", [RK4(), SymplecticEuler()], ids=lambda integrator: integrator.name)
def test_an_instability_of_the_mechanism_is_not_blamed_on_the_step(integrator):
    """An inverted pendulum falls whatever the step."""
    assert judge(integrator, -20.0, 0.0, 0.1).stable


def test_the_fast_joint_is_named():
    model = rbd.Model(gravity=(0, 0, 0))
    for name, damping in (("slow", 1.0), ("fast", 5000.0)):
        model.add_body(name, joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), damping=damping,
                       joint_name=f"{name} rail")  # fmt: skip
    with pytest.warns(SimulationWarning, match=r"STEP TOO LONG: joint 'fast rail' has a motion with rate 5e\+03 1/s"):
        run = rbd.simulate(model, v0=[1.0, 1.0], duration=0.02, dt=1e-3)
    assert run.report.adequacy.stable_step == pytest.approx(2.785 / 5000.0, rel=0.01)
    assert "'radau'" in repr(run)
    stiff = rbd.simulate(model, v0=[1.0, 1.0], duration=0.02, dt=1e-3, integrator="radau")
    np.testing.assert_allclose(stiff.q[-1], [1 - np.exp(-0.02), 1 / 5000.0], rtol=1e-4)
    assert "TOO LONG" not in repr(stiff)


@pytest.mark.parametrize("dt", [0.02, 0.01])
def test_the_estimate_of_the_local_error_is_right(dt):
    """One step of a pendulum against a hundred shorter ones: Richardson's estimate is good to 5 %."""
    model = pendulum()
    one = rbd.simulate(model, [1.0], [1.0], duration=dt, dt=dt)
    many = rbd.simulate(model, [1.0], [1.0], duration=dt, dt=dt / 100)
    assert one.report.adequacy.error[0] == pytest.approx(abs(one.q[-1, 0] - many.q[-1, 0]), rel=0.05)


def test_adequate_coarse_and_too_long():
    """The verdict is on the errors of all steps: a shorter step is proposed, and taking it mends the run."""
    model = pendulum()
    assert "step adequate: the errors of its steps add up to" in repr(rbd.simulate(model, [2.0], duration=2.0, dt=0.01))
    coarse = rbd.simulate(model, [2.0], duration=2.0, dt=0.1)
    assert "step coarse" in repr(coarse)
    proposed = float(repr(coarse).split("a step of ")[1].split(" s")[0])
    assert 0.02 < proposed < 0.1
    assert "step adequate" in repr(rbd.simulate(model, [2.0], duration=2.0, dt=proposed))
    with pytest.warns(SimulationWarning, match="STEP TOO LONG: energy drift"):
        rbd.simulate(double_pendulum(), [2.5, 0.0], duration=5.0, dt=0.1)


def test_a_steady_spin_is_no_reason_for_a_short_step():
    """It is followed without error, since the step is along the manifold."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    run = rbd.simulate(model, v0=[300.0, 0.0, 400.0], duration=0.05, dt=1e-3)
    assert run.report.adequacy.stable and run.report.end_error < 1e-10


def test_states_that_cannot_be_judged_are_passed_over():
    class Broken(LinearSystem):
        def rate(self, t, x, v):
            raise FloatingPointError("no")

    broken, sound = Broken(np.eye(1), np.eye(1)), LinearSystem(-np.eye(1), np.zeros((1, 1)))
    assert assess(RK4(), [(broken, *STATE)], 0.1) is None
    assert assess(RK4(), [(broken, *STATE), (sound, *STATE)], 0.1).fastest_rate == pytest.approx(1.0)


def steps_of(model, method, tau, times):
    """A drive, and the steps of the run that it makes, in code."""
    applied = drive(model, tau, times)
    kernels = kernels_for(model)
    acts, _ = acting(model, kernels.on_links, method, applied, None, None, times)
    applied = applied.traced(acts.tau)
    return applied, JointSteps(kernels, method, acts)


@pytest.mark.parametrize("name", ["rk4", "symplectic_euler", "rk5"])
@pytest.mark.parametrize("what", ["none", "constant", "held", "sampled", "traced"])
@pytest.mark.parametrize("model", [random_tree(4, 6), shaken_pendulum()], ids=lambda model: model.name)
def test_steps_in_code_are_those_of_the_method(name, what, model):
    """The local error that they give, from several states after each other, is that of steps from Python."""
    method, rng, times = INTEGRATORS[name], np.random.default_rng(2), np.linspace(0.0, 0.2, 5)
    tau = {
        "none": None,
        "constant": np.ones(model.nv),
        "held": rng.normal(size=(4, model.nv)),
        "sampled": rng.normal(size=(5, model.nv)),
        "traced": rbd.traced(lambda t, q, v: np.cos(t) - 0.3 * v),
    }[what]
    applied, in_code = steps_of(model, method, tau, times)
    for k in (0, 3, 1):
        q, v, force = model.random_q(rng), rng.normal(size=model.nv), applied.during(k)
        sample = Sample(JointSystem(model, force, book=True), times[k], q, v, tau=force)
        ours, theirs = (assess(method, [sample], 0.05, steps).error for steps in (in_code, None))
        # both are differences of states of order one
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("what", ["none", "held", "traced"])
@pytest.mark.parametrize("name", ["rk4", "rk4_projected", "symplectic_euler"])
def test_steps_of_loops_in_code_are_those_of_the_method(name, what):
    """Asked for twice, since steps that were made wait for others: from other states, under other forces."""
    model, q, v = n_four_bar(2, angle=0.7)
    tau = {
        "none": None,
        "held": np.random.default_rng(3).normal(size=(10, model.nv)),
        "traced": rbd.traced(lambda t, q, v: np.cos(t) - 0.3 * v),
    }[what]
    for faster in (1.0, -2.0):
        ours, theirs = (
            rbd.simulate(model, q, faster * v, tau=tau, duration=0.1, dt=0.01, integrator=name, backend=backend).report
            for backend in ("auto", "book")
        )
        assert ours.adequacy.error.min() > 1e-12
        # both are differences of states of order one
        np.testing.assert_allclose(ours.adequacy.error, theirs.adequacy.error, rtol=1e-9, atol=1e-13)


def test_a_step_that_cannot_be_made_in_code_has_no_end():
    model, times = pendulum(), np.array([0.0, 0.1])
    applied, in_code = steps_of(model, RK4(), rbd.traced(lambda t, q, v: -(v**21)), times)
    sample = Sample(JointSystem(model, applied.function), 0.0, np.ones(1), 1e3 * np.ones(1))
    assert assess(RK4(), [sample], 0.1, in_code).error.tolist() == [np.inf]


def test_limits_passed_are_those_that_a_look_at_every_number_finds():
    """By a plain loop over all numbers; a mimic joint that turns the other way, and values within round-off."""
    rng, limits = np.random.default_rng(0), rbd.Limits(-0.5, 0.6, velocity=1.2, effort=1.5)
    model = rbd.Model()
    for name, joint, more in (("a", rbd.Revolute("x"), {}), ("b", rbd.Universal(), {}), ("c", rbd.Prismatic("x"), {
        "mimic": rbd.Mimic("a_joint", -2.0, 0.1)}), ("d", rbd.Revolute("x"), {})):  # fmt: skip
        model.add_body(name, joint=joint, inertia=rbd.Inertia.sphere(0.1, mass=1.0), limits=limits, **more)
    t = np.linspace(0.0, 1.0, 30)
    for scale in (0.1, 0.25, 0.3, 0.5, 1.0):
        q, v, tau = scale * rng.normal(size=(3, 30, model.nv))
        q[3, -1], tau[-1] = 0.6 * (1.0 + 1e-12), np.nan
        found = {(x.joint, x.what, x.bound): (x.since, x.value) for x in find_violations(model, t, q, v, tau)}
        expected = {}
        for joint in model.joints[1:]:
            own_q, own_v, own_tau = joint.coordinates(q), joint.velocities(v), tau[:, joint.v_slice]
            for k, row in np.ndindex(*own_q.shape[::-1]):
                x, speed, force = own_q[row, k], abs(own_v[row, k]), abs(own_tau[row, k])
                passed = [("position", 0.6, x - 0.6, x), ("position", -0.5, -0.5 - x, x)]
                passed += [("speed", 1.2, speed - 1.2, speed)]
                passed += [] if joint.mimic else [("effort", 1.5, force - 1.5, force)]
                for what, bound, excess, value in passed:
                    if excess > 1e-8:
                        expected.setdefault((joint.name, what, bound), []).append((excess, t[row], value))
        since = {key: (min(x[1] for x in passed), max(passed)[2]) for key, passed in expected.items()}
        assert found == since


@pytest.mark.parametrize("name", ["explicit_euler", "rk4", "rk5"])
def test_steps_that_a_bound_lets_pass_make_no_mode_grow(name):
    """Against the factors of a step on random linear systems, one column of its matrix after the other."""
    method, rng, passed = INTEGRATORS[name], np.random.default_rng(5), 0
    for _ in range(300):
        n = int(rng.integers(1, 6))
        K, C = (rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-1.0, 2.0) for _ in range(2))
        linear, h = LinearSystem(K, C), float(10.0 ** rng.uniform(-4.0, 0.0))
        if not followed(method, [linear], h, GROWTH):
            continue
        passed += 1
        assert followed(Projected(method), [linear], h, GROWTH)  # projections do nothing to motions that hold
        starts = [(e[:n], e[n:]) for e in np.eye(2 * n)]
        ends = [method.step(linear, method.init(linear, 0.0, *start), h) for start in starts]
        step = np.array([np.concatenate([end.x, end.v]) for end in ends]).T
        in_truth = np.exp(max(0.0, np.linalg.eigvals(linear.matrix).real.max()) * h)
        assert np.abs(np.linalg.eigvals(step)).max() <= in_truth + GROWTH - 1.0 + 1e-12
    assert 30 < passed < 300


@pytest.mark.parametrize("model", [pendulum(), random_tree(4, 6), random_tree(3, 30)], ids=lambda model: model.name)
def test_the_fastest_rate_is_there_when_it_is_looked_at(model):
    """It is that of the matrix of the system where the motion begins or was; and it survives a file."""
    run = rbd.simulate(model, duration=0.01, dt=1e-4)
    adequacy = pickle.loads(pickle.dumps(run.report.adequacy))
    assert adequacy.stable and adequacy.stable_step == np.inf
    rates = []
    for q, v in zip(run.q[[0, len(run) // 2, -2]], run.v[[0, len(run) // 2, -2]], strict=True):
        matrix = rbd.formulations.linearize(JointSystem(model), 0.0, q, v).matrix
        values = np.linalg.eigvals(matrix)
        rates.append(np.abs(values[values.real <= 1e-3 * np.abs(values)]).max())
    assert adequacy.fastest_rate == pytest.approx(max(rates), rel=1e-3 if model.nv <= 24 else 0.05)
    assert run.report.adequacy.fastest_rate == adequacy.fastest_rate
    assert run.report.adequacy.fastest == adequacy.fastest


def test_a_step_that_no_sample_could_make_has_no_end():
    """One of several states from which there is no step, beside others that are judged at once."""
    model = pendulum()
    force = rbd.traced(lambda t, q, v: -(v**21))
    applied, in_code = steps_of(model, RK4(), force, np.array([0.0, 0.1]))
    samples = [Sample(JointSystem(model, applied.function), 0.0, np.ones(1), v * np.ones(1)) for v in (0.0, 1e3)]
    assert assess(RK4(), samples, 0.1, in_code).error.tolist() == [np.inf]


def test_steps_that_wait_for_the_next_run_remember_nothing_of_the_last():
    """Errors of a second run, under other torques, against those of a model that has never moved."""

    def arm():
        model, own = rbd.Model("arm"), np.random.default_rng(4)
        for name in ("upper", "lower"):
            body = rbd.Inertia.box((0.1, 0.1, 0.5), mass=1.0 + own.uniform())
            model.add_body(name, model.bodies[-1], rbd.Revolute("y"), (0.0, 0.0, 0.5), body, damping=0.3)
        return model

    used, rng = arm(), np.random.default_rng(0)
    q, v = np.array([0.4, -1.0]), np.array([2.0, 1.0])
    for tau in (rng.normal(size=2), rng.normal(size=2), rng.normal(size=(20, 2)), rng.normal(size=(21, 2)), None):
        given = None if tau is None else tau.copy()
        errors = [rbd.simulate(model, q, v, 0.2, 0.01, tau=given).report.adequacy.error for model in (used, arm())]
        np.testing.assert_array_equal(*errors)
        assert tau is None or np.array_equal(given, tau)  # what runs are given is read, not written


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_a_force_that_jumps_between_states_is_told_by_the_energy(h):
    """A spring shot through its zero length: 50 N against, and in the next instant 50 N along.

    The judged states saw nothing of it, and a motion that was off by 0.04 m had an "adequate" step.
    """
    model = rbd.Model("shot", gravity=(0, 0, 0))
    model.add_body("ball", joint=rbd.Translational(), inertia=rbd.Inertia(1.0))
    model.add_spring("spring", "world", "ball", 100.0, 0.5)
    motion = rbd.simulate(model, [0.1, 0.0, 0.0], [-5.0, 0.0, 0.0], duration=1.0, dt=h, progress=False)
    assert "adequate" not in str(motion)
    begin = float(re.search(r"step coarse: the energy jumps by \S+ J from t = (\S+) to", str(motion))[1])
    k = int(np.searchsorted(motion.t, begin - 1e-9))
    assert motion.q[k, 0] * motion.q[k + 1, 0] < 0.0  # that is where it goes through
    smooth = rbd.simulate(model, [0.7, 0.0, 0.0], duration=0.5, dt=h, progress=False)
    assert "step adequate" in str(smooth)
