"""`rbdkit.identification.exciting_motion`: motions that show the inertial parameters of a model well.

Sums of sines, each joint with its own amplitudes and phases (Swevers and others 1997): they are smooth, begin again
after a period, and have exact velocities and accelerations. Many are drawn, and the one is kept whose regressor has the
smallest condition number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.derivatives import inertial_regressor
from rbdkit.errors import ArgumentError, ModelError
from rbdkit.identification.base_parameters import base_of
from rbdkit.model import Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import number, shown

SAMPLES = 60
"""States of a motion at which its condition number is taken."""
TURN = 2.0 * np.pi
"""Range of a joint with one limit alone, rad or m."""


@dataclass(frozen=True, eq=False)
class ExcitingMotion:
    """Sums of sines: ``q(t) = middle + sum_k sine_k sin(k w t) + cosine_k cos(k w t)``.

    Attributes
    ----------
    period : float
        After which the motion begins again, s; w is 2 pi / period.
    middle : ndarray (nv,)
        Mean coordinates.
    sine, cosine : ndarray (harmonics, nv)
        Amplitudes.
    condition : float
        Condition number of the regressor with columns of unit length.
    """

    period: float
    middle: NDArray
    sine: NDArray
    cosine: NDArray
    condition: float

    def __call__(self, t: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """Return q, v and a at times (...), each (..., nv)."""
        rates = 2.0 * np.pi / self.period * np.arange(1, len(self.sine) + 1)
        angle = np.multiply.outer(np.asarray(t, dtype=float), rates)
        s, c = np.sin(angle), np.cos(angle)
        q = self.middle + s @ self.sine + c @ self.cosine
        v = (c * rates) @ self.sine - (s * rates) @ self.cosine
        return q, v, -(s * rates**2) @ self.sine - (c * rates**2) @ self.cosine


def exciting_motion(
    model: Model, period: float = 10.0, *, harmonics: int = 5, speed: float = 1.0, tries: int = 200, seed: int = 0
) -> ExcitingMotion:
    """Find a periodic motion in which joint forces depend on all that can be identified.

    Parameters
    ----------
    model : Model
        A tree of joints with one freedom each; their limits are kept.
    period : float, optional
        Time after which it begins again, s.
    harmonics : int, optional
        Number of sines for each joint.
    speed : float, optional
        Largest joint velocity, rad/s or m/s, where a joint has no limit of its own.
    tries : int, optional
        How many motions are drawn.
    seed : int, optional
        Of the draws.

    Returns
    -------
    rbdkit.identification.ExcitingMotion
        Call it with times for q, v and a.

    Raises
    ------
    ModelError
        If the model has loops, constraints or other joints; or if limits let no joint move.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> from rbdkit.identification import exciting_motion
    >>> motion = exciting_motion(rbd.library.double_pendulum(), tries=20)
    >>> q, v, a = motion([0.0, 10.0])
    >>> bool(abs(q[1] - q[0]).max() < 1e-12), motion.condition < 100
    (True, True)
    """
    require_model(model)
    if any(joint.nq != joint.nv or joint.nv > 1 or joint.type.is_driven for joint in model.joints) or model.mimics:
        raise ModelError(f"model {model.name!r} has other joints than single angles and lengths of their own")
    if model.loops or model.constraints or not model.nv:
        raise ModelError(f"model {model.name!r} has loops or constraints, or does not move; take a tree of joints")
    for name, value in {"period": period, "speed": speed}.items():
        if not number(value, f"{name} must be a finite number, not {{}}".format, ArgumentError) > 0.0:
            raise ArgumentError(f"{name} = {shown(value)} must be positive")
    for name, count in {"harmonics": harmonics, "tries": tries}.items():
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or not 1 <= count <= 100_000:
            raise ArgumentError(f"{name} = {shown(count)} must be a whole number, 1 or more")
    joints = [joint for joint in model.joints if joint.nv]
    low, high, fast = (
        np.array([float(np.ravel(getattr(joint.limits, bound))[0]) for joint in joints])
        for bound in ("lower", "upper", "velocity")
    )
    # where there is one limit, a turn away from it will do
    low, high = np.where(np.isfinite(low), low, high - TURN), np.where(np.isfinite(high), high, low + TURN)
    bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(bounded, 0.5 * (np.where(bounded, low, 0) + np.where(bounded, high, 0)), 0.0)
    reach = np.where(bounded, 0.45 * (np.where(bounded, high, 0) - np.where(bounded, low, 0)), np.pi)
    fast = np.where(np.isfinite(fast), fast, speed)
    if not ((reach > 0.0) & (fast > 0.0)).any():
        raise ModelError(
            f"no joint of model {model.name!r} can move: lower and upper limits are equal, or velocity limits zero, as "
            f"of joint {joints[0].name!r}; widen them, no motion shows anything here"
        )
    rng, t, best = np.random.default_rng(seed), np.linspace(0.0, period, SAMPLES, endpoint=False), None
    base = None
    for _ in range(int(tries)):
        sine, cosine = rng.normal(size=(2, int(harmonics), model.nv)) / np.arange(1, int(harmonics) + 1)[:, None]
        motion = ExcitingMotion(float(period), middle, sine, cosine, np.inf)
        q, v, _ = motion(np.linspace(0.0, period, 400))
        shrink = np.minimum(reach / np.abs(q - middle).max(axis=0), fast / np.abs(v).max(axis=0))
        motion = ExcitingMotion(float(period), middle, sine * shrink, cosine * shrink, np.inf)
        Y = inertial_regressor(model, *motion(t))[:, :, 1:].reshape(SAMPLES * model.nv, -1)
        base = base_of(Y) if base is None else base
        columns = Y[:, base.columns]
        condition = float(np.linalg.cond(columns / np.linalg.norm(columns, axis=0)))
        if best is None or condition < best.condition:
            best = ExcitingMotion(float(period), middle, sine * shrink, cosine * shrink, condition)
    assert best is not None
    return best
