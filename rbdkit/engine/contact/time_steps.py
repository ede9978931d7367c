"""The time-stepping method: contacts and friction at the level of velocities and impulses.

Impacts are not located in time. Forces and geometry are taken at the beginning of a step, and impulses are chosen so
that the velocities at its end obey the contact law (Moreau 1988; Stewart and Trinkle 1996; Anitescu and Potra 1997).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.diary import ACCOUNT
from rbdkit.engine.contact.one_point import ImpulseLaw
from rbdkit.engine.contact.sweeps import POINTS
from rbdkit.engine.contact.touching_tree import RecordedTouchingTree
from rbdkit.engine.contact.visits import CONSTANTS
from rbdkit.trace import Index, Moment, Part, Record


@dataclass(frozen=True)
class TimeSteps:
    """Semi-implicit Euler steps whose end velocities obey the contact law, see `record`.

    Parameters
    ----------
    sweeps : most iterations of a step. tol : the change in an iteration that ends it, relative to the largest velocity
        error without impulses. recovery : fraction of an overlap that is resolved in a step. hard : largest velocity
        error after the last iteration, relative to the same; where it is larger, the run ends. coarse : as tol, for
        steps with more points than each of `POINTS`; if None, the same. law : a user's law of impulses at a point.
    """

    sweeps: int = 200
    tol: float = 1e-10
    recovery: float = 0.2
    hard: float = np.inf
    coarse: tuple[float, ...] | None = None
    law: ImpulseLaw | None = None

    requires: ClassVar[type] = RecordedTouchingTree
    shared: ClassVar[frozenset[str]] = frozenset()
    written_out: ClassVar[None] = None

    @property
    def record(self) -> Record:
        """Function that records one step; equal for all methods that share a program."""
        return _Step(self.law)

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """Allocate the arrays that `record` reads and writes; see `rbdkit.trace.Recordable`."""
        own_functions = {} if self.law is None else vars(self.law)
        coarse = [self.tol] * len(POINTS) if self.coarse is None else self.coarse
        return {
            "c": np.zeros(1),
            "scratch": np.zeros(1),
            "u": np.zeros(nv),
            "v_rate": np.zeros(nv),
            "account": np.zeros(ACCOUNT),
            "turns": np.ones(1),
            "contact_sweeps": np.zeros(1),
            **{CONSTANTS[name]: np.array(own.numbers) for name, own in own_functions.items() if own is not None},
            "contact_options": np.array([self.sweeps, self.recovery, self.hard, self.tol, *coarse], dtype=float),
        }


@dataclass(frozen=True)
class _Step:
    law: ImpulseLaw | None

    def __call__(self, system: RecordedTouchingTree, n: Index) -> None:
        """Record one step: geometry, inertia and forces are those at its beginning, the contact law holds at its end.

        A contact with gap g and normal velocity u obeys ``u + g / h >= 0``; with restitution e, what would touch in the
        step leaves with ``u >= -e u_before``. A fraction of an overlap is resolved by displacements that leave
        velocities alone.
        """
        program, moment = system.program, Moment(system.program, n, 0)
        x, v, u, v_new, v_rate = Part("x"), Part("v"), Part("u"), Part("v_new"), Part("v_rate")
        system.rate(moment, x, v, v_rate)
        program.store("scratch", 0, 0, moment.h)
        system.speed_up(v, v_rate, v_new)
        system.touch(moment, v_new, u, self.law)
        for k in system.freedoms():
            # from velocities to the displacements of the step
            u.store(program, k, program.load("scratch", 0) * u.load(program, k))
        system.glide(x, u, v_new, Part("x_new"))
        system.close(Part("x_new"), v_new, lambda: moment.time + moment.h)
