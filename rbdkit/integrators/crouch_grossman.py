"""Runge-Kutta methods on manifolds by compositions, after Crouch and Grossman."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep, Stage, State
from rbdkit.integrators.munthe_kaas import tableau_arrays
from rbdkit.trace import Index, Moment, Part, Record, Recorded, Whole


class CrouchGrossman(OneStep):
    """Explicit methods that move along the velocities of the stages one after the other, each held constant.

    ``x_i = move(... move(move(x, h a_i1 v_1), h a_i2 v_2) ...)``: no tangent operator and no sum of displacements is
    needed, but the coefficients obey further order conditions. Subclasses give them: A (s, s) strictly lower
    triangular and b (s,). P. E. Crouch, R. Grossman, Journal of Nonlinear Science 3 (1993).
    """

    name: ClassVar[str]
    order: ClassVar[int]
    A: ClassVar[ArrayLike]
    b: ClassVar[ArrayLike]
    shared = frozenset({"weights"})

    def step(self, system: System, state: State, h: float) -> State:
        x, v = self._moved(system, state, h, np.asarray(self.b), self.stages(system, state, h))
        return State(state.t + h, x, v)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        stages: list[Stage] = []
        for row in np.asarray(self.A):
            x, v = self._moved(system, state, h, row, stages)
            t = state.t + h * float(np.sum(row))
            stages.append(Stage(t, x, v, v, system.rate(t, x, v)))
        return stages

    @staticmethod
    def _moved(
        system: System, state: State, h: float, weights: NDArray, stages: list[Stage]
    ) -> tuple[NDArray, NDArray]:
        x, v = state.x, state.v
        for weight, stage in zip(weights, stages, strict=False):
            if weight != 0.0:
                x, v = system.move(x, h * weight * stage.v), v + h * weight * stage.v_rate
        return x, v

    @staticmethod
    def record(system: Recorded, n: Index) -> None:
        """The same step on the arrays of a program, for all methods; see `tableau_arrays`.

        "v_stages", "v_rates" take velocity and rate of each stage.
        """
        program, nv = system.program, system.nv
        stages = program.count("stages")
        x_stage, v_stage = Part("x_stage"), Part("v_stage")
        with program.loop(0, stages) as s:
            moment = Moment(program, n, s)
            _move_along(system, moment, s)
            system.rate(moment, x_stage, v_stage, Part("v_rates", s * nv))
            place = s * nv
            for k in system.freedoms():
                program.store("v_stages", place + k, 0, v_stage.load(program, k))
        _move_along(system, Moment(program, n, 0), stages)
        for numbers, stage, new in (
            (system.coordinates, x_stage, Part("x_new")),
            (system.freedoms, v_stage, Part("v_new")),
        ):
            for k in numbers():
                new.store(program, k, stage.load(program, k))

    @property
    def written_out(self) -> Record:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {
            **tableau_arrays(self.A, self.b),
            **{name: np.zeros(np.size(self.b) * nv) for name in ("v_stages", "v_rates")},
            **{name: np.zeros(nx) for name in ("x_stage", "x_moved")},
            **{name: np.zeros(nv) for name in ("v_stage", "u")},
            "scratch": np.zeros(1),
        }


def _move_along(system: Recorded, moment: Moment, row: Whole) -> None:
    """x_stage, v_stage: the state moved along the stages with the weights of a row, one after the other."""
    program, nv = system.program, system.nv
    x, v, x_stage, v_stage, x_moved, u = (Part(name) for name in ("x", "v", "x_stage", "v_stage", "x_moved", "u"))
    for k in system.coordinates():
        x_stage.store(program, k, x.load(program, k))
    for k in system.freedoms():
        v_stage.store(program, k, v.load(program, k))
    with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
        program.store("scratch", 0, 0, moment.h * program.load("weights", term))
        place = program.entry("terms", term) * nv
        for k in system.freedoms():
            weight, own = program.load("scratch", 0), place + k
            u.store(program, k, weight * program.load("v_stages", own))
            v_stage.store(program, k, v_stage.load(program, k) + weight * program.load("v_rates", own))
        system.move(x_stage, u, x_moved)
        for k in system.coordinates():
            x_stage.store(program, k, x_moved.load(program, k))
