"""A joint in its place in a model: type, placement, coordinates' slices, limits, springs, dampers, mimicry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Fixed, JointType
from rbdkit.joints.joint_type import require_joint_type
from rbdkit.joints.many_states import poses_of, velocities_of
from rbdkit.model.placement import as_pose, frozen
from rbdkit.spatial import plucker
from rbdkit.spatial.read_numbers import HUGE, floats, require_sensible, shown
from rbdkit.spatial.read_only import KeepsReadOnly

IN_LOOPS = ("damping", "friction", "stiffness", "rest")
"""What joints have wherever they are."""
RESTS = 1e-9
"""rad or m by which a rest position may differ from what poses tell."""
_none = partial(frozen, ())


@dataclass(frozen=True, eq=False)
class Limits(KeepsReadOnly):
    """Bounds of a joint: it stops at those of its coordinates; those of speed and effort are reported when passed.

    Parameters
    ----------
    lower, upper : float or array_like (nq,), optional
        Bounds of q, rad or m. The components of a quaternion have none.
    velocity : float or array_like (nv,), optional
        Largest magnitude of v, rad/s or m/s.
    effort : float or array_like (nv,), optional
        Largest magnitude of tau, N m or N.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.Model("door", gravity=(0, 0, 0))
    >>> limits = rbd.Limits(lower=0.0, upper=1.5)
    >>> leaf = rbd.Inertia.box([1, 0.04, 2], mass=20.0)
    >>> door = model.add_body("door", joint=rbd.Revolute("z"), inertia=leaf, limits=limits)
    >>> trajectory = rbd.simulate(model, [0.0], [1.0], duration=2.0)
    >>> print(trajectory)
    <Trajectory of 'door': 2001 states, t = 0 .. 2 s>
      ...
      joints stop at their limits: door_joint.angle first at t = 1.5 s...
    >>> print(rbd.simulate(model, [0.0], [1.0], duration=2.0, limits="watch"))
    <Trajectory of 'door': 2001 states, t = 0 .. 2 s>
      ...
        door_joint: position 2 beyond 1.5 (since ...)
      ...
    """

    lower: ArrayLike = -np.inf
    upper: ArrayLike = np.inf
    velocity: ArrayLike = np.inf
    effort: ArrayLike = np.inf

    def fitted(self, type: JointType, joint: str) -> Limits:
        """Return the limits, checked, as read-only arrays of the sizes of a joint type. joint : name, for errors."""
        if type.nq == type.nv == 1 and (plain := self._of_one()) is not None:
            return plain
        sizes = {"lower": type.nq, "upper": type.nq, "velocity": type.nv, "effort": type.nv}
        bounds = {name: _vector(getattr(self, name), size, f"limit {name!r}", joint) for name, size in sizes.items()}
        if np.any(bounds["lower"] > bounds["upper"]):
            raise ModelError(f"joint {joint!r}: lower limit {bounds['lower']} lies above upper limit {bounds['upper']}")
        if np.any(bounds["lower"] == np.inf) or np.any(bounds["upper"] == -np.inf):
            raise ModelError(
                f"joint {joint!r}: no coordinate lies between limits {bounds['lower']} and {bounds['upper']}; "
                "where there is no limit, lower is -inf and upper inf"
            )
        in_quaternion = np.array([unit == "1" for unit in type.q_units], dtype=bool)
        if np.isfinite(bounds["lower"][in_quaternion]).any() or np.isfinite(bounds["upper"][in_quaternion]).any():
            raise ModelError(
                f"joint {joint!r}: the quaternion of a {type.kind} joint cannot have lower and upper limits; "
                "leave them infinite there, one entry for each of " + ", ".join(type.q_names)
            )
        for name in ("velocity", "effort"):
            if np.any(bounds[name] < 0.0):
                raise ModelError(f"joint {joint!r}: limit {name!r} is negative: {bounds[name]}; it bounds a magnitude")
        return Limits(**bounds)

    def _of_one(self) -> Limits | None:
        """Return what `fitted` does for a joint of one coordinate, if these are floats that make sense; else None."""
        given = [
            float(x) if isinstance(x, float) else np.nan for x in (self.lower, self.upper, self.velocity, self.effort)
        ]
        lower, upper, velocity, effort = given
        if not (lower <= upper and lower < np.inf and upper > -np.inf and velocity >= 0.0 and effort >= 0.0):
            return None
        return Limits(*(_vector(x, 1, "", "") for x in given))

    @property
    def bounded(self) -> bool:
        """Whether any limit is finite."""
        return any(np.any(np.isfinite(b)) for b in (self.lower, self.upper, self.velocity, self.effort))


@dataclass(frozen=True)
class Mimic:
    """Coupling of a mimic joint to its master joint: its coordinate is ``multiplier * q[leader] + offset``.

    Parameters
    ----------
    leader : str
        Name of the master joint; both joints have one coordinate.
    multiplier, offset : float, optional
        Factor, and offset in rad or m.

    Examples
    --------
    Two fingers of a gripper that close together have one coordinate:

    >>> import rbdkit as rbd
    >>> model = rbd.Model("gripper")
    >>> left = model.add_body("left", joint=rbd.Prismatic("x"), joint_name="jaw", inertia=rbd.Inertia(0.1))
    >>> after = rbd.Mimic("jaw", multiplier=-1.0)
    >>> right = model.add_body("right", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(0.1), mimic=after)
    >>> model.nq, rbd.forward_kinematics(model, [0.02]).poses[1:, 0, 3].tolist()
    (1, [0.02, -0.02])
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint(KeepsReadOnly):
    """A joint of a model; joint i connects body i to its parent (Featherstone 2008, section 4.1).

    Attributes
    ----------
    name : str
        Unique among the joints.
    type : JointType
        How the body may move, from `rbdkit.joints`.
    placement : ndarray (4, 4)
        Pose of the joint's predecessor frame in parent-body coordinates; X_T is the same as a transform.
    q_slice, v_slice : slice
        Slices of q and v with its coordinates and velocity variables; a mimic joint has those of its master joint.
    damping : ndarray (nv,)
        Viscous damping, N m s/rad or N s/m: the joint adds ``-damping * v`` to tau, as `rbdkit.forces.JointDamper`.
    friction : ndarray (nv,)
        Dry friction of the sliding joint, N m or N; acts as `rbdkit.forces.JointFriction` says.
    stiffness : ndarray (nv,)
        Stiffness of a spring towards `rest`, N m/rad or N/m; more can be added as `rbdkit.forces.JointSpring`.
    rest : ndarray (nq,)
        Coordinates at which the spring is slack.
    armature : ndarray (nv,)
        Reflected inertia of the motor's rotor, kg m2 or kg, added to the diagonal of H.
    limits : Limits
        Limits, whose violations simulations report.
    mimic : Mimic or None
        Coupling to a master joint; None if the joint is independent.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> hinge = rbd.library.double_pendulum().joint("hinge2")
    >>> hinge.type, hinge.q_slice
    (Revolute(axis='y'), slice(1, 2, None))
    """

    name: str
    type: JointType = field(default_factory=Fixed)
    placement: NDArray = field(default_factory=lambda: frozen(np.eye(4)))
    q_slice: slice = field(default_factory=lambda: slice(0, 0))
    v_slice: slice = field(default_factory=lambda: slice(0, 0))
    damping: NDArray = field(default_factory=_none)
    friction: NDArray = field(default_factory=_none)
    stiffness: NDArray = field(default_factory=_none)
    rest: NDArray = field(default_factory=_none)
    armature: NDArray = field(default_factory=_none)
    limits: Limits = field(default_factory=Limits)
    mimic: Mimic | None = None

    @staticmethod
    def make(
        name: str,
        type: JointType,
        placement: ArrayLike | object | None,
        q_start: int,
        v_start: int,
        damping: ArrayLike = 0.0,
        friction: ArrayLike = 0.0,
        stiffness: ArrayLike = 0.0,
        rest: ArrayLike | None = None,
        armature: ArrayLike = 0.0,
        limits: Limits | None = None,
        mimic: Mimic | None = None,
    ) -> Joint:
        """Make a joint from arguments that are checked and expanded to arrays of its size."""
        require_joint_type(type, f"joint {name!r}")
        coefficients = {"damping": damping, "friction": friction, "stiffness": stiffness, "armature": armature}
        vectors = {key: _vector(value, type.nv, key, name) for key, value in coefficients.items()}
        for key, vector in vectors.items():
            if not all(0.0 <= x <= HUGE for x in vector.tolist()):
                raise ModelError(
                    f"joint {name!r}: {key} {shown(vector.tolist())} must be finite and not negative, up to {HUGE:g}"
                )
        slack = type.neutral() if rest is None else _vector(rest, type.nq, "rest", name)
        try:
            type.check(slack)
        except StateError as fault:
            raise ModelError(f"joint {name!r}: rest of the spring: {fault}") from fault
        require_sensible(slack, lambda v: f"joint {name!r}: rest {v} of the spring must be finite")
        if limits is not None and not isinstance(limits, Limits):
            raise ModelError(
                f"joint {name!r}: limits {shown(limits)} must be given as Limits(lower, upper, velocity, effort)"
            )
        return Joint(
            name=name,
            type=type,
            placement=as_pose(placement, f"joint {name!r}"),
            q_slice=slice(q_start, q_start + type.nq),
            v_slice=slice(v_start, v_start + type.nv),
            rest=frozen(slack),
            limits=limits.fitted(type, name) if limits else _unlimited(type.nq, type.nv),
            mimic=mimic,
            **vectors,
        )

    @property
    def nq(self) -> int:
        """Number of coordinates of the joint type."""
        return self.type.nq

    @property
    def nv(self) -> int:
        """Number of velocity variables of the joint type."""
        return self.type.nv

    def coordinates(self, q: NDArray) -> NDArray:
        """The joint's own coordinates, shape (..., nq), from those of the model."""
        own = q[..., self.q_slice]
        return own if self.mimic is None else self.mimic.multiplier * own + self.mimic.offset

    def velocities(self, v: NDArray) -> NDArray:
        """The joint's own velocity variables, shape (..., nv), from those of the model."""
        own = v[..., self.v_slice]
        return own if self.mimic is None else self.mimic.multiplier * own

    def stretch(self, q: NDArray) -> NDArray:
        """Displacement u (..., nv) from the rest of the joint's spring; zero if it has none."""
        if not self.stiffness.any():
            return np.zeros((*q.shape[:-1], self.nv))
        return self.type.difference(self.rest, self.coordinates(q))

    def displacement(self, q: NDArray, start: ArrayLike | None = None) -> NDArray:
        """Return the displacement u (nv,) of the joint from `start`, or its neutral coordinates, to its state in q.

        Raises
        ------
        ModelError
            If `start` is not a valid coordinate vector of the joint.
        """
        if start is None:
            own = self.type.neutral()
        else:
            own = _vector(start, self.nq, "rest", self.name)
            try:
                self.type.check(own)
            except StateError as fault:
                raise ModelError(f"joint {self.name!r}: rest of the spring: {fault}") from fault
        return self.type.difference(own, self.coordinates(q))

    def local_force(self, u: NDArray, f: NDArray) -> NDArray:
        """Return the joint force ``A.T f`` (nv,) of a force f (nv,) along the displacement u (nv,); du/dt = A v."""
        return self.type.local_rate(u).T @ f

    def pose(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Pose of the body in its parent, shape (..., 4, 4), from the coordinates of the model."""
        return self.placement @ poses_of(self.type, self.coordinates(q), t)

    def transform(self, q: NDArray, t: float = 0.0) -> NDArray:
        """X_J, shape (6, 6), from the coordinates of the model; ``X_J @ X_tree`` leads from parent to body."""
        return self.type.transform(self.coordinates(q), t)

    def velocity(self, q: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """v_J in body coordinates, shape (..., 6), from the coordinates and velocities of the model."""
        return velocities_of(self.type, self.coordinates(q), self.velocities(v), t)

    def calc(self, q: NDArray, v: NDArray, t: float = 0.0) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """jcalc: X_J, S, v_J, c_J from the coordinates and velocities of the model.

        For a mimic joint S is scaled, so that ``v_J = S @ v[v_slice]`` holds for it too.
        """
        X_J, S, v_J, c_J = self.type.calc(self.coordinates(q), self.velocities(v), t)
        return X_J, S if self.mimic is None else self.mimic.multiplier * S, v_J, c_J

    def motion_subspace(self, q: NDArray) -> NDArray:
        """S of shape (6, nv), as in `calc`."""
        S = self.type.motion_subspace(self.coordinates(q))
        return S if self.mimic is None else self.mimic.multiplier * S

    @cached_property
    def X_tree(self) -> NDArray:
        """X_T: motion transform from parent coordinates to the predecessor frame of the joint, shape (6, 6)."""
        return frozen(plucker.from_pose(self.placement))

    def __repr__(self) -> str:
        follows = "" if self.mimic is None else f", follows {self.mimic.leader!r}"
        q, v = self.q_slice, self.v_slice
        return f"<Joint {self.name!r}: {self.type!r}, q[{q.start}:{q.stop}], v[{v.start}:{v.stop}]{follows}>"


def passive(joint: Joint) -> dict[str, Any]:
    """Return the spring and loss coefficients of a joint, as arguments of `Model.add_body` and `Model.add_loop`."""
    return {name: getattr(joint, name) for name in IN_LOOPS}


def exerts(joint: Joint) -> bool:
    """Return whether a joint has passive forces: a spring, a damper or friction."""
    return bool(joint.stiffness.any() or joint.damping.any() or joint.friction.any())


def require_in_loop(joint: Joint, given: Mapping[str, ArrayLike]) -> None:
    """Raise ModelError if a loop joint cannot have its passive forces.

    A fixed joint has no freedom for them. The rest position of a spring must be one that the relative pose of the
    bodies determines, as a loop joint has no coordinate that counts turns.

    given : its damping, friction and stiffness as they were given.
    """
    if joint.nv == 0 and (names := [name for name, value in given.items() if np.any(value)]):
        raise ModelError(f"loop joint {joint.name!r} has no freedom on which its {names[0]} could act")
    if not joint.stiffness.any():
        return
    told = joint.type.project(joint.type.pose(joint.rest))
    if np.abs(joint.type.difference(joint.rest, told)).max() > RESTS:
        raise ModelError(
            f"loop joint {joint.name!r}: its spring is slack at {joint.rest.tolist()}, where the joint never is: what "
            f"its bodies tell of it there is {told.tolist()}, for they do not count turns; give these as rest"
        )


def _vector(value: ArrayLike, size: int, what: str, joint: str) -> NDArray:
    """Return one number for all coordinates, or one for each, as a read-only array (size,)."""
    if type(value) is float and value in (0.0, np.inf, -np.inf):  # what most arguments are by default
        return _filled(repr(value), size)
    if type(value) is float and value == value:
        array = np.full(size, value)
        array.setflags(write=False)
        return array
    array = floats(value, lambda v: f"joint {joint!r}: {what} {v} must be a number or {size} of them")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != size):
        raise ModelError(f"joint {joint!r}: {what} has shape {array.shape}; give one number or {size}")
    if np.any(np.isnan(array)):
        raise ModelError(f"joint {joint!r}: {what} holds NaN: {array}")
    return frozen(np.broadcast_to(array, (size,)))


@lru_cache(maxsize=128)
def _unlimited(nq: int, nv: int) -> Limits:
    """Return the limits of a joint that has none."""
    return Limits(*(_filled(value, size) for value, size in (("-inf", nq), ("inf", nq), ("inf", nv), ("inf", nv))))


@lru_cache(maxsize=128)
def _filled(value: str, size: int) -> NDArray:
    """Return a number as a read-only array (size,), which joints may share. value : its text, as 0.0 is -0.0."""
    return frozen(np.full(size, float(value)))
