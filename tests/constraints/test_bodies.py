"""Constraints in the formulations with bodies, by routes that do not know them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError, StateError
from rbdkit.formulations import SE3, Baumgarte, Bodywise, SO3xR3
from rbdkit.library.rolling_sphere import HOLLOW, SOLID, circle_on_turntable
from rbdkit.model.constraint import seen
from rbdkit.model.constraint_rows import constraint_rows
from rbdkit.simulation.assessment import _worst_constraint
from rbdkit.simulation.largest_residuals import largest_residuals
from rbdkit.simulation.motion import Motion
from rbdkit.spatial import so3

BODIES = (SE3, SO3xR3, Bodywise)


def in_joints(model, q, v, t=0.0):
    """K, k and the gap of all constraints in joint coordinates, K by unit velocities and k by differences."""
    rows = constraint_rows(model)

    def at(q, v, t):
        return rows.at(q, v, t, seen(model, q, v, t).motion)

    rest = at(q, 0.0 * v, t).slip
    K = np.array([at(q, e, t).slip - rest for e in np.eye(model.nv)]).T
    h = 1e-4
    slips = [at(model.integrate(q, s * h * v), v, t + s * h).slip for s in (-2.0, -1.0, 1.0, 2.0)]
    return K, -(slips[0] - 8.0 * slips[1] + 8.0 * slips[2] - slips[3]) / (12.0 * h), at(q, v, t)


def closed(model, q, v, formulation=SE3):
    """The state near (q, v) at which everything holds."""
    system = formulation(model)
    x, w = system.state(q, v)
    for _ in range(4):
        x, w = system.project(x, w)
    return system.joint_state(x, w)


def acceleration(system, q, v):
    """Joint accelerations, by differences of joint velocities along the motion."""
    x, w = system.state(q, v)
    rate, h = system.rate(0.0, x, w), 1e-4
    v = [system.joint_state(system.move(x, s * h * w), w + s * h * rate)[1] for s in (-2.0, -1.0, 1.0, 2.0)]
    return (v[0] - 8.0 * v[1] + 8.0 * v[2] - v[3]) / (12.0 * h)


@pytest.mark.parametrize("formulation", BODIES)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_a_tree_with_multipliers(seed, formulation):
    """H a + C = tau + K^T lambda, K a = k, on random trees; differences lose 1e-11 / 1e-4."""
    model = rbd.library.random_tree(seed + 20, bodies=6)
    rng = np.random.default_rng(seed)
    names = [body.name for body in model.bodies[1:]]
    a, b, c = (str(x) for x in rng.choice(names, 3, replace=False))
    q, tau = model.random_q(rng), rng.normal(size=model.nv)
    for joint in model.joints[1:]:  # as poses tell them: tau turns about axes that depend on them
        q[joint.q_slice] = joint.type.project(joint.type.pose(q[joint.q_slice]))
    place = seen(model, q, np.zeros(model.nv), 0.0)
    model.add_constraint("rod", rbd.Distance(a, "world", float(np.linalg.norm(place.position(a)))))
    height = place.rotation(b)[:, 2] @ (place.position(c) - place.position(b))
    model.add_constraint("table", rbd.PointOnPlane(c, b, height=float(height)))
    model.add_constraint("skate", Skate(b))
    single = [j for j in model.joints if j.nq == 1 and j.nv == 1]
    if len(single) > 1:
        offset = single[0].coordinates(q)[0] + 2.0 * single[1].coordinates(q)[0]
        model.add_constraint("gears", rbd.Tie(single[0].name, single[1].name, -2.0, float(offset)))
    v = rng.normal(size=model.nv)
    K = in_joints(model, q, v)[0]
    v -= np.linalg.pinv(K) @ K @ v
    K, k, here = in_joints(model, q, v)
    assert max(np.abs(here.slip).max(), np.abs(here.gap).max()) < 1e-12
    H, C = rbd.crba(model, q), rbd.bias_force(model, q, v)
    m = len(K)
    A = np.block([[H, K.T], [K, np.zeros((m, m))]])
    # rows may say nothing on some trees, and leave accelerations unique
    expected = np.linalg.lstsq(A, np.concatenate([tau - C, k]), rcond=1e-12)[0][: model.nv]
    found = acceleration(formulation(model, lambda *_: tau), q, v)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


class Skate(rbd.ConstraintElement):
    """A body does not slide along its own y axis."""

    body: str

    def slip(self, at):
        return at.rotation(self.body)[:, 1] @ at.velocity(self.body, (0.2, 0.1, 0.0))


def mimicking(model, follower, multiplier, offset=0.0):
    """The model with one joint that follows joint 1."""
    made = rbd.Model("mimic", model.gravity)
    for body in model.bodies[1:]:
        follows = rbd.Mimic(model.joints[1].name, multiplier, offset) if body.joint.name == follower else None
        made.add_body(
            body.name, model.bodies[body.parent].name, body.joint.type, body.joint.placement, body.inertia,
            joint_name=body.joint.name, mimic=follows,
        )  # fmt: skip
    return made


@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
def test_a_tie_moves_as_a_mimic_joint_does(formulation):
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0, 0.3))
    expected = rbd.simulate(mimicking(model, "hinge2", -2.0, 0.3), [0.4], [1.1], duration=0.1, dt=2e-3)
    found = rbd.simulate(model, [0.4, -0.5], [1.1, -2.2], duration=0.1, dt=2e-3, formulation=formulation)
    np.testing.assert_allclose(found.q[:, 0], expected.q[:, 0], rtol=0, atol=1e-9)
    assert found.report.constraint_error < 1e-8
    assert "constraint 'belt'" in found.report.constraint or "joint" in found.report.constraint
    assert found.report.energy_error < 1e-8


def test_whole_turns_of_tied_joints_are_no_gap():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -1.5))
    system = SE3(model)
    for turns in (0.0, 1.0, 2.5):
        q = np.array([0.4 + 2.0 * np.pi * turns, -0.6 - 3.0 * np.pi * turns])
        assert abs(system.constraint_error(system.state(q, np.zeros(2))[0])[-1]) < 1e-12
    model.add_constraint("odd", rbd.Tie("hinge2", "hinge1", np.sqrt(2.0)))
    with pytest.raises(ModelError, match="'odd' depends on whole turns"):
        SE3(model)


@pytest.mark.source("F3.03")
@pytest.mark.parametrize("moment", [SOLID, HOLLOW])
def test_a_ball_rolls_down_a_slope_with_its_closed_acceleration(moment):
    """g sin(a) / (1 + I / m r^2)."""
    slope, r = 0.3, 0.25
    model = rbd.library.rolling_sphere(r, 2.0, moment)
    turned = so3.exp(np.array([0.0, slope, 0.0]))
    model.add_frame("slope", "world", rbd.pose(turned))
    model.add_constraint("slope contact", rbd.Rolling("ball", "slope", r))
    q = np.concatenate([[1, 0, 0, 0], r * turned[:, 2]])
    motion = rbd.simulate(model, q, duration=0.2, dt=5e-3, formulation="so3xr3")
    along = (motion.q[:, 4:] - q[4:]) @ turned[:, 0]
    expected = 0.5 * 9.81 * np.sin(slope) / (1.0 + moment) * motion.t**2
    np.testing.assert_allclose(along, expected, rtol=0, atol=1e-12)
    assert motion.report.energy_error < 1e-12


def test_a_ball_circles_on_a_turntable():
    """With the closed angular velocity, 2/7 of the turntable's; the table is a body that time moves."""
    model, r, spin = rbd.library.rolling_sphere(0.2, turntable=1.4), 0.2, 1.4
    model.add_constraint("contact", rbd.Rolling("ball", "turntable", r))
    start = np.array([1, 0, 0, 0, 0.5, 0.1, r])
    rolling = rbd.algorithms.constraints.RollingContact(r, spin)
    v = rolling.start(start, np.array([0.4, -0.3, 0.2]))
    motion = rbd.simulate(model, start, v, duration=0.5, dt=5e-3, formulation="so3xr3")
    rate = np.gradient(motion.q[:, 4:6], motion.t, axis=0)
    heading = np.unwrap(np.arctan2(rate[2:-2, 1], rate[2:-2, 0]))
    speed = np.diff(heading) / np.diff(motion.t[2:-2])
    np.testing.assert_allclose(speed, circle_on_turntable(SOLID, spin), rtol=1e-4)
    assert motion.report.energy_error < 1e-9  # with the work of the table that time turns


