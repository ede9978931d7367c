"""The kinematic tree that algorithms are written over: as a loop over the rows of a table, or one link after the other.

A *link* is a rigid body with one of the joints of `motions`. Both trees hand out links in order and give access to the
numbers that belong to them, so that an algorithm reads as it does in the book::

    for i in tree.outward():
        R[i], p[i] = tree.pose(i, q[i])
        w[i] = R[i].T @ w[i.parent] + ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rbdkit.engine.graph import Scalar
from rbdkit.engine.program import Index, Program, Whole
from rbdkit.engine.steps.motions import MOTIONS, Motion
from rbdkit.engine.steps.vectors import Matrix, Symmetric, Vector

ROW = 23
"""Numbers of a link in "rows": rotation 9, position 3, mass, first moment 3, inertia about the origin 6, pitch."""
FRAME = 12
"""Numbers of a body in the array "frames": rotation 9 and position 3 of its frame in the frame of its link."""
ENTRIES = 4
"""Entries of a link in the table "links": kind, parent, first coordinate, first velocity."""


@dataclass(frozen=True)
class Kind:
    """What links have in common that one piece of code serves.

    motion_name : of the joint. geared : whether it has a rotor. sprung : whether it has a spring, where that costs
        much. follows : whether its joint follows another one, whose numbers it has times a ratio.
    """

    motion_name: str
    geared: bool = False
    sprung: bool = True
    follows: bool = False

    @property
    def motion(self) -> Motion:
        """What the joint allows."""
        return MOTIONS[self.motion_name]


@dataclass(frozen=True)
class Link:
    """The joint and place of one link. parent : number of a link, 0 for the world. q, v : first of its numbers."""

    kind: Kind
    parent: int
    q: int
    v: int


@dataclass(frozen=True)
class Body:
    """A link that an algorithm may read and write fields of.

    number : its number. row : where its work space begins.
    """

    number: Whole
    row: Whole


@dataclass(frozen=True)
class Node(Body):
    """The link that a pass over the tree has come to. parameters : where its row of "rows" begins."""

    parameters: Whole
    kind: Kind
    parent: Body
    q: Whole
    v: Whole

    @property
    def motion(self) -> Motion:
        """What its joint allows."""
        return self.kind.motion

    @property
    def moves(self) -> bool:
        """Whether there are numbers in the state that belong to this link alone."""
        return self.motion.nv > 0 and not self.kind.follows


@dataclass(frozen=True)
class BodyFrame:
    """A body of the model, fixed to a link. R, p : pose of its frame in the frame of the link."""

    number: Whole
    link: Body
    R: Matrix
    p: Vector


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
    def driven(self) -> bool:
        """Whether a joint moves as time says."""
        return any(kind.motion.driver is not None for kind in self.kinds)

    @abstractmethod
    def outward(self) -> Iterator[Node]:
        """Every link, parents before children."""

    @abstractmethod
    def inward(self) -> Iterator[Node]:
        """Every link, children before parents."""

    @abstractmethod
    def freedoms(self) -> Iterator[Whole]:
        """The numbers of all velocities, 0 to nv - 1."""

    @abstractmethod
    def field(self, kind: Any) -> Any:
        """Room for a value of every link and the world: a mapping from links to values of a type such as `Vector`."""

    @abstractmethod
    def parameter(self, i: Node, k: int) -> Scalar:
        """Number k of a link's row."""

    def coordinates(self, array: str, start: Whole = 0) -> JointArray:
        """q, or something of its size, that begins at `start` in an array."""
        return JointArray(self.program, array, start, "q")

    def velocities(self, array: str, start: Whole = 0) -> JointArray:
        """v, or something of its size, that begins at `start` in an array."""
        return JointArray(self.program, array, start, "v")

    def pose(self, i: Node, q: Sequence[Scalar]) -> tuple[Matrix, Vector]:
        """Rotation and position of a link in its parent."""
        R_T = Matrix.of([self.parameter(i, k) for k in range(9)])
        p_T = Vector(self.parameter(i, k) for k in range(9, 12))
        R_J, p_J = i.motion.pose(q, self.parameter(i, 22))
        return R_T @ R_J, p_T + R_T @ p_J

    def inertia(self, i: Node) -> tuple[Scalar, Vector, Symmetric]:
        """Mass, first moment m c, and rotational inertia about the origin of a link."""
        m, *rest = (self.parameter(i, k) for k in range(12, 22))
        return m, Vector(rest[:3]), Symmetric(rest[3:])

    def axes(self, i: Node) -> list[list[Scalar]]:
        """S of a link's joint, column by column."""
        return i.motion.axes(self.parameter(i, 22))

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

    def driver(self, i: Node, array: str) -> tuple[list[list[Scalar]], list[Scalar]]:
        """Axes of a joint that moves as time says, and its numbers in "driven_v" or "driven_a"; of others, nothing."""
        motion = i.motion.driver
        if motion is None:
            return [], []
        return motion.axes(self.parameter(i, 22)), [self.program.load(array, i.v, k) for k in range(motion.nv)]


