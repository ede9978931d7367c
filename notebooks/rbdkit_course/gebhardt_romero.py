"""Checks of the exercises in the notebooks on Gebhardt and Romero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdkit.errors import RbdkitError
from rbdkit.library.gebhardt_romero import CASES, INERTIA
from rbdkit.spatial import sphere, twist
from rbdkit_course.answers import brief, call, names, number, numbers, short
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "CASES": "rbdkit.library.gebhardt_romero:CASES",
    "HEADINGS": "rbdkit_course.three_cases:HEADINGS",
    "INERTIA": "rbdkit.library.gebhardt_romero:INERTIA",
    "Plot": "rbdkit.figures:Plot",
    "Table": "rbdkit.widgets.table:Table",
    "carried_home": "rbdkit_course.stepping_pictures.carried_home:carried_home",
    "component_figure": "rbdkit.figures.directors:component_figure",
    "directors": "rbdkit.figures.directors",
    "energy_figure": "rbdkit.figures.directors:energy_figure",
    "errors_of_steps": "rbdkit_course.three_cases:errors_of_steps",
    "exact_end": "rbdkit_course.three_cases:exact_end",
    "fixed_point_model": "rbdkit.library.gebhardt_romero:fixed_point_model",
    "kept_momentum": "rbdkit_course.stepping_pictures.kept_momentum:kept_momentum",
    "momentum_figure": "rbdkit.figures.directors:momentum_figure",
    "pairwise": "itertools:pairwise",
    "quotient": "rbdkit_course.three_cases:quotient",
    "rivals": "rbdkit_course.three_cases:rivals",
    "run": "rbdkit_course.three_cases:run",
    "so3": "rbdkit.spatial.so3",
    "plt": "matplotlib.pyplot",
    "sphere": "rbdkit.spatial.sphere",
    "sphere_figure": "rbdkit.figures.directors:sphere_figure",
    "stationary": "rbdkit_course.three_cases:stationary",
    "twist": "rbdkit.spatial.twist",
    "warnings": "warnings",
}
"""Names that notebooks import from this module, and where each is defined."""

SPEEDS = ((0.005, 18.97), (0.1, 3.0), (0.3, 4.0), (0.005, 445.0))
"""Steps and angular speeds on which an answer is tried."""


@checks("GR01-1")
def quarter_turn(answer: Any, turn: float = 90.0) -> Verdict:
    """The colatitude (rad) of a circle around which a frame without twist comes back turned by an angle (degrees)."""
    colatitude = number(answer)
    if colatitude is None or not 0.0 < colatitude < np.pi:
        return wrong(f"{brief(answer)} is not an angle between 0 (a point at the pole) and pi.")
    t = np.linspace(0.0, 2.0 * np.pi, 2001)
    ring = np.stack([np.cos(t), np.sin(t), 0.0 * t], axis=-1)
    triads = twist.non_twisting_frame(sphere.exp(np.array([0.0, 0.0, 1.0]), colatitude * ring))
    R = triads[0].T @ triads[-1]
    found = np.arctan2(R[1, 0], R[0, 0])
    if abs(abs(found) - np.radians(turn)) < 0.02:
        return right(f"it comes back turned by {np.degrees(found):.2f}°: the enclosed area is 2π (1 - cos).")
    return wrong(f"it comes back turned by {np.degrees(found):.1f}°. The turn is the area enclosed by the circle.")


@checks("GR01-2")
def forbidden_turn(path: ArrayLike, turn: float = 90.0) -> Verdict:
    """A closed path (n, 3) of d3 after which a body that never twisted is turned about d3 by an angle (degrees)."""
    given = numbers(path, -1, 3)
    if given is None or not len(given):
        return wrong(f"give the points (n, 3) of a curve on the unit sphere, not {brief(path)}.")
    lengths = np.linalg.norm(given, axis=1)
    if np.abs(lengths - 1.0).max() > 1e-6:
        k = int(np.abs(lengths - 1.0).argmax())
        return wrong(f"points of the unit sphere have length 1; point {k}, {short(given[k])}, has {lengths[k]:.4g}.")
    try:
        triads = twist.non_twisting_frame(given / lengths[:, None])
    except RbdkitError as fault:
        return wrong(f"along this path no frame can be carried: {fault}")
    points = triads[:, :, 2]
    if len(points) < 3 or not np.allclose(points[0], points[-1], atol=1e-6):
        return wrong("the path must end where it began, or d3 is not the same as before.")
    R = triads[0].T @ triads[-1]
    found = float(np.arctan2(R[1, 0], R[0, 0]))
    if abs(abs(found) - np.radians(turn)) < 0.02:
        return right(f"turned by {np.degrees(found):.2f}° about d3 without ever turning about d3.")
    return wrong(
        f"it ends turned by {np.degrees(found):.1f}°: enclose {turn / 720:.3g} of the sphere, which is {turn:g}°, in "
        "any shape."
    )


@checks("GR02-1")
def step_angle(angle: Callable[[float, float], float]) -> Verdict:
    """The angle (rad) by which the energy-momentum method turns a free body in a step h at angular speed w."""
    answers = [call(angle, h, w) for h, w in SPEEDS]
    if fault := next((fault for _, fault in answers if fault), ""):
        return wrong(f"give a function of (h, w) that returns an angle in rad: {fault}")
    found = numbers([number(answer) for answer, _ in answers], len(SPEEDS))
    if found is None:
        return wrong(f"your function returns {brief(answers[0][0])}; it should be one angle in rad.")
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


@checks("GR02-3")
def constant_momentum(answer: Any) -> Verdict:
    """The axes in which the angular momentum of a body that may twist has constant components: "space", "body"."""
    named = names(answer)
    if not named or not named <= {"space", "body"}:
        return wrong(f"{brief(answer)}: name 'space', 'body', or both.")
    if named == {"space"}:
        return right(
            "no force acts on it, so in space all three components stay: momentum is momentum. Seen from the body that "
            "turns under it, the same vector wanders. The constraint against twist had a reaction with a moment along "
            "d3: it spoiled the first, and made the two components along d1 and d2 constant."
        )
    if named == {"body"}:
        return wrong("that is the body that may not twist. Run the other one, and look at the left picture.")
    return wrong("both at once only if the body turns about a principal axis; look at the right picture.")


@checks("GR02-2")
def longest_chord(answer: Any) -> Verdict:
    """The longest step (s), to ten per cent, with which the Lagrange-d'Alembert method survives case 3."""
    step = number(answer)
    if step is None or not 0.0 < step < 1.0:
        return wrong(f"{brief(answer)} is not a step in seconds.")
    limit = 1.0 / float(np.linalg.norm(np.linalg.solve(INERTIA, CASES[2].momentum(1.0))))
    if 0.9 * limit <= step <= limit:
        return right(
            f"the end is h w = 1: {1e3 * limit:.3f} ms, with w after the load. The paper's own step is longer."
        )
    if step > limit:
        return wrong(f"with {1e3 * step:.3g} ms it stops before the load has gone. How long can a chord be?")
    return wrong(f"{1e3 * step:.3g} ms is safe, but be bolder: how long may a chord of the unit circle be?")


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
