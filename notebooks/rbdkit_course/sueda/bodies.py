"""Checks of the exercises in the notebook on bodies and twists (Sueda, sections 1.1 to 1.8)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.maximal import maximal_euler_step, viscous_euler_step
from rbdkit.spatial import se3, so3
from rbdkit_course.answers import short
from rbdkit_course.checks import checks
from rbdkit_course.sueda.returned import returned, same, worst
from rbdkit_course.verdict import Verdict, right, wrong

FAR = np.array([0.4, -1.1, 0.7, 2.0, -0.5, 1.0])


@checks("S01-1")
def exponential(exp: Any) -> Verdict:
    """``exp(phi)``: the pose (4, 4) that a constant twist (omega, v) comes to in a second (section 1.3)."""
    hardly = np.concatenate([3e-5 * FAR[:3], FAR[3:]])  # no digit of V to spare: I is not near enough
    for phi in (FAR, np.array([0.0, 0.0, 0.0, 0.3, 0.2, -0.1]), 1e-9 * FAR, np.zeros(6), 3.0 * FAR, hardly):
        (found, *_), fault = _one(exp, phi, "phi", (4, 4), own=(se3.exp, so3.exp, se3.left_jacobian))
        if fault:
            return wrong(fault)
        exact, slow = se3.exp(phi), np.linalg.norm(phi[:3]) < 1e-6
        if same(found, exact):
            continue
        at = f"for phi = {short(phi)} "
        if slow:
            return wrong(f"{at}it is off: where nothing turns V is the identity, and 0/0 is nan.")
        if phi is hardly:
            return wrong(f"{at}{worst(found, exact)}: where it hardly turns, a, b, c tend to 1, 1/2, 1/6, not to 0.")
        if same(found[:3, :3], exact[:3, :3].T):
            return wrong(f"{at}R is transposed: [omega] b is omega x b, Eq 1.7.")
        if same(found[:3, :3], exact[:3, :3]) and same(found[:3, 3], phi[3:]):
            return wrong(f"{at}R is right, but while the body turns its velocity turns with it: p = V v.")
        if same(found[3], exact[3]):
            return wrong(f"{at}{worst(found, exact)}.")
        return wrong(f"{at}the last row is {found[3].round(3).tolist()}; of a pose it is 0 0 0 1.")
    return right("a screw motion: the twist of a body that goes on as it does.")


@checks("S01-2")
def adjoint(Ad: Any) -> Verdict:
    """``Ad(E)``: the matrix (6, 6) of Eq 1.14."""
    E = se3.exp(FAR)
    (found, *_), fault = _one(Ad, E, "E", (6, 6), own=(se3.adjoint,))
    if fault:
        return wrong(fault)
    exact, R, P = se3.adjoint(E), E[:3, :3], so3.skew(E[:3, 3])
    if same(found, exact):
        return right("rotate both halves, and add what an arm makes of the turning.")
    if same(found, exact.T):
        return wrong("the block [p] R belongs below: turning about another point is seen as moving, not vice versa.")
    if same(found[3:, :3], R @ P):
        return wrong("the product is [p] R, with p in the axes of the world, and you have R [p].")
    if same(found[3:, :3], -P @ R):
        return wrong("the sign of [p]: that is the way of its inverse.")
    if same(found, np.linalg.inv(exact)):
        return wrong("that is the inverse: from the world to the body.")
    return wrong(f"{worst(found, exact)}.")


@checks("S01-3")
def free_step(step: Any) -> Verdict:
    """``step(E, phi, M, g, h)``: pose and twist of a free body after a step (Eqs 1.27 to 1.29)."""
    E, phi, M, g, h = se3.exp(FAR), FAR[::-1].copy(), np.diag([0.2, 0.5, 0.6, 2.0, 2.0, 2.0]), [0.3, 0.0, -9.0], 0.05
    given = (E, phi, M, np.array(g), h)
    found, fault = returned(step, given, "E, phi, M, g, h", (4, 4), (6,), own=(maximal_euler_step, viscous_euler_step))
    if fault:
        return wrong(fault)
    exact = maximal_euler_step(E, phi, M, g, h)
    if not same(found[1], exact[1]):
        return wrong(_wrong_twist(found[1], *given))
    if same(found[0], exact[0]):
        return right("the first simulator: two lines.")
    if same(found[0], E @ se3.exp(h * phi)):
        return wrong("the twist is right; the pose goes on with the old one. Eq 1.29 takes the new twist.")
    if same(found[0], se3.exp(h * exact[1]) @ E):
        return wrong("the twist is in body coordinates: multiply exp on the right of E.")
    if np.abs(found[0][:3, :3].T @ found[0][:3, :3] - np.eye(3)).max() > 1e-9:
        return wrong("the twist is right, but the new pose is not one: R has lost its right angles. Multiply by exp.")
    return wrong(f"the twist is right; of the pose {worst(found[0], exact[0])}.")


def _wrong_twist(found: NDArray, E: NDArray, phi: NDArray, M: NDArray, g: NDArray, h: float) -> str:
    def after(coriolis: NDArray, fall: NDArray) -> NDArray:
        return phi + h * np.linalg.solve(M, coriolis + M @ np.concatenate([np.zeros(3), fall]))

    turned, true = E[:3, :3].T @ g, se3.ad(phi).T @ M @ phi
    if same(found, after(true, g)):
        return "gravity is given in the world, twists in the body: turn it, R^T g (Eq 1.22)."
    if same(found, after(true, 0.0 * g)):
        return "there is no gravity in it."
    if same(found, after(0.0 * true, turned)):
        return "without the Coriolis force ad(phi)^T M phi a body keeps its twist, and not its momentum."
    if same(found, after(-true, turned)) or same(found, after(se3.ad(phi) @ M @ phi, turned)):
        return "Coriolis forces: ad(phi) transposed, times M phi, with a plus (Eq 1.21)."
    return f"of the twist {worst(found, after(true, turned))}."


def _one(function: Any, argument: NDArray, names: str, shape: tuple[int, ...], own: Any) -> tuple[list[Any], str]:
    found, fault = returned(function, (argument,), names, shape, own=own)
    return (found, "") if not fault else ([None], fault)
