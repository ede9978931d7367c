"""Deformable bodies as mass-spring systems, with free nodes and nodes attached to bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit import forces
from rbdkit.errors import ModelError
from rbdkit.forces.surroundings import ORIGIN
from rbdkit.joints import Fixed, Translational
from rbdkit.model.force import surroundings
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import finite, number, shown

if TYPE_CHECKING:
    from rbdkit.model.model import Model


@dataclass(frozen=True, eq=False)
class Deformable:
    """A deformable body of a model (Sueda, section 2.7).

    Attributes
    ----------
    name : str
        Its names begin so.
    nodes : tuple of str
        Names of the bodies that are its nodes, in the order of the points.
    springs : tuple of str
        Names of its force elements, in the order of the edges.
    free : tuple of int
        Numbers of the nodes that move by themselves.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("string")
    >>> string = model.add_deformable("s", [[0, 0, 0], [0.1, 0, 0]], [(0, 1)], 0.2, 50.0, attached={0: "world"})
    >>> string.nodes, string.springs, string.free
    (('s0', 's1'), ('s0-1',), (1,))
    """

    name: str
    nodes: tuple[str, ...]
    springs: tuple[str, ...]
    free: tuple[int, ...]


def add_deformable(
    self: Model,
    name: str,
    points: ArrayLike,
    edges: Sequence[tuple[int, int]],
    mass: float | ArrayLike,
    stiffness: float,
    damping: float = 0.0,
    attached: Mapping[int, str] | None = None,
) -> Deformable:
    """Add a deformable body as a mass-spring system (Sueda, section 2.7).

    Each node is a point mass on a `rbdkit.Translational` joint from the world, or, if attached, fixed to another body;
    each edge is a `rbdkit.Spring` between two nodes. So it is simulated, saved and drawn like other bodies and forces.

    Parameters
    ----------
    name : str
        Prefix of the names of nodes and springs: 'jelly3', 'jelly3-4'.
    points : array_like (n, 3)
        Positions of the nodes in the neutral configuration, world coordinates, m; the springs are slack there.
    edges : sequence of (int, int)
        Pairs of nodes with a spring between them.
    mass : float or array_like (n,)
        Total mass, kg, or the mass of each node.
    stiffness : float
        Tension for each unit of strain, N.
    damping : float, optional
        Tension for each unit of strain rate, N s.
    attached : mapping of int to str, optional
        Body or frame, 'world' included, to which a node is fixed, by the index of the node.

    Returns
    -------
    Deformable
        Names of the bodies and springs that were added.

    Raises
    ------
    ModelError
        If a number is invalid, an edge does not join two nodes, or a name is taken; nothing is added then.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("rope")
    >>> points = [[0.1 * k, 0.0, 0.0] for k in range(5)]
    >>> edges = [(k, k + 1) for k in range(4)]
    >>> rope = model.add_deformable("rope", points, edges, mass=0.1, stiffness=20.0, attached={0: "world"})
    >>> model.nv, rope.nodes[-1]
    (12, 'rope4')
    """
    who = f"deformable {name!r}"
    x = finite(points, partial("{}: points {} must be finite numbers (n, 3)".format, who))
    if x.ndim != 2 or x.shape[1] != 3:
        raise ModelError(f"{who}: points have shape {x.shape}, and must have (n, 3)")
    n = len(x)
    pairs = _edges(who, edges, x)
    masses = np.broadcast_to(_masses(who, mass, n), (n,))
    rides = dict(attached or {})
    for k in rides:
        if not (isinstance(k, int | np.integer) and 0 <= k < n):
            raise ModelError(f"{who}: attached names node {shown(k)}, and there are {n}; count from 0")
    stiffness, damping = (
        number(value, partial("{}: {} {} must be a finite number".format, who, what))
        for what, value in (("stiffness", stiffness), ("damping", damping))
    )
    if stiffness < 0.0 or damping < 0.0:
        raise ModelError(f"{who}: stiffness {stiffness} and damping {damping} must not be negative")
    at = surroundings(self, self.neutral(), np.zeros(self.nv))
    places = {k: _in_body(at.rotation(body), at.position(body), x[k]) for k, body in rides.items()}
    trial = self.__copy__()
    made = _grown(trial, name, x, pairs, masses, stiffness, damping, rides, places)
    _grown(self, name, x, pairs, masses, stiffness, damping, rides, places)
    return made


def _grown(
    model: Model,
    name: str,
    x: NDArray,
    pairs: Sequence[tuple[int, int]],
    masses: NDArray,
    stiffness: float,
    damping: float,
    rides: Mapping[int, str],
    places: Mapping[int, NDArray],
) -> Deformable:
    nodes = tuple(f"{name}{k}" for k in range(len(x)))
    for k, node in enumerate(nodes):
        inertia = Inertia(float(masses[k]))
        if k in rides:
            model.add_body(node, rides[k], Fixed(), places[k], inertia)
        else:
            model.add_body(node, "world", Translational(), x[k], inertia)
    springs = []
    for i, j in pairs:
        L = float(np.linalg.norm(x[j] - x[i]))
        if L == 0.0:
            raise ModelError(f"deformable body {name!r}: points {i} and {j} of a spring are in one place")
        # tension per strain, Eqs 1.65, 2.86, as one per length
        spring = forces.Spring(nodes[i], nodes[j], stiffness / L, L, damping / L, ORIGIN, ORIGIN)
        springs.append(model.add_force(f"{name}{i}-{j}", spring).name)
    return Deformable(name, nodes, tuple(springs), tuple(k for k in range(len(x)) if k not in rides))


def _in_body(R: NDArray, p: NDArray, x: NDArray) -> NDArray:
    return R.T @ (x - p)


def _masses(who: str, mass: float | ArrayLike, n: int) -> NDArray:
    """Mass of each node, kg: (n,) or (1,)."""
    given = finite(mass, partial("{}: mass {} must be made of finite numbers".format, who))
    if given.ndim == 0:
        given = np.full(n, float(given) / n)
    if given.shape != (n,) or np.any(given <= 0.0):
        raise ModelError(
            f"{who}: mass {shown(mass)} must be one number for all, or one for each of {n} nodes, positive"
        )
    return given


def _edges(who: str, edges: Sequence[tuple[int, int]], x: NDArray) -> list[tuple[int, int]]:
    """Pairs of nodes, checked."""
    found: list[tuple[int, int]] = []
    if not isinstance(edges, Iterable) or (isinstance(edges, np.ndarray) and edges.ndim != 2):
        raise ModelError(f"{who}: edges {shown(edges)} must be pairs of numbers of nodes")
    for edge in edges:
        try:
            i, j = (int(k) for k in edge)
        except (TypeError, ValueError):
            raise ModelError(f"{who}: edge {shown(edge)} must be a pair of numbers of nodes") from None
        if not (0 <= i < len(x) and 0 <= j < len(x)) or i == j:
            raise ModelError(f"{who}: edge {shown(edge)} must join two of {len(x)} nodes, counted from 0")
        if np.array_equal(x[i], x[j]):
            raise ModelError(f"{who}: nodes {i} and {j} are in one place; a spring between them has no length")
        if (i, j) in found or (j, i) in found:
            raise ModelError(f"{who}: edge {shown(edge)} is there twice")
        found.append((i, j))
    return found
