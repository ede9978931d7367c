"""`path`: smooth coordinates through waypoints, whose position, velocity and acceleration are functions of time.

Within each piece, from one waypoint to the next, a coordinate is a polynomial p_i of the time since the waypoint, of
degree 3 or 5. All pieces are evaluated, each at its own time, which is clipped to its duration h_i, and their changes
are added up::

    q(t) = q_0 + sum_i p_i(clip(t - t_i, 0, h_i)) - p_i(0)

Pieces that are over have made all of their change and those to come none, so that no piece need be searched for: the
sum is the same arithmetic at all times, on numbers, on stacks of them, and on the symbols of a law that is compiled.
Velocity and acceleration are continuous as well, and computed so from the derivatives of the p_i.
"""

from __future__ import annotations

from math import factorial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline, make_interp_spline

from rbdkit.errors import StateError
from rbdkit.spatial.read_numbers import floats, shown

Kind = Literal["cubic", "quintic", "minimum_jerk"]


class Path:
    """Coordinates as functions of time; `path` makes them.

    Attributes
    ----------
    times : ndarray (n + 1,)
        Times of the waypoints, s.
    waypoints : ndarray (n + 1, nq)
        Coordinates there, rad and m.
    kind : str
        How it goes from one to the next.
    """

    made_of = ("times", "waypoints", "kind")
    """Attributes that say what it computes; it takes symbols, so that laws that call it are recorded and compiled."""

    def __init__(self, times: NDArray, waypoints: NDArray, kind: Kind, pieces: NDArray) -> None:
        self.times, self.waypoints, self.kind = times, waypoints, kind
        self._lengths = np.diff(times)
        # coefficients (nq, n, k) of p_i and its derivatives without their constant terms, lowest power first
        self._parts = []
        for _ in range(3):
            self._parts.append((pieces[:, 0, 0].copy(), np.ascontiguousarray(pieces[:, :, 1:])))
            pieces = pieces[:, :, 1:] * np.arange(1, pieces.shape[2])
        for x in (times, waypoints, self._lengths, *(x for part in self._parts for x in part)):
            x.setflags(write=False)  # compiled laws hold its numbers

    @property
    def duration(self) -> float:
        """Time from the first waypoint to the last, s."""
        return float(self.times[-1] - self.times[0])

    def q(self, t: ArrayLike) -> Any:
        """Return coordinates (..., nq) at times t (...), rad and m; before and after the path its ends."""
        return self._at(t, 0)

    def v(self, t: ArrayLike) -> Any:
        """Return velocities (..., nq), rad/s and m/s; zero before and after the path."""
        return self._at(t, 1)

    def a(self, t: ArrayLike) -> Any:
        """Return accelerations (..., nq), rad/s2 and m/s2; zero before and after the path."""
        return self._at(t, 2)

    def _at(self, t: Any, derivative: int) -> Any:
        first, rest = self._parts[derivative]
        if not isinstance(t, int | float) and np.ndim(t):
            return np.array([self._at(float(one), derivative) for one in np.ravel(t)]).reshape(*np.shape(t), -1)
        s = np.clip(t - self.times[:-1], 0.0, self._lengths)
        value, power = first, 1.0
        for k in range(rest.shape[2]):
            power = power * s
            value = value + rest[:, :, k] @ power
        if derivative:  # at rest before the start and after the end
            value = np.where((t >= self.times[0]) & (t <= self.times[-1]), value, 0.0)
        return value

    def __repr__(self) -> str:
        return (
            f"<Path, {self.kind}: {len(self.times)} waypoints of {self.waypoints.shape[1]} coordinates, "
            f"{self.times[0]:g} to {self.times[-1]:g} s>"
        )


def path(waypoints: ArrayLike, times: ArrayLike, kind: Kind = "quintic") -> Path:
    """Make smooth coordinates through waypoints, which begin and end at rest.

    Parameters
    ----------
    waypoints : array_like (n, nq)
        Coordinates at the waypoints, rad and m; of joints on curved manifolds, such as spherical ones, there are none.
    times : array_like (n,)
        Times of the waypoints, s, increasing.
    kind : {'quintic', 'cubic', 'minimum_jerk'}, optional
        Pieces of degree 5 with continuous velocity, acceleration, jerk and its rate, at rest at both ends: of all ways
        through the waypoints that with the least jerk, squared and integrated. Pieces of degree 3 with continuous
        velocity and acceleration, whose velocities are zero at both ends. Or the motion of least jerk from each
        waypoint to the next, at rest in all of them (Flash and Hogan 1985).

    Returns
    -------
    Path
        With ``q(t)``, ``v(t)`` and ``a(t)``, which laws may call; they compile.

    Raises
    ------
    StateError
        If there are fewer than two waypoints, times do not increase, or something is not finite.

    See Also
    --------
    inverse_kinematics : Waypoints from poses.
    inverse_dynamics : The forces of the motors along a path, with damping and friction: feedforward.

    Examples
    --------
    From rest to rest in a second, half way after half of the time, with 15/8 of the mean velocity:

    >>> import rbdkit as rbd
    >>> way = rbd.path([[0.0], [2.0]], [0.0, 1.0], "minimum_jerk")
    >>> way.q(0.5).tolist(), way.v(0.5).tolist(), way.a(0.5).round(12).tolist()
    ([1.0], [3.75], [0.0])

    A motor that follows it:

    >>> arm = rbd.library.pendulum()
    >>> def law(t, q, v):
    ...     ahead = rbd.rnea(arm, way.q(t), way.v(t), way.a(t))
    ...     return ahead + 50.0 * (way.q(t) - q) + 10.0 * (way.v(t) - v)
    >>> motion = rbd.simulate(arm, duration=1.0, tau=law)
    >>> motion.q[-1].round(6).tolist()
    [2.0]
    """
    x = floats(waypoints, lambda value: f"path: waypoints {value} are not numbers (n, nq)", StateError)
    t = floats(times, lambda value: f"path: times {value} are not numbers (n,)", StateError)
    if x.ndim != 2 or t.shape != (len(x),) or len(x) < 2:
        raise StateError(
            f"path: waypoints of shape {x.shape} and times of shape {t.shape} must be (n, nq) and (n,), n = 2 or more"
        )
    if not (np.isfinite(x).all() and np.isfinite(t).all()):
        raise StateError("path: waypoints and times must be finite")
    if (late := np.flatnonzero(~(np.diff(t) > 0.0))).size:
        k = int(late[0])
        raise StateError(f"path: times must increase, but waypoint {k} is at {t[k]:g} s and the next at {t[k + 1]:g} s")
    if not isinstance(kind, str) or kind not in ("quintic", "cubic", "minimum_jerk"):
        raise StateError(f"path: kind {shown(kind)} must be 'quintic', 'cubic' or 'minimum_jerk'")
    if kind == "minimum_jerk":
        h = np.diff(t)[:, None]
        shape = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
        pieces = np.diff(x, axis=0)[:, :, None] * shape / h[..., None] ** np.arange(6)
        pieces[:, :, 0] = x[:-1]
        return Path(t.copy(), x.copy(), kind, np.moveaxis(pieces, 1, 0))
    if kind == "cubic":
        spline, degree = CubicSpline(t, x, bc_type="clamped"), 3
    else:
        still = [(1, np.zeros(x.shape[1])), (2, np.zeros(x.shape[1]))]
        spline, degree = make_interp_spline(t, x, 5, bc_type=(still, still)), 5
    taylor = [spline(t[:-1], k) / factorial(k) for k in range(degree + 1)]
    return Path(t.copy(), x.copy(), kind, np.transpose(taylor, (2, 1, 0)))
