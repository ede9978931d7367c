"""The rattleback against its own equations of motion, which know nothing of contacts."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit import library
from rbdkit.spatial import quaternion

RADII, BELOW, MASS, G = np.array([0.2, 0.03, 0.02]), np.array([0.0, 0.0, 0.01]), 1.0, 9.81


def rolling(start, times):
    """Spin about the vertical of an ellipsoid that rolls without slipping, in the axes of the body.

    Unknowns are the vertical g in the body and w; r(g) leads from the centre of mass to the contact, v = -w x r, and
    the moments of the force F = m (v' + w x v + G g) there, I w' + w x I w = r x F, hold what rolls.
    """
    inertia, square = start.model.bodies[-1].inertia.inertia_com, RADII**2

    def rate(t, y):
        up, w = y[:3], y[3:]
        support = np.sqrt(up @ (square * up))
        r, up_rate = BELOW - square * up / support, np.cross(up, w)
        r_rate = -square * up_rate / support + square * up * (up @ (square * up_rate)) / support**3
        v = -np.cross(w, r)
        skew = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
        free = MASS * (-np.cross(w, r_rate) + np.cross(w, v) + G * up)
        turning = np.linalg.solve(inertia - MASS * skew @ skew, -np.cross(w, inertia @ w) + np.cross(r, free))
        return np.concatenate([up_rate, turning])

    R = quaternion.to_matrix(start.q[3:])
    y = solve_ivp(rate, (0.0, times[-1]), [*R[2], *start.v[3:]], "DOP853", times, rtol=1e-7, atol=1e-9).y
    return (y[:3] * y[3:]).sum(axis=0)


def spins(run):
    """About the vertical, rad/s."""
    return (run.poses("celt")[:, :3, :3] @ run.v[:, 3:, None])[:, 2, 0]


def test_it_rolls_as_its_equations_say():
    """'rigid', order by order: ball joint, contact of an ellipsoid and its normal's rate, friction that sticks."""
    start = library.rattleback()
    off = []
    for dt in (6e-3, 3e-3):
        run = rbd.simulate(*start, duration=0.24, dt=dt, contact="rigid")
        off.append(np.abs(spins(run) - rolling(start, run.t)).max())
    assert off[1] < 1e-3 and off[1] < 0.1 * off[0], off  # of fourth order


def test_it_turns_back():
    """5 rad/s are -1.23 after 3.5 s where nothing takes energy, and in steps of 0.2 ms -1 or so. Not the other way."""
    assert rolling(library.rattleback(), [0.0, 3.5])[1] == pytest.approx(-1.234, abs=5e-3)
    run = rbd.simulate(*library.rattleback(), duration=3.5, dt=2e-4, every=100)
    assert spins(run)[-1] < -0.7
    other = rbd.simulate(*library.rattleback(-5.0), duration=1.0, dt=2e-4, every=100)
    assert spins(other).max() < -4.5
