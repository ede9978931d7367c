"""What `simulate` and its like say of contacts, and what they refuse."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError, StateError
from rbdkit.laws import ContactRecord, Impulse, Rigid, TimeStepping
from tests.laws.scenes import ball, cube


def test_the_default_law_and_what_the_report_says():
    model, q = cube()
    motion = rbd.simulate(model, q, duration=0.1, dt=0.01)
    text = repr(motion)
    assert "contact law 'time_stepping'" in text and "largest penetration" in text and "events: 1 gain" in text
    assert motion.report.integrator == "time_stepping"
    assert motion.events[0].names == ("ground/cube",)
    again = pickle.loads(pickle.dumps(motion))
    np.testing.assert_array_equal(again.contacts.force, motion.contacts.force)
    assert again.events == motion.events


def test_contacts_can_be_switched_off():
    model, q = ball()
    for off in ("none", False):
        motion = rbd.simulate(model, q, duration=0.5, dt=0.01, contact=off)
        np.testing.assert_allclose(motion.q[-1, 6], 0.1 - 1.25, rtol=1e-12)
        assert motion.contacts is None
        assert "contacts were switched off: 1 pair" in repr(motion)


def test_models_in_which_nothing_can_touch_are_left_alone():
    motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, contact="rigid")
    assert motion.contacts is None and motion.events == () and motion.report.contacts is None


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"contact": "rigidd"}, "contact law 'rigidd' is unknown; there are 'time_stepping', 'impulse', 'rigid'"),
        ({"contact": "Rigid"}, "did you mean 'rigid'"),
        ({"contact": Rigid}, r"Rigid is a class; give an object, Rigid\(\)"),
        ({"formulation": "se3"}, "formulation 'se3' has none of them"),
        ({"integrator": "heun"}, "makes its own steps, in which integrator 'heun' has no part"),
        ({"contact": "rigid", "integrator": "dop853"}, "integrator 'dop853' cannot choose them"),
        (
            {"contact": "rigid", "integrator": "variational"},
            "asks more of a system than contact law 'rigid' gives, and knows no contacts",
        ),
        ({"contact": "compliant", "integrator": "variational"}, "'compliant' gives, and knows no states of surfaces"),
    ],
)
def test_what_does_not_go_together_is_refused(options, what):
    model, q = ball()
    with pytest.raises(SimulationError, match=what):
        rbd.simulate(model, q, duration=0.01, **options)


@pytest.mark.parametrize(
    "options", [{"solver": "lcp"}, {"sweeps": 0}, {"tol": 0.0}, {"recovery": 2.0}], ids=lambda x: next(iter(x))
)
def test_options_of_time_stepping_that_make_no_sense(options):
    with pytest.raises(SimulationError, match=next(iter(options))):
        TimeStepping(**options)


def test_slowest_must_be_a_speed():
    with pytest.raises(SimulationError, match="slowest = 0"):
        Impulse(slowest=0.0)


def test_accelerations_are_refused_where_bodies_touch():
    """Their forces would be missing; in flight, and for inverse dynamics, nothing changes."""
    model, q = ball()
    v, up = np.zeros(6), q + [0, 0, 0, 0, 0, 0, 0.5]
    x = np.concatenate([q, v])
    asked = [
        lambda: rbd.aba(model, q, v, v),
        lambda: rbd.aba(model, [up, q], v, v),
        lambda: rbd.forward_dynamics(model, q, v, v),
        lambda: rbd.forward_dynamics(model, q, v, v, backend="book"),
        lambda: rbd.state_derivative(model, q, v, v),
        lambda: rbd.hybrid_dynamics(model, q, v, v, v, forward=["ball_joint"]),
        lambda: rbd.aba_derivatives(model, q, v, v),
        lambda: rbd.forward_dynamics_gradient(model, q, v, v, v),
        lambda: rbd.StateEquation(model)(0.0, x),
    ]
    for ask in asked:
        with pytest.raises(StateError, match="knows no law of contact, and here 'ground/ball' touch"):
            ask()
    np.testing.assert_allclose(rbd.aba(model, up, v, v), [0, 0, 0, 0, 0, -10.0])
    np.testing.assert_allclose(rbd.rnea(model, q, v, v), [0, 0, 0, 0, 0, 10.0])


def test_what_moves_bodies_without_a_law_refuses_the_model():
    from rbdkit.accuracy.step_size import fixed_run
    from rbdkit.engine import packaged
    from rbdkit.integrators import RK4

    model, q = ball()
    with pytest.raises(ModelError, match=r"ground.*fixed_run"):
        fixed_run(model, q, np.zeros(6), 0.1, 10)
    with pytest.raises(ModelError, match=r"ground.*web page"):
        packaged(model, RK4())


def test_sweeps_take_laws():
    """As an argument for all members, and as what varies."""
    model, q = ball(restitution=0.5)
    q[6] += 0.2
    laws = ["rigid", "impulse", "none"]
    ensemble = rbd.sweep(model, {"contact": laws}, q, duration=0.3, dt=0.01, progress=False)
    for k, law in enumerate(laws):
        alone = rbd.simulate(model, q, duration=0.3, dt=0.01, contact=law)
        np.testing.assert_array_equal(ensemble.q[k], alone.q)
    assert ensemble.q[2, -1, 6] < 0.0 < ensemble.q[0, -1, 6]
    fixed = rbd.sweep(model, {"ball.mass": [1.0, 2.0]}, q, duration=0.1, dt=0.01, contact="rigid", progress=False)
    assert fixed.simulate(1).report.contacts.law.startswith("'rigid'")


def test_every_thins_out_the_record():
    """Contacts belong to the states that are recorded, the last of which need not be a multiple."""
    model, q = cube()
    whole = rbd.simulate(model, q, duration=0.1, dt=0.01)
    some = rbd.simulate(model, q, duration=0.1, dt=0.01, every=3)
    np.testing.assert_array_equal(some.t, whole.t[[0, 3, 6, 9, 10]])
    own = whole.contacts.rows([0, 3, 6, 9, 10])
    for name in ("t", "offsets", "pair", "point", "normal", "gap", "force", "lost"):
        np.testing.assert_array_equal(getattr(some.contacts, name), getattr(own, name), err_msg=name)


def test_records_are_what_they_say():
    up = np.array([[0.0, 0.0, 1.0]] * 3)
    record = ContactRecord(("a", "b"), [0.0, 1.0], [0, 1, 3], [1, 0, 1], 0 * up, up, [-1e-3, 0.0, 2e-3], 2.0 * up)
    assert [point.name for point in record.at(-1)] == ["a", "b"]
    np.testing.assert_array_equal(record.total_force("b"), [[0, 0, 2], [0, 0, 2]])
    np.testing.assert_array_equal(record.normal_force("a"), [0, 2])
    np.testing.assert_array_equal(record.least_gap(), [-1e-3, 0.0])
    np.testing.assert_array_equal(record.least_gap("a"), [np.inf, 0.0])
    np.testing.assert_array_equal(record.rows([1]).gap, [0.0, 2e-3])
    with pytest.raises(SimulationError, match="'c' is no pair"):
        record.total_force("c")
    with pytest.raises(SimulationError, match="offsets"):
        ContactRecord(("a",), [0.0], [0, 2], [0], up[:1], up[:1], [0.0], up[:1])
    with pytest.raises(SimulationError, match="numbers below 1"):
        ContactRecord(("a",), [0.0], [0, 1], [1], up[:1], up[:1], [0.0], up[:1])
    assert record.rows([-1]).pair.tolist() == [0, 1] and record.rows([-1]).t == [1.0]
    with pytest.raises(SimulationError, match=r"states \[2\] are not all among the 2"):
        record.rows([2])
    with pytest.raises(SimulationError, match="gap"):
        ContactRecord(("a",), [0.0], [0, 1], [0], up[:1], up[:1], [0.0, 1.0], up[:1])


@pytest.mark.parametrize("law", ["time_stepping", "rigid", "impulse", "compliant"])
def test_what_rests_does_not_alarm(law):
    """What bodies at rest have of energy is round-off, or what their weight gives in a step: no error of it matters."""
    surface = rbd.Material(friction=0.5, stiffness=1e4, damping=40.0)
    for lifted in (0.0, 1e-6):
        model, q = rbd.Model("cube"), cube()[1]
        solid = rbd.Inertia.box((0.1,) * 3, mass=1.0)
        shape = rbd.Geometry(rbd.Box([0.1] * 3), material=surface)
        model.add_body("cube", joint=rbd.Free(), inertia=solid, geometry=shape)
        model.add_ground(material=surface)
        q[6] = 0.05 + lifted
        motion = rbd.simulate(model, q, duration=0.1, dt=2e-3, contact=law)
        assert not [alarm for alarm in motion.report.alarms(model) if "ENERGY" in alarm]


def test_contacts_are_solved_as_precisely_as_blows_are_hard():
    """A pile-up misses by more than a millimetre a second in a step, and by half a hundredth of what moves in it."""
    start = rbd.library.ball_pit(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = rbd.simulate(start.model, start.q, start.v, duration=0.6, progress=False)
    contacts = run.report.contacts
    v_C = np.linalg.norm([run.velocities()[..., 3:]], axis=-1)  # balls: the centre is the frame's origin
    if contacts.residual >= 1e-3:
        assert contacts.fastest == pytest.approx(v_C.max())
    for residual, fastest, alarms in ((9e-4, 0.0, 0), (2e-3, 0.1, 1), (2e-3, 0.3, 0), (2e-2, 1.0, 1), (np.nan, 9.0, 1)):
        assert len(replace(contacts, residual=residual, fastest=fastest, speed=1.0).alarms()) == alarms
