"""Forces that are given as functions of joint coordinates, in the coordinates of a formulation."""

from __future__ import annotations

from numpy.typing import NDArray

from rbdkit.formulations import Force, Formulation, InJoints, joint_state
from rbdkit.simulation.forces import Drive


class StateForces:
    """Forces as functions of a formulation's state, from forces given as functions of joint coordinates.

    system : the formulation. step : index of the current step, for forces held over steps; None if the integrator
        chooses its steps.
    """

    system: Formulation

    def __init__(self, applied: Drive, external: Force | None) -> None:
        self.applied = applied
        self.external = external
        self.step: int | None = None

    def begin(self, k: int, t: float, x: NDArray, w: NDArray) -> None:
        """Begin step k: forces that are held over steps become those of it."""
        self.step = k
        if self.applied.sampler is not None:
            self.applied.begin(k, t, *self._joint_state(x, w))

    def tau(self, t: float, x: NDArray, w: NDArray) -> NDArray:
        force = self.applied.function if self.step is None else self.applied.during(self.step)
        known = self.applied.values is not None  # then it does not depend on the state
        return force(t, *((x, w) if known else self._joint_state(x, w)))

    def f_ext(self, t: float, x: NDArray, w: NDArray) -> NDArray:
        assert self.external is not None
        return self.external(t, *self._joint_state(x, w))

    def _joint_state(self, x: NDArray, w: NDArray) -> tuple[NDArray, NDArray]:
        if isinstance(self.system, InJoints):
            return self.system.joint_state(x, w)
        return joint_state(self.system.model, self.system.poses(x), self.system.velocities(x, w))
