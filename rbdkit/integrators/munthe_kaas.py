"""Explicit Runge-Kutta methods on manifolds, after Munthe-Kaas: on arrays, and in a compiled loop over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep, Stage, State
from rbdkit.trace import Index, Kept, Moment, Part, Record, Recorded, Scalar, StraightLine, Whole


class MuntheKaas(OneStep):
    """Any explicit Runge-Kutta method, applied to the displacement u from the state at the beginning of the step.

    u lives in a vector space, so sums of stages have a meaning there; ``x = move(x0, u)`` stays on the manifold and the
    order is that of the tableau (Müller and Terze 2013, Eqs 36, 37; the system's `local_rate` is dexp^-1). Subclasses
    give the tableau: A (s, s) strictly lower triangular and b (s,); `RungeKutta` takes any.
    """

    name: str
    order: int
    A: ArrayLike
    b: ArrayLike
    shared = frozenset({"weights"})

    def step(self, system: System, state: State, h: float) -> State:
        stages = self.stages(system, state, h)
        u = h * sum(b * stage.u_rate for b, stage in zip(np.asarray(self.b), stages, strict=True))
        dv = h * sum(b * stage.v_rate for b, stage in zip(np.asarray(self.b), stages, strict=True))
        return State(state.t + h, system.move(state.x, u), state.v + dv)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        t, x, v = state.t, state.x, state.v
        stages = [Stage(t, x, v, v, system.rate(t, x, v))]
        for row in np.asarray(self.A)[1:]:
            u, dv = np.zeros_like(v), np.zeros_like(v)
            for a, stage in zip(row, stages, strict=False):
                if a != 0.0:
                    u = u + h * a * stage.u_rate
                    dv = dv + h * a * stage.v_rate
            t_i, x_i, v_i = t + h * float(np.sum(row)), system.move(x, u), v + dv
            stages.append(Stage(t_i, x_i, v_i, system.local_rate(u, v_i), system.rate(t_i, x_i, v_i)))
        return stages

    @staticmethod
    def record(system: Recorded, n: Index) -> None:
        """The same step on the arrays of a program, for all tableaus.

        The tableau is as in `tableau_arrays`. "u_rates", "v_rates" take the rates of each stage.
        """
        program, nv = system.program, system.nv
        stages = program.count("stages")
        x, u, x_stage, v_stage = Part("x"), Part("u"), Part("x_stage"), Part("v_stage")
        with program.loop(0, stages) as s:
            _add_up(system, Moment(program, n, s), s, v_stage)
            system.move(x, u, x_stage)
            system.local_rate(u, v_stage, Part("u_rates", s * nv))
            system.rate(Moment(program, n, s), x_stage, v_stage, Part("v_rates", s * nv))
        _add_up(system, Moment(program, n, 0), stages, Part("v_new"))
        system.move(x, u, Part("x_new"))

    @property
    def written_out(self) -> Record:
        """The same step with the tableau in the code; see `rbdkit.trace.Recordable`."""
        A, b = np.asarray(self.A, dtype=float).tolist(), np.asarray(self.b, dtype=float).tolist()
        return _WrittenOut((*map(tuple, A), tuple(b)))

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {
            **tableau_arrays(self.A, self.b),
            **{name: np.zeros(np.size(self.b) * nv) for name in ("u_rates", "v_rates")},
            "scratch": np.zeros(1),
            "x_stage": np.zeros(nx),
            **{name: np.zeros(nv) for name in ("v_stage", "u")},
        }


def tableau_arrays(A: ArrayLike, b: ArrayLike) -> dict[str, NDArray]:
    """A tableau as programs read it.

    There are "stages" stages, at the fractions "c" of a step. The weights that are not zero stand in "weights" and the
    stages that they belong to in "terms": first those of each stage, then those of the result, row s beginning at
    "first_term" s.
    """
    a, weights = np.asarray(A, dtype=float), np.vstack([np.asarray(A, dtype=float), np.asarray(b, dtype=float)])
    rows, terms = np.nonzero(weights)
    return {
        "c": a.sum(axis=1),
        "weights": weights[rows, terms],
        "terms": terms.astype(np.int64),
        "first_term": np.searchsorted(rows, np.arange(len(weights) + 1)).astype(np.int64),
    }


def _add_up(system: Recorded, moment: Moment, row: Whole, v_sum: Part) -> None:
    """u = h sum_j w_j u_rates_j and v_sum = v + h sum_j w_j v_rates_j with the weights of a row of the tableau."""
    program, nv, u, v = system.program, system.nv, Part("u"), Part("v")
    for k in system.freedoms():
        u.store(program, k, 0.0)
        v_sum.store(program, k, v.load(program, k))
    with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
        program.store("scratch", 0, 0, moment.h * program.load("weights", term))
        j = program.entry("terms", term)
        for k in system.freedoms():
            weight = program.load("scratch", 0)
            for total, rates in ((u, Part("u_rates", j * nv)), (v_sum, Part("v_rates", j * nv))):
                total.store(program, k, total.load(program, k) + weight * rates.load(program, k))


@dataclass(frozen=True)
class _WrittenOut:
    """Steps of one tableau. rows : those of A, and b."""

    rows: tuple[tuple[float, ...], ...]

    def __call__(self, system: StraightLine, n: Index) -> None:
        program, stages = system.program, len(self.rows) - 1
        x, v, x_new, v_new = Part("x"), Part("v"), Part("x_new"), Part("v_new")
        found: list[tuple[Kept, Kept]] = []
        for s, row in enumerate(self.rows):
            moment, u = Moment(program, n, s), Kept()
            x_s: Part | Kept = Kept() if s < stages else x_new
            v_s: Part | Kept = Kept() if s < stages else v_new
            for k in system.freedoms():
                u_k: Scalar = 0.0
                v_k = v.load(program, k)
                for weight, (u_rate, v_rate) in zip(row, found, strict=False):
                    if weight != 0.0:
                        u_k = u_k + (moment.h * weight) * u_rate.load(program, k)
                        v_k = v_k + (moment.h * weight) * v_rate.load(program, k)
                u.store(program, k, u_k)
                v_s.store(program, k, v_k)
            system.move(x, u, x_s)
            if s < stages:
                found.append((Kept(), Kept()))
                system.local_rate(u, v_s, found[-1][0])
                system.rate(moment, x_s, v_s, found[-1][1])
