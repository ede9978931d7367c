"""Joint groups with a shared freedom, eliminated together, so that the articulated-body algorithm serves grippers.

A *cluster* is all links that move with one coordinate, such as the fingers of a gripper, where none but these stand
between any of them and the link that they are joined to. For that link the freedom has one force U per unit of
acceleration, one D and one u (Eqs 7.43 to 7.45 of Featherstone 2008 with S of all links together), to which every link
adds its share on the inward pass. (Jain 2012 and Chignoli et al. 2023 eliminate aggregated links in the same way.)
"""

from __future__ import annotations

from typing import Any

from rbdkit.engine.steps.axes import Axes
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.sizes import SHARED
from rbdkit.engine.steps.tree import Tree
from rbdkit.spatial.compact import Forces, JointMatrix, abi, fv, mv, plx
from rbdkit.spatial.vector3 import Scalar


class JointGroups:
    """Sums of the articulated-body algorithm for joint groups, see `rbdkit.algorithms.room.joint_groups`.

    axes : of the links. tau, qdd : joint forces and accelerations. carried : room for a force on every link.
    """

    def __init__(self, tree: Tree, axes: Axes, tau: JointValues, qdd: JointArray, carried: Any) -> None:
        self.tree, self.axes, self.tau, self.qdd = tree, axes, tau, qdd
        self.carried = carried  # force of the links below, per unit of acceleration of the freedom
        for i in tree.outward(turned=True):
            if i.kind.cluster:
                carried[i] = fv.of([0.0] * 6)
        self.shared = tree.of_freedoms("shared", SHARED)
        for a in tree.freedoms():
            self.shared[a] = [0.0] * SHARED

    def free(self, i: Node, IA: Any, pA: Any) -> None:
        """Release the freedoms of the groups that are joined to a link, before its own joint is released."""
        for U, D, u in self._joined(i):
            IA[i] = IA[i] - U @ D.solve(U.T)  # Eq 7.47
            pA[i] = pA[i] + U @ D.solve([u])

    def add(self, i: Node, X: plx, Ia: abi, pa: fv, c: mv) -> None:
        """Add a link's share to what its parent feels, and to its group's U, D and u.

        Ia, pa : articulated inertia and bias force, with the freedom locked. c : its velocity product.
        """
        if not i.kind.cluster:
            return
        S, below = self._axis(i), self.carried[i]
        own = Ia @ S
        *felt, D, u = self.shared[i.v]
        D = D + S.dot(own + 2.0 * below)
        u = u - S.dot(pa) - c.dot(below)
        if i.moves:
            (tau_S,), (rotor,) = self.tau[i], self.tree.rotors(i)
            D, u = D + rotor, u + tau_S
        handed_on = X.T @ (own + below)
        if i.kind.cluster == "nested":
            self.carried[i.parent] = self.carried[i.parent] + handed_on
        else:
            felt = (fv.of(felt) + handed_on).flat()
        self.shared[i.v] = [*felt, D, u]

    def accelerate(self, i: Node | int, a: Any) -> None:
        """Add the acceleration of a link's own group; then solve for the freedoms of groups that are joined to it."""
        if isinstance(i, Node) and i.kind.cluster:
            (x,) = self.qdd[i]
            a[i] = a[i] + x * self._axis(i, 1.0)
        body = i if isinstance(i, Body) else self.tree.world
        for k in self.tree.joined(body):
            U, D, u = self._of(k)
            (self.qdd[k],) = D.solve([u - U[0].dot(a[i])])  # Eq 7.49

    def _axis(self, i: Node, ratio: Scalar | None = None) -> mv:
        """Return S of a link, per unit of velocity of its freedom; `ratio` replaces that of its joint."""
        (S,) = self.axes[i]
        return (self.tree.ratio(i) if ratio is None else ratio) * mv.of(S)

    def _joined(self, i: Body) -> Any:
        return (self._of(a) for a in self.tree.joined(i))

    def _of(self, a: Any) -> tuple[Forces, JointMatrix, Scalar]:
        """Return U, D and u of a freedom."""
        *U, D, u = self.shared[a]
        return Forces([fv.of(U)]), JointMatrix([[D]]), u


class WithoutGroups:
    """Numbers of joints without those of links in a group, which are not eliminated one by one."""

    def __init__(self, x: JointValues) -> None:
        self.x = x

    def __getitem__(self, i: Node) -> list[Scalar]:
        return [] if i.kind.cluster else self.x[i]
