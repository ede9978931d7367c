"""Deformable bodies: a soft cube, and a robot with a tail (Sueda, section 2.7)."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.library.ready import ready_up_to
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready_up_to(nodes=14)
def soft_cube(
    nodes: int = 3, size: float = 0.2, mass: float = 1.0, stiffness: float = 60.0, damping: float = 0.3
) -> Model:
    """A cube of jelly that hangs by the nodes of its upper face.

    Parameters
    ----------
    nodes : int, optional
        Along each edge, two or more.
    size : float, optional
        Length of an edge, m.
    mass : float, optional
        kg.
    stiffness, damping : float, optional
        Of each spring, tension by strain, N, and by strain rate, N s.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If there are less than two nodes along an edge.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> cube = rbd.library.soft_cube(nodes=2)
    >>> cube.nv, len(cube.forces)  # four nodes that move; edges, and diagonals of faces and of the cube
    (12, 28)
    """
    if nodes < 2:
        raise ModelError(f"a cube of {nodes} nodes along each edge is none; take two or more")
    grid = np.array(list(product(range(nodes), repeat=3)))
    edges = [(i, j) for i, j in combinations(range(len(grid)), 2) if np.abs(grid[i] - grid[j]).max() == 1]
    points = size / (nodes - 1) * grid - [0.0, 0.0, size]
    model = Model("soft cube")
    held = {k: "world" for k, place in enumerate(grid) if place[2] == nodes - 1}
    model.add_deformable("jelly", points, edges, mass, stiffness, damping, held)
    return model


@ready_up_to(links=1500)
def robot_with_tail(links: int = 8) -> Model:
    """An arm of two links with a tail of two strings of springs, braced like a ladder, at its end.

    Parameters
    ----------
    links : int, optional
        Rungs of the tail.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> robot = rbd.library.robot_with_tail(links=3)
    >>> robot.nv, [body.name for body in robot.bodies[1:5]]
    (20, ['upper', 'lower', 'tail0', 'tail1'])
    """
    model = Model("robot with a tail")
    size = (0.3, 0.04, 0.04)
    solid, shape = Inertia.box(size, mass=0.5), Geometry(Box(size), se3.pose(position=[0.15, 0.0, 0.0]))
    link = Inertia(solid.mass, [0.15, 0.0, 0.0], solid.inertia_com)
    model.add_body("upper", "world", Revolute("y"), None, link, shape, damping=0.02)
    model.add_body("lower", "upper", Revolute("y"), [0.3, 0.0, 0.0], link, shape, damping=0.02)
    points = [[0.6 + 0.04 * k, 0.0, side] for k in range(links + 1) for side in (-0.015, 0.015)]
    n = len(points)
    along = [(k, k + 2) for k in range(n - 2)]
    rungs = [(k, k + 1) for k in range(0, n, 2)]
    across = [(k, k + 3) for k in range(0, n - 3, 2)] + [(k + 1, k + 2) for k in range(0, n - 3, 2)]
    model.add_deformable("tail", points, along + rungs + across, 0.1, 20.0, 0.05, {0: "lower", 1: "lower"})
    return model
