"""Points of bodies at random states, and derivatives of wrenches by complex steps."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.algorithms.elastic import Attached
from rbdkit.spatial import se3

TINY = 1e-30
"""Of a complex step: nothing is subtracted, so its square is all that is lost."""


@pytest.fixture
def attached():
    """A function that gives n points of bodies that move."""

    def make(n, seed=0):
        rng = np.random.default_rng(seed)
        return [Attached(se3.random(rng), rng.normal(size=3), rng.normal(size=6)) for _ in range(n)]

    return make


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def place(point, turn, twist):
    """Rotation, position and velocity of a point whose body is displaced by a small `turn` and has another twist."""
    step = np.zeros((4, 4), dtype=complex)
    step[:3, :3], step[:3, 3] = skew(turn[:3]), turn[3:]
    E = point.E @ (np.eye(4) + step)  # the exponential, to the order that a complex step sees
    phi = point.phi + twist
    R = E[:3, :3]
    return R, E[:3, 3] + R @ point.x, R @ (phi[3:] + skew(phi[:3]) @ point.x)


def by_complex_steps(points, law):
    """f, df/dE and df/dPhi of ``law(positions, velocities)``, which gives the forces (n, 3) in world axes."""
    n = 6 * len(points)

    def f(turns, twists):
        at = [place(p, turns[6 * k : 6 * k + 6], twists[6 * k : 6 * k + 6]) for k, p in enumerate(points)]
        forces = law([x for _, x, _ in at], [v for _, _, v in at])
        local = [R.T @ force for (R, _, _), force in zip(at, forces, strict=True)]
        return np.concatenate([part for p, F in zip(points, local, strict=True) for part in (skew(p.x) @ F, F)])

    none = np.zeros(n)
    by_E = np.array([f(1j * TINY * e, none).imag / TINY for e in np.eye(n)]).T
    by_Phi = np.array([f(none, 1j * TINY * e).imag / TINY for e in np.eye(n)]).T
    return f(none, none).real, by_E, by_Phi


@pytest.fixture
def complex_steps():
    """`by_complex_steps`."""
    return by_complex_steps