def test_a_wheel_rolls_in_a_circle_steadily():
    """An upright wheel with a = 0 turns about the vertical as it pleases: its centre runs on a circle of v / spin."""
    r, spin, roll = 0.3, 0.8, 2.0
    model = rbd.Model("wheel", gravity=(0.0, 0.0, 0.0))
    model.add_body("wheel", joint=rbd.Free(), inertia=rbd.Inertia.cylinder(r, 0.02, mass=1.0).transformed(
        rbd.pose(so3.exp(np.array([0.5 * np.pi, 0.0, 0.0])))))  # fmt: skip
    model.add_constraint("road", rbd.Rolling("wheel", "world", r, axle=(0.0, 1.0, 0.0)))
    model.add_constraint("upright", Upright("wheel"))
    q, v = np.array([1.0, 0, 0, 0, 0, 0, r]), np.array([0.0, roll, spin, roll * r, 0.0, 0.0])
    motion = rbd.simulate(model, q, v, duration=0.5, dt=5e-3, formulation="so3xr3")
    R = roll * r / spin
    expected = R * np.stack([np.sin(spin * motion.t), 1.0 - np.cos(spin * motion.t)], axis=1)
    np.testing.assert_allclose(motion.q[:, 4:6], expected, rtol=0, atol=1e-9)


