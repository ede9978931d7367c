"""The work of prescribed joints through contacts, against forces and energies that are added up here."""

import warnings
from typing import ClassVar

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import JointSystem
from rbdkit.laws import Scene, pairs_of
from rbdkit.laws.driven import driven_power

G = 9.81
MASS, RADIUS = 0.3, 0.05


def on_a_table(joint, law, height=0.0, restitution=0.0, every=1, dt=2e-3, duration=0.2):
    """A ball of 0.3 kg that begins so far above a table that is moved, 0.3 m from its axis."""
    model = rbd.Model("table")
    model.add_body("table", joint=joint, geometry=rbd.Box((8, 8, 0.1)), inertia=rbd.Inertia.box((8, 8, 0.1), mass=5.0))
    ball = rbd.Inertia.sphere(RADIUS, MASS)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(RADIUS))
    model.add_contact("table", "ball", friction=0.3, restitution=restitution)
    q = model.neutral()
    q[4:] = 0.3, 0.0, 0.05 + RADIUS + height
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # ENERGY NOT KEPT was told of all of these
        return rbd.simulate(model, q, duration=duration, dt=dt, contact=law, every=every)


def balls_energy(motion):
    """Kinetic energy and that in the field of gravity of the ball at all states, J."""
    v = motion.v
    kinetic = 0.5 * MASS * (v[:, 3:] ** 2).sum(axis=1) + 0.2 * MASS * RADIUS**2 * (v[:, :3] ** 2).sum(axis=1)
    return kinetic + MASS * G * motion.q[:, 6]


TABLES = {
    "conveyor": rbd.Prescribed(rbd.Prismatic("x"), lambda t: (1.5 * t, 1.5, 0.0)),
    "lift": rbd.Prescribed(rbd.Prismatic("z"), lambda t: (0.4 * t * t, 0.8 * t, 0.8)),
    "turntable": rbd.Prescribed(rbd.Revolute("z"), lambda t: (0.4 * t * t, 0.8 * t, 0.8)),
}


@pytest.mark.parametrize("law", ["time_stepping", "rigid", "compliant"])
@pytest.mark.parametrize("table", TABLES)
def test_motors_bring_what_the_ball_gains_and_contacts_take(table, law):
    """The ball gains what motors bring less what contacts take; the table's own energy is in the account anyway.

    To the order of the law: forces of a state in a step of 'time_stepping' (2 ms), and the ball's own fall onto the
    springs of 'compliant'.
    """
    times = {"dt": 2e-4, "duration": 0.03} if law == "compliant" else {}
    motion = on_a_table(TABLES[table], law, **times)
    gained = balls_energy(motion) - balls_energy(motion)[0]
    contacts, most = motion.contacts, {"time_stepping": 5e-3, "rigid": 1e-7, "compliant": 2e-4}[law]
    assert np.abs(contacts.driven).max() > 1e-6
    np.testing.assert_allclose(contacts.driven - contacts.lost, gained, rtol=0, atol=most * max(0.1, gained[-1]))
    assert motion.report.energy_error < 1e-3


def test_blows_of_a_table_count():
    """A ball that a rising table hits with e = 0.5: the motor brings the impulse times the speed of the table."""
    rising = rbd.Prescribed(rbd.Prismatic("z"), lambda t: (2.0 * t, 2.0, 0.0))
    for law in ("rigid", "impulse", "time_stepping"):
        motion = on_a_table(rising, law, height=0.1, restitution=0.5, dt=1e-3)
        fall = np.roots([0.5 * G, 2.0, -0.1]).max()  # z of the ball falls to the table's
        impulse = MASS * 1.5 * (2.0 + G * fall)
        (first, *_) = (event for event in motion.events if event.kind == "impact")
        after = int(np.searchsorted(motion.t, first.t)) + 2
        exact = law != "time_stepping"
        np.testing.assert_allclose(motion.contacts.driven[after], 2.0 * impulse, rtol=1e-10 if exact else 2e-3)
        assert motion.report.energy_error < (1e-12 if exact else 1e-2)


