"""Checks of the exercises in the notebooks on Holzinger, Gerstmayr, Schöberl."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import RbdkitError
from rbdkit.formulations.local_velocity import Projection, mass_matrix
from rbdkit.library import free_rotation, tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS, SPIN
from rbdkit.simulation import SimulationWarning, simulate
from rbdkit_course.answers import brief, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.parts import part
from rbdkit_course.verdict import Verdict, right, wrong

PARTS = {
    "LocalVelocity": "rbdkit.formulations:LocalVelocity",
    "MOMENTS": "rbdkit.library.holzinger:MOMENTS",
    "Projection": "rbdkit.formulations.local_velocity:Projection",
    "SPIN": "rbdkit.library.holzinger:SPIN",
    "draw_projection": "rbdkit.figures:draw_projection",
    "draw_section": "rbdkit.figures:draw_section",
    "flipping": "rbdkit_course.stepping_pictures.flipping:flipping",
    "free_rotation": "rbdkit.library:free_rotation",
    "gamma": "rbdkit.formulations.local_velocity:gamma",
    "integrated": "rbdkit.formulations.local_velocity:integrated",
    "mass_matrix": "rbdkit.formulations.local_velocity:mass_matrix",
    "partial": "functools:partial",
    "plt": "matplotlib.pyplot",
    "quadrature": "rbdkit.formulations.local_velocity:quadrature",
    "six_speeds": "rbdkit_course.stepping_pictures.six_speeds:six_speeds",
    "so3": "rbdkit.spatial.so3",
    "tangent": "rbdkit.formulations.local_velocity.tangent",
    "tumbling": "rbdkit_course.stepping_pictures.tumbling:tumbling",
    "tumbling_box": "rbdkit.library:tumbling_box",
    "tumbling_box_state": "rbdkit.library:tumbling_box_state",
}
"""Names that notebooks import from this module, and where each is defined."""


@checks("H01-1")
def equal_masses(projection: Projection, moments: ArrayLike, mass: float) -> Verdict:
    """Notebook 1, exercise 1: points and directions with which all six coordinates have the mass of the body."""
    if not isinstance(projection, Projection):
        return wrong(f"{brief(projection)} is not a Projection; Projection.hexahedral(l1, l2, l3) makes one.")
    J = np.asarray(moments, dtype=float)
    M = mass_matrix(projection, mass, np.diag(J))
    off = float(np.max(np.abs(M - mass * np.eye(6)))) / mass
    if off < 1e-3:
        return right(
            "M = m times the identity: the arms of the cube are the radii of gyration, l2² = J33/m and its like, so a "
            "turn moves the six points as if the whole mass sat in them."
        )
    swapped = [Projection.hexahedral(*np.sqrt(J[list(order)] / mass)) for order in ((0, 1, 2), (2, 0, 1))]
    if any(np.allclose(projection.D, other.D, rtol=1e-3) for other in swapped):
        return wrong("the right lengths, in the wrong places: w1 and w2 sit at ±l2 and feel the turn about axis 3.")
    if np.allclose(M, np.diag(np.diag(M)), atol=1e-3 * mass):
        return wrong(f"M is diagonal, but its entries are {np.round(np.diag(M), 4).tolist()}, not all {mass:g}.")
    return wrong(
        f"an entry of M is off by {off:.3g} m. Write the energy of w1 and w2 alone, m (w1 - w2)²/4 + "
        "J33 (w1 + w2)²/(4 l2²), and ask when the product w1 w2 is not in it."
    )


@checks("H01-2")
def unseen(points: ArrayLike, directions: ArrayLike, motion: ArrayLike) -> Verdict:
    """Notebook 1, exercise 2: six points with directions that do not see a motion v_L = (U, Omega)."""
    y, b, v_L = numbers(points, 6, 3), numbers(directions, 6, 3), numbers(motion, 6)
    if y is None or b is None or v_L is None:
        return wrong(
            "points and directions are six rows of three numbers, the motion six numbers (U, Omega); yours are "
            f"{brief(points)}, {brief(directions)}, {brief(motion)}."
        )
    if not np.linalg.norm(b, axis=1).all():
        return wrong("a direction of length zero sees nothing at all: that is cheating.")
    if not v_L.any():
        return wrong("a body at rest is seen as such by any six points; the motion must not be zero.")
    if len(np.unique(y.round(9), axis=0)) < 6:
        return wrong("some of these points are the same; give six different ones.")
    if np.linalg.matrix_rank(y - y[0], tol=1e-9) < 3 and _as_in_the_cube(b):
        return wrong("these lie in one plane, with the directions of the cube: the choice above. Find another one.")
    try:
        condition = Projection(y, b).condition
    except RbdkitError:
        w = np.sum(b * (v_L[:3] + np.cross(v_L[3:], y)), axis=1)
        if np.max(np.abs(w)) < 1e-9 * np.linalg.norm(v_L) * max(1.0, float(np.abs(y).max())):
            return right("D is singular, and w is zero although the body moves.")
        return wrong(f"D is singular, but another motion goes unseen: yours gives w = {np.round(w, 4).tolist()}.")
    return wrong(f"D is regular (condition {condition:.3g}): its six coordinates see every motion.")


def _as_in_the_cube(directions: NDArray) -> bool:
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return bool(np.allclose(np.sqrt(0.5) * unit, Projection.hexahedral(1.0, 1.0, 1.0).directions, atol=1e-6))


@checks("H02-1")
def first_flip(time: Any) -> Verdict:
    """Notebook 2, exercise 1: when Omega_3 of the tumbling box is zero for the first time, s."""
    answer = number(time)
    if answer is None:
        return wrong(f"{brief(time)} is not a number of seconds.")
    times = np.linspace(0.0, 0.4, 401)
    Omega, _ = free_rotation(MOMENTS, SPIN, times)
    k = int(np.argmax(Omega[:, 2] < 0.0))
    before, after = Omega[k - 1, 2], Omega[k, 2]
    exact = times[k - 1] + (times[k] - times[k - 1]) * before / (before - after)
    if abs(answer - exact) < 1e-3:
        return right(f"{answer:.4f} s. A box that starts ten times closer to the axis waits ln 10 / λ longer.")
    if abs(answer - 2.0 * exact) < 2e-3:
        return wrong(f"{answer:.4f} s is when the axis has gone all the way over; Omega_3 is zero half way.")
    return wrong(
        f"{answer:.4g} s is off. Simulate with a step of a millisecond and look where Omega_3 changes its sign."
    )


@checks("H02-2")
def longest_step(step: Any, tolerance: float = 0.01) -> Verdict:
    """Notebook 2, exercise 2: a step as long as possible, to a factor of 1.5, whose Omega is that good after 1 s."""
    answer = number(step)
    if answer is None or not 0.0 < answer <= 0.1:
        return wrong(f"{brief(step)} is not a step between 0 and 0.1 s.")
    if answer < 2e-4:
        return wrong(f"{answer:.3g} s is far shorter than needed; try a millisecond.")
    exact = free_rotation(MOMENTS, SPIN, [1.0])[0][0]

    def error(steps: int) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimulationWarning)  # steps too long are what this is about
            run = simulate(
                tumbling_box(),
                *tumbling_box_state(),
                duration=1.0,
                dt=1.0 / steps,
                formulation="local_velocity",
                progress=False,
            )
        return np.inf if run.t[-1] < 1.0 else float(np.linalg.norm(run.v[-1, :3] - exact))

    steps = max(1, round(1.0 / answer))
    own, bolder = error(steps), error(max(1, round(steps / 1.5)))
    if own > tolerance:
        return wrong(f"with {steps} steps Omega is off by {own:.2g} rad/s, more than {tolerance:g}; shorten the step.")
    if bolder <= tolerance:
        return wrong(f"{steps} steps are safe ({own:.2g} rad/s), but {round(steps / 1.5)} still are; be bolder.")
    return right(f"off by {own:.2g} rad/s with {steps} steps, and by {bolder:.2g} with 1.5 times the step: 1.5⁴ is 5.")


def __getattr__(name: str) -> Any:
    return part(name, __name__, PARTS)
