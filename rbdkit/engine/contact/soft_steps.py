"""Steps of an integrator for bodies with soft surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.diary import ACCOUNT
from rbdkit.engine.contact.soft_tree import RecordedSoftTree, Soft
from rbdkit.trace import Index, Moment, Part, Record, Recordable


@dataclass(frozen=True)
class _Step:
    """One step of a method, told before and with patches where bodies hold them after."""

    inner: Record

    def __call__(self, system: RecordedSoftTree, n: Index) -> None:
        system.tell(n)
        self.inner(system, n)
        moment = Moment(system.program, n, 0)
        system.close(Part("x_new"), Part("v_new"), lambda: moment.time + moment.h)
        system.ended(n)


@dataclass(frozen=True, eq=False)
class SoftSteps:
    """An integrator, with what surfaces are like.

    Parameters
    ----------
    inner : the integrator. soft : the exponents of surfaces. patches : K, D, K_t, D_t of each slot, (slots, 4).
    """

    inner: Recordable
    soft: Soft
    patches: NDArray

    requires: ClassVar[type] = RecordedSoftTree
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
        """How many numbers patches have behind v."""
        return (4 if self.soft.states else 3) * len(self.patches) + 2

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {
            **self.inner.arrays(nx, nv),
            "account": np.zeros(ACCOUNT),
            "turns": np.ones(1),
            "contact_sweeps": np.zeros(1),
            "patches": np.ascontiguousarray(self.patches, dtype=float),
            "patch_since": np.zeros(1),
            "patch_depth": np.zeros(len(self.patches)),
            "patch_pressed": np.zeros(len(self.patches)),
        }
