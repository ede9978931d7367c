"""Small linear equations on symbols are solved as NumPy solves them on numbers."""

import numpy as np
import pytest

from rbdkit.trace import compile_python, jacobian, python_source, trace

FUNCTIONS = {
    "solve": lambda A, b: np.linalg.solve(A, b),
    "several right-hand sides": lambda A, b: np.linalg.solve(A, np.stack([b, 2.0 * b], axis=1) + 1.0),
    "inverse": lambda A, b: np.linalg.inv(A),
    "stack": lambda A, b: np.linalg.inv(np.stack([A, A.T])),
    "numbers on the left": lambda A, b: np.linalg.solve(np.eye(4)[::-1] + np.diag([0, 1, 2, 3]), b),
    "norm": lambda A, b: np.linalg.norm(b),
    "norms of rows": lambda A, b: np.linalg.norm(A, axis=1, keepdims=True),
    "of a matrix": lambda A, b: np.linalg.norm(A),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = FUNCTIONS[name]
    record = trace(function, (4, 4), 4, names=("A", "b"))
    own = compile_python(python_source(record), "traced")
    rng = np.random.default_rng(0)
    for k in range(6):
        A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
        A[:k, 0] = 0.0  # zeros in place of pivots: rows are exchanged
        A[0, 0] = 0.0
        if k >= 4:
            A[3, 0] = 1e-9  # and numbers that are small
            A[2, 0] = 0.0
        expected = function(A, b)
        found = np.reshape(own(A.ravel().tolist(), b.tolist()), expected.shape)
        # round-off of elimination times the condition of A
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15 * np.linalg.cond(A) * np.abs(expected).max())


def test_symmetric_equations_whose_diagonal_is_zero():
    """Of contact: [[H, J^T], [J, 0]] needs rows to be exchanged."""

    def reactions(H, J):
        K = np.concatenate([np.concatenate([H, J.T], axis=1), np.concatenate([J, 0.0 * J], axis=1)])
        return np.linalg.solve(K, np.arange(1.0, 5.0))

    record = trace(reactions, (2, 2), (2, 2), names=("H", "J"))
    H, J = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([[0.4, 1.0], [-0.5, 0.2]])
    np.testing.assert_allclose(record(H, J).astype(float), reactions(H, J), rtol=1e-13)


def test_slopes_of_a_solution():
    """d(A^-1 b) = -A^-1 dA A^-1 b."""
    slopes = jacobian(trace(lambda A, b: np.linalg.solve(A, b), (3, 3), 3, names=("A", "b")), "A")
    A, b = np.random.default_rng(1).normal(size=(3, 3)), np.array([1.0, -2.0, 0.5])
    A_inv = np.linalg.inv(A)
    expected = -np.einsum("ij,k->ijk", A_inv, A_inv @ b)
    np.testing.assert_allclose(np.reshape(slopes(A, b).astype(float), (3, 3, 3)), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "function, error, why",
    [
        (lambda A, b: np.linalg.pinv(A), TypeError, "numpy.linalg.pinv cannot be recorded"),
        (lambda A, b: np.linalg.norm(A, ord="fro"), TypeError, "only the root of the sum of squares"),
        (lambda A, b: np.linalg.inv(0.0 * A), np.linalg.LinAlgError, "Singular"),
        (lambda A, b: np.linalg.solve(A[:2], b), np.linalg.LinAlgError, r"\(2, 3\) is not square"),
        (lambda A, b: np.linalg.solve(A, b[:2]), ValueError, "3 equations have 2 right-hand sides"),
    ],
)
def test_what_cannot_be_recorded(function, error, why):
    with pytest.raises(error, match=why):
        trace(function, (3, 3), 3)
