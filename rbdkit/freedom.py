"""Mobility of a mechanism: by Gruebler's count, by the rank of its constraints, and for finite motions.

The three may differ. The count knows no dimensions, so it misses linkages that move by theirs (Bennett, Bricard). The
rank of the constraint Jacobian K gives the instantaneous velocities at one pose; at a singular pose some of these lead
nowhere. So `mobility` also takes a small step along each direction in the null space of K, and along random mixtures,
closes the loops again, and looks at the poses reached. Where all have the rank of the pose itself and the ways to them
span as many dimensions, the pose is regular. Otherwise the freedom is counted anew at each pose reached, by the
dimensions that the ways from there span. See Featherstone 2008, section 8.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.loops import LoopMobility, loop_constraint, loop_mobility, weaker_loop_joints, with_elements
from rbdkit.assembly import assemble, called
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.closing import closest, require_closed
from rbdkit.model.closing.closest import Bounds, Residual
from rbdkit.model.joint import exerts
from rbdkit.model.names import listed
from rbdkit.model.requirements import besides_tree, require_bilateral, require_model

RANK = 1e-7
"""Singular values of K below this share of the largest count as zero: singular poses are found to half the digits."""
STEP = 0.05
"""Step from a pose to poses nearby, rad, or multiples of the model's length."""
CURVED = 0.1
"""Singular values of unit displacements from a pose below this share of the largest are put down to curvature."""
AROUND = 12
"""Number of random directions tried in addition to the basis of the null space."""
SEED = 8
"""Seed of these directions, fixed so that each call gives the same result."""


@dataclass(frozen=True)
class LoopShare:
    """Share of one loop joint, or of one constraint element, in the redundant constraints.

    Attributes
    ----------
    name : str
        Name of the loop joint or constraint.
    constraints : int
        Number of its constraints: 6 - nv of a loop joint, the rows of a constraint.
    alone : int
        Number of them that are redundant even with all other loops cut.
    share : float
        Its share in the null space of K.T, the constraint forces that have no effect. The shares of all loops and
        constraints add up to the number of redundant constraints.
    """

    name: str
    constraints: int
    alone: int
    share: float


