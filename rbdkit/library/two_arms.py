"""A five-bar robot: two arms of two bars hold one point together, wherever it is, in the x-z plane."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Revolute
from rbdkit.library.bars import add_bar, apex, require_lengths
from rbdkit.library.ready import ready
from rbdkit.model import Model
from rbdkit.spatial.read_numbers import numbers


@ready
def five_bar(
    base: float = 0.3,
    proximal: float = 0.4,
    distal: float = 0.5,
    closing: JointType | None = None,
    tip: ArrayLike | None = None,
) -> Model:
    """Two arms whose hands are pinned together, closed at ``neutral``: a robot with two freedoms in the x-z plane.

    Joints: 'left_shoulder' at the origin, 'left_elbow', 'right_shoulder' at the other end of the base, along x,
    'right_elbow', and the loop joint 'tip' between the forearms; the frame 'tool' is there. All axes are along y. Bars
    have 1 kg a metre; both elbows point outward.

    Parameters
    ----------
    base : float, optional
        Between the shoulders, m.
    proximal, distal : float, optional
        Lengths of the upper arms and of the forearms, m.
    closing : JointType, optional
        The joint between the forearms; a revolute joint about y if not given, three of whose five constraints are
        redundant. ``SphereInCylinder("y")`` has two.
    tip : array_like (2,), optional
        Where the hands are at ``neutral``, x and z in m; if not given, where they are with the upper arms upright.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the arms do not reach the tip.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.mobility(rbd.library.five_bar()).finite
    (2,)
    """
    require_lengths(base=base, proximal=proximal, distal=distal)
    if tip is None:
        if not distal > 0.5 * base:
            raise ModelError(
                f"distal = {distal!r}: the upper arms do not meet over a base of {base!r} m; make them longer"
            )
        tip = 0.5 * base, proximal + sqrt(distal**2 - 0.25 * base**2)
    at = _in_plane(tip)
    elbows = five_bar_elbows(at, proximal, distal, base)
    model = Model("five-bar robot")
    end = np.array([at[0], 0.0, at[1]])
    for side, foot, elbow in zip(("left", "right"), ((0.0, 0.0, 0.0), (base, 0.0, 0.0)), elbows, strict=True):
        along = np.array([elbow[0], 0.0, elbow[1]]) - foot
        add_bar(model, f"{side}_upper", "world", Revolute("y"), foot, along, f"{side}_shoulder")
        add_bar(model, f"{side}_fore", f"{side}_upper", Revolute("y"), along, end - along - foot, f"{side}_elbow")
    left, right = (end - np.array([elbow[0], 0.0, elbow[1]]) for elbow in elbows)
    model.add_loop("tip", "left_fore", "right_fore", closing or Revolute("y"), left, right)
    model.add_frame("tool", "left_fore", left)
    return model


def five_bar_elbows(
    tip: ArrayLike, proximal: float = 0.4, distal: float = 0.5, base: float = 0.3
) -> tuple[NDArray, NDArray]:
    """Return the positions of the elbows, (2,) each, x and z in m, both bent outward.

    Parameters
    ----------
    tip : array_like (2,)
        Position of the hands, x and z in m.
    proximal, distal, base : float, optional
        Lengths as for `five_bar`, m.

    Returns
    -------
    tuple of ndarray (2,)
        Of the left arm and of the right one.

    Raises
    ------
    ModelError
        If an arm does not reach the tip.

    Examples
    --------
    >>> from rbdkit.library.two_arms import five_bar_elbows
    >>> left, right = five_bar_elbows([0.15, 0.7])
    >>> bool(abs(left[0] + right[0] - 0.3) < 1e-12)
    True
    """
    at = _in_plane(tip)
    found = []
    for side, x, left in (("left", 0.0, True), ("right", base, False)):
        foot = np.array([x, 0.0])
        elbow = apex(foot, at, proximal, distal, left=left)
        if elbow is None:
            raise ModelError(
                f"the {side} arm does not reach the tip at ({at[0]:.4g}, {at[1]:.4g}) m: it is "
                f"{np.hypot(*(at - foot)):.4g} m away, and the arm bridges {abs(proximal - distal):.4g} to "
                f"{proximal + distal:.4g} m"
            )
        found.append(elbow)
    return found[0], found[1]


def _in_plane(tip: ArrayLike) -> NDArray:
    return numbers(tip, (2,), "tip = {} must be x and z (m)".format)
