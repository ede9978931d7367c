"""Four-bar linkages of all kinds, alone and in a row. They lie in the x-z plane; all hinges turn about y."""

from __future__ import annotations

from math import cos, hypot, pi, sin
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Revolute
from rbdkit.library.bars import add_bar, apex, require_lengths
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready, ready_up_to
from rbdkit.model import Model

FourBarKind = Literal["crank-rocker", "rocker-crank", "double-crank", "double-rocker", "change-point", "triple-rocker"]

ALIKE = 1e-12
"""Relative difference of the sums of two bars each, up to which a linkage counts as one with a change point."""


@ready
def planar_four_bar(
    closing: JointType | None = None,
    crank: float = 0.2,
    coupler: float = 0.5,
    base: float = 0.4,
    rocker: float | None = None,
    angle: float | None = None,
    crossed: bool = False,
) -> Model:
    """A four-bar linkage in the x-z plane, closed at ``neutral``: crank, coupler and rocker; the loop joint is 'pin'.

    Joints: 'crank_joint' at the origin, 'coupler_joint' between crank and coupler, 'rocker_joint' at the other end of
    the base, along x. They turn about y, so that a positive angle takes the crank clockwise where x points to the right
    and z up. Bars have 1 kg a metre. A bar of the base's length opposite to it and two equal ones beside make a
    parallelogram, which has a change point where it is flat; see `four_bar_kind` for what others can do.

    Parameters
    ----------
    closing : JointType, optional
        The joint between coupler and rocker; a revolute joint about y if not given, three of whose five constraints
        are redundant. ``SphereInCylinder("y")`` has two.
    crank, coupler, base : float, optional
        Lengths, m.
    rocker : float, optional
        Its length, m; by itself as long as it takes for a coupler that rises by a fifth when the crank points up.
    angle : float, optional
        Of the crank over the base at ``neutral``, counterclockwise, rad; by itself it points up.
    crossed : bool, optional
        Whether the coupler reaches the rocker below the line from the crank's end to the rocker's foot: the other one
        of the two ways to put the same bars together.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the bars cannot be put together with the crank at that angle.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar()
    >>> [loop.joint.name for loop in model.loops]
    ['pin']
    """
    require_lengths(crank=crank, coupler=coupler, base=base)
    foot = np.array([base, 0.0, 0.0])
    top = np.array([0.0, 0.0, crank])
    along = coupler * np.array([np.sqrt(0.96), 0.0, 0.2])
    if rocker is not None or angle is not None or crossed:
        length = hypot(*(top + along - foot)) if rocker is None else rocker
        require_lengths(rocker=length)
        top, end = _corners(crank, coupler, base, length, 0.5 * pi if angle is None else angle, crossed)
        along = end - top
    model = Model("planar four-bar linkage")
    add_bar(model, "crank", "world", Revolute("y"), np.zeros(3), top, "crank_joint")
    add_bar(model, "coupler", "crank", Revolute("y"), top, along, "coupler_joint")
    add_bar(model, "rocker", "world", Revolute("y"), foot, top + along - foot, "rocker_joint")
    model.add_loop("pin", "coupler", "rocker", closing or Revolute("y"), along, top + along - foot)
    return model


@ready
def four_bar_kind(crank: float, coupler: float, base: float, rocker: float) -> FourBarKind:
    """Classify a four-bar linkage by Grashof's rule.

    With s the shortest and l the longest bar, some bar can turn fully if s + l is at most the sum of the other two.

    Parameters
    ----------
    crank, coupler, base, rocker : float
        Lengths, m.

    Returns
    -------
    str
        'crank-rocker', 'rocker-crank', 'double-crank' or 'double-rocker', if the crank, the rocker, the base or the
        coupler is the shortest: the crank goes round, the rocker does, both do, or only the coupler does;
        'change-point' if the sums are equal (to 1e-12): in a flat pose it may go on in two ways; else 'triple-rocker',
        where no bar goes round.

    Raises
    ------
    ModelError
        If a length is not a positive number, or a bar is longer than the other three together.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.four_bar_kind(crank=0.2, coupler=0.5, base=0.4, rocker=0.4)
    'crank-rocker'
    >>> rbd.library.four_bar_kind(crank=0.5, coupler=0.4, base=0.5, rocker=0.4)
    'change-point'
    """
    bars = {"crank": crank, "coupler": coupler, "base": base, "rocker": rocker}
    require_lengths(**bars)
    s, p, q, l = sorted(bars.values())
    if l > s + p + q:
        longest = max(bars, key=lambda name: bars[name])
        raise ModelError(f"{longest} = {l!r} is longer than the other three bars together ({s + p + q:g} m)")
    excess = s + l - p - q
    if abs(excess) <= ALIKE * l:
        return "change-point"
    if excess > 0.0:
        return "triple-rocker"
    kinds: dict[str, FourBarKind] = {
        "crank": "crank-rocker", "rocker": "rocker-crank", "base": "double-crank", "coupler": "double-rocker",
    }  # fmt: skip
    return kinds[min(bars, key=lambda name: bars[name])]


