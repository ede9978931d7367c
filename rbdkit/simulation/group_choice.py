"""Which group for which body: found by trial runs."""

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
"""Constraint errors (rad or m) below this do not count as different; then the drift of the energy decides."""


class Drift(NamedTuple):
    """What a run did to what it should keep. constraint : largest residual, rad or m. energy : largest change, J."""

    constraint: float
    energy: float

    @property
    def rank(self) -> tuple[float, float]:
        """Smaller is better."""
        return max(self.constraint, ROUND_OFF), self.energy


class Choice(NamedTuple):
    """The groups found, body name to group, what they drift by, and what every trial drifted by."""

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
    """Drift of constraints and energy on the given groups, as `ConstrainedBodies` takes them; for models without
    dampers."""
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
    """The groups that keep the constraints of a motion best.

    Begins with the better of SE(3)^n and (SO(3) x R3)^n and changes the group of one body after the other as long as
    that helps: so on the motion that was tried the choice is never worse than either. Give the groups to
    `rbdkit.formulations.Bodywise`.

    Parameters
    ----------
    model : Model
        Trees and loops of any joints.
    q, v : array_like (nq,), (nv,)
        Joint coordinates and velocities to begin with.
    duration, dt : float
        Of the trial and of its steps, s.
    integrator : str or Integrator, optional
        As in `simulate`.

    Returns
    -------
    Choice
        The ``groups`` by the name of the body, and what was tried.

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
    """The best of the groups given and those that differ from them in one body."""
    other = {"se3": "so3xr3", "so3xr3": "se3"}
    changed = [(*groups[:i], other[name], *groups[i + 1 :]) for i, name in enumerate(groups)]
    return min((groups, *changed), key=tried)
