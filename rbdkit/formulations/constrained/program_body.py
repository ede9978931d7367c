"""Fields of a body in a program: named rows of arrays, one row for each body.

Programs have arrays and loops, no objects. What a pass of `tree_program` leaves for a later one (a twist, an
articulated inertia) is a field: an array with a fixed number of entries for each body, the world first. `ProgramBody`
gives a pass access to the fields of the body that it has reached, and of the parent, with the types of
`rbdkit.spatial.compact`. Parameters of bodies stand in one array "numbers" with `NUMBERS` entries for each.

Axes and their pseudo-inverse are padded with zeros to six, so that all joints have rows of one size; a `Kind` says how
many count.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from rbdkit.engine.rows.moving_joint import MOST_COORDINATES
from rbdkit.spatial.compact import Pose, mv, plx, rbi
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Index, Part, Program, Scalar, Whole

FIELDS = {"R": 9, "r": 3, "V": 6, "X": 12, "drift": 6, "IA": 21, "pA": 6, "qd": 6, "factors": 63, "A": 6}
"""Fields of every stage and their sizes; row 0 is the world. Pose R, r and twist V, pose X in the parent, velocity
products, articulated inertia and bias force, joint velocities, factors of the elimination, acceleration A."""
FORCE_FIELDS = {"spring": 6}
"""Fields of springs: joint forces."""
LOOP_FIELDS = {"dp": 6, "du": 6, "dA": 6}
"""Fields of the response to a loop's reaction."""
CORRECTED_FIELDS = {"guess_A": 6}
"""Fields of corrected accelerations."""
MOVING_FIELDS = {"own_q": MOST_COORDINATES, "axes": 36, "rates": 36, "c_J": 6, "sigma": 6}
"""Fields of joints, if axes of some are not constant: coordinates, S by columns, S^+ by rows, velocity product, and the
prescribed twist."""
IMPLICIT_FIELDS = {"along_x": 6, "along_v": 6, "of_joint": 6}
"""Fields of linearly implicit steps: directions of displacements and of twists, and changes of joint forces."""
SIZES = FIELDS | FORCE_FIELDS | LOOP_FIELDS | CORRECTED_FIELDS | MOVING_FIELDS | IMPLICIT_FIELDS
INERTIA, AXES, RATES, DAMPING, ARMATURE, STIFFNESS, REST = 0, 10, 46, 82, 88, 94, 100
NUMBERS = REST + MOST_COORDINATES
"""Places of the parameters of a body: m, m c, I; S by columns; S^+ by rows; damping, armature, stiffness on each axis;
coordinates of the spring's rest; and their end."""


@dataclass(frozen=True)
class Kind:
    """Kind of a body: bodies of one kind share code.

    freedoms : number of freedoms of its joint. damped, sprung : whether the joint has dampers, springs.
    form : formula of the joint's coordinates; "" if they are not needed. closes : formula of the closure error, for
    methods that project in every step; "" for others. moving : traced formulas of axes that are not constant, or None.
    """

    freedoms: int
    damped: bool
    sprung: bool = False
    form: str = ""
    closes: str = ""
    moving: Hashable = None


class ProgramBody:
    """The body that a pass has reached: access to its fields.

    moves : whether axes of joints are computed at each state.
    """

    def __init__(self, program: Program, k: Index, moves: bool = False) -> None:
        self.program, self.k, self.row, self.moves = program, k, k + 1, moves
        self.first = k * NUMBERS

    def axes(self) -> list[Scalar]:
        """Return S by columns, filled up with zeros."""
        return self.get("axes") if self.moves else self.given(AXES, 36)

    def rates(self) -> list[Scalar]:
        """Return S^+ by rows, filled up with zeros."""
        return self.get("rates") if self.moves else self.given(RATES, 36)

    def slip(self) -> list[Scalar]:
        """Return the twist of a body relative to its parent, without the prescribed part, in its own coordinates."""
        apart = (self.motion("V") - self.carried("V")).flat()
        return [a - s for a, s in zip(apart, self.get("sigma"), strict=True)] if self.moves else apart

    def place(self, name: str) -> Whole:
        """Return the place of a field of this body."""
        return self.row * SIZES[name]

    def get(self, name: str, row: Whole | None = None) -> list[Scalar]:
        """Return a field of this body, or of that in another row."""
        size = SIZES[name]
        place = (self.row if row is None else row) * size
        return [self.program.load(name, place, j) for j in range(size)]

    def put(self, name: str, values: Sequence[Scalar], row: Whole | None = None) -> None:
        """Store a field."""
        place = (self.row if row is None else row) * SIZES[name]
        for j, value in enumerate(values):
            self.program.store(name, place, j, value)

    def motion(self, name: str, row: Whole | None = None) -> mv:
        """Return a field of six numbers."""
        return mv.of(self.get(name, row))

    def pose(self, row: Whole | None = None) -> Pose:
        """Return the pose in the world of this body, or of that in another row."""
        return Pose(Matrix.of(self.get("R", row)), Vector(self.get("r", row)))

    @property
    def X(self) -> plx:
        """The transform from the parent to the body."""
        return Pose.of(self.get("X")).X

    def carried(self, name: str) -> mv:
        """Return the motion of the parent in coordinates of the body: that of the body if the joint does not move."""
        return self.X @ self.motion(name, self.parent)

    def inertia(self) -> rbi:
        """Return the inertia of the body."""
        return rbi.of(self.given(INERTIA, 10))

    def given(self, first: int, size: int) -> list[Scalar]:
        """Return parameters of the body, see `INERTIA` and the others."""
        return [self.program.load("numbers", self.first, first + j) for j in range(size)]

    def state(self, whole: Part, size: int) -> list[Scalar]:
        """Return the body's part of an array with `size` numbers for each body but the world."""
        place = self.k * size + whole.start
        return [self.program.load(whole.array, place, j) for j in range(size)]

    def put_state(self, whole: Part, values: Sequence[Scalar]) -> None:
        """Store the body's part of such an array."""
        place = self.k * len(values) + whole.start
        for j, value in enumerate(values):
            self.program.store(whole.array, place, j, value)

    @property
    def parent(self) -> Index:
        """Row of the parent in all fields."""
        return self.program.entry("parents", self.k)
