"""Data that the stages of `simulate` hand on: arguments as given, the checked setting of a run, the computed motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import Force
from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import ContactReport, Law, Pairs
from rbdkit.model import Model
from rbdkit.simulation.adequacy import InCode
from rbdkit.simulation.choices import Maker
from rbdkit.simulation.controls import AtStates
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.progress import Progress
from rbdkit.simulation.recording import Recording
from rbdkit.simulation.state_forces import StateForces
from rbdkit.simulation.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Request:
    """The arguments of `simulate` as given; see there."""

    model: Any
    q0: Any
    v0: Any
    duration: Any
    dt: Any
    formulation: Any
    integrator: Any
    tau: Any
    f_ext: Any
    every: Any
    progress: Any
    backend: Any
    z0: Any
    contact: Any
    limits: Any
    u: Any
    effort: Any


@dataclass(frozen=True, eq=False)
class Setting:
    """A run that has been checked: the model, where it begins, what acts on it, and how it is to be computed.

    Attributes
    ----------
    request : the arguments that it was made from. model : a frozen copy of the model.
    q, v, z : coordinates, velocities, and states of force elements at the beginning.
    times : (steps + 1,) times of all steps, s. every : number of steps from one recorded state to the next.
    make : makes the formulation. integrator : as chosen. method : that integrator for these times.
    law : the contact law, or None. pairs : what a contact law acts on, or None. touches : number of pairs of bodies
        that can touch.
    applied : joint forces. external : external forces as a checked function of (t, q, v), or None.
    watch : shows progress. findings : number of warnings of `Model.validate`.
    controls : controls of actuators along a motion, or None if they stay the same.
    stops : names of the constraints at which joints stop, of those that the run added to the model.
    beyond : notes on joints that begin beyond their limits and have their stops there.
    before : what was computed already, in which no joint reaches a limit; a law goes on from there. Or None.
    """

    request: Request
    model: Model
    q: NDArray
    v: NDArray
    z: NDArray
    times: NDArray
    every: int
    make: Maker
    integrator: Integrator | Adaptive
    method: Integrator | Adaptive
    law: Law | None
    pairs: Pairs | None
    touches: int
    applied: Drive
    f_ext: Any
    external: Force | None
    watch: Progress
    findings: int
    controls: AtStates | None
    stops: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    before: Recording | None = None

    @property
    def book(self) -> bool:
        """Whether the readable form was asked for."""
        return bool(self.request.backend == "book")

    @property
    def w(self) -> NDArray:
        """Velocities, followed by the states of force elements."""
        return np.concatenate([self.v, self.z]) if len(self.z) else self.v

    @property
    def rest(self) -> Setting:
        """The setting of the steps that are not computed yet."""
        if self.before is None:
            return self
        done, nv = self.before.steps, self.model.nv
        q, w = self.before.q[-1], self.before.v[-1]
        return replace(self, times=self.times[done:], q=q, v=w[:nv], z=w[nv:], applied=self.applied.after(done))


@dataclass(frozen=True, eq=False)
class Computed:
    """A computed motion, with all that is needed to judge it.

    Attributes
    ----------
    recording : states and end of the run. motion : the same as a trajectory, without report.
    method : the integrator or contact law that made the steps. code : description of the code that ran.
    applied : joint forces, those that were traced by their compiled form.
    forces : forces in the form of the formulation, or None in joint coordinates.
    in_code : makes single steps by the compiled code of the run, or None. contacts : report of the contact law, if any.
    unstopped : why joints that pass their limits do not stop there, if they should; else empty.
    """

    setting: Setting
    recording: Recording
    motion: Trajectory
    method: Integrator | Adaptive | Law
    code: str
    applied: Drive
    forces: StateForces | None = None
    in_code: InCode | None = None
    contacts: ContactReport | None = None
    unstopped: str = ""
