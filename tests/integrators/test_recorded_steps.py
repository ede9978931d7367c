"""Methods that write their steps into programs take the steps of their readable forms, on every system that records
itself; those that solve equations say how, and end a run where there is no solution."""

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.errors import ConvergenceError
from rbdkit.formulations import FORMULATIONS
from rbdkit.integrators import INTEGRATORS, CrouchGrossman3, ImplicitMidpoint, records
from rbdkit.library import double_pendulum, joint_gallery, random_state, random_tree
from rbdkit.trace import Feedback, trace

JOINTS = [rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"), rbd.Planar("x"),
          rbd.Spherical(), rbd.Free(), rbd.Fixed()]  # fmt: skip
METHODS = ("implicit_midpoint", "crouch_grossman4")
ROUND_OFF = 1e-12
"""Of some hundred evaluations; equations are solved to 1e-14 of the largest velocity."""


def tree():
    model = random_tree(11, 6, JOINTS)
    return model, *random_state(model, 11)[:2]


CASES = {
    "joint": tree,
    "se3": tree,
    "so3xr3": tree,
    "bodywise": tree,
    "quaternion": lambda: (two_boxes(), *box_state()),
    "local_velocity": lambda: (two_boxes(), *box_state()),
}


def two_boxes():
    """Free bodies that need different numbers of corrections."""
    model = rbd.Model("two boxes")
    for name, size in (("large", [0.1, 0.2, 0.4]), ("small", [0.3, 0.1, 0.05])):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=2.0))
    return model


def box_state():
    model = two_boxes()
    return model.random_q(np.random.default_rng(5)), np.array([0.3, 4.0, 0.2, 0.5, -0.3, 0.2, 3.0, 0.2, 9.0, 0, 1, 0])


def from_python(method):
    """The same method without a record."""
    base = type(method)
    return type(f"{base.__name__}FromPython", (base,), {"record": None})()


def both(model, q, v, **options):
    """The motion compiled and stepped from Python; and the states of each, in the formulation's own coordinates."""
    method = options.pop("method")
    motions = [
        rbd.simulate(model, q, v, integrator=own, progress=False, **options) for own in (method, from_python(method))
    ]
    assert "compiled loop" in motions[0].report.backend
    assert "does not record its steps" in motions[1].report.backend
    return motions, [(m.x, m.w) if hasattr(m, "x") else (m.q, m.v) for m in motions]


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize(
    "name, formulation", [*((name, formulation) for name in METHODS for formulation in CASES), ("variational", "joint")]
)
def test_on_random_trees(name, formulation):
    model, q, v = CASES[formulation]()
    motions, states = both(
        model, q, v, duration=0.0105, dt=1e-3, formulation=formulation, method=INTEGRATORS[name], every=2
    )
    for compiled, stepped in zip(*states, strict=True):
        np.testing.assert_allclose(compiled, stepped, rtol=0, atol=ROUND_OFF * max(1.0, np.abs(stepped).max()))
    assert motions[0].report.iterations == motions[1].report.iterations


def geared(seed, joints=None):
    """Axes that vary, rotors, springs, dampers."""
    model = random_tree(seed, 6, joints or joint_gallery(np.random.default_rng(seed)))
    numbers = {"armature": 0.3, "stiffness": 2.0, "damping": 0.1}
    own = {f"{j.name}.{name}": np.full(j.nv, x) for j in model.joints if j.nv for name, x in numbers.items()}
    return model.with_parameters(own), *random_state(model, seed)[:2]


def following():
    """A joint that follows another one; a floating base."""
    model = rbd.Model("following")
    body = rbd.Inertia.box([0.3, 0.2, 0.1], mass=2.0)
    model.add_body("base", joint=rbd.Free(), inertia=body)
    model.add_body("upper", "base", rbd.Revolute("y"), (0, 0, 0.3), body, joint_name="leader")
    follows = rbd.Mimic("leader", multiplier=-0.7, offset=0.2)
    model.add_body("lower", "upper", rbd.Revolute("x"), (0.2, 0, 0.3), body, mimic=follows)
    return model, *random_state(model, 0)[:2]


