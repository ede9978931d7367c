"""The spline-surface joint: two degrees of freedom on a surface in the space of poses."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.joints.along_screw import along_screw
from rbdkit.joints.joint_type import VectorJoint, constant
from rbdkit.joints.spline_basis import require_basis, segments_of, weights
from rbdkit.spatial import se3
from rbdkit.spatial.read_numbers import finite

E = np.eye(6)[[3, 4, 5, 0, 1, 2]]
"""The basis twists: three translations, then three rotations (Eq 2.70)."""
LARGE = np.pi / 4
"""Rotation of a control beyond which a warning is given, rad; larger ones come near gimbal lock."""
LOOKS = 3
"""Number of samples along each segment, each way, at which the rank of S is checked."""


class SplineWarning(UserWarning):
    """Warning that a spline surface has rotations near the gimbal lock of its three angles.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> values = np.array(rbd.SplineSurface().values)
    >>> values[3, 0, 0] = 1.0
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     joint = rbd.SplineSurface(values)
    >>> said[0].category is rbd.joints.SplineWarning
    True
    """


class SplineSurface(VectorJoint):
    """Two freedoms on a spline surface of control frames (Lee and Terzopoulos 2008; Sueda Eq 2.71, Algorithm 4).

    ``Q(q) = prod exp(e_k f_k(q))`` over three translations and three rotations, XYZ, each a tensor product of uniform
    cubic splines (Eq 2.68). q1 and q2 run from 0 to the numbers of segments; beyond, the splines continue along their
    tangents. The predecessor frame is the pose at q = 0; `start` is that pose in the coordinates of the controls.

    Parameters
    ----------
    values : array_like (6, m, n) or (2 + 6 m n,), optional
        Control values of x, y, z, m, and of the angles about x, y, z, rad, over m x n frames, four or more each way;
        or m, n and all values in a row. A gentle hill if not given.
    basis : {'b_spline', 'catmull_rom', 'bezier'}, optional
        See `SplineCurve`.

    Raises
    ------
    ModelError
        If the values are not finite, their number is wrong, or S loses rank somewhere.

    Warns
    -----
    SplineWarning
        Where a control is turned by more than pi/4 about an axis: near pi/2 about y the angles lock.

    Examples
    --------
    A plane, on which q1 is x and q2 is y:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> values = np.zeros((6, 4, 4))
    >>> values[0], values[1] = np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij")
    >>> rbd.SplineSurface(values).pose(np.array([0.25, 0.5]))[:3, 3].round(9).tolist()
    [0.25, 0.5, 0.0]
    """

    kind = "spline_surface"
    tip = "Glides on a surface of frames, as a shoulder blade does"
    arguments: ClassVar = {"values": "numbers", "basis": "name"}
    nq = nv = 2
    q_names = ("along1", "along2")
    q_units = ("1", "1")

    def __init__(self, values: ArrayLike | None = None, basis: str = "b_spline") -> None:
        self.basis = require_basis(basis, self.kind)
        self.values = _hill() if values is None else _values(values)
        _, self._m, self._n = self.values.shape
        self.segments = tuple(segments_of(k, self.basis, self.kind) for k in (self._m, self._n))
        if (largest := float(np.abs(self.values[3:]).max())) > LARGE:
            warnings.warn(
                f"a control of a spline_surface joint is turned by {largest:.4g} rad; beyond pi/4 its angles come near "
                "a pose where they lock. Measure the rotations from another frame, or take a smaller surface",
                SplineWarning,
                stacklevel=2,
            )
        self._back = constant(np.eye(4))
        self.start = constant(self.pose(np.zeros(2)))
        self._back = constant(se3.inverse(self.start))
        for q1 in np.linspace(0.0, self.segments[0], LOOKS * self.segments[0] + 1):
            for q2 in np.linspace(0.0, self.segments[1], LOOKS * self.segments[1] + 1):
                sizes = np.linalg.svd(self.motion_subspace(np.array([q1, q2])), compute_uv=False)
                if not sizes[1] > 1e-6 * max(sizes[0], 1e-12):
                    raise ModelError(
                        f"the surface of a spline_surface joint has no two freedoms at q = [{q1:.4g}, {q2:.4g}]; take "
                        "other control values there"
                    )

    def _f(self, q: NDArray, orders: tuple[int, int]) -> list[Any]:
        """The six splines, or derivatives of them by q1 and q2 (Eqs 2.68, 2.69)."""
        one = weights(q[..., :1], self._m, self.basis, orders[0])
        two = weights(q[..., 1:], self._n, self.basis, orders[1])
        # controls that stand alike are summed up in one product each
        rows = [[sum(C[i][j] * two[j] for j in range(self._n)) for i in range(self._m)] for C in self.values.tolist()]
        return [sum(one[i] * row[i] for i in range(self._m)) for row in rows]

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        Q = self._back
        for e, f in zip(E, self._f(q, (0, 0)), strict=True):
            Q = Q @ along_screw(e, f)
        return Q

    def starts(self) -> NDArray:
        one, two = (np.arange(0.5, n) for n in self.segments)
        return np.array([[a, b] for a in one for b in two])

    def motion_subspace(self, q: NDArray) -> NDArray:
        return np.stack(self._recursion(q, False)[0], axis=1)

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        dS = self._recursion(q, True)[1]
        return sum((dS[i][j] * v[i] * v[j] for i in range(2) for j in range(2)), np.zeros(6))

    def _recursion(self, q: NDArray, twice: bool) -> tuple[list[NDArray], list[list[NDArray]]]:
        """Columns of S, and their derivatives dS_i/dq_j, by Algorithm 4."""
        f, first = self._f(q, (0, 0)), [self._f(q, order) for order in ((1, 0), (0, 1))]
        second = [[self._f(q, order) for order in row] for row in (((2, 0), (1, 1)), ((1, 1), (0, 2)))] if twice else []
        S = [np.zeros(6), np.zeros(6)]
        dS = [[np.zeros(6), np.zeros(6)], [np.zeros(6), np.zeros(6)]]
        for k, e in enumerate(E):
            Ad = se3.adjoint(along_screw(e, -f[k]))
            if twice:
                dS = [
                    [e * second[i][j][k] + Ad @ (dS[i][j] + se3.ad(S[i]) @ e * first[j][k]) for j in range(2)]
                    for i in range(2)
                ]
            S = [e * first[i][k] + Ad @ S[i] for i in range(2)]
        return S, dS

    def random(self, rng: np.random.Generator) -> NDArray:
        return rng.uniform(0.0, self.segments)

    def parameters(self) -> dict[str, Any]:
        return {"values": [float(self._m), float(self._n), *self.values.ravel().tolist()], "basis": self.basis}


def _values(values: ArrayLike) -> NDArray:
    """Control values (6, m, n), checked."""
    says = (
        "values {} of a spline_surface joint must be finite numbers (6, m, n), or m, n and all of them in a row".format
    )
    given = finite(values, says)
    if given.ndim == 1 and len(given) > 2 and all(x == round(x) and x > 0 for x in given[:2]):
        m, n = int(given[0]), int(given[1])
        if len(given) == 2 + 6 * m * n:
            given = given[2:].reshape(6, m, n)
    if given.ndim != 3 or given.shape[0] != 6:
        raise ModelError(f"{says('')}; their shape is {given.shape}")
    given = np.array(given)
    given.setflags(write=False)
    return given


def _hill() -> NDArray:
    """Five by five frames half a metre apart, higher in the middle, that lean as the ground does."""
    x, y = np.meshgrid(*[np.linspace(-1.0, 1.0, 5)] * 2, indexing="ij")
    z = 0.3 * np.exp(-(x**2) - y**2)
    return constant(np.array([x, y, z, np.arctan(-2.0 * y * z), np.arctan(2.0 * x * z), 0.0 * x]))
