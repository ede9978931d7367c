"""A body as programs see it: its numbers, by name, in arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from rbdkit.engine.rows.moving_joint import MOST_COORDINATES
from rbdkit.spatial.vector3 import Matrix, Vector, cross
from rbdkit.trace import Index, Part, Program, Scalar, Whole

FIELDS = {"R": 9, "r": 3, "V": 6, "X": 12, "drift": 6, "IA": 21, "pA": 6, "qd": 6, "factors": 63, "A": 6}
"""Numbers of a body that a stage computes, row 0 of each being the world: pose R, r and twist V, pose X in the parent,
velocity products, articulated inertia and bias force, joint velocities, factors of the elimination, acceleration A."""
FORCE_FIELDS = {"spring": 6}
"""Those of springs: joint forces."""
LOOP_FIELDS = {"dp": 6, "du": 6, "dA": 6}
"""Those of the response to a loop's reaction."""
CORRECTED_FIELDS = {"guess_A": 6}
"""Those of accelerations that are to be corrected."""
MOVING_FIELDS = {"own_q": MOST_COORDINATES, "axes": 36, "rates": 36, "c_J": 6, "sigma": 6}
"""Those of joints, where the axes of some move: coordinates, S by columns, S^+ by rows, velocity product, and the twist
that time alone makes."""
IMPLICIT_FIELDS = {"along_x": 6, "along_v": 6, "of_joint": 6}
"""Those of linearly implicit steps: directions of displacements and of twists, and what joints answer to them."""
SIZES = FIELDS | FORCE_FIELDS | LOOP_FIELDS | CORRECTED_FIELDS | MOVING_FIELDS | IMPLICIT_FIELDS
INERTIA, AXES, RATES, DAMPING, ARMATURE, STIFFNESS, REST = 0, 10, 46, 82, 88, 94, 100
NUMBERS = REST + MOST_COORDINATES
"""Where the given numbers of a body begin: m, m c, I; S by columns; S^+ by rows; damping, armature, stiffness on each
axis; coordinates of the spring's rest; and their end."""


@dataclass(frozen=True)
class Kind:
    """What bodies have in common that one piece of code serves.

    freedoms : of the joint. damped, sprung : whether it is. form : how its coordinates are found; "" where nobody asks.
    closes : the same, for a method that closes joints in every step. moving : code for axes that move.
    """

    freedoms: int
    damped: bool
    sprung: bool = False
    form: str = ""
    closes: str = ""
    moving: Hashable = None


class ProgramBody:
    """A body that a pass has come to: its numbers, by name, in the arrays of the program.

    moves : whether axes of joints are found at each state anew.
    """

    def __init__(self, program: Program, k: Index, moves: bool = False) -> None:
        self.program, self.k, self.row, self.moves = program, k, k + 1, moves
        self.first = k * NUMBERS

    def axes(self) -> list[Scalar]:
        """S by columns, and zeros."""
        return self.get("axes") if self.moves else self.given(AXES, 36)

    def rates(self) -> list[Scalar]:
        """S^+ by rows, and zeros."""
        return self.get("rates") if self.moves else self.given(RATES, 36)

    def slip(self) -> list[Scalar]:
        """The twist of a body relative to its parent less what time alone makes, in its own coordinates, from "X" and
        "V"."""
        (w, v), (w_p, v_p), X = self.pair("V"), self.pair("V", self.parent), self.get("X")
        R, p = Matrix.of(X[:9]), Vector(X[9:])
        apart = [*(w - R.T @ w_p), *(v - R.T @ (v_p + cross(w_p, p)))]
        return [a - s for a, s in zip(apart, self.get("sigma"), strict=True)] if self.moves else apart

    def place(self, name: str) -> Whole:
        """Where a field of this body begins."""
        return self.row * SIZES[name]

    def get(self, name: str, row: Whole | None = None) -> list[Scalar]:
        """A field of this body, or of the one in that row."""
        size = SIZES[name]
        place = (self.row if row is None else row) * size
        return [self.program.load(name, place, j) for j in range(size)]

    def put(self, name: str, values: Sequence[Scalar], row: Whole | None = None) -> None:
        """Write a field."""
        place = (self.row if row is None else row) * SIZES[name]
        for j, value in enumerate(values):
            self.program.store(name, place, j, value)

    def pair(self, name: str, row: Whole | None = None) -> tuple[Vector, Vector]:
        """A field of six numbers as angular and linear part."""
        values = self.get(name, row)
        return Vector(values[:3]), Vector(values[3:])

    def given(self, first: int, size: int) -> list[Scalar]:
        """Numbers of the model, see `INERTIA` and the others."""
        return [self.program.load("numbers", self.first, first + j) for j in range(size)]

    def state(self, whole: Part, size: int) -> list[Scalar]:
        """The body's part of what has `size` numbers for each body but the world."""
        place = self.k * size + whole.start
        return [self.program.load(whole.array, place, j) for j in range(size)]

    def put_state(self, whole: Part, values: Sequence[Scalar]) -> None:
        """Write the body's part of that."""
        place = self.k * len(values) + whole.start
        for j, value in enumerate(values):
            self.program.store(whole.array, place, j, value)

    @property
    def parent(self) -> Index:
        """Row of the parent."""
        return self.program.entry("parents", self.k)
