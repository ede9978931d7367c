"""Checks of the exercises in the notebook on contact (Featherstone, chapter 11)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.solvers import LcpSolution, active_set, lemke
from rbdkit_course.answers import brief, call, number, numbers, short
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

BEAM = ((0.95, -0.05), (-0.05, 0.95)), (-14.0, -6.0)
"""Exercise 2: M and d of two feet under a load that is nearer to the left one."""
CONE = 0.5
"""Exercise 3: coefficient of friction of the first try."""


@checks("F11-1")
def one_contact(answer: Any) -> Verdict:
    """Exercise 1: a function of (M, d) that returns (lam, zeta_rate) of one contact."""
    for M, d, why in (
        (0.5, -9.81, "pressed on"),
        (0.5, 3.0, "pulled off"),
        (2.0, 0.0, "at the very border"),
        (4.0, -1e-3, "hardly pressed on"),
    ):
        result, fault = call(answer, M, d)
        if fault:
            return wrong(fault)
        given = numbers(result, 2)
        if given is None:
            return wrong(f"it returned {brief(result)}; λ and ζ' are asked for.")
        lam, zeta = given.tolist()
        case = f"{why}, M = {M:g} and d = {d:g}: "
        if lam < 0.0:
            return wrong(f"{case}λ = {lam:.3g} N is a contact that pulls.")
        if zeta < -1e-12:
            return wrong(f"{case}ζ' = {zeta:.3g} m/s² sinks into the ground.")
        if abs(zeta - (M * lam + d)) > 1e-9 * (1.0 + abs(d)):
            return wrong(f"{case}ζ' is not M λ + d. A force λ adds M λ to the acceleration d that there is without it.")
        if lam * zeta > 1e-12:
            return wrong(f"{case}there is a force although the bodies part: one of both must be zero.")
        if abs(lam - max(0.0, -d / M)) > 1e-9:
            return wrong(f"{case}λ = {lam:.6g} N is not the least force that holds.")
    return right("either a force or a gap that opens, never both: Eq 11.10.")


def start_of_lemke() -> tuple[NDArray, NDArray]:
    """Exercise 2: M and d."""
    return np.array(BEAM[0]), np.array(BEAM[1])


@checks("F11-2")
def lemke_pivot(answer: Any) -> Verdict:
    """Exercise 2: a function of (A, row, column) that makes an exchange in the tableau A."""
    M, d = start_of_lemke()
    found = lemke(M, d)
    A = np.column_stack([np.eye(2), -M, -np.ones(2), d])
    for row, column, words in _exchanges(found, d):
        expected = _exchanged(A, row, column)
        result, fault = call(answer, A.copy(), row, column)
        if fault:
            return wrong(fault)
        given = numbers(result, *A.shape)
        if given is None:
            return wrong(f"it returned {brief(result)}; the tableau after the exchange has shape {A.shape}.")
        if not np.allclose(given, expected, rtol=0.0, atol=1e-9):
            return wrong(_pivot_fault(given, A, expected, row, column, words))
        A = given
    lam = A[:, -1]
    return right(
        f"three exchanges, and the feet carry {short(active_set(M, d).lam)} N, here as {short(lam)} in the rows."
    )


@checks("F11-3")
def friction_cone(answer: Any) -> Verdict:
    """Exercise 3: a function of (f_t (2,), f_n, mu) that puts a tangential force on the cone, if it is outside."""
    for f_t, f_n, mu in (
        ([3.0, 4.0], 20.0, CONE), ([3.0, 4.0], 5.0, CONE), ([0.0, -2.0], 1.0, 1.5), ([-6.0, 8.0], 0.0, 0.8),
        ([0.0, 0.0], 3.0, 0.3),
    ):  # fmt: skip
        result, fault = call(answer, np.array(f_t), f_n, mu)
        if fault:
            return wrong(fault)
        given = numbers(result, 2)
        if given is None:
            hint = " A force of zero has no direction to divide by." if not any(f_t) else ""
            return wrong(f"it returned {brief(result)}; a tangential force has two numbers.{hint}")
        verdict = _cone_fault(given, np.array(f_t), f_n, mu)
        if verdict:
            return wrong(verdict)
    return right(
        "inside the cone it sticks, and outside the cone lets through as much as it can: Eq 11.79 in two directions."
    )


@checks("F11-4")
def slope_angle(answer: Any, mu: float = 0.7) -> Verdict:
    """Exercise 4: the slope in degrees at which a block with that friction begins to slip."""
    given = number(answer)
    if given is None:
        return wrong(f"{brief(answer)} is not an angle in degrees.")
    angle = float(np.degrees(np.arctan(mu)))
    if abs(given - angle) < 0.05:
        return right(f"tan α = μ: α = {angle:.2f}°, whatever the block weighs.")
    if abs(given - np.radians(angle)) < 1e-3:
        return wrong("right in rad; degrees are asked for.")
    if mu < 1.0 and abs(given - np.degrees(np.arcsin(mu))) < 0.05:
        return wrong("sin α = μ forgets that the normal force falls with the slope too.")
    return wrong("the weight along the slope is m g sin α, what friction can hold μ m g cos α.")


@checks("F11-5")
def bounced(draw: Any) -> Verdict:
    """Exercise 5: the function of a playground whose picture tells how fast a ball leaves a smooth slope.

    It is called with the slope, rad, and the coefficient of restitution; the ball falls with 3 m/s.
    """
    rng, cases = np.random.default_rng(11), []
    for _ in range(5):
        slope, e = (float(x) for x in rng.uniform((0.2, 0.2), (1.2, 0.8)))
        across, along = 3.0 * np.cos(slope), 3.0 * np.sin(slope)
        mistakes = {
            "that sends it back without having stopped it: with e = 0 it would go on through the slope.": float(
                np.hypot((1.0 - e) * across, along)
            ),
            "a smooth slope takes nothing from what goes along the slope.": 3.0 * e,
            "e does nothing here: so bounces only a perfect ball.": 3.0,
        }
        cases.append(((slope, e), float(np.hypot(e * across, along)), mistakes))
    verdict = tells(
        draw,
        "speed after",
        "m/s",
        cases,
        "at 45°: then what falls goes off level. One impulse along n stops the ball, e more send it back.",
    )
    return _leaves(draw, [arguments for arguments, _, _ in cases]) if verdict else verdict


def _leaves(draw: Any, cases: list[tuple[float, float]]) -> Verdict:
    """Check that the picture's arrow points where the ball goes; a velocity into the slope has the same length."""
    for slope, e in cases:
        shown, fault = call(draw, slope, e)
        if fault:
            return wrong(fault)
        drawn = [each for each in getattr(shown, "arrows", ()) if str(getattr(each, "text", "")).strip() == "after"]
        vector = numbers(drawn[0].vector, 3) if len(drawn) == 1 else None
        if vector is None or not vector.any():
            return wrong("the speed is right; but which way does it go? Leave the one arrow 'after' in the picture.")
        n, along = np.array([np.sin(slope), 0.0, np.cos(slope)]), np.array([np.cos(slope), 0.0, -np.sin(slope)])
        velocity = 3.0 * (e * np.cos(slope) * n + np.sin(slope) * along)
        if np.allclose(vector / np.linalg.norm(vector), velocity / np.linalg.norm(velocity), atol=1e-6):
            continue
        if vector @ n < 0.0:
            return wrong(
                "the speed is right, and the arrow goes on into the slope: what comes across is to be stopped once and "
                "sent back e times, which makes 1 + e."
            )
        return wrong(
            f"the speed is right, but the arrow 'after' goes along {short(vector / np.linalg.norm(vector))}; the ball "
            f"along {short(velocity / np.linalg.norm(velocity))}."
        )
    return right("at 45°: then what falls goes off level. One impulse along n stops the ball, e more send it back.")


