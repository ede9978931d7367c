"""Featherstone, "Rigid Body Dynamics Algorithms" (2008): chapter 11."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact import single_contact
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.cross import crf
from rbdkit_course.errata.featherstone import SCAN, SOURCE
from rbdkit_course.errata.finding import Errors, Finding

UP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def eq_11_10() -> Errors:
    """A body that is lifted off: d against the speed at which it separates, and against the rate of that."""
    I = np.diag([0.2, 0.3, 0.4, 2.0, 2.0, 2.0])
    v, f = np.array([0.0, 0.0, 0.7, 0.5, -0.3, 0.0]), np.array([0.1, 0.2, -0.1, 1.0, 0.5, 6.0])
    a = np.linalg.solve(I, f - crf(v) @ I @ v)  # nothing holds it

    def zeta(t: float) -> NDArray:
        """Upward velocity of the point that was at C, in axes that do not turn, to first order in t."""
        X = plucker.from_pose(se3.inverse(se3.exp(t * v)))
        return UP @ X @ (v + t * a)

    d, h = single_contact(I, v, f, UP, np.zeros(6)).d, 1e-3
    speeds = [zeta(k * h) for k in (-2, -1, 1, 2)]
    rate = (speeds[0] - 8 * speeds[1] + 8 * speeds[2] - speeds[3]) / (12 * h)
    return Errors(abs(float(d - zeta(0.0))), abs(float(d - rate)))


FINDINGS = (
    Finding(
        SOURCE, "Eq 11.10, first case",
        r"$\zeta = d$ and $\lambda = 0$ if $d\ge 0$", r"$\dot\zeta = d$ and $\lambda = 0$ if $d\ge 0$",
        "A lost dot: Eq 11.7 is one of accelerations, and $\\zeta = 0$ at a contact. The number is m/s against m/s².",
        eq_11_10, margin=0.1, tolerance=1e-9, unit="m/s²", doubt=SCAN,
    ),
)  # fmt: skip
