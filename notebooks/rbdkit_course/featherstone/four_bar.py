"""The four-bar linkage of chapter 8 in closed form: its poses, its dead centres, and the drift of its loop."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.loops import loop_jacobian
from rbdkit.functions import crba, rnea
from rbdkit.library.bars import apex
from rbdkit.library.four_bars import planar_four_bar

CRANK, COUPLER, BASE, ROCKER = 0.2, 0.5, 0.4, 0.4  # m
SPEED = 6.0  # rad/s of the crank, at first, while the loop drifts
START = 1.2  # rad, of the crank
LOST = 0.3
"""Closure error, m, beyond which a run counts as failed."""

_FOOT = np.array([BASE, 0.0])
_TOP = np.array([0.0, CRANK])


def closed(phi: float, crossed: bool = False) -> NDArray:
    """Return the coordinates (3,) with the crank at an angle over the base, rad, counterclockwise; in closed form."""
    top = CRANK * np.array([cos(phi), sin(phi)])
    foot = np.array([BASE, 0.0])
    end = apex(top, foot, COUPLER, ROCKER, left=not crossed)
    assert end is not None  # the crank is the shortest bar and goes round
    return coordinates(phi, atan2(*(end - top)[::-1]), atan2(*(end - foot)[::-1]))


def same_rocker(q: NDArray) -> NDArray:
    """Return the other assembly mode with the same rocker: mirror the crank's end in the line to the rocker's end."""
    psi = rocker_angle(q)
    end = np.array([BASE, 0.0]) + ROCKER * np.array([cos(psi), sin(psi)])
    phi = 2.0 * atan2(end[1], end[0]) - crank_angle(q)
    top = CRANK * np.array([cos(phi), sin(phi)])
    return coordinates(phi, atan2(*(end - top)[::-1]), psi)


def coordinates(phi: float, gamma: float, psi: float) -> NDArray:
    """Return q (3,) from the angles of crank, coupler and rocker, rad, counterclockwise; hinges count clockwise."""
    turned = _NEUTRAL - np.array([phi, gamma, psi])
    q = np.array([turned[0], turned[1] - turned[0], turned[2]])
    return (q + pi) % (2.0 * pi) - pi


def crank_angle(q: NDArray) -> float:
    """Return the angle of the crank over the base, rad, counterclockwise."""
    return float(_wrapped(_NEUTRAL[0] - q[0]))


def rocker_angle(q: NDArray) -> float:
    """Return the angle of the rocker over the base, rad, counterclockwise."""
    return float(_wrapped(_NEUTRAL[2] - q[2]))


def speed_ratio(q: NDArray) -> float:
    """Return the rate of the rocker over that of the crank, from the null space of the loop Jacobian."""
    ratio = float(velocities(q)[2])
    return 0.0 if abs(ratio) < 1e-12 else ratio


def dead_centres(rocker: float = ROCKER) -> NDArray:
    """Return the crank angles (2,) of the dead centres, rad: crank and coupler in line, stretched and folded.

    Parameters
    ----------
    rocker : float, optional
        Its length, m; 0.3 m < rocker < 0.7 m, or the linkage cannot be folded.
    """
    found = []
    for reach, turned in ((COUPLER + CRANK, 0.0), (COUPLER - CRANK, pi)):
        cosine = (reach**2 + BASE**2 - rocker**2) / (2.0 * reach * BASE)
        found.append(_wrapped(np.arccos(cosine) + turned))
    return np.array(found)


def loop_terms(q: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Compute closure error (n, 2) in x and z, its rate, K (n, 2, 3) and k (n, 2) of n states at once, in closed form.

    The gap is the place of the coupler's end less that of the rocker's, so that its second derivative is K qdd - k.
    """
    angles, rates = (np.stack([x[:, 0], x[:, 0] + x[:, 1], x[:, 2]]) for x in (q, v))
    bars = [_turned(bar, angle) for bar, angle in zip(BARS, angles, strict=True)]
    by_crank, by_coupler, by_rocker = (np.stack([bar[:, 1], -bar[:, 0]], axis=-1) for bar in bars)  # per radian
    K = np.stack([by_crank + by_coupler, by_coupler, -by_rocker], axis=-1)
    k = rates[0, :, None] ** 2 * bars[0] + rates[1, :, None] ** 2 * bars[1] - rates[2, :, None] ** 2 * bars[2]
    return bars[0] + bars[1] - _FOOT - bars[2], (K @ v[..., None])[..., 0], K, k


