"""Checks of the exercises in the notebook on joints as constraints (Sueda, sections 1.10 and 1.12)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.maximal import joint_rows, kkt_step
from rbdkit.spatial import se3
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong


@checks("S02-1")
def constraint_rows(G: Any) -> Verdict:
    """``G(E_i, E_k, E_ij, kept)``: rows (len(kept), 12) on the twists of two bodies with a joint (Eq 1.69)."""
    E_i, E_k, E_ij = se3.random(np.random.default_rng(2), (3,))
    for kept in ([0, 1, 2, 3, 4, 5], [0, 1, 3, 4, 5], [3, 4, 5]):
        found, fault = returned(
            G, (E_i, E_k, E_ij, list(kept)), "E_i, E_k, E_ij, kept", (len(kept), 12), own=[joint_rows]
        )
        if fault:
            return wrong(fault)
        to_i = se3.adjoint(se3.inverse(E_ij))
        to_k = to_i @ se3.adjoint(se3.inverse(E_i) @ E_k)
        exact = np.hstack([to_i, -to_k])[kept]
        if same(found[0], exact) or same(found[0], -exact):
            continue
        return wrong(_wrong_rows(found[0], E_i, E_k, E_ij, kept))
    return right("one function for every joint that is a choice of rows: rigid, hinge, ball.")


def _wrong_rows(found: NDArray, E_i: NDArray, E_k: NDArray, E_ij: NDArray, kept: list[int]) -> str:
    to_i = se3.adjoint(se3.inverse(E_ij))
    left, to_k = to_i[kept], (to_i @ se3.adjoint(se3.inverse(E_i) @ E_k))[kept]
    if same(found[:, :6], se3.adjoint(E_ij)[kept]):
        return "E_ij leads from the joint to the body; twists are wanted at the joint, so its inverse."
    if not same(found[:, :6], left):
        return f"in the columns of body i {worst(found[:, :6], left)}."
    if same(found[:, 6:], to_k):
        return "the sum of both twists is zero, with yours. It is their difference: minus in the columns of body k."
    if same(found[:, 6:], -(to_i @ se3.adjoint(E_k))[kept]):
        return "the twist of body k comes to the world, and from there it has to go to body i: one more inverse."
    return f"in the columns of body k {worst(found[:, 6:], -to_k)}: from k to the world, to i, to the joint."


@checks("S02-2")
def kkt(solve: Any) -> Verdict:
    """``solve(M, G, f)``: new twists and multipliers of Eq 1.73."""
    rng = np.random.default_rng(4)
    M, G, f = np.diag(rng.uniform(0.5, 2.0, 12)), rng.normal(size=(5, 12)), rng.normal(size=12)
    found, fault = returned(solve, (M, G, f), "M, G, f", (12,), (5,), own=[kkt_step])
    if fault:
        return wrong(fault)
    Phi, lam = found
    exact = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((5, 5))]]), np.concatenate([f, np.zeros(5)]))
    if same(Phi, exact[:12]) and same(lam, exact[12:]):
        return right("the nearest motion that the joints allow, and what they must do for it.")
    if np.abs(G @ Phi).max() > 1e-8:
        return wrong(f"the joints come apart: G Phi is up to {np.abs(G @ Phi).max():.3g}, and is to be zero.")
    if same(Phi, exact[:12]) and same(lam, -exact[12:]):
        return wrong("the twists are right; in Eq 1.74 M Phi + G^T lambda = f, and you have a minus before G^T.")
    if same(Phi, exact[:12]):
        return wrong(f"the twists are right; of the multipliers {worst(lam, exact[12:])}.")
    return wrong("G Phi = 0 holds, but M Phi + G^T lambda = f does not: who pushes there, if not the joints?")


@checks("S02-3")
def hinge_gap(gap: Any) -> Verdict:
    """``gap(X)``: five numbers that are zero while a hinge about z is intact, and whose rates are its rows.

    X is the pose of the joint frame of body i in that of body k. Any such numbers will do.
    """
    rng, rows = np.random.default_rng(1), [0, 1, 3, 4, 5]

    def at(X: NDArray) -> tuple[NDArray, str]:
        found, fault = returned(gap, (X,), "X", (5,))
        return (np.zeros(5), fault) if fault else (found[0], "")

    angles = {angle: se3.exp(np.array([0.0, 0.0, angle, 0.0, 0.0, 0.0])) for angle in (0.0, 0.3, -2.0, 3.1)}
    for angle, intact in angles.items():
        value, fault = at(intact)
        if fault:
            return wrong(fault)
        if np.abs(value).max() > 1e-9:
            return wrong(f"the hinge is intact at {angle:g} rad, and your numbers are {value.round(4).tolist()}.")
    h = 1e-5
    for angle, intact in angles.items():
        for k, e in enumerate(np.eye(6)):
            rate = (at(intact @ se3.exp(h * e))[0] - at(intact @ se3.exp(-h * e))[0]) / (2.0 * h)
            expected = e[rows]
            if np.abs(rate - expected).max() < 1e-6:
                continue
            what = ("turn about x", "turn about y", "turn about z", "move along x", "move along y", "move along z")[k]
            return wrong(
                f"at {angle:g} rad a small {what} (in the frame of body i) changes your numbers at the rates "
                f"{rate.round(3).tolist()}; the rows of G say {expected.astype(int).tolist()}."
            )
    far = at(se3.exp(np.array([*rng.uniform(0.2, 0.4, 2), 0.5, *rng.uniform(0.2, 0.4, 3)])))[0]
    if np.abs(far).min() < 1e-3:
        return wrong("a hinge that is torn apart in every direction has five numbers that are not zero.")
    return right("what Eq 1.81 differentiates, and the notes do not print.")
