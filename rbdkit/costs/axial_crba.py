"""The composite-rigid-body algorithm on scalars by axial screws, as cheap as hand-written (Featherstone 2008, 10.3.1).

A general placement costs three axial screw transforms, one between Denavit-Hartenberg frames two; an axial screw
moves an inertia by 15m + 15a.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from rbdkit.spatial.compact import AxialScrew, Scalar, Vector, fv, plx, rbi, shift


@dataclass(frozen=True)
class Link:
    """Transform from parent to body: in general a screw along z, one along x, and that of the joint along z.

    Attributes
    ----------
    z, x : AxialScrew
        Screws of the joint and of the placement.
    z_md, x_md : Scalar
        Mass of the body's subtree times the shift of each screw.
    first : tuple or None
        The first screw, its m d, and all three as one transform; None between Denavit-Hartenberg frames.
    """

    z: AxialScrew
    z_md: Scalar
    x: AxialScrew
    x_md: Scalar
    first: tuple[AxialScrew, Scalar, plx] | None

    def inertia(self, I: rbi) -> rbi:
        """Return X^T I X: 30m + 30a, or 45m + 45a, without 2m + 3a for the trigonometric constants of the angle."""
        I = carried(self.x, self.x_md, carried(self.z, self.z_md, I))
        return I if self.first is None else carried(*self.first[:2], I)

    def force(self, F: fv) -> fv:
        """Return X^T F: 20m + 12a, or 24m + 18a."""
        return self.x.inv_apply(self.z.inv_apply(F)) if self.first is None else self.first[2].inv_apply(F)


def composite_bodies(parent: tuple[int, ...], I: list[rbi], links: dict[int, Link], lines: Counter[str]) -> Any:
    """Return H, row by row, by the algorithm of Table 10.2.

    Parameters
    ----------
    parent : tuple of int
        lambda(i), with the base as body 0.
    I : list of rbi
        Inertias of the bodies.
    links : dict of int to Link
        Transforms of the bodies whose parents move.
    lines
        Counter of the executed transforms, which is updated.
    """
    n = len(parent)
    H: list[list[Any]] = [[0.0] * (n - 1) for _ in range(n - 1)]  # line 1
    Ic = list(I)  # line 3
    for i in range(n - 1, 0, -1):  # loop 2
        if parent[i] != 0:
            Ic[parent[i]] = Ic[parent[i]] + links[i].inertia(Ic[i])  # line 7
            lines.update(("ra", "rx_dh" if links[i].first is None else "rx_g"))
        F = column_3(Ic[i])  # line 9
        H[i - 1][i - 1] = F.n[2]  # line 10
        j = i
        while parent[j] != 0:  # loop 3
            F = links[j].force(F)  # line 13
            lines.update(("vx_dh" if links[j].first is None else "vx_g",))
            j = parent[j]
            H[i - 1][j - 1] = H[j - 1][i - 1] = F.n[2]  # lines 15, 16
    return H


def column_3(I: rbi) -> fv:
    """Return I S with S = e3, which is column 3 and costs nothing."""
    _, _, xz, _, yz, zz = I.I
    return fv(Vector((xz, yz, zz)), Vector((-I.h[1], I.h[0], 0.0)))


def carried(screw: AxialScrew, m_d: Scalar, inertia: rbi) -> rbi:
    """Return X^T I X for an axial screw, given the product m d: 15m + 15a."""
    back = screw.inverse()
    shifted = shift.rigid(back.axis, back.d, inertia, -m_d)  # text before Eq 10.3
    return rbi(shifted.m, back.E.vector(shifted.h), back.E.symmetric(shifted.I))
