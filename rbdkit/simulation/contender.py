"""One run in a comparison, and its measures: drifts, constraint errors, distance from a reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.simulation.distance import distance
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.trajectory import Trajectory

NOTHING = 1e-9
"""Invariants that never exceed this count as zero: their drift is absolute, not relative."""


@dataclass(frozen=True, eq=False)
class Contender:
    """A named trajectory in a comparison, with its measures.

    Parameters
    ----------
    label : str
        Name in the comparison.
    trajectory : Trajectory
        The computed motion.
    reference : Trajectory, optional
        The motion to compare with, recorded at the same times.
    """

    label: str
    trajectory: Trajectory
    reference: Trajectory | None = None

    @property
    def formulation(self) -> str:
        """Name of the formulation of the run."""
        return self.trajectory.system.name if isinstance(self.trajectory, Motion) else "joint"

    @property
    def step_time(self) -> float:
        """Wall time of a step, s; not a number if the trajectory has no report."""
        report = self.trajectory.report
        return np.nan if report is None else report.wall_time / max(report.steps, 1)

    @property
    def iterations(self) -> int:
        """The most Newton iterations of a recorded step; 0 for explicit methods."""
        return 0 if self.trajectory.report is None else self.trajectory.report.iterations

    @cached_property
    def drifts(self) -> dict[str, NDArray]:
        """Deviation of each invariant from its first value over time, (n,), relative to its largest value.

        The energy accounts for work and losses, and is relative to its largest kinetic part plus the range of its
        potential part.
        """
        energy = self.trajectory.energy()
        scale = float(np.max(energy.kinetic) + np.ptp(energy.potential))
        drifts = {"energy": np.abs(self.trajectory.energy_error()) / (scale or 1.0)}
        for name, values in self.trajectory.invariants().items():
            if name != "energy":
                rows = np.asarray(values).reshape(len(values), -1)
                size = float(np.max(np.linalg.norm(rows, axis=1)))
                drifts[name] = np.linalg.norm(rows - rows[0], axis=1) / (size if size > NOTHING else 1.0)
        return drifts

    @cached_property
    def constraint_error(self) -> NDArray:
        """Largest residual of a position constraint, (n,), rad or m."""
        return np.max(np.abs(self.trajectory.constraint_error()), axis=1, initial=0.0)

    @cached_property
    def rotation_error(self) -> NDArray:
        """Largest |det R - 1| of a body, (n,)."""
        return np.max(np.abs(np.linalg.det(self.trajectory.poses()[..., :3, :3]) - 1.0), axis=1)

    @cached_property
    def distance(self) -> NDArray | None:
        """Distance of the worst body from its pose in the reference, (n,), in m or rad, whichever is larger."""
        if self.reference is None:
            return None
        return distance(self.trajectory.model, self.trajectory.poses(), self.reference.poses())
