"""Checks of the exercises in the notebooks on Gebhardt and Romero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.course.verdict import Verdict, right, wrong
from rbdkit.errors import RbdkitError
from rbdkit.library.gebhardt_romero import CASES, INERTIA
from rbdkit.spatial import sphere, twist

SPEEDS = ((0.005, 18.97), (0.1, 3.0), (0.3, 4.0), (0.005, 445.0))
"""Steps and angular speeds on which an answer is tried."""


def quarter_turn(colatitude: float) -> Verdict:
    """The colatitude (rad) of a circle around which a frame without twist comes back turned by a right angle."""
    if not isinstance(colatitude, int | float | np.floating) or not 0.0 < colatitude < np.pi:
        return wrong(f"{colatitude!r} is not an angle between 0 (a point at the pole) and pi.")
    t = np.linspace(0.0, 2.0 * np.pi, 2001)
    ring = np.stack([np.cos(t), np.sin(t), 0.0 * t], axis=-1)
    triads = twist.non_twisting_frame(sphere.exp(np.array([0.0, 0.0, 1.0]), colatitude * ring))
    R = triads[0].T @ triads[-1]
    turn = np.arctan2(R[1, 0], R[0, 0])
    if abs(abs(turn) - 0.5 * np.pi) < 0.02:
        return right(f"it comes back turned by {np.degrees(turn):.2f}°: the enclosed area is 2π (1 - cos).")
    return wrong(f"it comes back turned by {np.degrees(turn):.1f}°. The turn is the area enclosed by the circle.")


def forbidden_turn(path: ArrayLike) -> Verdict:
    """A closed path (n, 3) of d3 after which a body that never twisted is turned about d3 by a right angle."""
    try:
        triads = twist.non_twisting_frame(path)
    except (RbdkitError, ValueError, TypeError) as fault:
        return wrong(f"give the points (n, 3) of a curve on the unit sphere: {fault}")
    points = triads[:, :, 2]
    if len(points) < 3 or not np.allclose(points[0], points[-1], atol=1e-6):
        return wrong("the path must end where it began, or d3 is not the same as before.")
    R = triads[0].T @ triads[-1]
    turn = float(np.arctan2(R[1, 0], R[0, 0]))
    if abs(abs(turn) - 0.5 * np.pi) < 0.02:
        return right(f"turned by {np.degrees(turn):.2f}° about d3 without ever turning about d3.")
    return wrong(f"it ends turned by {np.degrees(turn):.1f}°: enclose an eighth of the sphere, with any shape.")


def step_angle(angle: Callable[[float, float], float]) -> Verdict:
    """The angle (rad) by which the energy-momentum method turns a free body in a step h at angular speed w."""
    if not callable(angle):
        return wrong("give a function of (h, w) that returns an angle in rad.")
    found = np.array([float(angle(h, w)) for h, w in SPEEDS])
    exact = np.array([2.0 * np.arctan(0.5 * h * w) for h, w in SPEEDS])
    if np.allclose(found, exact, rtol=1e-6):
        return right("2 arctan(h w / 2): always less than h w, and never more than half a turn.")
    if np.allclose(found, [h * w for h, w in SPEEDS], rtol=1e-6):
        return wrong("h w is what the body itself does. The method moves the directors along chords.")
    if np.allclose(found, [np.arcsin(min(h * w, 1.0)) for h, w in SPEEDS], rtol=1e-6):
        return wrong("arcsin(h w) is the other method's; here velocity times step is the chord of the *mean* director.")
    if np.allclose(found, 0.5 * exact, rtol=1e-6):
        return wrong("that is half of it: draw the chord and the director in its middle.")
    h, w = SPEEDS[2]
    return wrong(f"at h = {h} s, w = {w} rad/s it turns {exact[2]:.4f} rad; your function says {found[2]:.4f}.")


def longest_chord(step: float) -> Verdict:
    """The longest step (s), to ten per cent, with which the Lagrange-d'Alembert method survives case 3."""
    if not isinstance(step, int | float | np.floating) or not 0.0 < step < 1.0:
        return wrong(f"{step!r} is not a step in seconds.")
    limit = 1.0 / float(np.linalg.norm(np.linalg.solve(INERTIA, CASES[2].momentum(1.0))))
    if 0.9 * limit <= step <= limit:
        return right(
            f"the end is h w = 1: {1e3 * limit:.3f} ms, with w after the load. The paper's own step is longer."
        )
    if step > limit:
        return wrong(f"with {1e3 * step:.3g} ms it stops before the load has gone. How long can a chord be?")
    return wrong(f"{1e3 * step:.3g} ms is safe, but be bolder: how long may a chord of the unit circle be?")
