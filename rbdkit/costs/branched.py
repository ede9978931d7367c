"""Cost of the inertia-matrix method on branched trees (Featherstone 2008, section 10.3.2).

Trees are given by their parent arrays, see `rbdkit.library.parent_arrays`; all joints are revolute about the z axes of
their bodies.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rbdkit.algorithms.sparse import sparse_costs
from rbdkit.costs.published import best
from rbdkit.errors import ModelError
from rbdkit.library.parent_arrays import checked_parents
from rbdkit.trace import Operations

RA = Operations(add=10)
"""Cost of adding two rigid-body inertias."""
RX_DH, RX_G = Operations(mul=32, add=33), Operations(mul=47, add=48)
"""Cost of transforming a rigid-body inertia by two and by three axial screws (Denavit-Hartenberg, general)."""
VX_DH, VX_G = Operations(mul=20, add=12), Operations(mul=24, add=18)
"""Cost of transforming a vector by two axial screws, and by a general transform, without the 12m + 6a of rz(q) E."""


@dataclass(frozen=True)
class Branching:
    """Number of executions of lines 7 and 13 of Table 10.2, by kind of transform.

    Attributes
    ----------
    parents : tuple of int
        lambda(1), ..., lambda(n).
    D0_dh, D0_g : int
        Number of inertias transformed and added (Eqs 10.4, 10.11).
    D1_dh, D1_g : int
        Number of vectors transformed (Eqs 10.5, 10.11).
    """

    parents: tuple[int, ...]
    D0_dh: int
    D0_g: int
    D1_dh: int
    D1_g: int

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.parents)

    @property
    def D0(self) -> int:
        """Number of bodies whose parent is not the base, n - |mu(0)| (Eq 10.4)."""
        return self.D0_dh + self.D0_g

    @property
    def D1(self) -> int:
        """Sum of |kappa(i)| - 1 (Eq 10.5): number of pairs of a body and another body that supports it."""
        return self.D1_dh + self.D1_g

    @property
    def crba(self) -> Operations:
        """Cost of the composite-rigid-body algorithm (Eq 10.12)."""
        moved = [(self.D0, RA), (self.D0_dh, RX_DH), (self.D0_g, RX_G), (self.D1_dh, VX_DH), (self.D1_g, VX_G)]
        return _sum([_times(count, cost) for count, cost in moved])  # Eq 10.10

    @property
    def factor_and_solve(self) -> Operations:
        """Cost of L^T D L factorization and back-substitution (Table 6.6); divisions count as multiplications."""
        cost = sparse_costs([p - 1 for p in self.parents], "ltdl").forward_dynamics
        return Operations(mul=cost.mul + cost.div, add=cost.add)

    @property
    def rnea(self) -> Operations:
        """Cost of RNEA by the best row of Table 10.1; branches make little difference to it."""
        return best("rnea").operations(self.n)

    @property
    def forward_dynamics(self) -> Operations:
        """Cost of the inertia-matrix method: RNEA, CRBA, factorization and solution, O(n d^2)."""
        return self.rnea + self.crba + self.factor_and_solve


def branching(parent: Sequence[int], dh: Collection[int] | None = None) -> Branching:
    """Count the transforms of the composite-rigid-body algorithm on a tree.

    Parameters
    ----------
    parent : sequence of int
        lambda(1), ..., lambda(n), 0 for the base.
    dh : optional
        The bodies whose frames follow from their parents' by a Denavit-Hartenberg transform; as many as possible if
        not given, see `dh_children`.

    Raises
    ------
    ModelError
        If the numbering is not regular, or two children of a body are both in dh.
    """
    parents = checked_parents(parent)
    chosen = dh_children(parents) if dh is None else _checked_dh(parents, dh)
    subtree = subtree_sizes(parents)
    moved = [i for i, p in enumerate(parents, 1) if p != 0]  # all but mu(0)
    return Branching(
        parents=parents,
        D0_dh=sum(i in chosen for i in moved),
        D0_g=sum(i not in chosen for i in moved),
        D1_dh=sum(subtree[i - 1] for i in moved if i in chosen),
        D1_g=sum(subtree[i - 1] for i in moved if i not in chosen),
    )


def dh_children(parent: Sequence[int]) -> frozenset[int]:
    """Return one child of each body, that with the largest subtree, for which the cheaper transform saves most."""
    parents = checked_parents(parent)
    sizes = subtree_sizes(parents)
    heaviest: dict[int, int] = {}
    for i, p in enumerate(parents, 1):
        if p and (p not in heaviest or sizes[i - 1] > sizes[heaviest[p] - 1]):
            heaviest[p] = i
    return frozenset(heaviest.values())


def subtree_sizes(parent: Sequence[int]) -> tuple[int, ...]:
    """Return |nu(i)|, the number of bodies in the subtree of each body i, including itself."""
    sizes = [1] * len(parent)
    for i in range(len(parent), 0, -1):
        if parent[i - 1]:
            sizes[parent[i - 1] - 1] += sizes[i - 1]
    return tuple(sizes)


def _checked_dh(parents: tuple[int, ...], dh: Collection[int]) -> frozenset[int]:
    served: dict[int, int] = {}
    for i in dh:
        if not 1 <= i <= len(parents) or parents[i - 1] == 0:
            raise ModelError(f"dh has {i!r}, which is not a body with another body as its parent")
        if parents[i - 1] in served:
            pair = f"{served[parents[i - 1]]} and {i}"
            raise ModelError(f"bodies {pair} are both in dh, but only one child of body {parents[i - 1]} can be")
        served[parents[i - 1]] = i
    return frozenset(dh)


def _times(count: int, cost: Operations) -> Operations:
    return Operations(mul=count * cost.mul, add=count * cost.add)


def _sum(costs: list[Operations]) -> Operations:
    return sum(costs, Operations())