def _exchanges(found: LcpSolution, d: NDArray) -> list[tuple[int, int, str]]:
    """Return row, column and description of the pivots that `lemke` made."""
    names = ["zeta of C1", "zeta of C2", "lambda of C1", "lambda of C2", "z_0"]
    basis, made = [0, 1], []
    for pivot in found.pivots:
        row = basis.index(names.index(pivot.leaves))
        basis[row] = names.index(pivot.enters)
        made.append((row, basis[row], f"{pivot.enters} in, {pivot.leaves} out"))
    return made


def _exchanged(A: NDArray, row: int, column: int) -> NDArray:
    result = A.copy()
    result[row] /= A[row, column]
    for i in range(len(A)):
        if i != row:
            result[i] -= A[i, column] * result[row]
    return result


def _pivot_fault(given: NDArray, A: NDArray, expected: NDArray, row: int, column: int, words: str) -> str:
    at = f"at the exchange {words} (row {row + 1}, column {column + 1}) "
    if np.allclose(given, A):
        return f"{at}nothing changed."
    if not np.allclose(given[row], expected[row]):
        return f"{at}the pivot row is to be divided by the pivot, {A[row, column]:.4g}: the pivot becomes 1."
    other = 1 - row
    if np.allclose(given[other], A[other]):
        return f"{at}the other row is as it was; its element in the column must become zero."
    added, undivided = A[other] + A[other, column] * expected[row], A[other] - A[other, column] * A[row]
    if np.allclose(given[other], added) or np.allclose(given[other], undivided):
        return f"{at}take the multiple of the pivot row away from the other row, and take it after the division."
    return f"{at}the other row is off: take away so much of the pivot row that its element in the column is zero."


def _cone_fault(given: NDArray, f_t: NDArray, f_n: float, mu: float) -> str:
    size, most = float(np.linalg.norm(f_t)), mu * f_n
    expected = f_t if size <= most else f_t * (most / size)
    if np.allclose(given, expected, rtol=0.0, atol=1e-9):
        return ""
    case = f"with f_t = {short(f_t)}, f_n = {f_n:g} and μ = {mu:g} "
    if np.allclose(given, np.clip(f_t, -most, most)):
        return f"{case}you cut each direction by itself. That is a pyramid; its corners let through up to √2 too much."
    if np.allclose(given, f_t):
        return f"{case}|f_t| = {size:.3g} is more than μ f_n = {most:.3g}, and comes through whole."
    if size <= most:
        return f"{case}the force lies inside the cone and must stay as it is; you made {short(given)} of it."
    if np.linalg.norm(given) > most * (1.0 + 1e-9):
        return f"{case}|f_t| is still {np.linalg.norm(given):.3g}, more than μ f_n = {most:.3g}."
    return f"{case}the length should be μ f_n = {most:.3g} and the direction that of f_t; you returned {short(given)}."
