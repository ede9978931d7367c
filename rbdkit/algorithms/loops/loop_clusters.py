"""Loops that share joints, and loops that have nothing to do with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops.explicit_constraint import explicit_constraint
from rbdkit.algorithms.loops.independent_rows import rank_tolerance
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint
from rbdkit.algorithms.loops.loop_jacobian import loop_path
from rbdkit.errors import ModelError
from rbdkit.model import Model


@dataclass(frozen=True)
class LoopCluster:
    """A minimal loop cluster (Featherstone 2008, section 8.9): no loop in it shares a variable with one outside.

    Attributes
    ----------
    loops : tuple of int
        Numbers of the loops, from 0.
    joints : tuple of int
        Numbers of the tree joints on their paths.
    variables : tuple of int
        Velocity variables of these: columns of K that hold anything.
    """

    loops: tuple[int, ...]
    joints: tuple[int, ...]
    variables: tuple[int, ...]


def loop_clusters(model: Model) -> list[LoopCluster]:
    """The minimal loop clusters of a model, by the first of their loops.

    Loops are coupled by joints that they share, and by joints that follow the same leader. A joint without freedom does
    not couple them.
    """
    paths = [set(loop_path(model, loop)) for loop in model.loops]
    moves = [{c for j in path for c in _columns(model, j)} for path in paths]
    groups: list[tuple[set[int], set[int]]] = []
    for l, own in enumerate(moves):
        coupled = [group for group in groups if group[1] & own]
        groups = [group for group in groups if not group[1] & own]
        groups.append(({l}.union(*(loops for loops, _ in coupled)), own.union(*(columns for _, columns in coupled))))
    return [
        LoopCluster(
            tuple(sorted(loops)), tuple(sorted(set().union(*(paths[l] for l in loops)))), tuple(sorted(columns))
        )
        for loops, columns in sorted(groups, key=lambda group: min(group[0]))
    ]


def cluster_order(model: Model) -> tuple[int, ...]:
    """An order of the bodies, parents first, in which the joints of each cluster stand one after the other.

    In the model that `rbdkit.model.graph.reordered` makes of it K and G are block-diagonal.

    Raises
    ------
    ModelError
        If followers tie joints to a cluster that do not hang together with it.
    """
    cluster_of: dict[int, int] = {}
    for c, cluster in enumerate(loop_clusters(model)):
        for j in cluster.joints:
            if model.joints[j].nv or j not in cluster_of:
                cluster_of[j] = c
    group = {i: cluster_of.get(i, -i) for i in model.outward}
    order: list[int] = []
    waiting = list(dict.fromkeys(group[i] for i in model.outward))
    while waiting:
        for name in waiting:
            members = [i for i in model.outward if group[i] == name]
            if all(model.parent[i] == 0 or model.parent[i] in {*order, *members} for i in members):
                order += members
                waiting.remove(name)
                break
        else:
            raise ModelError(
                f"model {model.name!r}: joints that follow others tie joints to a loop cluster between which joints of "
                "another cluster stand, so no order has all clusters in one piece"
            )
    return tuple(order)


@dataclass(frozen=True, eq=False)
class BlockConstraint:
    """G and g block by block, one for each cluster; the variables of no cluster are independent.

    Attributes
    ----------
    G, g : ndarray (n, n - r), (n,)
        As `explicit_constraint` has them for the whole.
    blocks : tuple of (variables, columns)
        Of each cluster: rows and columns of G that may hold anything.
    free : tuple of (variable, column)
        The ones of G.
    """

    G: NDArray
    g: NDArray
    blocks: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    free: tuple[tuple[int, int], ...]


def explicit_by_clusters(
    constraint: LoopConstraint, clusters: list[LoopCluster], tol: float | None = None
) -> BlockConstraint:
    """G_i and g_i of each cluster from K_i and k_i alone (text at the end of section 8.9).

    Parameters
    ----------
    constraint : LoopConstraint
        At a state.
    clusters : list of LoopCluster
        Of the model.
    tol : float, optional
        Of the rank, as for `row_space`.
    """
    tol = rank_tolerance(constraint) if tol is None else tol
    n = constraint.K.shape[1]
    parts = []
    for cluster in clusters:
        rows = [i for l in cluster.loops for i in range(constraint.rows[l].start, constraint.rows[l].stop)]
        scaled = constraint.scaled[np.ix_(rows, cluster.variables)]
        s = np.linalg.svd(scaled, compute_uv=False)
        r = int(np.count_nonzero(s > tol * s[0])) if len(s) and s[0] > 0.0 else 0
        K_i, k_i = constraint.K[np.ix_(rows, cluster.variables)], constraint.right_hand_side[rows]
        parts.append(explicit_constraint(K_i, k_i, rank=r, tol=0.0))
    tied = {j for cluster in clusters for j in cluster.variables}
    free = [j for j in range(n) if j not in tied]
    sizes = [part.G.shape[1] for part in parts]
    G, g, at = np.zeros((n, sum(sizes) + len(free))), np.zeros(n), 0
    blocks = []
    for cluster, part, size in zip(clusters, parts, sizes, strict=True):
        columns = tuple(range(at, at + size))
        G[np.ix_(cluster.variables, columns)], g[list(cluster.variables)] = part.G, part.g
        blocks.append((cluster.variables, columns))
        at += size
    G[free, range(at, at + len(free))] = 1.0
    return BlockConstraint(G, g, tuple(blocks), tuple(zip(free, range(at, at + len(free)), strict=True)))


def projected_by_blocks(H: NDArray, block: BlockConstraint) -> tuple[NDArray, int]:
    """G^T H G, and how many multiplications it takes where zeros and ones are not multiplied with.

    Parameters
    ----------
    H : ndarray (n, n)
        Symmetric.
    block : BlockConstraint
        With the G of the same variables.
    """
    pieces = [(list(rows), list(columns), block.G[np.ix_(rows, columns)]) for rows, columns in block.blocks]
    pieces.append(([row for row, _ in block.free], [column for _, column in block.free], np.eye(len(block.free))))
    H_G, count = np.zeros((block.G.shape[1],) * 2), 0
    for a, (rows_a, columns_a, G_a) in enumerate(pieces):
        for b, (rows_b, columns_b, G_b) in enumerate(pieces[: a + 1]):
            part = H[np.ix_(rows_a, rows_b)]
            if b < len(pieces) - 1:
                part = part @ G_b
                count += part.shape[0] * len(rows_b) * part.shape[1]
            if a < len(pieces) - 1:
                part = G_a.T @ part
                size = len(columns_a) * (len(columns_a) + 1) // 2 if a == b else part.size  # one triangle of the middle
                count += size * len(rows_a)
            H_G[np.ix_(columns_a, columns_b)] = part
            H_G[np.ix_(columns_b, columns_a)] = part.T
    return H_G, count


def force_matrix_by_blocks(
    constraint: LoopConstraint, clusters: list[LoopCluster], factor: NDArray, lam: tuple[int, ...]
) -> tuple[NDArray, int]:
    """``A = K H^-1 K^T`` (Eq 8.38) and its multiplications, where K_i^T has rows of its cluster alone.

    ``L^-T`` fills the ancestors of these rows and no others, so two clusters meet in their common ancestors only.

    Parameters
    ----------
    constraint, clusters
        Of a model at a state.
    factor : ndarray (n, n)
        L of ``H = L^T L``.
    lam : tuple of int
        Parent array of its rows.
    """
    pieces = []
    count = 0
    for cluster in clusters:
        rows = [i for l in cluster.loops for i in range(constraint.rows[l].start, constraint.rows[l].stop)]
        reach = set(cluster.variables)
        for j in cluster.variables:
            while j >= 0:
                reach.add(j)
                j = lam[j]
        Y = constraint.K[rows].T.copy()
        for i in sorted(reach, reverse=True):
            Y[i] /= factor[i, i]
            count += len(rows)
            j = lam[i]
            while j >= 0:
                Y[j] -= factor[i, j] * Y[i]
                count += len(rows)
                j = lam[j]
        pieces.append((rows, reach, Y))
    A = np.zeros((constraint.n_c,) * 2)
    for a, (rows_a, reach_a, Y_a) in enumerate(pieces):
        for b, (rows_b, reach_b, Y_b) in enumerate(pieces[: a + 1]):
            common = sorted(reach_a & reach_b)
            part = Y_a[common].T @ Y_b[common]
            count += len(common) * (len(rows_a) * (len(rows_a) + 1) // 2 if a == b else part.size)
            A[np.ix_(rows_a, rows_b)] = part
            A[np.ix_(rows_b, rows_a)] = part.T
    return A, count


def _columns(model: Model, j: int) -> range:
    own = model.joints[j].v_slice
    return range(own.start, own.stop)