@dataclass(frozen=True, eq=False)
class Mobility:
    """Mobility of a mechanism at a pose; it prints as a short report.

    Attributes
    ----------
    model : Model
        The mechanism.
    q : ndarray (nq,)
        The pose.
    numbers : LoopMobility
        Freedoms, constraints and rank at the pose, and Gruebler's counts (Featherstone 2008, section 8.10).
    finite : tuple of int
        Freedoms of the finite motions through the pose: one number, or several where motions of different freedom
        meet; 0 where the mechanism cannot leave the pose.
    motions : ndarray (instantaneous, nv)
        Velocities that keep all loops closed, orthonormal.
    loops : tuple of LoopShare
        How many redundant constraints each loop and constraint has.
    around : tuple of ndarray (nq,)
        Poses nearby that close the loops, from which `finite` was determined.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> mobility = rbd.mobility(rbd.library.planar_four_bar())
    >>> mobility.counted, mobility.instantaneous, mobility.finite, mobility.redundant
    (1, 1, (1,), 3)
    """

    model: Model
    q: NDArray
    numbers: LoopMobility
    finite: tuple[int, ...]
    motions: NDArray
    loops: tuple[LoopShare, ...]
    around: tuple[NDArray, ...]

    @property
    def counted(self) -> int:
        """Gruebler-Kutzbach count: freedoms of all joints, less 3 for each planar loop or 6 for each spatial one."""
        in_plane = self.numbers.counted_in_plane
        return self.numbers.counted_by_loops if in_plane is None else in_plane

    @property
    def is_planar(self) -> bool:
        """Whether all bodies stay in parallel planes."""
        return self.numbers.planar is not None

    @property
    def instantaneous(self) -> int:
        """Independent velocities at the pose, n - r (Eq 8.52)."""
        return self.numbers.mobility

    @property
    def redundant(self) -> int:
        """Number of redundant constraints at the pose, n^c - r: as many constraint forces are indeterminate."""
        return self.numbers.excess

    @property
    def is_singular(self) -> bool:
        """Whether the pose is singular: it allows more velocities than the finite motions through it have."""
        return self.finite != (self.instantaneous,)

    @cached_property
    def always_redundant(self) -> int:
        """Number of constraints that are redundant at the poses nearby, too."""
        n_c, n = self.numbers.n_c, self.numbers.n
        return min([self.redundant, *(n_c - n + own for own in self.finite)]) if self.around else self.redundant

    def __str__(self) -> str:
        return "\n".join([f"mobility of {self.model.name!r}", *_lines(self)])

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def mobility(model: Model, q: ArrayLike | None = None, *, t: float = 0.0) -> Mobility:
    """Mobility of a mechanism: Gruebler's count, the rank at a pose, and the freedom of finite motions through it.

    Parameters
    ----------
    model : Model
        With loops or without.
    q : array_like (nq,), optional
        Coordinates that close the loops; `assemble` finds some if not given.
    t : float, optional
        Time, s; for prescribed joints, which count as held.

    Returns
    -------
    Mobility
        With ``counted``, ``instantaneous``, ``finite``, ``redundant``, ``is_singular``, and the ``loops`` with
        redundant constraints.

    Raises
    ------
    StateError
        If q leaves a loop open.

    See Also
    --------
    properly_constrained : The same mechanism without redundant constraints.

    Notes
    -----
    Velocities are the null space of K (Featherstone 2008, Eq 8.17); `finite` is determined at closed poses a small
    step away, in all directions in which the pose can be left.

    Examples
    --------
    By Gruebler's count Bricard's linkage is rigid; its special dimensions let it move.

    >>> import rbdkit as rbd
    >>> print(rbd.mobility(rbd.library.rectangular_bricard()))
    mobility of 'rectangular Bricard linkage'
      counted   0: 6 freedoms of 6 joints, less 6 for each of 1 loop
      by rank   1: 5 freedoms of the tree, less the rank 4 of 5 constraints
      finite    1: as at the poses around
      redundant 1 constraint; of its force nothing can be said
        loop joint 'hinge6': 1 of its 5
    """
    require_model(model)
    require_bilateral(model, "mobility")
    at = np.array(assemble(model, t=t) if q is None else model.check_q(q))
    if at.shape != (model.nq,):
        raise StateError(f"q has shape {at.shape}; one pose, ({model.nq},), is looked at")
    still = np.zeros(model.nv)
    require_closed(model, at, None, t)  # at rest time may open loops and constraints
    numbers = loop_mobility(model, at, t=t, tol=RANK)
    K = with_elements(loop_constraint(model, at, still, t=t), model, at, still, t=t).K
    motions = np.linalg.svd(K)[2][numbers.r :] if model.nv else np.zeros((0, 0))
    if not besides_tree(model):
        return Mobility(model, at, numbers, (model.nv,), motions, (), ())
    around, ways = _around(model, at, motions, t)
    own = [loop_mobility(model, one, t=t, tol=RANK).mobility for one in around]
    around = [one for _, one in sorted(zip(own, around, strict=True), key=lambda both: both[0])]
    # The rank may be too low at every pose of a motion (velocities that lead nowhere), so the ways must span as much.
    if set(own) == {numbers.mobility} and _span(ways) == numbers.mobility:
        finite = {numbers.mobility}
    else:
        finite = {_freedom(model, one, t) for one in around} or {0}
    shares = _shares(model, (around or [at])[0], t)
    return Mobility(model, at, numbers, tuple(sorted(finite)), motions, shares, tuple(around))


