"""Lab B: write the composite-rigid-body algorithm, and the factorization that uses its zeros."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit import algorithms
from rbdkit.algorithms.sparse import expand_parents, sparsity_pattern
from rbdkit.functions import aba, bias_force, crba, forward_dynamics, rnea
from rbdkit.library.parent_arrays import branched_parents, chain_parents, random_parents
from rbdkit.library.random_tree import random_state
from rbdkit.library.revolute_trees import general_unbranched
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit_course.answers import call, numbers
from rbdkit_course.checks import checks
from rbdkit_course.labs.counting import medal_for
from rbdkit_course.labs.judging import NOTHING, Case, Planted, Task, close
from rbdkit_course.labs.machines import chains, in_motion, joint_of, machines, trees
from rbdkit_course.labs.racing import race as _race
from rbdkit_course.verdict import Verdict, right, wrong

WELDED_MISTAKES: Mapping[str, str] = {
    "as it is": "I2 is in the coordinates of body 2; it has to be carried into those of body 1 before it is added.",
    "turned round": "X I Xᵀ goes the other way. X takes motions from 1 to 2: a motion of 1 goes through X, I2, Xᵀ.",
    "alone": "the inertia of body 1 itself is missing in the sum.",
    "one side": "an inertia takes a motion and gives a momentum: it needs X on its right *and* Xᵀ on its left.",
}

MISTAKES: Mapping[str, str] = {
    "own inertia": "a joint moves all that hangs on it: F = Ic S with the *composite* inertia, not the body's own.",
    "no walk": "only the blocks on the diagonal are filled: go on from body i to its ancestors, and fill H[i, j].",
    "half": "H is symmetric: what is written to H[i, j] belongs to H[j, i] as well, transposed.",
    "not carried": "F is in the coordinates of body i; on its way to an ancestor it is carried over by Xᵀ (Eq 6.19).",
    "F by X": "F is a force, so it goes to the parent with Xᵀ, not with X.",
    "step first": "carry F over with the X of the body you come *from*: first F = X[j].T F, then j = parent[j].",
    "stops early": "the walk ends one body early: the first body has a joint as well; stop at the base, j = 0.",
    "X for inertias": "X Ic Xᵀ carries an inertia the wrong way: to the parent it is Xᵀ Ic X (Eq 6.17).",
    "outward": "composite inertias grow from the tips: the loop that adds them to the parents must go inward.",
    "overwritten": "a parent is as heavy as itself and all its children: Ic[p] += ..., not =.",
    "tree only": "the parent is not body i - 1: on a tree it is model.parent[i].",
    "S in the parent": "X_J comes after X_tree: X = X_J X_tree takes a motion first to the joint, then across it.",
}


FORWARD = (aba, forward_dynamics, crba, bias_force, algorithms.aba, algorithms.crba, algorithms.forward_dynamics_crba)
"""Functions that stage 7 may not call."""


def algorithm(planted: Planted, model: Model, q: NDArray) -> NDArray:
    """The composite-rigid-body algorithm, Table 6.2, with mistakes planted; without any it agrees with `crba`."""
    n, X, S = len(model.bodies), [np.eye(6)] * len(model.bodies), [np.zeros((6, 0))] * len(model.bodies)
    Ic = np.array(model.I)
    H = np.zeros((model.nv, model.nv))
    parent = [i - 1 if "tree only" in planted else p for i, p in enumerate(model.parent)]
    rows = [None if joint is None else joint.v_slice for joint in model.joints]
    for i in model.outward:
        X_J, S[i] = model.joints[i].transform(q), model.joints[i].motion_subspace(q)
        X[i] = model.X_tree[i] @ X_J if "S in the parent" in planted else X_J @ model.X_tree[i]
    for i in model.outward if "outward" in planted else model.inward:
        seen = X[i] @ Ic[i] @ X[i].T if "X for inertias" in planted else X[i].T @ Ic[i] @ X[i]
        Ic[parent[i]] = seen if "overwritten" in planted else Ic[parent[i]] + seen
    for i in range(1, n):
        F = (model.I if "own inertia" in planted else Ic)[i] @ S[i]
        H[rows[i], rows[i]] = S[i].T @ F
        j = 0 if "no walk" in planted else i
        while parent[j] > (1 if "stops early" in planted else 0):
            carrier = X[parent[j] if "step first" in planted else j]
            if "not carried" not in planted:
                F = (carrier if "F by X" in planted else carrier.T) @ F
            j = parent[j]
            H[rows[i], rows[j]] = F.T @ S[j]
            if "half" not in planted:
                H[rows[j], rows[i]] = S[j].T @ F
    return H


@checks("LB-1")
def welded(my_inertia: Callable[..., Any]) -> Verdict:
    """Stage 1: ``(I1, I2, X) -> I``, two bodies as one, in the coordinates of the first; X: motions from 1 to 2."""

    def inertia(planted: Planted, I1: NDArray, I2: NDArray, X: NDArray) -> NDArray:
        carried = X @ I2 @ X.T if "turned round" in planted else I2 @ X if "one side" in planted else X.T @ I2 @ X
        return (0.0 if "alone" in planted else 1.0) * I1 + (I2 if "as it is" in planted else carried)

    cases = []
    for seed in range(3):
        rng, (_, I1, I2) = np.random.default_rng(seed), general_unbranched(2, seed).I
        E = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        X = plucker.plucker(E * np.linalg.det(E), rng.normal(size=3))
        cases.append(Case("two bodies", (np.array(I1), np.array(I2), X)))
    task = Task("a matrix of six by six", cases, inertia, WELDED_MISTAKES, own=())
    return task.verdict(my_inertia, "a motion of body 1 through X, then I2, then back as a momentum by Xᵀ.")


def _task(cases: list[Case]) -> Task:
    return Task("H, a square matrix, one row a freedom", cases, algorithm, MISTAKES, _exact, where=joint_of)


def _exact(model: Model, q: NDArray) -> NDArray:
    return np.asarray(crba(model, q))


@checks("LB-2")
def chain(my_crba: Callable[..., Any]) -> Verdict:
    """Stage 2: ``(model, q) -> H`` on chains, with one freedom a joint."""
    return _task(in_motion(chains(), vectors=0)).verdict(
        my_crba, "H of a pendulum, two arms and a chain, entry by entry."
    )


@checks("LB-3")
def tree(my_crba: Callable[..., Any]) -> Verdict:
    """Stage 3: the same on trees."""
    cases = in_motion([*chains()[:2], *trees()], vectors=0)
    return _task(cases).verdict(
        my_crba, "on trees too, and the zeros between branches are zeros because nobody went there."
    )


@checks("LB-4")
def several_freedoms(my_crba: Callable[..., Any]) -> Verdict:
    """Stage 4: the same where joints have up to six freedoms."""
    cases = in_motion([*chains()[:2], *trees()[:1], *machines()], vectors=0)
    return _task(cases).verdict(my_crba, "blocks in place of numbers, and not a line more: this is Table 6.2.")


@checks("LB-5")
def columns(my_columns: Callable[..., Any]) -> Verdict:
    """The slow way, to compare with: ``(model, q, my_rnea) -> H`` by one call of inverse dynamics a column."""
    asked: list[int] = []

    def inverse_dynamics(model: Model, q: NDArray, qd: NDArray, qdd: NDArray) -> NDArray:
        asked.append(1)
        return np.asarray(rnea(model, q, qd, qdd))

    for case in in_motion(machines()[:2], count=1, vectors=0):
        model, q = case.arguments
        asked.clear()
        result, fault = call(my_columns, model, q.copy(), inverse_dynamics)
        if fault:
            return wrong(f"on {case.name}: {fault}")
        H, exact = numbers(result, model.nv, model.nv), _exact(model, q)
        if H is None:
            return wrong(f"on {case.name} it should return H, {model.nv} by {model.nv} numbers.")
        if close(H, exact):
            continue
        weight = np.asarray(bias_force(model, q, np.zeros(model.nv)))
        if close(H, exact + weight[:, None]) or close(H, exact + weight[None, :]):
            return wrong("gravity is in every column: take off what inverse dynamics gives for no acceleration at all.")
        return wrong(
            f"on {case.name} that is not H. Column j is what joint forces one unit of acceleration j asks for."
        )
    return right(
        f"H from {len(asked)} calls of inverse dynamics. Each goes through the whole machine; yours above does not."
    )


@checks("LB-6")
def factor(my_factor: Callable[..., Any]) -> Verdict:
    """Stage 5: ``(H, lam) -> L`` with LᵀL = H, for the expanded parent array lam (-1: the base).

    Where H is zero because of the branches there is NaN: nothing may be read there.
    """
    for lam in _arrays():
        H, filled = _sparse(lam)
        result, fault = call(my_factor, np.where(filled, H, np.nan), lam)
        if fault:
            return wrong(f"with lam = {lam}: {fault}")
        try:
            L = np.array(result, dtype=float)
        except (TypeError, ValueError):
            L = np.zeros(0)
        if L.shape != H.shape:
            return wrong(f"with lam = {lam} it should return L, {len(lam)} by {len(lam)} numbers.")
        lower = np.tril(filled)
        L[~lower] = 0.0
        if close(L.T @ L, H):
            continue
        if not np.isfinite(L).all():
            return wrong(
                f"NaN with lam = {lam}: a place between two branches was read. Walk with i = lam[k], i = lam[i]."
            )
        if close(L @ L.T, H):
            return wrong("this is LLᵀ. On a tree it fills the zeros between branches; begin with the last row for LᵀL.")
        if close(np.tril(L), np.tril(H)):
            return wrong("that is H still: overwrite its lower triangle, from the last row to the first.")
        unit = np.tril(L, -1) + np.eye(len(lam))
        if close(unit.T @ np.diag(np.diag(L)) @ unit, H):
            return wrong(
                "this is LᵀDL, with D on the diagonal: a good factorization, but not this one. Where is the root?"
            )
        return wrong(f"with lam = {lam}, LᵀL is not H: off by {np.abs(L.T @ L - H).max():.3g}.")
    return right("LᵀL = H without a look at the zeros between branches: Table 6.3.")


@checks("LB-7")
def solve(my_solve: Callable[..., Any]) -> Verdict:
    """Stage 6: ``(L, lam, b) -> x`` with LᵀL x = b; there is NaN in L where nothing may be read."""
    for k, lam in enumerate(_arrays()):
        H, filled = _sparse(lam)
        L = np.linalg.cholesky(H[::-1, ::-1]).T[::-1, ::-1]  # of the matrix turned by half: the same as LᵀL
        b = np.random.default_rng(k).normal(size=len(lam))
        result, fault = call(my_solve, np.where(np.tril(filled), L, np.nan), lam, b.copy())
        if fault:
            return wrong(f"with lam = {lam}: {fault}")
        try:
            x = np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            x = np.zeros(0)
        if x.shape != b.shape:
            return wrong(f"with lam = {lam} it should return x, {len(lam)} numbers.")
        if close(x, np.linalg.solve(H, b)):
            continue
        if not np.isfinite(x).all():
            return wrong(f"NaN with lam = {lam}: a place between two branches was read. Walk with j = lam[j].")
        for said, other in (
            ("only half the way: after L⁻ᵀ comes L⁻¹.", np.linalg.solve(L.T, b)),
            ("only half the way: before L⁻¹ comes L⁻ᵀ.", np.linalg.solve(L, b)),
            (
                "the two halves in the other order: LᵀL x = b is solved by L⁻ᵀ first, then L⁻¹.",
                np.linalg.solve(L @ L.T, b),
            ),
        ):
            if close(x, other):
                return wrong(said)
        return wrong(f"with lam = {lam}, LᵀL x is not b: off by {np.abs(H @ x - b).max():.3g}.")
    return right("two walks along the branches, one inward and one outward.")


@checks("LB-8")
def forward(my_fd: Callable[..., Any]) -> Verdict:
    """Stage 7: ``(model, q, qd, tau, my_rnea) -> qdd``, forward dynamics from your H and from inverse dynamics."""

    def inverse_dynamics(model: Model, q: NDArray, qd: NDArray, qdd: NDArray) -> NDArray:
        return np.asarray(rnea(model, q, qd, qdd))

    for name, model in (*chains()[1:3], *machines()[:2]):
        q, qd, tau = random_state(model, 3)
        result, fault = call(my_fd, model, q, qd, tau, inverse_dynamics, own=FORWARD)
        if fault:
            return wrong(f"on {name}: {fault}")
        qdd, exact = numbers(result, model.nv), np.asarray(forward_dynamics(model, q, qd, tau))
        if qdd is None:
            return wrong(f"on {name} it should return qdd, {model.nv} numbers.")
        if np.allclose(qdd, exact, rtol=1e-6, atol=1e-6 * np.abs(exact).max()):
            continue
        H, C = _exact(model, q), np.asarray(bias_force(model, q, qd))
        for said, other in (
            ("the bias force C is missing: H q̈ = τ - C, and C is inverse dynamics with q̈ = 0.", tau),
            ("the sign of C: H q̈ = τ - C.", tau + C),
            ("C needs the velocities: inverse dynamics with q̈ = 0, but with q̇.", tau - bias_force(model, q, 0.0 * qd)),
        ):
            if np.allclose(qdd, np.linalg.solve(H, other), rtol=1e-6):
                return wrong(said)
        return wrong(f"on {name} q̈ is off by {np.abs(qdd - exact).max():.3g}: is H q̈ + C = τ?")
    return right("H q̈ = τ - C, solved along the branches: this moves a machine.")


def medal(my_crba: Callable[..., Any]) -> Verdict:
    """Count the operations of a function that is right, on chains of hinges."""
    fault = _task(in_motion(chains()[:3], count=1, vectors=0)).fault(my_crba)
    return fault if fault is not None else medal_for(my_crba, lambda *given: algorithm(NOTHING, *given), vectors=1)


def _arrays() -> list[tuple[int, ...]]:
    plain = [chain_parents(4), branched_parents(7), *(random_parents(8, seed, 0.7) for seed in range(3))]
    return [tuple(expand_parents(lam)) for lam in plain]


def _sparse(lam: tuple[int, ...]) -> tuple[NDArray, NDArray]:
    """Return a positive definite H with the zeros of a tree, and the mask of its other entries."""
    filled = np.asarray(sparsity_pattern(lam), dtype=bool)
    n = len(lam)
    L = np.tril(np.where(filled, np.random.default_rng(n).uniform(0.5, 1.5, (n, n)), 0.0)) + 2.0 * np.eye(n)
    return L.T @ L, filled


def race(my_crba: Callable[..., Any]) -> Verdict:
    """Time it, compiled, beside rbdkit and Pinocchio."""
    return _race(my_crba, "crba")
