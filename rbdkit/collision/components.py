"""Vector operations that work on numbers, on arrays for many pairs at once, and on symbols.

The three components of a vector are on the first axis, pairs on the axes after it. So one text computes one contact,
thousands at a time, and is traced for compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace import Symbol, select, symbols

FAR = 1e30
"""Gap of a contact point that does not exist at present, m."""


class Pose(NamedTuple):
    """Pose of a shape in the world: rotation R (3, 3, ...) and position p (3, ...), m."""

    R: Any
    p: Any


class Slots(NamedTuple):
    """The contact points of two shapes, always the same number k for two kinds of shapes.

    Attributes
    ----------
    gap : (k, ...) signed distances, m, `FAR` for a point that does not exist.
    point : (k, 3, ...) positions midway between the surfaces, world axes, m.
    normal : (k, 3, ...) unit vectors in world axes, from the first shape to the second.
    """

    gap: Any
    point: Any
    normal: Any


def poses_of(matrices: NDArray) -> Pose:
    """Convert poses (..., 4, 4) to the layout with components first."""
    first = np.moveaxis(matrices, (-2, -1), (0, 1))
    return Pose(first[:3, :3], first[:3, 3])


def is_symbolic(x: Any) -> bool:
    """Return whether x is or holds symbols."""
    return isinstance(x, Symbol) or (isinstance(x, np.ndarray) and x.dtype == object)


def stacked(parts: Sequence[Any]) -> Any:
    """Stack numbers or vectors along a new first axis."""
    if any(map(is_symbolic, parts)):
        return symbols([list(part) if isinstance(part, np.ndarray) and part.ndim else part for part in parts])
    return np.stack(np.broadcast_arrays(*parts))


def dot(a: Any, b: Any) -> Any:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Any, b: Any) -> Any:
    """a x b."""
    return stacked([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turned(R: Any, a: Any) -> Any:
    """R a."""
    return R[:, 0] * a[0] + R[:, 1] * a[1] + R[:, 2] * a[2]


def seen_from(R: Any, a: Any) -> Any:
    """R^T a: a vector in the axes of a shape."""
    return stacked([dot(R[:, k], a) for k in range(3)])


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, else b; numbers or vectors. Both are computed, so neither may fail."""
    if not any(map(is_symbolic, (condition, a, b))):
        return np.where(condition, a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        n = len(a) if isinstance(a, np.ndarray) else len(b)
        return stacked([choose(condition, _part(a, k), _part(b, k)) for k in range(n)])
    return select(condition if isinstance(condition, Symbol) else bool(condition), a, b)


def _part(x: Any, k: int) -> Any:
    return x[k] if isinstance(x, np.ndarray) else x


def both(a: Any, b: Any) -> Any:
    """Return whether both conditions hold."""
    return choose(a, choose(b, 1.0, 0.0), 0.0) > 0.5


def clamped(x: Any, low: Any, high: Any) -> Any:
    """Return x clamped to the interval from low to high."""
    return np.minimum(np.maximum(x, low), high)


def direction(a: Any, instead: Any, shortest: float) -> tuple[Any, Any]:
    """Return the unit vector along a, and its length; `instead` and 0 if a is not longer than `shortest`."""
    square = dot(a, a)
    long = square > shortest * shortest
    length = np.sqrt(choose(long, square, 1.0))
    return choose(long, a / length, instead), choose(long, length, 0.0)