@dataclass(frozen=True, eq=False)
class Drift:
    """Simulated motions of the linkage, one for each T_stab.

    Attributes
    ----------
    t : ndarray (k,)
        Times, s.
    q : ndarray (k, n, 3)
        Coordinates.
    gap : ndarray (k, n)
        How far the loop is open, m; nan from where it has come apart.
    """

    t: NDArray
    q: NDArray
    gap: NDArray


def drift(T_stab: ArrayLike, step: float, duration: float) -> Drift:
    """Simulate the linkage by RK4 in joint coordinates, with only ``k_stab`` (Eq 8.22) to keep the loop closed.

    Parameters
    ----------
    T_stab : array_like (n,)
        s; inf is no stabilization. All motions are integrated at once.
    step, duration : float
        s.
    """
    T = np.atleast_1d(np.asarray(T_stab, dtype=float))
    q = np.tile(closed(START), (len(T), 1))
    v = np.tile(SPEED * velocities(q[0]), (len(T), 1))
    whole = q.copy(), v.copy()
    lost = np.zeros(len(T), dtype=bool)
    qs, gaps = [q], [np.linalg.norm(loop_terms(q, v)[0], axis=1)]
    for _ in range(round(duration / step)):
        a = acceleration(q, v, T)
        v2 = v + 0.5 * step * a
        a2 = acceleration(q + 0.5 * step * v, v2, T)
        v3 = v + 0.5 * step * a2
        a3 = acceleration(q + 0.5 * step * v2, v3, T)
        v4 = v + step * a3
        a4 = acceleration(q + step * v3, v4, T)
        q, v = q + step / 6.0 * (v + 2 * v2 + 2 * v3 + v4), v + step / 6.0 * (a + 2 * a2 + 2 * a3 + a4)
        gap = np.linalg.norm(loop_terms(q, v)[0], axis=1)
        lost |= ~(gap < LOST)
        q[lost], v[lost] = whole[0][lost], whole[1][lost]  # what has come apart does not go on
        qs.append(np.where(lost[:, None], qs[-1], q))
        gaps.append(np.where(lost, np.nan, gap))
    return Drift(step * np.arange(len(qs)), np.array(qs), np.array(gaps))


def acceleration(q: NDArray, v: NDArray, T_stab: NDArray) -> NDArray:
    """Return qdd (n, 3) from Eq 8.36 with the two independent rows of K."""
    gap, rate, K, k = loop_terms(q, v)
    k_stab = -2.0 / T_stab[:, None] * rate - gap / T_stab[:, None] ** 2
    matrix = np.zeros((len(q), 5, 5))
    matrix[:, :3, :3], matrix[:, :3, 3:], matrix[:, 3:, :3] = crba(MODEL, q), np.swapaxes(K, 1, 2), K
    right = np.concatenate([-rnea(MODEL, q, v, np.zeros_like(v)), k + k_stab], axis=1)
    return np.asarray(np.linalg.solve(matrix, right[..., None])[:, :3, 0])


MODEL = planar_four_bar(crank=CRANK, coupler=COUPLER, base=BASE, rocker=ROCKER)
_END = apex(_TOP, _FOOT, COUPLER, ROCKER)
assert _END is not None
BARS = (_TOP, _END - _TOP, _END - _FOOT)
"""Vectors (2,) along crank, coupler and rocker at the model's neutral coordinates, x and z in m."""
_NEUTRAL = np.array([atan2(bar[1], bar[0]) for bar in BARS])


def velocities(q: NDArray) -> NDArray:
    """Return the joint velocities (3,) that the loop allows at one state, with the crank at 1 rad/s."""
    K = loop_jacobian(MODEL, q, "pin")[[3, 5]]  # shifts in the plane; the pin allows turns
    allowed = np.linalg.svd(K)[2][-1]
    return np.asarray(allowed / allowed[0])


def _turned(bar: NDArray, angle: NDArray) -> NDArray:
    """Rotate a bar (2,) about y by n angles; return (n, 2). A positive angle turns z towards x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * bar[0] + s * bar[1], c * bar[1] - s * bar[0]], axis=-1)


def _wrapped(angle: float | NDArray) -> NDArray:
    return np.asarray((np.asarray(angle) + pi) % (2.0 * pi) - pi)
