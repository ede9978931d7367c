"""Find forces that act only between recorded times, by sampling them there: steps may miss a short pulse.

Each force is sampled at irregular places inside the intervals (golden-section offsets, in resonance with nothing
periodic) with the state held fixed, so that what is found is due to time alone. A force counts as hidden if it departs
from the straight line between recorded times by far more than the recorded values suggest; its beginning and end are
found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.engine.run.driven import prescribed
from rbdkit.formulations import Force, joint_state
from rbdkit.model import Model
from rbdkit.model.kept import kept
from rbdkit.simulation.asking import Law
from rbdkit.simulation.forces import AtOnce, Drive, Scheduled, TracedForce, at_states
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.traced_forces import Untraceable, guard_of_law
from rbdkit.simulation.trajectory import Trajectory

COMPILED, CALLED = 1500, 200
"""Number of samples of a compiled force, and of one that is called from Python."""
MOST_BETWEEN = 24
"""Largest number of samples between two recorded times."""
STATES = 16
"""Number of states of the motion at which forces are sampled: what depends on time does so at any state."""
HIDDEN = 10.0
"""Factor by which a departure must exceed what recorded times show, to count as hidden."""
LOOKED_AT = 8
"""Number of intervals that are examined closely: those in which a force departs most from a straight line."""

Values = Callable[[NDArray, NDArray, NDArray], NDArray]
"""A function of times (n,) and states (n, nq), (n, nv) that returns values (n, m)."""


@dataclass(frozen=True)
class ShortForce:
    """A force that acts between two recorded times.

    what : name of the force. declare : attribute that declares its breaks. begin, end : when it acts, s.
    size : largest difference from the straight line between the recorded times.
    """

    what: str
    declare: str
    begin: float
    end: float
    size: float


def shortest_unseen(
    motion: Trajectory, applied: Drive, breaks: tuple[float, ...], longest: float, adaptive: bool
) -> ShortForce | None:
    """Return the largest force that acts so briefly between recorded times that steps may miss it, or None.

    Functions with memory are not sampled, since further calls might change them.

    Parameters
    ----------
    applied : joint forces. breaks : times at which steps of an adaptive integrator end, s. longest : longest step, s.
    """
    if len(motion) < 2:
        return None
    enough = (0.5 if adaptive else 1.0) * longest  # no two stages of a pair are more than half a step apart
    worst: ShortForce | None = None
    states: tuple[NDArray, NDArray, NDArray] | None = None
    for what, declare, values, samples in _sources(motion, applied):
        try:
            states = states_of(motion) if states is None else states
            with np.errstate(all="ignore"):
                found = _hidden(what, declare, values, motion.t, *states, samples)
        except Exception:
            continue  # a force need not be defined at states that the motion never reached
        if found is None or found.end - found.begin >= enough:
            continue
        if adaptive and all(np.isclose(t, breaks, rtol=1e-9, atol=0.0).any() for t in (found.begin, found.end)):
            continue
        worst = found if worst is None or found.size > worst.size else worst
    return worst


def _sources(motion: Trajectory, applied: Drive) -> Iterator[tuple[str, str, Values, int]]:
    """Yield each force that may depend on time: name, attribute that declares breaks, values, number of samples."""
    model = motion.model
    if isinstance(applied.function, TracedForce):
        if applied.function.code.asks("t"):
            yield applied.what, "law.breaks", *_of_force(applied.function)
    elif applied.law is not None and is_pure(applied.law):
        yield applied.what, "law.breaks", *_of_force(applied.function)
    external = motion.f_ext
    law = getattr(external, "function", None)
    if external is not None and law is not None and not isinstance(external, Scheduled) and is_pure(law):
        yield "f_ext", "law.breaks", *_of_force(external)
    driven = kept(model, prescribed)
    if driven:
        accelerations = partial(_accelerations, model)
        yield "the acceleration of a prescribed joint", "motion.breaks", accelerations, CALLED
    kernels = kernels_for(model)
    if kernels is not None and kernels.timed and not model.nz:
        yield "a force element", "breaks of its class", lambda t, q, v: kernels.own_forces(q, v, t)[0], COMPILED


def is_pure(law: Law) -> bool:
    """Whether a function is known to depend on its arguments alone."""
    try:
        guard_of_law(law)
    except Untraceable:
        return False
    return True


def _of_force(force: Force) -> tuple[Values, int]:
    def values(t: NDArray, q: NDArray, v: NDArray) -> NDArray:
        return at_states(force, t, q, v).reshape(len(t), -1)

    return values, COMPILED if isinstance(force, AtOnce) else CALLED


def _accelerations(model: Model, t: NDArray, q: NDArray, v: NDArray) -> NDArray:
    return np.array([np.concatenate([joint.state(time)[2] for joint in kept(model, prescribed)]) for time in t])


def states_of(motion: Trajectory) -> tuple[NDArray, NDArray, NDArray]:
    """Return a sample of a motion's rows, with joint coordinates and velocities there."""
    rows = np.unique(np.linspace(0, len(motion) - 2, STATES).astype(int))
    if not isinstance(motion, Motion):
        return rows, motion.q[rows], motion.v[rows]
    system = motion.system
    states = [(motion.x[k], motion.w[k]) for k in rows]
    found = [joint_state(motion.model, system.poses(x), system.velocities(x, w)) for x, w in states]
    return rows, np.array([q for q, _ in found]), np.array([v for _, v in found])


