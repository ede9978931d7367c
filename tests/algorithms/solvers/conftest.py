"""The oracle of complementarity: every choice of active rows, tried."""

from itertools import combinations

import numpy as np
import pytest


def all_solutions(M, d, tol=1e-9):
    """Every basic solution (lam, zeta), one for each choice of rows whose block of M is regular."""
    n, found = len(d), []
    for size in range(n + 1):
        for rows in map(list, combinations(range(n), size)):
            lam = np.zeros(n)
            if rows:
                block = M[np.ix_(rows, rows)]
                if np.linalg.matrix_rank(block, tol=1e-9) < size:
                    continue
                lam[rows] = np.linalg.solve(block, -d[rows])
            zeta = M @ lam + d
            if lam.min() >= -tol and zeta.min() >= -tol:
                found.append((lam, zeta))
    return found


@pytest.fixture
def exhaustive():
    return all_solutions
