"""Checks of the exercises in the notebook on spatial arithmetic (Featherstone, Appendix A)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.spatial import planar, plucker, se3
from rbdkit.spatial.compact import AxialRotation, AxialScrew, fv, mv, rbi
from rbdkit.trace import Operations, trace
from rbdkit_course.answers import brief, call, names, numbers, wholes
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

RNG_SEED = 2008
SHIFT = Operations(mul=6, add=6)
"""Largest number of multiplications and additions in exercise 1."""
ROWS = ("ωx", "ωy", "ωz", "vx", "vy", "vz")
ANGLES = (0.0, 1e-9, 0.4, -1.3, 1.8, -3.0)
"""Rotation angles on which exercise 5 is tried, rad."""


@checks("FA-1")
def shifted(function: Any) -> Verdict:
    """Exercise 1: a function (r, v) -> X v for a shift of the origin by r, in at most 6m + 6a."""
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(3):
        r, v = rng.normal(size=3), rng.normal(size=6)
        answer, fault = call(function, r.copy(), v.copy())
        found = six(answer)
        if fault or found is None:
            return wrong(
                fault or f"six numbers are asked for, angular part first; your function returned {brief(answer)}."
            )
        exact = plucker.xlt(r) @ v
        if not np.allclose(found, exact, rtol=0.0, atol=1e-12):
            if np.allclose(found, plucker.xlt(-r) @ v, rtol=0.0, atol=1e-12):
                return wrong("the sign: the point at r moves with v + ω × r, which is v − r × ω.")
            if np.allclose(found[:3], exact[:3]):
                return wrong("the angular part is right; the linear one is the velocity of the point at r.")
            return wrong("not X v. A shift leaves the angular velocity alone: a body turns as fast wherever you look.")
    try:
        cost = trace(lambda r, v: list(function(r, v)), 3, 6, simplify=False).operations()
    except Exception as fault:
        return wrong(f"right numbers, but your function cannot be counted: {fault}. Use + − · on the elements.")
    spent = f"{cost.mul}m + {cost.add}a"
    if cost.mul > SHIFT.mul or cost.add > SHIFT.add:
        return wrong(f"right numbers for {spent}; {SHIFT.mul}m + {SHIFT.add}a are enough. Multiply with no 0 and no 1.")
    return right(f"{spent}. As a general transform it would be 24m + 18a, as a matrix 36m + 30a.")


@checks("FA-2")
def energy(function: Any) -> Verdict:
    """Exercise 2: a function (I, v) -> kinetic energy, of an rbi and an mv."""
    rng = np.random.default_rng(RNG_SEED)
    I, v = rbi(2.0, (0.2, -0.4, 0.6), (0.9, 0.1, -0.2, 0.8, 0.3, 0.7)), mv.of(rng.normal(size=6))
    answer, fault = call(function, I, v)
    if fault:
        return wrong(f"{fault}. Which products are there? The table above knows them all.")
    found = numbers(answer)
    if found is None:
        return wrong(f"an energy is a number, not {brief(answer)}.")
    exact = 0.5 * np.array(v.flat()) @ np.array(I.rows()) @ np.array(v.flat())
    if np.isclose(found, exact, rtol=1e-12):
        return right("the inertia makes a momentum of the velocity, an fv, and these two may meet: 31m + 23a in all.")
    if np.isclose(found, 2.0 * exact, rtol=1e-12):
        return wrong("twice too much: the energy is half the product of velocity and momentum.")
    return wrong("a number, but not the energy ½ v · I v: which two vectors belong into the scalar product?")


@checks("FA-3")
def two_screws(answer: Any) -> Verdict:
    """Exercise 3: m and a for X^T I X from one Denavit-Hartenberg frame to the one before, with what recurs."""
    found = pair(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a count; write it like (52, 56) or '52m + 56a'.")
    exact, bare = home(once=1), home(once=0)
    hints = {
        bare: "the joint's angle changes, so cs, s², 2cs and 1 − 2s² have to be made again: 2m + 3a more.",
        home(once=2): "the angle about x is a constant of the mechanism: its constants are made once and for all.",
        (52, 56): "this is the price of one general transform.",
        (104, 112): "this is the price of two general transforms.",
        (62, 65): "this is the price for an articulated-body inertia with zeros; here it is a rigid body's.",
        (76 + 2, 80 + 3): "this is the price for an articulated-body inertia, 21 numbers; a rigid body's has 10.",
    }
    if found == exact:
        return right("16m + 15a for each screw, and 2m + 3a because the joint moves. A general transform: 52m + 56a.")
    return wrong(hints.get(found, "two screws; look up the price of one, and think of what has to be made again."))


@checks("FA-4")
def keepers(answer: Any) -> Verdict:
    """Exercise 4: for each row 1 ... 6 of I^a that is zero, the axis of the screws that keep it."""
    if not isinstance(answer, dict) or set(answer) != set(range(1, 7)):
        return wrong("the answer is a dictionary with the keys 1 to 6: {1: 'x', ...}.")
    for row, given in answer.items():
        axes = set("".join(sorted(names(given))))
        if not axes <= set("xyz"):
            return wrong(f"row {row}: {brief(given)} are not axes; write 'x', 'y', 'z', or several of them.")
        kept = {axis for axis in "xyz" if keeps(row, axis)}
        if axes - kept:
            return wrong(f"row {row}: try {min(axes - kept)}. After the screw, {ROWS[row - 1]} meets some resistance.")
        if kept - axes:
            return wrong(f"row {row}: there is one that keeps it. What does the zero say about {ROWS[row - 1]}?")
    return right(
        "a zero row says that nothing resists one motion: turning about a line, or sliding along a direction. A screw "
        "about that axis leaves it what it was, any other one tilts or moves it."
    )


@checks("FA-5")
def exact_velocity(function: Any) -> Verdict:
    """Exercise 5: a function X -> u of a planar transform, exact for turns below half a revolution."""
    for angle in ANGLES:
        X = planar.transform(angle, 0.3, -0.8)
        answer, fault = call(function, X.copy(), own=[se3.log])
        found = numbers(answer, 3)
        if fault or found is None:
            return wrong(
                f"at the angle {angle:g}: " + (fault or f"three finite numbers were asked for, not {brief(answer)}.")
            )
        pose = plucker.to_pose(plucker.rotz(angle) @ plucker.xlt([0.3, -0.8, 0.0]))
        if np.allclose(found, planar.extract(se3.log(pose)), rtol=0.0, atol=1e-9):
            continue
        if np.allclose(found, planar.to_velocity(X)):
            return wrong(f"at {angle:g} rad this is v itself; u is longer, by the angle divided by its sine.")
        if abs(angle) > np.pi / 2:
            return wrong(
                f"right up to a quarter turn, but not at {angle:g} rad: an arc sine never exceeds π/2. The cosine is "
                "in X, too."
            )
        return wrong(f"off at {angle:g} rad. u = v · angle / X23; what is the factor where X23 is zero?")
    return right("exact, for any turn below half a revolution. Beyond that, the way round the other side is shorter.")


@checks("FA-6")
def saved_products(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells how many multiplications two steps save.

    It is called with a number of vectors, and with 'any' or 'z', the axis of the joint.
    """
    cases = []
    for vectors, axis in ((3.0, "any"), (4.0, "z"), (7.0, "any"), (9.0, "z")):
        turn = 9 if axis == "any" else 4
        mistakes = {
            "the cross product r × ω is forgotten.": vectors * (36 - 2 * turn),
            "r × is a matrix with zeros in it, which nobody multiplies by.": vectors * (36 - 2 * turn - 9),
            "E turns both halves of the vector.": vectors * (36 - turn - 6),
        }
        cases.append(((vectors, axis), vectors * (36 - 2 * turn - 6), mistakes))
    return tells(
        draw,
        "multiplications saved",
        "",
        cases,
        "24 of 36 for any turn, 14 for one about z: and of the matrix nothing had to be built.",
    )


