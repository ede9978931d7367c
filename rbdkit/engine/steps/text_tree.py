"""A tree as the functions of `rbdkit.algorithms` see a `Model`, made of symbols.

The functions that a student reads are called as they stand, so compiled code cannot differ from the text of the
algorithm. What they index by a body (``model.parent[i]``, ``X[i]``) is here an object that loads from and stores to the
arrays of a program, and i is a `Node`. The function's ``for`` loop runs over a generator, once for each kind of link,
and so records the body of a loop over all links.

An algorithm gets its arrays by `TextTree.room`, by the type of what they hold: transforms are stored as rotation and
position, inertias by their independent numbers, and the motion subspace is not stored at all where it is constant.
Where links share a freedom (mimic joints), sums and groups are taken care of in these objects, and the text stays the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rbdkit.engine.steps.axes import Axes, along
from rbdkit.engine.steps.base import BaseFrames
from rbdkit.engine.steps.clusters import JointGroups
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.compact import (
    Coriolis,
    Diagonal,
    Forces,
    JointBlock,
    JointMatrix,
    JointVector,
    Pose,
    Subspace,
    abi,
    fv,
    mv,
    plx,
    rbi,
)
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Scalar, Vector
from rbdkit.trace import Program, Whole


def recording(text: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, typed to take a `TextTree` and symbols in place of a model and numbers."""
    return text


