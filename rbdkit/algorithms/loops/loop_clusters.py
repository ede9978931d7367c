"""Loop clusters: groups of loops that share joints, whose constraints decouple from those of other groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops.explicit_constraint import explicit_constraint
from rbdkit.algorithms.loops.independent_rows import rank
from rbdkit.algorithms.loops.loop_constraint import LoopConstraint
from rbdkit.algorithms.loops.loop_jacobian import loop_path
from rbdkit.errors import ModelError
from rbdkit.model import Model


@dataclass(frozen=True)
class LoopCluster:
    """Minimal loop cluster (Featherstone 2008, section 8.9): no loop in it shares a variable with one outside.

    Attributes
    ----------
    loops : tuple of int
        Indices of the loops, from 0.
    joints : tuple of int
        Indices of the tree joints on their paths.
    variables : tuple of int
        Velocity variables of these joints: the nonzero columns of K.
    """

    loops: tuple[int, ...]
    joints: tuple[int, ...]
    variables: tuple[int, ...]


def loop_clusters(model: Model) -> list[LoopCluster]:
    """Return the minimal loop clusters of a model, sorted by the first of their loops.

    Loops are coupled by joints that they share, and by mimic joints with the same master joint. A joint without freedom
    does not couple them.
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
    """Return an order of the bodies, parents first, in which the joints of each cluster are adjacent.

    In the model that `rbdkit.model.graph.reordered` makes with it, K and G are block-diagonal.

    Raises
    ------
    ModelError
        If mimic joints belong to a cluster from which they are separated by another cluster.
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
    """Explicit constraint G, g in blocks, one for each cluster; variables outside all clusters are independent.

    Attributes
    ----------
    G, g : ndarray (n, n - r), (n,)
        As in `explicit_constraint` for the whole system.
    blocks : tuple of (variables, columns)
        Rows and columns of the block of G of each cluster.
    free : tuple of (variable, column)
        Entries of G that are one, for variables outside all clusters.
    """

    G: NDArray
    g: NDArray
    blocks: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    free: tuple[tuple[int, int], ...]


def explicit_by_clusters(
    constraint: LoopConstraint, clusters: list[LoopCluster], tol: float | None = None
) -> BlockConstraint:
    """Return G_i and g_i of each cluster from K_i and k_i alone (text at the end of section 8.9).

    Parameters
    ----------
    constraint : LoopConstraint
        Loop constraint at a state.
    clusters : list of LoopCluster
        Clusters of the model.
    tol : float, optional
        Tolerance of the rank decision, as in `row_space`.
    """
    n = constraint.K.shape[1]
    parts = []
    for cluster in clusters:
        rows = [i for l in cluster.loops for i in range(constraint.rows[l].start, constraint.rows[l].stop)]
        r = rank(constraint.scaled[np.ix_(rows, cluster.variables)], constraint, tol)
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
    """Return G^T H G, and the number of multiplications if those by zeros and ones are skipped.

    Parameters
    ----------
    H : ndarray (n, n)
        Inertia matrix, symmetric.
    block : BlockConstraint
        Explicit constraint of the same variables.
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
    """Return ``A = K H^-1 K^T`` (Eq 8.38) and its number of multiplications, using the sparsity of K_i^T.

    K_i^T has nonzero rows for its own cluster only, and ``L^-T`` fills in their ancestors and no others; so two
    clusters overlap in their common ancestors only.

    Parameters
    ----------
    constraint, clusters
        Loop constraint of a model at a state, and its clusters.
    factor : ndarray (n, n)
        Factor L of ``H = L^T L``.
    lam : tuple of int
        Parent array of the rows of L.
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
