"""Interpolated poses of a recorded motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.scene import Tracks
from rbdkit.spatial import quaternion


def poses_at(tracks: Tracks, t: float) -> NDArray:
    """Interpolate world poses (nodes, 4, 4) at time t, s: positions linearly, rotations by the shorter arc (nlerp)."""
    rows = _rows_at(tracks, t)
    poses = np.zeros((len(rows), 4, 4))
    poses[:, :3, :3] = quaternion.to_matrix(rows[:, [6, 3, 4, 5]])
    poses[:, :3, 3], poses[:, 3, 3] = rows[:, :3], 1.0
    return poses


def _rows_at(tracks: Tracks, t: float) -> NDArray:
    last = max(0, int(np.searchsorted(tracks.t, t, side="right")) - 1)
    after = min(last + 1, len(tracks.t) - 1)
    a, b = (tracks.poses[k].astype(float) for k in (last, after))
    s = 0.0 if after == last or t <= tracks.t[last] else (t - tracks.t[last]) / (tracks.t[after] - tracks.t[last])
    rows = a + s * (b - a)
    # q and -q are the same rotation: take the sign of the next quaternion that is nearer to the last one.
    near = np.sign(np.sum(a[:, 3:] * b[:, 3:], axis=1, keepdims=True))
    rows[:, 3:] = a[:, 3:] + s * (np.where(near == 0.0, 1.0, near) * b[:, 3:] - a[:, 3:])
    rows[:, 3:] /= np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    return np.concatenate([rows, *(_rows_at(other, t) for other in tracks.beside)])


def path(tracks: Tracks, node: int, point: NDArray, longest: int = 600) -> tuple[NDArray, NDArray]:
    """Return key times (k,) and world positions (k, 3) of a point of a node, at about `longest` of the keys."""
    own = tracks.poses.shape[1]
    if node >= own:
        node -= own
        for other in tracks.beside:
            count = other.poses.shape[1]
            if node < count:
                return path(other, node, point, longest)
            node -= count
        return np.zeros(0), np.zeros((0, 3))
    keys = np.unique(np.append(np.arange(0, len(tracks.t), max(1, -(-len(tracks.t) // longest))), len(tracks.t) - 1))
    rows = tracks.poses[keys, node].astype(float)
    wxyz = rows[:, [6, 3, 4, 5]] / np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    return tracks.t[keys], rows[:, :3] + np.asarray(quaternion.to_matrix(wxyz)) @ np.asarray(point, dtype=float)
