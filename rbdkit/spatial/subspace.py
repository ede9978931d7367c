"""Subspaces of a vector space and of its dual, as ranges of matrices (Featherstone 2008, section 3.3).

A matrix S (n, m) with independent columns stands for the subspace that they span; S A with any invertible A stands for
the same one. Orthogonal is meant in the dual sense: motion against force, never motion against motion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError

ROUND_OFF = 1e-10
"""A direction shorter than this fraction of the longest counts as none."""


def dimension(vectors: ArrayLike) -> int:
    """Dimension of the subspace that the columns of (n, k) span; columns may depend on each other."""
    return _rank(_singular_values(_matrix(vectors, "vectors")))


def parameters(n: int, m: int) -> int:
    """How many numbers single out one subspace of dimension m in a space of dimension n: m (n - m)."""
    return m * (n - m)


def basis(vectors: ArrayLike) -> NDArray:
    """A basis, shape (n, m), of the subspace that the columns of (n, k) span: its columns are orthonormal numbers."""
    vectors = _matrix(vectors, "vectors")
    U, s, _ = np.linalg.svd(vectors, full_matrices=False)
    return U[:, : _rank(s)]


def same(S1: ArrayLike, S2: ArrayLike) -> bool:
    """Whether two matrices, in the same coordinates, span the same subspace."""
    both = np.hstack([basis(S1), basis(S2)])
    return dimension(S1) == dimension(S2) == dimension(both)


def orthogonal(S1: ArrayLike, S2: ArrayLike, tol: float = ROUND_OFF) -> bool:
    """Whether S1 in U is orthogonal to S2 in V = U*: S1^T S2 = 0 in dual coordinates (Table 3.1)."""
    B1, B2 = basis(S1), basis(S2)
    return bool(np.all(np.abs(B1.T @ B2) <= tol))


def orthogonal_complement(S: ArrayLike) -> NDArray:
    """A basis, shape (n, n - m), of all vectors of the dual space that are orthogonal to S, shape (n, m).

    If S holds motions, the complement holds forces, and changes coordinates as forces do.
    """
    S = _matrix(S, "S")
    U, s, _ = np.linalg.svd(S, full_matrices=True)
    return U[:, _rank(s) :]


def is_direct_sum(*subspaces: ArrayLike) -> bool:
    """Whether every vector is, in one way only, a sum of vectors of these subspaces (Eqs 3.24, 3.25)."""
    joined = np.hstack([_matrix(S, "a subspace") for S in subspaces])
    return joined.shape[0] == joined.shape[1] == dimension(np.hstack([_scaled(_matrix(S, "S")) for S in subspaces]))


def decompose(v: ArrayLike, *subspaces: ArrayLike) -> tuple[NDArray, ...]:
    """v, shape (n,), as the sum of one vector in each of the subspaces (Eqs 3.26, 3.27).

    Parameters
    ----------
    subspaces
        Matrices (n, m_1), (n, m_2), ... whose m add up to n.

    Returns
    -------
    One vector (n,) for each.

    Raises
    ------
    StateError
        If they are no direct sum: the decomposition is then impossible or not unique.
    """
    S = [_matrix(subspace, f"subspace {k + 1}") for k, subspace in enumerate(subspaces)]
    v = np.asarray(v, dtype=float)
    if any(len(S_i) != len(v) for S_i in S):
        raise StateError(f"a vector of {len(v)} numbers has no part in subspaces of shapes {[S_i.shape for S_i in S]}")
    if not is_direct_sum(*S):
        sizes, spanned = [S_i.shape[1] for S_i in S], dimension(np.hstack([_scaled(S_i) for S_i in S]))
        raise StateError(
            f"subspaces of {sizes} columns span {spanned} of {len(v)} dimensions; for one and only one way to take "
            f"a vector apart the columns must be {len(v)} and independent"
        )
    alpha = np.split(np.linalg.solve(np.hstack(S), v), np.cumsum([S_i.shape[1] for S_i in S])[:-1])  # Eq 3.27
    return tuple(S_i @ alpha_i for S_i, alpha_i in zip(S, alpha, strict=True))


def _matrix(S: ArrayLike, name: str) -> NDArray:
    S = np.asarray(S, dtype=float)
    S = S[:, None] if S.ndim == 1 else S
    if S.ndim != 2 or not np.isfinite(S).all():
        raise StateError(f"{name} must be a matrix (n, m) of finite numbers, one vector a column, not shape {S.shape}")
    return S


def _scaled(S: NDArray) -> NDArray:
    """Return the columns scaled to length one, so that the rank does not depend on their units."""
    length = np.linalg.norm(S, axis=0)
    return S / np.where(length > 0.0, length, 1.0)


def _singular_values(S: NDArray) -> NDArray:
    return np.linalg.svd(S, compute_uv=False) if S.size else np.zeros(0)


def _rank(s: NDArray) -> int:
    return int(np.sum(s > ROUND_OFF * s[0])) if len(s) and s[0] > 0.0 else 0