def _hidden(
    what: str, declare: str, values: Values, t: NDArray, rows: NDArray, q: NDArray, v: NDArray, samples: int
) -> ShortForce | None:
    """Return the largest departure of a force between recorded times that these do not show, or None."""
    n = len(t) - 1
    # at least three samples in an interval: both ends and one between
    chosen = np.arange(n) if 3 * n <= samples else np.linspace(0, n - 1, max(samples // 3, 1)).astype(int)
    between = int(np.clip(samples // len(chosen) - 2, 1, MOST_BETWEEN))
    at = np.searchsorted(rows, chosen, side="right") - 1
    offset = np.modf(0.381966 + 0.618034 * chosen)[0]  # of the golden section: in no step with anything periodic
    s = (np.arange(between) + offset[:, None]) / between
    begin, h = t[chosen], t[chosen + 1] - t[chosen]
    zero = np.zeros((len(chosen), 1))
    times = begin[:, None] + h[:, None] * np.concatenate([zero, s, zero + 1.0], axis=1)
    state = np.repeat(at, between + 2)
    F = values(times.ravel(), q[state], v[state]).reshape(len(chosen), between + 2, -1)
    line = F[:, :1] + s[..., None] * (F[:, -1:] - F[:, :1])
    off = np.abs(F[:, 1:-1] - line)
    departs = off.max(axis=(1, 2), initial=0.0)
    scale = float(np.max(np.abs(F), initial=0.0))
    worst: ShortForce | None = None
    for k in np.argsort(-departs)[:LOOKED_AT]:
        if not departs[k] > 1e-9 * scale:
            break
        row, place = int(at[k]), np.unravel_index(np.argmax(off[k]), off[k].shape)
        # the recorded times about the interval, at the same state: their second differences show how much a smooth
        # force bends
        held = np.array([begin[k] - h[k], begin[k], begin[k] + h[k], begin[k] + 2.0 * h[k]])
        inside = (held >= t[0]) & (held <= t[-1] + 1e-9 * h[k])
        f = values(held[inside], np.repeat(q[[row]], inside.sum(), 0), np.repeat(v[[row]], inside.sum(), 0))
        shown = float(np.max(np.abs(np.diff(f, 2, axis=0)), initial=0.0))
        if len(f) < 3:  # in a motion of one interval what is smooth is seen by its shape, a parabola over the interval
            bend = off[k, :, place[1]] / np.maximum(4.0 * s[k] * (1.0 - s[k]), 1e-3)
            shown = float(np.median(bend))
        if departs[k] <= HIDDEN * shown or (worst is not None and departs[k] <= worst.size):
            continue

        def departs_at(time: float, k: int = int(k), row: int = row, m: int = int(place[1])) -> bool:
            f = values(np.array([time]), q[[row]], v[[row]])[0, m]
            x = (time - begin[k]) / h[k]
            # the edge is where half of the departure is reached
            return bool(abs(f - F[k, 0, m] - x * (F[k, -1, m] - F[k, 0, m])) > 0.5 * departs[k])

        peak = float(times[k, 1 + place[0]])
        first, last = (_edge(departs_at, peak, float(end)) for end in (begin[k], begin[k] + h[k]))
        worst = ShortForce(what, declare, first, last, float(departs[k]))
    return worst


def _edge(inside: Callable[[float], bool], peak: float, outside: float) -> float:
    """Return the time at which a force stops acting, by bisection between its peak and a time outside."""
    # to round-off
    for _ in range(50):
        middle = 0.5 * (peak + outside)
        peak, outside = (middle, outside) if inside(middle) else (peak, middle)
    return peak
