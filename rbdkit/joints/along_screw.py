"""Exponential of a multiple of a constant twist: a screw motion of given axis and variable magnitude."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial.so3 import skew

NO_TURN = 1e-9
"""rad; a twist that turns less is taken for a translation."""


def along_screw(twist: NDArray, b: Any) -> NDArray:
    """``exp(b twist)``, (..., 4, 4), for a twist (6,) of numbers and b (..., 1) of numbers or symbols.

    Unlike `rbdkit.spatial.se3.exp` of the product it has derivatives by b at b = 0 when it is recorded.
    """
    w, v = np.asarray(twist[:3]), np.asarray(twist[3:])
    angle = float(np.sqrt(w @ w))
    one = b[..., None]
    T = np.zeros((*np.shape(b)[:-1], 4, 4)) + 0.0 * one
    T[..., 3, 3] = 1.0
    if angle < NO_TURN:
        T[..., :3, :3] = np.eye(3)
        T[..., :3, 3] = v * b
        return T
    N = skew(w / angle)
    s, c = np.sin(angle * one), 1.0 - np.cos(angle * one)
    T[..., :3, :3] = np.eye(3) + N * s + (N @ N) * c
    # the integral of the rotation along the way, times v
    sweep = np.eye(3) * one + N * (c / angle) + (N @ N) * (one - s / angle)
    T[..., :3, 3] = sweep @ v
    return T
