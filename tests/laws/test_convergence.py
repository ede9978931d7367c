"""All laws go to the rigid one, with the order that they promise."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.laws import Compliant, TimeStepping
from tests.laws.scenes import ball


def scene():
    """A ball that lands, slides and begins to roll; the times of both events are known in closed form."""
    model, q = ball(friction=0.2)
    q[6] += 0.05
    return model, q, np.array([0.0, 0.0, 0.0, 1.5, 0.0, 0.0])


def place(motion):
    return motion.poses("ball")[-1, :3, 3]


def in_closed_form():
    """Where the ball of that scene is along the ground after 0.4 s."""
    g, mu, fall = 10.0, 0.2, 0.1
    landed, rim = 1.5 - mu * g * fall, 2.5 * mu * g * fall
    slides = (landed - rim) / (3.5 * mu * g)
    rolling = landed - mu * g * slides
    return 1.5 * fall + landed * slides - 0.5 * mu * g * slides**2 + rolling * (0.4 - fall - slides)


def missed(law, dt):
    model, q, v = scene()
    return abs(place(rbd.simulate(model, q, v, duration=0.4, dt=dt, contact=law))[0] - in_closed_form())


@pytest.mark.parametrize("solver", ["cone", "pyramid", "program", "staggered"])
def test_every_solver_comes_to_the_closed_form(solver):
    """The pyramid has a face along the way, so that it slides as the cone does; 'program' lifts off by mu s h."""
    off = [missed(TimeStepping(solver=solver), dt) for dt in (8e-3, 2e-3)]
    assert 0.8 < np.log2(off[0] / off[1]) / 2.0 < 1.3, off


@pytest.mark.parametrize("law", ["rigid", "impulse"])
def test_laws_with_events_are_there_at_once(law):
    assert missed(law, 0.02) < 2e-5
    assert missed(law, 5e-3) < 1e-6


@pytest.mark.parametrize("patch", ["analytic", "state"])
def test_soft_ground_comes_to_the_closed_form(patch):
    """Dents go with 1 / K, times of blows with its root; what decides lies between."""
    off = [missed(Compliant(stiffness=K, damping=2.0 * K**0.5, patch=patch), 0.1 / K**0.5) for K in (2e3, 1.28e5)]
    assert 0.5 < np.log(off[0] / off[1]) / np.log(64.0) < 1.1, off


def test_time_stepping_is_of_first_order():
    """Half the step, half the distance from the rigid motion."""
    model, q, v = scene()
    rigid = place(rbd.simulate(model, q, v, duration=0.4, dt=0.02, contact="rigid"))
    off = [
        np.linalg.norm(place(rbd.simulate(model, q, v, duration=0.4, dt=dt, contact="time_stepping")) - rigid)
        for dt in (0.008, 0.004, 0.002)
    ]
    assert off[-1] < 4e-3
    order = np.log2(off[0] / off[-1]) / 2.0
    assert 0.7 < order < 1.5, off


def test_compliant_surfaces_go_to_rigid_ones():
    """With damping that grows with the root of K, dents and times of contact, and so the error, go with that root."""
    model, q, v = scene()
    rigid = place(rbd.simulate(model, q, v, duration=0.4, dt=0.02, contact="rigid"))
    off = []
    for k in (1.0, 8.0):
        law = Compliant(stiffness=2e3 * k, damping=2.0 * np.sqrt(2e3 * k))
        motion = rbd.simulate(model, q, v, duration=0.4, dt=5e-3 / np.sqrt(k), contact=law)
        off.append(np.linalg.norm(place(motion) - rigid))
    order = np.log(off[0] / off[-1]) / np.log(8.0)
    assert off[-1] < 0.01
    assert order > 0.4, off


def test_blows_of_restitution_converge_too():
    model, q = ball(restitution=0.6)
    q[6] += 0.2
    exact = rbd.simulate(model, q, duration=0.5, dt=0.02, contact="impulse").q[-1, 6]
    off = [
        abs(rbd.simulate(model, q, duration=0.5, dt=dt, contact="time_stepping").q[-1, 6] - exact)
        for dt in (0.004, 0.001)
    ]
    assert off[1] < 0.5 * off[0]
    assert off[1] < 5e-3
