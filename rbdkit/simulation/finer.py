"""The same motion once more with finer steps: what has become of the errors of steps by the end."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import Law
from rbdkit.simulation.distance import distance
from rbdkit.simulation.forces import Drive
from rbdkit.simulation.step_times import step_times
from rbdkit.spatial import so3

if TYPE_CHECKING:
    from rbdkit.simulation.trajectory import Trajectory

TIGHTER = 1e-2
"""What tolerances of adaptive integrators are multiplied with."""
TIGHTEST = 1e-13
"""Relative tolerance below which round-off is all that is left to them."""
KNOWN = 1e-2
"""Distance, rad or m, up to which a motion counts as known."""


@dataclass(frozen=True)
class Finer:
    """How to compute a motion once more, with half the step or tighter tolerances and a shorter longest step.

    Attributes
    ----------
    simulate : of what changes alone (dt, every, integrator, tau); all other arguments are in it.
    duration, dt : of the motion and of a step, s. every : which steps were recorded.
    method : integrator or law that made the steps. integrator : the integrator given, of which a law may make use.
    applied : joint forces. times : of the steps, s.
    """

    simulate: Callable[..., Trajectory]
    duration: float
    dt: float
    every: int
    method: Integrator | Adaptive | Law
    integrator: Integrator | Adaptive
    applied: Drive
    times: NDArray

    @property
    def adaptive(self) -> bool:
        return isinstance(self.method, Adaptive)

    @property
    def order(self) -> int:
        return 1 if isinstance(self.method, Law) else self.method.order

    @property
    def factor(self) -> float:
        """What the distance between the two motions is multiplied with to have that to the true one (Richardson)."""
        return 1.0 if self.adaptive else 2.0**self.order / (2.0**self.order - 1.0)

    def __call__(self) -> Trajectory:
        """The finer motion; of its doubts nothing is said a second time."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.simulate(**self._changed())

    def _changed(self) -> dict[str, Any]:
        if isinstance(self.method, Adaptive):
            rtol, atol = max(TIGHTER * self.method.rtol, TIGHTEST), TIGHTER * self.method.atol
            longest = 0.5 * self.method.longest(self.times)  # which may be what keeps its errors down
            finer = Adaptive(self.method.name, rtol, atol, 4 * self.method.max_steps, longest)
            return {"dt": self.dt, "every": self.every, "integrator": finer, "tau": self._tau(self.times)}
        h = 0.5 * self.dt
        tau = self._tau(step_times(self.duration, h))
        return {"dt": h, "every": 2 * self.every, "integrator": self.integrator, "tau": tau}

    def _tau(self, times: NDArray) -> Any:
        """The joint forces as they act in steps between these times."""
        given = self.applied
        if given.zero or given.values is None:
            return given.law
        if given.values.ndim == 1:
            return given.values
        if given.held is not None:
            middle = 0.5 * (times[1:] + times[:-1])
            return given.held[np.searchsorted(self.times, middle) - 1]
        return np.stack([np.interp(times, self.times, column) for column in given.values.T], axis=1)


@dataclass(frozen=True, eq=False)
class ErrorGrowth:
    """How far a motion is from the true one, as a finer run of it tells.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s.
    error : ndarray (n,)
        Estimated error of the worst body: shift of its centre of mass in m, or turn in rad, whichever is larger.
    how : str
        What was compared, in words.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> growth = rbd.simulate(rbd.library.pendulum(), [2.0], duration=1.0, dt=0.02).error_growth()
    >>> float(growth.error[0]), bool(1e-8 < growth.end < 1e-5)
    (0.0, True)
    """

    t: NDArray
    error: NDArray
    how: str

    @property
    def end(self) -> float:
        """Estimated error at the end, rad or m."""
        return float(self.error[-1])

    def known_until(self, bound: float = KNOWN) -> float:
        """Time until which the error stays below a bound in rad or m, s; that of the last state if it always does."""
        beyond = np.flatnonzero(~(self.error < bound))
        return float(self.t[beyond[0] - 1] if len(beyond) and beyond[0] else self.t[0 if len(beyond) else -1])

    def __str__(self) -> str:
        text = f"at its end off by about {self.end:.1g} rad or m ({self.how})"
        if self.end < KNOWN:
            return text
        return f"{text}: KNOWN UNTIL t = {self.known_until():.4g} s ONLY, to {KNOWN:g} rad or m"


def error_growth(motion: Trajectory, finer: Finer) -> ErrorGrowth:
    """The distance between a motion and its finer run, as that to the true one."""
    other = finer()
    n = min(len(motion), len(other))
    error = np.full(len(motion), np.inf)  # of what the finer run did not come to nothing is known
    with np.errstate(all="ignore"):
        a, b = motion.poses()[:n], other.poses()[:n]
        sound = np.isclose(motion.t[:n], other.t[:n], rtol=1e-9, atol=1e-9 * finer.dt) & _sound(a) & _sound(b)
        error[:n][sound] = finer.factor * distance(motion.model, a[sound], b[sound])
    how = (
        "tolerances a hundredth of its own and half the longest step, compared"
        if finer.adaptive
        else "half the step, compared"
    )
    return ErrorGrowth(motion.t, error, how)


def _sound(poses: NDArray) -> NDArray:
    """Of poses (n, bodies, 4, 4) whether all are finite and rotations as precisely as `distance` needs, (n,)."""
    return np.isfinite(poses).all(axis=(1, 2, 3)) & np.all(so3.is_rotation(poses[..., :3, :3], 1e-6), axis=1)
