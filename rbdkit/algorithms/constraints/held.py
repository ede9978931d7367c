"""Everything that holds in a model as constraints of one kind: elements, loop joints, followers, gears, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints.reactions import reactions
from rbdkit.algorithms.element_rows import recorded_rows
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.algorithms.gears.gear import Gear, Gears
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.errors import ModelError, StateError
from rbdkit.joints.loop_form import loop_form
from rbdkit.model import Constraint, Joint, Loop, Model
from rbdkit.model.closing import LoopKinematics
from rbdkit.model.constraint import Row
from rbdkit.model.constraint_rows import ConstraintRows, constraint_rows
from rbdkit.model.implied import bounded, implied_rows
from rbdkit.model.kept import snapshot
from rbdkit.model.requirements import require_model

What = Literal["constraint", "loop joint", "follower", "gear", "limit"]


@dataclass(frozen=True, eq=False)
class Held:
    """What one part of a model holds, in joint coordinates: ``gap(q, t) = 0``, or ``K(q, t) qd = w(q, t)``.

    It is a `MotionConstraint`; `constrained_motion` takes it. States of a wrong shape are refused as `StateError`.

    Attributes
    ----------
    model : Model
        As it was when it was asked.
    name : str
        Of the constraint, the loop joint or the follower; of a bound 'elbow.angle', joint and coordinate.
    what : {'constraint', 'loop joint', 'follower', 'gear', 'limit'}
        What holds: something that was added by `add_constraint`, a joint that closes a loop, a joint with a `Mimic`
        (whose coordinate is none of the model's, so that its rows of K are zero), a gear of those that were given, a
        bound of `Limits`.
    part : Constraint, Loop, Joint or Gear
        The part of the model that says so, or the gear.
    rows : tuple of Row
        Units, whether positions tell it, and whether it is a bound, of each row.
    gears : Gears or None
        All gears that were given.
    """

    model: Model
    name: str
    what: What
    part: Constraint | Loop | Joint | Gear
    rows: tuple[Row, ...]
    gears: Gears | None

    @property
    def unilateral(self) -> tuple[int, ...]:
        """Numbers of the rows that are bounds: gaps not to be negative, and reactions that push only."""
        return tuple(k for k, row in enumerate(self.rows) if row.unilateral)

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """By how much positions miss (m,), rad or m; 0 of rows on velocities alone."""
        return self._at_rest(q, t).gap

    def slip(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """By how much velocities miss, K qd - w, (m,): the rate of the gap where positions tell it."""
        return self._at(*self._checked(q, qd), t).slip

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Coefficients of the velocities (m, nv); a reaction of size lambda is the joint force K^T lambda."""
        return self._at_rest(q, t).K

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Right-hand side of K qd = w, (m,): what time asks for."""
        return -self._at_rest(q, t).slip

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Right-hand side of K qdd = k, (m,)."""
        return self._at(*self._checked(q, qd), t).k

    def force(
        self,
        q: NDArray,
        qd: NDArray,
        tau: NDArray | None = None,
        *,
        f_ext: ExternalForces = None,
        t: float = 0.0,
        z: NDArray | None = None,
    ) -> NDArray:
        """What it exerts along its rows (m,), N or N m, positive where its gap, or slip, is pushed to grow.

        Of a follower this is what the transmission does to its joint, and takes from that of its leader times the
        multiplier. Springs, dampers and force elements act, and all else that holds in the model does hold.

        Parameters
        ----------
        q : ndarray (nq,)
            Coordinates.
        qd : ndarray (nv,)
            Velocities, which should obey what holds.
        tau : ndarray (nv,), optional
            Joint forces of motors; those on a coordinate that others follow act at the joint that leads.
        f_ext : ExternalForces, optional
            External forces on the bodies in world coordinates, see `wrench`.
        t : float, optional
            Time, s.
        z : ndarray (nz,), optional
            States of force elements, where they have some.

        Raises
        ------
        ModelError
            If it is a bound, or constraints of the model are: whether these hold, the state alone does not tell.
        StateError
            If an argument has a wrong shape or is not finite.
        """
        if self.unilateral:
            raise ModelError(f"{self!r} is a bound; whether it holds, and with what force, a state does not tell")
        q, qd = self._checked(q, qd)
        tau = np.zeros(self.model.nv) if tau is None else self.model.check_v(tau, "tau")
        if tau.ndim > 1:
            raise StateError(f"constraints are asked about one state; tau has shape {tau.shape}")
        z = None if z is None and not self.model.nz else self.model.check_z(z)
        return reactions(self.model, self.gears, q, qd, tau, f_ext=f_ext, t=t, z=z)[self.what, self.name]

    def _at_rest(self, q: NDArray, t: float) -> _Rows:
        return self._at(*self._checked(q, np.zeros(self.model.nv)), t)

    def _checked(self, q: NDArray, qd: NDArray) -> tuple[NDArray, NDArray]:
        """One state, as arrays of floats."""
        q, qd = self.model.check_q(q), self.model.check_v(qd, "qd")
        if q.ndim > 1 or qd.ndim > 1:
            raise StateError(f"constraints are asked about one state; q has shape {q.shape} and qd {qd.shape}")
        return q, qd

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        """All of it at a state."""
        raise NotImplementedError

    def __repr__(self) -> str:
        units = ", ".join(row.unit for row in self.rows)
        return f"<{self.what} {self.name!r}: {len(self.rows)} row{'s' * (len(self.rows) != 1)} ({units})>"


@dataclass(frozen=True, eq=False)
class _Rows:
    K: NDArray
    k: NDArray
    gap: NDArray
    slip: NDArray


@dataclass(frozen=True, eq=False, repr=False)
class _OfElement(Held):
    """Rows of a recorded element."""

    recorded: ConstraintRows
    first: int

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        found, own = (
            recorded_rows(self.model, self.recorded, q, qd, t=t),
            slice(self.first, self.first + len(self.rows)),
        )
        return _Rows(found.K[own], found.k[own], found.gap[own], found.slip[own])


@dataclass(frozen=True, eq=False, repr=False)
class _OfLoop(Held):
    """Rows of a joint that closes a loop (Featherstone 2008, Eq 8.21)."""

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        found = loop_constraint(self.model, q, qd, t=t)
        own = found.rows[found.names.index(self.name)]
        return _Rows(found.K[own], found.k[own], found.delta[own], found.delta_dot[own])


@dataclass(frozen=True, eq=False, repr=False)
class _OfFollower(Held):
    """The row of a `Mimic`: the joint has no other coordinate than the one that obeys."""

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        return _Rows(np.zeros((1, self.model.nv)), *np.zeros((3, 1)))


@dataclass(frozen=True, eq=False, repr=False)
class _OfGear(Held):
    """The row of a gear (Featherstone 2008, section 9.6)."""

    gears: Gears

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        K, k, gap = self.gears.rows(q, qd)
        own = [self.gears.followers.index(self.name)]
        return _Rows(K[own], k[own], gap[own], K[own] @ qd)


def constraints_of(model: Model, gears: Gears | Sequence[Gear] = ()) -> tuple[Held, ...]:
    """Everything that holds in a model besides the joints of its tree, as constraints of one kind.

    Parameters
    ----------
    model : Model
        With any joints.
    gears : sequence of Gear, optional
        Of `rbdkit.algorithms.gears`, which hold besides.

    Returns
    -------
    tuple of Held
        Each with ``name``, ``what``, ``part``, ``rows``, ``unilateral`` and, of coordinates (nq,), velocities (nv,) and
        time, ``gap``, ``slip``, ``K``, ``w``, ``k`` and ``force``: first the constraints that were added, then joints
        that close loops, joints that follow others, gears, and bounds of coordinates. Of a `Mimic` and of `Limits` the
        ``element`` of ``part`` is none; a `Tie` and a `Limit` say the same.

    Raises
    ------
    ModelError
        If `model` is not a model, or a gear does not fit it.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.planar_four_bar()
    >>> wire = model.add_constraint("wire", rbd.Distance("world", "coupler", 1.0))
    >>> for held in rbd.constraints_of(model):
    ...     print(held)
    <constraint 'wire': 1 row (m)>
    <loop joint 'pin': 5 rows (rad, rad, m, m, m)>

    Two fingers of 0.1 kg; a motor on one pulls 3 N, and half of that goes through the transmission to the other:

    >>> gripper = rbd.Model("gripper")
    >>> finger = dict(joint=rbd.Prismatic("x"), inertia=rbd.Inertia(0.1))
    >>> left = gripper.add_body("left", joint_name="jaw", **finger)
    >>> right = gripper.add_body("right", mimic=rbd.Mimic("jaw", multiplier=-1.0), **finger)
    >>> (belt,) = rbd.constraints_of(gripper)
    >>> belt.what, belt.force(np.zeros(1), np.zeros(1), np.array([3.0])).round(9).tolist()
    ('follower', [-1.5])
    """
    require_model(model)
    model = snapshot(model)
    given = gears.gears if isinstance(gears, Gears) else gears
    meshing = None if isinstance(given, Sequence) and not given else Gears(model, given)
    recorded = constraint_rows(model)
    found: list[Held] = []
    if recorded is not None:
        parts: list[tuple[Constraint | Joint, Constraint, What]] = [
            (own, own, "constraint") for own in model.constraints
        ]
        found += _elements(model, recorded, parts, meshing)
    poses = LoopKinematics(model).poses(model.neutral())
    found += [
        _OfLoop(model, loop.joint.name, "loop joint", loop, _loop_rows(loop, X), meshing)
        for loop, X in zip(model.loops, poses, strict=True)
    ]
    found += [
        _OfFollower(model, joint.name, "follower", joint, _row_of(joint), meshing)
        for joint in model.joints
        if joint.mimic is not None
    ]
    if meshing is not None:
        found += [
            _OfGear(model, gear.follower, "gear", gear, _row_of(model.joint(gear.follower)), meshing)
            for gear in meshing.gears
        ]
    bounds: list[tuple[Constraint | Joint, Constraint, What]]
    bounds = [(joint, limit, "limit") for joint, limit in bounded(model)]
    return *found, *(_elements(model, implied_rows(model), bounds, meshing) if bounds else ())


def _row_of(follower: Joint) -> tuple[Row, ...]:
    return (Row(follower.name, follower.type.q_units[0], True, False),)


def _elements(
    model: Model,
    recorded: ConstraintRows,
    parts: list[tuple[Constraint | Joint, Constraint, What]],
    gears: Gears | None,
) -> list[Held]:
    """What constraints hold that were recorded in this order."""
    found: list[Held] = []
    first = 0
    for part, constraint, what in parts:
        rows: list[Row] = []
        while first + len(rows) < recorded.m and recorded.rows[first + len(rows)].constraint == constraint.name:
            rows.append(recorded.rows[first + len(rows)])
        found.append(_OfElement(model, constraint.name, what, part, tuple(rows), gears, recorded, first))
        first += len(rows)
    return found


def _loop_rows(loop: Loop, X: NDArray) -> tuple[Row, ...]:
    """What there is to say of the rows of a loop joint: angles are held by forces that are moments."""
    T = loop_form(loop.joint.type, X, np.zeros(6)).T
    moments = np.linalg.norm(T[:3], axis=0) > 0.5 * np.linalg.norm(T, axis=0)
    return tuple(Row(loop.joint.name, "rad" if moment else "m", True, False) for moment in moments)
