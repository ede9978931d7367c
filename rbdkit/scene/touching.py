"""Contacts as they are drawn: forces, normals and friction cones; and their plots over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import palette
from rbdkit.scene.arrows import Arrow, Ellipsoid, triple
from rbdkit.scene.curves import Curves, Plot, curves

if TYPE_CHECKING:
    from rbdkit.simulation import Trajectory

LONGEST = 0.35
"""Length of the arrow of an ordinary large contact force, relative to the model's size."""
NORMAL = 0.05
"""Length of normals where no force acts, relative to the model's size."""
MOST = 8
"""Most pairs that are plotted one by one; the ones with the largest forces."""
KINDS = {"impact": palette.FORCE, "gain": palette.LINES[2], "loss": palette.LINES[0], "stick": palette.LINES[5],
         "slip": palette.LINES[1], "chatter": palette.LINES[4]}  # fmt: skip
"""Colours of events on the time line."""
OPEN = "#e3a9c4"
"""Pale colour of forces that the motion does not determine."""
TOUCHING = {
    name: list(palette.rgb(color))
    for name, color in {"force": palette.FORCE, "open": OPEN, "near": palette.GROUND, "cone": palette.LINES[1]}.items()
}
"""Colours with which a page draws contacts by itself."""


@dataclass(frozen=True, eq=False)
class Touching:
    """Arrows and cones of the contacts at a state.

    Attributes
    ----------
    arrows : tuple of Arrow
        Forces on the successors, pale where the motion does not determine them, and short normals where points are
        near without a force; on the world.
    cones : tuple of Ellipsoid
        For each force the slice of its friction cone at the height of the normal force: a force that ends on the rim
        slips, one that ends inside sticks.
    """

    arrows: tuple[Arrow, ...] = ()
    cones: tuple[Ellipsoid, ...] = ()


def force_scale(trajectory: Trajectory, size: float) -> float:
    """Return metres of arrow per N: the largest force, rare impacts aside, is `LONGEST` of the size, m."""
    record = trajectory.contacts
    forces = np.zeros(0) if record is None else np.linalg.norm(record.force, axis=1)
    forces = forces[forces > 0.0]
    return LONGEST * size / float(np.quantile(forces, 0.98)) if len(forces) else 0.0


def touching(trajectory: Trajectory, k: int, scale: float, size: float) -> Touching:
    """Return arrows and cones of state k of a motion.

    Parameters
    ----------
    trajectory : Trajectory
        With `contacts`, or nothing is drawn.
    k : int
        Number of the state.
    scale : float
        Metres of arrow per N; arrows longer than the size are cut off there.
    size : float
        Size of what is drawn, m.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.scene.touching import touching
    >>> run = rbd.simulate(*rbd.library.block_on_slope(0.2, friction=0.5), duration=0.02, dt=0.01)
    >>> drawn = touching(run, 1, scale=0.01, size=0.5)
    >>> len(drawn.arrows), len(drawn.cones)
    (4, 4)
    """
    record = trajectory.contacts
    if record is None:
        return Touching()
    friction = {pair.name: pair.material.friction for pair in trajectory.model.contact_pairs}
    arrows: list[Arrow] = []
    cones: list[Ellipsoid] = []
    for point in record.at(k):
        shaft = scale * point.force
        length = float(np.linalg.norm(shaft))
        if length <= 1e-3 * size:
            arrows.append(Arrow(0, triple(point.point), triple(NORMAL * size * point.normal), palette.GROUND))
            continue
        shaft = shaft * min(1.0, size / length)
        arrows.append(Arrow(0, triple(point.point), triple(shaft), OPEN if point.indeterminate else palette.FORCE))
        height, mu = float(shaft @ point.normal), friction.get(point.name, 0.0)
        if mu > 0.0 and height > 0.0:
            radii = np.array([mu * height, mu * height, 1e-3 * size])
            cones.append(
                Ellipsoid(0, point.point + height * point.normal, _upright(point.normal), radii, palette.LINES[1])
            )
    return Touching(tuple(arrows), tuple(cones))


def packed_touching(trajectory: Trajectory, states: NDArray, scale: float, size: float) -> dict[str, Any]:
    """Pack the contacts of some states, given by their numbers, for a page that draws them by itself.

    Rows of 11 little-endian float32: point, normal, force on the successor, friction, and 1 where the motion does not
    determine the force.
    """
    record = trajectory.contacts
    assert record is not None
    own = record.rows(states)
    pairs = {pair.name: pair.material.friction for pair in trajectory.model.contact_pairs}
    friction = np.array([pairs.get(name, 0.0) for name in own.names])
    rows = np.column_stack([own.point, own.normal, own.force, friction[own.pair], own.indeterminate])
    numbers = {"scale": scale, "size": size, "colors": TOUCHING}
    return {"offsets": own.offsets.astype("<i4").tobytes(), "rows": rows.astype("<f4").tobytes(), **numbers}


def contact_plots(trajectory: Trajectory) -> tuple[Plot, ...]:
    """Return plots of gaps, normal forces and energy taken by contacts; none for a motion without contacts."""
    record = trajectory.contacts
    if record is None or not record.names:
        return ()
    t = np.asarray(record.t, dtype=float)
    largest = {name: float(record.normal_force(name).max(initial=0.0)) for name in record.names}
    near = [name for name in record.names if np.isfinite(record.least_gap(name)).any()]
    names = tuple(sorted(sorted(near, key=lambda name: -largest[name])[:MOST], key=record.names.index))
    if not names:
        return ()
    colors = tuple(palette.LINES[i % len(palette.LINES)] for i in range(len(names)))
    gaps = np.array([record.least_gap(name) for name in names])
    gaps[~np.isfinite(gaps)] = np.nan
    forces = np.array([record.normal_force(name) for name in names])
    told = tuple(f"{name} (share, not determined)" if name in record.indeterminate_sums else name for name in names)
    steps = np.append(np.diff(t), np.nan)  # a state's force is the mean over the step that it begins; the last has none
    tabs: list[Curves] = [
        curves("Normal force (N)", "N", t, told, colors, forces),
        curves("Impulse (N s)", "N s", t, told, colors, forces * steps),
        curves("Gap (m)", "m", t, names, colors, gaps),
        curves("Taken (J)", "J", t, ("by contacts",), (palette.ENERGY["drift"],), np.asarray(record.lost)[None]),
    ]
    return (Plot("Contact", tuple(tabs)),)


def event_marks(trajectory: Trajectory, most: int = 300) -> list[tuple[float, str, str]]:
    """Return time, text and colour of the events of a motion; if too many, those with the largest impulses."""
    events = sorted(trajectory.events, key=lambda event: -event.impulse)[:most]
    return [(event.t, str(event), KINDS.get(event.kind, palette.GROUND)) for event in sorted(events, key=lambda e: e.t)]


def _upright(normal: NDArray) -> NDArray:
    """Return a rotation whose third column is the normal."""
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(helper, normal)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])
