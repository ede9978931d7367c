"""The interface between elements and a mechanism: it gives positions and velocities, and collects applied forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.forces.loop_joint import LoopJoint, LoopLike
from rbdkit.spatial.read_numbers import shown

if TYPE_CHECKING:
    from rbdkit.forces.element import ForceElement

ORIGIN = (0.0, 0.0, 0.0)


class FrameLike(Protocol):
    """Interface of a frame on a body: index of the body, and pose (4, 4) in it."""

    @property
    def body(self) -> int: ...
    @property
    def placement(self) -> NDArray: ...


class JointLike(Protocol):
    """Interface of a joint of a model: extracts its coordinates and velocities, and maps forces along it."""

    @property
    def nv(self) -> int: ...
    @property
    def v_slice(self) -> slice: ...
    @property
    def mimic(self) -> Any: ...
    @property
    def type(self) -> Any: ...
    def coordinates(self, q: NDArray) -> NDArray: ...
    def velocities(self, v: NDArray) -> NDArray: ...
    def displacement(self, q: NDArray, start: Any) -> NDArray: ...
    def local_force(self, u: NDArray, f: NDArray) -> NDArray: ...


class Mechanism(Protocol):
    """Interface of a model: looks up frames and joints by name. loop : the loop joint of a name, or None."""

    def frame(self, name: str) -> FrameLike: ...
    def joint(self, name: str) -> JointLike: ...
    def loop(self, name: str) -> LoopLike | None: ...


@dataclass(frozen=True)
class BodyMotion:
    """Motion of a body in world axes.

    R, p : rotation (3, 3) and position (3,) of its frame, m. w, v : angular velocity (3,), rad/s, and velocity of the
    origin (3,), m/s.
    """

    R: NDArray
    p: NDArray
    w: NDArray
    v: NDArray


class Surroundings:
    """One state of a mechanism for force elements and constraints, and the sum of the forces that they apply.

    Frames are given by their names or those of bodies, 'world' included. Joints may be loop joints: their coordinates
    are then those that come closest to the relative pose of the bodies, with angles in (-pi, pi]. All vectors are in
    world axes; points are given in coordinates of the frame.

    Parameters
    ----------
    mechanism : Mechanism
        Looks up frames and joints.
    q, v : ndarray (nq,), (nv,)
        Joint coordinates and velocities; numbers or symbols.
    motion : callable
        Returns the `BodyMotion` of the body of an index.
    t : float
        Time, s.
    """

    def __init__(
        self, mechanism: Mechanism, q: NDArray, v: NDArray, motion: Callable[[int], BodyMotion], t: Any
    ) -> None:
        self._mechanism, self._q, self._v, self.motion = mechanism, q, v, motion
        self._t = np.float64(t) if type(t) is float else t  # of one kind in all forms: ~(t < 1) is -2 in plain Python
        self.torques: dict[int, Any] = {}
        """Joint forces applied, by index of the velocity variable."""
        self.wrenches: dict[int, NDArray] = {}
        """Wrenches applied, by index of the body: moment about the world origin, then force, (6,)."""
        self.across: set[str] = set()
        """Names of the loop joints that were read or acted on."""
        self.asked_time = False
        """Whether time was read."""
        self._rates: dict[str, Any] = {}

    # --- what an element may ask --------------------------------------------------------------------------------------

    @property
    def time(self) -> Any:
        """Time, s."""
        self.asked_time = True
        return self._t

    def coordinate_units(self, joint: str) -> tuple[str, ...]:
        """Units of the joint's coordinates: rad, m, or 1 of quaternions."""
        return tuple(self._joint(joint).type.q_units)

    def coordinate_names(self, joint: str) -> tuple[str, ...]:
        """Names of the joint's coordinates: 'angle', 'x'."""
        return tuple(self._mechanism.joint(joint).type.q_names)

    def coordinates(self, joint: str) -> NDArray:
        """The joint's coordinates (nq,), rad or m."""
        return self._joint(joint).coordinates(self._q)

    def velocities(self, joint: str) -> NDArray:
        """The joint's velocity variables (nv,), rad/s or m/s."""
        return self._joint(joint).velocities(self._v)

    def displacement(self, joint: str, start: Any = None) -> NDArray:
        """Return the displacement u (nv,) of a joint from coordinates `start`, rad or m: ``move(start, u) = q``.

        start : a number or (nq,), rad or m; the neutral coordinates, where the joint's frames coincide, if not given.
        """
        return self._joint(joint).displacement(self._q, start)

    def rotation(self, frame: str) -> NDArray:
        """Rotation matrix (3, 3) from the axes of a frame to those of the world."""
        f, motion = self._of(frame)
        return motion.R @ f.placement[:3, :3]

    def position(self, frame: str, point: Any = ORIGIN) -> NDArray:
        """Position (3,) of a point that is fixed in a frame, m."""
        f, motion = self._of(frame)
        return motion.p + motion.R @ _in_body(f, point, frame)

    def velocity(self, frame: str, point: Any = ORIGIN) -> NDArray:
        """Velocity (3,) of a point that is fixed in a frame, m/s."""
        f, motion = self._of(frame)
        return motion.v + _cross(motion.w, motion.R @ _in_body(f, point, frame))

    def angular_velocity(self, frame: str) -> NDArray:
        """Angular velocity (3,) of a frame, rad/s."""
        return self._of(frame)[1].w

    # --- what it may do -----------------------------------------------------------------------------------------------

    def apply_force(self, frame: str, force: Any, point: Any = ORIGIN) -> None:
        """Apply a force (3,) in world axes, N, at a point of a frame."""
        f, motion = self._of(frame)
        force = _three(force, "force", frame)
        self._add(f.body, _cross(motion.p + motion.R @ _in_body(f, point, frame), force), force)

    def apply_couple(self, frame: str, couple: Any) -> None:
        """Apply a couple (3,) in world axes, N m, to the body of a frame."""
        self._add(self._mechanism.frame(frame).body, _three(couple, "couple", frame), np.zeros(3))

    def apply_torque(self, joint: str, torque: Any) -> None:
        """Apply a joint force (nv,) along a joint's velocity variables, N m or N."""
        own = self._joint(joint)
        if own.nv == 0:
            raise ModelError(f"joint {joint!r} has no freedom that a torque could move: it is fixed, or moved by time")
        values = np.atleast_1d(np.asarray(torque))
        if values.shape != (own.nv,):
            raise ModelError(f"torque on joint {joint!r} has shape {values.shape}; the joint needs ({own.nv},)")
        if isinstance(own, LoopJoint):
            self._apply_across(joint, *own.wrench(values), own.p)
            return
        scale = 1.0 if own.mimic is None else own.mimic.multiplier
        for k, x in enumerate(values):
            a = own.v_slice.start + k
            self.torques[a] = self.torques.get(a, 0.0) + scale * x

    def apply_pull(self, joint: str, u: NDArray, f: NDArray) -> None:
        """Apply the joint force ``A.T f`` for a force f (nv,) along u from `displacement`, with ``du/dt = A v``.

        So f is conjugate to u: with minus the gradient of an energy in u, the total energy is conserved.
        """
        self.apply_torque(joint, self._joint(joint).local_force(u, f))

    def set_rate(self, state: str, rate: Any) -> None:
        """Set the rate of an internal state, its unit per second; a vector if the state is one."""
        if state in self._rates:
            raise ModelError(f"the rate of state {state!r} is set twice; add up what changes it")
        self._rates[state] = rate

    def let_act(self, element: ForceElement) -> dict[str, Any]:
        """Apply an element that holds its present states; return their rates, by name.

        Raises
        ------
        ModelError
            If it does not set the rate of a state, sets one of another shape, or one of an unknown state.
        """
        self._rates = {}
        element.act(self)
        if not element.states and not self._rates:
            return {}
        if unknown := [name for name in self._rates if name not in element.states]:
            raise ModelError(f"a rate is set for {unknown[0]!r}, which is not among its states {element.states}")
        for name in element.states:
            if name not in self._rates:
                raise ModelError(f'the rate of state {name!r} is not set; let act call at.set_rate("{name}", ...)')
            shape, own = np.shape(self._rates[name]), np.shape(getattr(element, name))
            if shape != own:
                raise ModelError(f"the rate of state {name!r} has shape {shape}; the state has {own}")
        return {name: self._rates[name] for name in element.states}

    def _of(self, frame: str) -> tuple[FrameLike, BodyMotion]:
        f = self._mechanism.frame(frame)
        return f, self.motion(f.body)

    def _joint(self, name: str) -> JointLike | LoopJoint:
        loop = self._mechanism.loop(name)
        if loop is None:
            return self._mechanism.joint(name)
        self.across.add(name)
        return LoopJoint(loop, self.motion(loop.predecessor), self.motion(loop.successor))

    def _apply_across(self, joint: str, couple: NDArray, force: NDArray, point: NDArray) -> None:
        """Apply a wrench at a point to the successor of a loop joint, and the opposite one to the predecessor."""
        loop = self._mechanism.loop(joint)
        assert loop is not None
        moment = couple + _cross(point, force)
        self._add(loop.successor, moment, force)
        self._add(loop.predecessor, -moment, -force)

    def _add(self, body: int, moment: NDArray, force: NDArray) -> None:
        wrench = np.concatenate([moment, force])
        self.wrenches[body] = self.wrenches[body] + wrench if body in self.wrenches else wrench


def _in_body(frame: FrameLike, point: Any, name: str) -> NDArray:
    """Return a point of a frame in coordinates of its body."""
    return frame.placement[:3, 3] + frame.placement[:3, :3] @ _three(point, "point", name)


def _three(values: Any, what: str, whose: str) -> NDArray:
    try:
        array = np.asarray(values) if not isinstance(values, np.ndarray) else values
    except ValueError:  # rows of unlike lengths
        raise ModelError(f"{what} on {whose!r} is {shown(values)}; give three numbers") from None
    if array.shape != (3,):
        raise ModelError(f"{what} on {whose!r} has shape {array.shape}; give three numbers")
    return array


def _cross(a: NDArray, b: NDArray) -> NDArray:
    """Return a x b; faster than `numpy.cross` for three numbers, and also for symbols."""
    x = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return np.array(x)