class LoopTree(Tree):
    """Links as rows of a table: one program for all models that are made of these kinds.

    The program needs arrays "rows", "work", table "links", counts "n", "nq", "nv", "width"; for `bodies` also array
    "frames", table "bodies" and count "n_bodies".

    Parameters
    ----------
    program : to record into. kinds : in the order of the cases in the table.

    Attributes
    ----------
    width : numbers that each link needs in "work"; the count of that name when the program runs.
    """

    def __init__(self, program: Program, kinds: Sequence[Kind]) -> None:
        self.program = program
        self.kinds = tuple(kinds)
        self.n, self.nq, self.nv = (program.count(name) for name in ("n", "nq", "nv"))
        self.world = Body(0, 0)
        self.width = 0

    def outward(self) -> Iterator[Node]:
        with self.program.loop(1, self.n + 1) as number:
            yield from self._nodes(number)

    def inward(self) -> Iterator[Node]:
        with self.program.loop(self.n, 0, -1) as number:
            yield from self._nodes(number)

    def _nodes(self, number: Index) -> Iterator[Node]:
        """The link of that number, once for every kind that it may be."""
        program, width = self.program, self.program.count("width")
        first = number * ENTRIES
        case, parent, q, v = (program.entry("links", first + k) for k in range(ENTRIES))
        row, parameters, body = number * width, number * ROW, Body(parent, parent * width)
        for k in program.switch(case, range(len(self.kinds))):
            yield Node(number, row, parameters, self.kinds[k], body, q, v)

    def bodies(self) -> Iterator[BodyFrame]:
        """Every body of the model, the world first."""
        program = self.program
        with program.loop(0, self.n_bodies) as number:
            link, place = program.entry("bodies", number), number * FRAME
            x = [program.load("frames", place, k) for k in range(FRAME)]
            yield BodyFrame(number, Body(link, link * program.count("width")), Matrix.of(x[:9]), Vector(x[9:]))

    def supporting(self, a: Whole, itself: bool = True) -> Iterator[Index]:
        """Numbers of the velocities that move what velocity a moves, in order, a last, or left out.

        Needs tables "supports" and "first_support", which holds for each a where its part begins, and the end.
        """
        program = self.program
        start, stop = program.entry("first_support", a), program.entry("first_support", a + 1)
        with program.loop(start, stop if itself else stop - 1) as place:
            yield program.entry("supports", place)

    def ordered(self, inward: bool = False) -> Iterator[Index]:
        """Numbers of all velocities, those that move others before them, or after them.

        Needs table "ordered"; the numbers themselves run the other way in a reversed joint of several parts.
        """
        first, stop, step = (self.nv - 1, -1, -1) if inward else (0, self.nv, 1)
        with self.program.loop(first, stop, step) as place:
            yield self.program.entry("ordered", place)

    def path_to(self, link: Whole) -> Iterator[Node]:
        """The links between the world and a link, in order, that link last.

        Needs tables "paths" and "first_path", which holds for each link where its part begins, and the end.
        """
        program = self.program
        with program.loop(program.entry("first_path", link), program.entry("first_path", link + 1)) as place:
            yield from self._nodes(program.entry("paths", place))

    def path_from(self, link: Whole) -> Iterator[Node]:
        """The same links, that one first."""
        program = self.program
        start, stop = program.entry("first_path", link), program.entry("first_path", link + 1)
        with program.loop(stop - 1, start - 1, -1) as place:
            yield from self._nodes(program.entry("paths", place))

    @property
    def n_bodies(self) -> Index:
        """Number of bodies of the model, with the world."""
        return self.program.count("n_bodies")

    def freedoms(self) -> Iterator[Whole]:
        with self.program.loop(0, self.nv) as k:
            yield k

    def field(self, kind: Any) -> LoopField:
        self.width += kind.size
        return LoopField(self.program, kind, self.width - kind.size)

    def parameter(self, i: Node, k: int) -> Scalar:
        return self.program.load("rows", i.parameters, k)


