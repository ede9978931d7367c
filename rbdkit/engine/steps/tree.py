"""The kinematic tree that algorithms are written over.

A tree yields links in order and gives access to the numbers that belong to them, so that an algorithm reads as it
does in the book::

    for i in tree.outward():
        R[i], p[i] = tree.pose(i, q[i])
        w[i] = R[i].T @ w[i.parent] + ...

It is a loop over the rows of a table in `loop_tree`, one link after the other in `unrolled_tree`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Body, Kind, Node
from rbdkit.spatial.compact.rotation import TurnAboutZ
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector
from rbdkit.trace import Program, Scalar, Whole

CALLED_FROM_LINES = True
"""Messages of checked code name the lines that call this module, not lines in it."""


class Numbers:
    """Type of a field with a fixed number of scalars, read and written as a list."""

    def __init__(self, size: int) -> None:
        self.size = size

    def of(self, flat: Sequence[Scalar]) -> list[Scalar]:
        """Return the scalars as a list."""
        return list(flat)


class Tree(ABC):
    """Links in order, and the arrays of a program that hold numbers of links and joints.

    Attributes
    ----------
    n, nq, nv : numbers of links without the world, of coordinates, of velocities.
    world : key of the world in fields.
    kinds : kinds of links, each once.
    """

    program: Program
    n: Whole
    nq: Whole
    nv: Whole
    world: Body
    kinds: tuple[Kind, ...]

    @property
    def most_axes(self) -> int:
        """Largest number of freedoms of a joint."""
        return max((kind.motion.nv for kind in self.kinds), default=0)

    @property
    def coupled(self) -> bool:
        """Whether there is a mimic joint."""
        return any(kind.follows for kind in self.kinds)

    @property
    def clustered(self) -> bool:
        """Whether mimic joints can be eliminated together with their masters."""
        return any(kind.cluster for kind in self.kinds)

    @property
    def driven(self) -> bool:
        """Whether there is a prescribed joint."""
        return any(kind.motion.driver is not None for kind in self.kinds)

    @abstractmethod
    def outward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        """Loop over the links, parents before children.

        abreast : whether isomorphic subtrees may run in SIMD lanes: what is done for a link must then write only to
            what is its own or its parent's alone, and open no loop. `turned` passes may, too.
        turned : whether parents are in the permuted axes that cyclic links start from, where it is a loop. All passes
            of an algorithm must agree, and fields of what is not in the axes of links must be `Numbers`.
        """

    @abstractmethod
    def inward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        """Loop over the links, children before parents."""

    def freedoms(self) -> Iterator[Whole]:
        """Loop over all velocities, 0 to nv - 1."""
        return self.each(self.nv)

    @abstractmethod
    def each(self, count: Whole) -> Iterator[Whole]:
        """Loop over the numbers from 0 to count - 1."""

    def row_of(self, link: Whole) -> Whole:
        """Return where the work space of a link begins."""
        return 0

    @abstractmethod
    def field(self, kind: Any) -> Any:
        """Return room for a value of every link and the world: a mapping from links to values such as `Vector`."""

    @abstractmethod
    def rotations(self) -> Any:
        """Return room for the rotation of every link in its parent, in permuted axes if so handed."""

    @abstractmethod
    def of_freedoms(self, name: str, size: int) -> Any:
        """Return room for `size` numbers of every freedom: a mapping from velocities to lists."""

    @abstractmethod
    def running(self, start: Mapping[str, Any]) -> Any:
        """Return values by name, as attributes, that a loop hands from turn to turn; start : with which they begin."""

    @abstractmethod
    def joined(self, i: Body) -> Iterator[Whole]:
        """Loop over the freedoms of the clusters that are joined to a link or the world."""

    @abstractmethod
    def parameter(self, i: Node, k: int, after: Whole = 0) -> Scalar:
        """Load number k of a link's row, `after` numbers further on."""

    def coordinates(self, array: str, start: Whole = 0) -> JointArray:
        """Return an array of coordinates, such as q, that begins at `start`."""
        return JointArray(self.program, array, start, "q")

    def velocities(self, array: str, start: Whole = 0) -> JointArray:
        """Return an array of joint numbers, such as v, that begins at `start`."""
        return JointArray(self.program, array, start, "v")

    def pose(self, i: Node, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
        """Return rotation and position of a link in its parent, in permuted axes if so handed."""
        R_T, p_T = self.placement(i)
        R_J, p_J = self.joint_pose(i, q)
        return R_T @ R_J, p_T + R_T @ p_J

    def placement(self, i: Node) -> tuple[Matrix, Vector]:
        """Return rotation and position, in the parent as it is handed, of the frame that a link's joint starts from.

        For a joint about an axis of the parent the frame differs from the permuted axes by a turn about that axis
        alone.
        """
        if i.order is None:
            R_T = Matrix.of([self.parameter(i, k) for k in range(9)])
            return R_T, Vector(self.parameter(i, k) for k in range(9, 12))
        # the first column of the rotation, in the order of the permuted axes, has cosine and sine
        c, s = (self.parameter(i, 0, axis * 3) for axis in i.order[:2])
        return TurnAboutZ.by(c, -s), Vector(self.parameter(i, 9, axis) for axis in i.order)

    def joint_pose(self, i: Node, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
        """Return rotation and position of a link in the frame that its joint starts from."""
        R, p = i.motion.pose(q, self.numbers(i))
        return R if i.order is None else TurnAboutZ.by(R[0][0], R[0][1]), p

    def inertia(self, i: Node) -> tuple[Scalar, Vector, Symmetric]:
        """Return mass, first moment m c, and rotational inertia about the origin of a link."""
        m, *rest = (self.parameter(i, k) for k in range(12, 22))
        return m, Vector(rest[:3]), Symmetric(rest[3:])

    def numbers(self, i: Node) -> list[Scalar]:
        """Return the parameters of the formulas of a link's joint."""
        return [self.program.load("joint_numbers", i.numbers, k) for k in range(i.motion.numbers)]

    def axes(self, i: Node, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """Return S of a link's joint, column by column."""
        return i.motion.axes(q, self.numbers(i))

    def rotors(self, i: Node) -> list[Scalar]:
        """Return the inertia of the rotors on a link's axes."""
        return self.velocities("armature")[i] if i.kind.geared else [0.0] * i.motion.nv

    def ratio(self, i: Node) -> Scalar:
        """Return the velocity of a link's joint per unit of the velocity in the state; 1 but for mimic joints."""
        return self.program.load("following", i.number * 2) if i.kind.follows else 1.0

    def collect(self, x: JointArray, i: Node, values: Sequence[Scalar]) -> None:
        """Store joint forces of a link in x; those of mimic joints are added to their master's.

        With mimic joints x must be zero before.
        """
        if not self.coupled:
            x[i] = values
            return
        for k, value in enumerate(values):
            a = i.v + k
            # power balance: what a mimic joint feels acts on its master times the ratio of their velocities
            x[a] = x[a] + self.ratio(i) * value

    def driver(self, i: Node, q: Sequence[Scalar], array: str) -> tuple[list[list[Scalar]], list[Scalar]]:
        """Return axes of a prescribed joint, and its numbers in "driven_v" or "driven_a"; nothing for other joints."""
        motion = i.motion.driver
        if motion is None:
            return [], []
        return motion.axes(q, self.numbers(i)), [self.program.load(array, i.v, k) for k in range(motion.nv)]

    def velocity_product(self, i: Node, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Return c_J of a link's joint, six numbers, from the change of its axes by time or by q."""
        # a prescribed joint has no freedoms; its formulas are those of the joint inside
        motion = i.motion.driver or i.motion
        if not motion.varying:
            return [0.0] * 6
        speed = self.driver(i, q, "driven_v")[1] if i.motion.driver else v
        return motion.velocity_product(q, speed, self.numbers(i))
