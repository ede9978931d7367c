"""The rigid-contact system that contact laws work on: free dynamics, candidate contacts, contact Jacobian, Delassus
matrix.

A law asks four things of a `Scene`: where bodies may touch (`Scene.near`), how fast points move relative to each other
(``J v`` from `Scene.rows`, plus `Scene.carried` for prescribed joints), how velocities answer impulses
(`Scene.inverse`), and what bodies do without contacts (the joint system itself). From these it forms the Delassus
matrix ``W = J H^-1 J^T`` (Featherstone 2008, section 11.3). Loops and bilateral constraints are inside of H^-1, which
is restricted to the velocities that they allow; unilateral constraints are contact points, see `Stops`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import crba, forward_kinematics, jacobian
from rbdkit.algorithms.kinematics import in_world
from rbdkit.engine.contact.visit_order import ACROSS
from rbdkit.errors import SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.laws.near import NOTHING, Near, Pairs
from rbdkit.laws.stops import Stops
from rbdkit.laws.straight import Straight
from rbdkit.model.closing.length import length_of
from rbdkit.model.closing.massless import require_inertia
from rbdkit.model.closing.rank import arcs_of
from rbdkit.model.constraint_rows import constraint_rows, working
from rbdkit.model.measures import speed_of


class Scene:
    """A joint system together with the pairs of its bodies that can touch.

    Parameters
    ----------
    system : JointSystem
        The dynamics without contacts, with tau, f_ext, loops and bilateral constraints.
    pairs : Pairs
        The pairs that can touch; a `Stops` if the model has unilateral constraints.
    speed : float, optional
        Reference speed for tolerances, m/s; that of `speed_of` if not given.
    """

    def __init__(self, system: JointSystem, pairs: Pairs, speed: float | None = None) -> None:
        self.system, self.model, self.pairs = system, system.model, pairs
        self.stops = pairs if isinstance(pairs, Stops) else None
        reach = pairs.reach[np.isfinite(pairs.reach)]
        self._long = length_of(system.model)
        self.length = max(self._long, float(reach.max(initial=0.0)))
        self.speed = speed_of(system.model) if speed is None else speed
        self.kernels = system._kernels
        self.friction = np.array([own.friction for own in pairs.surfaces], dtype=float)
        self.restitution = np.array([own.restitution for own in pairs.surfaces], dtype=float)
        self.driven = any(joint.type.is_driven for joint in self.model.joints)
        rows = constraint_rows(self.model)
        timed = (rows is not None and rows.timed) or any(loop.joint.type.is_driven for loop in self.model.loops)
        self.at_work = self.driven or timed or bool(working(self.model))
        self.at_work |= self.stops is not None and self.stops.recorded.timed
        self.straight = Straight(system.model)
        self._placement = np.eye(4)
        rigid = list(range(len(self.model.bodies)))
        for body in self.model.bodies[1:]:
            if body.joint.nv == 0 and not body.joint.type.is_driven:
                rigid[body.index] = rigid[body.parent]
        self._rigid = np.array(rigid)

    def motion(self, t: float, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return poses (bodies, 4, 4), and velocities (bodies, 6) in world coordinates about the world origin."""
        if self.kernels is not None:
            poses, velocities = self.kernels.forward_kinematics(q, v, t)
        else:
            found = forward_kinematics(self.model, q, v, t=t)
            poses, velocities = found.poses, found.velocities
        assert velocities is not None
        return poses, in_world(poses, velocities)

    def fastest(self, t: float, q: NDArray, *speeds: NDArray) -> float:
        """Return an upper bound of the speed at which two bodies that can touch approach each other, m/s.

        It covers all the given joint velocities (nv,), and the speeds at which gaps of unilateral constraints close.
        """
        most = 0.0
        for v in speeds:
            most = most if self.stops is None else max(most, self.stops.fastest(t, q, v))
            poses, velocity = self.motion(t, q, v)
            spin = np.linalg.norm(velocity[:, :3], axis=1)
            origin = np.linalg.norm(velocity[:, 3:] + np.cross(velocity[:, :3], poses[:, :3, 3]), axis=1)
            speed = np.where(self.pairs.reach > 0.0, origin + spin * self.pairs.reach, origin)
            most = max(most, float(speed[self.pairs.bodies].sum(axis=1).max(initial=0.0)))
        return most

    def near(self, t: float, q: NDArray, v: NDArray, margin: float) -> Near:
        """Return the candidate contacts with gaps below the margin, m."""
        return self.pairs.near(t, q, v, margin) if len(self.pairs.names) else NOTHING

    def as_visited(self, near: Near) -> Near:
        """Sort points into the order in which sweeps visit them: by position and normal, not by numbers of bodies.

        So the result does not depend on how the model numbers its parts. Unilateral constraints come last, as they are
        numbered. `rbdkit.engine.contact.visit_order` is the same in the compiled loop.
        """
        key = near.point @ ACROSS + self._long * (near.normal @ ACROSS) ** 2
        last = np.zeros(len(near), dtype=bool) if self.stops is None else near.pair >= self.stops.first
        return near.of(np.lexsort((np.where(last, 0.0, key), last)))

    def rows(self, t: float, q: NDArray, near: Near) -> NDArray:
        """Return the contact Jacobian J (3 m, nv): relative velocities along normal and tangents of each point are J v.

        Successor minus predecessor (Featherstone 2008, Eq 11.25, for the normal). `carried` adds the part that does
        not depend on v.
        """
        # a wrench times a body's Jacobian, both about the world origin: no transform for each point
        wrenches = self.wrenches(near)
        J = np.zeros((len(near), 3, self.model.nv))
        both = self.pairs.bodies[near.pair]
        for body in np.unique(both):
            if body == 0:
                continue
            own = self.jacobian(t, q, int(body))
            for side, sign in ((0, -1.0), (1, 1.0)):
                here = both[:, side] == body
                J[here] += sign * wrenches[here] @ own
        if self.stops is not None:
            here, rows = self.stops.numbers(near)
            J[here, 0] = self.stops.at(t, q, np.zeros(self.model.nv)).K[rows]
        return J.reshape(-1, self.model.nv)

    @staticmethod
    def wrenches(near: Near) -> NDArray:
        """Return the wrenches of unit forces along normal and tangents, (m, 3, 6), about the world origin."""
        axes = near.axes
        return np.concatenate([np.cross(near.point[:, None, :], axes), axes], axis=-1)

    def jacobian(self, t: float, q: NDArray, body: int) -> NDArray:
        """Return the Jacobian of a body, (6, nv), in world coordinates about the world origin."""
        if self.kernels is not None:
            return self.kernels.jacobian(q, body, self._placement, "world", t)
        return jacobian(self.model, q, self.model.bodies[body].name, "world", t=t)

    def carried(self, t: float, q: NDArray, near: Near) -> NDArray:
        """Return the part of the contact velocities that prescribed (rheonomic) motion causes, (3 m,), m/s."""
        u, rest = np.zeros((len(near), 3)), np.zeros(self.model.nv)
        if self.driven:
            velocity = self.motion(t, q, rest)[1][self.pairs.bodies[near.pair]]
            u = np.einsum("ijk,ik->ij", self.wrenches(near), velocity[:, 1] - velocity[:, 0])
        if self.stops is not None:
            here, rows = self.stops.numbers(near)
            u[here, 0] = self.stops.at(t, q, rest).slip[rows]
        return u.ravel()

    def inverse(self, t: float, q: NDArray) -> Inverse:
        """Return the inverse inertia, restricted to the velocities that loops and constraints allow."""
        H = self.kernels.crba(q, t) if self.kernels is not None else crba(self.model, q, t=t).H
        if not isinstance(self.system, ClosedJointSystem):
            return Inverse(H)
        # velocities do not matter: the rows of K depend on positions and time alone
        own = self.system._rows(t, q, np.zeros(self.model.nv), None)
        loops = self.system._loop_rows(q, t, own)
        arcs = arcs_of(self.model, self.system.gaps.length)
        # independent rows only, so their number is the rank, and the other singular vectors span the null space;
        # angles as arcs, so the basis depends on no unit
        K = own.K[loops.says() > 0.0] * arcs
        return Inverse(H, arcs[:, None] * np.linalg.svd(K)[2][len(K) :].T)

    def couples(self, near: Near) -> NDArray:
        """Return a label, counted from 0, of the pair of rigid bodies that touch at each point, (m,).

        Bodies connected by fixed joints count as one; a unilateral constraint counts as a pair of its own.
        """
        both = np.sort(self._rigid[self.pairs.bodies[near.pair]], axis=1)
        alone = np.zeros(len(near), dtype=int)
        if self.stops is not None:
            here = self.stops.numbers(near)[0]
            alone[here] = 1 + near.pair[here]
        labels = np.column_stack([both, alone])
        return np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)

    def names(self, near: Near) -> tuple[str, ...]:
        """Return a name for each point: that of its pair, with the number of the point if that is not 0."""
        return tuple(f"{self.pairs.names[p]}" + (f"[{s}]" if s else "") for p, s in near.keys)


