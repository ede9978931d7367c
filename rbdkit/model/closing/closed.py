"""Closure error of loop joints and constraints: measure it, compare it with a tolerance, reject states beyond it.

Errors have an angular and a linear part. They are compared on one scale by dividing lengths by the characteristic
length of the model (`length_of`), so that the tolerance `CLOSED` does not depend on the size of the mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import StateError
from rbdkit.joints.loop_form import loop_form
from rbdkit.model.closing.held import Held
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.loop_kinematics import LoopKinematics
from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.model import Model

CLOSED = 1e-6
"""Tolerance of loop closure, rad or characteristic lengths of the model; for velocities, relative to the speeds."""


def is_tied(model: Model) -> bool:
    """Return whether the model has loop joints or bilateral constraints."""
    return bool(model.loops) or any(not own.element.unilateral for own in model.constraints)


def is_closed(model: Model, q: NDArray, t: float = 0.0) -> bool:
    """Return whether q closes all loops and satisfies all bilateral holonomic constraints, to within `CLOSED`."""
    length = length_of(model)
    held = Held(model, t, length).at(q)[0]
    return bool(max(widths(model, gaps(model, q, t)).max(initial=0.0), np.abs(held).max(initial=0.0)) <= CLOSED)


def gaps(model: Model, q: NDArray, t: float = 0.0) -> NDArray:
    """Return the closure error of every loop joint, (L, 2): angle, rad, and distance, m, to its nearest joint pose."""
    found = np.zeros((len(model.loops), 2))
    for l, (loop, X) in enumerate(zip(model.loops, LoopKinematics(model).poses(q, t), strict=True)):
        d = se3.log(se3.inverse(loop.joint.type.pose(loop.joint.type.project(X), t)) @ X)
        found[l] = np.linalg.norm(d[:3]), np.linalg.norm(d[3:])
    return found


def widths(model: Model, gaps: NDArray) -> NDArray:
    """Return the closure error of each loop joint as one number, (L,), rad or characteristic lengths of the model."""
    return (gaps / [1.0, length_of(model)]).max(axis=1)


def by(angle: float, distance: float, per: str = "") -> str:
    """Return a closure error as text, such as '0.1 rad and 0.02 m', leaving out a negligible part."""
    parts = [f"{x:.3g} {unit}{per}" for x, unit in ((angle, "rad"), (distance, "m")) if x > 1e-9 * (angle + distance)]
    return " and ".join(parts) or f"0 m{per}"


def require_closed(
    model: Model, q: NDArray, v: NDArray | None, t: float = 0.0, names: tuple[str, str] = ("q", "v")
) -> None:
    """Check that a state satisfies the loop closure and constraint equations of a model, in position and velocity.

    Parameters
    ----------
    model : Model
        Any model; without loops and constraints nothing is checked.
    q : ndarray (nq,)
        Coordinates of the spanning tree.
    v : ndarray (nv,) or None
        Velocities of the spanning tree; None checks positions alone.
    t : float, optional
        Time in s, for prescribed joints.
    names : tuple of str, optional
        Names of q and v in error messages.

    Raises
    ------
    StateError
        If a loop is open, v opens it, or a constraint does not hold; the message has its name and the error.
    """
    if model.constraints:
        _require_held(model, q, v, t, names)
    if not model.loops:
        return
    moves = v is not None
    v = np.zeros(model.nv) if v is None else v
    X, across = LoopKinematics(model).velocities(q, v, t)
    length = length_of(model)
    lengths = np.ones(model.nv)
    for joint in model.joints[1:]:
        lengths[joint.v_slice] = [length if unit == "m/s" else 1.0 for unit in joint.type.v_units]
    speed = max(1.0, float(np.abs(v / lengths).max(initial=0.0)))
    worst = [(0.0, 0.0, 0.0, "")] * 2
    for loop, pose, v_J in zip(model.loops, X, across, strict=True):
        form = loop_form(loop.joint.type, pose, v_J, t)
        turns = np.linalg.norm(form.T[3:], axis=0) < 0.5  # rows that hold angles
        for k, (error, size) in enumerate(((form.delta, 1.0), (form.T.T @ (v_J - form.sigma), speed))):
            angle, distance = float(np.linalg.norm(error[turns])), float(np.linalg.norm(error[~turns]))
            largest = max(angle, distance / length) / size
            worst[k] = max(worst[k], (largest, angle, distance, loop.joint.name))
    (off, angle, distance, name), (opening, turn, slide, opened) = worst
    at, moving = names
    when = f", t={t:g}" if t else ""
    comply = f"`{moving} = rbdkit.project_velocity(model, {at}, {moving}{when})`"
    if not off <= CLOSED:
        raise StateError(
            f"{at} leaves loop joint {name!r} open by {by(angle, distance)}. "
            f"`{at} = rbdkit.assemble(model, {at}{when})` closes it, {comply} keeps it closed"
        )
    if moves and not opening <= CLOSED:
        raise StateError(f"{moving} opens loop joint {opened!r} by {by(turn, slide, '/s')}. {comply} keeps it closed")


def _require_held(model: Model, q: NDArray, v: NDArray | None, t: float, names: tuple[str, str]) -> None:
    """Check the constraints of a model (not its loop joints) at a state, as `require_closed` does."""
    from rbdkit.model.constraint import seen  # which need the tracer
    from rbdkit.model.constraint_rows import constraint_rows

    rows = constraint_rows(model)
    assert rows is not None
    moves = v is not None
    v = np.zeros(model.nv) if v is None else v
    found = rows.at(q, v, t, seen(model, q, v, t).motion)
    speed = max(1.0, float(np.abs(v).max(initial=0.0)))
    at, moving = names
    when = f", t={t:g}" if t else ""
    checks = ((found.gap, CLOSED, at), (found.slip, CLOSED * speed, moving))
    for errors, allowed, what in checks if moves else checks[:1]:
        worst = int(np.argmax(np.nan_to_num(np.abs(errors), nan=np.inf)))
        if not np.abs(errors[worst]) <= allowed:
            row = rows.rows[worst]
            unit = row.unit if what == at or not row.holonomic else f"{row.unit}/s"
            raise StateError(
                f"constraint {row.constraint!r} does not hold: {what} is off by {abs(errors[worst]):.3g} {unit}. "
                f"`{at} = rbdkit.assemble(model, {at}{when})` mends positions, then "
                f"`{moving} = rbdkit.project_velocity(model, {at}, {moving}{when})` velocities"
            )
