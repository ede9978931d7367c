"""Base classes of joint types: `JointType`, and `VectorJoint` for coordinates with ``qdot = v``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from inspect import signature
from math import hypot, sqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ArgumentError, ModelError, StateError
from rbdkit.joints.complement import complement
from rbdkit.joints.nearest import nearest
from rbdkit.joints.piece import Piece
from rbdkit.joints.stage import Stage
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.read_numbers import number, shown
from rbdkit.spatial.read_only import KeepsReadOnly

Record = Callable[["JointType"], Piece]
"""Function that traces a joint's own formulas and returns it as one joint primitive."""

IN_PLACE = ("armature", "damping", "friction", "limits", "mimic", "placement", "rest", "stiffness")
"""Arguments of `Model.add_body`."""
ELSEWHERE = {
    **dict.fromkeys(
        ("rpy", "xyz", "pos", "position", "quat", "orientation", "origin", "pose"),
        "where a joint is belongs to the body that it carries: "
        "model.add_body(..., placement=rbd.pose(rotation, position))",
    ),
    **dict.fromkeys(("lower", "upper", "range", "limit"), "model.add_body(..., limits=rbd.Limits(lower, upper))"),
    **dict.fromkeys(("direction", "vector", "along"), "the direction is axis="),
    **dict.fromkeys(("name", "joint_name"), "its name: model.add_body(..., joint_name=...)"),
    **dict.fromkeys(("parent", "child", "body"), "what it connects: model.add_body(name, parent, joint)"),
    **dict.fromkeys(("q0", "angle", "initial"), "coordinates are no part of a joint: give q0= to simulate"),
}
"""What to write for keywords that joints have elsewhere, in small letters."""
STEPS = 100
"""Largest number of Gauss-Newton steps towards a pose."""
OWN = ("constant_S", "constant_T", "parts", "pieces", "simplified", "stages")
"""Attributes that subclasses do not inherit, as a subclass may change any formula that they describe."""


class _NamesWhatIsInPlace:
    """Base class that rejects arguments of `Model.add_body` in joint constructors.

    It is separate from `JointType` so that the signature shown for a joint type is that of its `__init__`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Raise `ArgumentError` for an argument that belongs to `Model.add_body`, not to the joint type."""
        for name in kwargs:
            if name in IN_PLACE and name not in signature(cls.__init__).parameters:
                raise ArgumentError(
                    f"{cls.__name__} has no argument {name!r}, which belongs to a joint in its place: "
                    f"model.add_body(..., joint={cls.__name__}(...), {name}=...)"
                )
            if name.lower() in ELSEWHERE and name not in signature(cls.__init__).parameters:
                raise ArgumentError(f"{cls.__name__} has no argument {name!r}; {ELSEWHERE[name.lower()]}")
        return super().__new__(cls)


