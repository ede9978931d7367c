"""Sparse equation of all bodies and joints, without a spanning tree (Featherstone 2008, section 8.13).

The matrix of Eq 8.64 couples each joint with its two bodies only. A symbolic analysis orders its rows once, so that the
factors stay sparse; the numerical factorization then costs O(n) for trees, ladders and similar graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.system import System, take_apart
from rbdkit.algorithms.baumgarte import Baumgarte
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_no_mimics

Storage = Literal["banded", "sparse"]
SINGULAR = 1e13
"""Condition estimate above which the matrix counts as singular."""


@dataclass(frozen=True, eq=False)
class SparsePattern:
    """Sparsity pattern of the coefficient matrix of Eq 8.64, found once and used at every state.

    Attributes
    ----------
    model : Model
        Model of any connectivity.
    order : tuple of str
        Names of bodies and joints in the order of their rows in the permuted matrix.
    places : ndarray (N,) of int
        Row of the permuted matrix for each row of Eq 8.64: 6 for each body, then the constraints of each joint.
    entries : ndarray (2, nnz) of int
        Permuted row and column of every entry that may differ from zero, block by block.
    bandwidth : int
        Largest distance of an entry from the diagonal.
    """

    model: Model
    order: tuple[str, ...]
    places: NDArray
    entries: NDArray
    bandwidth: int

    @property
    def size(self) -> int:
        """Number of rows, 6 N_B + n_tot^c."""
        return len(self.places)

    @cached_property
    def compact(self) -> tuple[NDArray, NDArray, NDArray]:
        """Compact storage: index of each entry, rows and column pointers as in SciPy's CSC matrices."""
        from scipy.sparse import csc_array  # slow to load

        n = self.entries.shape[1]
        stored = csc_array((np.arange(1, n + 1), self.entries), shape=(self.size, self.size))
        stored.sort_indices()
        return stored.data - 1, stored.indices, stored.indptr


def sparse_pattern(model: Model, order: Sequence[str] | None = None) -> SparsePattern:
    """Return the symbolic analysis of a model: order of the rows, and places of nonzero entries.

    Parameters
    ----------
    order : sequence of str, optional
        Names of all moving bodies and joints, in the order of their rows: one that keeps the entries near the diagonal,
        as the nodes of a ladder are numbered in Fig 8.4. By the reverse Cuthill-McKee algorithm if not given.

    Raises
    ------
    ModelError
        If a joint mimics another one, or the order does not name every body and joint once.
    """
    require_no_mimics(model, "the sparse system of all bodies", "loop_equation")
    nodes = [body.name for body in model.bodies[1:]]
    ends = [(model.parent[i], i) for i in model.outward]
    ends += [(loop.predecessor, loop.successor) for loop in model.loops]
    joints = [joint.name for joint in model.joints[1:]] + [loop.joint.name for loop in model.loops]
    sizes = [6] * len(nodes) + [6 - joint.nv for joint in model.joints[1:]] + [6 - x.joint.nv for x in model.loops]
    couples = [(len(nodes) + j, body - 1) for j, end in enumerate(ends) for body in sorted({*end}) if body]
    keys = [("body", name) for name in nodes] + [("joint", name) for name in joints]
    rank = _cuthill_mckee(len(sizes), couples) if order is None else _given(keys, list(order))
    starts = np.concatenate([[0], np.cumsum([sizes[x] for x in rank])])
    first = np.zeros(len(sizes), dtype=int)
    first[rank] = starts[:-1]
    places = np.concatenate([first[x] + np.arange(size) for x, size in enumerate(sizes)]).astype(int)
    blocks = [(b, b) for b in range(len(nodes))]
    blocks += [pair for j, b in couples for pair in ((b, j), (j, b))]
    # a rotor couples the two bodies that it connects
    blocks += [pair for a, b in _rotors(model) for pair in ((a, b), (b, a))]
    entries = np.concatenate(
        [
            np.stack(
                np.meshgrid(first[a] + np.arange(sizes[a]), first[b] + np.arange(sizes[b]), indexing="ij")
            ).reshape(2, -1)
            for a, b in blocks
        ]
        or [np.zeros((2, 0), dtype=int)],
        axis=1,
    )
    bandwidth = int(np.abs(entries[0] - entries[1]).max(initial=0))
    return SparsePattern(model, tuple(keys[x][1] for x in rank), places, entries, bandwidth)


