"""Reduced tree in which bodies connected by inverse-dynamics joints are merged."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from rbdkit.algorithms.sparse.expanded_parent import ParentArray, expand_parents
from rbdkit.model import Model


class MergedParents(NamedTuple):
    """Merged tree. parent : lambda', numbered like `Model.parent`. map : index in the merged tree of every node."""

    parent: tuple[int, ...]
    map: tuple[int, ...]


def merged_parents(parent: tuple[int, ...], fd: Collection[int]) -> MergedParents:
    """Return the parent array that describes the sparsity of H11 (Featherstone 2008, Figure 9.1).

    Nodes that an inverse-dynamics joint connects become one, and nodes are renumbered without gaps.
    `forward_parent` expands the result to single variables, which the sparse algorithms need.

    Parameters
    ----------
    parent : tuple of int
        lambda, ``parent[i]`` of node i, ``parent[0] = -1``.
    fd
        Indices of the forward-dynamics joints.
    """
    merged, map = [-1], [0]
    for i in range(1, len(parent)):
        if i in fd:
            merged.append(map[parent[i]])
            map.append(len(merged) - 1)
        else:
            map.append(map[parent[i]])
    return MergedParents(tuple(merged), tuple(map))


def forward_parent(model: Model, fd: Collection[int]) -> ParentArray:
    """Return the parent array of the rows of H11, for the algorithms of `rbdkit.algorithms.sparse` (section 6.5).

    With loop joints it belongs to the spanning tree; with mimic joints it is that of a chain, whose matrix is full.
    """
    if model.mimics:
        led = [i for i in fd if model.joints[i].mimic is None]
        return tuple(range(-1, sum(model.joints[i].nv for i in led) - 1))
    return expand_parents(merged_parents(model.parent, fd).parent[1:], [model.joints[i].nv for i in sorted(fd)])
