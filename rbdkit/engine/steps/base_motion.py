"""Motions and forces in base coordinates."""

from __future__ import annotations

from typing import Any

from rbdkit.algorithms import base_motion as text_of
from rbdkit.engine.steps.base import BaseFrames
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.text_tree import TextTree, recording
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import fv, plx
from rbdkit.spatial.vector3 import IDENTITY
from rbdkit.trace import Whole


def base_motion(tree: Tree, q: JointArray, qd: JointArray, qdd: JointArray, f_ext: Whole | None) -> Any:
    """Record motions of the links, see `rbdkit.algorithms.base_motion.BaseMotion`; here they are fields of the tree.

    f_ext : where the state's forces begin in the array of that name, six numbers per link; None if there are none.
    """
    frames = BaseFrames(tree, origin=f_ext is not None)
    given = None if f_ext is None else _InBase(frames, ExternalForce(tree, f_ext))
    return recording(text_of.base_motion)(TextTree(tree, q, {}, base=frames), q, qd, qdd, f_ext=given)


class _InBase:
    """External forces on links in base coordinates, given those about the origin of the world."""

    def __init__(self, frames: BaseFrames, given: ExternalForce) -> None:
        self.frames, self.given = frames, given

    def __getitem__(self, i: Node) -> fv:
        return plx(IDENTITY, self.frames.origin[i]).apply(self.given[i])
