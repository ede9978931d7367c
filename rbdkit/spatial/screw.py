"""Screws: every spatial vector has a directed line, a pitch and a magnitude (Featherstone section 2.5)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

ZERO = 1e-12  # a part smaller than this fraction of the whole counts as round-off


class Screw(NamedTuple):
    """Axis, pitch and magnitude of a twist or a wrench.

    Attributes
    ----------
    point : array (3,)
        The point of the axis nearest to the origin, m; the origin for a free vector, whose line is arbitrary.
    direction : array (3,)
        Unit vector along the axis.
    pitch : float
        m (per rad).  0: line vector (pure rotation, force along a line).  inf: free vector (translation, couple).
    magnitude : float
        rad/s of a twist and N of a wrench; m/s or N m for infinite pitch.

    Examples
    --------
    >>> from rbdkit.spatial.screw import twist_screw
    >>> screw = twist_screw([0, 0, 2, 0, 2, 1])
    >>> screw.point.tolist(), screw.pitch
    ([-1.0, 0.0, 0.0], 0.5)
    """

    point: NDArray
    direction: NDArray
    pitch: float
    magnitude: float

    def twist(self) -> NDArray:
        """Motion vector (s, s_O) of this screw."""
        s, s_O = self._parts()
        return np.concatenate([s, s_O])

    def wrench(self) -> NDArray:
        """Force vector (s_O, s) of this screw."""
        s, s_O = self._parts()
        return np.concatenate([s_O, s])

    def _parts(self) -> tuple[NDArray, NDArray]:
        if np.isinf(self.pitch):
            return np.zeros(3), self.magnitude * np.asarray(self.direction)
        s = self.magnitude * np.asarray(self.direction)
        return s, np.cross(self.point, s) + self.pitch * s  # Eq 2.10


def twist_screw(v: ArrayLike) -> Screw:
    """Screw axis, pitch and magnitude of a motion vector (s, s_O), (6,).

    Raises
    ------
    ValueError
        If v is zero: no axis is better than another.
    """
    v = np.asarray(v, dtype=float)
    return _screw(v[:3], v[3:])


def wrench_screw(f: ArrayLike) -> Screw:
    """Screw axis, pitch and magnitude of a force vector (s_O, s), (6,): the blocks are in the other order."""
    f = np.asarray(f, dtype=float)
    return _screw(f[3:], f[:3])


def classify_twist(v: ArrayLike) -> Literal["zero", "line", "free", "screw"]:
    """Pure rotation "line", translation "free", both at once "screw" (section 2.5; round-off `ZERO`)."""
    v = np.asarray(v, dtype=float)
    return _classify(v[:3], v[3:])


def classify_wrench(f: ArrayLike) -> Literal["zero", "line", "free", "screw"]:
    """Force along a line "line", couple "free", both at once "screw"."""
    f = np.asarray(f, dtype=float)
    return _classify(f[3:], f[:3])


def _classify(s: NDArray, s_O: NDArray) -> Literal["zero", "line", "free", "screw"]:
    a, b = np.linalg.norm(s), np.linalg.norm(s_O)
    if a == 0.0 and b == 0.0:
        return "zero"
    if a <= ZERO * b:
        return "free"
    return "line" if abs(s @ s_O) <= ZERO * a * max(a, b) else "screw"


def _screw(s: NDArray, s_O: NDArray) -> Screw:
    kind = _classify(s, s_O)
    if kind == "zero":
        raise ValueError("the zero vector has no screw axis.")
    if kind == "free":
        magnitude = float(np.linalg.norm(s_O))
        return Screw(np.zeros(3), s_O / magnitude, np.inf, magnitude)
    magnitude = float(np.linalg.norm(s))
    d, moment = s / magnitude, s_O / magnitude
    pitch = 0.0 if kind == "line" else float(d @ moment)
    return Screw(np.cross(d, moment), d, pitch, magnitude)
