"""Derivatives of passive joint forces, by the graph of each joint's own formulas."""

from __future__ import annotations

from collections.abc import Callable

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import dot
from rbdkit.trace import Scalar, Symbol, Whole, adjoints, slopes


def passive_derivatives(tree: Tree, q: JointArray, add: Callable[[Whole, Whole, Scalar], None]) -> None:
    """Compute derivatives of passive forces by q (columns 0 to nv - 1) and v (nv to 2 nv - 1).

    add : receives row, column and value.
    """
    for i in tree.outward():
        if not i.moves:  # the numbers of master joints include those of mimic joints
            continue
        stiffness = tree.velocities("stiffness")[i]
        for r, d in enumerate(tree.velocities("damping")[i]):
            add(i.v + r, tree.nv + i.v + r, -d)
        if not i.motion.curved:
            for r, k in enumerate(stiffness):
                add(i.v + r, i.v + r, -k)
        elif i.kind.sprung and i.motion.nv > 0:
            own = q[i]
            force = _spring_force(i, own, tree.coordinates("rest")[i], stiffness)
            for column, rate in enumerate(i.motion.rates(own)):
                for r, x in enumerate(slopes(force, zip(own, rate, strict=True))):
                    add(i.v + r, i.v + column, -x)


def passive_gradient(tree: Tree, q: JointArray, qd: JointArray, w: JointArray, start: Whole) -> None:
    """Write the gradient of ``w . (passive forces)`` to "by_q", "by_v", "by_damping", "by_stiffness" and "by_rest".

    start : where they begin. The rest position of a spring moves as q does.
    """
    names = ("by_q", "by_v", "by_damping", "by_stiffness", "by_rest")
    by_q, by_v, by_damping, by_stiffness, by_rest = (tree.velocities(name, start) for name in names)
    damping, stiffness = tree.velocities("damping"), tree.velocities("stiffness")
    for i in tree.outward():
        if i.motion.nv == 0:
            continue
        w_i, qd_i = w[i], qd[i]
        by_v[i] = [-(d * x) for d, x in zip(damping[i], w_i, strict=True)]
        by_damping[i] = [-(v * x) for v, x in zip(qd_i, w_i, strict=True)]
        own, rest, k = q[i], tree.coordinates("rest")[i], stiffness[i]
        spring = _spring_force(i, own, rest, k)
        graph = next(x.graph for x in own if isinstance(x, Symbol))
        bar = adjoints(graph, {graph.position(f): -x for f, x in zip(spring, w_i, strict=True)})
        by_q[i], by_rest[i] = (
            [dot(rate, [bar.get(graph.position(x), 0.0) for x in numbers]) for rate in i.motion.rates(numbers)]
            for numbers in (own, rest)
        )
        by_stiffness[i] = [bar.get(graph.position(x), 0.0) for x in k]


def _spring_force(i: Node, q: list[Scalar], rest: list[Scalar], stiffness: list[Scalar]) -> list[Scalar]:
    """Return the spring force A.T (stiffness * u) of a link's joint; u' = A v."""
    u = i.motion.difference(rest, q)
    return i.motion.local_force(u, [k * x for k, x in zip(stiffness, u, strict=True)])
