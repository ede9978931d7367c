"""Denavit-Hartenberg parameters, in the convention of Craig and the Springer Handbook (Featherstone 2008, section 4.3).

Frame F_i follows from F_{i-1} by a rotation alpha_i about and a translation a_i along x_{i-1}, then a rotation theta_i
about and a translation d_i along the new axis z_i. Joint i lies between them and moves about or along z_i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import FormatError
from rbdkit.formats.common_normal import Line, common_normal
from rbdkit.formats.require_model import require_model
from rbdkit.joints import Cylindrical, Helical, JointType, Prismatic, Revolute
from rbdkit.model import Model
from rbdkit.model.names import listed
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import numbers, shown

KINDS = ("revolute", "prismatic", "cylindrical", "helical")


@dataclass(frozen=True)
class DHRow:
    """The four parameters of a joint. The one that its coordinate is added to (two for 'cylindrical') is its value at
    ``q = 0``.

    Attributes
    ----------
    a, alpha : float
        Distance (m) and angle (rad) from z_{i-1} to z_i, along and about x_{i-1}.
    d, theta : float
        Distance (m) and angle (rad) from x_{i-1} to x_i, along and about z_i.
    kind : str
        'revolute', 'prismatic', 'cylindrical' or 'helical'.
    pitch : float
        h of a helical joint, m/rad: the distance from x_{i-1} to x_i is ``d + h theta``, theta with the coordinate.

    Examples
    --------
    >>> from rbdkit.formats import DHRow
    >>> DHRow(a=0.5, kind="revolute")
    DHRow(a=0.5, alpha=0.0, d=0.0, theta=0.0, kind='revolute', pitch=0.0)
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    kind: str = "revolute"
    pitch: float = 0.0

    def pose(self) -> NDArray:
        """Pose of F_i in F_{i-1} at ``q = 0``, shape (4, 4)."""
        along = self.d + self.pitch * self.theta
        return about_x(self.alpha, self.a) @ about_z(self.theta, along)


@dataclass(frozen=True)
class DHParameters:
    """A serial arm: 4 n + 6 numbers for n joints, n or more of them coordinates.

    Attributes
    ----------
    rows : tuple of DHRow
        One a joint.
    base : tuple
        d_0 and theta_0, from the frame of the base to x_0.
    tool : tuple or None
        a, alpha, d, theta of row n + 1, from the last link's frame to that of the end effector; None if there is
        none. Up to five more numbers are zero where the base frame is chosen to be aligned with z_1.
    offsets : ndarray (n, 4, 4)
        Pose of F_i in the body frame of the model that the parameters were found for; the identity for models made
        by `from_dh`.

    Examples
    --------
    >>> from rbdkit.formats import DHParameters, DHRow
    >>> arm = DHParameters((DHRow(a=0.0), DHRow(a=0.5)), tool=(0.4, 0.0, 0.0, 0.0))
    >>> len(arm.rows), arm.tool[0]
    (2, 0.4)
    """

    rows: tuple[DHRow, ...]
    base: tuple[float, float] = (0.0, 0.0)
    tool: tuple[float, float, float, float] | None = None
    offsets: NDArray = field(default_factory=lambda: np.zeros((0, 4, 4)), compare=False, repr=False)

    @property
    def count(self) -> int:
        """Number of parameters: 4 n + 6 with an end effector."""
        return 4 * len(self.rows) + 2 + (0 if self.tool is None else 4)


