"""Table of lower pairs: which Lie group suits which joint, the conclusion of Müller and Terze (2013), computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rbdkit.integrators import Integrator
from rbdkit.joints import Cylindrical, Helical, JointType, Planar, Prismatic, Revolute, Spherical, Universal
from rbdkit.library import lower_pair
from rbdkit.simulation.group_choice import ROUND_OFF, Drift, drift

PAIRS: tuple[JointType, ...] = (
    Revolute("z"),
    Prismatic("z"),
    Helical("z", pitch=0.05),
    Cylindrical("z"),
    Planar("z"),
    Spherical(),
    Universal(),
)
"""The six lower pairs, and the universal joint for contrast: its motions form no subgroup."""

ALIKE = 10.0
"""Errors within this factor of each other count as equal."""


@dataclass(frozen=True)
class PairDrift:
    """The constraint drift of one joint, to the ground or to a moving body, on each group."""

    joint: str
    grounded: bool
    se3: Drift
    so3xr3: Drift

    @property
    def verdict(self) -> str:
        """'both exact', 'SE(3) exact', 'SO(3) x R3 exact', 'alike', or which of them is better."""
        a, b = self.se3.constraint, self.so3xr3.constraint
        exact = a < ROUND_OFF, b < ROUND_OFF
        if any(exact):
            return {(True, True): "both exact", (True, False): "SE(3) exact"}.get(exact, "SO(3) x R3 exact")
        if max(a, b) <= ALIKE * min(a, b):
            return "alike"
        return "SE(3) better" if a < b else "SO(3) x R3 better"


def lower_pair_table(
    duration: float = 0.2,
    dt: float = 2e-3,
    integrator: str | Integrator = "rk4",
    joints: Sequence[JointType] = PAIRS,
) -> list[PairDrift]:
    """Run every joint on both groups, first between ground and body, then between two moving bodies.

    Parameters
    ----------
    duration, dt : float, optional
        Length of the runs and of their steps, s.
    integrator : str or Integrator, optional
        As in `simulate`.
    joints : sequence of JointType, optional
        Joints to try, see `rbdkit.library.lower_pair`.

    Returns
    -------
    list of PairDrift
        Constraint drift of each joint.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.simulation import lower_pair_table
    >>> len(lower_pair_table(duration=0.02, joints=[rbd.Revolute("z")]))
    2
    """
    rows = []
    for grounded in (True, False):
        for joint in joints:
            start = lower_pair(joint, grounded)
            se3, so3xr3 = (drift(*start, duration, dt, group, integrator) for group in ("se3", "so3xr3"))
            rows.append(PairDrift(joint.kind, grounded, se3, so3xr3))
    return rows
