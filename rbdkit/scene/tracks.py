"""Recorded motion: absolute poses of nodes at key times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.forces import Muscle, TimedMuscle
from rbdkit.scene.coils import activation_of
from rbdkit.spatial import quaternion

if TYPE_CHECKING:
    from rbdkit.simulation import Trajectory

BUDGET = 2_000_000
"""Most bytes of poses sent for one motion; longer ones keep every second, third, ... sample."""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Poses of nodes over time; between key times positions run straight and rotations along the shortest arc.

    Attributes
    ----------
    t : ndarray (k,)
        Key times in s, increasing; the first is the initial state.
    poses : ndarray
        (k, nodes, 7) float32, position and quaternion (x, y, z, w), each quaternion on the side of the one before.
    samples : ndarray (k,)
        Which samples of the recording these are.
    beside : tuple of Tracks
        Motions of further nodes, which come after these, each at key times of its own; before its first and after
        its last it stands still.
    shades : mapping of str to ndarray (k,)
        What colours show that change, from 0 to 1, by name: activations of muscles.
    """

    t: NDArray
    poses: NDArray
    samples: NDArray
    beside: tuple[Tracks, ...] = ()
    shades: Mapping[str, NDArray] = field(default_factory=dict)

    def rows(self, times: ArrayLike) -> NDArray:
        """Return poses (m, nodes, 7) of all nodes, those beside too, at the last key times not after `times`."""
        last = np.maximum(np.searchsorted(self.t, np.asarray(times, dtype=float), side="right") - 1, 0)
        return np.concatenate([self.poses[last], *(other.rows(times) for other in self.beside)], axis=1)

    def shades_at(self, t: float) -> dict[str, float]:
        """Return the values of changing colours at a time in s, by name, interpolated linearly between keys."""
        return {name: float(np.interp(t, self.t, values)) for name, values in self.shades.items()}

    def __repr__(self) -> str:
        nodes = self.poses.shape[1] + sum(other.poses.shape[1] for other in self.beside)
        return f"<Tracks of {nodes} nodes: {len(self.t)} keys, {self.t[0]:.6g} to {self.t[-1]:.6g} s>"


def tracks_of(trajectory: Trajectory, budget: int = BUDGET) -> Tracks:
    """Return tracks of the bodies of a trajectory, decimated to a budget in bytes; first and last sample are kept.

    Of a motion that diverged, the part before that is drawn.
    """
    poses = np.asarray(trajectory.poses())
    count = drawable(poses)
    samples = kept_samples(count, len(trajectory.model.bodies), budget)
    t = np.asarray(trajectory.t, dtype=float)[samples]
    return Tracks(t, seven(poses[samples]), samples, shades=_activations(trajectory, t, samples))


def _activations(trajectory: Trajectory, t: NDArray, samples: NDArray) -> dict[str, NDArray]:
    """Return the activations, at some samples, of the muscles whose activation changes."""
    found = {}
    for force in trajectory.model.forces:
        muscle = force.element
        if isinstance(muscle, Muscle) and "activation" in muscle.states:
            found[force.name] = trajectory.state(f"{force.name}.activation")[samples]
        elif isinstance(muscle, TimedMuscle):
            found[force.name] = np.array([activation_of(muscle, time) for time in t.tolist()])
    return found


def drawable(poses: NDArray) -> int:
    """Return how many poses (n, nodes, 4, 4) come before the first invalid one; at least one.

    A motion that diverges passes angles so large that sine and cosine have no correct digits.
    """
    sound = np.isfinite(poses).all(axis=(1, 2, 3)) & (np.abs(poses[..., :3, :3]).max(axis=(1, 2, 3)) < 1.001)
    return len(sound) if sound.all() else max(1, int(np.argmin(sound)))


def tracks(t: ArrayLike, poses: ArrayLike, budget: int = BUDGET) -> Tracks:
    """Return tracks from times (k,) and world poses (k, nodes, 4, 4).

    Raises
    ------
    StateError : shapes do not fit, times do not increase, or a pose is not finite.
    """
    t, poses = np.asarray(t, dtype=float), np.asarray(poses, dtype=float)
    if t.ndim != 1 or len(t) == 0 or poses.ndim != 4 or len(poses) != len(t) or poses.shape[2:] != (4, 4):
        raise StateError(f"tracks need times (k,) and poses (k, nodes, 4, 4), not shapes {t.shape} and {poses.shape}")
    if np.any(np.diff(t) <= 0.0):
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise StateError(f"times of tracks must increase, but t[{k}] = {t[k]} and t[{k + 1}] = {t[k + 1]}")
    samples = kept_samples(len(t), poses.shape[1], budget)
    return Tracks(t[samples], seven(poses[samples]), samples)


def kept_samples(count: int, nodes: int, budget: int) -> NDArray:
    """Return the numbers of the samples to keep out of `count`: every n-th, and the last."""
    step = max(1, int(np.ceil(count * nodes * 28 / budget)))
    samples = np.arange(0, count, step)
    return samples if samples[-1] == count - 1 else np.append(samples, count - 1)


def seven(poses: NDArray) -> NDArray:
    """Return poses (..., 4, 4) as float32 rows (x, y, z, qx, qy, qz, qw), shape (..., 7), the form of three.js.

    Along a first axis of time each quaternion gets the sign that is closer to the one before.

    Raises
    ------
    StateError : a pose is not finite.
    """
    if not np.isfinite(poses).all():
        raise StateError("a pose to be drawn holds a number that is not finite; check q")
    wxyz = quaternion.from_matrix(poses[..., :3, :3])
    if poses.ndim == 4 and len(poses) > 1:
        nearer = np.sign(np.sum(wxyz[1:] * wxyz[:-1], axis=-1))
        wxyz[1:] *= np.cumprod(np.where(nearer == 0.0, 1.0, nearer), axis=0)[..., None]
    return np.concatenate([poses[..., :3, 3], wxyz[..., 1:], wxyz[..., :1]], axis=-1).astype(np.float32)