@dataclass(frozen=True, eq=False)
class Inverse:
    """The inverse inertia H^-1, or ``G (G^T H G)^-1 G^T`` where G spans the velocities that constraints allow.

    It maps impulses to changes of velocity. It is kept as a Cholesky factor. Bodies without mass are allowed if loops
    determine their motion.

    H : (nv, nv) inertia matrix. G : (nv, k) basis of the admissible velocities, or None.
    """

    H: NDArray
    G: NDArray | None = None
    _factor: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from scipy.linalg import cho_factor  # slow to load

        H, G = self.H, self.G
        try:
            if G is not None:
                require_inertia(H, G)
                H = G.T @ H @ G
            object.__setattr__(self, "_factor", cho_factor(H, lower=True, check_finite=False))
        except np.linalg.LinAlgError:
            raise SimulationError(
                "the inertia matrix is not positive definite, which contacts ask for; see model.validate() for the "
                "body that lacks inertia"
            ) from None

    def times(self, X: NDArray) -> NDArray:
        """Return the changes of velocity (nv, k) due to impulses X (nv, k)."""
        from scipy.linalg import cho_solve  # slow to load

        if self.G is None:
            return cho_solve(self._factor, X, check_finite=False)
        return self.G @ cho_solve(self._factor, self.G.T @ X, check_finite=False)
