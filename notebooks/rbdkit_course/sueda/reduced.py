"""Checks of the exercises in the notebook on reduced coordinates (Sueda, sections 2.1 to 2.3)."""

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
)
from rbdkit.joints import Revolute, Universal
from rbdkit.library.cuboids import cuboid_tree
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong

OWN = (redmax_jacobian, redmax_jacobian_and_rate, jacobian_product, reduced_equation)


def _tree(branches: bool) -> Bodies:
    """Return a tree of hinges and universal joints in some state; a chain unless it branches."""
    model = cuboid_tree([-1, 0, 0, 1, 3] if branches else [-1, 0, 1, 2], [Revolute("y"), Universal("x", "y")])
    rng = np.random.default_rng(7)
    return bodies_at(model, rng.normal(size=model.nq), rng.normal(size=model.nv))


@checks("S03-1")
def jacobian(J: Any) -> Verdict:
    """``J(bodies)``: the matrix (6 n, nv) from joint velocities to the twists of all bodies (Algorithm 1)."""
    for branches in (False, True):
        bodies = _tree(branches)
        shape = (6 * bodies.n, bodies.nv)
        found, fault = returned(J, (bodies,), "bodies", shape, own=OWN)
        if fault:
            return wrong(fault)
        exact = redmax_jacobian(bodies)
        if same(found[0], exact):
            continue
        if branches:
            return wrong("right for a chain. In a tree the row above need not be the parent's: ask bodies.parent[i].")
        return wrong(_wrong_jacobian(found[0], exact, bodies))
    return right(
        f"each column says what happens when one joint moves alone; J is {exact.shape[0]} by {exact.shape[1]}."
    )


def _wrong_jacobian(found: NDArray, exact: NDArray, bodies: Bodies) -> str:
    diagonal = np.zeros_like(exact)
    bare = np.zeros_like(exact)
    for i in bodies.order:
        diagonal[bodies.block(i), bodies.own[i]] = bodies.Ad_J[i] @ bodies.S[i]
        bare[bodies.block(i), bodies.own[i]] = bodies.S[i]
    on = diagonal != 0.0
    if same(found, diagonal):
        return "the blocks on the diagonal are right; a body also moves with all the joints before it (line 4)."
    if same(found[on], bare[on]):
        return "S is in the joint's frame; its columns must come to the body: Ad_J[i] @ S[i] (line 1)."
    if same(found[on], exact[on]):
        return f"the diagonal is right; below it {worst(found, exact)}. Ad_p[i] times what the parent has there."
    return f"{worst(found, exact)}."


@checks("S03-2")
def jacobian_rate(J_dot: Any) -> Verdict:
    """``J_dot(bodies, J)``: the rate (6 n, nv) of J, which is given (Algorithm 2)."""
    bodies = _tree(True)
    J, exact = redmax_jacobian_and_rate(bodies)
    found, fault = returned(J_dot, (bodies, J), "bodies, J", J.shape, own=OWN)
    if fault:
        return wrong(fault)
    if same(found[0], exact):
        return right("with the dot that line 7 has lost in print.")
    printed, no_S_dot = np.zeros((2, *J.shape))
    for i in bodies.order:
        p, rows = bodies.parent[i], bodies.block(i)
        printed[rows, bodies.own[i]] = bodies.Ad_J[i] @ bodies.S_dot[i]
        if p:
            printed[rows] += bodies.Ad_p[i] @ (printed[bodies.block(p)] + J[bodies.block(p)])
            no_S_dot[rows] += bodies.Ad_p[i] @ no_S_dot[bodies.block(p)] + bodies.Ad_p_dot[i] @ J[bodies.block(p)]
    if same(found[0], printed):
        return wrong("that is line 7 as it is printed. Differentiate Ad J(p, a) as a product: Ad' J + Ad J'.")
    if same(found[0], no_S_dot):
        return wrong("universal joints turn their own second axis: the diagonal blocks are Ad_J S_dot (line 3).")
    return wrong(f"{worst(found[0], exact)}.")


@checks("S03-3")
def reduced_accelerations(solve: Any) -> Verdict:
    """``solve(J, J_dot, M, f_m, f_r, qd)``: joint accelerations of Eq 2.18, with forces f_r along the joints."""
    bodies = _tree(True)
    J, J_dot = redmax_jacobian_and_rate(bodies)
    M, f_m, qd = np.zeros((6 * bodies.n,) * 2), bodies.stacked(bodies.f_m), bodies.qd
    for i in bodies.order:
        M[bodies.block(i), bodies.block(i)] = bodies.M[i]
    f_r = np.arange(1.0, bodies.nv + 1.0) * 1e-3
    found, fault = returned(solve, (J, J_dot, M, f_m, f_r, qd), "J, J_dot, M, f_m, f_r, qd", (bodies.nv,), own=OWN)
    if fault:
        return wrong(fault)
    M_r, drift = J.T @ M @ J, M @ J_dot @ qd
    for right_side, why in (
        (f_r + J.T @ (f_m - drift), ""),
        (f_r + J.T @ f_m, "the quadratic velocity vector -J^T M J-dot qd is missing (Eq 2.18)."),
        (f_r + J.T @ (f_m + drift), "J-dot qd is an acceleration that is there anyway: it is taken off, with a minus."),
        (J.T @ (f_m - drift), "the forces f_r act along the joints as they are; add them."),
        (J.T @ (f_m - drift) - f_r, "f_r has the wrong sign."),
    ):
        if same(found[0], np.linalg.solve(M_r, right_side)):
            return wrong(why) if why else right("a third of the page of the maximal way, and no constraint to break.")
    return wrong(f"{worst(found[0], np.linalg.solve(M_r, f_r + J.T @ (f_m - drift)))}.")
