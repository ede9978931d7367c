"""Checks of the exercises in the notebook on articulated bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import aba, project_handles
from rbdkit.algorithms.articulated.assembly_tree import Order, bodies_of, check_order, depth
from rbdkit.errors import RbdkitError
from rbdkit.joints import JointType, Revolute
from rbdkit.library import chain_pendulum
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia
from rbdkit_course.answers import brief, call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

M1, M2 = 2.0, 3.0
"""Masses of box and cylinder in the first exercise, kg."""
BENT = (0.5, -1.0, 0.8)
"""Angles of the arm in the last exercise, rad."""


@checks("F07-1")
def diagonal_push(mass: Any, cylinder: float = M2) -> Verdict:
    """Exercise 1: apparent mass of the box of Example 7.1 for a force along (1, 1, 0), kg."""
    answer = number(mass)
    if answer is None:
        return wrong(f"{brief(mass)} is not a number of kilograms.")
    along_x, along_y = M1 + cylinder, M1
    exact = 2.0 / (1.0 / along_x + 1.0 / along_y)
    if abs(answer - exact) < 5e-3:
        return right(
            f"{exact:.3f} kg, the harmonic mean of {along_x:g} and {along_y:g}: the two parts of the force cause "
            "accelerations, and it is these that add up along the diagonal."
        )
    if abs(answer - 0.5 * (along_x + along_y)) < 5e-3:
        return wrong(
            f"{answer:g} kg is the mean of the masses along x and y, d . M d. That is the force needed to accelerate "
            "the box straight along the diagonal; pushed along it, the box swerves."
        )
    if any(abs(answer - part) < 5e-3 for part in (along_x, along_y, cylinder)):
        return wrong(
            f"{answer:g} kg: along the diagonal the cylinder neither comes along fully nor stays behind fully."
        )
    return wrong(f"{answer:.4g} kg is off. Take the force apart along x and y, and ask what each part does to the box.")


@checks("F07-2")
def joined(answer: Any) -> Verdict:
    """Exercise 2: a function of I_1, I_2 and S that gives the inertia of handle 1 with body 2 on its joint."""
    if not callable(answer):
        return wrong("give a function of (I1, I2, S) that returns a 6 x 6 matrix.")
    off = {name: 0.0 for name in ("itself", "welded", "without body 1", "wrong sign", "loose")}
    rng = np.random.default_rng(1)
    for columns in (1, 2, 3):
        I_1, I_2, S = _random_inertia(rng), _random_inertia(rng), rng.normal(size=(6, columns))
        result, fault = call(answer, I_1.copy(), I_2.copy(), S.copy())
        if fault:
            return wrong(f"with a joint of {columns} degree(s) of freedom {fault}")
        found = numbers(result, 6, 6)
        if found is None:
            return wrong(f"it returned {brief(result)}; 6 x 6 finite numbers are asked for.")
        lost = I_2 @ S @ np.linalg.solve(S.T @ I_2 @ S, S.T @ I_2)
        forms = {
            "itself": I_1 + I_2 - lost, "welded": I_1 + I_2, "without body 1": I_2 - lost,
            "wrong sign": I_1 + I_2 + lost, "loose": I_1,
        }  # fmt: skip
        for name, expected in forms.items():
            miss = float(np.abs(found - expected).max() / np.abs(expected).max())
            off[name] = max(off[name], miss if np.isfinite(miss) else np.inf)
    hints = {
        "welded": "that is I1 + I2: the joint is welded. It must lose what moves along S.",
        "without body 1": "that is what handle 1 feels through the joint, I^a; handle 1 is a body itself.",
        "wrong sign": "the joint takes inertia away; the sign of the last term is wrong.",
        "loose": "that is I1: nothing of body 2 is felt, as if the joint were free in all directions.",
    }
    if off["itself"] < 1e-9:
        return right("Eq 7.19, for joints of one, two and three degrees of freedom.")
    return wrong(next((hint for name, hint in hints.items() if off[name] < 1e-9), "the numbers are off; see Eq 7.19."))


@checks("F07-3")
def two_zero_rows(answer: Any) -> Verdict:
    """Exercise 3: a joint behind which rows nz and fz of I^a are zero, and no others."""
    if not isinstance(answer, JointType):
        return wrong(f"{brief(answer)} is not a joint type; give one such as rbd.Revolute('z').")
    if answer.nv == 0:
        return wrong("this joint has no freedom: everything of the body is felt, and no row is zero.")
    model = Model(gravity=(0.0, 0.0, 0.0))
    body = Inertia.box((0.3, 0.5, 0.7), mass=2.0).transformed(_off_center())
    model.add_body("body", joint=answer, inertia=body)
    rest = np.zeros(model.nv)
    try:
        Ia = aba(model, model.neutral(), rest, rest).Ia[1]
    except Exception as fault:  # a joint type of the student's own may raise anything
        return wrong(f"this joint does not work: {fault}")
    zero = [name for name, row in zip(("nx", "ny", "nz", "fx", "fy", "fz"), Ia) if np.abs(row).max() < 1e-12]
    if zero == ["nz", "fz"]:
        return right(f"{answer!r} turns about z and slides along z, so S spans e3 and e6, and I^a S = 0.")
    if answer.nv == 1:
        return wrong(f"the rows of zeros are {', '.join(zero) or 'none'}: one freedom makes room for one row only.")
    return wrong(
        f"the rows of zeros are {', '.join(zero) or 'none'}. S must span e3 and e6, so that I^a e3 = I^a e6 = 0."
    )


@checks("F07-4")
def three_rounds(answer: Any) -> Verdict:
    """Exercise 4: nested pairs that assemble 'world' and links '1' to '7' in three rounds."""
    model = Model("arm")
    for k in range(1, 8):
        model.add_body(str(k), "world" if k == 1 else str(k - 1), Revolute("y"))
    order = _pairs(answer)
    try:
        check_order(model, order)
    except RbdkitError as fault:
        return wrong(str(fault))
    except Exception:  # an object of the student's may do anything when it is looked at
        return wrong("that is no pair. Nest pairs of names, as in (('world', '1'), '2').")
    rounds = depth(order)
    if rounds > 3:
        return wrong(f"this takes {rounds} rounds; somewhere a part of one body is joined to a part of many.")
    if _torn(order):
        return right(
            "three rounds. Some of your parts hold bodies that no joint connects: that is allowed, but such parts have "
            "more handles, and more handles cost more."
        )
    return right("three rounds for eight bodies, the least there is, and no part ever has more than two handles.")


@checks("F07-5")
def unfelt(answer: Any) -> Verdict:
    """Exercise 5: a force on the last rod of `bent_arm` that does not accelerate it."""
    f = numbers(answer, 6)
    if f is None:
        return wrong("a spatial force is six finite numbers: a moment, then a force.")
    size = float(np.linalg.norm(f))
    if size < 1e-9:
        return wrong("nobody feels no force at all; find one that is not zero.")
    model, q = bent_arm()
    rest = np.zeros(3)
    a = project_handles(model, q, rest, rest, "rod3").Phi @ (f / size)
    if np.abs(a).max() < 1e-9:
        return right(
            "Φ f = 0: the hinges take it all. All such forces have no part in the x-z plane and no moment about y; "
            "they are the null space of Jᵀ, three-dimensional, as rank Φ is 3."
        )
    if np.abs(f[[0, 2, 4]]).max() < 1e-9:
        return wrong("this force lies in the plane in which the arm moves, and there the rod has all three freedoms.")
    return wrong(
        f"it accelerates the rod: Φ f has an element of {np.abs(a).max() * size:.3g}. What can a hinge not do?"
    )


@checks("F07-6")
def bead(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells the apparent mass of a box with a bead in a slot.

    It is called with the directions of the slot and of the push, rad.
    """
    rng, cases = np.random.default_rng(7), []
    for _ in range(5):
        slot, between = (float(x) for x in rng.uniform((-1.2, 0.3), (1.2, 1.2)))
        along = np.array([np.cos(between), np.sin(between)])  # of the push, along the slot and across it
        M = np.array([2.0, 5.0])
        a = along / M
        mistakes = {
            "that asks for forces that go with an acceleration along d; here the force is along d, and the box may go "
            "elsewhere.": float(M @ along**2),
            "the bead does not always come along: along the slot it stays behind.": 5.0,
            "the box swerves; the mass is the force by the acceleration along the push, not by all of it.": float(
                1.0 / np.linalg.norm(a)
            ),
        }
        cases.append(((slot, slot + between), float(1.0 / (along @ a)), mistakes))
    return tells(
        draw,
        "apparent mass",
        "kg",
        cases,
        "2 kg along the slot, 5 kg across it, and in between less than dᵀ M d, for the box swerves to where it "
        "is light.",
    )


def bent_arm() -> tuple[Model, NDArray]:
    """Return three rods on hinges about y, hanging from the ground, and their angles."""
    return chain_pendulum(3), np.array(BENT)


def _pairs(answer: Any) -> Any:
    """Convert nested lists to tuples, and numbers of links to their names."""
    if isinstance(answer, list | tuple):
        return tuple(_pairs(part) for part in answer)
    return str(answer) if isinstance(answer, int) else answer


def _torn(order: Order) -> bool:
    """Whether some part of the assembly order joins links that are not neighbours."""
    if isinstance(order, str):
        return False
    numbers = sorted(0 if name == "world" else int(name) for name in bodies_of(order))
    return numbers[-1] - numbers[0] >= len(numbers) or any(_torn(part) for part in order)


def _random_inertia(rng: np.random.Generator) -> NDArray:
    A = rng.normal(size=(6, 6))
    return A @ A.T + np.eye(6)


def _off_center() -> NDArray:
    T = np.eye(4)
    T[:3, 3] = 0.2, -0.1, 0.3
    return T