class Upright(rbd.ConstraintElement):
    """The y axis of a body stays level."""

    gap_unit = "rad"
    body: str

    def gap(self, at):
        return at.rotation(self.body)[2, 1]


def test_a_rod_is_a_light_body_on_ball_joints():
    """A rod of a thousandth of the mass moves as one without any, to a thousandth."""
    held = rbd.library.double_pendulum()
    held.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    made = rbd.Model("made", held.gravity)
    ends = ((0.0, 0.0, -1.0), (0.0, 0.0, 0.1))
    held.add_constraint("rod", rbd.Distance("rod2", "bob", 0.9, *ends))
    for body in held.bodies[1:]:
        made.add_body(
            body.name, held.bodies[body.parent].name, body.joint.type, body.joint.placement, body.inertia,
            joint_name=body.joint.name,
        )  # fmt: skip
    light = rbd.Inertia.box([1e-2, 1e-2, 0.9], mass=1e-5).transformed(rbd.pose(position=[0.0, 0.0, -0.45]))
    made.add_body("rod", "rod2", rbd.Spherical(), ends[0], light)
    made.add_loop("end", "rod", "bob", rbd.Spherical(), [0.0, 0.0, -0.9], ends[1])
    start, v = np.array([0.3, -0.2]), np.array([0.5, 0.2])
    foot = rbd.forward_kinematics(held, np.concatenate([start, [1, 0, 0, 0, 0, 0, 0]])).pose("rod2") @ [0, 0, -1.0, 1.0]
    q, w = closed(held, np.concatenate([start, [1, 0, 0, 0], foot[:3] - [0, 0, 1.0]]), np.concatenate([v, np.zeros(6)]))
    x = rbd.forward_kinematics(held, q).pose("bob")
    top = (x @ [*ends[1], 1.0])[:3]
    foot = (rbd.forward_kinematics(held, q).pose("rod2") @ [*ends[0], 1.0])[:3]
    R = rbd.forward_kinematics(held, q).pose("rod2")[:3, :3]
    axis = R.T @ (foot - top) / 0.9  # where the z axis of the rod points
    turn = np.cross([0.0, 0.0, 1.0], axis)
    angle = np.arctan2(np.linalg.norm(turn), axis[2])
    half = 0.5 * angle * turn / max(np.linalg.norm(turn), 1e-12)
    quaternion = np.concatenate([[np.cos(np.linalg.norm(half))], np.sinc(np.linalg.norm(half) / np.pi) * half])
    q_made = np.concatenate([q[:2], q[2:], quaternion])
    q_made, v_made = closed(made, q_made, np.concatenate([w, np.zeros(3)]))
    expected = rbd.simulate(made, q_made, v_made, duration=0.1, dt=1e-3, formulation="se3").poses("bob")
    q, w = q_made[: held.nq], v_made[: held.nv]
    q, w = closed(held, q, w)
    found = rbd.simulate(held, q, w, duration=0.1, dt=5e-3, formulation="se3").poses("bob")
    np.testing.assert_allclose(found, expected[::5], rtol=0, atol=2e-5)
    assert np.abs(found[-1] - found[0]).max() > 0.01


