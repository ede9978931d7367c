"""All constraints of a model behind one interface: constraint elements, loop joints, mimic joints, gears, limits.

Each is a `Held`, with its position error, Jacobian K and right-hand sides in joint coordinates. Its force comes from
the equation of motion of the whole model, since the force of one constraint depends on all others, see `reactions`.
"""

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
    """Constraint imposed by one part of a model, in joint coordinates: ``gap(q, t) = 0`` or ``K(q, t) qd = w(q, t)``.

    It is a `MotionConstraint` and can be passed to `constrained_motion`. States of a wrong shape raise `StateError`.

    Attributes
    ----------
    model : Model
        Frozen copy of the model.
    name : str
        Name of the constraint, loop joint or mimic joint; for a limit joint and coordinate, as 'elbow.angle'.
    what : {'constraint', 'loop joint', 'follower', 'gear', 'limit'}
        Kind: a constraint added by `add_constraint`, a loop joint, a joint with a `Mimic` (its coordinate is not one of
        the model's, so its row of K is zero), one of the given gears, or a limit of `Limits`.
    part : Constraint, Loop, Joint or Gear
        The part of the model that imposes the constraint, or the gear.
    rows : tuple of Row
        Unit of each row, whether it is holonomic, and whether it is unilateral.
    gears : Gears or None
        All given gears.
    """

    model: Model
    name: str
    what: What
    part: Constraint | Loop | Joint | Gear
    rows: tuple[Row, ...]
    gears: Gears | None

    @property
    def unilateral(self) -> tuple[int, ...]:
        """Indices of the unilateral rows: their gap must not be negative, and their reaction only pushes."""
        return tuple(k for k, row in enumerate(self.rows) if row.unilateral)

    def gap(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the position error (m,), rad or m; 0 for nonholonomic rows."""
        return self._at_rest(q, t).gap

    def slip(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Return the velocity error K qd - w (m,), which is the rate of the gap for holonomic rows."""
        return self._at(*self._checked(q, qd), t).slip

    def K(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the Jacobian K (m, nv); a reaction of size lambda is the joint force K^T lambda."""
        return self._at_rest(q, t).K

    def w(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the right-hand side of K qd = w, (m,), nonzero only if the constraint depends on time."""
        return -self._at_rest(q, t).slip

    def k(self, q: NDArray, qd: NDArray, t: float = 0.0) -> NDArray:
        """Return the right-hand side of K qdd = k, (m,)."""
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
        """Return its constraint forces along its rows (m,), N or N m; positive ones push the gap, or slip, to grow.

        For a mimic joint this is the force of the transmission on it; the master joint feels minus the multiplier times
        that. Springs, dampers and force elements act, and all other constraints of the model are in force.

        Parameters
        ----------
        q : ndarray (nq,)
            Coordinates.
        qd : ndarray (nv,)
            Velocities, which should satisfy the constraints.
        tau : ndarray (nv,), optional
            Joint forces of motors; those on the coordinate of mimic joints act at the master joint.
        f_ext : ExternalForces, optional
            External forces on the bodies in world coordinates, see `wrench`.
        t : float, optional
            Time, s.
        z : ndarray (nz,), optional
            States of force elements, if they have any.

        Raises
        ------
        ModelError
            If it, or another constraint of the model, is unilateral: a state alone does not tell whether that is
            active.
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
        """Check one state and return it as arrays of floats."""
        q, qd = self.model.check_q(q), self.model.check_v(qd, "qd")
        if q.ndim > 1 or qd.ndim > 1:
            raise StateError(f"constraints are asked about one state; q has shape {q.shape} and qd {qd.shape}")
        return q, qd

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        """Return Jacobian, right-hand side and errors at a state."""
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
    """Rows of a traced constraint element."""

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
    """Rows of a loop joint (Featherstone 2008, Eq 8.21)."""

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        found = loop_constraint(self.model, q, qd, t=t)
        own = found.rows[found.names.index(self.name)]
        return _Rows(found.K[own], found.k[own], found.delta[own], found.delta_dot[own])


@dataclass(frozen=True, eq=False, repr=False)
class _OfFollower(Held):
    """Row of a `Mimic`: zero, because the joint's coordinate is eliminated and satisfies it exactly."""

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        return _Rows(np.zeros((1, self.model.nv)), *np.zeros((3, 1)))


@dataclass(frozen=True, eq=False, repr=False)
class _OfGear(Held):
    """Row of a gear (Featherstone 2008, section 9.6)."""

    gears: Gears

    def _at(self, q: NDArray, qd: NDArray, t: float) -> _Rows:
        K, k, gap = self.gears.rows(q, qd)
        own = [self.gears.followers.index(self.name)]
        return _Rows(K[own], k[own], gap[own], K[own] @ qd)


def constraints_of(model: Model, gears: Gears | Sequence[Gear] = ()) -> tuple[Held, ...]:
    """Return all constraints of a model apart from the joints of its tree, as `Held` objects.

    Parameters
    ----------
    model : Model
        Model, with any joints.
    gears : sequence of Gear, optional
        Additional gears, see `rbdkit.algorithms.gears`.

    Returns
    -------
    tuple of Held
        Each with ``name``, ``what``, ``part``, ``rows``, ``unilateral``, and as functions of coordinates (nq,),
        velocities (nv,) and time ``gap``, ``slip``, ``K``, ``w``, ``k`` and ``force``. First come the constraints that
        were added, then loop joints, mimic joints, gears, and limits of coordinates. For a `Mimic` and for `Limits`,
        ``part`` is the joint and has no ``element``; a `Tie` and a `Limit` are the same as constraint elements.

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
    """Return the constraints of traced elements, given in the order in which they were traced."""
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
    """Return the units of the rows of a loop joint: rad where the constraint force is mostly a moment, else m."""
    T = loop_form(loop.joint.type, X, np.zeros(6)).T
    moments = np.linalg.norm(T[:3], axis=0) > 0.5 * np.linalg.norm(T, axis=0)
    return tuple(Row(loop.joint.name, "rad" if moment else "m", True, False) for moment in moments)
