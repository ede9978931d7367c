"""The kinematic tree that algorithms are written over.

A tree hands out links in order and gives access to the numbers that belong to them, so that an algorithm reads as it
does in the book::

    for i in tree.outward():
        R[i], p[i] = tree.pose(i, q[i])
        w[i] = R[i].T @ w[i.parent] + ...

It is a loop over the rows of a table in `loop_tree`, one link after the other in `unrolled_tree`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Body, Kind, Node
from rbdkit.spatial.compact.rotation import TurnAboutZ
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector
from rbdkit.trace import Program, Scalar, Whole

CALLED_FROM_LINES = True
"""Messages of checked code name the lines that call what stands here."""


class Numbers:
    """A field of so many numbers, given and taken as a list."""

    def __init__(self, size: int) -> None:
        self.size = size

    def of(self, flat: Sequence[Scalar]) -> list[Scalar]:
        """The numbers."""
        return list(flat)


class Tree(ABC):
    """Links in order, and the arrays of a program that hold numbers of links and joints.

    Attributes
    ----------
    n, nq, nv : numbers of links without the world, of coordinates, of velocities.
    world : key of the world in fields.
    kinds : of links, each once.
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
        """Whether a joint follows another one."""
        return any(kind.follows for kind in self.kinds)

    @property
    def clustered(self) -> bool:
        """Whether joints that follow others can be eliminated together with these."""
        return any(kind.cluster for kind in self.kinds)

    @property
    def driven(self) -> bool:
        """Whether a joint moves as time says."""
        return any(kind.motion.driver is not None for kind in self.kinds)

    @abstractmethod
    def outward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        """Every link, parents before children.

        abreast : several at once, where limbs are alike: what is done for a link writes to what is its own or its
            parent's alone, and opens no loop. turned passes are so, too.
        turned : with parents whose axes are those that cyclic links start from, where it is a loop. All passes of an
            algorithm must agree, and fields of what is not in the axes of links must be `Numbers`.
        """

    @abstractmethod
    def inward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        """Every link, children before parents."""

    def freedoms(self) -> Iterator[Whole]:
        """The numbers of all velocities, 0 to nv - 1."""
        return self.each(self.nv)

    @abstractmethod
    def each(self, count: Whole) -> Iterator[Whole]:
        """The numbers from 0 to count - 1."""

    def row_of(self, link: Whole) -> Whole:
        """Where the work space of a link of that number begins."""
        return 0

    @abstractmethod
    def field(self, kind: Any) -> Any:
        """Room for a value of every link and the world: a mapping from links to values of a type such as `Vector`."""

    @abstractmethod
    def rotations(self) -> Any:
        """Room for the rotation of every link in its parent as it is handed."""

    @abstractmethod
    def of_freedoms(self, name: str, size: int) -> Any:
        """Room for so many numbers of every freedom: a mapping from numbers of velocities to lists."""

    @abstractmethod
    def joined(self, i: Body) -> Iterator[Whole]:
        """The freedoms of the clusters that are joined to a link or the world."""

    @abstractmethod
    def parameter(self, i: Node, k: int, after: Whole = 0) -> Scalar:
        """Number k of a link's row, or so many after it."""

    def coordinates(self, array: str, start: Whole = 0) -> JointArray:
        """q, or something of its size, that begins at `start` in an array."""
        return JointArray(self.program, array, start, "q")

    def velocities(self, array: str, start: Whole = 0) -> JointArray:
        """v, or something of its size, that begins at `start` in an array."""
        return JointArray(self.program, array, start, "v")

    def pose(self, i: Node, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
        """Rotation and position of a link in its parent as it is handed."""
        R_T, p_T = self.placement(i)
        R_J, p_J = self.joint_pose(i, q)
        return R_T @ R_J, p_T + R_T @ p_J

    def placement(self, i: Node) -> tuple[Matrix, Vector]:
        """Rotation and position of the frame that a link's joint starts from, in its parent as it is handed.

        A joint about an axis of the parent starts from axes that are turned about it at most.
        """
        if i.order is None:
            R_T = Matrix.of([self.parameter(i, k) for k in range(9)])
            return R_T, Vector(self.parameter(i, k) for k in range(9, 12))
        c, s = (self.parameter(i, 0, axis * 3) for axis in i.order[:2])
        return TurnAboutZ.by(c, -s), Vector(self.parameter(i, 9, axis) for axis in i.order)

    def joint_pose(self, i: Node, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
        """Rotation and position of a link in the frame that its joint starts from."""
        R, p = i.motion.pose(q, self.numbers(i))
        return R if i.order is None else TurnAboutZ.by(R[0][0], R[0][1]), p

    def inertia(self, i: Node) -> tuple[Scalar, Vector, Symmetric]:
        """Mass, first moment m c, and rotational inertia about the origin of a link."""
        m, *rest = (self.parameter(i, k) for k in range(12, 22))
        return m, Vector(rest[:3]), Symmetric(rest[3:])

    def numbers(self, i: Node) -> list[Scalar]:
        """What the formulas of a link's joint need besides its coordinates."""
        return [self.program.load("joint_numbers", i.numbers, k) for k in range(i.motion.numbers)]

    def axes(self, i: Node, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """S of a link's joint, column by column."""
        return i.motion.axes(q, self.numbers(i))

    def stretch(self, i: Node, q: JointArray) -> list[Scalar]:
        """Displacement of a link's joint from its springs' rest; zero if it has none."""
        sprung = i.kind.sprung and i.moves
        return i.motion.difference(self.coordinates("rest")[i], q[i]) if sprung else [0.0] * i.motion.nv

    def rotors(self, i: Node) -> list[Scalar]:
        """Inertia of the rotors on a link's axes."""
        return self.velocities("armature")[i] if i.kind.geared else [0.0] * i.motion.nv

    def ratio(self, i: Node) -> Scalar:
        """How fast a link's joint goes for each unit of the velocity that it has in the state."""
        return self.program.load("following", i.number * 2) if i.kind.follows else 1.0

    def collect(self, x: JointArray, i: Node, values: Sequence[Scalar]) -> None:
        """Take what acts along a link's axes to the numbers that it has in x.

        Where joints follow others, x must be zero before, for they add up.
        """
        if not self.coupled:
            x[i] = values
            return
        for k, value in enumerate(values):
            a = i.v + k
            x[a] = x[a] + self.ratio(i) * value

    def driver(self, i: Node, q: Sequence[Scalar], array: str) -> tuple[list[list[Scalar]], list[Scalar]]:
        """Axes of a joint that moves as time says, and its numbers in "driven_v" or "driven_a"; of others, nothing."""
        motion = i.motion.driver
        if motion is None:
            return [], []
        return motion.axes(q, self.numbers(i)), [self.program.load(array, i.v, k) for k in range(motion.nv)]

    def velocity_product(self, i: Node, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """c_J of a link's joint, six numbers: what its axes add as they change, by time or by q."""
        motion = i.motion.driver or i.motion
        if not motion.varying:
            return [0.0] * 6
        speed = self.driver(i, q, "driven_v")[1] if i.motion.driver else v
        return motion.velocity_product(q, speed, self.numbers(i))
