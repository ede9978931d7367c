"""Euler's method at velocity level: constraints are imposed on the new velocities."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.formulations import VelocityLevel
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State


class VelocityEuler(OneStep):
    """Semi-implicit Euler method with constraints on the new velocities (Sueda's notes, sections 1.8 to 1.12).

    New velocities first, then positions along them (Eq 2.20). For bodies with joints, new twists and reactions solve
    ``M v_new + G^T lambda = M v + h f``, ``G v_new = -gamma g`` (Eqs 1.73, 1.82): the velocities obey the joints
    exactly, positions to the order of the step.

    Parameters
    ----------
    gamma : float or '1/h', optional
        How fast gaps g of joints close, 1/s: 10 after Baumgarte, or '1/h', in one step; 0 leaves them.

    Raises
    ------
    SimulationError
        If gamma is negative or no number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import VelocityEuler
    >>> options = {"formulation": "maximal", "integrator": VelocityEuler(gamma=10.0)}
    >>> motion = rbd.simulate(rbd.library.planar_four_bar(), duration=0.05, dt=0.001, **options)
    >>> bool(motion.report.constraint_error < 1e-4)
    True
    """

    name: ClassVar[str] = "velocity_euler"
    order: ClassVar[int] = 1
    requires: ClassVar[type] = VelocityLevel
    stiff: ClassVar[bool] = False
    conserves: ClassVar[tuple[str, ...]] = ()
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1, lambda:  M k1 + G^T lambda = M v + h f(t, x, v),  G k1 = -gamma g(x)",
        "v <- k1\nx <- x * exp(h k1)",
    )

    def __init__(self, gamma: float | str = "1/h") -> None:
        if gamma != "1/h" and not (isinstance(gamma, int | float) and 0.0 <= gamma < np.inf):
            raise SimulationError(f"gamma = {gamma!r} must be '1/h' or a number of 1/s that is not negative")
        self.gamma = gamma

    def step(self, system: VelocityLevel, state: State, h: float) -> State:
        v_new = state.v + self._change(system, state, h)
        return State(state.t + h, system.move(state.x, h * v_new), v_new)

    def stages(self, system: VelocityLevel, state: State, h: float) -> list[Stage]:
        change = self._change(system, state, h)
        return [Stage(state.t, state.x, state.v, state.v + change, change / h)]

    def _change(self, system: VelocityLevel, state: State, h: float) -> NDArray:
        """Return the change of the velocities: h times the accelerations under ``J a = -(gamma g + J v) / h``.

        Prescribed joints add their velocities to the right-hand side.
        """
        t, x, v = state.t, state.x, state.v
        gamma = 1.0 / h if isinstance(self.gamma, str) else self.gamma
        # the constraint on the new velocities, J (v + h a) = -gamma g, written as one on accelerations
        change = h * system.corrected(t, x, v, -v / h, gamma / h, 1.0 / h)
        return system.stiffness(t, x, v).increment(h, change, h * h * v) if self.stiff else change