class LoopField:
    """A value of every link, in the work space."""

    def __init__(self, program: Program, kind: Any, offset: int) -> None:
        self.program = program
        self.kind = kind
        self.offset = offset

    def __getitem__(self, i: Body) -> Any:
        return self.kind.of([self.program.load("work", i.row, self.offset + k) for k in range(self.kind.size)])

    def __setitem__(self, i: Body, value: Any) -> None:
        for k, x in enumerate(value if isinstance(self.kind, Numbers) else value.flat()):
            self.program.store("work", i.row, self.offset + k, x)


class UnrolledTree(Tree):
    """The links of one model, one after the other: straight-line code.

    Parameters
    ----------
    program : to record into. links : in order, without the world. fixed : numbers of "rows" that are known, by
        position; they become part of the code.
    """

    def __init__(self, program: Program, links: Sequence[Link], nq: int, nv: int, fixed: Mapping[int, float]) -> None:
        self.program = program
        self.fixed = fixed
        self.n: int = len(links)
        self.nq: int = nq
        self.nv: int = nv
        bodies = [Body(number, 0) for number in range(len(links) + 1)]
        self.world = bodies[0]
        self._nodes = [
            Node(number, 0, number * ROW, link.kind, bodies[link.parent], link.q, link.v)
            for number, link in enumerate(links, start=1)
        ]
        self.kinds = tuple({link.kind: None for link in links})

    def outward(self) -> Iterator[Node]:
        return iter(self._nodes)

    def inward(self) -> Iterator[Node]:
        return reversed(self._nodes)

    def path(self, i: Node) -> Iterator[Node]:
        """The links on the way from a link to the world, without either."""
        while (number := i.parent.number) != 0:
            assert isinstance(number, int)
            i = self._nodes[number - 1]
            yield i

    def freedoms(self) -> Iterator[Whole]:
        return iter(range(self.nv))

    def field(self, kind: Any) -> UnrolledField:
        return UnrolledField()

    def parameter(self, i: Node, k: int) -> Scalar:
        assert isinstance(i.parameters, int)
        place = i.parameters + k
        return self.fixed[place] if place in self.fixed else self.program.load("rows", place)


class UnrolledField(dict[int, Any]):
    """A value of every link, kept as it is."""

    def __getitem__(self, i: Body) -> Any:  # type: ignore[override]
        assert isinstance(i.number, int)
        return super().__getitem__(i.number)

    def __setitem__(self, i: Body, value: Any) -> None:  # type: ignore[override]
        assert isinstance(i.number, int)
        super().__setitem__(i.number, value)


class JointValues(Protocol):
    """Something that gives the numbers of a link's joint."""

    def __getitem__(self, i: Node, /) -> list[Scalar]:
        """One for each freedom."""
        ...


class JointArray:
    """Numbers of joints in an array: ``x[i]`` is the list that belongs to link i, ``x[k]`` number k.

    Of a joint that follows another one they are made from the leader's, with "following", ratio and offset of a link.
    Coordinates of joints that move as time says stand in "driven_q".
    """

    def __init__(self, program: Program, array: str, start: Whole, which: str) -> None:
        self.program = program
        self.array = array
        self.start = start
        self.which = which

    def __getitem__(self, i: Node | Whole) -> Any:
        if isinstance(i, Node):
            array, place, size = self._part(i)
            own = [self.program.load(array, place, k) for k in range(size)]
            return self._following(i, own) if i.kind.follows else own
        return self.program.load(self.array, i + self.start)

    def __setitem__(self, i: Node | Whole, value: Any) -> None:
        if isinstance(i, Node):
            array, place, _ = self._part(i)
            for k, x in enumerate(value):
                self.program.store(array, place, k, x)
        else:
            self.program.store(self.array, i + self.start, 0, value)

    def _part(self, i: Node) -> tuple[str, Whole, int]:
        """In which array and where the numbers of a link begin, and how many they are."""
        if self.which == "v":
            return self.array, i.v + self.start, i.motion.nv
        if i.motion.driver is not None:
            return "driven_q", i.q, i.motion.nq
        return self.array, i.q + self.start, i.motion.nq

    def _following(self, i: Node, own: list[Scalar]) -> list[Scalar]:
        place = i.number * 2
        ratio = self.program.load("following", place)
        offset = self.program.load("following", place, 1) if self.which == "q" else 0.0
        return [ratio * x + offset for x in own]
