"""Scenes of bodies that touch: they start as their docstrings say, and do what they are known for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import library
from rbdkit.algorithms import aba, crba
from rbdkit.algorithms.contact import separation
from rbdkit.errors import ModelError
from rbdkit.library import woodpecker

G = 9.81


def pose(run, name, k=-1):
    return rbd.forward_kinematics(run.model, run.q[k]).pose(name)


def test_scenes_start_apart_or_touching():
    """Nothing begins inside of anything else, and what is to touch does."""
    for start, touching in (
        (library.bouncing_ball(), 0), (library.newtons_cradle(3, gap=0.0, lifted=0.0), 2), (library.ball_pit(12), 0),
        (library.block_on_slope(), 4), (library.painleve_rod(), 1), (library.disc_in_slot(), 2),
        (library.rolling_wheel(9), 2), (library.rolling_wheel(None), 1), (library.rattleback(), 1),
        (library.tippe_top(), 1), (library.domino_row(3), 12), (library.quadruped(), 4), (library.humanoid(), 0),
        (library.woodpecker_toy(), 2),
    ):  # fmt: skip
        gaps = np.array([contact.phi for contact in rbd.contacts(start.model, start.q, start.v, margin=0.05)])
        assert gaps.min(initial=1.0) > -1e-9, start.model.name
        assert np.count_nonzero(np.abs(gaps) < 1e-9) == touching, start.model.name
    pyramid = library.box_pyramid(3)
    assert len(pyramid.model.bodies) == 7
    assert min(contact.phi for contact in rbd.contacts(pyramid.model, pyramid.q, margin=0.01)) > -1e-9


def test_bounces_are_a_geometric_series():
    e, height = 0.7, 0.2
    run = rbd.simulate(*library.bouncing_ball(height, e), duration=0.7, dt=5e-3, contact="impulse")
    times = [event.t for event in run.events if event.kind == "impact"][:2]
    fall = np.sqrt(2 * height / G)
    assert_allclose(times, fall * np.array([1.0, 1 + 2 * e]), atol=1e-9)


def test_the_cradle_hands_the_blow_to_the_last_ball():
    """With gaps it goes from ball to ball; energy and momentum are kept, and the last one leaves alone."""
    run = rbd.simulate(*library.newtons_cradle(3, 0.4), duration=0.45, dt=5e-3, contact="impulse")
    v = run.v[-1]
    assert np.abs(v[2]) > 50.0 * np.abs(v[:2]).max()
    E = np.array(run.energy().total)
    assert_allclose(E, E[0], atol=1e-8)


@pytest.mark.parametrize("lifted", [0.3, 0.6, 1.4])
def test_the_cradle_is_one_under_the_default_law_at_the_default_step(lifted):
    """Only the last ball leaves, as high as the first one came from; the others hang, but for their gaps."""
    start = library.newtons_cradle(lifted=lifted)
    run = rbd.simulate(*start, duration=0.75)
    highest = np.abs(run.q[run.t > 0.4]).max(axis=0)
    assert_allclose(highest[4], lifted, rtol=2e-3)  # of first order: 1 ms
    assert highest[:4].max() < 0.03
    E = np.array(run.energy().total)
    assert_allclose(E[-1], E[0], atol=5e-3 * 0.5 * G * 0.3 * (1.0 - np.cos(lifted)))


@pytest.mark.parametrize("excess", [-1e-3, 1e-3])
def test_a_block_slips_where_the_tangent_is_the_friction(excess):
    angle = 0.4
    run = rbd.simulate(*library.block_on_slope(angle, np.tan(angle) - excess), duration=0.2, dt=5e-3)
    speed = 0.2 * G * (np.sin(angle) - (np.tan(angle) - excess) * np.cos(angle))
    assert_allclose(run.v[-1, 3], max(0.0, speed), atol=5e-5)  # sweeps end at their own tolerance


@pytest.mark.source("F11.06")
def test_the_rod_of_painleve_pulls_itself_down():
    """n . H^-1 (n + mu t) < 0 for one direction of sliding: there a force makes the tip come nearer."""
    mu, angle = 1.8, 1.1
    answers = {}
    for speed in (2.0, -2.0):
        model, q, v = library.painleve_rod(angle, mu, speed)
        contact = rbd.contacts(model, q, v, margin=1e-6)[0]
        T = separation(model, q, v, [contact])[0][:, 0]
        J = rbd.jacobian(model, q, "rod", reference="world")
        along = np.concatenate([np.cross(contact.point, [1.0, 0, 0]), [1.0, 0, 0]])
        friction = -np.sign(J.T @ along @ v) * mu * J.T @ along
        answers[speed] = T @ np.linalg.solve(crba(model, q).H, T + friction)
        assert_allclose(T @ aba(model, q, np.zeros(3), np.zeros(3)).qdd, -G, atol=1e-9)
    known = [1 + 3 * np.cos(angle) * (np.cos(angle) + s * mu * np.sin(angle)) for s in (-1, 1)]
    assert_allclose(sorted(answers.values()), known, atol=0.02)  # the bead at the tip has a radius
    assert min(answers.values()) < 0.0


def test_a_disc_is_held_by_narrow_walls():
    angle, force = 0.05, 3.0
    run = rbd.simulate(*library.disc_in_slot(angle, force=force), duration=0.02, dt=2e-3)
    assert_allclose(run.v[-1], 0.0, atol=1e-6)
    for name in ("upper wall/disc", "lower wall/disc"):
        assert_allclose(
            run.contacts.normal_force(name)[-3:-1], force / (2 * np.sin(angle)), rtol=1e-3
        )  # sweeps, as above


def test_a_wheel_with_edges_loses_what_a_round_one_gains():
    runs = [rbd.simulate(*library.rolling_wheel(edges), duration=0.3, dt=2e-3) for edges in (8, None)]
    start = [float(rbd.energy(run.model, run.q[0], run.v[0]).total) for run in runs]
    lost = [before - float(rbd.energy(run.model, run.q[-1], run.v[-1]).total) for before, run in zip(start, runs)]
    assert lost[0] > 0.1 and abs(lost[1]) < 0.1 * lost[0]
    round_ = runs[1]
    assert_allclose(round_.v[-1, 0] - round_.v[0, 0], 0.3 * G * np.sin(0.1) / 0.3 / 1.5, rtol=3e-2)  # a = 2/3 g sin


def test_the_tippe_top_turns_over_and_keeps_jelletts_integral():
    """As quickly in steps a quarter as long: it is friction that does it, not the step."""
    start, times = library.tippe_top(), []
    inertia = start.model.bodies[-1].inertia
    for dt, most in ((2e-4, 6e-3), (5e-5, 1.5e-3)):
        run = rbd.simulate(*start, duration=1.8, dt=dt, every=round(0.01 / dt))
        R = run.poses("top")[:, :3, :3]
        up, omega = R[:, 2, 2], (R @ run.v[:, 3:, None])[..., 0]
        to_contact = np.array([0.0, 0.0, -0.02]) + R @ [0.0, 0.0, 0.006]
        momentum = (R @ inertia.inertia_com @ R.swapaxes(1, 2) @ omega[..., None])[..., 0]
        jellett = np.einsum("ij,ij->i", momentum, to_contact)
        assert run.model.name == "tippe top"
        assert up[0] > 0.99 and min(up) < -0.98
        times.append(run.t[np.argmax(up < 0.0)])
        assert_allclose(jellett, jellett[0], rtol=most)  # of the step, first order
    assert_allclose(times[1], times[0], atol=0.05)


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT")
def test_the_rattleback_does_not_like_one_direction():
    """Spun the right way it goes on; the wrong way it rattles, and the spin dies or turns."""
    spins = []
    for spin in (-5.0, 5.0):
        run = rbd.simulate(*library.rattleback(spin), duration=0.8, dt=1e-3)
        spins.append(abs(float((pose(run, "celt")[:3, :3] @ run.v[-1, 3:])[2])))
    assert spins[0] > 4.0 and spins[1] < 0.8 * spins[0]


def test_dominoes_fall_one_after_the_other():
    run = rbd.simulate(*library.domino_row(2), duration=0.3, dt=2e-3)
    falls = []
    for name in ("domino1", "domino2"):
        leaning = [pose(run, name, k)[2, 2] for k in range(len(run.t))]
        falls.append(int(np.argmax(np.array(leaning) < 0.9)))
    assert 0 < falls[0] < falls[1]


def test_a_quadruped_stands_and_a_humanoid_falls():
    run = rbd.simulate(*library.quadruped(0.02), duration=0.6, dt=2e-3)
    assert run.q[-1, 6] > 0.25 and np.abs(run.v[-1]).max() < 0.2
    weight = 9.81 * sum(body.inertia.mass for body in run.model.bodies[1:])
    carried = sum(run.contacts.normal_force(pair.name)[-20:].mean() for pair in run.model.contact_pairs)
    assert_allclose(carried, weight, rtol=0.05)  # it still sways a little
    run = rbd.simulate(*library.humanoid(0.02), duration=0.15, dt=2e-3, contact=rbd.laws.TimeStepping(sweeps=3000))
    assert run.contacts.gap.min() > -5e-3
    assert sum(run.contacts.normal_force(pair.name).max() for pair in run.model.contact_pairs) > 100.0


@pytest.mark.robots
@pytest.mark.parametrize(("name", "feet"), [("anymal", "SHANK"), ("romeo_small", "ankle")])
def test_robots_come_down_on_the_shapes_that_their_files_have_for_it(name, feet):
    start = library.dropped_robot(name, height=0.01)
    roles = {shape.role for pair in start.model.contact_pairs for shape in (pair.shape_s,)}
    assert roles == {"collision"}
    run = rbd.simulate(*start, duration=0.12, dt=2e-3)
    assert run.report.backend.startswith("compiled loop") and not run.report.alarms(run.model)
    first = run.events[0]
    assert feet in first.names[0]
    assert_allclose(first.t, np.sqrt(2 * 0.01 / G), atol=4e-3)  # it falls freely until then
    assert run.report.contacts.penetration < 1e-3
    assert sum(run.contacts.normal_force(pair.name).max() for pair in run.model.contact_pairs) > G * run.model.mass


def test_the_woodpecker_pecks_its_way_down():
    """The motion comes back to itself, lower: five pecks or so in half a second."""
    run = rbd.simulate(*library.woodpecker_toy(), duration=0.2, dt=2e-4)
    down = run.q[0, 0] - run.q[-1, 0]
    assert 0.005 < down < 0.03  # a free fall would be 0.26 m
    beak = [event for event in run.events if event.kind == "impact" and "pole/bird" in event.names]
    assert len(beak) >= 1
    assert np.abs(run.q[:, 1]).max() < (woodpecker.SLEEVE - woodpecker.POLE) / woodpecker.HALF_HEIGHT * 1.2


def test_what_is_refused():
    for make in (
        lambda: library.newtons_cradle(1), lambda: library.newtons_cradle(3, gap=-1.0), lambda: library.ball_pit(0),
        lambda: library.disc_in_slot(0.0), lambda: library.rolling_wheel(2), lambda: library.domino_row(0),
        lambda: library.domino_row(3, gap=0.0), lambda: library.box_pyramid(0),
    ):  # fmt: skip
        with pytest.raises(ModelError):
            make()


def test_sizes_that_fill_the_memory_are_refused():
    for make in (rbd.library.chain_pendulum, rbd.library.ball_pit, rbd.library.soft_cube, rbd.library.domino_row):
        with pytest.raises(ModelError, match=f"{make.__name__}: .* = 9223372036854775808 is more than .* take "):
            make(2**63)
    with pytest.raises(ModelError, match="tilt = 0 rad must be more than 0"):
        rbd.library.spinning_coin(0.0)
