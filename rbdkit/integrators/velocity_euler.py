"""Euler's method at velocity level: constraints among the equations of the new velocities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.formulations import VelocityLevel
from rbdkit.integrators.integrator import OneStep
from rbdkit.integrators.state import Stage, State
from rbdkit.trace import Index, Moment, Part, Record


class VelocityEuler(OneStep):
    """New velocities first, with constraints on them, then positions along them (Sueda's notes, sections 1.8 to 1.12).

    In joint coordinates it is the semi-implicit Euler method (Eq 2.20). Of bodies with joints, new twists and
    reactions come from ``M v_new + G^T lambda = M v + h f``, ``G v_new = -gamma g`` (Eqs 1.73, 1.82): the velocities
    obey the joints exactly, positions to the order of the step.

    Parameters
    ----------
    gamma : float or '1/h', optional
        How fast gaps g of joints close, 1/s: 10 after Baumgarte, or '1/h', in one step; 0 leaves them.

    Raises
    ------
    SimulationError
        If gamma is negative or no number.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import VelocityEuler
    >>> options = {"formulation": "maximal", "integrator": VelocityEuler(gamma=10.0)}
    >>> motion = rbd.simulate(rbd.library.planar_four_bar(), duration=0.05, dt=0.001, **options)
    >>> bool(motion.report.constraint_error < 1e-4)
    True
    """

    name: ClassVar[str] = "velocity_euler"
    order: ClassVar[int] = 1
    requires: ClassVar[type] = VelocityLevel
    stiff: ClassVar[bool] = False
    conserves: ClassVar[tuple[str, ...]] = ()
    shared = frozenset({"gamma"})
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1, lambda:  M k1 + G^T lambda = M v + h f(t, x, v),  G k1 = -gamma g(x)",
        "v <- k1\nx <- x * exp(h k1)",
    )

    def __init__(self, gamma: float | str = "1/h") -> None:
        if gamma != "1/h" and not (isinstance(gamma, int | float) and 0.0 <= gamma < np.inf):
            raise SimulationError(f"gamma = {gamma!r} must be '1/h' or a number of 1/s that is not negative")
        self.gamma = gamma

    def pull(self, h: float) -> float:
        """gamma of a step of h s."""
        return 1.0 / h if isinstance(self.gamma, str) else float(self.gamma)

    def step(self, system: VelocityLevel, state: State, h: float) -> State:
        v_new = system.velocities_after(state.t, state.x, state.v, h, self.pull(h), self.stiff)
        return State(state.t + h, system.move(state.x, h * v_new), v_new)

    def stages(self, system: VelocityLevel, state: State, h: float) -> list[Stage]:
        v_new = system.velocities_after(state.t, state.x, state.v, h, self.pull(h), self.stiff)
        return [Stage(state.t, state.x, state.v, v_new, (v_new - state.v) / h)]

    @staticmethod
    def record(system: Any, n: Index) -> None:
        """The same step on the arrays of a program."""
        program, moment = system.program, Moment(system.program, n, 0)
        x, v, u, v_new, v_rate = Part("x"), Part("v"), Part("u"), Part("v_new"), Part("v_rate")
        accelerations(system, moment)
        for k in system.freedoms():
            h = moment.h
            faster = v.load(program, k) + h * v_rate.load(program, k)
            v_new.store(program, k, faster)
            u.store(program, k, h * faster)
        system.move(x, u, Part("x_new"))

    @property
    def written_out(self) -> Record | None:
        """The same; see `rbdkit.trace.Recordable`."""
        return self.record

    def arrays(self, nx: int, nv: int) -> dict[str, NDArray]:
        """What `record` reads and writes; see `rbdkit.trace.Recordable`."""
        gamma = np.array([0.0, 1.0] if isinstance(self.gamma, str) else [float(self.gamma), 0.0])
        return {"c": np.zeros(1), "gamma": gamma, "u": np.zeros(nv), "v_rate": np.zeros(nv)}


def accelerations(system: Any, moment: Moment) -> None:
    """The accelerations of a step, to "v_rate".

    With constraints those that end the velocities across them in one step, but for those that time makes:
    ``J a = (sigma - J v) / h - gamma / h g``, which is what `corrected` does with a guess -v / h.
    """
    program, x, v, u, v_rate = system.program, Part("x"), Part("v"), Part("u"), Part("v_rate")
    if hasattr(system, "corrected"):
        for k in system.freedoms():
            program.store("u", k, 0, -v.load(program, k) / moment.h)
        with program.loop(0, 1):
            by_h, h = program.load("gamma", 0, 1), moment.h
            program.store("closing", 0, 0, (program.load("gamma", 0) + by_h / h) / h)
            program.store("closing", 0, 1, 1.0 / h)
        system.corrected(moment, x, v, u, v_rate)
    else:
        system.rate(moment, x, v, v_rate)
