"""Motion from event to event: bounces, sliding off edges, bodies that lift off, against closed forms and energy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms import aba
from rbdkit.algorithms.contact import (
    MotionStep,
    SphereOnPlane,
    SphereOnSphere,
    VertexOnFace,
    VertexOnPlane,
    event_driven,
    hermite_motion,
    heun_motion,
)
from rbdkit.algorithms.solvers import InfeasibleError
from rbdkit.errors import ConvergenceError, ModelError, StateError
from rbdkit.library import random_state, random_tree

G = 9.81


def flat(inertia=None, name="body"):
    """A body that moves in the x-z plane: slides along x, rises along z, turns about y."""
    model = rbd.Model("flat")
    model.add_body(name, joint=rbd.Planar("y"), inertia=inertia or rbd.Inertia.box([0.4, 0.2, 0.2], mass=2.0))
    return model


def energy(model, run):
    return np.array([float(rbd.energy(model, q, v).total) for q, v in zip(run.q, run.v, strict=True)])


@pytest.mark.source("F11.08")
@pytest.mark.parametrize("e", [0.5, 0.9])
def test_a_bouncing_ball(e):
    """Its impacts are a geometric series; all of Heun's steps are exact here, so impacts are to round-off."""
    model = rbd.Model("ball")
    model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    floor = SphereOnPlane("floor", "world", "ball", (0.0, 0.0, 0.0), 0.1)
    height = 0.3
    first = np.sqrt(2 * height / G)
    times = first + 2 * first * np.cumsum(e ** np.arange(1, 8))
    times = np.concatenate([[first], times])
    run = event_driven(model, np.array([0.1 + height]), np.zeros(1), [floor], duration=float(times[6]), h=0.01, e=e)
    gains = [change for change in run.changes if change.kind == "gain"]
    assert_allclose([gain.t for gain in gains[:6]], times[:6], rtol=1e-12)
    assert_allclose([gain.impulse["floor"] for gain in gains[:6]], G * first * (1 + e) * e ** np.arange(6), rtol=1e-11)
    lost = 0.5 * (G * first) ** 2 * e ** (2 * np.arange(6)) * (1 - e**2)
    assert_allclose([gain.energy_lost for gain in gains[:6]], lost, rtol=1e-9)
    assert run.phi.min() > -1e-9


@pytest.mark.source("F11.08")
def test_bounces_come_to_an_end():
    """Below the speed of settling the ball stays: then it carries its weight, as a contact in state 3."""
    model = rbd.Model("ball")
    model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    floor = SphereOnPlane("floor", "world", "ball", (0.0, 0.0, 0.0), 0.1)
    run = event_driven(model, np.array([0.2]), np.zeros(1), [floor], duration=0.5, h=0.01, e=0.5, settle=0.01)
    assert run.changes[-1].active == ("floor",)
    assert run.changes[-1].t < np.sqrt(0.2 / G) * 3.0  # where the series ends
    assert_allclose([run.lam[-1, 0], run.q[-1, 0], run.v[-1, 0]], [G, 0.1, 0.0], atol=1e-9)
    with pytest.raises(ConvergenceError, match="contact events until t"):
        event_driven(model, np.array([0.2]), np.zeros(1), [floor], duration=1.2, h=0.01, e=0.5, settle=0.0, most=10)


