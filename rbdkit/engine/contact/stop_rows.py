"""Unilateral constraints (joint limits, taut strings) in the arrays and tables that programs read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.rows.own_constraints import OwnConstraints, code_of
from rbdkit.engine.run.tables import supports_of
from rbdkit.model import Model
from rbdkit.model.constraint_rows import ConstraintRows, constraint_rows
from rbdkit.model.one_sided import has_stops, only_stops

NAME = "stops"
"""Prefix of the names of their arrays and counts."""


def stop_rows(model: Model) -> ConstraintRows | None:
    """Return the recorded rows of unilateral constraints; None if there are none.

    Raises
    ------
    NotCovered
        If one of them depends on time.
    """
    rows = constraint_rows(only_stops(model)) if has_stops(model) else None
    if rows is not None and rows.timed:
        raise NotCovered("constraints on one side that move as time says are not compiled")
    return rows


def stop_code(rows: ConstraintRows, layout: Layout) -> OwnConstraints:
    """Return the writer of these rows."""
    return code_of(rows, layout, NAME)


def velocities_of(code: OwnConstraints, layout: Layout) -> list[list[int]]:
    """Return the velocities that each row depends on, with their ancestors in the elimination."""
    before, _ = supports_of(layout)
    moving: list[list[int]] = [[]]
    for link in layout.links:
        moving.append([*moving[link.parent], *(link.v + k for k in range(link.kind.motion.nv))])
    found: list[set[int]] = [set(code.rows.velocities) for _ in range(code.rows.m)]
    for link_number, (first, n) in zip(code.links, code.groups, strict=True):
        for r in range(first, first + n):
            found[r].update(moving[link_number])
    return [sorted({b for a in own for b in before[a]} | own) for own in found]


def stop_tables(code: OwnConstraints, branches: dict[str, NDArray], velocities: list[list[int]]) -> dict[str, NDArray]:
    """Return tables of the branch of each row and of the link of each wrench. velocities : those of each row."""
    place, first = branches["place_of_velocity"], branches["branch_place"]
    of_row = [int(np.searchsorted(first, place[own[0]], side="right")) - 1 if own else 0 for own in velocities]
    return {"stop_branch": np.array(of_row, dtype=np.int64), "stop_links": np.array(code.links, dtype=np.int64)}


def stop_arrays(code: OwnConstraints, places: int, length: float) -> dict[str, NDArray]:
    """Allocate the numbers of the rows and the work arrays of a step.

    places : number of places of all branches. length : of the model, m; arcs at this radius stand for angles.
    """
    m = code.rows.m
    return {
        "stop_arc": np.array([length if row.unit == "rad" else 1.0 for row in code.rows.rows]),
        f"{NAME}_numbers": np.array(code.rows.law.numbers, dtype=float),
        "stop_wrenches": np.zeros(6 * code.wrenches),
        "stop_J": np.zeros(m * places),
        "stop_gap": np.zeros(m),
        "stop_slip": np.zeros(m),
        "stop_speed": np.zeros(1),
        "stop_passed": np.zeros(2 * m),
    }