def from_dh(
    rows: Sequence[DHRow | Sequence[float]] | DHParameters,
    base: Sequence[float] = (0.0, 0.0),
    tool: Sequence[float] | None = None,
    inertias: Sequence[Inertia | None] | None = None,
    name: str = "arm",
) -> Model:
    """Make the serial arm with given Denavit-Hartenberg parameters.

    Parameters
    ----------
    rows : sequence of DHRow or of float (4,), or DHParameters
        One a joint; four numbers, (a, alpha, d, theta), are those of a revolute one.
    base : sequence of float, optional
        d_0 (m) and theta_0 (rad).
    tool : sequence of float, optional
        a, alpha, d, theta from the last link's frame to the end effector's, which becomes the frame 'tool'.
    inertias : sequence, optional
        Of the links, in their frames F_i.
    name : str, optional
        Of the model; its bodies are link1, link2, ..., its joints joint1, ...

    Returns
    -------
    Model

    Raises
    ------
    FormatError
        If a row is not of a known kind, holds something other than finite numbers, or the numbers of rows and inertias
        differ.

    Notes
    -----
    Coordinates are added to theta, d or both. Link frames are the frames F_i.

    Examples
    --------
    An arm of two links in the plane, of 0.5 m and 0.4 m, stretched along x:

    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_dh
    >>> model = from_dh([(0.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)], tool=(0.4, 0.0, 0.0, 0.0))
    >>> rbd.forward_kinematics(model, [0.0, 0.0]).pose("tool")[:3, 3].round(9).tolist()
    [0.9, 0.0, 0.0]
    """
    if isinstance(rows, DHParameters):
        base, tool, listed = rows.base, rows.tool, list[Any](rows.rows)
    else:
        listed = _listed(rows, "rows", "one DHRow or (a, alpha, d, theta) a joint")
    table = [_checked(row, f"row {i}") for i, row in enumerate(listed, start=1)]
    links = [None] * len(table) if inertias is None else _listed(inertias, "inertias", "an Inertia or None a row")
    if len(links) != len(table):
        raise FormatError(f"{len(links)} inertias are given for {len(table)} rows; give one a row, or None")
    d_0, theta_0 = _numbers(base, 2, "base (d_0, theta_0)")
    model, parent = Model(name), "world"
    for i, row in enumerate(table, start=1):
        stand = row.pose() if i > 1 else about_z(theta_0, d_0) @ row.pose()  # X_T(1), X_T(i) of section 4.3
        model.add_body(f"link{i}", parent, _joint(row), stand, links[i - 1], joint_name=f"joint{i}")
        parent = f"link{i}"
    if tool is not None:
        a, alpha, d, theta = _numbers(tool, 4, "tool (a, alpha, d, theta)")
        model.add_frame("tool", parent, about_x(alpha, a) @ about_z(theta, d))
    return model


def to_dh(model: Model, tool: str | None = None) -> DHParameters:
    """Return the Denavit-Hartenberg parameters of a serial arm.

    The coordinates are those of the model. Where z axes intersect, x_i points to the side of x_{i-1} at ``q = 0``;
    where they are parallel, x_i is on the common normal that meets x_{i-1}.

    Parameters
    ----------
    model : Model
        A chain of revolute, prismatic, cylindrical and helical joints about any axes.
    tool : str, optional
        Name of the end effector's frame; 'tool' if the model has a frame of that name.

    Returns
    -------
    DHParameters

    Raises
    ------
    FormatError
        If the model is not such a chain.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_dh, to_dh
    >>> arm = to_dh(from_dh([(0.0, 0.0, 0.2, 0.0), (0.5, 0.0, 0.0, 0.0)]))
    >>> [round(row.a, 9) for row in arm.rows]
    [0.0, 0.5]
    """
    require_model(model)
    _require_chain(model)
    tool = "tool" if tool is None and any(frame.name == "tool" for frame in model.frames) else tool
    poses = [np.eye(4)]
    for body in model.bodies[1:]:
        poses.append(poses[-1] @ body.joint.placement)  # at q = 0
    axes = [Line.z_of(np.eye(4)), *map(_axis, model.joints[1:], poses[1:])]
    end = None
    if tool is not None:
        frame = model.frame(tool)
        if frame.body != len(model.bodies) - 1:
            raise FormatError(f"frame {tool!r} is not on the last body {model.bodies[-1].name!r}; name one that is")
        end = poses[-1] @ frame.placement
        axes.append(Line.z_of(end))
    normals = [common_normal(axes[0], axes[1], np.array([1.0, 0.0, 0.0]), np.zeros(3))]
    for here, there in pairwise(axes[1:]):
        normals.append(common_normal(here, there, normals[-1].x, normals[-1].end))
    found = [normal.frame(axis) for normal, axis in zip(normals, axes, strict=False)]
    if end is None:
        last = normals[-1]  # the last frame goes where theta and d vanish
        found.append(replace(last, foot=last.end).frame(axes[-1]))
    d_0, theta_0 = _about_z(found[0])
    rows = [
        _row(joint.type, se3.inverse(before) @ after)
        for joint, before, after in zip(model.joints[1:], found, found[1:], strict=False)
    ]
    last_row = None if end is None else _four(se3.inverse(found[-1]) @ end)
    offsets = np.array([se3.inverse(pose) @ frame for pose, frame in zip(poses[1:], found[1:], strict=True)])
    return DHParameters(tuple(rows), (d_0, theta_0), last_row, offsets.reshape(-1, 4, 4))


def about_x(angle: float, way: float) -> NDArray:
    """Return the pose (4, 4) of a rotation about x by an angle, rad, and a translation along it, m."""
    c, s = np.cos(angle), np.sin(angle)
    return se3.pose(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), np.array([way, 0.0, 0.0]))


