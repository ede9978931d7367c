"""Choice of a Lie group for each body (SE(3) or SO(3) x R3), by trial runs.

Which group suits a body depends on its joints: on SE(3) a body on a lower pair to the ground moves along the joint
within each step, on SO(3) x R3 free flight is straight (Müller and Terze 2013). Between these no rule decides, but a
trial does: `choose_groups` begins with the better of both for all bodies, then changes one body at a time while the
constraints drift less.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import ConstrainedBodies
from rbdkit.integrators import Integrator
from rbdkit.model import Model
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.simulate import SimulationWarning, simulate

ROUND_OFF = 1e-13
"""Constraint errors, rad or m, below this count as equal; the drift of the energy then decides."""


class Drift(NamedTuple):
    """Drift of a run. constraint : largest constraint residual, rad or m. energy : largest change of the energy, J."""

    constraint: float
    energy: float

    @property
    def rank(self) -> tuple[float, float]:
        """Key by which choices are compared; smaller is better."""
        return max(self.constraint, ROUND_OFF), self.energy


class Choice(NamedTuple):
    """The chosen groups by body name, their drift, and the drift of every trial."""

    groups: dict[str, str]
    drift: Drift
    trials: dict[tuple[str, ...], Drift]


def drift(
    model: Model,
    q: NDArray,
    v: NDArray,
    duration: float,
    dt: float,
    groups: str | tuple[str, ...],
    integrator: str | Integrator = "rk4",
) -> Drift:
    """Run a model without dampers on the given groups, as `ConstrainedBodies` takes them; return the drift."""
    make = partial(ConstrainedBodies, groups=groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # a trial may drift
        motion = simulate(
            model, q, v, duration=duration, dt=dt, formulation=make, integrator=integrator, progress=False
        )
    assert isinstance(motion, Motion)
    energy = motion.energy().total
    error = np.abs(motion.constraint_error()).max(initial=0.0)
    return Drift(float(error), float(np.abs(energy - energy[0]).max()))


def choose_groups(
    model: Model, q: NDArray, v: NDArray, duration: float, dt: float, integrator: str | Integrator = "rk4"
) -> Choice:
    """Find the groups with the smallest constraint drift in a motion.

    A greedy search: it begins with the better of SE(3)^n and (SO(3) x R3)^n and changes the group of one body at a time
    while that helps. So on the motion tried the choice is never worse than either. Give the groups to
    `rbdkit.formulations.Bodywise`.

    Parameters
    ----------
    model : Model
        Trees and loops of any joints.
    q, v : array_like (nq,), (nv,)
        Initial joint coordinates and velocities.
    duration, dt : float
        Length of the trial runs and of their steps, s.
    integrator : str or Integrator, optional
        As in `simulate`.

    Returns
    -------
    Choice
        The ``groups`` by body name, their drift, and all trials.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.simulation import choose_groups
    >>> choice = choose_groups(rbd.library.pendulum(), [1.0], [0.0], duration=0.1, dt=0.01)
    >>> choice.groups
    {'rod': 'se3'}
    """
    names = [body.name for body in model.bodies[1:]]
    trials: dict[tuple[str, ...], Drift] = {}

    def tried(groups: tuple[str, ...]) -> tuple[float, float]:
        if groups not in trials:
            trials[groups] = drift(model, q, v, duration, dt, groups, integrator)
        return trials[groups].rank

    best = min((("se3",) * len(names), ("so3xr3",) * len(names)), key=tried)
    while (better := _one_changed(best, tried)) != best:
        best = better
    return Choice(dict(zip(names, best, strict=True)), trials[best], trials)


def _one_changed(groups: tuple[str, ...], tried: Callable[[tuple[str, ...]], tuple[float, float]]) -> tuple[str, ...]:
    """Return the best of the given groups and those that differ from them in one body."""
    other = {"se3": "so3xr3", "so3xr3": "se3"}
    changed = [(*groups[:i], other[name], *groups[i + 1 :]) for i, name in enumerate(groups)]
    return min((groups, *changed), key=tried)