@pytest.mark.source("F11.08", "F11.11")
def test_a_block_slides_off_a_table():
    """Its corner is lost at the edge, where no force told it, and the edge gained; where the middle passes, it tips."""
    model = flat()
    table = ((-2.0, -1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (-2.0, 1.0, 0.0))
    below = ((-0.2, -0.1, -0.1), (-0.2, 0.1, -0.1), (0.2, 0.1, -0.1), (0.2, -0.1, -0.1))
    pairs = [VertexOnFace(n, "world", "body", (x, 0.0, -0.1), table) for n, x in (("front", 0.2), ("back", -0.2))]
    pairs.append(VertexOnFace("edge", "body", "world", (0.0, 0.0, 0.0), below))
    run = event_driven(model, planar(-0.35, 0.1), planar(1.0, 0.0), pairs, duration=0.4, h=1e-2, most=20)
    events = [(change.kind, change.names) for change in run.changes]
    assert events == [
        ("start", ("front", "back")), ("geometric loss", ("front",)), ("gain", ("edge",)),
        ("negative force", ("back",)),
    ]  # fmt: skip
    start, loss, gain, tips = run.changes
    assert_allclose([loss.t, gain.t, tips.t], [0.15, 0.15, 0.35], atol=1e-7)  # 1 m/s
    assert_allclose([start.lam["front"], start.lam["back"]], [G, G], rtol=1e-12)
    assert_allclose([gain.lam["edge"], gain.lam["back"]], [G, G], rtol=1e-6)
    assert gain.energy_lost < 1e-9 and tips.active == ("edge",)
    E = energy(model, run)
    assert_allclose(E, E[0], atol=1e-4)  # no friction, no impacts: Heun's error alone
    assert np.abs(run.phi[-1, 2]) < 1e-9 and run.lam[-1, 2] > 0.0


def planar(x, z, turned=0.0):
    """Coordinates, or velocities, of the flat body: its planar joint about y counts turn, z and x."""
    return np.array([turned, z, x])


@pytest.mark.source("F11.11")
def test_dynamic_and_geometric_loss_differ():
    """A bead on a ball leaves where the force is zero, at 2/3 of the height; a block leaves a table under force."""
    model = flat(rbd.Inertia.sphere(0.01, mass=1.0))
    R = 1.0
    ball = SphereOnSphere("ball", "world", "body", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), R - 0.01, 0.01)
    a = 0.3
    q = planar(R * np.sin(a), R * np.cos(a))
    run = event_driven(model, q, np.zeros(3), [ball], duration=0.7, h=4e-3)
    losses = [change for change in run.changes[1:] if not change.current]
    assert losses[0].kind == "negative force"
    k = int(np.searchsorted(run.t, losses[0].t))
    height = rbd.forward_kinematics(model, run.q[k]).pose("body")[2, 3]
    assert_allclose(height, 2.0 / 3.0 * np.cos(a), atol=1e-6)
    assert abs(run.lam[:k, 0]).max() < 1.0 * G and run.lam[: k - 1, 0].min() > -1e-9
    assert np.abs(run.phi[:k]).max() < 1e-12


@pytest.mark.source("F11.08")
def test_a_box_falls_flat_on_its_corners():
    """Four gains at one moment are one event; then three of four corners are a basis, and the box stays."""
    model = rbd.Model("box")
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.box([0.4, 0.2, 0.2], mass=2.0))
    pairs = [VertexOnPlane(f"{x:+d}{y:+d}", "world", "box", (0.2 * x, 0.1 * y, -0.1)) for x in (-1, 1) for y in (-1, 1)]
    q = model.neutral()
    q[-1] = 0.15
    run = event_driven(model, q, np.zeros(6), pairs, duration=0.2, h=5e-3)
    assert [change.kind for change in run.changes] == ["start", "gain"]
    gain = run.changes[1]
    assert_allclose(gain.t, np.sqrt(2 * 0.05 / G), rtol=1e-12)
    assert len(gain.current) == 4 and len(gain.active) == 3 and set(gain.tried) == set(gain.current)
    assert_allclose(sum(gain.impulse.values()), 2.0 * G * gain.t, rtol=1e-12)
    assert_allclose(run.q[-1], run.q[-2], atol=1e-12)
    assert_allclose(run.lam[-1].sum(), 2.0 * G, rtol=1e-10)


@pytest.mark.source("F11.08")
def test_a_box_that_tips_keeps_its_energy_and_hits_again():
    """It stands on an edge, falls over without friction and lands: the events in between are the book's."""
    model = flat()
    corners = [VertexOnPlane(n, "world", "body", (x, 0.0, z)) for n, x, z in
               (("right", 0.2, -0.1), ("left", -0.2, -0.1), ("top", 0.2, 0.1))]  # fmt: skip
    turned = 0.6  # about y: the right corner goes down
    R = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
    q = planar(0.0, -(R @ [0.2, -0.1])[1], turned)
    gaps = [pair.at(model, q, np.zeros(3)).phi for pair in corners]
    assert_allclose(gaps[0], 0.0, atol=1e-12)
    run = event_driven(model, q, np.zeros(3), corners, duration=0.25, h=1e-2, settle=0.05, most=60)
    gain = next(change for change in run.changes if change.kind == "gain")
    E = energy(model, run)
    k = int(np.searchsorted(run.t, gain.t))
    assert_allclose(E[:k], E[0], atol=2e-3)  # of Heun's steps
    assert run.phi.min() > -3e-4 and gain.energy_lost > 0.0


