"""Rigid contact from event to event against closed forms."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.solvers import InfeasibleError
from rbdkit.errors import SimulationError
from rbdkit.laws import Impulse, Rigid, event_driven
from tests.laws.scenes import at, ball, block, cradle


@pytest.mark.source("F11.08", "F11.11", "F11.14")
@pytest.mark.parametrize("law", ["impulse", "rigid"])
def test_bounces_are_a_geometric_series(law):
    """Times of impact, and impulses, to round-off of each impact; the ball rests after the last of them."""
    model, q = ball(restitution=0.5)
    q[6] += 0.8
    motion = rbd.simulate(model, q, duration=1.3, dt=0.05, contact=law)
    impacts = [event for event in motion.events if event.kind == "impact"]
    speed, t, times = 4.0, 0.4, []
    while speed > 1e-4:
        times.append(t)
        speed *= 0.5
        t += 2.0 * speed / 10.0
    np.testing.assert_allclose([event.t for event in impacts], times, rtol=0, atol=1e-12)
    np.testing.assert_allclose([event.impulse for event in impacts], 6.0 * 0.5 ** np.arange(len(times)), atol=5e-12)
    assert motion.events[-1].kind == "gain"
    np.testing.assert_allclose(motion.q[-1], ball()[1], rtol=0, atol=1e-12)
    assert motion.report.contacts.penetration < 1e-12
    assert motion.report.energy_error < 1e-12  # with what the impacts took counted in
    np.testing.assert_allclose(motion.contacts.normal_force("ground/ball")[-1], 10.0, rtol=1e-12)


@pytest.mark.source("F11.08", "F11.11")
def test_a_bead_leaves_a_dome_at_two_thirds_of_its_height():
    """A dynamic loss: cos theta = 2/3 cos theta_0, whatever the radius; the error has the order of the integrator."""
    model = rbd.Model("dome", gravity=(0, 0, -10))
    model.add_body("dome", joint=rbd.Fixed(), geometry=rbd.Sphere(1.0))
    model.add_body("bead", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0), geometry=rbd.Sphere(0.1))
    model.add_contact("dome", "bead")
    q = at(model, 1.1 * np.array([np.sin(0.6), 0.0, np.cos(0.6)]))
    for dt, most in ((0.05, 3e-5), (0.025, 2e-6)):
        motion = rbd.simulate(model, q, duration=0.45, dt=dt, contact="rigid")
        (loss,) = (event for event in motion.events if event.kind == "loss")
        to_there = rbd.simulate(model, q, duration=loss.t, dt=dt, contact="rigid")
        assert abs(to_there.q[-1, 6] / 1.1 - 2.0 / 3.0 * np.cos(0.6)) < most


@pytest.mark.source("F11.08")
def test_a_bowling_ball_rolls_when_it_has_slid_long_enough():
    """At t = 2 v / (7 mu g), with 5/7 of its speed."""
    model, q = ball(friction=0.3)
    motion = rbd.simulate(model, q, [0, 0, 0, 3, 0, 0], duration=0.4, dt=0.01, contact="rigid")
    (stick,) = (event for event in motion.events if event.kind == "stick")
    np.testing.assert_allclose(stick.t, 2.0 * 3.0 / (7.0 * 0.3 * 10.0), rtol=1e-5)
    world = motion.poses("ball")[-1, :3, :3] @ motion.v[-1, 3:]
    np.testing.assert_allclose(world, [5.0 / 7.0 * 3.0, 0.0, 0.0], atol=5e-4)  # it turns by 0.2 rad a step
    np.testing.assert_allclose(motion.contacts.lost[-1], 0.5 * 9.0 * 2.0 / 7.0, rtol=1e-4)


@pytest.mark.parametrize("law", ["rigid", "impulse", "time_stepping"])
def test_a_block_slides_where_the_slope_is_steeper_than_friction_holds(law):
    """tan(alpha) = mu, to a part in 1e6 of the coefficient."""
    slope = np.deg2rad(20.0)
    for part, slides in ((1.0 - 1e-6, True), (1.0 + 1e-6, False)):
        mu = part * np.tan(slope)
        model, q = block(mu, slope)
        v = rbd.simulate(model, q, duration=0.04, dt=0.01, contact=law).v[-1]
        fall = 9.81 * (np.sin(slope) - mu * np.cos(slope)) * 0.04 if slides else 0.0
        np.testing.assert_allclose(v[0], fall, rtol=1e-2, atol=1e-9)  # the sledge itself, 1e-9 kg, is pulled, too


def test_a_cradle_hands_on_what_it_was_given():
    """Momentum and energy to round-off at every blow; the outermost balls swing, the others hang."""
    model = cradle()
    q = np.zeros(5)
    q[0] = 0.5
    motion = rbd.simulate(model, q, duration=0.8, dt=0.02, contact="impulse")
    first = next(event for event in motion.events if event.kind == "impact")
    before = rbd.simulate(model, q, duration=first.t - 1e-6, dt=0.02, contact="impulse")
    after = rbd.simulate(model, q, duration=first.t + 1e-6, dt=0.02, contact="impulse")
    np.testing.assert_allclose(after.v[-1, 4], before.v[-1, 0], rtol=1e-9)
    np.testing.assert_allclose(after.v[-1, :4], 0.0, atol=1e-9)
    assert abs(motion.contacts.lost).max() < 1e-12
    assert motion.report.energy_error < 1e-6  # of the integrator
    np.testing.assert_allclose(motion.q[:, 1:4], 0.0, atol=1e-7)
    assert {event.note for event in motion.events if event.kind == "impact"} == {"", "passed on"}


def test_a_row_of_balls_keeps_momentum_and_energy():
    """Fifteen blows of five balls on a rail, one of them heavier, to 1e-12."""
    model, mass = rbd.Model("rail", gravity=(0, 0, 0)), np.array([1.0, 1.0, 1.0, 2.0, 1.0])
    for k, own in enumerate(mass):
        model.add_body(
            f"ball{k}", joint=rbd.Prismatic("x"), placement=(0.1 * k, 0, 0), inertia=rbd.Inertia.sphere(0.05, own),
            geometry=rbd.Sphere(0.05),
        )  # fmt: skip
    for k in range(4):
        model.add_contact(f"ball{k}", f"ball{k + 1}", restitution=1.0)
    motion = rbd.simulate(model, [-0.1, 0, 0, 0.05, 0.3], [1, 0, 0, 0, -1], duration=1.0, dt=0.02, contact="impulse")
    assert len(motion.events) > 10
    np.testing.assert_allclose(motion.v @ mass, 0.0, atol=1e-12)
    np.testing.assert_allclose(0.5 * motion.v**2 @ mass, 1.0, rtol=1e-12)


def test_blows_at_once_and_one_by_one_are_two_laws():
    """Three balls at once share the momentum; both keep momentum and, with e = 1, energy (to round-off)."""
    model = cradle(3)
    q = np.zeros(3)
    q[0] = 1e-9
    q[0] = 0.3
    ends = {}
    for law in (Impulse(), Rigid()):
        motion = rbd.simulate(model, q, duration=0.4, dt=0.02, contact=law)
        ends[law.name] = motion.v[-1]
        assert abs(motion.contacts.lost[-1]) < 1e-12
        impact = next(event for event in motion.events if event.kind == "impact")
        assert impact.names == ("ball0/ball1",)
    speed = np.sqrt((ends["impulse"] ** 2).sum())
    np.testing.assert_allclose(np.abs(ends["impulse"]) / speed, [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(np.sign(ends["rigid"][0]) * ends["rigid"][1:] < 0, True)


@pytest.mark.source("F11.03")
def test_what_has_no_solution_is_refused_by_name():
    """Painleve: a rod that slides on its tip with much friction is pulled in; time stepping finds the blow."""
    model = rbd.Model("rod")
    for name, axis in (("x", "x"), ("z", "z")):
        parent = "world" if name == "x" else "rail_x"
        model.add_body(f"rail_{name}", parent, joint=rbd.Prismatic(axis), inertia=rbd.Inertia.sphere(0.01, 1e-6))
    rod = rbd.Inertia.box((0.01, 0.01, 2.0), mass=1.0)
    model.add_body(
        "rod", "rail_z", joint=rbd.Revolute("y"), inertia=rod,
        geometry=rbd.Geometry(rbd.Sphere(1e-3), (0.0, 0.0, -1.0)),
    )  # fmt: skip
    model.add_ground(friction=2.0)
    lean = -0.6
    q = np.array([0.0, np.cos(lean) + 1e-3, lean])
    slide = np.array([-10.0, 0.0, 0.0])
    assert rbd.simulate(model, q, slide, duration=0.01, dt=0.001).report.contacts.residual < 1e-6
    refused = []
    for v in (slide, -slide):
        try:
            rbd.simulate(model, q, v, duration=0.001, dt=0.001, contact="rigid")
        except InfeasibleError as fault:
            refused.append(fault)
    assert len(refused) == 1
    assert "ground/rod" in str(refused[0]) and "Painleve" in str(refused[0])


def test_rigid_laws_refuse_to_begin_inside():
    model, q = ball()
    q[6] -= 0.01
    with pytest.raises(rbd.errors.SimulationError, match=r"ground/ball are 0\.01 m deep"):
        rbd.simulate(model, q, duration=0.01, contact="rigid")


def test_fast_bodies_do_not_fly_through_thin_ones():
    """A bullet of 5 mm that flies 0.2 m a step and a target of 2 cm."""
    model = rbd.Model("range", gravity=(0, 0, 0))
    for name, radius in (("target", 0.01), ("bullet", 0.005)):
        model.add_body(name, joint=rbd.Free(), inertia=rbd.Inertia.sphere(radius, 0.01), geometry=rbd.Sphere(radius))
    model.add_contact("target", "bullet")
    q, v = model.neutral(), np.zeros(12)
    q[11], v[9] = -0.31, 100.0
    for law in ("time_stepping", "rigid"):
        motion = rbd.simulate(model, q, v, duration=0.008, dt=0.002, contact=law)
        np.testing.assert_allclose(motion.v[-1, [3, 9]], 50.0, rtol=1e-9)
    with pytest.warns(rbd.simulation.SimulationWarning, match="may have passed through each other"):
        rbd.simulate(model, q, v, duration=0.008, dt=0.002, contact="compliant")


@pytest.mark.source("F11.14")
@pytest.mark.parametrize("law", ["impulse", "rigid"])
@pytest.mark.parametrize("friction", [0.05, 0.8])
def test_what_moves_in_a_plane_is_struck_like_what_moves_in_space(law, friction):
    """A joint that has no motion across leaves no answer there: a disc against its closed form and a free ball."""
    ends = []
    for joint, v in ((rbd.Planar(), [-9.0, 1.0, -3.0]), (rbd.Free(), [0.0, 9.0, 0.0, 1.0, 0.0, -3.0])):
        model = rbd.Model("disc", gravity=(0, 0, 0))
        upright = rbd.pose(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]])  # its x, y are x, z of the world
        turned = upright if len(v) == 3 else np.eye(4)
        model.add_body(
            "disc", joint=joint, placement=turned, inertia=rbd.Inertia.sphere(0.1, 2.0), geometry=rbd.Sphere(0.1)
        )
        model.add_ground(friction=friction, restitution=0.5, height=-0.13)
        run = rbd.simulate(model, None, v, duration=0.02, dt=5e-4, contact=law)  # turning adds no error
        R, velocity = run.poses("disc")[-1, :3, :3], run.velocities()[-1, 1].reshape(2, 3)
        ends.append((velocity @ R.T).ravel()[[1, 3, 5]])
        hit = next(event for event in run.events if event.kind == "impact")
        assert hit.impulse == pytest.approx(1.5 * 2.0 * 3.0, rel=1e-12)
    slip = 1.0 - 9.0 * 0.1  # of the lowest point; 2/7 of the mass answers there
    rub = -min(2.0 * 2.0 / 7.0 * slip, friction * 9.0)
    known = [9.0 - 0.1 * rub / (0.4 * 2.0 * 0.1**2), 1.0 + rub / 2.0, 1.5]
    for end in ends:
        np.testing.assert_allclose(end, known, rtol=1e-11)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("law", ["impulse", "rigid"])
def test_what_nothing_can_part_is_refused_by_name(law, friction):
    """A ball that time moves into the ground has no answer to impulses."""
    model = rbd.Model("lift", gravity=(0, 0, 0))
    down = rbd.Prescribed(rbd.Prismatic("z"), lambda t: (-t, -1.0, 0.0))
    model.add_body("lift", joint=down, geometry=rbd.Sphere(0.1))
    model.add_body("other", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, 1.0))
    model.add_ground(friction=friction, height=-0.13)
    with pytest.warns(rbd.simulation.SimulationWarning, match="STOPPED: no contact force can keep 'ground/lift'"):
        run = rbd.simulate(model, duration=0.1, dt=0.01, contact=law)
    assert run.t[-1] == pytest.approx(0.03, abs=1e-9)  # when it arrives


@pytest.mark.parametrize("law", ["rigid", "impulse"])
@pytest.mark.parametrize("way", [0, 3])
def test_what_is_too_fast_for_its_thickness_is_refused_by_name(law, way):
    """1e6 m/s or rad/s beside the ground would take a million steps of a tenth of a second; it ran on for ever."""
    model, q = ball(restitution=0.4, friction=0.3)
    q[6] += 0.05
    v = np.zeros(6)
    v[way] = 1e7 if way == 0 else 1e6
    with pytest.raises(SimulationError, match=r"e\+06 m/s.*ground/ball has 0.2 m.*contact='time_stepping'"):
        rbd.simulate(model, q, v, duration=0.1, dt=1e-3, contact=law)


@pytest.mark.parametrize("law", ["rigid", "impulse"])
def test_a_bullet_meets_a_thin_plate_whatever_the_step(law):
    """A step that crosses 4,000 quarters of the plate is divided where something is near, not where all is far away."""
    model, r, thick, speed, end = rbd.Model("range", gravity=(0, 0, 0)), 0.01, 1e-3, 1000.0, 0.02
    model.add_body("plate", geometry=rbd.Box((thick, 2.0, 2.0)))
    free = rbd.Free(translation="predecessor")
    model.add_body("bullet", joint=free, inertia=rbd.Inertia.sphere(r, 0.01), geometry=rbd.Sphere(r))
    model.add_contact("plate", "bullet", restitution=0.5)
    q = np.array([1.0, 0, 0, 0, -1.0, 0.013, 0.02])
    run = rbd.simulate(model, q, [0, 0, 0, speed, 0, 0], duration=end, dt=1e-3, contact=law)
    place = -r - thick / 2
    back = 0.5 * speed
    assert run.q[-1, 4] == pytest.approx(place - back * (end - (place + 1.0) / speed), abs=1e-11)  # event: 5e-13 steps
    assert run.v[-1, 3] == pytest.approx(-back, abs=1e-11)


@pytest.mark.parametrize("law", ["rigid", "impulse"])
def test_what_spins_too_fast_beside_the_ground_is_refused_by_name(law, monkeypatch):
    """The ground is no nearer than a small part of the way that its points go in a step: it ran on for ever."""
    monkeypatch.setattr(event_driven, "MOST_PARTS", 100)  # fewer, for a quick test
    model = rbd.Model("box")
    cube = rbd.Box((0.1, 0.2, 0.3))
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.box(cube.size, 1.0), geometry=cube)
    model.add_ground(friction=0.5)
    q, v = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5], np.eye(6)[0] * 1e7
    with pytest.raises(SimulationError, match=r"has made 10[01] such ones; more than 100 in a run have no end"):
        rbd.simulate(model, q, v, duration=0.1, contact=law)
