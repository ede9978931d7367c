"""Refinement study: repeat a motion with finer steps, and estimate its global error over time.

Local errors per step say little about chaotic motions, which amplify them. A second run with half the step gives the
global error by Richardson extrapolation; with an adaptive integrator a second run with tolerances a hundred times
smaller serves as the true motion.
"""

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
from rbdkit.simulation.step_times import step_times
from rbdkit.spatial import so3

if TYPE_CHECKING:
    from rbdkit.simulation.setting import Setting
    from rbdkit.simulation.trajectory import Trajectory

TIGHTER = 1e-2
"""Factor on the tolerances of adaptive integrators."""
TIGHTEST = 1e-13
"""Smallest relative tolerance that is used; below it round-off dominates."""
KNOWN = 1e-2
"""Error, rad or m, up to which a motion counts as known."""


@dataclass(frozen=True)
class Finer:
    """A callable that repeats a motion with half the step, or with tighter tolerances and half the longest step.

    Attributes
    ----------
    simulate : `rbdkit.simulate`. setting : the setting of the motion. method : integrator or contact law that made its
        steps.
    """

    simulate: Callable[..., Trajectory]
    setting: Setting
    method: Integrator | Adaptive | Law

    @property
    def adaptive(self) -> bool:
        return isinstance(self.method, Adaptive)

    @property
    def order(self) -> int:
        return 1 if isinstance(self.method, Law) else self.method.order

    @property
    def factor(self) -> float:
        """Factor from the distance between the two motions to that from the true motion (Richardson)."""
        return 1.0 if self.adaptive else 2.0**self.order / (2.0**self.order - 1.0)

    def __call__(self) -> Trajectory:
        """Compute the finer motion, without warnings."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own, asked = self.setting, self.setting.request
            # a motion that stops at limits begins without stops, as this one; others leave limits alone as they did
            model, limits = (asked.model, None) if own.before is not None else (own.model, "ignore")
            f_ext = own.f_ext if callable(own.f_ext) or own.external is None else own.external(0.0, own.q, own.v)
            return self.simulate(
                model, own.q.copy(), own.v.copy(), asked.duration, formulation=asked.formulation, f_ext=f_ext,
                backend=asked.backend, z0=own.z.copy(), contact=asked.contact, limits=limits, progress=False,
                **self._changed(),
            )  # fmt: skip

    def _changed(self) -> dict[str, Any]:
        own, dt = self.setting, self.setting.request.dt
        if isinstance(self.method, Adaptive):
            rtol, atol = max(TIGHTER * self.method.rtol, TIGHTEST), TIGHTER * self.method.atol
            longest = 0.5 * self.method.longest(own.times)  # which may be what keeps its errors down
            # tighter tolerances take more steps, and the motion is known to be one that can be computed
            finer = Adaptive(self.method.tableau, rtol, atol, 4 * self.method.max_steps, longest)
            return {"dt": dt, "every": own.every, "integrator": finer, "tau": self._tau(own.times)}
        h = 0.5 * dt
        tau = self._tau(step_times(own.request.duration, h))
        return {"dt": h, "every": 2 * own.every, "integrator": own.integrator, "tau": tau}

    def _tau(self, times: NDArray) -> Any:
        """Return the joint forces as an argument for a run with other step times."""
        given = self.setting.applied
        if given.zero or given.values is None:
            return given.law
        if given.values.ndim == 1:
            return given.values
        if given.held is not None:  # those of a sampled controller are those that it gave
            # the middle of a new step lies inside of an old one, unlike its ends
            middle = 0.5 * (times[1:] + times[:-1])
            return given.held[np.searchsorted(self.setting.times, middle) - 1]
        return np.stack([np.interp(times, self.setting.times, column) for column in given.values.T], axis=1)


@dataclass(frozen=True, eq=False)
class ErrorGrowth:
    """Estimated global error of a motion over time, by comparison with a finer run.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s.
    error : ndarray (n,)
        Estimated error of the worst body: shift of its centre of mass, m, or rotation, rad, whichever is larger.
    how : str
        Settings of the finer run, in words.

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
        """Return the time until which the error stays below a bound, rad or m; the last time if it always does."""
        # also where the error is not a number
        beyond = np.flatnonzero(~(self.error < bound))
        return float(self.t[beyond[0] - 1] if len(beyond) and beyond[0] else self.t[0 if len(beyond) else -1])

    def __str__(self) -> str:
        text = f"at its end off by about {self.end:.1g} rad or m ({self.how})"
        if self.end < KNOWN:
            return text
        return f"{text}: KNOWN UNTIL t = {self.known_until():.4g} s ONLY, to {KNOWN:g} rad or m"


def error_growth(motion: Trajectory, finer: Finer) -> ErrorGrowth:
    """Repeat a motion with finer steps and return its estimated error over time."""
    other = finer()
    n = min(len(motion), len(other))
    error = np.full(len(motion), np.inf)  # unknown where the finer run ended earlier
    with np.errstate(all="ignore"):
        a, b = motion.poses()[:n], other.poses()[:n]
        sound = (
            np.isclose(motion.t[:n], other.t[:n], rtol=1e-9, atol=1e-9 * finer.setting.request.dt)
            & _sound(a)
            & _sound(b)
        )
        error[:n][sound] = finer.factor * distance(motion.model, a[sound], b[sound])
    how = (
        "tolerances a hundredth of its own and half the longest step, compared"
        if finer.adaptive
        else "half the step, compared"
    )
    return ErrorGrowth(motion.t, error, how)


def _sound(poses: NDArray) -> NDArray:
    """Return whether all poses (n, bodies, 4, 4) of each state are finite and proper rotations to 1e-6, (n,)."""
    return np.isfinite(poses).all(axis=(1, 2, 3)) & np.all(so3.is_rotation(poses[..., :3, :3], 1e-6), axis=1)
