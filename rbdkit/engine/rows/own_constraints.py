"""The rows of a model's constraints, from one trace of all of them; see `rbdkit.model.constraint_rows`.

The trace gives for each row its gap, its slip, its drift (the acceleration that positions and velocities alone cause),
a wrench on each body that it reads, and its entries at joint velocities. Programs evaluate it on the motions of the
bodies at a state and pass the results on as rows (`contribution`); unilateral constraints use the same writer, with the
contacts of a step in the place of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.contribution import Contribution, RowsWritten, between
from rbdkit.engine.rows.dependence import compared_masses, free_responses, least_pivots
from rbdkit.engine.steps.nodes import FRAME
from rbdkit.engine.steps.sizes import ROW_TIME
from rbdkit.model import Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import row_sizes
from rbdkit.model.constraint_rows import DRIFT, GAP, SLIP, WRENCHES, ConstraintRows, RowValues, constraint_rows
from rbdkit.model.places import Place
from rbdkit.model.row_sizes import free_scalars, own_sizes
from rbdkit.spatial.compact import Pose, fv, plx
from rbdkit.spatial.vector3 import IDENTITY, Vector, cross, dot
from rbdkit.trace import Scalar, select

NAME = "held"


@dataclass(frozen=True)
class OwnConstraints:
    """Writes the rows of constraints.

    rows : the trace. links : those that carry the bodies which it reads. groups : for each body the rows that it takes
    part in, as the first and their number. name : prefix of the names of its arrays and counts.
    """

    rows: ConstraintRows
    links: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]
    name: str = NAME
    driven: ClassVar[bool] = False

    @property
    def timed(self) -> bool:
        """Whether a constraint depends on time."""
        return self.rows.timed

    @property
    def wrenches(self) -> int:
        """Number of wrenches that it writes."""
        return sum(n for _, n in self.groups)

    def record(self, at: BaseMotion, rows: RowsWritten) -> None:
        """Write all rows."""
        program, law = at.tree.program, self.rows
        first_row, first_wrench, first_path = (program.count(f"{self.name}_{x}") for x in ("row", "wrench", "path"))
        # a loop of one turn: a block of its own, whose values all rows share
        with program.loop(0, 1):
            motions = [self._motion(at, body, link) for body, link in zip(law.bodies, self.links, strict=True)]
            known = {f"body{body}": motion for body, (motion, *_) in zip(law.bodies, motions, strict=True)}

            def load(argument: str, k: int) -> Scalar:
                if argument == "q":
                    return program.load(at.q.array, at.q.start, k)
                if argument == "t":
                    return program.load(ROW_TIME, 0)
                if argument == "v":
                    return 0.0 if at.qd is None else program.load(at.qd.array, at.qd.start, k)
                return known[argument][k]

            values = law.law.compute(program, load, f"{self.name}_numbers")
            wrench = 0
            for r in range(law.m):
                row = values[r * law.size : (r + 1) * law.size]
                if "gap" in rows.asks:
                    rows.gap(first_row + r, row[GAP])
                if "slip" in rows.asks:
                    rows.slip(first_row + r, row[SLIP])
                if "k" in rows.asks:
                    rows.k(first_row + r, -self._drift(row, motions))
                if "opened" in rows.asks:
                    length = program.load(f"{self.name}_length", 0)
                    size = self._size(row, length) * length * length
                    own = row[GAP] * row[GAP] / select(size > 0.0, size, 1.0)
                    rows.opened(select(size > 0.0, own, 0.0))
                for k, a in enumerate(law.velocities):
                    rows.add(first_row + r, a, row[WRENCHES + 6 * len(law.bodies) + k])
            for k, (first, n) in enumerate(self.groups):
                for r in range(first, first + n):
                    at_body = r * law.size + WRENCHES + 6 * k
                    # traced about the body's origin, needed about that of the base coordinates
                    at_origin = plx(IDENTITY, motions[k][1]).inv_apply(fv.of(values[at_body : at_body + 6]))
                    rows.wrench(first_wrench + wrench, at_origin.flat())
                    wrench += 1
        wrench = 0
        for k, (first, n) in enumerate(self.groups):
            rows.hold(first_path + k, first_row + first, first_wrench + wrench, n)
            wrench += n

    def _motion(self, at: BaseMotion, body: int, link: int) -> tuple[list[Scalar], Vector, list[Scalar]]:
        """Return the motion of a body, its position, both in base coordinates, and its acceleration for vdot = 0.

        The acceleration is the angular one, and that of its origin as a point.
        """
        program, i = at.tree.program, at.body(link)
        x = [program.load("frames", 0, body * FRAME + k) for k in range(FRAME)]
        R, p = at.pose(i) @ Pose.of(x)
        world = p + Vector(program.load("base_origin", 0, k) for k in range(3))
        if at.qd is None:
            return [*R.flat(), *world, *([0.0] * 6)], p, [0.0] * 6
        w, v_0 = at.v[i].halves
        v = v_0 + cross(w, p)
        alpha, a_0 = (at.a[i] - at.a[at.tree.world]).halves
        a = a_0 + cross(alpha, p) + cross(w, v)  # Eq 2.49: of the point, not the spatial acceleration
        return [*R.flat(), *world, *w, *v], p, [*alpha, *a]

    def _drift(self, row: list[Scalar], motions: list[tuple[list[Scalar], Vector, list[Scalar]]]) -> Scalar:
        drift: Scalar = row[DRIFT]
        for k, (_, _, rate) in enumerate(motions):
            drift = drift + dot(row[WRENCHES + 6 * k : WRENCHES + 6 * k + 6], rate)
        return drift

    def _size(self, row: list[Scalar], length: Scalar) -> Scalar:
        """Return the squared norm of a row, with moments and joint entries over a length."""
        total: Scalar = 0.0
        for k in range(len(self.rows.bodies)):
            n, f = (Vector(row[WRENCHES + 6 * k + j : WRENCHES + 6 * k + j + 3]) for j in (0, 3))
            total = total + dot(f, f) + dot(n, n) / (length * length)
        for c in row[WRENCHES + 6 * len(self.rows.bodies) :]:
            total = total + c * c / (length * length)
        return total


def own_constraints(model: Model, layout: Layout) -> Contribution:
    """Return the rows of a model's constraints.

    Raises
    ------
    NotCovered
        If one of them is unilateral.
    """
    rows = constraint_rows(model)
    assert rows is not None
    bounds = {row.constraint for row in rows.rows if row.unilateral}
    if bounds:
        names = ", ".join(map(repr, sorted(bounds)))
        raise NotCovered(f"constraint {names} holds on one side, which needs a law of contact")
    code, m, length = code_of(rows, layout, NAME), rows.m, length_of(model)
    return Contribution(
        NAME,
        code,
        tuple(row.constraint for row in rows.rows),
        free_rows(model, rows, length),
        own_sizes(model, rows, length),
        touched=[rows.velocities] * m,
        paths=[between(layout, 0, link) for link in code.links],
        path_rows=[range(first, first + n) for first, n in code.groups],
        wrenches=code.wrenches,
        numbers={
            "held_numbers": np.array(rows.law.numbers),
            "held_length": np.array([length]),
        },
        room={ROW_TIME: 1} if rows.timed else {},
    )


def code_of(rows: ConstraintRows, layout: Layout, name: str) -> OwnConstraints:
    """Return the writer of traced rows."""
    links = tuple(int(layout.link_of_body[body]) for body in rows.bodies)
    return OwnConstraints(rows, links, tuple(_held(rows, k) for k in range(len(rows.bodies))), name)


def free_rows(model: Model, rows: ConstraintRows, length: float) -> NDArray:
    """Return the diagonal of Lambda, (m,), if bodies were free, with mass concentrated at a length from their origins.

    It is an average over some states, on which it may depend.
    """
    with np.errstate(all="ignore"):
        return np.array(free_scalars(model, rows, length, compared_masses(model)), dtype=float)


def compared_with(
    model: Model, loops: list[Place], rows: ConstraintRows | None, length: float
) -> tuple[NDArray, NDArray, NDArray]:
    """Return the scales of the redundancy decision for rows of loop joints, then of constraints, (m,) each.

    They are squared norms as wrenches, responses of free bodies, and pivots of redundant rows; see `dependence`.
    """
    size = np.concatenate([np.zeros(0), *(row_sizes(place, length) for place in loops)])
    free = free_responses(model, loops, length)
    if rows is not None:
        size = np.concatenate([size, own_sizes(model, rows, length)])
        free = np.concatenate([free, free_rows(model, rows, length)])
    return size, free, least_pivots(model, size, length)


def openness(found: RowValues, length: float) -> float:
    """Return the largest closure error at a state as a fraction of a length, as the program computes it."""
    squares = (
        np.sum(found.wrenches[..., 3:] ** 2, axis=(-2, -1))
        + np.sum(found.wrenches[..., :3] ** 2, axis=(-2, -1)) / length**2
        + np.sum(found.joints**2, axis=-1) / length**2
    )
    size = length * np.sqrt(squares)
    return float(np.max(np.abs(found.gap) / np.where(size > 0.0, size, np.inf), initial=0.0))


def _held(rows: ConstraintRows, k: int) -> tuple[int, int]:
    """Return the first row and the number of rows, without gaps, that the k-th body takes part in."""
    nothing = ("const", 0.0)
    found = [r for r in range(rows.m) if any(rows.law.steps[p] != nothing for p in _of_body(rows, r, k))]
    return (found[0], found[-1] + 1 - found[0]) if found else (0, 0)


def _of_body(rows: ConstraintRows, r: int, k: int) -> tuple[int, ...]:
    first = r * rows.size + WRENCHES + 6 * k
    return rows.law.results[first : first + 6]