@pytest.mark.parametrize("integrator", ["rk4", "rk4_projected", "generalized_alpha"])
def test_a_ball_on_a_rod_swings_as_a_pendulum(integrator):
    """A point mass on a rod, against the pendulum in its angle."""
    model = rbd.Model("ball and rod")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    model.add_constraint("rod", rbd.Distance("world", "ball", 1.5))
    a, L = 0.8, 1.5
    q = np.array([1, 0, 0, 0, -L * np.sin(a), 0, -L * np.cos(a)])
    motion = rbd.simulate(model, q, duration=0.2, dt=2e-3, formulation="se3", integrator=integrator)
    pendulum = rbd.Model("pendulum")
    pendulum.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, com=[0, 0, -L]))
    angle = rbd.simulate(pendulum, [a], duration=0.2, dt=2e-3).q[:, 0]
    near = 1e-9 if integrator != "generalized_alpha" else 1e-5  # of order two, with a step of 2e-3
    np.testing.assert_allclose(motion.q[:, 4], -L * np.sin(angle), rtol=0, atol=near)
    assert motion.report.constraint_error < (1e-9 if integrator == "rk4" else 1e-13)


def test_baumgarte_pulls_constraints_together():
    model = rbd.Model("ball and rod")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    model.add_constraint("rod", rbd.Distance("world", "ball", 1.5))
    system = SE3(model, baumgarte=Baumgarte(20.0))
    x, v = system.state(np.array([1.0, 0, 0, 0, 0, 0, -1.6]), np.zeros(6))
    h = 1e-4
    rate = system.rate(0.0, x, v)
    ahead = system.constraint_error(system.move(x, 0.5 * h * h * rate))[-1]
    assert 2.0 * (ahead - 0.1) / h**2 == pytest.approx(-400.0 * 0.1, rel=1e-6)
    assert partial(SE3, baumgarte=Baumgarte(20.0))


def test_what_says_the_same_twice_counts_once():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0))
    x, v = SE3(model).state(np.array([0.4, -0.8]), np.array([1.0, -2.0]))
    once = SE3(model).rate(0.0, x, v)
    model.add_constraint("again", rbd.Tie("hinge1", "hinge2", -0.5))
    system = SE3(model)
    np.testing.assert_allclose(system.rate(0.0, x, v), once, rtol=0, atol=1e-12)
    assert system.index1(0.0, x, v).redundant == 1


def test_what_keeps_what():
    """A rod between two bodies that float keeps their momentum, one to the world does not."""
    model = rbd.Model("dumbbell", gravity=(0, 0, 0))
    for name in ("a", "b"):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_constraint("rod", rbd.Distance("a", "b", 1.0))
    q = np.array([1.0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0])
    v = np.array([0.1, 0, 0, 0.2, 0.3, 0, 0, 0, 0.5, 0.2, 0, 0.7])
    motion = rbd.simulate(model, q, v, duration=0.1, dt=2e-3, formulation="so3xr3")
    kept = motion.invariants()
    assert set(kept) == {"energy", "angular momentum", "linear momentum"}
    for values in kept.values():
        assert np.ptp(values, axis=0).max() < 1e-9, kept
    model.add_constraint("tether", rbd.Distance("a", "world", 1.0, at_b=(1.0, 0, 0)))
    assert set(SE3(model).invariants(*SE3(model).state(q, v))) == {"energy"}