@dataclass(frozen=True, eq=False)
class SparseMotion:
    """Solution of Eq 8.64.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Accelerations of the tree's joints.
    a : ndarray (n, 6)
        Accelerations of the bodies in their own coordinates, with ``a[0] = -gravity``.
    lam : ndarray (n_c,)
        Constraint-force variables of all joints, those of the tree first.
    fill : int
        Number of entries of the factors.
    """

    qdd: NDArray
    a: NDArray
    lam: NDArray
    fill: int


def sparse_forward_dynamics(
    pattern: SparsePattern,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    stabilization: Baumgarte | None = None,
    storage: Storage = "sparse",
) -> SparseMotion:
    """Return accelerations by one sparse factorization (Featherstone 2008, Eq 8.64), O(n) for trees and ladders.

    Parameters
    ----------
    pattern : SparsePattern
        Pattern of the model; the same for all states.
    q : ndarray (nq,)
        Coordinates of any spanning tree, from which the poses of the bodies follow; the loops are closed up to errors
        that stabilization removes.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    stabilization : Baumgarte, optional
        Stabilization of loop errors; none if not given.
    storage : {'sparse', 'banded'}, optional
        SciPy's SuperLU in the order of the pattern, or a matrix of the pattern's bandwidth.

    Raises
    ------
    ModelError
        If the matrix is singular; the message names the joints with redundant constraints.

    Notes
    -----
    The book's ``v x I v`` is a force, ``v x* I v``; `take_apart` has it among the bias forces. ``-Tdot^T P^T v`` is
    computed as ``T^T c`` with ``a_J = S qdd + c``, which holds for prescribed joints too.
    """
    model = pattern.model
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    joints = [system.joint(i) for i in model.outward] + system.loops
    values, right = _numbers(system, joints)
    if stabilization is not None:
        k_stab = loop_constraint(model, q, qd, stabilization, t=t).k_stab
        if len(k_stab):
            right[-len(k_stab) :] += k_stab
    b = np.zeros((pattern.size, 2))
    b[pattern.places, 0] = right
    b[:, 1] = np.cos(np.arange(1.0, pattern.size + 1.0))  # arbitrary vector: its growth estimates the condition
    try:
        x, fill = (_banded if storage == "banded" else _sparse)(pattern, values, b)
    except (np.linalg.LinAlgError, RuntimeError):  # raised by LAPACK and SuperLU for a zero pivot
        raise _singular(system, joints) from None
    if not np.abs(x[:, 1]).max(initial=0.0) * np.abs(values).max(initial=0.0) < SINGULAR:
        raise _singular(system, joints)
    x = x[:, 0]
    x = x[pattern.places]
    n = len(model.bodies)
    a = np.vstack([system.a_0, x[: 6 * (n - 1)].reshape(-1, 6)])
    qdd = np.zeros(model.nv)
    for i in model.outward:
        qdd[model.joints[i].v_slice] = system.joint(i).qdd(a[model.parent[i]], a[i])
    return SparseMotion(qdd, (system.X @ a[..., None])[..., 0], -x[6 * (n - 1) :], fill)


