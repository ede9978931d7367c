"""The semi-implicit Euler method, which is symplectic where the mass matrix is constant."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep, Stage, State
from rbdkit.trace import Index, Moment, Part, Record, Recorded


class SymplecticEuler(OneStep):
    """Velocity first, then position with the new velocity: one evaluation a step, order 1.

    What game engines use. Where the mass matrix does not depend on the position, as of a single pendulum or of masses
    on rails, this is the symplectic Euler method: the energy of oscillations wavers but does not grow. Elsewhere, from
    the double pendulum on, velocities stand for momenta only roughly, the step is not symplectic, and the energy may
    drift like that of any method of order 1. `Variational` steps momenta and is symplectic everywhere.

    Examples
    --------
    Where explicit Euler gains more and more energy, the error of this method comes back to zero:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import SymplecticEuler
    >>> motion = rbd.simulate(rbd.library.pendulum(), [0.1], duration=20.0, integrator=SymplecticEuler())
    >>> early, late = abs(motion.energy_error()[:5000]).max(), abs(motion.energy_error()[-5000:]).max()
    >>> bool(late < 1.1 * early)
    True
    """

    name = "symplectic_euler"
    order = 1
    conserves: ClassVar[tuple[str, ...]] = ("energy where inertia is constant, on average",)
    formulas: ClassVar[tuple[str, ...]] = ("a1 = f(t, x, v)    k1 = v + h a1", "v <- v + h a1\nx <- x * exp(h k1)")

    def step(self, system: System, state: State, h: float) -> State:
        v_new = state.v + h * system.rate(state.t, state.x, state.v)
        return State(state.t + h, system.move(state.x, h * v_new), v_new)

    def stages(self, system: System, state: State, h: float) -> list[Stage]:
        v_rate = system.rate(state.t, state.x, state.v)
        return [Stage(state.t, state.x, state.v, state.v + h * v_rate, v_rate)]

    @staticmethod
    def record(system: Recorded, n: Index) -> None:
        """The same step on the arrays of a program."""
        program, moment = system.program, Moment(system.program, n, 0)
        x, v, u, v_new, v_rate = Part("x"), Part("v"), Part("u"), Part("v_new"), Part("v_rate")
        system.rate(moment, x, v, v_rate)
        program.store("scratch", 0, 0, moment.h)
        for k in system.freedoms():
            h = program.load("scratch", 0)
            faster = v.load(program, k) + h * v_rate.load(program, k)
            v_new.store(program, k, faster)
            u.store(program, k, h * faster)
        system.move(x, u, Part("x_new"))

    @property
    def written_out(self) -> Record:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        return {"c": np.zeros(1), "scratch": np.zeros(1), "u": np.zeros(nv), "v_rate": np.zeros(nv)}
