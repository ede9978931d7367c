"""Steps of an integrator for bodies that push each other by a law of force."""

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
    """One step of a method, told before, and settled after."""

    inner: Record

    def __call__(self, system: RecordedForceTree, n: Index) -> None:
        system.tell(n)
        self.inner(system, n)
        moment = Moment(system.program, n, 0)
        system.close(Part("x_new"), Part("v_new"), lambda: moment.time + moment.h)
        system.settled(n)


@dataclass(frozen=True, eq=False)
class ForceSteps:
    """An integrator, with the law of force of all places.

    Parameters
    ----------
    inner : the integrator. law : what it says. numbers : of each place (slots, n).
    """

    inner: Recordable
    law: ForceLaw
    numbers: NDArray

    requires: ClassVar[type] = RecordedForceTree
    written_out: ClassVar[None] = None

    @property
    def name(self) -> str:
        """Of the integrator."""
        return str(getattr(self.inner, "name", type(self.inner).__name__))

    @property
    def record(self) -> Record:
        """The same for all that share a program."""
        return _Step(self.inner.record)

    @property
    def shared(self) -> frozenset[str]:
        """As of the integrator."""
        return self.inner.shared

    @property
    def states(self) -> int:
        """How many numbers all places have behind v."""
        return sum(self.law.states) * len(self.numbers) + 2

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
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