class JointType(_NamesWhatIsInPlace, KeepsReadOnly, ABC):
    """The relative motion that a joint allows, without its placement in a model (Featherstone 2008, section 4.4).

    A joint connects a *predecessor* frame to a *successor* frame; both coincide at `neutral()`. All spatial quantities
    are in successor coordinates, angular part first. The coordinates `q` may live on a manifold (quaternions); the
    velocity variables `v` never do, and ``qdot = rate(q, v)``. A time `t` matters to `Prescribed` joints only.

    Subclasses of `VectorJoint` have ``qdot = v`` and need `pose` and `motion_subspace` only; other methods that they
    override save time. A user-defined class is compiled from these two, written as plain NumPy code, and from its
    manifold methods if it is not a `VectorJoint`; if they are inconsistent, `ModelError` reports by how much. If it
    cannot be compiled, because its formulas branch on values, call other libraries than NumPy or keep state between
    calls, `rbdkit.engine.backend` says so.
    """

    kind: ClassVar[str]
    """Name of the type in files and messages."""
    nq: int
    """Number of position coordinates."""
    nv: int
    """Number of velocity variables, the degree of freedom."""
    q_names: tuple[str, ...]
    """A short name for each coordinate."""
    q_units: tuple[str, ...]
    """'rad', 'm' or '1' (quaternion component) for each coordinate."""
    v_names: tuple[str, ...]
    """A short name for each velocity variable."""
    v_units: tuple[str, ...]
    """'rad/s' or 'm/s' for each velocity variable."""

    constant_S: ClassVar[bool] = False
    """Whether S does not depend on q; then `project` takes stacks of poses, too. Not inherited."""
    constant_T: ClassVar[bool] = False
    """Whether T does not depend on q, and T.T @ c_J is zero. Not inherited."""
    arguments: ClassVar[Mapping[str, str]] = {}
    """Kinds of the constructor arguments: "number", "numbers", "axis", "name", "joint" or "function".

    A number is a parameter of the model, and all arguments are entries in files. A user-defined class can be saved to
    a file if it sets this.
    """
    tip: ClassVar[str] = ""
    """Short description for lists to choose from."""

    def __init__(self) -> None:
        """Make a joint type without parameters."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in OWN:
            if name not in vars(cls):
                setattr(cls, name, vars(JointType)[name])

    @property
    def is_users_own(self) -> bool:
        """Whether its class is user-defined; derived from one of rbdkit it inherits `kind` but may change the rest."""
        return type(self).__module__.split(".")[0] != "rbdkit"

    @property
    def known_as(self) -> str:
        """Name in messages: its kind, or the class name of a user-defined joint."""
        return type(self).__name__ if self.is_users_own else self.kind

    @property
    def is_fixed(self) -> bool:
        """Whether the frames never move relative to each other, for any coordinates and time."""
        return False

    @property
    def is_curved(self) -> bool:
        """Whether the coordinates live on a manifold with qdot != v; a `VectorJoint` may also override the maps."""
        maps = ("rate", "integrate", "difference", "local_rate")
        return any(getattr(type(self), name) is not getattr(VectorJoint, name) for name in maps)

    @property
    def is_driven(self) -> bool:
        """Whether the joint is prescribed (rheonomic): `pose` and `velocity` depend on t."""
        return False

    # --- position -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Pose of the successor frame in the predecessor frame, shape (..., 4, 4), for q of shape (..., nq)."""

    def transform(self, q: NDArray, t: float = 0.0) -> NDArray:
        """X_J, the motion transform from predecessor to successor coordinates, shape (6, 6)."""
        return plucker.from_pose(self.pose(q, t))

    def project(self, pose: NDArray) -> NDArray:
        """Return coordinates, shape (nq,), whose pose comes closest to a given one (4, 4); equal if the joint can.

        By default Gauss-Newton steps from the neutral coordinates; if the joint has `starts`, from all of these, and
        the nearest result counts.

        Raises
        ------
        StateError
            If the steps do not converge.
        """
        starts = self.starts()
        return self.approach(self.neutral(), pose) if starts is None else nearest(self, pose, starts)

    def starts(self) -> NDArray | None:
        """Return starting points (n, nq) of `project`; None if steps from the neutral coordinates find every pose."""
        return None

    def approach(self, q: NDArray, pose: NDArray) -> NDArray:
        """Return coordinates, shape (nq,), whose pose comes closest to a given one, by Gauss-Newton steps from q.

        Of several coordinates with one pose, those on the side of q result; `project` has no such preference.

        Raises
        ------
        StateError
            If the steps do not converge.
        """
        for _ in range(STEPS):
            ahead = se3.log(se3.inverse(self.pose(q)) @ pose)
            step = np.linalg.lstsq(self.motion_subspace(q), ahead, rcond=None)[0]
            q = self.integrate(q, step)
            if np.max(np.abs(step), initial=0.0) < 1e-11:
                return q
        raise StateError(
            f"{self.known_as} joint: no coordinates were found whose pose comes close to the given one; "
            "write its `project`"
        )

    # --- velocity -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def motion_subspace(self, q: NDArray) -> NDArray:
        """S, shape (6, nv): the columns span the velocities that the joint allows (Eq 3.33)."""

    def constraint_subspace(self, q: NDArray) -> NDArray:
        """T, shape (6, 6 - nv): the columns span the forces that the joint resists; T.T @ S = 0 (Eq 3.36).

        By default an orthonormal basis of the orthogonal complement of S.
        """
        return complement(self.motion_subspace(q))

    def velocity_product(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """c_J, shape (6,): the part of the joint acceleration that does not depend on vdot (Eq 3.41).

        By default the rate of S times v, by central differences of sixth order: to about 11 digits.
        """
        speed = sqrt(float(np.dot(v, v)))
        if self.constant_S or speed == 0.0:
            return np.zeros(6)
        h = 5e-3 / speed  # truncation, h^6 / 140 times the seventh derivative, and rounding, both below 1e-12

        def S_v(s: float) -> NDArray:
            return self.motion_subspace(self.integrate(q, s * h * v)) @ v

        return sum(w * (S_v(k) - S_v(-k)) for k, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))) / h

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """v_J = S v, velocity of the successor relative to the predecessor; stacks allowed: (..., nv) -> (..., 6)."""
        if self.constant_S or np.ndim(v) == 1:
            return v @ self.motion_subspace(q).T
        found = np.empty((*np.shape(v)[:-1], 6))
        for place in np.ndindex(*found.shape[:-1]):  # S is for one state
            found[place] = self.motion_subspace(q[place]) @ v[place]
        return found

    def calc(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """X_J, S, v_J and c_J at one state: the explicit form of jcalc (Featherstone 2008, section 4.4)."""
        S = self.motion_subspace(q)
        return self.transform(q, t), S, S @ v, self.velocity_product(q, v, t)

    def calc_loop(self, X_sp: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray]:
        """Position error and constraint forces of a loop joint: the implicit form of jcalc.

        Parameters
        ----------
        X_sp : ndarray (6, 6)
            Motion transform from predecessor to successor coordinates, as the bodies happen to be.
        t : float, optional
            Time in s, for prescribed joints.

        Returns
        -------
        delta : (6 - nv,) position error, T.T @ d with d the small displacement from the pose that `project` finds to
            the present one (Featherstone 2008, Eqs 8.25-8.27; to first order the entries of Table 8.1).
        T : (6, 6 - nv) constraint-force subspace at the pose that `project` finds.
        """
        pose = plucker.to_pose(X_sp)
        q = self.project(pose)
        d = se3.log(se3.inverse(self.pose(q, t)) @ pose)
        T = self.constraint_subspace(q)
        return T.T @ d, T

    # --- the order of its freedoms ------------------------------------------------------------------------------------

    def stages(self) -> list[Stage] | None:
        """Return the freedoms, or the `parts`, in groups from predecessor to successor; None if unknown. Not inherited.

        All axes of a stage are constant in the frame after it, or all in the frame before it.
        """
        return [Stage(tuple(range(self.nv)))] if self.constant_S else None

    def parts(self, q: NDArray) -> tuple[NDArray, NDArray]:
        """Return the factors of ``S = P @ G``: P (6, m), the axes that `stages` counts, G (m, nv). Not inherited."""
        return self.motion_subspace(q), np.eye(self.nv)

    # --- what compiled code takes it for ------------------------------------------------------------------------------

    def simplified(self) -> JointType:
        """Return an equivalent joint of simpler form, such as the inner one of a doubly reversed joint."""
        return self

    def pieces(self, traced: Record) -> list[Piece] | None:
        """Return the joint primitives, from predecessor to successor, that compiled code uses; None if there are none.

        By default one primitive, traced from the formulas of the joint by `traced`. Not inherited.
        """
        return [traced(self)]

    # --- the coordinates as a manifold --------------------------------------------------------------------------------

    @abstractmethod
    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        """qdot, shape (..., nq): the joint's part of qdfn (Eq 3.7)."""

    @abstractmethod
    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        """Return q moved along the constant velocity dv for one unit of time; it stays on the manifold."""

    @abstractmethod
    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        """Return the dv with ``integrate(q0, dv) = q1``, the shortest on curved manifolds.

        q1 is reached as a pose: the quaternions p and -p are one rotation.
        """

    @abstractmethod
    def local_rate(self, u: NDArray) -> NDArray:
        """A, shape (nv, nv): d/dt of u where ``q = integrate(q0, u)`` moves with velocity v is A @ v.

        Lie group integrators and joint springs use it: A is the inverse right Jacobian of the exponential map.
        """

    @abstractmethod
    def neutral(self) -> NDArray:
        """Coordinates at which the two frames coincide, shape (nq,)."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> NDArray:
        """Random coordinates, shape (nq,): rotations uniform, angles in [-pi, pi], lengths in [-1, 1]."""

    def check(self, q: NDArray) -> None:
        """Raise `StateError` if q, shape (..., nq), is not on the joint's manifold; here every vector is."""
        if np.shape(q)[-1:] != (self.nq,):
            raise StateError(f"{self.kind} joint: q has shape {np.shape(q)}, not ({self.nq},)")

    def parameters(self) -> dict[str, Any]:
        """Return the constructor arguments that rebuild this joint type; by default the attributes in `arguments`."""
        return {name: getattr(self, name) for name in self.arguments}

    @property
    def numbers(self) -> dict[str, float]:
        """Constructor arguments that are single numbers; these become parameters of a model."""
        names = [name for name, sort in self.arguments.items() if sort == "number"]
        given = self.parameters() if names else {}
        return {name: given[name] for name in names}

    def with_numbers(self, values: Mapping[str, float]) -> JointType:
        """Return the joint type with other values of its `numbers`.

        Raises
        ------
        ModelError
            If a value is invalid.
        """
        own = self.known_as
        given = {
            name: number(x, lambda v, name=name: f"{name} {v} of a {own} joint is not a finite number")  # type: ignore[misc]
            for name, x in values.items()
        }
        try:
            return type(self)(**(self.parameters() | given))
        except TypeError as fault:
            raise ModelError(
                f"a {own} joint cannot be made with other numbers, as `arguments` says: {fault}"
            ) from fault

    def by_number(self, name: str, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the derivatives of the joint's pose, S and c_J by one of its numbers, at a state.

        Returns
        -------
        The twist of its pose, shape (6,), and the rates of S, shape (6, nv), and of c_J, shape (6,), all in successor
        coordinates; by default by central differences, to about 11 digits.
        """
        value = self.numbers[name]
        h = 5e-3 * max(1.0, abs(value))
        twist, S, c_J = np.zeros(6), np.zeros((6, self.nv)), np.zeros(6)
        here = se3.inverse(self.pose(q))
        for k, w in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
            for step in (k * h, -k * h):
                other, share = self.with_numbers({name: value + step}), w * (1.0 if step > 0.0 else -1.0) / h
                twist += share * se3.log(here @ other.pose(q))
                S += share * other.motion_subspace(q)
                c_J += share * other.velocity_product(q, v)
        return twist, S, c_J

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({arguments})"


class VectorJoint(JointType):
    """A joint whose coordinates are plain numbers with ``qdot = v``.

    Examples
    --------
    A user-defined cam, compiled like any other joint:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> class Cam(rbd.joints.VectorJoint):
    ...     kind, nq, nv, q_names, q_units = "cam", 1, 1, ("angle",), ("rad",)
    ...     arguments = {"lift": "number"}
    ...
    ...     def __init__(self, lift=0.1):
    ...         self.lift = lift
    ...
    ...     def pose(self, q, t=0.0):
    ...         T = rbd.Revolute("z").pose(q)
    ...         T[..., 2, 3] = self.lift * np.sin(q[..., 0])
    ...         return T
    ...
    ...     def motion_subspace(self, q):
    ...         return np.array([[0, 0, 1, 0, 0, self.lift * np.cos(q[0])]]).T
    >>> model = rbd.Model("cam shaft")
    >>> _ = model.add_body("follower", joint=Cam(0.2), inertia=rbd.Inertia.sphere(0.1, mass=2.0), joint_name="cam")
    >>> rbd.engine.backend(model)[0] == rbd.engine.backend(rbd.library.pendulum())[0]
    True
    >>> rbd.crba(model, [0.0]).round(6).tolist()  # of the sphere, and 2 kg at 0.2 m/rad
    [[0.088]]
    """

    @property
    def v_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.q_names

    @property
    def v_units(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{unit}/s" for unit in self.q_units)

    def rate(self, q: NDArray, v: NDArray) -> NDArray:
        return v

    def integrate(self, q: NDArray, dv: NDArray) -> NDArray:
        return q + dv

    def difference(self, q0: NDArray, q1: NDArray) -> NDArray:
        return q1 - q0

    def local_rate(self, u: NDArray) -> NDArray:
        return np.eye(self.nv)

    def neutral(self) -> NDArray:
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator) -> NDArray:
        reach = np.array([np.pi if unit == "rad" else 1.0 for unit in self.q_units])
        return rng.uniform(-reach, reach)


def check_unit_quaternion(p: NDArray, joint: str) -> None:
    """Raise `StateError` unless every |p|, p of shape (..., 4), is 1 up to the round-off that integration may leave."""
    if p.ndim == 1 and abs(hypot(*p.tolist()) - 1.0) < 1e-6:  # a single one, in no time
        return
    w, x, y, z = np.moveaxis(p, -1, 0)
    with np.errstate(over="ignore", invalid="ignore"):  # not 1 either
        norms = np.sqrt(w * w + x * x + y * y + z * z)  # by columns: half the time of einsum, which adds up row by row
    wrong = ~(np.abs(norms - 1.0) < 1e-6)
    if np.any(wrong):
        first = tuple(np.argwhere(wrong)[0])
        raise StateError(
            f"{joint}: quaternion {np.array2string(np.asarray(p)[first], precision=6)} has norm {norms[first]:.9g}, "
            "not 1; divide it by its norm, or use model.neutral() or model.integrate(q, dv) to make coordinates"
        )


def require_joint_type(joint: object, what: str) -> JointType:
    """Return the argument if it is a joint type, else raise `ModelError`. what : whose joint, for the message."""
    if not isinstance(joint, JointType):
        raise ModelError(
            f"{what}: {shown(joint)} is not a joint type; give an instance such as Revolute('z'), Spherical() or Free()"
        )
    return joint


def translation_of(name: object, kind: str) -> str:
    """Return the checked argument `translation`: the frame along whose axes a joint measures its position."""
    if not isinstance(name, str) or name not in ("predecessor", "successor"):
        raise ModelError(f"translation {shown(name)} of a {kind} joint must be 'predecessor' or 'successor'")
    return name


def constant(matrix: NDArray) -> NDArray:
    """Make a matrix read-only, so that one object can be returned at every call, and return it."""
    matrix.setflags(write=False)
    return matrix
