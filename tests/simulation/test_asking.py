"""Functions of users see the state of a motion and cannot change it, however they are run."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError, StateError
from rbdkit.library import double_pendulum, pendulum
from rbdkit.simulation import SimulationWarning

TARGET = np.array([0.5, 0.0])


def shifts_q(t, q, v):
    q -= TARGET  # a slip that NumPy invites
    return -20.0 * q - 2.0 * v


def stops_v(t, q, v):
    v[:] = 0.0
    return -v


def puts_back(t, q, v):
    """Changes nothing in the end, but a step in between would see it."""
    q[0] += 1.0
    torque = -20.0 * q - 2.0 * v
    q[0] -= 1.0
    return torque


LAWS = [shifts_q, stops_v, puts_back]
WAYS = {
    "compiled": {"duration": 0.8},
    "from Python": {"duration": 0.02},
    "untraced": {"duration": 0.02, "wrap": rbd.untraced},
    "traced": {"duration": 0.02, "wrap": rbd.traced},
    "book": {"duration": 0.02, "backend": "book"},
    "rk45": {"duration": 0.02, "integrator": "rk45"},
    "radau": {"duration": 0.02, "integrator": "radau"},
    "symplectic Euler": {"duration": 0.02, "integrator": "symplectic_euler"},
    "implicit": {"duration": 0.02, "integrator": "implicit_midpoint"},
    "se3": {"duration": 0.02, "formulation": "se3"},
    "generalized alpha": {"duration": 0.02, "formulation": "so3xr3", "integrator": "generalized_alpha"},
}


@pytest.mark.parametrize("what", ["tau", "f_ext"])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("way", WAYS)
def test_a_law_that_changes_its_arguments_is_refused(way, law, what):
    options = {"dt": 2e-3, **WAYS[way]}
    wrap = options.pop("wrap", lambda function: function)
    given = law if what == "tau" else lambda t, q, v: {"rod2": np.resize(law(t, q, v), 6)}
    with pytest.raises(SimulationError, match=rf"{what}.*(changes q or v|read-only)") as caught:
        rbd.simulate(double_pendulum(), [0.3, 0.1], **options, **{what: wrap(given)})
    if way != "traced":
        assert "work on a copy, q = q.copy()" in str(caught.value)
        assert isinstance(caught.value.__cause__, ValueError)
        trace = caught.value.__cause__.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        assert trace.tb_frame.f_code is law.__code__  # NumPy's complaint comes from the line that is wrong


def test_a_law_that_works_on_copies_gives_the_motion_of_one_that_changes_nothing():
    def on_copies(t, q, v):
        q = q.copy()
        q -= TARGET
        return -20.0 * q - 2.0 * v

    runs = [
        rbd.simulate(double_pendulum(), [0.3, 0.1], duration=0.3, dt=2e-3, tau=law)
        for law in (on_copies, lambda t, q, v: -20.0 * (q - TARGET) - 2.0 * v)
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)


def test_members_of_a_sweep_cannot_be_changed_either():
    with pytest.raises(SimulationError, match="changes q or v"):
        rbd.sweep(double_pendulum(), {"rod1.mass": [1.0, 2.0]}, [0.3, 0.1], duration=0.02, tau=shifts_q, progress=False)


def test_a_change_later_in_the_run_ends_it_with_the_reason():
    def later(t, q, v):
        if t > 0.05:
            q[0] = 0.0
        return np.zeros(2)

    with pytest.warns(SimulationWarning, match=r"STOPPED: tau\(t, q, v\) changes q or v"):
        run = rbd.simulate(double_pendulum(), [0.3, 0.1], duration=0.1, dt=1e-2, tau=later)
    assert run.t[-1] == pytest.approx(0.05)


def test_an_array_of_its_own_that_is_read_only_is_the_business_of_the_law():
    own = np.zeros(1)
    own.flags.writeable = False

    def law(t, q, v):
        own[0] = t
        return own

    with pytest.raises(ValueError, match="read-only") as caught:
        rbd.simulate(pendulum(), duration=0.01, tau=law)
    assert not isinstance(caught.value, SimulationError)


def test_a_force_function_may_return_the_same_array_again():
    """Its values at earlier times are kept: the work is that of a constant force."""
    model, buffer = pendulum(), np.zeros((2, 6))

    def f_ext(t, q, v):
        buffer[1] = [0.0, np.cos(9.0 * t), 0.0, 0.0, 0.0, 0.0]
        return buffer

    same = rbd.simulate(model, [0.5], duration=0.2, dt=2e-3, f_ext=rbd.untraced(f_ext))
    fresh = rbd.simulate(model, [0.5], duration=0.2, dt=2e-3, f_ext=rbd.untraced(lambda t, q, v: f_ext(t, q, v).copy()))
    np.testing.assert_array_equal(same.q, fresh.q)
    np.testing.assert_array_equal(same.work(), fresh.work())


def test_arrays_that_are_given_are_copied():
    """Changing them afterwards changes nothing that is asked of the motion later."""
    model, tau, force = pendulum(), np.ones(1), np.ones((2, 6))
    run = rbd.simulate(model, duration=0.1, tau=tau, f_ext=force)
    before = run.work().copy()
    tau[:], force[:] = 50.0, 50.0
    again = rbd.simulate(model, duration=0.1, tau=np.ones(1), f_ext=np.ones((2, 6)))
    np.testing.assert_array_equal(run.work(), before)
    np.testing.assert_array_equal(run.work(), again.work())


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (lambda t, q: q, "must be a function of"),
        (lambda: 0, "must be a function of"),
        (dict, "must be a function of"),
        (lambda t, q, v: [np.nan, 0.0], "returned nan for joint 'hinge1'"),
        (lambda t, q, v: np.nan * q, "returned nan for joint 'hinge1'"),
        (lambda t, q, v: np.inf + q, "returned inf for joint 'hinge1'"),
        (lambda t, q, v: [1j, 0.0], r"returned \[1j, 0.0\]"),
        (lambda t, q, v: "x", "returned 'x'"),
        (lambda t, q, v: {}, "returned {}"),
        (lambda t, q, v: [10**400, 0], "give 2 numbers"),
    ],
)
@pytest.mark.parametrize("way", ["compiled", "book", "rk45", "se3"])
def test_a_law_without_a_meaning_is_named(way, law, why):
    with pytest.raises((SimulationError, StateError), match=why):
        rbd.simulate(double_pendulum(), [0.3, 0.1], tau=law, **WAYS[way])


def test_a_marked_law_that_is_never_finite_is_refused():
    with pytest.raises(
        SimulationError, match=r"tau is marked as traced but cannot be traced: .*not finite at every state"
    ):
        rbd.simulate(double_pendulum(), duration=0.01, tau=rbd.traced(lambda t, q, v: [np.nan, 0.0]))


@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize("name", ["tau", "f_ext"])
def test_iterators_that_end_are_named(formulation, name):
    """In a generator StopIteration would be a RuntimeError that names nothing."""
    run = {"formulation": formulation, "duration": 0.05, "progress": False}

    def law(many):
        values = iter([np.zeros((3, 6)) if name == "f_ext" else np.zeros(2)] * many)
        return {name: rbd.untraced(lambda t, q, v: next(values))}

    with pytest.raises(SimulationError, match=rf"{name}\(t, q, v\) at t = 0 s raised StopIteration: an it") as caught:
        rbd.simulate(double_pendulum(), [0.3, 0.1], **run, **law(0))
    assert isinstance(caught.value.__cause__, StopIteration)
    if name == "f_ext":  # tau is asked once more, at the states that were recorded
        with pytest.warns(SimulationWarning, match="STOPPED"):
            motion = rbd.simulate(double_pendulum(), [0.3, 0.1], **run, **law(9))
        assert "raised StopIteration" in motion.report.stopped and len(motion) > 1


@pytest.mark.parametrize("mark", [rbd.traced, rbd.untraced])
@pytest.mark.parametrize("options", [{}, {"formulation": "se3"}, {"formulation": "redmax"}, {"integrator": "rk45"}])
def test_a_force_that_is_no_number_at_the_start_is_an_error_in_all_code(mark, options):
    @mark
    def law(t, q, v):
        return np.array([np.log(q[0] - 1.0), 0.0])

    run = {"tau": law, "progress": False, **options}
    with np.errstate(invalid="ignore"):
        with pytest.raises(StateError, match=r"returned nan for joint 'hinge1' at t = 0 s"):
            rbd.simulate(double_pendulum(), [0.3, 0.1], duration=0.05, **run)
        with pytest.warns(SimulationWarning):
            late = rbd.simulate(double_pendulum(), [1.1, 0.1], duration=0.5, **run)
    assert late.report.stopped and len(late) > 1
