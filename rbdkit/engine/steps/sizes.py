"""Contents and lengths of the arrays that programs share with those who fill and read them."""

from __future__ import annotations

from typing import Literal

from rbdkit.trace import WIDE

Reference = Literal["body", "world", "aligned"]
"""Coordinates of the frame's velocity, as in `rbdkit.algorithms.jacobian`."""
REFERENCES: tuple[Reference, ...] = ("body", "world", "aligned")
CARRIED = 24
"""Numbers of the array "carried": what loops hand from turn to turn, such as sums over all links."""
RANK = 6
"""Entries of a rank in the table "ranks" before those of its links: kind, where the work spaces of its links and of
their parents begin, and three of "orders"."""
OF_LINK = 4
"""Entries of each link of a rank: its number, its parent's, first coordinate, first velocity."""
FOUR = 4
"""Number of rows of a matrix that are subtracted from another one at a time, and of columns computed at a time."""
MOVING, MOVED, MIXED = range(3)
"""Contents of four columns of a row: ancestors of the row's freedom, its descendants, or both."""
FREEDOM = 48
"""Numbers of a freedom in the array "freedoms"."""
FACTORS = 13
"""Numbers of a freedom in the array "factors"."""
TWIST = 6 * WIDE
"""Numbers of a link in the arrays "p_columns" and "a_columns": a spatial vector for each of `WIDE` columns."""
SHARED = 8
"""Numbers of a shared freedom: U in the link that its cluster is joined to, D and u."""
LINK = 17
"""Numbers of a link in "by_link", derivatives by: a twist of its placement 6, mass, first moment 3, inertia 6,
pitch."""
OWN_TIME = "own_time"
"""Array of the time of the present state, s; written where force elements depend on it."""
ROW_TIME = "row_time"
"""Array of the time of the present state, s; written where constraints depend on it."""
ZEROS = frozenset({"H", "L", "freedoms", "own_force", "own_tau"})
"""Arrays that are read where nothing was written and must hold zeros: by branch-induced sparsity, and where nothing
acts."""
AXIS = 6
"""Numbers of an axis in "stiff_axes": a twist about the origin."""


def row_length(numbers: int) -> int:
    """Return a row length padded to a whole number of SIMD registers."""
    return -(-numbers // WIDE) * WIDE


def stiffness_arrays(nq: int, nv: int, freedoms: int, links: int) -> dict[str, int]:
    """Return the sizes of the work arrays of `stiffness`."""
    return {
        "stiff_axes": AXIS * freedoms,
        "stiff_unit": nv,
        "stiff_q_rate": nq,
        "stiff_by_x": 6 * (links + 1),
        "stiff_by_v": 6 * (links + 1),
        "stiff_tau_by_x": nv,
        "stiff_tau_by_v": nv,
        "stiff_goes": 1,
        "redmax_A": nv * nv,
        "redmax_b": nv,
    }
