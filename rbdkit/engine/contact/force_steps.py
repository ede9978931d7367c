"""Integrator steps for bodies with compliant contact, which push each other by a force law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.diary import ACCOUNT
from rbdkit.engine.contact.force_tree import CONSTANTS, ForceLaw, RecordedForceTree
from rbdkit.trace import Index, Moment, Part, Record, Recordable


@dataclass(frozen=True)
class _Step:
    """One step of an integrator: contacts logged before it, and the memory of the force law updated after it."""

    inner: Record

    def __call__(self, system: RecordedForceTree, n: Index) -> None:
        system.tell(n)
        self.inner(system, n)
        moment = Moment(system.program, n, 0)
        system.close(Part("x_new"), Part("v_new"), lambda: moment.time + moment.h)
        system.settled(n)


@dataclass(frozen=True, eq=False)
class ForceSteps:
    """An integrator together with the force law of all contact slots.

    Parameters
    ----------
    inner : the integrator. law : the contact force law. numbers : (slots, n) parameters of the law at each slot.
    """

    inner: Recordable
    law: ForceLaw
    numbers: NDArray

    requires: ClassVar[type] = RecordedForceTree
    written_out: ClassVar[None] = None

    @property
    def name(self) -> str:
        """Name of the integrator."""
        return str(getattr(self.inner, "name", type(self.inner).__name__))

    @property
    def record(self) -> Record:
        """Function that records one step; equal for all integrators that share a program."""
        return _Step(self.inner.record)

    @property
    def shared(self) -> frozenset[str]:
        """Arrays that the integrator shares with its program."""
        return self.inner.shared

    @property
    def states(self) -> int:
        """Number of state variables of the law at all slots, with two energies; they follow v."""
        return sum(self.law.states) * len(self.numbers) + 2

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Allocate the arrays that `record` reads and writes; see `rbdkit.trace.Recordable`."""
        constants = ((name, getattr(self.law, name)) for name in CONSTANTS)
        return {
            **self.inner.arrays(nx, nv),
            **{CONSTANTS[name]: np.array(law.numbers) for name, law in constants if law is not None},
            "account": np.zeros(ACCOUNT),
            "turns": np.ones(1),
            "contact_sweeps": np.zeros(1),
            "place_numbers": np.ascontiguousarray(self.numbers, dtype=float),
            "law_times": np.zeros(2),
            "place_kept": np.zeros(len(self.numbers) * self.law.kept),
            "place_settled": np.zeros(len(self.numbers)),
        }
