"""A trajectory recorded in the coordinates of a formulation other than joint coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.algorithms.gears import Gears
from rbdkit.algorithms.loops import loop_constraint
from rbdkit.formulations import Force, Formulation, Gaping, GearedSystem, Holding, InJoints, joint_state
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.integrators import Solve
from rbdkit.laws.record import ContactEvent, ContactRecord
from rbdkit.simulation.asked import asked
from rbdkit.simulation.report import Report
from rbdkit.simulation.trajectory import Trajectory, forces_at

SOME = 2048
"""Number of states evaluated at a time, so that their residuals stay in the processor's cache."""
CLOSED = 1e-6
"""Constraint error, rad or m, up to which the dissipation of force elements is computed from joint coordinates, by
compiled code."""


class Motion(Trajectory):
    """A `Trajectory` in the coordinates of a formulation; q and v are computed at first access, from poses if need be.

    Parameters
    ----------
    system : Formulation
        The formulation.
    t, x, w : ndarray (n,), (n, nx), (n, nw)
        Times, and states in the formulation's coordinates.
    tau, f_ext : Force, optional
        Applied joint forces and external forces as functions of (t, q, v), or None.
    solves : sequence of Solve, optional
        How the equations of implicit steps were solved: for each state but the first, the solve with most iterations
        since the state before; empty for explicit methods.
    report : Report, optional
        Report on the run; its lines are in ``repr``.
    contacts : ContactRecord, optional
        Contact points and forces; None if nothing could touch.
    events : tuple of ContactEvent, optional
        Contact events in order.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.1, formulation="so3xr3")
    >>> motion.x.shape, motion.q.shape
    ((101, 12), (101, 1))
    """

    system: Formulation
    x: NDArray
    w: NDArray
    solves: Sequence[Solve]
    _applied: Force | None

    def __init__(
        self,
        system: Formulation,
        t: NDArray,
        x: NDArray,
        w: NDArray,
        tau: Force | None = None,
        f_ext: Force | None = None,
        solves: Sequence[Solve] = (),
        report: Report | None = None,
        contacts: ContactRecord | None = None,
        events: tuple[ContactEvent, ...] = (),
    ) -> None:
        own = {"system": system, "x": x, "w": w, "solves": solves, "_applied": tau}
        own |= {"contacts": contacts, "events": events}
        # states of force elements are the last in w, whatever comes before
        own["z"] = w[:, w.shape[1] - system.model.nz :]
        self.__dict__.update(own, model=system.model, t=t, f_ext=f_ext, report=report)  # the class is frozen

    def with_report(self, report: Report) -> Motion:
        what = self._applied, self.f_ext, self.solves, report, self.contacts, self.events
        return Motion(self.system, self.t, self.x, self.w, *what)

    def _velocities(self) -> NDArray:
        return self._of_states(self.system.velocities)

    @asked
    def invariants(self) -> dict[str, NDArray]:
        if not self._moved_by_time:
            return self.system.invariants(self.x, self.w)
        rows = [self.system.invariants(*state) for state in self._states()]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    @asked
    def constraint_error(self) -> NDArray:
        return self._constraint_error.copy()

    @cached_property
    def _constraint_error(self) -> NDArray:
        return self._errors_at(slice(None))

    def _errors_at(self, rows: slice) -> NDArray:
        """Return `constraint_error` at some of the states."""
        error = self._of_states(lambda x, w, t: self.system.constraint_error(x, t), rows)
        if isinstance(self.system, Holding) and self.system.nonholonomic:
            error = error + self._of_states(self.system.slip, rows)
        return error

    def _errors_in_parts(self) -> Iterator[NDArray]:
        """Yield `constraint_error` in parts, without storing all of it."""
        if not isinstance(self.system, ClosedJointSystem):  # others ask for it again
            yield self._constraint_error
            return
        parts = max(1, len(self) // SOME)  # no part is small
        for k in range(parts):
            yield self._errors_at(slice(len(self) * k // parts, len(self) * (k + 1) // parts))

    @asked
    def constraint_forces(self) -> dict[str, NDArray]:
        return {**self._forces_of_elements(), **self._forces_of_loops(), **super().constraint_forces()}

    @property
    def _gears(self) -> Gears | None:
        return self.system.gears if isinstance(self.system, GearedSystem) else None

    def _forces_of_elements(self) -> dict[str, NDArray]:
        system = copy(self.system)
        if not isinstance(system, Holding) or system.held is None:
            return {}
        found, tau = np.zeros((len(self), system.held.m)), self.tau
        for k, (x, w, t) in enumerate(self._states()):
            if tau is not None:
                system.tau = lambda *_, here=tau[k]: here  # type: ignore[attr-defined]
            found[k] = -system.index1(t, x, w).solve()[1][-system.held.m :]
        names = np.array([row.constraint for row in system.held.rows])
        return {own.name: found[:, names == own.name] for own in self.model.constraints}

    def _forces_of_loops(self) -> dict[str, NDArray]:
        """Return constraint forces along the rows of loop joints, from the wrenches through them."""
        if not self.model.loops:
            return {}
        wrenches = self.loop_forces()
        found = {name: np.zeros((len(self), 6 - loop.joint.nv)) for name, loop in zip(wrenches, self.model.loops)}
        for k, (q, v, t) in enumerate(zip(self.q, self.v, self.t.tolist())):
            constraint = loop_constraint(self.model, q, v, t=t)
            for name, T in zip(constraint.names, constraint.T, strict=True):
                found[name][k] = np.linalg.lstsq(T, wrenches[name][k], rcond=None)[0]
        return found

    @cached_property
    def q(self) -> NDArray:
        return self._joint_state[0]

    @cached_property
    def v(self) -> NDArray:
        return self._joint_state[1]

    @property
    def _rates_of_motion(self) -> NDArray:
        return self.w

    @cached_property
    def tau(self) -> NDArray | None:
        return None if self._applied is None else forces_at(self._applied, self.t, self.q, self.v)

    @cached_property
    def _joint_state(self) -> tuple[NDArray, NDArray]:
        if isinstance(self.system, InJoints):
            return self.system.joint_state(self.x, self.w)
        return joint_state(self.model, self._poses, self.velocities())

    @cached_property
    def _poses(self) -> NDArray:
        return self._of_states(lambda x, w, t: self.system.poses(x, t))

    @cached_property
    def _energy(self) -> Energy:
        _ = self.z_names
        if not (self._moved_by_time or self._stores_by_time):
            return self.system.energy(self.x, self.w)
        rows = [self.system.energy(*state) for state in self._states()]
        return Energy(*(np.stack([getattr(row, part.name) for row in rows]) for part in fields(Energy)))

    @property
    def _lost_in_elements(self) -> NDArray:
        if isinstance(self.system, Gaping) and np.abs(self._constraint_error).max(initial=0.0) > CLOSED:
            return np.array([self.system.lost_in_elements(*state) for state in self._states()])
        return super()._lost_in_elements

    def _of_states(self, function: Callable[[NDArray, NDArray, float], NDArray], rows: slice = slice(None)) -> NDArray:
        """Evaluate a function of (x, w, t) at all states at once, or one by one with rheonomic constraints.

        rows : which states.
        """
        if not self._moved_by_time:
            return function(self.x[rows], self.w[rows], 0.0)
        return np.stack([function(*state) for state in self._states(rows)])

    def _states(self, rows: slice = slice(None)) -> Iterator[tuple[NDArray, NDArray, float]]:
        return zip(self.x[rows], self.w[rows], self.t[rows].tolist(), strict=True)
