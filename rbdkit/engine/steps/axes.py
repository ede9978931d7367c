"""Motion subspaces of all joints, and their derivatives by q where they depend on it."""

from __future__ import annotations

from dataclasses import dataclass

from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.compact import mv
from rbdkit.trace import Scalar, slopes

Columns = list[list[Scalar]]
"""Six numbers for each freedom, angular part first, in link coordinates."""


class Axes:
    """S of every link: computed on a first pass over the tree, and stored for later passes where it depends on q."""

    def __init__(self, tree: Tree, q: JointArray) -> None:
        self.tree, self.q = tree, q
        varying = any(kind.motion.varying for kind in tree.kinds)
        self._kept = tree.field(Numbers(6 * tree.most_axes)) if varying else None

    def find(self, i: Node) -> Columns:
        """Compute and store S of a link, on the first pass."""
        S = self.tree.axes(i, self.q[i])
        self.keep(i, S)
        return S

    def keep(self, i: Node, S: Columns) -> None:
        """Store S of a link for the passes that follow, if it depends on q."""
        if self._kept is not None and i.motion.varying:
            self._kept[i] = [x for axis in S for x in axis]

    def __getitem__(self, i: Node) -> Columns:
        # constant axes are cheaper computed again than loaded
        if self._kept is None or not i.motion.varying:
            return self.tree.axes(i, [])
        flat = self._kept[i]
        return [flat[6 * k : 6 * k + 6] for k in range(i.motion.nv)]


@dataclass(frozen=True)
class Change:
    """Derivatives of S and c_J by each freedom of a joint, seen from the frame that its axes move along with.

    axes : [k][m] of axis m by q along freedom k. product_q, product_v : of c_J by q along freedom k, by v_k.
    """

    axes: list[Columns]
    product_q: Columns
    product_v: Columns


def changes(tree: Tree, i: Node, q: JointArray, qd: JointValues) -> Change:
    """Differentiate the joint's own formulas by their graph; only where its axes depend on q."""
    own, speed = list(q[i]), list(qd[i])
    numbers = tree.numbers(i)
    S = tree.axes(i, own)
    c_J = i.motion.velocity_product(own, speed, numbers)
    flat = [x for axis in S for x in axis]
    by_q, product_q, product_v = [], [], []
    for k, rate in enumerate(i.motion.rates(own)):
        found = slopes([*flat, *c_J], zip(own, rate, strict=True))
        by_q.append([found[6 * m : 6 * m + 6] for m in range(len(S))])
        product_q.append(found[len(flat) :])
        product_v.append(slopes(c_J, ((x, float(m == k)) for m, x in enumerate(speed))))
    return Change(by_q, product_q, product_v)


def along(axes: Columns, x: list[Scalar]) -> mv:
    """Return S x."""
    return mv.of([sum((S[k] * x_S for S, x_S in zip(axes, x, strict=True)), 0.0) for k in range(6)])
