"""The product G^T H G, and what the zeros and ones of G and H save."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.trace import Operations, trace


def congruence(G: NDArray, H: NDArray) -> NDArray:
    """G^T H G for a symmetric H (n, n) and G (n, m), one triangle computed; numbers or symbols.

    Every zero and every one of G and H that is a number when this is traced disappears from the code
    (Featherstone 2008, Eq 9.27).
    """
    n, m = G.shape
    HG = [[_dot(H[i], G[:, a]) for a in range(m)] for i in range(n)]
    upper = {(a, b): _dot(G[:, a], [HG[i][b] for i in range(n)]) for a in range(m) for b in range(a, m)}
    return np.array([[upper[min(a, b), max(a, b)] for b in range(m)] for a in range(m)])


def congruence_operations(G: NDArray, H: NDArray, sparse: bool = True) -> Operations:
    """Operations of `congruence` for these matrices.

    Parameters
    ----------
    sparse : bool, optional
        Take zeros and ones of G, and zeros of H, for granted; otherwise every element is a variable.
    """
    if not sparse:
        return trace(congruence, G.shape, H.shape, simplify=False).operations()
    variable_G, variable_H = ~np.isin(G, (0.0, 1.0)), H != 0.0

    def known(G_: NDArray, H_: NDArray) -> NDArray:
        upper = np.triu(np.where(variable_H, H_, 0.0)).astype(object)
        return congruence(np.where(variable_G, G_, G), np.triu(upper) + np.triu(upper, 1).T)

    return trace(known, G.shape, H.shape).operations()


def _dot(a: Any, b: Any) -> Any:
    products = [x * y for x, y in zip(a, b, strict=True)]
    total = products[0]
    for product in products[1:]:
        total = total + product
    return total
