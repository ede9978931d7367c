"""Symbolic stand-in for a model, with which a user's algorithm is called while it is traced.

It has what an algorithm over a tree reads: structure as plain numbers; gravity, inertias and placements as symbols, so
that one compiled function serves all models that differ in these; and joints whose `calc`, `transform` and
`motion_subspace` record the formulas of the joint. Matrices that it hands out are known to be transforms or inertias
(`known_matrices`), so their products cost as few operations as in rbdkit's own algorithms.

Anything else that a function reads is either a number that then becomes a constant of its code (`reads_numbers` says
so), or it is refused by name: a stand-in that guessed would give a wrong function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.known_matrices import KnownMatrices
from rbdkit.engine.links.pieces import NotCovered, chain_of
from rbdkit.engine.steps.motions import motion_of
from rbdkit.joints import Prescribed
from rbdkit.model import Joint, Model
from rbdkit.spatial.compact import Subspace, mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Scalar, Symmetric, Vector
from rbdkit.trace import Guard, roomy, symbols
from rbdkit.trace import Scalar as Number

STRUCTURE = frozenset({
    "children", "inward", "mimics", "name", "nq", "nv", "outward", "parent", "q_slice", "support", "v_slice",
})  # fmt: skip
"""Attributes of a model that depend neither on coordinates nor on parameters."""
WITH_NUMBERS = frozenset({"body", "bodies", "constraints", "frame", "frames", "loops"})
"""Attributes whose numbers become constants of the code."""
WITH_NUMBERS_OF_JOINT = frozenset({"armature", "damping", "friction", "limits", "rest", "stiffness"})
"""The same of a joint."""
OF_JOINT = WITH_NUMBERS_OF_JOINT | {"mimic", "name", "nq", "nv", "q_slice", "v_slice"}


def numbers_of(model: Model) -> NDArray:
    """Return the parameters that are inputs of compiled functions.

    These are gravity (3), then the rotation from the parent to the joint (9) and the position (3) of each placement,
    then mass (1), first moment (3) and inertia (6) of each body.
    """
    placements, I = np.array([joint.placement for joint in model.joints]), np.array(model.I)
    E, r = placements[:, :3, :3].transpose(0, 2, 1).reshape(-1, 9), placements[:, :3, 3]
    # mass, first moment (out of the skew block) and the upper triangle of the inertia of each 6x6 matrix
    bodies = I[:, [5, 2, 0, 1, 0, 0, 0, 1, 1, 2], [5, 4, 5, 3, 0, 1, 2, 1, 2, 2]]
    return np.concatenate([model.gravity, np.hstack([E, r]).ravel(), bodies.ravel()])


def is_structure(numbers: NDArray) -> NDArray:
    """Return which of `numbers_of` become constants: zeros, and whole turns by right angles, make code short."""
    found = numbers == 0.0
    joints = (len(numbers) - 3) // 22
    turns = numbers[3 : 3 + 12 * joints].reshape(joints, 12)[:, :9]
    # in rotations alone: a length of 1 m is a number like any other
    found[3 : 3 + 12 * joints].reshape(joints, 12)[:, :9] |= np.abs(turns) == 1.0
    return found


def structure_of(model: Model) -> tuple[Any, ...]:
    """Return what models must have in common for their compiled functions to differ in `numbers_of` alone."""
    joints = [(own.name, own.type, own.q_slice.start, own.v_slice.start, own.mimic) for own in model.joints]
    return model.name, tuple(model.parent), tuple(joints), len(model.loops), len(model.constraints)


class ModelOnSymbols:
    """A model with what algorithms over its tree use; any other attribute is refused by name.

    Attributes
    ----------
    reads_numbers : whether numbers were read that are not among `numbers_of`; the code is for these alone.
    guards : of users' own joint types and of prescribed motions.
    copy : makes the traced copy of a user's function.
    """

    recorded = True
    copy: Callable[[Any], Any]

    def __init__(self, model: Model, known: KnownMatrices) -> None:
        self._model, self._known = model, known
        self.reads_numbers = False
        self.guards: list[Guard] = []
        self.joints = [JointOnSymbols(joint, known, self) for joint in model.joints]

    def fill(self, numbers: Sequence[Number]) -> None:
        """Set the parameters: numbers or symbols in the order of `numbers_of`."""
        flat, n = list(numbers), len(self.joints)
        self.gravity = roomy(flat[:3])
        for k, joint in enumerate(self.joints):
            x = flat[3 + 12 * k : 15 + 12 * k]
            joint.place(plx(Matrix.of(x[:9]), Vector(x[9:])))
        self.X_tree = [joint.X_tree for joint in self.joints]
        bodies = [flat[k : k + 10] for k in range(3 + 12 * n, len(flat), 10)]
        self.I = _Matrices([self._known.inertia(rbi(x[0], Vector(x[1:4]), Symmetric(x[4:]))) for x in bodies])

    def joint(self, name: str) -> JointOnSymbols:
        """Return the joint of a name."""
        return self.joints[self._model.joints.index(self._model.joint(name))]

    def real(self) -> Model:
        """Return the model, whose numbers then are constants of the code."""
        self.reads_numbers = True
        return self._model

    def __getattr__(self, name: str) -> Any:
        if name in STRUCTURE:
            return getattr(self._model, name)
        if name == "bodies":
            return _Bodies(self._model.bodies, self)
        if name in WITH_NUMBERS:
            self.reads_numbers = True
            return getattr(self._model, name)
        raise AttributeError(
            "a compiled function knows of a model gravity, I, joint, joints, X_tree, "
            f"{', '.join(sorted(STRUCTURE | WITH_NUMBERS))}, not {name!r}"
        )


def of_real_model(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the package, such as `rbdkit.rnea`, that takes a stand-in for its model."""

    def called(*given: Any, **named: Any) -> Any:
        return function(*map(_real, given), **{name: _real(x) for name, x in named.items()})

    return called


