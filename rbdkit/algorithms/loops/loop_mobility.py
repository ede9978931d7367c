"""Mobility of closed-loop systems, by counting and by the rank of K (Featherstone 2008, section 8.10).

The mobility n - r is exact at a pose. The counts of joint freedoms and loops (Grübler, Kutzbach) hold for properly
constrained systems; the difference is the number of redundant constraints. Weaker loop joints that keep the mobility
remove them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.kinematics import forward_kinematics
from rbdkit.algorithms.loops.held_rows import with_elements
from rbdkit.algorithms.loops.independent_rows import row_space
from rbdkit.algorithms.loops.loop_constraint import loop_constraint
from rbdkit.algorithms.loops.loop_jacobian import find_loop
from rbdkit.errors import ModelError
from rbdkit.joints import Cylindrical, Free, JointType, Planar, SphereInCylinder, Spherical, Universal
from rbdkit.model import Loop, Model
from rbdkit.model.joint import exerts, passive
from rbdkit.model.placement import as_pose
from rbdkit.model.requirements import require_bilateral
from rbdkit.spatial import plucker, se3, subspace


@dataclass(frozen=True, eq=False)
class LoopMobility:
    """Mobility at a pose and the counts for comparison (Featherstone 2008, section 8.10).

    Attributes
    ----------
    n, n_c, r : int
        Freedoms of the spanning tree, rows of K for loop joints and constraints, and its rank at the pose.
    n_tot, N_L : int
        Freedoms of all joints, and number of loops.
    planar : tuple of int or None
        Number of joint freedoms within the plane if all moving bodies stay in parallel planes, else None.
    normal : ndarray (3,) or None
        Unit normal of these planes, in world axes.
    singular_values : ndarray
        Singular values of K with angles as arcs, see `LoopConstraint.scaled`; the largest first.
    in_plane : tuple of int or None
        For each loop that moves in parallel planes of its own: freedoms of its loop joint within these, else None.
    sizes : tuple of int
        Number of freedoms of each loop joint.
    held, held_in_plane : int
        Number of rows of the constraint elements, and the sum of the ranks of their Jacobians.
    """

    n: int
    n_c: int
    r: int
    n_tot: int
    N_L: int
    planar: int | None
    normal: NDArray | None
    singular_values: NDArray
    in_plane: tuple[int | None, ...] = ()
    sizes: tuple[int, ...] = ()
    held: int = 0
    held_in_plane: int = 0

    @property
    def mobility(self) -> int:
        """Mobility n - r at this pose (Eq 8.52)."""
        return self.n - self.r

    @property
    def counted(self) -> int:
        """Count n_tot - 6 N_L, the mobility of properly constrained systems (Eq 8.53), less the rows of constraints."""
        return self.n_tot - 6 * self.N_L - self.held

    @property
    def counted_in_plane(self) -> int | None:
        """Count n_tot - 3 N_L of a planar system (Eq 8.54), less rows of constraints in the plane; None for others."""
        return None if self.planar is None else self.planar - 3 * self.N_L - self.held_in_plane

    @property
    def counted_by_loops(self) -> int:
        """Count for partly planar systems: 3 constraints for every loop in a plane of its own, 6 for every other."""
        mixed = self.n_tot - 6 * self.N_L - self.held
        for own, size in zip(self.in_plane, self.sizes, strict=True):
            mixed += 0 if own is None else own - 3 - (size - 6)
        return mixed

    @property
    def excess(self) -> int:
        """Number n_c - r of redundant constraints, by which the mobility exceeds the count (Eq 8.55)."""
        return self.n_c - self.r

    @property
    def properly_constrained(self) -> bool:
        """Whether no constraint is redundant."""
        return self.excess == 0


def loop_mobility(model: Model, q: NDArray, *, t: float = 0.0, tol: float | None = None) -> LoopMobility:
    """Return the mobility at a pose and the counts for comparison.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree, at which the loops are closed.
    t : float, optional
        Time in s, for prescribed joints.
    tol : float, optional
        Tolerance of the rank decision, see `row_space`.

    Notes
    -----
    A mimic joint adds no freedom.
    """
    require_bilateral(model, "the mobility of loops")
    still = np.zeros(model.nv)
    loops = loop_constraint(model, q, still, t=t)
    constraint = with_elements(loops, model, q, still, t=t)
    held = [constraint.K[rows] for rows in constraint.rows[len(loops.rows) :]]
    space = row_space(constraint, tol)
    n_tot = model.nv + sum(loop.joint.nv for loop in model.loops)
    X, normal = _from_world(model, q, t), plane_normal(model, q, t=t)
    across = [plucker.inverse(X[loop.successor]) @ S for loop, S in zip(model.loops, constraint.S, strict=True)]
    planar = None if normal is None else model.nv + sum(_in_plane(S, normal) for S in across)
    own = [_normal_of_loop(model, q, loop, X) for loop in model.loops]
    in_plane = tuple(None if n is None else _in_plane(S, n) for S, n in zip(across, own, strict=True))
    sizes = tuple(loop.joint.nv for loop in model.loops)
    return LoopMobility(
        model.nv,
        constraint.n_c,
        space.r,
        n_tot,
        len(model.loops),
        planar,
        normal,
        space.singular_values,
        in_plane,
        sizes,
        sum(map(len, held)),
        sum(int(np.linalg.matrix_rank(K)) for K in held),
    )


def plane_normal(model: Model, q: NDArray, *, t: float = 0.0) -> NDArray | None:
    """Return the normal (3,) of the planes in which all bodies of the tree move, in world axes; None if spatial.

    All rotations must be about one direction, and all translations perpendicular to it. A system that is planar at one
    pose is planar at all, because its hinges and slides move each other within the plane.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints; a model with prescribed joints counts as spatial.
    """
    if any(joint.type.is_driven for joint in (*model.joints, *(loop.joint for loop in model.loops))):
        return None
    return _normal(_axes(model, q, model.outward, _from_world(model, q, t)))


def _normal_of_loop(model: Model, q: NDArray, loop: Loop, X: NDArray) -> NDArray | None:
    """Return the plane normal of one loop, from the joints that move only one of its ends; None if spatial."""
    joints = set(model.support(loop.successor)) ^ set(model.support(loop.predecessor))
    if any(joint.type.is_driven for joint in (loop.joint, *(model.joints[i] for i in joints))):
        return None
    return _normal(_axes(model, q, sorted(joints), X))


def _axes(model: Model, q: NDArray, joints: Iterable[int], X: NDArray) -> NDArray:
    """Return the motion subspaces of joints (6, n), in world coordinates."""
    parts = (plucker.inverse(X[i]) @ model.joints[i].motion_subspace(q) for i in joints)
    return np.hstack([np.zeros((6, 0)), *parts])


def _normal(S: NDArray) -> NDArray | None:
    """Return the normal (3,) of the planes in which the velocities S (6, n) lie, or None."""
    if not S.shape[1]:
        return None
    turns, shifts = S[:3], S[3:]
    if np.abs(turns).max() > 1e-9:
        n = turns[:, np.argmax(np.linalg.norm(turns, axis=0))]
    elif subspace.dimension(shifts) > 2:
        return None
    else:
        n = np.linalg.svd(shifts)[0][:, 2]
    n = n / np.linalg.norm(n)
    sizes = np.linalg.norm(S, axis=0)
    off = np.concatenate([np.linalg.norm(np.cross(n, turns.T), axis=1) / sizes, np.abs(n @ shifts) / sizes])
    return n if off.max() < 1e-9 else None


def _in_plane(S: NDArray, n: NDArray) -> int:
    """Return the number of freedoms S (6, n) of a joint within planes of normal n (3,)."""
    return S.shape[1] + 3 - subspace.dimension(np.hstack([S, _planar_motions(n)])) if S.shape[1] else 0


def with_loop_joint(model: Model, name: str, kind: JointType, turned: NDArray | None = None) -> Model:
    """Return the model with another type for one loop joint; springs and losses of the other joints stay.

    Parameters
    ----------
    name : str
        Name of the loop joint.
    kind : JointType
        The new type.
    turned : ndarray (3, 3), optional
        Rotation of the new joint's frames against the old ones, the same at both ends.

    Raises
    ------
    ModelError
        If no loop joint has that name, `kind` is no joint type, or the joint has a spring, a damper or friction, which
        act along its own freedoms.
    """
    l = find_loop(model, name)
    if exerts(model.loops[l].joint):
        raise ModelError(
            f"loop joint {name!r} has a spring, a damper or friction, which would be lost with its type; put these on "
            "a tree joint, by cutting the loop elsewhere, or into a force element"
        )
    changed = copy.copy(model)
    changed.loops = ()
    changed._bind()
    for i, loop in enumerate(model.loops):
        own = kind if i == l else loop.joint.type
        turn = as_pose(turned if i == l else None, f"loop joint {name!r}")
        P, S = loop.joint.placement @ turn, loop.successor_placement @ turn
        ends = model.bodies[loop.predecessor], model.bodies[loop.successor]
        changed.add_loop(loop.joint.name, *ends, own, P, S, **({} if i == l else passive(loop.joint)))
    return changed


@dataclass(frozen=True, eq=False)
class Weaker:
    """Replacement of a loop joint by one with fewer constraints.

    Attributes
    ----------
    name : str
        Name of the loop joint to be replaced.
    type : JointType
        New joint type.
    turned : ndarray (3, 3)
        Rotation of its frames relative to those of the old joint.
    model : Model
        Model with the new joint.
    excess : int
        Number of remaining redundant constraints; 0 is properly constrained.
    """

    name: str
    type: JointType
    turned: NDArray
    model: Model
    excess: int


def weaker_loop_joints(
    model: Model, poses: Iterable[NDArray], *, t: float = 0.0, only: str | None = None
) -> list[Weaker]:
    """Return weaker loop joints such that a model keeps its motion with fewer redundant constraints (section 8.10).

    Each imposes a subset of the constraints of the joint that it replaces, and K keeps its rank at all poses. The first
    of the list leaves the fewest redundant constraints, and among equals is the strongest joint. The list is empty if
    nothing is redundant. Loop joints with a spring, a damper or friction stay, because these act along their freedoms.

    Parameters
    ----------
    poses : iterable of ndarray (nq,)
        Coordinates at which the loops are closed; several of a motion, since K may be singular at a single one.
    t : float, optional
        Time in s, for prescribed joints.
    only : str, optional
        Name of the loop joint to weaken; any if not given.

    Raises
    ------
    ModelError
        If there are no poses, or no loop joint of that name.
    """
    qs = [np.asarray(q, dtype=float) for q in poses]
    if not qs:
        raise ModelError("give at least one pose that closes the loops")
    before = [loop_mobility(model, q, t=t) for q in qs]
    if all(numbers.properly_constrained for numbers in before):
        return []
    found = []
    for loop in model.loops if only is None else [model.loops[find_loop(model, only)]]:
        if exerts(loop.joint):
            continue
        for kind, turned in _candidates(loop.joint.type):
            changed = with_loop_joint(model, loop.joint.name, kind, turned)
            after = [loop_mobility(changed, q, t=t) for q in qs]
            if any(new.r != old.r for new, old in zip(after, before, strict=True)) or not all(
                _implied(model, changed, loop.joint.name, q, t) for q in qs
            ):
                continue
            found.append(Weaker(loop.joint.name, kind, turned, changed, max(new.excess for new in after)))
    return sorted(found, key=lambda weaker: weaker.excess)


def _candidates(kind: JointType) -> list[tuple[JointType, NDArray]]:
    """Return common joints with more freedoms, in the joint's frame and aligned with its axis, the strongest first."""
    axis = getattr(kind, "axis", None)
    frames = [np.eye(3)] if axis is None else [_leading_to(axis), np.eye(3)]
    joints: list[JointType] = [Planar("z")]
    joints += [Cylindrical(a) for a in "zxy"] + [Universal(a, b) for a, b in ("zx", "zy", "xy")]
    joints += [Spherical()] + [SphereInCylinder(a) for a in "zxy"] + [Free()]
    pairs = [(joint, frame) for joint in joints for frame in frames if joint.nv > kind.nv]
    return sorted(pairs, key=lambda pair: pair[0].nv)


def _leading_to(axis: NDArray) -> NDArray:
    """Return a rotation that takes z to an axis."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _implied(model: Model, changed: Model, name: str, q: NDArray, t: float) -> bool:
    """Return whether the new joint is closed at q and constrains only directions that the old one constrains."""
    l, still = find_loop(model, name), np.zeros(model.nv)
    old, new = (loop_constraint(one, q, still, t=t) for one in (model, changed))
    T, T_new = old.T[l], new.T[l]
    closed = np.abs(new.delta[new.rows[l]]).max(initial=0.0) < 1e-6
    return bool(closed and np.linalg.matrix_rank(np.hstack([T, T_new]), 1e-7) == T.shape[1])


def _planar_motions(n: NDArray) -> NDArray:
    """Return (6, 3): the rotation about n and the two translations perpendicular to it."""
    across = np.linalg.svd(n[None])[2][1:].T
    found = np.zeros((6, 3))
    found[:3, 0], found[3:, 1:] = n, across
    return found


def _from_world(model: Model, q: NDArray, t: float) -> NDArray:
    """Return the transforms (n, 6, 6) from the world to the bodies."""
    return np.asarray(np.linalg.inv(se3.adjoint(forward_kinematics(model, q, t=t).poses)))