def _numbers(system: System, joints: list[Connection]) -> tuple[NDArray, NDArray]:
    """Return matrix entries in the order of the pattern, and the right-hand side; accelerations include a_0."""
    bodies = [body.I.copy() for body in system.bodies]
    right_a = np.array([-body.p for body in system.bodies])
    constraints, right_l, rotors = [], [], []
    for joint in joints:
        p, s = joint.handles
        T, active = _T(joint), joint.T_a @ joint.tau
        geared = joint.T_a * joint.rotor @ joint.T_a.T
        pushed = active + geared @ joint.c  # the rotor takes A T_a^T (a_J - c) of the joint's force
        right_a[s] += pushed
        right_a[p] -= pushed
        bodies[s] += geared
        bodies[p] += geared
        if joint.rotor.any() and p:
            rotors.append(-geared)
        demanded = T.T @ joint.c
        if s == p:
            constraints.append([np.zeros((T.shape[1], 6))] if p else [])
        else:
            constraints.append([T.T if body == s else -T.T for body in sorted((p, s)) if body])
            demanded += (float(p == 0) - float(s == 0)) * (T.T @ system.a_0)  # the base acceleration is known
        right_l.append(demanded)
        if p == 0 and joint.rotor.any():
            right_a[s] += geared @ system.a_0
    parts = [body.ravel() for body in bodies[1:]]
    for own in constraints:
        for block in own:
            parts += [block.T.ravel(), block.ravel()]
    parts += [x.ravel() for block in rotors for x in (block, block.T)]
    return np.concatenate([np.zeros(0), *parts]), np.concatenate([right_a[1:].ravel(), *right_l])


def _T(joint: Connection) -> NDArray:
    """Return the constraint-force subspace of a joint without the columns for rotors."""
    return joint.T[:, : 6 - joint.S.shape[1]]


def _sparse(pattern: SparsePattern, values: NDArray, b: NDArray) -> tuple[NDArray, int]:
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    place, rows, ends = pattern.compact
    matrix = csc_array((values[place], rows, ends), shape=(pattern.size, pattern.size))
    factors = splu(matrix, permc_spec="NATURAL")
    return factors.solve(b), int(factors.L.nnz + factors.U.nnz)


def _banded(pattern: SparsePattern, values: NDArray, b: NDArray) -> tuple[NDArray, int]:
    from scipy.linalg import solve_banded

    w, (i, j) = pattern.bandwidth, pattern.entries
    band = np.zeros((2 * w + 1, pattern.size))
    band[w + i - j, j] = values
    return solve_banded((w, w), band, b), (3 * w + 1) * pattern.size


def _singular(system: System, joints: list[Connection]) -> ModelError:
    """Return the error for a singular matrix, which names joints with redundant constraints."""
    n, rows = len(system.bodies), []
    redundant, rank = [], 0
    for joint in joints:
        p, s = joint.handles
        T = _T(joint).T
        row = np.zeros((len(T), 6 * n))
        row[:, 6 * s : 6 * s + 6] += T
        row[:, 6 * p : 6 * p + 6] -= T
        rows.append(row[:, 6:])
        now = int(np.linalg.matrix_rank(np.vstack(rows), 1e-9))
        if now - rank < len(T):
            redundant.append(f"{joint.name!r} ({len(T) - now + rank} of {len(T)} constraints)")
        rank = now
    if redundant:
        return ModelError(
            f"the sparse system of model {system.model.name!r} is singular: {', '.join(redundant)} repeat what other "
            "joints demand; weaken them, see weaker_loop_joints, or solve loop_equation, which finds dependent rows"
        )
    return ModelError(
        f"the sparse system of model {system.model.name!r} is singular: a motion that the joints allow moves "
        "nothing with inertia"
    )


def _rotors(model: Model) -> list[tuple[int, int]]:
    return [(i - 1, model.parent[i] - 1) for i in model.outward if model.parent[i] and model.joints[i].armature.any()]


def _cuthill_mckee(n: int, couples: list[tuple[int, int]]) -> list[int]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    i, j = np.array(couples, dtype=int).reshape(-1, 2).T
    graph = csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return [int(x) for x in reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True)]


def _given(keys: list[tuple[str, str]], order: list[str]) -> list[int]:
    """Return indices of bodies and joints in the order of their names; a body before a joint of the same name."""
    if sorted(order) != sorted(name for _, name in keys):
        raise ModelError(
            f"the order must name every moving body and every joint once: {len(keys)} names, but {len(order)} are given"
        )
    left: dict[str, list[int]] = {}
    for x, (_, name) in enumerate(keys):
        left.setdefault(name, []).append(x)
    return [left[name].pop(0) for name in order]
