"""Inverse dynamics by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from rbdkit import algorithms
from rbdkit.engine.steps.axes import Columns, along
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, cross, skew
from rbdkit.trace import Scalar, Whole


def rnea(
    tree: Tree,
    q: JointArray,
    qd: JointArray,
    qdd: JointValues,
    tau: JointArray,
    f_ext: ExternalForce | None = None,
    motors: Whole | None = None,
) -> None:
    """Record tau = ID(q, qd, qdd), see `rbdkit.algorithms.rnea`.

    motors : where the driving forces of prescribed joints begin in the array "motors"; None if not wanted.
    """
    text = TextTree(tree, q, {"tau": tau})
    found = recording(algorithms.rnea)(text, q, qd, qdd, f_ext=f_ext)
    if motors is None:
        return
    for i in text.outward:
        across = found.f[i].flat()
        for k, S in enumerate(tree.driver(i, q[i], "driven_v")[0]):
            tree.program.store("motors", i.v + motors, k, project(S, across))


def joint_velocity(tree: Tree, i: Node, S: Columns, q: JointArray, qd: JointValues) -> tuple[Vector, Vector]:
    """Return v_J of a link with axes S, in its own coordinates: angular and linear part."""
    axes, x = tree.driver(i, q[i], "driven_v")
    return along([*S, *axes], [*qd[i], *x])


def joint_acceleration(
    tree: Tree, i: Node, S: Columns, q: JointArray, qd: JointValues, qdd: JointValues | None = None
) -> tuple[Vector, Vector]:
    """Return S qdd + c_J of a link; without qdd, c_J, which for a prescribed joint is all of its acceleration."""
    axes, x = tree.driver(i, q[i], "driven_a")
    alpha, a = along([*(S if qdd is not None else []), *axes], [*(qdd[i] if qdd is not None else []), *x])
    c_J = tree.velocity_product(i, q[i], qd[i])
    return alpha + Vector(c_J[:3]), a + Vector(c_J[3:])


def project(S: list[Scalar], force: list[Scalar]) -> Scalar:
    """Return S . force."""
    return sum((s * x for s, x in zip(S, force, strict=True)), 0.0)


def spin(w: Vector, alpha: Vector) -> Matrix:
    """Return [alpha]x + [w]x [w]x, which maps a position on a body to its acceleration."""
    x, y, z = w
    squares = Symmetric((-(y * y + z * z), x * y, x * z, -(x * x + z * z), y * z, -(x * x + y * y)))
    return squares.full + skew(alpha)


def coriolis(w_p: Vector, w_J: Vector, v_J: Vector) -> Vector:
    """Return the linear acceleration of the origin from a joint velocity (w_J, v_J) on a parent that turns with w_p."""
    return 2.0 * cross(w_p, v_J) + cross(w_J, v_J)
