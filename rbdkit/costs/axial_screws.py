"""Decomposition of a placement into screws along z, x and z, as in Denavit-Hartenberg frames (Featherstone 2008, Fig
4.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.denavit_hartenberg import about_x, about_z

SMALL = 1e-12


@dataclass(frozen=True)
class Screws:
    """Three successive screws: rotations (rad) about and shifts (m) along an axis, each in the frame after the last.

    Attributes
    ----------
    beta, b : float
        First screw, along z.
    alpha, a : float
        Second screw, along x.
    gamma, d : float
        Third screw, along z.
    """

    beta: float
    b: float
    alpha: float
    a: float
    gamma: float
    d: float

    @property
    def denavit_hartenberg(self) -> bool:
        """Whether the first screw is the identity, so that two suffice."""
        return abs(self.beta) < SMALL and abs(self.b) < SMALL

    @property
    def pose(self) -> NDArray:
        """The placement, (4, 4)."""
        return about_z(self.beta, self.b) @ about_x(self.alpha, self.a) @ about_z(self.gamma, self.d)


def axial_screws(placement: NDArray) -> Screws:
    """Decompose a pose (4, 4) into screws, two if two suffice, with alpha in (-pi, pi]."""
    R, p = placement[:3, :3], placement[:3, 3]
    sine = np.hypot(R[0, 2], R[1, 2])
    parallel = sine < SMALL
    if parallel:
        flat = np.hypot(p[0], p[1]) > SMALL
        beta = float(np.arctan2(p[1], p[0])) if flat else 0.0  # x of the screw towards the other axis
    else:
        beta = 0.0 if abs(R[0, 2]) < SMALL else float(np.arctan2(R[0, 2], -R[1, 2]))
    c, s = np.cos(beta), np.sin(beta)
    alpha = float(np.arctan2(s * R[0, 2] - c * R[1, 2], R[2, 2]))
    x = np.array([c, s, 0.0])
    if parallel:
        b, a, d = 0.0, float(x @ p), float(p[2] * R[2, 2])
    else:
        b, a, d = map(float, np.linalg.solve(np.column_stack([[0.0, 0.0, 1.0], x, R[:, 2]]), p))
        b = 0.0 if abs(b) < SMALL else b
    M = about_x(-alpha, 0.0)[:3, :3] @ about_z(-beta, 0.0)[:3, :3] @ R
    return Screws(beta, b, alpha, a, float(np.arctan2(M[1, 0], M[0, 0])), d)
