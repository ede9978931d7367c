"""Cost of inverse dynamics of a chain of hinges in three forms, counted in traces of the code.

The forms are the original equations, the spatial ones with their 6-vectors written out as pairs of 3-D vectors, and the
closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.closed_form import chain_freedoms, coefficients
from rbdkit.algorithms.luh_walker_paul import Link, Vectors, body_forces, inward, linear_velocities, outward
from rbdkit.trace import Operations, Trace, trace

Z = np.array([0.0, 0.0, 1.0])
NUMBERS = 9 + 3 + 1 + 3 + 6
"""Count of the numbers of a link: E, r, m, c and six elements of I_cm."""


def original(n: int, with_velocities: bool = False) -> Trace:
    """Trace the equations of Luh, Walker and Paul (Featherstone 2008, Table 5.2); arguments: links, qd, qdd, gravity.

    Parameters
    ----------
    with_velocities : bool, optional
        Compute the linear velocities too, which no other equation needs.
    """

    def forces(links: Sequence[Link], qd: NDArray, qdd: NDArray, a_g: NDArray) -> list[Any]:
        motion = outward(links, qd, qdd, -a_g)
        along = inward(links, *body_forces(links, motion))[2]
        unused = list(np.ravel(linear_velocities(links, motion[0], qd)[1:])) if with_velocities else []
        return [*along[1:], *unused]

    return _traced(n, forces)


def spatial(n: int) -> Trace:
    """Trace the spatial equations (Featherstone 2008, Table 5.1), each 6-vector as two 3-D vectors; same arguments."""

    def forces(links: Sequence[Link], qd: NDArray, qdd: NDArray, a_g: NDArray) -> list[Any]:
        w, v, wd, a = spatial_outward(links, qd, qdd, -a_g)
        return spatial_inward(links, *spatial_forces(links, w, v, wd, a))[1:]

    return _traced(n, forces)


def spatial_outward(
    links: Sequence[Link], qd: NDArray, qdd: NDArray, base: NDArray
) -> tuple[Vectors, Vectors, Vectors, Vectors]:
    """Return v = [w; v] and a = [wd; a] of links on hinges by Eqs 5.18, 5.19 with ``X m = [E w; E (v - r x w)]``."""
    w, v, wd, a = [np.zeros(3)], [np.zeros(3)], [np.zeros(3)], [base]
    for link, x, xx in zip(links[1:], qd[1:], qdd[1:], strict=True):
        p, E, r, z = link.parent, link.E, link.r, link.z
        w_p = E @ w[p]
        w.append(w_p + z * x)
        v.append(E @ (v[p] - np.cross(r, w[p])))
        wd.append(E @ wd[p] + z * xx + np.cross(w_p, z * x))  # w_i x z = (E w_p) x z
        a.append(E @ (a[p] - np.cross(r, wd[p])) + np.cross(v[-1], z * x))
    return w, v, wd, a


def spatial_forces(links: Sequence[Link], w: Vectors, v: Vectors, wd: Vectors, a: Vectors) -> tuple[Vectors, Vectors]:
    """Return f^B = [n; f] = I a + v x* I v (Eq 5.9); links hold m, h = m c and the inertia about the origin."""
    n, f = [np.zeros(3)], [np.zeros(3)]
    for link, w_i, v_i, wd_i, a_i in zip(links[1:], w[1:], v[1:], wd[1:], a[1:], strict=True):
        m, h, I = link.m, link.c, link.I_cm
        L, p = I @ w_i + np.cross(h, v_i), m * v_i - np.cross(h, w_i)  # I v
        n.append(I @ wd_i + np.cross(h, a_i) + np.cross(w_i, L) + np.cross(v_i, p))
        f.append(m * a_i - np.cross(h, wd_i) + np.cross(w_i, p))
    return n, f


def spatial_inward(links: Sequence[Link], n: Vectors, f: Vectors) -> list[Any]:
    """Return tau of hinges by Eqs 5.11, 5.20 with ``X.T f = [E.T n + r x E.T f; E.T f]``."""
    along: list[Any] = [0.0] * len(links)
    for i in range(len(links) - 1, 0, -1):
        link = links[i]
        along[i] = link.z @ n[i]
        f_p = link.E.T @ f[i]
        f[link.parent] = f[link.parent] + f_p
        n[link.parent] = n[link.parent] + link.E.T @ n[i] + np.cross(link.r, f_p)
    return along


def closed_form_operations(n: int) -> Operations:
    """Count the operations for all coefficients of Eq 5.6 of a chain, in base coordinates, and for tau from them."""
    moves, movers = chain_freedoms(n)

    def forces(s: NDArray, I: NDArray, a_g: NDArray, qd: NDArray, qdd: NDArray) -> list[Any]:
        H, C, g = coefficients(list(s), list(I), moves, movers, a_g)
        quadratic = [sum(C[i][j][k] * qd[j] * qd[k] for j in range(n) for k in range(n)) for i in range(n)]
        return [sum(H[i][j] * qdd[j] for j in range(n)) + quadratic[i] + g[i] for i in range(n)]

    return trace(forces, (n, 6), (n, 6, 6), 6, n, n, simplify=False).operations()


def link_numbers(links: Sequence[Link], about_origin: bool = False) -> NDArray:
    """Return the numbers (n, 22) of links 1 ... n as arguments of the traces: E, r, m, c and I_cm.

    Parameters
    ----------
    about_origin : bool, optional
        Give first moment and inertia about the origin in place of c and I_cm, as `spatial` needs them.
    """
    rows = []
    for link in links[1:]:
        m, c, I = link.m, link.c, link.I_cm
        if about_origin:
            c, I = m * c, I + m * (c @ c * np.eye(3) - np.outer(c, c))
        rows.append([*link.E.ravel(), *link.r, m, *c, *I[np.triu_indices(3)]])
    return np.array(rows)


def _traced(n: int, forces: Callable[..., list[Any]]) -> Trace:
    """Trace the forces of a chain of n hinges about z as functions of link numbers, qd, qdd and gravity."""

    def function(numbers: NDArray, qd: NDArray, qdd: NDArray, a_g: NDArray) -> list[Any]:
        base = Link(-1, "fixed", np.zeros(3), np.eye(3), np.zeros(3), 0.0, np.zeros(3), np.zeros((3, 3)))
        links = [base, *(_link(k, row) for k, row in enumerate(numbers))]
        return forces(links, np.array([0.0, *qd], dtype=object), np.array([0.0, *qdd], dtype=object), a_g)

    return trace(function, (n, NUMBERS), n, n, 3, names=["links", "qd", "qdd", "a_g"])


def _link(parent: int, row: NDArray) -> Link:
    E, r, m, c, I = row[:9].reshape(3, 3), row[9:12], row[12], row[13:16], row[16:]
    return Link(parent, "revolute", Z, E, r, m, c, I[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]])