@pytest.mark.parametrize("make", [partial(geared, 3), partial(geared, 4), following])
def test_momenta_of_all_joints_are_stepped(make):
    """The readable form takes H and its slope; the recorded one sums up momenta beyond each joint."""
    model, q, v = make()
    _, states = both(model, q, v, duration=0.04, dt=0.01, method=INTEGRATORS["variational"])
    for compiled, stepped in zip(*states, strict=True):
        np.testing.assert_allclose(compiled, stepped, rtol=0, atol=ROUND_OFF * max(1.0, np.abs(stepped).max()))


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_forces_act_at_the_times_of_the_stages(formulation):
    def tau(t, q, v):
        return np.array([0.3 * np.sin(30.0 * t), -0.2 * v[0]])

    model = double_pendulum().with_parameters({"hinge1.damping": 0.1, "hinge2.stiffness": 3.0})
    rows = np.random.default_rng(0).normal(size=(20, 2))
    for given, mark in ((tau, rbd.traced), (rows, lambda x: x), (np.vstack([rows, rows[:1]]), lambda x: x)):
        _, states = both(
            model, [0.4, -0.7], [0.3, 1.0], duration=0.02, dt=1e-3, formulation=formulation, tau=mark(given),
            method=ImplicitMidpoint(),
        )  # fmt: skip
        for compiled, stepped in zip(*states, strict=True):
            np.testing.assert_allclose(compiled, stepped, rtol=0, atol=ROUND_OFF * max(1.0, np.abs(stepped).max()))


def test_how_equations_were_solved_is_kept_with_the_states():
    model, options = double_pendulum(), {"duration": 0.5, "dt": 0.02, "formulation": "se3", "every": 4}
    (compiled, stepped), _ = both(model, [0.4, -0.7], [0.3, 5.0], method=ImplicitMidpoint(), **options)
    assert len(compiled.solves) == len(stepped.solves) == len(compiled.t) - 1
    assert [solve.iterations for solve in compiled.solves] == [solve.iterations for solve in stepped.solves]
    assert compiled.report.iterations == max(solve.iterations for solve in compiled.solves) >= 4
    for found, wanted in zip(compiled.solves[2:], stepped.solves[2:], strict=True):
        # differences have errors of 1e-10, which the small residuals feel
        np.testing.assert_allclose(found.residuals, wanted.residuals, rtol=1e-3, atol=1e-9)


SHORT = {"dt": 0.05, "duration": 0.5}


