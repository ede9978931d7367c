"""Find the geoms of a compiled MuJoCo model that may touch, by its filters, and their friction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.formats.mjcf.reading import Reading

SAME = 1e-12
"""Relative difference of two friction coefficients that count as one."""


@dataclass(frozen=True, eq=False)
class Touching:
    """Pairs of geoms.

    Attributes
    ----------
    allowed : ndarray of bool (n, n)
        Whether two geoms may touch.
    friction : ndarray (n, n)
        Coefficient of sliding friction of the pair.
    own : ndarray (n,)
        Coefficient of each geom, as its shape has it.
    """

    allowed: NDArray
    friction: NDArray
    own: NDArray

    @cached_property
    def unusual(self) -> NDArray:
        """Whether the friction of a pair is not the larger of the geoms' own (n, n)."""
        return ~alike(self.friction, np.maximum.outer(self.own, self.own))


def touching(reading: Reading) -> Touching:
    """Return what may touch: kinds and affinities, no bodies that a joint connects, exclusions, named pairs."""
    m = reading.compiled
    body, kind, affinity = np.array(m.geom_bodyid), np.array(m.geom_contype), np.array(m.geom_conaffinity)
    weld, fixed = np.array(m.body_weldid)[body], reading.moves_with()[body]
    above = np.array(m.body_weldid)[np.array(m.body_parentid)[weld]]
    bits = (kind[:, None] & affinity[None]) != 0
    allowed = (bits | bits.T) & (fixed[:, None] != fixed[None])
    if not reading.disabled("FILTERPARENT"):
        child = (above[:, None] == weld[None]) & (weld[:, None] != 0) & (weld[None] != 0)
        allowed &= ~(child | child.T)
    for signature in np.array(m.exclude_signature).tolist():
        a, b = body == signature >> 16, body == signature & 0xFFFF
        allowed[np.ix_(a, b)] = allowed[np.ix_(b, a)] = False
    slide, dimension, priority = sliding(m.geom_friction[:, 0]), np.array(m.geom_condim), np.array(m.geom_priority)
    friction = _by_priority(priority, slide)
    friction[_by_priority(priority, dimension) == 1] = 0.0
    for k in range(m.npair):
        a, b = int(m.pair_geom1[k]), int(m.pair_geom2[k])
        allowed[a, b] = allowed[b, a] = fixed[a] != fixed[b]
        friction[a, b] = friction[b, a] = 0.0 if int(m.pair_dim[k]) == 1 else float(sliding(m.pair_friction[k, 0]))
    return Touching(allowed, friction, np.where(dimension == 1, 0.0, slide))


def sliding(friction: ArrayLike) -> NDArray:
    """Return coefficients of sliding friction; negative ones as none: MuJoCo takes its smallest, 1e-5, for them."""
    return np.maximum(np.asarray(friction, dtype=float), 0.0)


def _by_priority(priority: NDArray, values: NDArray) -> NDArray:
    """Return for each pair the value of the geom with the higher priority, or the larger value (n, n)."""
    higher = priority[:, None] > priority[None]
    return np.where(higher, values[:, None], np.where(higher.T, values[None], np.maximum.outer(values, values)))


def alike(a: NDArray, b: NDArray | float) -> NDArray:
    """Return where two arrays are the same to round-off."""
    return np.abs(a - b) <= SAME * np.maximum(np.abs(a), np.abs(b))
