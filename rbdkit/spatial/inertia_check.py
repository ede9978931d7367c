"""Checks whether an inertia is physically possible, with messages about what is wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.read_numbers import HUGE, within

ROUND_OFF = 1e-5  # relative to the largest moment: the error of an inertia printed in a file with six digits
POINT = 1e-12  # relative to mass times squared distance of the centre of mass: smaller moments are round-off
NANOMETRE = 1e-9  # m: moments with a smaller radius of gyration are round-off, whatever they were computed from


def without_round_off(moments: NDArray) -> NDArray:
    """Return moments with those set to 0 that are round-off of the largest, and might otherwise appear negative."""
    return np.where(np.abs(moments) < 16 * np.finfo(float).eps * np.abs(moments).max(), 0.0, moments)


def mirrored(inertia_com: NDArray) -> NDArray:
    """Return a matrix made exactly symmetric if it is symmetric to ROUND_OFF; any other unchanged, for the findings."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = inertia_com.tolist()
    if (xy == yx and xz == zx and yz == zy) or not np.isfinite(inertia_com).all():
        return inertia_com
    mean = 0.5 * inertia_com + 0.5 * inertia_com.T
    return mean if np.abs(inertia_com - inertia_com.T).max() <= ROUND_OFF * np.abs(inertia_com).max() else inertia_com


def inertia_findings(mass: float, com: NDArray, inertia_com: NDArray) -> list[str]:
    """Return the reasons why no body can have this mass (kg), centre of mass (m) and inertia (kg m^2), as sentences."""
    numbers = np.concatenate([[mass], com, inertia_com.ravel()])
    if not within(numbers, HUGE):
        wrong = f"beyond {HUGE:g}" if np.isfinite(numbers).all() else "not finite"
        return [f"{wrong}: mass {mass}, com {com.tolist()}, inertia_com {inertia_com.tolist()}"]
    found = []
    if mass < 0.0:
        found.append(f"the mass is negative: {mass:g} kg")
    largest = np.abs(inertia_com).max()
    if largest <= mass * max(POINT * float(com @ com), NANOMETRE**2):
        return found
    if mass == 0.0 and largest > 0.0:
        found.append(f"the mass is zero but the rotational inertia is not (largest element {largest:g} kg m^2)")
    asymmetry = np.abs(inertia_com - inertia_com.T).max()
    if asymmetry > ROUND_OFF * largest:
        found.append(f"the rotational inertia is not symmetric: elements differ by {asymmetry:g} kg m^2")
    I1, I2, I3 = without_round_off(np.linalg.eigvalsh(0.5 * (inertia_com + inertia_com.T)))
    if I1 + ROUND_OFF * largest < 0.0:
        found.append(
            "the rotational inertia is not positive semidefinite: "
            f"its principal moments are {I1:.6g}, {I2:.6g}, {I3:.6g} kg m^2"
        )
    elif I1 + I2 < I3 * (1 - ROUND_OFF):
        found.append(
            f"the principal moments break the triangle inequality: {I1:.6g} + {I2:.6g} = {I1 + I2:.6g} "
            f"is less than {I3:.6g} kg m^2"
        )
    return found
