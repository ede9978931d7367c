"""Inverse dynamics by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from rbdkit import algorithms
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
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


def project(S: list[Scalar], force: list[Scalar]) -> Scalar:
    """Return S . force."""
    return sum((s * x for s, x in zip(S, force, strict=True)), 0.0)