@ready_up_to(loops=10_000)
def n_four_bar(loops: int = 2, angle: float = 0.0, speed: float = 1.0, closing: JointType | None = None) -> Start:
    """A row of N four-bar linkages of equal bars, a common benchmark of motion through singular poses.

    N + 1 uprights of 1 m and 1 kg stand a metre apart on the ground, N couplers alike join their tops. However many
    there are, they have one freedom; each time they lie flat they have more of them for an instant.
    Joints: 'foot0' to 'footN', 'top0' to 'topN-1', which carry the couplers, and the loop joints 'pin1' to 'pinN'.

    Parameters
    ----------
    loops : int, optional
        N.
    angle : float, optional
        By which the uprights lean towards x at ``neutral``, rad.
    speed : float, optional
        Of their tops, m/s, for the velocities.
    closing : JointType, optional
        Of the pins; revolute joints about y if not given.

    Returns
    -------
    Start
        Model, coordinates (2 N + 1,), all zero, and velocities: ``simulate(*start, ...)``.

    Raises
    ------
    ModelError
        If `loops` is not a positive whole number.

    Examples
    --------
    All uprights turn together, and couplers turn back against them.

    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.n_four_bar(2)
    >>> len(model.loops), v.tolist()
    (2, [1.0, -1.0, 1.0, -1.0, 1.0])
    """
    if not (isinstance(loops, int | np.integer) and loops > 0):
        raise ModelError(f"loops = {loops!r} of a row of four-bar linkages must be a positive whole number")
    model = Model(f"{loops} four-bar linkages")
    x, tip = np.array([1.0, 0.0, 0.0]), np.array([sin(angle), 0.0, cos(angle)])
    add_bar(model, "upright0", "world", Revolute("y"), np.zeros(3), tip, "foot0")
    for k in range(1, loops + 1):
        add_bar(model, f"coupler{k}", f"upright{k - 1}", Revolute("y"), tip, x, f"top{k - 1}")
        add_bar(model, f"upright{k}", "world", Revolute("y"), k * x, tip, f"foot{k}")
        model.add_loop(f"pin{k}", f"coupler{k}", f"upright{k}", closing or Revolute("y"), x, tip)
    v = np.full(model.nv, 1.0 * speed)  # a whole number may be larger than those of NumPy
    v[1::2] = -speed
    return Start(model, model.neutral(), v)


def _corners(
    crank: float, coupler: float, base: float, rocker: float, angle: float, crossed: bool
) -> tuple[NDArray, NDArray]:
    """The ends of crank and coupler, (3,) each."""
    top = crank * np.array([cos(angle), sin(angle)])
    end = apex(top, np.array([base, 0.0]), coupler, rocker, left=not crossed)
    if end is None:
        gap = hypot(top[0] - base, top[1])
        raise ModelError(
            f"crank = {crank:g}, coupler = {coupler:g}, base = {base:g}, rocker = {rocker:g} cannot be put together "
            f"with the crank at {angle:.6g} rad: from its end to the foot of the rocker it is {gap:.6g} m, and coupler "
            f"and rocker bridge {abs(coupler - rocker):.6g} to {coupler + rocker:.6g} m; take another angle"
        )
    return np.array([top[0], 0.0, top[1]]), np.array([end[0], 0.0, end[1]])
