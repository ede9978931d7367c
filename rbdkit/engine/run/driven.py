"""Prescribed (rheonomic) joints: their motions, as numbers that programs read.

A motion is a user's function of time. If it can be traced, programs compute it at any time; otherwise Python evaluates
it at the stage times known in advance, and programs read a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit import joints
from rbdkit.errors import StateError
from rbdkit.model import Model
from rbdkit.model.kept import PARTS
from rbdkit.spatial.read_numbers import time_in_seconds
from rbdkit.trace import Symbol

if TYPE_CHECKING:
    from rbdkit.engine.steps.recorded_tree import DrivenMotion
    from rbdkit.trace import Dependencies, Feedback, Guard, Scalar

DRIVEN = ("driven_q", "driven_v", "driven_a")
"""Coordinates, velocities and accelerations of all prescribed joints of a model, concatenated."""


class DrivenJoints:
    """The prescribed joints of a model; false if there are none. nq, nv : sizes of their coordinates and velocities."""

    def __init__(self, driven: list[joints.Prescribed]) -> None:
        self._joints = driven
        self.nq = sum(joint.joint.nq for joint in self._joints)
        self.nv = sum(joint.joint.nv for joint in self._joints)
        self._traced: tuple[Feedback | None] | None = None

    def __bool__(self) -> bool:
        return bool(self._joints)

    @property
    def guard(self) -> Guard | None:
        """Guard of what their motions depend on other than time; None if nothing of them is traced."""
        found = _dependencies(self._joints)
        return None if found.impure or found.unknown else found.guard

    def at(self, t: float | NDArray) -> dict[str, NDArray]:
        """Return their coordinates, velocities and accelerations at one time, by the names of `DRIVEN`."""
        if not self._joints:
            return {}
        if isinstance(t, Symbol):
            return self._on_symbols(t)
        now = time_in_seconds(t)
        states = [joint.state(now) for joint in self._joints]
        return {name: np.concatenate(parts) for name, parts in zip(DRIVEN, zip(*states, strict=True), strict=True)}

    def _on_symbols(self, t: Symbol) -> dict[str, NDArray]:
        from rbdkit.trace import symbols

        law = self._law()
        if law is None:
            raise TypeError("joints move as a Python function of time says, which cannot be recorded")
        numbers = symbols(law.value(lambda _, __: t))  # type: ignore[arg-type,return-value]  # what it does, on a symbol
        return dict(zip(DRIVEN, np.split(numbers, [self.nq, self.nq + self.nv]), strict=True))

    def table(self, times: NDArray) -> dict[str, NDArray]:
        """Return the same at many times, one row each.

        Where a function fails the row is NaN, so that a run ends at that time and not before it begins.
        """
        if (computed := self._computed(times)) is not None:
            return computed
        # stages of consecutive steps share times, and a Python function is slow
        unique, rows = np.unique(times, return_inverse=True)
        states = [self._at_or_nan(float(t)) for t in unique]
        return {f"{name}_table": np.array([state[name] for state in states])[rows] for name in DRIVEN}

    def _at_or_nan(self, t: float) -> dict[str, NDArray]:
        try:
            return self.at(t)
        except Exception:
            sizes = (self.nq, self.nv, self.nv)
            return {name: np.full(size, np.nan) for name, size in zip(DRIVEN, sizes, strict=True)}

    def motion(self, times: NDArray) -> DrivenMotion | None:
        """Return the traced motions for a program; None if they cannot be traced, or are wrong at these times."""
        from rbdkit.engine.steps.recorded_tree import DrivenMotion

        law = self._law()
        return None if law is None or self._computed(times) is None else DrivenMotion(law, self.nq, self.nv)

    def _computed(self, times: NDArray) -> dict[str, NDArray] | None:
        """Evaluate the table by compiled code; None if it cannot be traced or comes out different."""
        from rbdkit.trace import evaluate

        law = self._law()
        if law is None:
            return None
        none = np.zeros((len(times), 0))
        numbers = evaluate(law, times, none, none)
        parts = np.split(numbers, [self.nq, self.nq + self.nv], axis=1)
        found = {f"{name}_table": np.ascontiguousarray(part) for name, part in zip(DRIVEN, parts, strict=True)}
        # three rows are compared with what the functions give: a trace that means something else shows there
        sample = [0, len(times) // 3, len(times) - 1]
        if not np.isfinite(numbers).all() or not all(self._agrees(found, k, times[k]) for k in sample):
            return None
        return found if self._on_manifold(found["driven_q_table"]) else None

    def _on_manifold(self, q: NDArray) -> bool:
        first = 0
        for joint in self._joints:
            try:
                joint.joint.check(q[:, first : first + joint.joint.nq])
            except StateError:
                return False
            first += joint.joint.nq
        return True

    def _agrees(self, found: dict[str, NDArray], row: int, t: float) -> bool:
        """Return whether a row equals what Python gives, up to round-off: sums may have another order."""
        own = self.at(float(t))
        return all(np.allclose(found[f"{name}_table"][row], own[name], rtol=1e-12, atol=1e-12) for name in DRIVEN)

    def _law(self) -> Feedback | None:
        if self._traced is None:
            self._traced = (_trace_motions(self._joints),)
        return self._traced[0]


def _dependencies(driven: list[joints.Prescribed]) -> Dependencies:
    from rbdkit.trace import Dependencies

    return Dependencies({f"motion {k}": joint.motion for k, joint in enumerate(driven)}, {Model: PARTS})


def _trace_motions(driven: list[joints.Prescribed]) -> Feedback | None:
    """Trace all motions as one function of time; None if one is not pure or cannot be traced."""
    from rbdkit.trace import Feedback, trace

    def numbers(t: Scalar) -> NDArray:
        states = [[np.ravel(np.asarray(part, dtype=object)) for part in joint.motion(t)] for joint in driven]  # type: ignore[arg-type]
        for joint, state in zip(driven, states, strict=True):
            if [len(part) for part in state] != [joint.joint.nq, joint.joint.nv, joint.joint.nv]:
                raise ValueError("not as many numbers as the joint has")
        return np.concatenate([part for parts in zip(*states, strict=True) for part in parts])

    try:
        found = _dependencies(driven)
        found.require_pure()
        with found.guard.untouched():
            return Feedback.of(trace(numbers, (), names=("t",), exact=True))
    except Exception:  # a user's function on numbers that are not known yet: anything may go wrong in it
        return None


def prescribed(model: Model) -> list[joints.Prescribed]:
    """Return the prescribed joints of a model, those that close loops last; reversed ones inside their motion."""
    simple = (joint.type.simplified() for joint in (*model.joints[1:], *(loop.joint for loop in model.loops)))
    return [joint for joint in simple if isinstance(joint, joints.Prescribed)]