def about_z(angle: float, way: float) -> NDArray:
    """Return the pose (4, 4) of a rotation about z by an angle, rad, and a translation along it, m."""
    c, s = np.cos(angle), np.sin(angle)
    return se3.pose(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, way]))


def _checked(row: DHRow | Sequence[float], where: str) -> DHRow:
    if not isinstance(row, DHRow):
        a, alpha, d, theta = _numbers(row, 4, f"{where} (a, alpha, d, theta)")
        row = DHRow(a, alpha, d, theta)
    if not isinstance(row.kind, str) or row.kind not in KINDS:
        raise FormatError(f"{where}: joint kind {shown(row.kind)} has no Denavit-Hartenberg parameters; use {KINDS}")
    _numbers([getattr(row, f.name) for f in fields(row) if f.name != "kind"], 5, where)
    if row.pitch and row.kind != "helical":
        raise FormatError(f"{where}: a {row.kind} joint has no pitch ({row.pitch} m/rad); make it 'helical'")
    return row


def _numbers(values: ArrayLike, count: int, what: str) -> list[float]:
    says = f"{what} must be {count} finite numbers, not "
    return numbers(values, (count,), lambda v: says + v, FormatError).tolist()


def _listed(given: Any, name: str, what: str) -> list[Any]:
    """Return a sequence argument as a list; raises `FormatError` if it is none."""
    if isinstance(given, str | bytes | Mapping):
        raise FormatError(f"{name} {shown(given)} must be a list: {what}")
    try:
        return list(given)
    except TypeError:
        raise FormatError(f"{name} {shown(given)} must be a list: {what}") from None


def _joint(row: DHRow) -> JointType:
    match row.kind:
        case "revolute":
            return Revolute("z")
        case "prismatic":
            return Prismatic("z")
        case "cylindrical":
            return Cylindrical("z")
    return Helical("z", row.pitch)


def _require_chain(model: Model) -> None:
    if len(model.bodies) == 1:
        raise FormatError(f"model {model.name!r} has no bodies, so no Denavit-Hartenberg parameters either")
    if model.loops:
        names = listed([loop.joint.name for loop in model.loops])
        raise FormatError(f"{names} close(s) a loop; Denavit-Hartenberg parameters are for serial arms here")
    if model.constraints:
        names = listed([own.name for own in model.constraints])
        raise FormatError(f"{names} constrain(s) bodies, of which Denavit-Hartenberg parameters say nothing")
    if model.contact_rules:
        names = listed([rule.name for rule in model.contact_rules])
        raise FormatError(f"{names} let(s) bodies touch, of which Denavit-Hartenberg parameters say nothing")
    for body in model.bodies[1:]:
        if body.parent != body.index - 1:
            raise FormatError(f"body {body.name!r} is a branch; Denavit-Hartenberg parameters are for serial arms")
        if (own := body.joint.type).is_users_own:
            raise FormatError(
                f"joint {body.joint.name!r}: its type {type(own).__name__} is not one of rbdkit.joints, and may move "
                "about more than an axis"
            )
        if own.kind not in KINDS or body.joint.mimic is not None:
            raise FormatError(
                f"joint {body.joint.name!r} ({body.joint.type.kind}) has no axis of its own; "
                f"Denavit-Hartenberg parameters are for {', '.join(KINDS)} joints (for a fixed joint, merge the bodies)"
            )


def _axis(joint: object, pose: NDArray) -> Line:
    """Return the axis of a joint as a line in the world at q = 0."""
    n = joint.type.axis  # type: ignore[attr-defined]  # every kind in KINDS has one
    return Line(pose[:3, 3], pose[:3, :3] @ n)


def _about_z(pose: NDArray) -> tuple[float, float]:
    """Return d and theta of a pose that is a rotation about and a translation along z."""
    return float(pose[2, 3]), float(np.arctan2(pose[1, 0], pose[0, 0]))


def _four(pose: NDArray) -> tuple[float, float, float, float]:
    """Return a, alpha, d, theta of the pose of a frame whose z axis meets the other's x axis at right angles."""
    alpha = float(np.arctan2(-pose[1, 2], pose[2, 2]))
    d, theta = _about_z(about_x(-alpha, 0.0) @ pose)
    return float(pose[0, 3]), alpha, d, theta


def _row(type_: JointType, pose: NDArray) -> DHRow:
    a, alpha, d, theta = _four(pose)
    pitch = type_.pitch if isinstance(type_, Helical) else 0.0
    return DHRow(a, alpha, d - pitch * theta, theta, type_.kind, pitch)
