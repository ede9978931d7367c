"""`rbdkit.equilibrium`: where a mechanism is at rest, and the joint forces that hold it there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.actuation import inverse_dynamics
from rbdkit.assembly import assemble
from rbdkit.errors import ArgumentError, ConvergenceError, StateError
from rbdkit.functions import passive_force, rnea
from rbdkit.linearization.held_contacts import held, warn_if_pulled
from rbdkit.linearization.inputs import velocities_of
from rbdkit.linearization.near import Near
from rbdkit.model import Joint, Model
from rbdkit.model.closing import is_closed, length_of, require_closed
from rbdkit.model.closing.rank import arcs_of
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import shown

STEPS = 300
"""Most steps; some ten are usual."""
LONGEST = 0.3
"""Longest step, rad or lengths of the model: a longer one would pass the next place of rest."""
SLOPE = 1e-5
"""Displacement of central differences, in arcs: only the direction of a step depends on it, not where it ends."""
REST = 1e-12
"""Largest force that is left, relative to the forces that balance and to the stiffness, N m/rad."""
RESTING = 1e-9
"""Smallest part of a displacement in which a fixed joint would move: round-off is smaller."""
HALVINGS = 20
"""Most halvings of a step after which loops cannot be closed."""
FLAT = 1e-7
"""Smallest stiffness, relative to the largest, that counts: what is freer has no place of its own."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest.

    Attributes
    ----------
    q : ndarray (nq,)
        Coordinates.
    tau : ndarray (nv,)
        Joint forces that hold it: those given, and those of the fixed joints.
    stable : bool
        Whether every stiffness is positive, so that a small push brings it back.
    stiffness : ndarray (d,)
        Eigenvalues of the stiffness of the joints that are free to move, lengths scaled to arcs, N m/rad, in ascending
        order.
    """

    q: NDArray
    tau: NDArray
    stable: bool
    stiffness: NDArray


def equilibrium(
    model: Model,
    q0: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    fix: str | int | Iterable[str | int] = (),
    stable: bool = True,
    t: float = 0.0,
) -> Equilibrium:
    """Find a state of rest near given coordinates, with loops, constraints, springs, and feet on the ground.

    Parameters
    ----------
    model : Model
        The mechanism. Corners that touch something at q0 stay where they are.
    q0 : array_like (nq,), optional
        Where the search begins; neutral by default.
    tau : array_like (nv,), optional
        Constant joint forces; zero by default.
    fix : str or iterable of str or int, optional
        Joints that motors hold where they are; their forces are part of the result.
    stable : bool, optional
        True looks for a place to which the mechanism returns; False takes the nearest, as the top of a pendulum.
    t : float, optional
        Time, s; for prescribed joints and force elements that depend on it.

    Returns
    -------
    rbdkit.linearization.Equilibrium
        q, the joint forces tau there, and whether it is stable.

    Raises
    ------
    ConvergenceError
        If nothing is found: it falls for ever, or a joint has no place of its own and is pushed.
    StateError
        If q0 does not fit the model; if fixed joints cannot hold the mechanism; or if prescribed joints move its loops
        at this time.

    Warns
    -----
    UserWarning
        If contacts would have to pull or slip to hold the mechanism there.

    See Also
    --------
    linearize : Small motions about it.

    Examples
    --------
    A mass of 2 kg on a vertical spring of 100 N/m sinks by 0.1962 m:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("scale")
    >>> pan = model.add_body("pan", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0), stiffness=100.0)
    >>> rbd.equilibrium(model).q.round(6).tolist()
    [-0.1962]
    """
    require_model(model)
    if not isinstance(stable, bool | np.bool_):
        raise ArgumentError(f"stable = {shown(stable)} must be True or False")
    if model.nz:
        raise ArgumentError(f"force elements of model {model.name!r} have states of their own, which do not rest")
    q = model.neutral() if q0 is None else model.check_q(q0)
    given = np.zeros(model.nv) if tau is None else model.check_v(tau, "tau")
    if q.ndim != 1 or given.ndim != 1:
        raise ArgumentError("equilibrium takes one state; call it for each of a stack")
    held_at = velocities_of(model, fix, "fix")
    names = [joint.name for joint in model.joints if joint.mimic is None and {*_range(joint)} & {*held_at}]
    if any(not {*_range(model.joint(name))} <= {*held_at} for name in names):
        raise ArgumentError(f"fix = {shown(fix)} holds a part of a joint; give the joints whole: {', '.join(names)}")
    rest = np.zeros(model.nv)
    if model.loops or model.constraints:
        q = assemble(model, q, t=t)
        _require_rest(model, q, t)
    twin, touching = held(model, q, rest, t)
    q, stiffness = _search(twin, q, given, held_at, bool(stable), t)
    balance = given.copy()
    if held_at:
        balance[list(held_at)] = 0.0
        if balance.any():  # what is given elsewhere relieves the motors
            balance[list(held_at)] = _holding(twin, q, balance, held_at, t)
        else:
            missing = inverse_dynamics(twin, q, rest, rest, actuated=list(held_at), t=t)
            balance[list(held_at)] = missing[list(held_at)]
    if touching:
        needed = rnea(twin, q, rest, rest, t=t) - passive_force(twin, q, rest, t=t)
        warn_if_pulled(model, touching, q, needed - balance, t)
    return Equilibrium(q, balance, bool((stiffness > 0.0).all()), stiffness)


def _require_rest(model: Model, q: NDArray, t: float) -> None:
    """Check that prescribed joints do not move loops or constraints at this time."""
    driven = [joint.name for joint in model.joints if joint.type.is_driven]
    if not driven:
        return
    try:
        require_closed(model, q, np.zeros(model.nv), t)
    except StateError as fault:
        raise StateError(
            f"model {model.name!r} does not rest at t = {t:g} s: prescribed joints ({', '.join(driven)}) move what its "
            f"loops or constraints hold ({str(fault).split('. ')[0]}); give a time at which they stand still"
        ) from None


def _range(joint: Joint) -> range:
    return range(joint.v_slice.start, joint.v_slice.stop)


def _holding(model: Model, q: NDArray, given: NDArray, held_at: tuple[int, ...], t: float) -> NDArray:
    """Return the smallest forces of the fixed joints that hold a place of rest, beside those given on the others."""
    rest = np.zeros(model.nv)
    N = Near(model, q, rest, given, held_at, t, forces=False).basis
    missing = rnea(model, q, rest, rest, t=t) - passive_force(model, q, rest, t=t) - given
    return np.asarray(np.linalg.lstsq(N[list(held_at)].T, N.T @ missing, rcond=None)[0])


class _Free:
    """The displacements that fixed joints, loops and constraints leave, at one pose."""

    def __init__(self, model: Model, q: NDArray, tau: NDArray, fixed: tuple[int, ...], t: float) -> None:
        self.model, self.tau, self.t = model, tau, t
        # fixed joints among the independent ones, as far as they can be
        self.near = Near(model, q, np.zeros(model.nv), tau, fixed, t, forces=False)
        arcs, N = arcs_of(model, length_of(model)), self.near.basis
        ways = np.eye(N.shape[1])
        if fixed:  # combinations of the independent displacements in which the fixed joints rest
            _, s, V = np.linalg.svd(N[list(fixed)])
            ways = V[int(np.sum(s > RESTING * max(1.0, s.max(initial=0.0)))) :].T
        # orthonormal in arcs, so that angles and lengths compare
        self.ways = ways @ np.linalg.inv(np.linalg.qr(N @ ways / arcs[:, None])[1])

    def at(self, step: NDArray) -> tuple[NDArray, NDArray, float]:
        """Return coordinates after a displacement, forces along the free ones there, and the size of what balances."""
        q, rest = self.near.moved(self.ways @ step), np.zeros(self.model.nv)
        basis = self.near.basis
        if self.near.tied:
            basis = self.near.basis_at(self.near.kernels.constraint_rows(q, rest, self.t).K)
        basis = basis @ self.ways
        needed, passive = rnea(self.model, q, rest, rest, t=self.t), passive_force(self.model, q, rest, t=self.t)
        size = np.linalg.norm(np.abs(basis.T) @ (np.abs(needed) + np.abs(passive) + np.abs(self.tau)))
        return q, basis.T @ (self.tau + passive - needed), float(size)


def _search(
    model: Model, q: NDArray, tau: NDArray, fixed: tuple[int, ...], stable: bool, t: float
) -> tuple[NDArray, NDArray]:
    """Return coordinates at rest and the stiffness there, by Newton steps; towards stable ones along the forces."""
    for _ in range(STEPS):
        free = _Free(model, q, tau, fixed, t)
        d = free.ways.shape[1]
        _, force, size = free.at(np.zeros(d))
        slopes = np.zeros((d, d))
        for k in range(d):
            step = np.zeros(d)
            step[k] = SLOPE
            slopes[:, k] = (free.at(-step)[1] - free.at(step)[1]) / (2.0 * SLOPE)
        K, V = np.linalg.eigh(0.5 * (slopes + slopes.T))
        stiffest = float(np.abs(K).max(initial=0.0))
        rests = bool(np.linalg.norm(force) <= REST * max(size, stiffest))
        if rests and (not stable or (-FLAT * stiffest <= K).all()):
            return q, K
        if stable:
            # downhill in every direction, also where the energy has a saddle
            soft = FLAT * stiffest + 1e-300
            step = V @ ((V.T @ force) / np.maximum(np.abs(K), soft))
            if rests:
                step = LONGEST * 0.1 * V[:, 0]  # at rest on a top: to one side
        else:
            step = np.linalg.lstsq(slopes, force, rcond=FLAT)[0]
        length = float(np.linalg.norm(step))
        step *= min(1.0, LONGEST / length) if length else 0.0
        q = free.near.moved(free.ways @ step)
        for _ in range(HALVINGS):
            if not free.near.tied or is_closed(model, q, t):
                break
            step *= 0.5  # Newton steps from so far do not close the loops
            q = free.near.moved(free.ways @ step)
    worst = int(np.argmax(np.abs(free.near.basis @ free.ways @ force)))
    name = next(j.name for j in model.joints if j.mimic is None and j.v_slice.start <= worst < j.v_slice.stop)
    raise ConvergenceError(
        f"model {model.name!r} finds no rest from here: joint {name!r} is still pushed with "
        f"{np.abs(force).max():.3g} N m (or N, times a length) after {STEPS} steps; it may fall for ever, so hold it "
        "with fix= or a spring, or begin nearer"
    )