class Pulled(rbd.ConstraintElement):
    """A rod whose length time changes."""

    body: str
    rate: float

    def gap(self, at):
        p = at.position(self.body)
        return np.sqrt(p @ p) - 1.0 - self.rate * at.time


def test_time_moves_constraints_and_their_work_is_judged():
    model = rbd.Model("winch", gravity=(0, 0, -9.81))
    model.add_body("load", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_constraint("winch", Pulled("load", -0.5))
    motion = rbd.simulate(
        model, [1, 0, 0, 0, 0, 0, -1.0], [0, 0, 0, 0, 0, 0.5], duration=0.1, dt=5e-3, formulation="se3"
    )
    np.testing.assert_allclose(motion.q[:, 6], -1.0 + 0.5 * motion.t, rtol=0, atol=1e-12)
    assert motion.report.constraint_error < 1e-12
    assert motion.report.energy_error < 1e-12  # at constant speed the rope lifts the weight and nothing else
    np.testing.assert_allclose(motion.work(), 9.81 * 0.5 * motion.t, rtol=0, atol=1e-12)


def test_starts_that_do_not_hold_are_refused_by_name():
    model = rbd.Model("ball and rod")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=2.0))
    model.add_constraint("rod", rbd.Distance("world", "ball", 1.5))
    q = np.array([1.0, 0, 0, 0, 0, 0, -1.5])
    with pytest.raises(StateError, match=r"constraint 'rod' does not hold: q0 is off by 0.1 m\. `q0 = rbdkit.assemble"):
        rbd.simulate(model, [1, 0, 0, 0, 0, 0, -1.6], formulation="se3")
    with pytest.raises(StateError, match=r"constraint 'rod' does not hold: v0 is off by 0.3 m/s"):
        rbd.simulate(model, q, [0, 0, 0, 0, 0, 0.3], formulation="se3")


def test_errors_of_slips_are_reported_with_their_unit():
    model = rbd.library.rolling_sphere(0.5)
    model.add_constraint("floor", rbd.Rolling("ball", "world", 0.5))
    v = np.array([0.3, 2.0, 0.7, 1.0, -0.15, 0.0])
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.5], v, duration=0.2, dt=0.02, formulation="so3xr3")
    names = motion.system.row_names()
    assert names == [("constraint 'floor'", "m"), ("constraint 'floor'", "m/s"), ("constraint 'floor'", "m/s")]
    assert motion.constraint_error().shape == (11, 3)
    drifted = motion.w.copy()
    drifted[-1, 3] += 0.25  # the ball slides
    slid = Motion(motion.system, motion.t, motion.x, drifted)
    assert np.linalg.norm(slid.constraint_error()[-1, 1:]) == pytest.approx(0.25, rel=1e-9)
    assert slid.constraint_error()[-1, 0] == motion.constraint_error()[-1, 0]
    assert _worst_constraint(slid, largest_residuals(slid._errors_in_parts()))[2] == "m/s"


def test_what_cannot_be_done_is_refused_by_name():
    model = rbd.library.rolling_sphere(0.5)
    model.add_constraint("floor", rbd.Rolling("ball", "world", 0.5))
    q = np.array([1.0, 0, 0, 0, 0, 0, 0.5])
    with pytest.raises(SimulationError, match="'generalized_alpha' steps positions, of which 'floor'"):
        rbd.simulate(model, q, formulation="se3", integrator="generalized_alpha", duration=0.01)
    for element in (rbd.TautString("ball", "world", 1.0), rbd.Limit("hinge", -1.0, 1.0)):
        bound = rbd.library.pendulum() if isinstance(element, rbd.Limit) else rbd.library.rolling_sphere(0.5)
        bound.add_constraint("bound", element)
        for formulation in ("se3", "so3xr3", "bodywise"):
            with pytest.raises(ModelError, match=r"constraint 'bound' \(.*\) bounds its gap on one side"):
                rbd.simulate(bound, formulation=formulation)
        with pytest.raises(ModelError, match="'bound'"):
            rbd.simulate(bound, contact="none")
