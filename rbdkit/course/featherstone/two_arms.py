"""The five-bar of chapter 8: two arms of two bars hold one point together, wherever it is, in the x-z plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Revolute
from rbdkit.library.bars import add_bar, apex, require_lengths
from rbdkit.model import Model


def planar_five_bar(
    closing: JointType | None = None,
    upper: float = 0.3,
    fore: float = 0.4,
    base: float = 0.3,
    tip: ArrayLike | None = None,
) -> Model:
    """Two arms whose hands are pinned together, closed at ``neutral``; a plane robot with two freedoms.

    Joints: 'left_shoulder' at the origin, 'left_elbow', 'right_shoulder' at the other end of the base, along x,
    'right_elbow', and the loop joint 'tip' between the forearms. Bars have 1 kg a metre; both elbows point outward.

    Parameters
    ----------
    closing : JointType, optional
        The joint between the forearms; a revolute joint about y if not given, three of whose five constraints are
        redundant. ``SphereInCylinder("y")`` has two.
    upper, fore : float, optional
        Lengths of the upper arms and of the forearms, m.
    base : float, optional
        Between the shoulders, m.
    tip : array_like (2,), optional
        Where the hands are at ``neutral``, x and z in m; above the middle of the base if not given.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a length is not a positive number, or the arms do not reach the tip.

    Examples
    --------
    >>> from rbdkit.course.featherstone.two_arms import planar_five_bar
    >>> model = planar_five_bar()
    >>> [joint.name for joint in model.joints[1:]]
    ['left_shoulder', 'left_elbow', 'right_shoulder', 'right_elbow']
    """
    require_lengths(upper=upper, fore=fore, base=base)
    at = np.array([0.5 * base, upper + 0.4 * fore]) if tip is None else np.asarray(tip, dtype=float)
    elbows = five_bar_elbows(at, upper, fore, base)
    model = Model("planar five-bar linkage")
    end = np.array([at[0], 0.0, at[1]])
    for side, foot, elbow in zip(("left", "right"), ((0.0, 0.0, 0.0), (base, 0.0, 0.0)), elbows, strict=True):
        along = np.array([elbow[0], 0.0, elbow[1]]) - foot
        add_bar(model, f"{side}_upper", "world", Revolute("y"), foot, along, f"{side}_shoulder")
        add_bar(model, f"{side}_fore", f"{side}_upper", Revolute("y"), along, end - along - foot, f"{side}_elbow")
    ends = (end - np.array([elbow[0], 0.0, elbow[1]]) for elbow in elbows)
    model.add_loop("tip", "left_fore", "right_fore", closing or Revolute("y"), *ends)
    return model


def five_bar_elbows(
    tip: ArrayLike, upper: float = 0.3, fore: float = 0.4, base: float = 0.3
) -> tuple[NDArray, NDArray]:
    """Where the elbows are, (2,) each, x and z in m, both bent outward.

    Parameters
    ----------
    tip : array_like (2,)
        Where the hands are, x and z in m.
    upper, fore, base : float, optional
        Lengths as for `planar_five_bar`, m.

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
    >>> from rbdkit.course.featherstone.two_arms import five_bar_elbows
    >>> left, right = five_bar_elbows([0.15, 0.46])
    >>> bool(abs(left[0] + right[0] - 0.3) < 1e-12)
    True
    """
    at = np.asarray(tip, dtype=float)
    found = []
    for side, x, left in (("left", 0.0, True), ("right", base, False)):
        foot = np.array([x, 0.0])
        elbow = apex(foot, at, upper, fore, left=left)
        if elbow is None:
            raise ModelError(
                f"the {side} arm does not reach the tip at ({at[0]:.4g}, {at[1]:.4g}) m: it is "
                f"{np.hypot(*(at - foot)):.4g} m away, and the arm bridges {abs(upper - fore):.4g} to "
                f"{upper + fore:.4g} m"
            )
        found.append(elbow)
    return found[0], found[1]
