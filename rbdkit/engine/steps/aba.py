"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from typing import Any

from rbdkit import algorithms
from rbdkit.engine.steps.clusters import WithoutGroups
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.vector3 import ZERO


def aba(
    tree: Tree,
    q: JointArray,
    qd: JointValues,
    tau: JointValues,
    qdd: JointArray,
    f_ext: ExternalForce | None = None,
    weightless: bool = False,
) -> Any:
    """Record qdd = FD(q, qd, tau), see `rbdkit.algorithms.aba`. weightless : whether to leave gravity out."""
    text = TextTree(tree, q, {"qdd": qdd}, ZERO if weightless else None, grouped=True)
    return recording(algorithms.aba)(text, q, qd, WithoutGroups(tau) if text.grouped else tau, f_ext=f_ext)