def test_what_hangs_on_a_moved_body_pulls_at_its_motor():
    """An arm on a carriage: the reaction of the arm's inertia to a push, both forms of code against a difference.

    The carriage moves with V; in its frame nothing else changes, so the motor's power is V times the rate of momentum
    of arm and carriage less the push.
    """
    speed = 1.7
    model = rbd.Model("carriage")
    model.add_body("carriage", joint=rbd.Prescribed(rbd.Prismatic("x"), lambda t: (speed * t, speed, 0.0)))
    arm = rbd.Inertia(2.0, (0.0, 0.0, -0.4), np.diag([0.1, 0.1, 0.02]))
    model.add_body(
        "arm", "carriage", rbd.Revolute("y"), inertia=arm, geometry=rbd.Geometry(rbd.Sphere(0.1), (0, 0, -0.8))
    )
    model.add_ground(normal=(-1.0, 0.0, 0.0))
    angle, t = 0.3, 0.2
    place = np.array([speed * t - 0.8 * np.sin(angle), 0.0, -0.8 * np.cos(angle)])
    force = np.array([-3.0, 0.0, 1.0])
    # torque about the hinge along y, I theta_dd = (r x F)_y; the com's x acceleration is -0.4 cos(theta) theta_dd
    torque = np.cross(place - [speed * t, 0.0, 0.0], force)[1]
    theta_dd = torque / (0.1 + 2.0 * 0.4**2)
    expected = speed * (2.0 * -0.4 * np.cos(angle) * theta_dd - force[0])
    for book in (False, True):
        scene = Scene(JointSystem(model, None, None, book), pairs_of(model))
        found = driven_power(scene, t, np.array([angle]), np.zeros(1), np.array([0]), place[None], force[None])
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_states_that_are_not_recorded_count():
    """Every tenth state only: the same work, and no other energy error than from all states."""
    all_, some = (on_a_table(TABLES["lift"], "time_stepping", every=every) for every in (1, 10))
    np.testing.assert_allclose(some.contacts.driven, all_.contacts.driven[::10], rtol=1e-14)
    assert some.report.energy_error < 1e-3


class Piston(rbd.ConstraintElement):
    """A joint stays ahead of a piston, which moves at constant speed."""

    unilateral: ClassVar[bool] = True
    joint: str
    speed: float

    def gap(self, at):
        return at.coordinates(self.joint)[0] - self.speed * at.time


class Wall(rbd.ConstraintElement):
    """A body stays before a wall across x."""

    unilateral: ClassVar[bool] = True
    body: str
    place: float

    def gap(self, at):
        return self.place - at.position(self.body)[0]


@pytest.mark.parametrize("law", ["rigid", "impulse", "time_stepping"])
@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize(
    "stop, start, brought, lost",
    [
        (Piston("x", 1.5), (0.1, 0.0), 2.0 * 1.5**2, 0.5 * 2.0 * 1.5**2),
        (rbd.Limit("x", -0.1, 0.1), (0.0, -0.5), 2.0 * 0.5 * 1.7, 0.5 * 2.0 * 0.5**2),
        (Wall("slider", 0.3), (0.0, 0.0), 0.0, 0.5 * 2.0 * 1.7**2),
    ],
)
def test_what_time_moves_works_through_stops(law, backend, stop, start, brought, lost):
    """2 kg meet a piston of 1.5 m/s; the end of a carriage of 1.7 m/s, at 0.5 m/s; and on that a wall that stands.

    Piston and carriage bring impulse times speed; the wall takes the slider from the carriage, whose motor feels none
    of it. A half of m u^2 is lost each time, u the speed at which they meet.
    """
    model = rbd.Model("stops", gravity=(0, 0, 0))
    parent = None
    if not isinstance(stop, Piston):
        parent = "carriage"
        model.add_body(parent, joint=rbd.Prescribed(rbd.Prismatic("x"), lambda t: (1.7 * t, 1.7, 0.0)))
    slider = rbd.Inertia.sphere(0.1, 2.0)
    model.add_body("slider", *([parent] if parent else []), joint=rbd.Prismatic("x"), joint_name="x", inertia=slider)
    model.add_constraint("stop", stop)
    q, v = start
    motion = rbd.simulate(model, [q], [v], duration=0.4, dt=2e-3, contact=law, backend=backend)
    np.testing.assert_allclose(motion.contacts.driven[-1], brought, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.contacts.lost[-1], lost, rtol=1e-9)
    assert motion.report.energy_error < 1e-9