@pytest.mark.source("F11.03", "F11.08")
def test_a_disc_that_runs_into_a_slot_is_named_with_the_time():
    """Example 11.1 with speed: at the moment when the second wall is reached no forces exist."""
    r, R, m = 0.1, 0.5, 2.0
    model = rbd.Model("slot", gravity=(0.0, 0.0, 0.0))
    model.add_body("disc", joint=rbd.Planar("z"), inertia=rbd.Inertia.cylinder(r, 0.02, mass=m))
    walls = [
        SphereOnSphere(name, "world", "disc", (0.0, y, 0.0), (0.0, 0.0, 0.0), -R, r)
        for name, y in (("upper wall", r - R), ("lower wall", R - r))
    ]
    with pytest.raises(InfeasibleError, match="no contact force can keep") as error:
        event_driven(model, model.neutral(), np.array([0.0, 1.5, 0.0]), walls, duration=0.1)
    assert "at t = 0 s, at a start" in error.value.__notes__[0]


def test_what_is_refused():
    model = flat()
    floor = VertexOnPlane("floor", "world", "body", (0.0, 0.0, -0.1))
    with pytest.raises(StateError, match=r"'floor' penetrates by 0\.1"):
        event_driven(model, model.neutral(), np.zeros(3), [floor], duration=0.1)
    with pytest.raises(ModelError, match="three corners"):
        VertexOnFace("f", "world", "body", (0.0, 0.0, 0.0), ((0, 0, 0), (1, 0, 0)))
    with pytest.raises(ModelError, match="no area"):
        VertexOnFace("f", "world", "body", (0.0, 0.0, 0.0), ((0, 0, 0), (1, 0, 0), (2, 0, 0)))
    with pytest.raises(ModelError, match="flat convex"):
        VertexOnFace("f", "world", "body", (0.0, 0.0, 0.0), ((0, 0, 0), (1, 0, 0), (0.1, 0.1, 0), (0, 1, 0)))


@pytest.mark.source("F11.09")
@pytest.mark.parametrize("seed", range(4))
def test_the_inside_of_steps_on_manifolds(seed):
    """Heun's polynomial and Hermite's: orders 2 and 3 or more inside a step, with quaternions of unit length."""
    model = random_tree(seed, 5)
    q, v = random_state(model, seed)[:2]

    def rate(q, v, t):
        return aba(model, q, v, np.zeros(model.nv)).qdd

    def exact(h, parts=64):
        for _ in range(parts):
            q_, v_ = state[0], state[1]
            state[:] = heun_motion(model, rate, q_, v_, 0.0, h / parts).at(1.0)
        return state

    errors = []
    for h in (4e-3, 2e-3):
        state = [q, v]
        middle = [part.copy() for part in exact(0.4 * h)]
        end = [part.copy() for part in exact(0.6 * h)]
        heun = heun_motion(model, rate, q, v, 0.0, h)
        hermite = hermite_motion(model, (q, v, rate(q, v, 0)), (*end, rate(*end, h)), h)
        errors.append([off(model, each, middle, 0.4) for each in (heun, hermite)])
        assert_allclose(off(model, hermite, end, 1.0), 0.0, atol=1e-10 * (1 + np.abs(v).max()))
    orders = np.log2(np.array(errors[0]) / errors[1])
    assert orders[0] > 1.7 and (orders[1] > 2.7 or errors[1][1] < 1e-9)


def off(model, step: MotionStep, known, delta):
    q, v = step.at(delta)
    return float(max(np.abs(model.difference(known[0], q)).max(), np.abs(v - known[1]).max()))