def properly_constrained(model: Model, q: ArrayLike | None = None, *, t: float = 0.0) -> Model:
    """Replace loop joints of a mechanism by weaker ones, so that no constraint is redundant.

    Loop forces are then determined, and the motion is the same: each new joint allows every motion of the joint that
    it replaces, and at the pose and near it the mechanism has no other velocities than before. A hinge that closes a
    planar loop becomes a ball in a bore (Featherstone 2008, section 8.10). Loop joints with a spring, a damper or
    friction stay as they are.

    Parameters
    ----------
    model : Model
        With loops.
    q : array_like (nq,), optional
        Coordinates that close the loops; `assemble` finds some if not given.
    t : float, optional
        Time, s; for prescribed joints.

    Returns
    -------
    Model
        A new model; the given one if it has no redundant constraints.

    Raises
    ------
    StateError
        If q leaves a loop open.
    ModelError
        If no weaker joint was found that leaves the motion as it is; the message says how many redundant constraints
        are left.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.properly_constrained(rbd.library.planar_four_bar())
    >>> model.loops[0].joint.type, rbd.mobility(model).redundant
    (SphereInCylinder(axis='z'), 0)
    """
    found = mobility(model, q, t=t)
    # Poses nearby, not the given one: if that is singular, its additional redundancy is gone after any small motion.
    most = [one for one in found.around if loop_mobility(model, one, t=t, tol=RANK).mobility == found.finite[0]]
    poses = most[:3] or [found.q]
    left = max(loop_mobility(model, pose, t=t, tol=RANK).excess for pose in poses)
    for name in [loop.joint.name for loop in model.loops]:
        weaker = weaker_loop_joints(model, poses, t=t, only=name)
        if weaker and weaker[0].excess < left:
            model, left = weaker[0].model, weaker[0].excess
    if left:
        acting = [loop.joint.name for loop in model.loops if exerts(loop.joint)]
        stayed = f"; {listed(acting)} stayed for the sake of springs or losses: put these on tree joints"
        raise ModelError(
            f"model {model.name!r}: {left} redundant constraint(s) are left, and no weaker loop joint was found that "
            f"leaves the motion as it is{stayed if acting else ''}"
        )
    return model


def _around(model: Model, q: NDArray, motions: NDArray, t: float, step: float = STEP) -> tuple[list[NDArray], NDArray]:
    """Find closed poses a step away, and the unit displacements (k, nv) to them; none where the pose cannot be left."""
    residual, free, bounds = Residual(model, t), np.ones(model.nv, dtype=bool), Bounds(model, limited=False)
    unit = residual.unit[: model.nv]
    rng = np.random.default_rng(SEED)
    mixed = rng.normal(size=(AROUND if len(motions) > 1 else 0, len(motions))) @ motions
    poses, ways = [], [np.zeros((0, model.nv))]
    for motion in [*motions, *-motions, *mixed]:
        start = model.move(q, step * motion / np.max(np.abs(motion / unit)))
        one = closest(model, start, free, bounds, t, residual)
        way = model.displacement(q, one.q) / unit
        if one.is_closed and np.max(np.abs(way)) > 0.3 * step:  # else closing the loops led back to the pose
            poses.append(one.q)
            ways.append(way[None] / np.linalg.norm(way))
    return poses, np.concatenate(ways)


def _span(ways: NDArray) -> int:
    """Count the dimensions that displacements (k, nv) from a pose span, but for their curvature."""
    s = np.linalg.svd(ways, compute_uv=False)
    return int(np.sum(s > CURVED * s.max(initial=0.0)))


def _freedom(model: Model, q: NDArray, t: float) -> int:
    """Count the dimensions of finite motions at a pose; the rank alone, of velocities, may give more.

    A single direction needs no look around, since the pose itself was reached along it.
    """
    still = np.zeros(model.nv)
    K = with_elements(loop_constraint(model, q, still, t=t), model, q, still, t=t).K
    _, s, V = np.linalg.svd(K)
    motions = V[int(np.sum(s > RANK * s.max(initial=0.0))) :]
    return 1 if len(motions) == 1 else _span(_around(model, q, motions, t, 0.2 * STEP)[1])