def explosive(t, q, v):
    """Torques that grow so fast with the speed that beyond some speed a step has no midpoint."""
    return 0.5 * v * v * v


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_equations_without_solution_end_the_run_and_say_so():
    options = {**SHORT, "tau": rbd.traced(explosive), "method": ImplicitMidpoint()}
    (compiled, stepped), states = both(double_pendulum(), [0.4, -0.7], [2.0, 1.0], **options)
    assert 0 < compiled.report.steps == stepped.report.steps < 10
    said = f"the midpoint of the step from t = {compiled.t[-1]:.6g} s could not be solved: after 20 iterations"
    assert compiled.report.stopped.startswith(said) and stepped.report.stopped.startswith(said)
    for ended, wanted in zip(*states, strict=True):
        assert np.isfinite(ended).all() and ended.shape == wanted.shape
        # some long steps of a motion that explodes, each solved to the tolerance
        np.testing.assert_allclose(ended, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_first_step_without_solution_is_an_error(formulation):
    options = {**SHORT, "tau": rbd.traced(explosive), "formulation": formulation, "progress": False}
    for method in (ImplicitMidpoint(), from_python(ImplicitMidpoint())):
        with pytest.raises(
            ConvergenceError, match="the midpoint of the step from t = 0 s could not be solved: after 2"
        ):
            rbd.simulate(double_pendulum(), [0.4, -0.7], [30.0, -40.0], integrator=method, **options)


@pytest.mark.parametrize("formulation", ["se3", "quaternion"])
def test_an_interruption_keeps_what_was_computed(formulation):
    def stop(done):
        raise KeyboardInterrupt

    model, q, v = CASES[formulation]()
    system = FORMULATIONS[formulation](model)
    run = system.compiled_run(ImplicitMidpoint(), 1e-3 * np.arange(9999), *system.state(q, v), 1, stop)
    assert run.interrupted and 0 < run.steps < 9998
    assert len(run.solves) == len(run.at) - 1 == run.steps and run.solves[:, 0].min() >= 1.0


STARTS = [[0.01, 0.0], [30.0, -40.0], [0.0, 0.02], [4.0, 2.0], [0.0, -0.01]]
"""Of five motions; the second has no midpoint in its first step, the fourth in a later one."""


def test_in_lanes_each_motion_goes_its_own_way():
    times, own = 0.05 * np.arange(11), engine.kernels_for(double_pendulum())
    law = Feedback.of(trace(explosive, (), 2, 2, names=("t", "q", "v")))
    run = partial(engine.simulate, own, np.zeros(2), times=times, method=ImplicitMidpoint(), tau=law)
    alone = [run(v=np.array(v)) for v in STARTS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 1)
        together = engine.simulate_many(
            [own] * 5, np.zeros((5, 2)), np.array(STARTS), times, ImplicitMidpoint(), [law] * 5
        )
    assert together[0].lanes > 1
    assert [run.unsolved is not None for run in together] == [False, True, False, True, False]
    assert alone[1].steps == 0 and 0 < alone[3].steps < 10
    for one, other in zip(together, alone, strict=True):
        assert one.steps == other.steps and one.ran_away == other.ran_away
        np.testing.assert_allclose(one.q, other.q, rtol=0, atol=ROUND_OFF * max(1.0, np.abs(other.q).max()))
        np.testing.assert_array_equal(one.solves[:, 0], other.solves[:, 0])


@pytest.mark.parametrize("lane_stages", [1, 10_000])
def test_a_sweep_tells_which_members_had_no_solution(lane_stages, monkeypatch):
    monkeypatch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", lane_stages)
    options = {**SHORT, "integrator": "implicit_midpoint", "tau": rbd.traced(explosive), "progress": False}
    with pytest.warns(
        rbd.simulation.SimulationWarning, match=r"(?s)FAILED: 2 members.*midpoint of the step from t = 0 s"
    ):
        ensemble = rbd.sweep(double_pendulum(), {"v0": STARTS}, [0.0, 0.0], **options)
    assert [failure.member for failure in ensemble.failures] == [1, 3]
    assert all("midpoint of the step from t = 0" in failure.reason for failure in ensemble.failures)


def test_generated_python_takes_the_same_steps(monkeypatch):
    model, q, v = tree()
    system = FORMULATIONS["so3xr3"](model)
    times, start = 1e-3 * np.arange(4), system.state(q, v)
    methods = [ImplicitMidpoint(), CrouchGrossman3()]
    native = [system.compiled_run(method, times, *start, 1, lambda done: None) for method in methods]
    monkeypatch.setattr("rbdkit.formulations.constrained.compiled.available", lambda: ("python", "for a test"))
    for run, method in zip(native, methods, strict=True):
        generated = system.compiled_run(method, times, *start, 1, lambda done: None)
        np.testing.assert_allclose(generated.q, run.q, rtol=0, atol=ROUND_OFF)
        np.testing.assert_allclose(generated.v, run.v, rtol=0, atol=ROUND_OFF * np.abs(run.v).max())


def test_momenta_are_stepped_in_pages_too():
    package = engine.packaged(double_pendulum(), INTEGRATORS["variational"])
    assert "jacobian_inverse" in package["programs"]["simulate"]["arrays"]


def test_pages_have_what_the_equations_need():
    package = engine.packaged(double_pendulum(), ImplicitMidpoint())
    arrays = package["programs"]["simulate"]["arrays"]
    assert {"hardest", "solve_record", "kept", "jacobian_inverse"} <= set(arrays)
    assert package["room"]["hardest"] and package["room"]["kept"] and "solve_record" not in package["room"]


def test_who_records():
    recorded = {name for name, method in INTEGRATORS.items() if records(method)}
    assert recorded == set(INTEGRATORS)
