"""Motions and forces in base coordinates, as pairs of vectors, angular part and moment first.

Base coordinates have the axes of the world and the position of a tree's first link as origin, so that accuracy does not
depend on the distance from the world's origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rbdkit.engine.steps.axes import Axes, Columns
from rbdkit.engine.steps.coriolis import Coriolis
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.compact import mv, plx, rbi
from rbdkit.spatial.vector3 import IDENTITY, ZERO, Matrix, Vector, cross, dot
from rbdkit.trace import Scalar, Whole

Pair = tuple[Vector, Vector]


def plus(a: Pair, b: Pair) -> Pair:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1]


def minus(a: Pair, b: Pair) -> Pair:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1]


def times(x: Scalar, a: Pair) -> Pair:
    """Return x a."""
    return x * a[0], x * a[1]


def cross_motion(v: Pair, m: Pair) -> Pair:
    """Return v x m (Featherstone 2008, Eq 2.33)."""
    return cross(v[0], m[0]), cross(v[0], m[1]) + cross(v[1], m[0])


def cross_force(v: Pair, f: Pair) -> Pair:
    """Return v x* f (Eq 2.34)."""
    return cross(v[0], f[0]) + cross(v[1], f[1]), cross(v[0], f[1])


def power(motion: Pair, force: Pair) -> Scalar:
    """Return motion . force."""
    return dot(motion[0], force[0]) + dot(motion[1], force[1])


def flat(a: Pair) -> list[Scalar]:
    """Return the six numbers."""
    return [*a[0], *a[1]]


def pair(numbers: list[Scalar]) -> Pair:
    """Return six numbers as two vectors."""
    return Vector(numbers[:3]), Vector(numbers[3:6])


PAIR = Numbers(6)


@dataclass(frozen=True)
class Base:
    """Fields of a tree in base coordinates.

    R, p : pose of each link. origin : position of the tree's first link in the world. v, a : velocity and acceleration
    of each link, six numbers, with minus gravity for the world's. I, B : inertia and Coriolis matrix of each link. f :
    force that its motion takes; f_x : external force on it, None if there are none. S : motion subspaces in link
    coordinates.
    """

    R: Any
    p: Any
    origin: Any
    v: Any
    a: Any
    I: Any
    B: Any
    f: Any
    f_x: Any
    S: Axes


def base_motion(tree: Tree, q: JointArray, qd: JointArray, qdd: JointArray, f_ext: Whole | None) -> Base:
    """Compute the outward pass of RNEA (Featherstone 2008, Table 5.1) in base coordinates.

    f_ext : where the state's forces begin in the array of that name, six numbers per link; None if there are none.
    """
    program, world = tree.program, tree.world
    R_0, p_0, origin, reach = tree.field(Matrix), tree.field(Vector), tree.field(Vector), tree.field(Numbers(1))
    v, a, f = tree.field(PAIR), tree.field(PAIR), tree.field(PAIR)
    I, B = tree.field(rbi), tree.field(Coriolis)
    f_x, S = None if f_ext is None else tree.field(PAIR), Axes(tree, q)

    R_0[world], p_0[world], origin[world], reach[world] = IDENTITY, ZERO, ZERO, [0.0]
    v[world] = f[world] = [0.0] * 6
    I[world], B[world] = rbi.of([0.0] * rbi.size), Coriolis.of([0.0] * Coriolis.size)
    if f_x is not None:
        f_x[world] = [0.0] * 6
    a[world] = [0.0, 0.0, 0.0, *(-program.load("gravity", 0, k) for k in range(3))]
    for i in tree.outward(abreast=True):
        R, p = tree.pose(i, q[i])
        R_p = R_0[i.parent]
        # `reach` is 0 for the world alone: a link on the world is at the base origin, and its step goes to `origin`.
        step, joined = R_p @ p, reach[i.parent][0]
        R_0[i], p_0[i], reach[i] = R_p @ R, p_0[i.parent] + joined * step, [1.0]
        v_p, a_p = pair(v[i.parent]), pair(a[i.parent])
        v_J, a_J = (ZERO, ZERO), (ZERO, ZERO)
        for J, qd_k, qdd_k in zip(in_base(S.find(i), R_0[i], p_0[i]), qd[i], qdd[i], strict=True):
            v_J, a_J = plus(v_J, times(qd_k, J)), plus(a_J, times(qdd_k, J))
        if i.motion.varying:
            a_J = plus(a_J, *in_base([tree.velocity_product(i, q[i], qd[i])], R_0[i], p_0[i]))
        v_i, a_i = plus(v_p, v_J), plus(plus(a_p, a_J), cross_motion(v_p, v_J))
        v[i], a[i] = flat(v_i), flat(a_i)
        I[i] = plx(R_0[i].T, p_0[i]).inv_apply(rbi(*tree.inertia(i)))
        B[i] = Coriolis.of_body(I[i], v_i)
        f[i] = I[i].force(a=mv(*a_i), v=mv(*v_i)).flat()
        if f_x is not None and f_ext is not None:
            origin[i] = origin[i.parent] + (1.0 - joined) * step
            x = [program.load("f_ext", i.number * 6 + f_ext, k) for k in range(6)]
            n, force = pair(x)
            f_x[i] = [*(n - cross(origin[i], force)), *force]
    return Base(R_0, p_0, origin, v, a, I, B, f, f_x, S)


def in_base(columns: Columns, R: Matrix, p: Vector) -> list[Pair]:
    """Transform motions in link coordinates, such as the axes of a joint, to base coordinates."""
    found = []
    for S in columns:
        w = R @ Vector(S[:3])
        found.append((w, R @ Vector(S[3:]) + cross(p, w)))
    return found