def _real(x: Any) -> Any:
    return x.real() if isinstance(x, ModelOnSymbols) else x


class _Bodies(Sequence[Any]):
    """Bodies of a model. To count them is to read its structure; to look at one is to read numbers."""

    def __init__(self, bodies: Sequence[Any], model: ModelOnSymbols) -> None:
        self._bodies, self._model = bodies, model

    def __len__(self) -> int:
        return len(self._bodies)

    def __getitem__(self, k: Any) -> Any:
        self._model.reads_numbers = True
        return self._bodies[k]

    def __iter__(self) -> Iterator[Any]:
        self._model.reads_numbers = True
        return iter(self._bodies)


class _Matrices(list[NDArray]):
    """Matrices (n, 6, 6) one by one, so that each stays a known one; NumPy can still make an array of them."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray:
        return np.array(list(self), dtype=object)


class JointOnSymbols:
    """A joint of such a model, see `rbdkit.model.Joint`."""

    def __init__(self, joint: Joint, known: KnownMatrices, model: ModelOnSymbols) -> None:
        self._joint, self._known, self._model = joint, known, model
        self._type, self._motion = joint.type, None
        if joint.type.is_driven:
            if not isinstance(joint.type, Prescribed):
                raise NotCovered(
                    f"joint {joint.name!r} moves as time says by its class {type(joint.type).__name__}; make it "
                    "Prescribed(joint, motion), whose motion is traced"
                )
            self._type, self._motion = joint.type.joint, joint.type.motion
        self._chain, guards = chain_of(self._type, joint.name)
        model.guards += guards

    def place(self, X_tree: plx) -> None:
        """Set the placement, as the transform from the parent."""
        self._placed = X_tree
        self.X_tree = self._known.transform(X_tree)

    @property
    def placement(self) -> NDArray:
        """Pose of the joint in the parent body, (4, 4)."""
        return _pose(self._placed)

    def __getattr__(self, name: str) -> Any:
        if name in OF_JOINT:
            self._model.reads_numbers = self._model.reads_numbers or name in WITH_NUMBERS_OF_JOINT
            return getattr(self._joint, name)
        raise AttributeError(
            f"a compiled function knows of a joint {', '.join(sorted(OF_JOINT | {'placement'}))}, not {name!r}"
        )

    def coordinates(self, q: NDArray) -> NDArray:
        """Return the joint's coordinates from those of the model."""
        return self._joint.coordinates(q)

    def velocities(self, v: NDArray) -> NDArray:
        """Return the joint's velocities from those of the model."""
        return self._joint.velocities(v)

    def calc(self, q: NDArray, v: NDArray, t: Any = None) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return X_J, S, v_J and c_J."""
        X, S, v_J, c_J = self._found(q, v, t)
        return self._known.transform(X), self._scaled(S), roomy(v_J.flat()), roomy(c_J.flat())

    def transform(self, q: NDArray, t: Any = None) -> NDArray:
        """Return X_J."""
        return self._known.transform(self._found(q, None, t)[0])

    def motion_subspace(self, q: NDArray) -> NDArray:
        """Return S (6, nv)."""
        return roomy(np.zeros((6, 0))) if self._motion else self._scaled(self._found(q, None, None)[1])

    def velocity(self, q: NDArray, v: NDArray, t: Any = None) -> NDArray:
        """Return v_J."""
        return roomy(self._found(q, v, t)[2].flat())

    def pose(self, q: NDArray, t: Any = None) -> NDArray:
        """Return the pose of the body in its parent, (4, 4)."""
        return self.placement @ _pose(self._found(q, None, t)[0])

    def _scaled(self, S: Subspace) -> NDArray:
        columns = np.array([axis.flat() for axis in S], dtype=object).reshape(-1, 6).T
        mimic = self._joint.mimic
        return roomy(columns if mimic is None else mimic.multiplier * columns)

    def _found(self, q: NDArray, v: NDArray | None, t: Any) -> tuple[plx, Subspace, mv, mv]:
        """Compute X_J, S, v_J and c_J; v None is at rest."""
        if self._motion is None:
            rates = [0.0] * self._joint.nv if v is None else list(self.velocities(v))
            return self._of_chain(list(self.coordinates(q)), rates)
        if t is None:
            raise NotCovered(
                f"joint {self._joint.name!r} is prescribed: its motion needs the time. Let the function take t, and "
                "pass it on: joint.calc(q, v, t), joint.transform(q, t), joint.pose(q, t)"
            )
        at, speeds, rates = (symbols(x).ravel().tolist() for x in self._model.copy(self._motion)(t))
        X, S, v_J, c_J = self._of_chain(at, speeds)
        for axis, rate in zip(S, rates, strict=True):  # Eq 3.41
            c_J = c_J + rate * axis
        return X, Subspace(()), v_J, c_J

    def _of_chain(self, q: list[Number], v: list[Number]) -> tuple[plx, Subspace, mv, mv]:
        """Compute the joint as a chain of simple joints with massless links (Featherstone 2008, section 4.4)."""
        X, v_J, c_J = plx(IDENTITY, ZERO), mv(ZERO, ZERO), mv(ZERO, ZERO)
        S: list[mv | None] = [None] * self._type.nv
        for piece in self._chain:
            motion, B, numbers = motion_of(piece.motion), _matrix(piece.basis), list(piece.numbers)
            ratio = 1.0 if piece.ratio is None else piece.ratio
            own_q = [ratio * x for x in q[piece.q : piece.q + motion.nq]]
            own_v = [ratio * x for x in v[piece.v : piece.v + motion.nv]]
            R, p = motion.pose(own_q, numbers)
            step = plx(B @ R.T @ B.T, B @ p)
            axes = [_turned(B, axis) for axis in motion.axes(own_q, numbers)]
            X, v_J, c_J = step @ X, step @ v_J, step @ c_J
            S = [None if axis is None else step @ axis for axis in S]
            speed = mv(ZERO, ZERO)
            for k, (axis, rate) in enumerate(zip(axes, own_v, strict=True), start=piece.v):
                before = S[k]
                S[k] = ratio * axis if before is None else before + ratio * axis
                speed = speed + rate * axis
            v_J = v_J + speed
            # each part moves with those before it
            c_J = c_J + v_J.cross(speed) + _turned(B, motion.velocity_product(own_q, own_v, numbers))
        return X, Subspace(axis for axis in S if axis is not None), v_J, c_J


def _turned(B: Matrix, x: list[Scalar]) -> mv:
    """Express a motion in the axes of the joint, from those of a piece."""
    return mv(B @ Vector(x[:3]), B @ Vector(x[3:]))


def _matrix(values: NDArray) -> Matrix:
    return Matrix.of(np.asarray(values, dtype=float).ravel().tolist())


def _pose(X: plx) -> NDArray:
    """Return the pose (4, 4) of a transform."""
    T = roomy(np.eye(4))
    T[:3, :3], T[:3, 3] = roomy(X.E.T), roomy(list(X.r))
    return T
