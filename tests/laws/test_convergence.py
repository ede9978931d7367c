"""All laws go to the rigid one, with the order that they promise."""

import numpy as np

import rbdkit as rbd
from rbdkit.laws import Compliant
from tests.laws.scenes import ball


def scene():
    """A ball that lands, slides and begins to roll; the times of both events are known in closed form."""
    model, q = ball(friction=0.2)
    q[6] += 0.05
    return model, q, np.array([0.0, 0.0, 0.0, 1.5, 0.0, 0.0])


def place(motion):
    return motion.poses("ball")[-1, :3, 3]


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
