"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): lost dots in chapters 5 and 9."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.functions import forward_kinematics
from rbdkit.library import chain_pendulum
from rbdkit.library.geared import elliptic_gears
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crm
from rbdkit_course.errata.featherstone import SCAN, SOURCE, largest
from rbdkit_course.errata.finding import Errors, Finding


def rate(f: Callable[[float], NDArray], h: float = 1e-3) -> NDArray:
    """Derivative of a function of time at time 0."""
    return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)


def eq_5_8() -> Errors:
    """Acceleration of the last body of a chain in base coordinates, against the rate of its velocity."""
    model, q, qd, qdd = chain_pendulum(3), np.array([0.3, -0.6, 0.4]), np.array([1.0, -2.0, 0.5]), np.ones(3)

    def motion(t: float) -> tuple[NDArray, NDArray]:
        """Axes s (6, 3) of the joints and velocity of the last body, in base coordinates."""
        at = q + t * qd + 0.5 * t**2 * qdd
        X = [plucker.inverse(plucker.from_pose(T)) for T in forward_kinematics(model, at).poses]
        s = np.column_stack([X[i] @ model.joints[i].motion_subspace(at)[:, 0] for i in model.outward])
        return s, s @ (qd + t * qdd)

    exact = rate(lambda t: motion(t)[1])
    s, _ = motion(0.0)
    v = np.cumsum(s * qd, axis=1)  # of bodies 1, 2, 3
    s_rate = np.column_stack([crm(v[:, i]) @ s[:, i] for i in range(3)])  # axes that move with their bodies
    return Errors(largest(s @ qdd + s @ qd - exact), largest(s @ qdd + s_rate @ qd - exact))


def section_9_6() -> Errors:
    """Acceleration of the second of two elliptical wheels while the first keeps its speed, against g."""
    e, y, yd = 0.5, 0.8, 2.0
    gears = elliptic_gears(e)
    G_rate = rate(lambda t: gears.G([y + t * yd])[:, 0])
    slope = -2.0 * e * (1.0 - e**2) * np.sin(y) / (1.0 + e**2 + 2.0 * e * np.cos(y)) ** 2  # of dq2/dy, by hand
    exact = np.array([0.0, slope * yd**2])
    return Errors(largest(G_rate * y - exact), largest(G_rate * yd - exact))


FINDINGS = (
    Finding(
        SOURCE, "Eq 5.8",
        r"$a_i = a_{\lambda(i)} + S_i\,\ddot q_i + S_i\,\dot q_i$",
        r"$a_i = a_{\lambda(i)} + S_i\,\ddot q_i + \dot S_i\,\dot q_i$",
        "Compared with the rate of change of a body's velocity in base coordinates. Such dots are lost in Eqs 2.57, "
        "3.71, 8.13, 8.60 and 11.10, too, each time beside a display that has them: the scan, surely.",
        eq_5_8, margin=0.1, tolerance=1e-9, unit="rad/s², m/s²", doubt=SCAN,
    ),
    Finding(
        SOURCE, "section 9.6, the display of $G$ and $g$",
        r"$g = \dot G\, y$", r"$g = \dot G\, \dot y$",
        "The sentence before the display has it right. Two elliptical wheels, where $g$ is not zero.",
        section_9_6, margin=0.1, tolerance=1e-9, unit="rad/s²", doubt=SCAN,
    ),
)  # fmt: skip
