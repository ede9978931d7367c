"""The semi-implicit Euler method, which is symplectic where the mass matrix is constant."""

from __future__ import annotations

from typing import ClassVar

from rbdkit.formulations import System
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State


class SymplecticEuler(OneStep):
    """Velocity first, then position with the new velocity: one evaluation a step, order 1.

    The method of game engines. If the mass matrix is constant, as for a single pendulum or masses on rails, this is the
    symplectic Euler method: the energy of oscillations fluctuates but does not grow. Otherwise, from the double
    pendulum on, the step is not symplectic, because it steps velocities and not momenta, and the energy may drift as
    with any method of order 1. `Variational` steps momenta and is symplectic for every model.

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
