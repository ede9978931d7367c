"""Walking through the steps of an integrator, and through the stages inside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.formulations import Formulation
from rbdkit.integrators import Integrator, Stage, State
from rbdkit.model.element_states import require_no_states
from rbdkit.model.requirements import require_no_contacts
from rbdkit.simulation.formulated import does_not_fit
from rbdkit.stepping.formulas import formulas_of


@dataclass(frozen=True)
class Place:
    """Position in a walk: after `step` steps, at stage `stage` of the next one; stage 0 is the state itself."""

    step: int
    stage: int = 0


class Walk:
    """Run of an integrator, computed on demand; states are kept, so that one can walk back.

    Parameters
    ----------
    system : Formulation
        A formulation of a model.
    method : Integrator
        An integrator that steps it.
    q, v : ndarray
        Initial joint coordinates and velocities.
    h : float
        Step size, s.

    Raises
    ------
    SimulationError
        If the integrator does not step this formulation.
    ModelError
        If force elements of the model have states of their own.
    """

    def __init__(
        self, system: Formulation, method: Integrator, q: NDArray, v: NDArray, h: float, label: str = ""
    ) -> None:
        if not isinstance(system, method.requires):
            raise SimulationError(does_not_fit(system, method))
        require_no_states(system.model, "a walk through the steps of an integrator")
        require_no_contacts(system.model, "a walk through the steps of an integrator")
        self.system, self.method, self.h = system, method, h
        self.label = label or f"{system.name}, {method.name}"
        self._states = [method.init(system, 0.0, *system.state(q, v))]
        self._stages: dict[int, list[Stage]] = {}

    def state(self, step: int) -> State:
        """Return the state after a number of steps.

        Raises
        ------
        RbdkitError, FloatingPointError
            If a step on the way cannot be made.
        """
        while len(self._states) <= step:
            self._states.append(self.method.step(self.system, self._states[-1], self.h))
        return self._states[step]

    @property
    def known(self) -> int:
        """Number of states computed so far."""
        return len(self._states)

    def stages(self, step: int) -> list[Stage]:
        """Return the stages of the step from the state after `step` steps."""
        if step not in self._stages:
            self._stages[step] = self.method.stages(self.system, self.state(step), self.h)
        return self._stages[step]

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Lines of text: one for each stage, and one for the step."""
        return formulas_of(self.method, len(self.stages(0)))

    def line(self, place: Place) -> int | None:
        """Return the number of the formula that led to a place; None at the start."""
        if place.stage:
            return place.stage - 1
        return len(self.formulas) - 1 if place.step else None

    def forward(self, place: Place) -> Place:
        """Return the place of the next stage; after the last one that of the next state."""
        last = place.stage == len(self.stages(place.step))
        return Place(place.step + 1) if last else Place(place.step, place.stage + 1)

    def back(self, place: Place) -> Place:
        """Return the place of the stage or state before; the start stays."""
        if place.stage:
            return Place(place.step, place.stage - 1)
        return Place(place.step - 1, len(self.stages(place.step - 1))) if place.step else place

    def at(self, place: Place) -> tuple[float, NDArray, NDArray, NDArray | None]:
        """Return time, x, v, and the rate of v at a place; None for the rate at a state."""
        if place.stage:
            stage = self.stages(place.step)[place.stage - 1]
            return stage.t, stage.x, stage.v, stage.v_rate
        state = self.state(place.step)
        return state.t, state.x, state.v, None

    def invariants(self, step: int) -> dict[str, NDArray]:
        """Return the energy and the invariants of motion without external forces, after `step` steps."""
        state = self.state(step)
        values = self.system.invariants(state.x, state.v, state.t)
        return {"energy": np.asarray(self.system.energy(state.x, state.v, state.t).total), **values}

    def drift(self, step: int) -> dict[str, float]:
        """Return the relative change of each invariant from its first value, and the constraint error as it is."""
        drifts = {}
        for name, value in self.invariants(step).items():
            first = np.asarray(self.invariants(0)[name], dtype=float)
            size = float(np.linalg.norm(first))
            drifts[name] = float(np.linalg.norm(value - first)) / (size or 1.0)
        residual = self.system.constraint_error(self.state(step).x, self.state(step).t)
        if residual.size:
            drifts["constraint error"] = float(np.max(np.abs(residual)))
        return drifts
