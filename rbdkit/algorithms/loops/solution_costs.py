"""Operation counts of the three methods of section 8.5, given H, C', K and k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rbdkit.algorithms.sparse.costs import SparseCosts, sparse_costs
from rbdkit.errors import ModelError
from rbdkit.trace import Operations

SolutionMethod = Literal["direct", "forces", "independents"]
"""Methods 1, 2 and 3."""


def solution_costs(lam: Sequence[int], r: int) -> dict[SolutionMethod, Operations]:
    """Return the operations of each method for a tree with r independent loop constraints; K counts as full.

    Parameters
    ----------
    lam : sequence of int
        Parent array of the n variables, see `expanded_parent`. Only method 2 profits from branches.
    r : int
        Number of constraints, at most n.

    Returns
    -------
    dict
        'direct': Gaussian elimination of all n + r equations. 'forces': L^T L factors of H, and of A. 'independents':
        elimination of K, and a factorization of G^T H G, which is small where n - r is.

    Notes
    -----
    On an unbranched chain method 3 is always the cheapest, on branched trees method 2 unless few freedoms are left.
    Method 1 never is; it is the shortest to write.

    Raises
    ------
    ModelError
        If r is not between 0 and n.
    """
    n = len(lam)
    if not 0 <= r <= n:
        raise ModelError(f"r = {r} constraints on {n} variables; give a number from 0 to {n}")
    return {
        "direct": _elimination(n + r),
        "forces": _forces(sparse_costs(lam), n, r),
        "independents": _independents(n, r),
    }


def _elimination(N: int) -> Operations:
    """N equations with one right-hand side."""
    down = sum(m * (m + 1) for m in range(N))
    back = N * (N - 1) // 2
    return Operations(mul=down + back, add=down + back, div=back + N)


def _forces(sparse: SparseCosts, n: int, r: int) -> Operations:
    found = sparse.factorization + sparse.back_substitution  # steps 1 and 6
    for _ in range(r + 1):
        found = found + sparse.solve  # step 3: Y and z
    half = r * (r + 1) // 2
    found = found + Operations(mul=half * n, add=half * (n - 1))  # step 4: A, one triangle
    found = found + Operations(mul=r * n, add=r * n)  # and b
    found = found + sparse_costs(range(-1, r - 1)).forward_dynamics  # step 5
    return found + Operations(mul=n * r, add=n * r)  # K^T lambda, added to tau'


def _independents(n: int, r: int) -> Operations:
    s = n - r
    down = sum((r - 1 - i) * (n - i) for i in range(r))
    found = Operations(mul=down, add=down, div=r * (r - 1) // 2)  # of K and k
    found = found + Operations(mul=(s + 1) * r * (r - 1) // 2, add=(s + 1) * r * (r - 1) // 2, div=(s + 1) * r)
    found = found + Operations(mul=r * r * s, add=r * r * s)  # H11 G1 + H12
    half = s * (s + 1) // 2
    found = found + Operations(mul=2 * r * half, add=2 * r * half)  # G^T H G, one triangle
    found = found + Operations(mul=n * r + s * r, add=n * r + s * r)  # its right-hand side
    found = found + sparse_costs(range(-1, s - 1)).forward_dynamics
    return found + Operations(mul=r * s, add=r * s)  # G ydd + g
