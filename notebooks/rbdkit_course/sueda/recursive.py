"""Checks of the exercises in the notebook on products in linear time (Sueda, sections 2.10, 2.12, 2.13)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.redmax import (
    Bodies,
    bodies_at,
    jacobian_product,
    redmax_jacobian,
    redmax_jacobian_and_rate,
    reduced_equation,
    transposed_product,
)
from rbdkit.joints import Revolute, Universal
from rbdkit.library.cuboids import cuboid_tree
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong

OWN = (jacobian_product, transposed_product, redmax_jacobian, redmax_jacobian_and_rate, reduced_equation)


def _tree() -> Bodies:
    model = cuboid_tree([-1, 0, 0, 1, 3, 2], [Revolute("y"), Universal("x", "y")])
    rng = np.random.default_rng(11)
    return bodies_at(model, rng.normal(size=model.nq), rng.normal(size=model.nv))


@checks("S06-1")
def product(times: Any) -> Verdict:
    """``times(bodies, x)``: J x, (6 n,), without J (Algorithm 5)."""
    bodies = _tree()
    x = np.arange(1.0, bodies.nv + 1.0)
    found, fault = returned(times, (bodies, x), "bodies, x", (6 * bodies.n,), own=OWN)
    if fault:
        return wrong(fault)
    exact = redmax_jacobian(bodies) @ x
    if same(found[0], exact):
        return right("one visit to each body: linear time.")
    own = np.concatenate([bodies.Ad_J[i] @ (bodies.S[i] @ x[bodies.own[i]]) for i in sorted(bodies.order)])
    if same(found[0], own):
        return wrong("each joint moves its own body only. Add what the parent does: Ad_p[i] times y of the parent.")
    of_joint = {i: bodies.Ad_J[i] @ (bodies.S[i] @ x[bodies.own[i]]) for i in bodies.order}
    unturned, before = np.zeros((2, bodies.n + 1, 6))
    for i in bodies.order:
        unturned[i] = unturned[bodies.parent[i]] + of_joint[i]
        before[i] = bodies.Ad_p[i] @ before[i - 1] + of_joint[i]
    if same(found[0], unturned[1:].ravel()):
        return wrong("y of the parent is in the axes of the parent; Ad_p[i] brings it to those of body i.")
    if same(found[0], before[1:].ravel()):
        return wrong("that is for a chain; in a tree the parent is bodies.parent[i], not always body i - 1.")
    return wrong(f"{worst(found[0], exact)}; the bodies stand in the order of their numbers, body 1 first.")


@checks("S06-2")
def transposed(times: Any) -> Verdict:
    """``times(bodies, y)``: J^T y, (nv,), without J (Algorithm 6)."""
    bodies = _tree()
    y = np.arange(1.0, 6 * bodies.n + 1.0)
    found, fault = returned(times, (bodies, y), "bodies, y", (bodies.nv,), own=OWN)
    if fault:
        return wrong(fault)
    J = redmax_jacobian(bodies)
    if same(found[0], J.T @ y):
        return right("from the leaves to the root, each body handing on what it and its children felt.")
    own, last, forth = np.zeros((3, bodies.nv))
    felt = np.vstack([np.zeros(6), y.reshape(-1, 6)])
    heard, turned = felt.copy(), felt.copy()
    for i in reversed(bodies.order):
        own[bodies.own[i]] = bodies.S[i].T @ bodies.Ad_J[i].T @ felt[i]
        last[bodies.own[i]] = bodies.S[i].T @ bodies.Ad_J[i].T @ heard[i]
        forth[bodies.own[i]] = bodies.S[i].T @ bodies.Ad_J[i].T @ turned[i]
        p = bodies.parent[i]
        heard[p] = felt[p] + bodies.Ad_p[i].T @ heard[i]
        turned[p] = turned[p] + bodies.Ad_p[i] @ turned[i]
    if same(found[0], own):
        return wrong("each joint feels its own body only; it also carries all that hangs on it.")
    if same(found[0], last):
        return wrong("a body with several children hears the last of them only: add, do not assign.")
    if same(found[0], forth):
        return wrong("Ad_p[i] takes motions from the parent to the body; forces go back by its transpose.")
    return wrong(f"{worst(found[0], J.T @ y)}. Are the children finished before their parent?")


@checks("S06-3")
def gradients(solve: Any) -> Verdict:
    """``solve(A, b, M, tol)``: x with A x = b by conjugate gradients, and how many products with A it took.

    A and M are functions; M is the preconditioner, a symmetric matrix that is close to the inverse of A.
    """
    rng = np.random.default_rng(5)
    n = 30
    B = rng.normal(size=(n, n))
    matrix = np.diag(np.linspace(1.0, 1e3, n)) + B @ B.T / n
    low = rng.normal(size=(n, 2))
    near = np.linalg.inv(matrix + low @ low.T)
    b = rng.normal(size=n)
    for M, most, name in (
        (np.eye(n), 3 * n, "without a preconditioner, M x = x, "),
        (near, 8, "with a preconditioner that is off by a matrix of rank 2 "),
    ):
        asked = _Counted(matrix)
        found, fault = returned(solve, (asked, b, lambda r, M=M: M @ r, 1e-10), "A, b, M, tol", (n,), ())
        if fault:
            return wrong(fault)
        off = float(np.linalg.norm(matrix @ found[0] - b) / np.linalg.norm(b))
        if off > 1e-8:
            return wrong(f"{name}a residual of {off:.1e} of |b| is left.")
        if asked.times == 0:
            return wrong("A is a function: ask it for A(p). There is no matrix to solve with.")
        if asked.times >= n > found[1]:
            return wrong("A was put together, one product for each column; then the method has no point.")
        if abs(float(found[1]) - asked.times) > 1.0:  # the first residual may count
            return wrong(f"{name}you say {float(found[1]):g} products with A; it was asked {asked.times} times.")
        if asked.times > most:
            return wrong(f"{name}{asked.times} products were made; {most} are plenty. Is M(r) in both places?")
    return right(f"with rank 2 between M and the inverse, {asked.times} products: one for each thing it does not know.")


class _Counted:
    """A matrix as a function that counts its calls."""

    def __init__(self, matrix: NDArray) -> None:
        self.matrix, self.times = matrix, 0

    def __call__(self, x: NDArray) -> NDArray:
        self.times += 1
        return np.asarray(self.matrix @ x)
