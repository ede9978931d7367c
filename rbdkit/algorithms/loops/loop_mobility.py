"""In how many ways a system with loops can move, by counting and by rank."""

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
    """The numbers of Featherstone 2008, section 8.10.

    Attributes
    ----------
    n, n_c, r : int
        Freedoms of the spanning tree, rows of K for loop joints and constraints, and its rank at the pose.
    n_tot, N_L : int
        Freedoms of all joints, and number of loops.
    planar : tuple of int or None
        If all moving bodies stay in parallel planes: freedoms of all joints that do not lead out of these, else None.
    normal : ndarray (3,) or None
        Of these planes, in world axes.
    singular_values : ndarray
        Of K with angles as arcs, see `LoopConstraint.scaled`; the largest first.
    in_plane : tuple of int or None
        For each loop, if all that it is made of moves in parallel planes of its own: freedoms of its loop joint that do
        not lead out of these, else None.
    sizes : tuple of int
        All freedoms of each loop joint.
    held, held_in_plane : int
        Rows of the constraints that were added to the model, and how many are left if of each constraint those are
        taken away that say nothing of the tree by themselves.
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
        """n - r: what is true at this pose (Eq 8.52)."""
        return self.n - self.r

    @property
    def counted(self) -> int:
        """n_tot - 6 N_L: what properly constrained systems have (Eq 8.53); less the rows of constraints."""
        return self.n_tot - 6 * self.N_L - self.held

    @property
    def counted_in_plane(self) -> int | None:
        """n_tot - 3 N_L of a planar system (Eq 8.54), less rows of constraints in the plane; None for others."""
        return None if self.planar is None else self.planar - 3 * self.N_L - self.held_in_plane

    @property
    def counted_by_loops(self) -> int:
        """Of systems that are planar in parts: less 3 for every loop in a plane of its own, less 6 for every other."""
        mixed = self.n_tot - 6 * self.N_L - self.held
        for own, size in zip(self.in_plane, self.sizes, strict=True):
            mixed += 0 if own is None else own - 3 - (size - 6)
        return mixed

    @property
    def excess(self) -> int:
        """n_c - r: redundant constraints, and by how much the mobility exceeds the count (Eq 8.55)."""
        return self.n_c - self.r

    @property
    def properly_constrained(self) -> bool:
        """Whether no constraint is redundant."""
        return self.excess == 0


def loop_mobility(model: Model, q: NDArray, *, t: float = 0.0, tol: float | None = None) -> LoopMobility:
    """Mobility at a pose, and the counts beside it.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates of the spanning tree, which close the loops.
    t : float, optional
        Time in s, for prescribed joints.
    tol : float, optional
        Of the rank, see `row_space`.

    Notes
    -----
    A joint that follows another one brings no freedom.
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
    """The normal of the planes in which all bodies of the tree move, (3,) in world axes; None if there are none.

    All turns must be about one direction, and all shifts across it. What is planar at one pose is planar at all, for
    hinges and slides carry each other along in the plane.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints; these must not move, for time may lead them out of the plane.
    """
    if any(joint.type.is_driven for joint in (*model.joints, *(loop.joint for loop in model.loops))):
        return None
    return _normal(_axes(model, q, model.outward, _from_world(model, q, t)))


def _normal_of_loop(model: Model, q: NDArray, loop: Loop, X: NDArray) -> NDArray | None:
    """The same of what one loop is made of: the joints that move one of its ends alone."""
    joints = set(model.support(loop.successor)) ^ set(model.support(loop.predecessor))
    if any(joint.type.is_driven for joint in (loop.joint, *(model.joints[i] for i in joints))):
        return None
    return _normal(_axes(model, q, sorted(joints), X))


def _axes(model: Model, q: NDArray, joints: Iterable[int], X: NDArray) -> NDArray:
    """What joints allow (6, n), in the world."""
    parts = (plucker.inverse(X[i]) @ model.joints[i].motion_subspace(q) for i in joints)
    return np.hstack([np.zeros((6, 0)), *parts])


