"""Loop kinematics: relative poses and velocities across the loop joints, from the joints of the spanning tree."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import se3

if TYPE_CHECKING:
    from rbdkit.model.model import Model


def tree_poses(model: Model, q: NDArray, t: float = 0.0) -> NDArray:
    """Return the poses (n, 4, 4) of all bodies in the world, from coordinates (nq,) of the spanning tree."""
    poses = np.empty((len(model.bodies), 4, 4))
    poses[0] = np.eye(4)
    for i in model.outward:
        poses[i] = poses[model.parent[i]] @ model.joints[i].pose(q, t)
    return poses


class LoopKinematics:
    """Relative poses across the loop joints of a model, and their Jacobians (Featherstone 2008, Eqs 8.18, 8.24).

    Parameters
    ----------
    model : Model
        Any model; without loop joints the arrays are empty.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def _moving(self) -> list[int]:
        return [i for i in self.model.outward if self.model.joints[i].nv > 0]

    @cached_property
    def _sides(self) -> tuple[NDArray, NDArray]:
        """Signs (L, k) of the columns of moving joints in each loop, varepsilon_lj of Eq 8.18, and a gather matrix
        (k, nv) that adds these columns to their velocity variables: a mimic joint has that of its master joint."""
        model = self.model
        slices = [model.joints[i].v_slice for i in self._moving]
        columns = [range(own.start, own.stop) for own in slices]
        gather = np.zeros((sum(map(len, columns)), model.nv))
        gather[np.arange(len(gather)), [k for own in columns for k in own]] = 1.0
        signs = np.zeros((len(model.loops), len(gather)))
        for l, loop in enumerate(model.loops):
            on_s, on_p = set(model.support(loop.successor)), set(model.support(loop.predecessor))
            each = [float(i in on_s) - float(i in on_p) for i in self._moving]
            signs[l] = np.repeat(each, [len(own) for own in columns])
        return signs, gather

    def poses(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return X (L, 4, 4): the pose of each successor frame in its predecessor frame, closed or not."""
        return self._across(tree_poses(self.model, q, t))[0]

    def poses_and_jacobians(self, q: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Return X (L, 4, 4), and J (L, 6, nv): J qd is the velocity across a loop joint, in successor coordinates."""
        C = tree_poses(self.model, q, t)
        X, ends = self._across(C)
        axes = [se3.adjoint(C[i]) @ self.model.joints[i].motion_subspace(q) for i in self._moving]
        S = np.concatenate(axes, axis=1) if axes else np.zeros((6, 0))  # in world coordinates
        signs, gather = self._sides
        J = se3.adjoint(se3.inverse(ends)) @ (S * signs[:, None, :]) @ gather
        return X, J

    def velocities(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Return X (L, 4, 4) and the velocity across each loop joint (L, 6), in successor coordinates.

        Unlike ``J @ v`` it includes the motion of prescribed joints.
        """
        model = self.model
        C, V = tree_poses(model, q, t), np.zeros((len(model.bodies), 6))
        for i in model.outward:
            V[i] = V[model.parent[i]] + se3.adjoint(C[i]) @ model.joints[i].velocity(q, v, t)  # in world coordinates
        X, ends = self._across(C)
        across = np.array([V[loop.successor] - V[loop.predecessor] for loop in model.loops]).reshape(-1, 6, 1)
        return X, (se3.adjoint(se3.inverse(ends)) @ across)[..., 0]

    def _across(self, C: NDArray) -> tuple[NDArray, NDArray]:
        loops = self.model.loops
        starts = np.array([C[loop.predecessor] @ loop.joint.placement for loop in loops]).reshape(-1, 4, 4)
        ends = np.array([C[loop.successor] @ loop.successor_placement for loop in loops]).reshape(-1, 4, 4)
        return se3.inverse(starts) @ ends, ends
