"""Layout of states of constrained bodies in flat arrays, and options that are given by body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.spatial.vector3 import Matrix, Vector


def group_names(model: Model, groups: str | Mapping[str, str] | Sequence[str]) -> list[str]:
    """Return the name of the group of every body but the world."""
    names = [body.name for body in model.bodies[1:]]
    if isinstance(groups, str):
        return [groups] * len(names)
    if isinstance(groups, Mapping):
        if set(groups) != set(names):
            odd = sorted(set(groups) ^ set(names))
            raise SimulationError(f"groups must name every body of model {model.name!r} once; it differs in {odd}")
        return [groups[name] for name in names]
    if len(groups) != len(names):
        raise SimulationError(f"there are {len(groups)} groups for the {len(names)} bodies of model {model.name!r}")
    return list(groups)


def reference_frames(model: Model, reference: str) -> NDArray:
    """Return the poses (bodies, 4, 4) of the reference frames in the body frames, the world first."""
    offsets = np.zeros((len(model.bodies), 4, 4)) + np.eye(4)
    for body in model.bodies[1:]:
        if reference == "com" and body.inertia is not None:
            offsets[body.index, :3, 3] = body.inertia.com
    return offsets


def flat(C: NDArray) -> NDArray:
    """Return poses (..., n, 4, 4) as 12 n numbers."""
    x = np.empty((*C.shape[:-2], 12))
    x[..., :9], x[..., 9:] = C[..., :3, :3].reshape(*C.shape[:-2], 9), C[..., :3, 3]
    return x.reshape(*C.shape[:-3], -1)


def unflat(x: NDArray) -> NDArray:
    """Return poses (..., n, 4, 4) from 12 n numbers."""
    x = x.reshape(*x.shape[:-1], -1, 12)
    C = np.zeros((*x.shape[:-1], 4, 4))
    C[..., :3, :3], C[..., :3, 3], C[..., 3, 3] = x[..., :9].reshape(*x.shape[:-1], 3, 3), x[..., 9:], 1.0
    return C


def elements(C: NDArray) -> tuple[Matrix, Vector]:
    """Return R and r of poses (..., 4, 4) with the elements as stacks."""
    rows = np.moveaxis(C, (-2, -1), (0, 1))[:3]
    return Matrix(Vector(row[:3]) for row in rows), Vector(rows[:, 3])


def block_diagonal(blocks: NDArray) -> NDArray:
    """Return the block-diagonal matrix (6 n, 6 n) of blocks (n, 6, 6)."""
    n = len(blocks)
    M = np.zeros((n, 6, n, 6))
    M[np.arange(n), :, np.arange(n), :] = blocks
    return M.reshape(6 * n, 6 * n)
