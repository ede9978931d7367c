"""The spline-curve joint: one degree of freedom along a curve in the space of poses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.along_screw import along_screw
from rbdkit.joints.joint_type import VectorJoint, constant
from rbdkit.joints.spline_basis import require_basis, segments_of, weights
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import finite

LARGEST_TURN = 3.0
"""Largest rotation between neighbouring frames, rad; at half a turn its direction would be ambiguous."""
SLOWEST = 1e-6
"""Smallest norm of S relative to its largest; below it the joint has no freedom there."""
LOOKS = 32
"""Number of samples in each segment at which S is checked."""


class SplineCurve(VectorJoint):
    """One freedom along a cubic spline of control frames (Lee and Terzopoulos 2008; Sueda Eq 2.67, Algorithm 3).

    ``Q(q) = C_1 exp(dC_2 B_2(q)) ... exp(dC_n B_n(q))``, ``dC_i = log(C_(i-1)^-1 C_i)``, with cumulative bases
    B_i. q runs from 0 to the number of segments, by 1 in each; beyond, each factor continues along its tangent. The
    predecessor frame is the start of the curve, so only the relative poses of the control frames count; `start` is the
    pose of the start in the coordinates of these frames.

    Parameters
    ----------
    frames : array_like (n, 4, 4) or (12 n,), optional
        Control frames; or of each, in a row, the first three rows of its matrix. Neighbours turn by less than 3 rad. A
        quarter of a circle if not given.
    basis : {'b_spline', 'catmull_rom', 'bezier'}, optional
        'b_spline' is smooth (C2) and passes near the frames; 'catmull_rom' (C1) passes through all but the first and
        the last; 'bezier' through every third, with a kink there unless the frames about it make it smooth.

    Raises
    ------
    ModelError
        If the frames are not poses, not as many as the basis needs, turn too far, or S vanishes somewhere.

    Examples
    --------
    Frames along a line, one metre apart; the velocity is that of the line:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> rail = rbd.SplineCurve([rbd.pose(position=[x, 0, 0]) for x in range(6)])
    >>> rail.pose(np.array([2.5]))[:3, 3].round(9).tolist(), rail.start[0, 3].round(9).item()
    ([2.5, 0.0, 0.0], 1.0)
    """

    kind = "spline_curve"
    tip = "Led along a curve of frames, as a knee is"
    arguments: ClassVar = {"frames": "numbers", "basis": "name"}
    nq = nv = 1
    q_names = ("along",)
    q_units = ("1",)

    def __init__(self, frames: ArrayLike | None = None, basis: str = "b_spline") -> None:
        self.basis = require_basis(basis, self.kind)
        C = _quarter_circle() if frames is None else _frames(frames)
        self.controls = len(C)
        self.segments = segments_of(self.controls, self.basis, self.kind)
        self.C = C
        self._dC = constant(np.array([se3.log(se3.inverse(one) @ two) for one, two in pairwise(C)]))
        turns = np.linalg.norm(self._dC[:, :3], axis=1)
        if turns.max() > LARGEST_TURN:
            k = int(turns.argmax())
            raise ModelError(
                f"control frames {k} and {k + 1} of a spline_curve joint are {turns[k]:.4g} rad apart, and must not be "
                f"more than {LARGEST_TURN} rad; put another one between them"
            )
        self._back = constant(np.eye(4))
        self.start = constant(self.pose(np.zeros(1)))
        self._back = constant(se3.inverse(self.start))
        at = np.linspace(0.0, self.segments, LOOKS * self.segments + 1)
        speed = np.array([np.linalg.norm(self.motion_subspace(np.array([q]))) for q in at])
        if speed.min() <= SLOWEST * speed.max():
            raise ModelError(
                f"the curve of a spline_curve joint stands still at q = {at[speed.argmin()]:.4g}; take away frames "
                "that are alike"
            )

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        Q = self._back @ self.C[0]
        B = weights(q[..., :1], self.controls, self.basis, cumulative=True)
        for dC, b in zip(self._dC, B[1:], strict=True):
            Q = Q @ along_screw(dC, b)
        return Q

    def starts(self) -> NDArray:
        return np.arange(0.5, self.segments)[:, None]

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._recursion(q, False)[0][:, None]

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        return self._recursion(q, True)[1] * v[0] ** 2

    def _recursion(self, q: NDArray, twice: bool) -> tuple[NDArray, NDArray]:
        """S and dS/dq by Algorithm 3, (6,) each; line 10 with the derivative of the basis in its last term."""
        orders = (0, 1, 2) if twice else (0, 1)
        B = [weights(q[:1], self.controls, self.basis, order, cumulative=True) for order in orders]
        S = S_by_q = np.zeros(6)
        for i, dC in enumerate(self._dC, 1):
            Ad = se3.adjoint(along_screw(dC, -B[0][i]))
            if twice:
                S_by_q = dC * B[2][i] + Ad @ (S_by_q + se3.ad(S) @ dC * B[1][i])
            S = dC * B[1][i] + Ad @ S
        return S, S_by_q

    def random(self, rng: np.random.Generator) -> NDArray:
        return rng.uniform(0.0, self.segments, 1)

    def parameters(self) -> dict[str, Any]:
        return {"frames": self.C[:, :3].ravel().tolist(), "basis": self.basis}


def _frames(frames: ArrayLike) -> NDArray:
    """Control frames (n, 4, 4), checked."""
    says = "frames {} of a spline_curve joint must be poses (n, 4, 4), or the first three rows of each in a row".format
    given = finite(frames, says)
    if given.ndim == 1 and len(given) % 12 == 0:
        C = np.tile(np.eye(4), (len(given) // 12, 1, 1))
        C[:, :3] = given.reshape(-1, 3, 4)
    elif given.ndim == 3 and given.shape[1:] == (4, 4):
        C = given
    else:
        raise ModelError(f"{says('')}; their shape is {given.shape}")
    R = C[:, :3, :3]
    off = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2)) + np.abs(np.linalg.det(R) - 1.0)
    off += np.abs(C[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1)
    if len(C) and off.max() > 1e-8:
        raise ModelError(
            f"control frame {int(off.argmax())} of a spline_curve joint is no pose, off by {off.max():.3g}"
        )
    C = np.array(C)
    C.setflags(write=False)
    return C


def _quarter_circle() -> NDArray:
    """Six frames along a circle of radius 1/2 m."""
    angles = np.linspace(-1 / 6, 7 / 6, 6) * np.pi / 2
    return constant(
        np.array([se3.exp([0.0, 0.0, a, 0.0, 0.0, 0.0]) @ se3.pose(position=[0.5, 0.0, 0.0]) for a in angles])
    )
