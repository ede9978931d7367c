"""The condition number of the inertia matrix by length, configuration and branching (Featherstone 2008, 10.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.crba import crba
from rbdkit.errors import ModelError
from rbdkit.library.parent_arrays import chain_parents, checked_parents
from rbdkit.library.ready import ready_up_to
from rbdkit.library.rod_trees import rod_tree, zigzag_angles, zigzag_chain
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


def condition_number(model: Model, q: ArrayLike, *, t: float = 0.0) -> float:
    """Condition number of H in the 2-norm: its largest over its smallest eigenvalue.

    Parameters
    ----------
    q : array_like (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints.

    Raises
    ------
    ModelError
        If joints close loops: H of a spanning tree does not tell how the closed system moves. If nothing can move.
    """
    require_tree(model, "the condition number")
    if not model.nv:
        raise ModelError(
            f"nothing moves in model {model.name!r}: its inertia matrix is empty and has no condition number"
        )
    return float(np.linalg.cond(crba(model, model.check_q(q), t=t).H))


def chain_conditions(lengths: Sequence[int], angle: float = 0.0) -> NDArray:
    """Return the condition numbers (n,) of chains of equal rods, of the given lengths, at a zigzag angle, rad.

    Angle 0 is the straight chain.
    """
    return np.array([condition_number(zigzag_chain(n), zigzag_angles(n, angle)) for n in lengths])


def configuration_conditions(links: int, angles: ArrayLike) -> NDArray:
    """Return the condition numbers (n,) of one chain of rods over its zigzag angle, rad."""
    chain = zigzag_chain(links)
    return np.array([condition_number(chain, zigzag_angles(links, angle)) for angle in np.atleast_1d(angles)])


def tree_conditions(parent: Sequence[int], samples: int = 20, seed: int = 0) -> NDArray:
    """Return the condition numbers (samples,) of the tree of rods with this parent array, at random angles."""
    tree, rng = rod_tree(parent), np.random.default_rng(seed)
    return np.array([condition_number(tree, tree.random_q(rng)) for _ in range(samples)])


@ready_up_to(links=200)
def ring_conditions(links: int) -> NDArray:
    """Return the condition numbers (links + 1,) of a closed ring of rods, by the joint at which it is cut into a tree.

    The rods and the ground are the sides of a regular polygon. Cut at joint k the ring becomes a chain of k rods and
    one of links - k, both from the ground; entry k is the condition of that tree. The depth is max(k, links - k).

    Raises
    ------
    ModelError
        If the number of links is not a whole number from 1 to 200.
    """
    if links < 1:
        raise ModelError(f"a ring needs a rod or more beside the ground; links is {links}")
    turn = 2.0 * np.pi / (links + 1)
    found = []
    for k in range(links + 1):
        ahead, back = chain_parents(k), (0, *range(k + 1, links))[: links - k]
        angles = np.concatenate([np.full(k, turn), np.full(links - k, -turn)])
        found.append(condition_number(rod_tree((*ahead, *back)), angles))
    return np.array(found)


def depth(parent: Sequence[int]) -> int:
    """Bodies on the longest way from the base to a tip."""
    depths = [0]
    for p in checked_parents(parent):
        depths.append(depths[p] + 1)
    return max(depths)


def growth(x: ArrayLike, y: ArrayLike) -> float:
    """The power with which y grows with x: slope of log y over log x, by least squares.

    Raises
    ------
    ModelError
        If there are less than two points, or one is not positive.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.size < 2 or not (np.all(x > 0.0) and np.all(y > 0.0)):
        raise ModelError(f"a power needs two or more positive points; x is {x}, y is {y}")
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