def six(answer: Any) -> NDArray | None:
    """Read six numbers, also from a motion vector."""
    return numbers(answer.flat() if isinstance(answer, mv | fv) else answer, 6)


def pair(answer: Any) -> tuple[int, int] | None:
    """Read numbers of multiplications and additions, in any form of writing."""
    if isinstance(answer, Operations):
        return answer.mul, answer.add
    if isinstance(answer, str):
        found = re.fullmatch(r"\s*(\d+)\s*m\s*\+\s*(\d+)\s*a\s*", answer)
        return (int(found[1]), int(found[2])) if found else None
    plain = wholes(answer, 2)
    return None if plain is None else (plain[0], plain[1])


def home(once: int) -> tuple[int, int]:
    """Count the operations of X^T I X for screws about z and x; the constants of the first `once` count, too."""

    def run(z: NDArray, x: NDArray, d: NDArray, inertia: NDArray) -> list[Any]:
        screws = []
        for k, (axis, E) in enumerate((("z", z), ("x", x))):
            turn = AxialRotation.of(axis, E[0], E[1]) if k < once else AxialRotation(axis, *E)
            screws.append(AxialScrew(turn, d[k]))
        return screws[1].inv_apply(screws[0].inv_apply(rbi.of(inertia))).flat()

    found = trace(run, 6, 6, 2, 10, simplify=False).operations()
    return found.mul, found.add


def keeps(row: int, axis: str) -> bool:
    """Whether a screw about the axis keeps a zero row of an inertia zero."""
    rng, k = np.random.default_rng(RNG_SEED), row - 1
    A = rng.normal(size=(6, 6))
    A = A @ A.T
    A -= np.outer(A[k], A[k]) / A[k, k]
    turn = {"x": plucker.rotx, "y": plucker.roty, "z": plucker.rotz}[axis](0.7)
    star = plucker.force(turn @ plucker.xlt(0.4 * np.eye(3)["xyz".index(axis)]))
    return bool(np.abs((star @ A @ star.T)[k]).max() < 1e-12)
