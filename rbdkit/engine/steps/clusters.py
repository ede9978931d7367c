"""Links that share a freedom, eliminated together: what lets the articulated-body algorithm serve grippers.

A *cluster* is all links that move with one coordinate, such as the fingers of a gripper, where none but these stand
between any of them and the link that they are joined to. Seen from there the freedom has one force U for a unit of
acceleration, one D and one u (Eqs 7.43 to 7.45 of Featherstone 2008 with S of all links together), to which every link
adds its share on the way in. (Jain 2012 and Chignoli et al. 2023 eliminate aggregated links in the same way.)
"""

from __future__ import annotations

from typing import Any

from rbdkit.engine.steps.articulated import Articulated
from rbdkit.engine.steps.base import Pair, flat, pair, plus, power, times
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.sizes import SHARED
from rbdkit.engine.steps.tree import Numbers, Tree
from rbdkit.spatial.vector3 import Matrix, Vector, cross
from rbdkit.trace import Scalar

U, D, u = slice(0, 6), 6, 7


class Clusters:
    """What links that share freedoms hand on. tau : joint forces."""

    def __init__(self, tree: Tree, tau: JointValues) -> None:
        self.tree, self.tau = tree, tau
        self.carried = tree.field(Numbers(6))  # by links below, for a unit of acceleration of the freedom
        self.shared = tree.of_freedoms("shared", SHARED)
        for a in tree.freedoms():
            self.shared[a] = [0.0] * SHARED

    def begin(self, i: Node) -> None:
        """On the way out."""
        if i.kind.cluster:
            self.carried[i] = [0.0] * 6

    def collect(self, i: Node, S: list[Scalar], c: Pair, I: Articulated, p: Pair, R: Matrix, r: Vector) -> None:
        """The share of a link, on the way in.

        S : its axis. c : its velocity-product acceleration. I, p : its articulated inertia and the force on it, the
        freedom locked. R, r : its pose.
        """
        S_i, below = times(self.tree.ratio(i), pair(S)), pair(self.carried[i])
        own = I @ S_i
        *felt, D_a, u_a = self.shared[i.v]
        D_a = D_a + power(S_i, plus(own, times(2.0, below)))
        u_a = u_a - power(S_i, p) - power(c, below)
        if i.moves:
            (tau_S,), (rotor,) = self.tau[i], self.tree.rotors(i)
            D_a, u_a = D_a + rotor, u_a + tau_S
        n, f = plus(own, below)
        f = R @ f
        handed_on = R @ n + cross(r, f), f
        if i.kind.cluster == "nested":
            self.carried[i.parent] = flat(plus(pair(self.carried[i.parent]), handed_on))
            self.shared[i.v] = [*felt, D_a, u_a]
        else:
            self.shared[i.v] = [*flat(plus(pair(felt), handed_on)), D_a, u_a]

    def eliminate(self, i: Body, IA: Any, n_A: Any, f_A: Any) -> None:
        """Free a link along the freedoms of the clusters that are joined to it, before it is freed itself."""
        for a in self.tree.joined(i):
            x = self.shared[a]
            U_a, D_inv = x[U], 1.0 / x[D]
            A = IA[i].rows()
            IA[i] = Articulated.of_rows(
                [[A[r][c] - U_a[r] * D_inv * U_a[c] if c >= r else 0.0 for c in range(6)] for r in range(6)]
            )
            n, f = times(D_inv * x[u], pair(U_a))
            n_A[i], f_A[i] = n_A[i] + n, f_A[i] + f

    def accelerate(self, i: Body, alpha: Any, a: Any, qdd: JointArray) -> None:
        """The freedoms of the clusters that are joined to a link whose acceleration is known (Eq 7.49)."""
        for k in self.tree.joined(i):
            x = self.shared[k]
            qdd[k] = (x[u] - power((alpha[i], a[i]), pair(x[U]))) / x[D]
