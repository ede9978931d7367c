"""Round-off errors of two algorithms of forward dynamics (Featherstone 2008, section 10.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.accuracy.exact import exact_acceleration
from rbdkit.algorithms import aba, forward_dynamics_crba, rnea
from rbdkit.errors import ModelError
from rbdkit.library.random_tree import random_state
from rbdkit.library.revolute_trees import general_unbranched
from rbdkit.library.unlike_spheres import unlike_spheres
from rbdkit.model import Model


@dataclass(frozen=True, eq=False)
class RoundOff:
    """Relative errors of the accelerations in the maximum norm; numbers, or (n,) over the varied parameter.

    aba : of the articulated-body algorithm. crba : of the composite-rigid-body algorithm with Cholesky factorization.
    """

    aba: NDArray
    crba: NDArray


def forward_dynamics_error(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, joints: slice = slice(None), *, t: float = 0.0
) -> RoundOff:
    """Return the errors of both algorithms at one state, relative to `exact_acceleration`.

    Parameters
    ----------
    joints : slice, optional
        Velocity variables to compare; all if not given.
    t : float, optional
        Time in s, for prescribed joints.
    """
    exact = exact_acceleration(model, q, qd, tau, t=t)[joints]
    scale = np.abs(exact).max(initial=0.0) or 1.0
    found = aba(model, q, qd, tau, t=t).qdd, forward_dynamics_crba(model, q, qd, tau, t=t)
    errors = [np.abs(qdd[joints] - exact).max(initial=0.0) / scale for qdd in found]
    return RoundOff(*map(np.asarray, errors))


def chain_errors(
    lengths: ArrayLike, seeds: int = 5, make: Callable[[int, int], Model] = general_unbranched
) -> RoundOff:
    """Return the errors against the number of bodies, as medians over random chains and states.

    Parameters
    ----------
    lengths : array_like (n,)
        Numbers of bodies.
    seeds : int, optional
        Number of chains and states of each length.
    make : callable, optional
        Function of (bodies, seed) that returns a model.
    """
    return _stacked([_median([_at_random(make(int(n), seed), seed) for seed in range(seeds)]) for n in _list(lengths)])


def boost_errors(model: Model, speeds: ArrayLike, seeds: int = 5) -> RoundOff:
    """Return the errors of all joints but the first against the linear speed of a floating base, m/s.

    A uniform motion of the whole changes none of these accelerations (Galilean invariance), but it enters every number
    they are computed from. Medians over random states and directions.

    Raises
    ------
    ModelError
        If the model does not begin with one free joint that carries all others.
    """
    base = model.joints[1] if len(model.joints) > 1 else None
    if base is None or base.type.kind != "free" or model.children(0) != (1,) or model.nv == base.nv:
        raise ModelError(f"{model!r} does not float: its first joint must be Free() and carry joints that move")

    def error(speed: float, seed: int) -> RoundOff:
        q, qd, tau = random_state(model, seed)
        way = np.random.default_rng(seed).normal(size=3)
        qd[3:6] += speed * way / np.linalg.norm(way)
        return forward_dynamics_error(model, q, qd, tau, slice(base.v_slice.stop, None))

    return _stacked([_median([error(float(s), seed) for seed in range(seeds)]) for s in _list(speeds)])


def unlike_errors(scales: ArrayLike, heavy_base: bool = True, seeds: int = 5) -> RoundOff:
    """Return the errors on `unlike_spheres` against the ratio of their radii, for accelerations of order one.

    Parameters
    ----------
    scales : array_like (n,)
        Ratios of the radii.
    heavy_base : bool, optional
        Whether the tree is rooted in the large sphere. Medians over random states.
    """

    def error(scale: float, seed: int) -> RoundOff:
        model = unlike_spheres(scale, heavy_base)
        q, qd, qdd = random_state(model, seed)
        return forward_dynamics_error(model, q, qd, rnea(model, q, qd, qdd).tau)

    return _stacked([_median([error(scale, seed) for seed in range(seeds)]) for scale in _list(scales)])


def _at_random(model: Model, seed: int) -> RoundOff:
    return forward_dynamics_error(model, *random_state(model, seed))


def _list(values: ArrayLike) -> list[float]:
    return np.atleast_1d(np.asarray(values, dtype=float)).tolist()


def _median(errors: list[RoundOff]) -> RoundOff:
    return RoundOff(np.median([e.aba for e in errors]), np.median([e.crba for e in errors]))


def _stacked(errors: list[RoundOff]) -> RoundOff:
    return RoundOff(np.array([e.aba for e in errors]), np.array([e.crba for e in errors]))