AT_WORLD: dict[Any, Any] = {
    mv: mv(ZERO, ZERO),
    fv: fv(ZERO, ZERO),
    abi: abi.of([0.0] * 21),
    rbi: rbi.of([0.0] * 10),
    Coriolis: Coriolis.of([0.0] * 12),
    float: 0.0,
    Vector: ZERO,
    plx: plx(IDENTITY, ZERO),
}
"""Value of the world with which the room of each type begins, and what loops hand from turn to turn."""
OF_JOINTS = {Forces: lambda nv: 6 * nv, JointMatrix: lambda nv: nv * (nv + 1) // 2, JointVector: lambda nv: nv}
"""Numbers of a joint-dependent value, by its type and the joint's number of freedoms."""


class TextTree:
    """Links in place of bodies: index i of an algorithm is a `Node`, that of the world 0.

    Parameters
    ----------
    tree : that is recorded.
    q : coordinates.
    results : arrays of the program for the results that an algorithm names.
    gravity : None for that of the model.
    grouped : whether links that share a freedom are eliminated together, and not each by itself, see `clusters`.
    base : where transforms from base coordinates are kept, for algorithms with all values in these. Without it values
        are in the axes of links, and parents so handed as cyclic links start from, see `turned`.
    """

    recorded = True

    name = "program"
    mimics = loops = constraints = ()  # what algorithms refuse never gets here
    acting = ()  # force elements are recorded by `own_forces`

    def __init__(
        self,
        tree: Tree,
        q: JointArray,
        results: Mapping[str, JointArray],
        gravity: Vector | None = None,
        grouped: bool = False,
        base: BaseFrames | None = None,
    ) -> None:
        self.tree, self.results, self.grouped, self.base = tree, results, grouped and tree.clustered, base
        self.axes = Axes(tree, q)
        self._gravity = gravity
        self.parent, self.joints, self.I, self.X_tree = (
            _Parents(),
            _Joints(tree, self.grouped),
            _Inertias(tree),
            _Placements(tree),
        )

    @property
    def gravity(self) -> Vector:
        """Gravity in the world, m/s^2."""
        if self._gravity is not None:
            return self._gravity
        return Vector(self.tree.program.load("gravity", 0, k) for k in range(3))

    @property
    def outward(self) -> Iterator[Node]:
        """Every link, parents before children."""
        return self.tree.outward(turned=self.base is None, abreast=True)

    @property
    def inward(self) -> Iterator[Node]:
        """Every link, children before parents."""
        return self.tree.inward(turned=self.base is None, abreast=True)

    def room(self, kind: Any) -> Any:
        """Return room for a value of every link, see `rbdkit.algorithms.room.room`."""
        if kind is Subspace:
            return _Subspaces(self.axes, self.grouped)
        if kind in OF_JOINTS:
            return _JointRoom(self.tree, kind, self.grouped)
        if kind is plx:
            return _Transforms(self.tree)
        if kind is Pose:
            return WorldPoses(self.tree)
        return _Room(self.tree, kind)

    def running(self, kinds: Mapping[str, Any]) -> Any:
        """Return values that a loop hands from turn to turn, see `rbdkit.algorithms.room.running`."""
        return self.tree.running({name: AT_WORLD[kind] for name, kind in kinds.items()})

    def from_base(self) -> BaseFrames | None:
        """Return room for transforms from base coordinates."""
        return self.base

    def from_world(self) -> FromWorld:
        """Return room for transforms from the world."""
        return FromWorld(self.tree)

    def joint_groups(self, tau: Any) -> JointGroups | None:
        """Return the joint groups with a shared freedom, if they are eliminated together."""
        return JointGroups(self.tree, self.axes, tau.x, self.results["qdd"], self.room(fv)) if self.grouped else None

    def joint_room(self, name: str) -> _Sums:
        """Return room for numbers of joints that an algorithm sums up."""
        return _Sums(self.tree, self.results[name])

    def matrix_room(self, name: str) -> _Blocks:
        """Return room for a matrix that an algorithm computes block by block."""
        return _Blocks(self.results[name], self.tree.nv)

    def jacobian_room(self, name: str) -> _Columns:
        """Return room for a Jacobian that an algorithm computes joint by joint."""
        return _Columns(self.tree, self.results[name])

    def frame(self, name: str) -> PlacedFrame:
        """Return the frame that the program is given."""
        return PlacedFrame(self.tree.program)

    def support(self, link: Whole) -> PathTo:
        """Return the links that support a link, from the base outward; it can be reversed."""
        assert isinstance(self.tree, LoopTree)
        return PathTo(self.tree, link)

    def joint_values(self, name: str) -> _Found:
        """Return room for numbers that an algorithm computes joint by joint."""
        return _Found(self.results[name], self.grouped)


class _Parents:
    def __getitem__(self, i: Node) -> Body:
        return i.parent


class _Joints:
    def __init__(self, tree: Tree, grouped: bool) -> None:
        self.tree, self.grouped = tree, grouped

    def __getitem__(self, i: Node) -> LinkJoint:
        return LinkJoint(self.tree, i, bool(self.grouped and i.kind.cluster))


class _Inertias:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def __getitem__(self, i: Node) -> rbi:
        return rbi(*self.tree.inertia(i))


class _Placements:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def __getitem__(self, i: Node) -> plx:
        R, p = self.tree.placement(i)
        return plx(R.T, p)


class LinkJoint:
    """The joint of a link, see `rbdkit.model.Joint`."""

    mimic = None  # `JointArray` converts the numbers of mimic joints to and from their master's

    def __init__(self, tree: Tree, i: Node, of_group: bool) -> None:
        self.tree, self.v_slice, self.i, self.of_group = tree, i, i, of_group

    @property
    def name(self) -> str:
        """Name for messages, of which a program has none."""
        return self.i.motion.name

    @property
    def armature(self) -> Diagonal:
        """Inertia of the rotors."""
        return Diagonal([] if self.of_group else self.tree.rotors(self.i))

    @property
    def stiffness(self) -> JointVector:
        """Stiffness of the spring."""
        return JointVector(self.tree.velocities("stiffness")[self.i])

    @property
    def damping(self) -> JointVector:
        """Viscous damping."""
        return JointVector(self.tree.velocities("damping")[self.i])

    def velocities(self, v: JointValues) -> JointVector:
        """The joint's own velocities."""
        return JointVector(v[self.i])

    def stretch(self, q: JointArray) -> JointVector:
        """Displacement from the rest of the joint's spring; zero if it has none."""
        i = self.i
        if not (i.kind.sprung and i.moves):
            return JointVector([0.0] * i.motion.nv)
        return JointVector(i.motion.difference(self.tree.coordinates("rest")[i], q[i]))

    def local_force(self, u: JointVector, force: JointVector) -> JointVector:
        """A.T force."""
        return JointVector(self.i.motion.local_force(u, force))

    def transform(self, q: JointArray, t: float = 0.0) -> plx:
        """X_J."""
        R, p = self.tree.joint_pose(self.i, q[self.i])
        return plx(R.T, p)

    def pose(self, q: JointArray, t: float = 0.0) -> Pose:
        """Pose of the link in its parent."""
        return Pose(*self.tree.pose(self.i, q[self.i]))

    def velocity(self, q: JointArray, qd: JointValues, t: float = 0.0) -> mv:
        """v_J; a prescribed motion is in it."""
        i, own_q = self.i, q[self.i]
        axes, speeds = self.tree.driver(i, own_q, "driven_v")
        return along([*self.tree.axes(i, own_q), *axes], [*qd[i], *speeds])

    def motion_subspace(self, q: JointArray) -> Subspace:
        """S."""
        return Subspace(map(mv.of, self.tree.axes(self.i, q[self.i])))

    def calc(self, q: JointArray, qd: JointValues, t: float = 0.0) -> tuple[plx, Subspace, mv, mv]:
        """Return X_J, S, v_J, c_J; a prescribed motion is in the last two."""
        tree, i = self.tree, self.i
        c_J = along(*tree.driver(i, q[i], "driven_a")) + mv.of(tree.velocity_product(i, q[i], qd[i]))
        return self.transform(q), self.motion_subspace(q), self.velocity(q, qd), c_J


class _Room:
    """A value of every link and the world. kind : of `rbdkit.spatial.compact`."""

    def __init__(self, tree: Tree, kind: Any) -> None:
        self.kind, self.world, self.field = kind, tree.world, tree.field(kind)
        self[0] = AT_WORLD[kind]

    def __getitem__(self, i: Body | int) -> Any:
        return self.field[self.world if i == 0 else i]

    def __setitem__(self, i: Body | int, value: Any) -> None:
        # articulated inertias begin as those of rigid bodies, which have 10 numbers in place of 21
        if self.kind is abi and isinstance(value, rbi):
            value = value.articulated()
        self.field[self.world if i == 0 else i] = value if isinstance(value, self.kind) else self.kind.of(value)


class _Transforms:
    """Transforms to links from their parents."""

    def __init__(self, tree: Tree) -> None:
        # stored as the pose of the link in its parent: cyclic joints then need two numbers of the rotation
        self.R, self.p = tree.rotations(), tree.field(Vector)

    def __getitem__(self, i: Node) -> plx:
        return plx(self.R[i].T, self.p[i])

    def __setitem__(self, i: Node, X: plx) -> None:
        self.R[i], self.p[i] = X.E.T, X.r


class WorldPoses:
    """Poses of links in the world."""

    def __init__(self, tree: Tree) -> None:
        self.R, self.p = tree.field(Matrix), tree.field(Numbers(3))  # in the world's axes
        self[tree.world] = Pose(IDENTITY, ZERO)

    def __getitem__(self, i: Body) -> Pose:
        return Pose(self.R[i], Vector(self.p[i]))

    def __setitem__(self, i: Body, pose: Pose) -> None:
        self.R[i], self.p[i] = pose


class FromWorld:
    """Transforms to links from the world."""

    def __init__(self, tree: Tree) -> None:
        self.T = WorldPoses(tree)

    def __getitem__(self, i: Body) -> plx:
        return self.T[i].X

    def __setitem__(self, i: Body, X: plx) -> None:
        self.T[i] = Pose(X.E.T, X.r)


class _Subspaces:
    """S of every link: stored where it depends on q, else computed again."""

    def __init__(self, axes: Axes, grouped: bool) -> None:
        self.axes, self.grouped = axes, grouped

    def __getitem__(self, i: Node) -> Subspace:
        # links of a group are released together, not each by its own axes
        return Subspace(() if self.grouped and i.kind.cluster else map(mv.of, self.axes[i]))

    def __setitem__(self, i: Node, S: Subspace) -> None:
        self.axes.keep(i, [axis.flat() for axis in S])


class _JointRoom:
    """Values whose size depends on the number of freedoms of a link's joint."""

    def __init__(self, tree: Tree, kind: Any, grouped: bool) -> None:
        self.kind, self.field, self.grouped = kind, tree.field(Numbers(OF_JOINTS[kind](tree.most_axes))), grouped

    def __getitem__(self, i: Node) -> Any:
        # every link has room for the largest joint, and uses its own part
        x = self.field[i][: OF_JOINTS[self.kind](0 if self.grouped and i.kind.cluster else i.motion.nv)]
        if self.kind is Forces:
            return Forces(fv.of(x[k : k + 6]) for k in range(0, len(x), 6))
        return self.kind.of(x) if self.kind is JointMatrix else self.kind(x)

    def __setitem__(self, i: Node, value: Any) -> None:
        if self.kind is Forces:
            self.field[i] = [x for force in value for x in force.flat()]
        else:
            self.field[i] = value.flat() if self.kind is JointMatrix else list(value)


class _Blocks:
    """A matrix in blocks of joints, each of which an algorithm computes once. x : its elements, row by row."""

    def __init__(self, x: JointArray, nv: Whole) -> None:
        self.x, self.nv = x, nv

    def __getitem__(self, block: tuple[Node, Node]) -> JointBlock:
        rows, columns = block
        return JointBlock([0.0] * columns.motion.nv for _ in range(rows.motion.nv))

    def __setitem__(self, block: tuple[Node, Node], values: JointBlock | JointMatrix) -> None:
        rows, columns = block
        for k, row in enumerate(values.rows):
            for m, x in enumerate(row):
                # each block is computed once, so it is written and not added
                self.x[(rows.v + k) * self.nv + columns.v + m] = x


class _Columns:
    """The Jacobian of a frame, row by row in x; mimic joints add to their master's columns."""

    def __init__(self, tree: Tree, x: JointArray) -> None:
        self.tree, self.x = tree, x
        for k in tree.each(tree.nv * 6):
            x[k] = 0.0

    def __getitem__(self, column: tuple[slice, Node | Whole]) -> Any:
        """Return a column; zero for those of a joint, as `__setitem__` adds to what there is."""
        _, i = column
        return Subspace([mv(ZERO, ZERO)] * i.motion.nv) if isinstance(i, Node) else mv.of(self._read(i))

    def __setitem__(self, column: tuple[slice, Node | Whole], value: Any) -> None:
        _, i = column
        if not isinstance(i, Node):
            self._write(i, value)
            return
        for k, axis in enumerate(value):
            own = self.tree.ratio(i) * axis
            self._write(i.v + k, mv.of(self._read(i.v + k)) + own if self.tree.coupled else own)

    def _read(self, k: Whole) -> list[Scalar]:
        return [self.x[k + self.tree.nv * r] for r in range(6)]

    def _write(self, k: Whole, value: mv) -> None:
        for r, x in enumerate(value.flat()):
            self.x[k + self.tree.nv * r] = x


class PlacedFrame:
    """A frame of a model, see `rbdkit.model.Frame`: "frame_pose" is where it stands in link number "frame_link"."""

    def __init__(self, program: Program) -> None:
        self.program, self.body = program, program.count("frame_link")

    @property
    def X(self) -> plx:
        """Transform from link to frame coordinates."""
        return Pose.of([self.program.load("frame_pose", 0, k) for k in range(12)]).X


class PathTo:
    """Links between the world and a link, that link last; work on them is that of the path alone."""

    def __init__(self, tree: LoopTree, link: Whole) -> None:
        self.tree, self.link = tree, link

    def __iter__(self) -> Iterator[Node]:
        return self.tree.path_to(self.link)

    def __reversed__(self) -> Iterator[Node]:
        return self.tree.path_from(self.link)


class _Sums:
    """Numbers of joints that an algorithm sums up; mimic joints add to their master's."""

    def __init__(self, tree: Tree, x: JointArray) -> None:
        self.tree, self.x = tree, x
        for a in tree.freedoms() if tree.coupled else ():
            x[a] = 0.0

    def __getitem__(self, i: Node) -> JointVector:
        """Return zero: `__setitem__` adds to what there is."""
        return JointVector([0.0] * i.motion.nv)

    def __setitem__(self, i: Node, values: Sequence[Scalar]) -> None:
        self.tree.collect(self.x, i, values)


class _Found:
    """Numbers of joints that an algorithm computes, and reads again at once."""

    def __init__(self, x: JointArray, grouped: bool) -> None:
        self.x, self.grouped = x, grouped

    def __getitem__(self, i: Node) -> Any:
        return [] if self.grouped and i.kind.cluster else JointArray.__getitem__(self.x, i)  # no square

    def __setitem__(self, i: Node, values: Sequence[Scalar]) -> None:
        if values:
            self.x[i] = values