def _shares(model: Model, q: NDArray, t: float) -> tuple[LoopShare, ...]:
    still = np.zeros(model.nv)
    constraint = with_elements(loop_constraint(model, q, still, t=t), model, q, still, t=t)
    U, s, _ = np.linalg.svd(constraint.K)
    idle = U[:, int(np.sum(s > RANK * s.max(initial=0.0))) :]  # constraint forces that do nothing
    found = []
    for name, rows in zip(constraint.names, constraint.rows, strict=True):
        own = np.linalg.svd(constraint.K[rows], compute_uv=False)
        rank = int(np.sum(own > RANK * s.max(initial=0.0)))
        size = rows.stop - rows.start
        found.append(LoopShare(name, size, size - rank, float(np.sum(idle[rows] ** 2))))
    return tuple(found)


def _lines(found: Mobility) -> list[str]:
    numbers = found.numbers
    joints = sum(joint.nv > 0 for joint in found.model.joints) + numbers.N_L
    if not numbers.n_c and not numbers.N_L:
        return [f"  no loops: {numbers.n} freedom(s) of the joints"]
    loops = f"{numbers.N_L} loop" + ("s" if numbers.N_L > 1 else "")
    where = f"{joints} joints"
    flat = sum(own is not None for own in numbers.in_plane)
    if not numbers.N_L:
        count = f"{numbers.n} freedoms of {where}"
    elif numbers.planar is None and flat:
        other = numbers.N_L - flat
        free = numbers.counted_by_loops + numbers.held + 3 * flat + 6 * other
        count = f"{free} freedoms of {where}, less 3 for each of {flat} loop{'s' * (flat > 1)} in a plane"
        count += f", less 6 for each of {other} other{'s' * (other > 1)}" if other else ""
    elif numbers.planar is None:
        count = f"{numbers.n_tot} freedoms of {where}, less 6 for each of {loops}"
    else:
        count = f"{numbers.planar} freedoms of {where} in a plane, less 3 for each of {loops}"
    if numbers.held:
        count += f", less {numbers.held if numbers.planar is None else numbers.held_in_plane} of constraints"
    lines = [
        f"  counted   {found.counted}: {count}",
        f"  by rank   {found.instantaneous}: {numbers.n} freedoms of the tree, less the rank {numbers.r} of "
        f"{numbers.n_c} constraints",
    ]
    if not found.is_singular:
        lines.append(f"  finite    {found.finite[0]}: as at the poses around")
    elif found.finite == (0,):
        lines.append("  finite    0: SINGULAR, it cannot leave this pose in any of these directions, it only shakes")
    else:
        branches = " and ".join(str(own) for own in found.finite)
        lines.append(f"  finite    {branches}: SINGULAR, at the poses around there are so many freedoms")
    if found.redundant:
        plural = "s; of their forces" if found.redundant > 1 else "; of its force"
        around = f"{found.always_redundant} of them are redundant" if found.always_redundant else "none is redundant"
        here = f"; at the poses around {around}" if found.is_singular else ""
        lines.append(f"  redundant {found.redundant} constraint{plural} nothing can be said{here}")
        alone = [loop for loop in found.loops if loop.alone]
        lines += [f"    {called(found.model, loop.name)}: {loop.alone} of its {loop.constraints}" for loop in alone]
        rest = found.always_redundant - sum(loop.alone for loop in alone)
        if rest > 0:
            shared = [loop.name for loop in found.loops if loop.share - loop.alone > 1e-6]
            what = "loop joints and constraints" if numbers.held else "loop joints"
            lines.append(f"    {what} {listed(shared)} together: {rest}")
    else:
        lines.append("  redundant none: properly constrained")
    return lines