def _normal(S: NDArray) -> NDArray | None:
    """The normal of the planes in which velocities lie, (3,); None if there are none."""
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
    """How many of the freedoms S (6, n) of a joint do not lead out of planes."""
    return S.shape[1] + 3 - subspace.dimension(np.hstack([S, _planar_motions(n)])) if S.shape[1] else 0


def with_loop_joint(model: Model, name: str, kind: JointType, turned: NDArray | None = None) -> Model:
    """The model with another type of joint in the place of a loop joint; springs and losses of the others stay.

    Parameters
    ----------
    name : str
        Of the loop joint.
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
    """A loop joint that demands less, and how many constraints it leaves redundant.

    Attributes
    ----------
    name : str
        Of the loop joint to be replaced.
    type : JointType
        What to put there.
    turned : ndarray (3, 3)
        How its frames are turned against those of the joint.
    model : Model
        With the new joint.
    excess : int
        Redundant constraints that are left; 0 is properly constrained.
    """

    name: str
    type: JointType
    turned: NDArray
    model: Model
    excess: int


def weaker_loop_joints(
    model: Model, poses: Iterable[NDArray], *, t: float = 0.0, only: str | None = None
) -> list[Weaker]:
    """Loop joints to weaken so that a model keeps its motion with fewer redundant constraints (section 8.10).

    Each demands nothing that the joint in its place does not, and K keeps its rank at all poses. The first of the list
    leaves the fewest redundant constraints, and of these the strongest joint. Empty if nothing is redundant. Loop
    joints with a spring, a damper or friction are left as they are: another type does not have their freedoms.

    Parameters
    ----------
    poses : iterable of ndarray (nq,)
        Coordinates that close the loops; some of a motion: at a single one K may be singular by chance.
    t : float, optional
        Time in s, for prescribed joints.
    only : str, optional
        The one loop joint to weaken; any of them if not given.

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
    """Common joints of more freedoms, in the axes of the joint and turned by its own axis, the strongest first."""
    axis = getattr(kind, "axis", None)
    frames = [np.eye(3)] if axis is None else [_leading_to(axis), np.eye(3)]
    joints: list[JointType] = [Planar("z")]
    joints += [Cylindrical(a) for a in "zxy"] + [Universal(a, b) for a, b in ("zx", "zy", "xy")]
    joints += [Spherical()] + [SphereInCylinder(a) for a in "zxy"] + [Free()]
    pairs = [(joint, frame) for joint in joints for frame in frames if joint.nv > kind.nv]
    return sorted(pairs, key=lambda pair: pair[0].nv)


def _leading_to(axis: NDArray) -> NDArray:
    """A rotation that takes z to an axis."""
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _implied(model: Model, changed: Model, name: str, q: NDArray, t: float) -> bool:
    """Whether the new joint is closed at q, and resists only what the old one resists."""
    l, still = find_loop(model, name), np.zeros(model.nv)
    old, new = (loop_constraint(one, q, still, t=t) for one in (model, changed))
    T, T_new = old.T[l], new.T[l]
    closed = np.abs(new.delta[new.rows[l]]).max(initial=0.0) < 1e-6
    return bool(closed and np.linalg.matrix_rank(np.hstack([T, T_new]), 1e-7) == T.shape[1])


def _planar_motions(n: NDArray) -> NDArray:
    """(6, 3), turns about n and shifts across it."""
    across = np.linalg.svd(n[None])[2][1:].T
    found = np.zeros((6, 3))
    found[:3, 0], found[3:, 1:] = n, across
    return found


def _from_world(model: Model, q: NDArray, t: float) -> NDArray:
    """(n, 6, 6) transforms from the world to the bodies."""
    return np.asarray(np.linalg.inv(se3.adjoint(forward_kinematics(model, q, t=t).poses)))
