"""A tree as a loop over the rows of a table, so that one program serves all models with the same kinds of joints.

A pass over the links is one loop of the program. Its body cannot know at which link it is: parent, first coordinate and
first velocity are read from a table, and the link's kind selects a case of a switch. A generator yields a `Node` per
case, and the algorithm's own ``for`` loop, run once for each of them, records its body once for each kind.

Values of links live in the array "work": field after field, each with a fixed number of floats, and the numbers of one
link together (`LoopField`). Fields that are never read are dropped in the end (`work_space`). Values of freedoms and of
pairs of freedoms have arrays of their own, indexed by tables that follow the sparsity of the tree
(`rbdkit.engine.run.tables`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rbdkit.engine.steps.nodes import ENTRIES, FRAME, ROW, Body, BodyFrame, Kind, Node, most_numbers
from rbdkit.engine.steps.sizes import CARRIED, FOUR, MIXED, MOVED, MOVING, ZEROS
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.engine.steps.turned import threes
from rbdkit.engine.steps.work_space import without_unread
from rbdkit.spatial.compact.pose import Pose
from rbdkit.spatial.compact.rotation import TurnAboutZ
from rbdkit.spatial.vector3 import Matrix
from rbdkit.trace import Index, Program, Scalar, Whole

CALLED_FROM_LINES = True
"""Messages of checked code name the lines that call this module, not lines in it."""


class LoopTree(Tree):
    """Links as rows of a table: one program for all models that are made of these kinds.

    The program needs arrays "rows", "work", table "links", counts "n", "nq", "nv", "width"; for `bodies` also array
    "frames", table "bodies" and count "n_bodies".

    Parameters
    ----------
    program : to record into. kinds : in the order of the cases in the table.

    Attributes
    ----------
    stride : distance of consecutive numbers of a link in the work space.
    """

    stride = 1

    def __init__(self, program: Program, kinds: Sequence[Kind]) -> None:
        self.program = program
        program.zeros |= ZEROS
        self.kinds = tuple(kinds)
        self.n, self.nq, self.nv = (program.count(name) for name in ("n", "nq", "nv"))
        self.world = Body(0, 0)
        self._sizes: list[int] = []
        self._handed_on = 0

    def outward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        with self.program.loop(1, self.n + 1) as number:
            yield from self._nodes(number, turned)

    def inward(self, turned: bool = False, abreast: bool = False) -> Iterator[Node]:
        with self.program.loop(self.n, 0, -1) as number:
            yield from self._nodes(number, turned)

    def first(self) -> Iterator[Node]:
        """Yield the first link; there must be one."""
        with self.program.loop(1, 2) as number:
            yield from self._nodes(number)

    def _nodes(self, number: Index, turned: bool = False) -> Iterator[Node]:
        """Yield the link of that number, once for every kind that it may be."""
        program, first = self.program, number * ENTRIES
        program.numbered[number] = "link"
        case, parent, q, v = (program.entry("links", first + k) for k in range(ENTRIES))
        row, parameters, body = self.row_of(number), number * ROW, Body(parent, self.row_of(parent))
        numbers: Whole = number * program.count("most_numbers") if most_numbers(self.kinds) else 0
        # cyclic joints see their parent in permuted axes: by other addresses, at no cost
        order: tuple[Whole, Whole, Whole] | None = None
        seen = body
        if turned and any(kind.cyclic for kind in self.kinds):
            x, y, z = (program.entry("orders", number * 3 + k) for k in range(3))
            order = x, y, z
            seen = self._seen(body, order)
        # one body of code for each kind of link; `Program.switch` drops the jump if there is but one
        for k in program.switch(case, range(len(self.kinds))):
            own = (seen, order) if self.kinds[k].cyclic else (body, None)
            yield Node(number, row, parameters, numbers, self.kinds[k], own[0], q, v, order=own[1])

    def _seen(self, body: Body, order: tuple[Whole, Whole, Whole]) -> Body:
        """Return a body in the axes that a link on it starts from."""
        x, y, z = (body.row + axis * self.stride for axis in order)
        return Body(body.number, body.row, axes=(x, y, z))

    def row_of(self, link: Whole) -> Whole:
        return link * self.program.count("width")

    def bodies(self) -> Iterator[BodyFrame]:
        """Loop over the bodies of the model, the world first."""
        with self.program.loop(0, self.n_bodies) as number:
            yield self.body(number)

    def body(self, number: Index) -> BodyFrame:
        """Return the body of the model of that number."""
        self.program.numbered[number] = "body"
        link, place = self.program.entry("bodies", number), number * FRAME
        x = [self.program.load("frames", place, k) for k in range(FRAME)]
        return BodyFrame(number, Body(link, self.row_of(link)), Pose.of(x))

    def _part(self, first: str, of: Whole, step: int = 1) -> Iterator[Index]:
        """Loop over the places of a table that belong to a number; table `first` holds where they begin."""
        # as in compressed sparse rows: the part of a number ends where that of the next one begins
        start, stop = (self.program.entry(first, of + k) for k in (0, 1))
        with self.program.loop(start, stop, step) as place:
            yield place

    def supporting(self, a: Whole, itself: bool = True) -> Iterator[Index]:
        """Loop over the velocities on the path to velocity a, in order, a last, or left out.

        Needs tables "supports" and "first_support", which holds for each a where its part begins, and the end.
        """
        program = self.program
        start, stop = program.entry("first_support", a), program.entry("first_support", a + 1)
        with program.loop(start, stop if itself else stop - 1) as place:
            yield program.entry("supports", place)

    def fours(self, which: str, a: Whole) -> Iterator[list[Index]]:
        """Loop over ancestors ("supporting") or descendants ("supported") of velocity a, `FOUR` at a time.

        Needs tables of these names with "_fours", and "first_..." which holds for each a where its part begins, and the
        end.
        """
        table = f"{which}_fours"
        for place in self._part(f"first_{table}", a, FOUR):
            yield [self.program.entry(table, place + k) for k in range(FOUR)]

    def chunks(self, a: Whole) -> Iterator[tuple[int, Index, Index, Index]]:
        """Loop over the columns of row a of a matrix, `FOUR` at once, that may be nonzero by branch-induced sparsity.

        Yields the case (`MOVING`, `MOVED` or `MIXED`), the number of the four, the lane among them, and where its two
        masks begin. Needs tables "pair_chunks", of case and number, and "first_pair_chunk".
        """
        program = self.program
        for place in self._part("first_pair_chunk", a):
            case, chunk = (program.entry("pair_chunks", place * 2 + k) for k in range(2))
            for k in program.switch(case, [MOVING, MOVED, MIXED]):
                with program.loop(0, FOUR, wide=True, at_once=FOUR) as lane:
                    yield k, chunk, lane, place * (2 * FOUR) + lane

    def left_over(self, a: Whole) -> Iterator[Index]:
        """Loop over the velocities on the path to velocity a whose pairs with it are in no `chunks`.

        Needs tables "pair_singles" and "first_pair_single".
        """
        for place in self._part("first_pair_single", a):
            yield self.program.entry("pair_singles", place)

    def ordered(self, inward: bool = False) -> Iterator[Index]:
        """Loop over all velocities, ancestors before descendants, or after them.

        Needs table "ordered"; the numbers themselves run the other way in a reversed joint of several parts.
        """
        first, stop, step = (self.nv - 1, -1, -1) if inward else (0, self.nv, 1)
        with self.program.loop(first, stop, step) as place:
            yield self.program.entry("ordered", place)

    def path_to(self, link: Whole) -> Iterator[Node]:
        """Loop over the links from the world to a link, that link last.

        Needs tables "paths" and "first_path", which holds for each link where its part begins, and the end.
        """
        for place in self._part("first_path", link):
            yield from self._nodes(self.program.entry("paths", place))

    def path_from(self, link: Whole) -> Iterator[Node]:
        """Loop over the same links in reverse, that link first."""
        program = self.program
        start, stop = program.entry("first_path", link), program.entry("first_path", link + 1)
        with program.loop(stop - 1, start - 1, -1) as place:
            yield from self._nodes(program.entry("paths", place))

    @property
    def n_bodies(self) -> Index:
        """Number of bodies of the model, with the world."""
        return self.program.count("n_bodies")

    def each(self, count: Whole) -> Iterator[Whole]:
        with self.program.loop(0, count) as k:
            yield k

    def finish(self) -> int:
        """Return the work space per link in "work", the count "width" at run time. Nothing may be recorded after it."""
        return without_unread(self.program, self._sizes, self.stride)

    def field(self, kind: Any) -> LoopField:
        return LoopField(self.program, kind, self._room(kind.size), self.stride)

    def rotations(self) -> RotationField:
        return RotationField(self.program, Matrix, self._room(Matrix.size), self.stride)

    def _room(self, size: int) -> int:
        """Reserve a field of this size and return where it begins."""
        self._sizes.append(size)
        return sum(self._sizes) - size

    def of_freedoms(self, name: str, size: int) -> FreedomField:
        return FreedomField(self.program, name, size)

    def running(self, start: Mapping[str, Any]) -> Running:
        found = Running(self.program, start, self._handed_on)
        self._handed_on = found.end
        return found

    def joined(self, i: Body) -> Iterator[Index]:
        """Loop over the freedoms of clusters joined to a link.

        Needs tables "joined" and "first_joined", which holds for each link where its part begins, and the end.
        """
        for place in self._part("first_joined", i.number):
            yield self.program.entry("joined", place)

    def parameter(self, i: Node, k: int, after: Whole = 0) -> Scalar:
        return self.program.load("rows", i.parameters + after, k)


def slot_of(tree: LoopTree, i: Node) -> Whole:
    """Return where the freedoms of a link begin in "columns"."""
    return tree.program.entry("first_slot", i.number) if tree.coupled else i.v


class LoopField:
    """A value of every link, in the work space."""

    def __init__(self, program: Program, kind: Any, offset: int, stride: int) -> None:
        self.program = program
        self.kind = kind
        self.offset = offset
        self.stride = stride
        self._threes = threes(kind) if isinstance(kind, type) else None

    def __getitem__(self, i: Body) -> Any:
        return self.kind.of([self.program.load("work", *self._place(i, k)) for k in range(self.kind.size)])

    def __setitem__(self, i: Body, value: Any) -> None:
        for k, x in enumerate(value if isinstance(self.kind, Numbers) else value.flat()):
            self.program.store("work", *self._place(i, k), x)

    def _place(self, i: Body, k: int) -> tuple[Whole, int]:
        if self._threes is None:
            return i.row, (self.offset + k) * self.stride
        three, axis = self._threes[k]
        if i.axes is None:
            return i.row, (self.offset + 3 * three + axis) * self.stride
        return i.axes[axis], (self.offset + 3 * three) * self.stride


class RotationField(LoopField):
    """Rotations of links in their parents, in permuted axes if so handed; those of cyclic joints as cosine and sine."""

    def __getitem__(self, i: Body) -> Matrix:
        if not isinstance(i, Node) or i.order is None:
            return super().__getitem__(i)
        c, s = (self.program.load("work", i.row, (self.offset + k) * self.stride) for k in range(2))
        # a turn about one of the permuted axes: its cosine and sine are all of it
        return TurnAboutZ.by(c, -s)

    def __setitem__(self, i: Body, value: Matrix) -> None:
        if not isinstance(i, Node) or i.order is None:
            super().__setitem__(i, value)
            return
        for k in range(2):
            self.program.store("work", i.row, (self.offset + k) * self.stride, value[k][0])


class Running:
    """Values as attributes in the array "carried", since those of a block do not outlive a turn of a loop.

    end : on construction the first free place in the array, then that after these values.
    """

    def __init__(self, program: Program, start: Mapping[str, Any], end: int) -> None:
        places: dict[str, tuple[Any, int]] = {}
        for name, value in start.items():
            places[name] = type(value), end
            end += len(_flat(value))
        if end > CARRIED:
            raise ValueError(f"loops hand on {end} numbers from turn to turn; the array has room for {CARRIED}")
        self.__dict__.update(_program=program, _places=places, end=end)
        for name, value in start.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        kind, first = self._places[name]
        if kind is float:
            return self._program.load("carried", 0, first)
        return kind.of([self._program.load("carried", 0, first + k) for k in range(kind.size)])

    def __setattr__(self, name: str, value: Any) -> None:
        _, first = self._places[name]
        for k, x in enumerate(_flat(value)):
            self._program.store("carried", 0, first + k, x)


def _flat(value: Any) -> list[Scalar]:
    return value.flat() if hasattr(value, "flat") else [value]


class FreedomField:
    """A fixed number of values of every freedom, in an array of that name."""

    def __init__(self, program: Program, name: str, size: int) -> None:
        self.program, self.name, self.size = program, name, size

    def __getitem__(self, a: Whole) -> list[Scalar]:
        place = a * self.size
        return [self.program.load(self.name, place, k) for k in range(self.size)]

    def __setitem__(self, a: Whole, values: Sequence[Scalar]) -> None:
        place = a * self.size
        for k, x in enumerate(values):
            self.program.store(self.name, place, k, x)
