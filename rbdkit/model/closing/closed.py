"""Whether the loops of a model are closed, and stay closed."""

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
"""rad and lengths of the model, and these per second relative to speeds: up to here a loop is, and stays, closed."""


def is_tied(model: Model) -> bool:
    """Whether there are loops, or constraints that hold on both sides."""
    return bool(model.loops) or any(not own.element.unilateral for own in model.constraints)


def is_closed(model: Model, q: NDArray, t: float = 0.0) -> bool:
    """Whether all loops are closed at q, and all such constraints fulfilled."""
    length = length_of(model)
    held = Held(model, t, length).at(q)[0]
    return bool(max(widths(model, gaps(model, q, t)).max(initial=0.0), np.abs(held).max(initial=0.0)) <= CLOSED)


def gaps(model: Model, q: NDArray, t: float = 0.0) -> NDArray:
    """How far every loop joint is open (L, 2): by which angle, rad, and distance, m, from where it can hold."""
    found = np.zeros((len(model.loops), 2))
    for l, (loop, X) in enumerate(zip(model.loops, LoopKinematics(model).poses(q, t), strict=True)):
        d = se3.log(se3.inverse(loop.joint.type.pose(loop.joint.type.project(X), t)) @ X)
        found[l] = np.linalg.norm(d[:3]), np.linalg.norm(d[3:])
    return found


def widths(model: Model, gaps: NDArray) -> NDArray:
    """How far each loop joint is open, (L,), in rad or lengths of the model: what `CLOSED` is compared with."""
    return (gaps / [1.0, length_of(model)]).max(axis=1)


def by(angle: float, distance: float, per: str = "") -> str:
    """A gap in words, without what is negligible beside the rest."""
    parts = [f"{x:.3g} {unit}{per}" for x, unit in ((angle, "rad"), (distance, "m")) if x > 1e-9 * (angle + distance)]
    return " and ".join(parts) or f"0 m{per}"


def require_closed(model: Model, q: NDArray, v: NDArray, t: float = 0.0, names: tuple[str, str] = ("q", "v")) -> None:
    """Check that the loop joints and constraints of a model hold at a state, and that its velocities keep them so.

    Parameters
    ----------
    model : Model
        With loops and constraints, or without.
    q : ndarray (nq,)
        Coordinates of the spanning tree.
    v : ndarray (nv,)
        Its velocities.
    t : float, optional
        Time in s, for prescribed joints.
    names : tuple of str, optional
        What the caller calls q and v.

    Raises
    ------
    StateError
        If a loop is open, or is being opened by v, or a constraint does not hold; with its name and by how much.
    """
    if model.constraints:
        _require_held(model, q, v, t, names)
    if not model.loops:
        return
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
    if not opening <= CLOSED:
        raise StateError(f"{moving} opens loop joint {opened!r} by {by(turn, slide, '/s')}. {comply} keeps it closed")


def _require_held(model: Model, q: NDArray, v: NDArray, t: float, names: tuple[str, str]) -> None:
    """The same of constraints alone."""
    from rbdkit.model.constraint import seen  # which need the tracer
    from rbdkit.model.constraint_rows import constraint_rows

    rows = constraint_rows(model)
    assert rows is not None
    found = rows.at(q, v, t, seen(model, q, v, t).motion)
    speed = max(1.0, float(np.abs(v).max(initial=0.0)))
    at, moving = names
    when = f", t={t:g}" if t else ""
    for errors, allowed, what in ((found.gap, CLOSED, at), (found.slip, CLOSED * speed, moving)):
        worst = int(np.argmax(np.nan_to_num(np.abs(errors), nan=np.inf)))
        if not np.abs(errors[worst]) <= allowed:
            row = rows.rows[worst]
            unit = row.unit if what == at or not row.holonomic else f"{row.unit}/s"
            raise StateError(
                f"constraint {row.constraint!r} does not hold: {what} is off by {abs(errors[worst]):.3g} {unit}. "
                f"`{at} = rbdkit.assemble(model, {at}{when})` mends positions, then "
                f"`{moving} = rbdkit.project_velocity(model, {at}, {moving}{when})` velocities"
            )
