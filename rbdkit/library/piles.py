"""Boxes in rows and heaps: dominoes and a pyramid."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Free
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready_up_to
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial.inertia import Inertia

COLORS = ((0.88, 0.28, 0.24), (0.93, 0.62, 0.25), (0.95, 0.85, 0.4), (0.13, 0.63, 0.42), (0.23, 0.46, 0.91))


@ready_up_to(count=10_000)
def domino_row(count: int = 10, gap: float = 0.02, push: float = 5.0, friction: float = 0.3) -> Start:
    """Dominoes in a row along x; the first one begins to tip.

    Parameters
    ----------
    count : int, optional
        How many.
    gap : float, optional
        Between two of them, m.
    push : float, optional
        Angular velocity of the first one about its lower edge, rad/s.
    friction : float, optional
        Coulomb's coefficient, everywhere.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there is no domino or no gap.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> [pair.name for pair in rbd.library.domino_row(2).model.contact_pairs]
    ['ground/domino1', 'ground/domino2', 'domino1/domino2']
    """
    if count < 1 or not gap > 0.0:
        raise ModelError(f"a row of {count} dominoes with gaps of {gap} m: give one or more, and a positive gap")
    size = np.array([0.0075, 0.024, 0.048])
    model = Model("dominoes")
    for i in range(count):
        tile = Geometry(Box(size.tolist()), color=COLORS[i % len(COLORS)])
        model.add_body(f"domino{i + 1}", joint=Free(), inertia=Inertia.box(size, density=1200.0), geometry=tile)
    model.add_ground(friction=friction)
    for i in range(1, count):
        model.add_contact(f"domino{i}", f"domino{i + 1}", friction=friction)
    step = np.zeros((count, 6))
    step[:, 3], step[:, 5] = (size[0] + gap) * np.arange(count), 0.5 * size[2]
    v = np.zeros(6 * count)
    v[:6] = [0.0, push, 0.0, 0.5 * size[2] * push, 0.0, 0.5 * size[0] * push]  # about the edge at +x
    return Start(model, model.integrate(model.neutral(), step.ravel()), v)


@ready_up_to(rows=400)
def box_pyramid(rows: int = 4, size: float = 0.2, friction: float = 0.6, gap: float = 0.0) -> Start:
    """Boxes on each other, one fewer in each row: 4 rows are 10 boxes.

    Parameters
    ----------
    rows : int, optional
        How many.
    size : float, optional
        Edge of a box, m.
    friction : float, optional
        Coulomb's coefficient, everywhere.
    gap : float, optional
        Between boxes above each other, m; beside each other there is a tenth of a box.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there is no row.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> len(rbd.library.box_pyramid(4).model.bodies) - 1
    10
    """
    if rows < 1:
        raise ModelError(f"a pyramid of {rows} rows: there must be one at least")
    model = Model("pyramid")
    places: list[list[float]] = []
    for row in range(rows):
        for i in range(rows - row):
            box = Geometry(Box((size, size, size)), color=COLORS[row % len(COLORS)])
            inertia = Inertia.box([size] * 3, density=500.0)
            model.add_body(f"box{len(places) + 1}", joint=Free(), inertia=inertia, geometry=box)
            places.append([1.1 * size * (i - 0.5 * (rows - row - 1)), 0.0, (row + 0.5) * size + row * gap])
    model.add_ground(friction=friction)
    model.add_contacts(friction=friction)
    step = np.hstack([np.zeros((len(places), 3)), np.array(places)])
    return Start(model, model.integrate(model.neutral(), step.ravel()), np.zeros(6 * len(places)))
