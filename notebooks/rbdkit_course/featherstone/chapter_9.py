"""Checks of the exercises in the notebook on hybrid dynamics and floating bases (Featherstone, chapter 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base import (
    FloatingState,
    base_velocity,
    to_fixed_state,
    to_floating_base,
    to_floating_state,
)
from rbdkit.algorithms.hybrid import forward_joints, merged_parents, split_variables
from rbdkit.functions import forward_kinematics, hybrid_dynamics, rnea
from rbdkit.library import cat_roll, random_state, random_tree, satellite_with_arm
from rbdkit_course.answers import brief, call, number, numbers, wholes
from rbdkit_course.checks import checks
from rbdkit_course.own_pictures import tells
from rbdkit_course.verdict import Verdict, right, wrong

TREE = (0, 1, 1, 2, 2, 3, 3)
"""Exercise 1: lambda(1), ..., lambda(7)."""
DRIVEN = (1, 3)
ROD, SHAKE = 0.6, 0.015
"""Exercise 3: length of the rod and amplitude of its pivot, m."""
ARM = (0.0, 0.5, 0.9)
"""Exercise 5: yaw, shoulder and elbow of the satellite's arm, rad."""
GRIPPER_SPEED = 0.1


@checks("F09-1")
def merged(answer: Any) -> Verdict:
    """Exercise 1: lambda' of the tree (0, 1, 1, 2, 2, 3, 3) with joints 1 and 3 driven."""
    given = wholes(answer)
    if given is None:
        return wrong(f"{brief(answer)} is not a list of whole numbers, one for each body that is left.")
    parent = (-1, *TREE)
    fd = [i for i in range(1, len(parent)) if i not in DRIVEN]
    result = merged_parents(parent, fd)
    if given == result.parent[1:]:
        return right("nodes 1 and 3 fall into the base, so what hung on them stands on it now: three trees, not one.")
    if given == tuple(TREE[i - 1] for i in fd):
        return wrong("these are the old parents of the free bodies; bodies 1 and 3 are no longer there to hang on.")
    if given == tuple(0 if TREE[i - 1] in DRIVEN else TREE[i - 1] for i in fd):
        return wrong("merged as it should be, but with the old numbers: body 2 is node 1 now, and so on.")
    if given == tuple(result.parent):
        return wrong("leave the base itself out.")
    if len(given) != len(fd):
        return wrong(f"there are {len(fd)} joints left with something to solve for, so {len(fd)} entries.")
    k = next(k for k in range(len(fd)) if given[k] != result.parent[k + 1])
    return wrong(
        f"entry {k + 1} is off. It belongs to body {fd[k]}; go from it towards the base and stop at the first body "
        "whose joint is not driven, or at the base."
    )


@checks("F09-2")
def hybrid(answer: Any) -> Verdict:
    """Exercise 2: a function (H, C, tau, a, free) -> (a, tau), all complete; free is a mask of the variables."""
    if not callable(answer):
        return wrong(f"{brief(answer)} is not a function of (H, C, tau, a, free).")
    for seed in range(3):
        model = random_tree(seed, 9)
        q, v, tau = random_state(model, seed)
        a = np.random.default_rng(seed).normal(size=model.nv)
        fd = forward_joints(model, list(model.outward)[seed::2])
        free = np.zeros(model.nv, dtype=bool)
        free[split_variables(model, fd)[0]] = True
        H = np.column_stack([rnea(model, q, v, e) for e in np.eye(model.nv)])
        C = rnea(model, q, v, np.zeros(model.nv))
        H -= C[:, None]
        expected = hybrid_dynamics(model, q, v, tau, a, fd)
        fault = _difference(answer, (H, C, tau, a, free), expected, free)
        if fault:
            return wrong(fault)
    return right(
        "both the motion and the forces come out, on three random trees. Steps 1 to 4 do the same without H12."
    )


def _difference(answer: Callable[..., Any], given: tuple[Any, ...], expected: Any, free: NDArray) -> str:
    """Explain what is wrong with a student's hybrid dynamics; '' if it is right."""
    H, C, tau, a, _ = given
    result, fault = call(answer, *(np.array(x) for x in given))
    if fault:
        return fault
    pair = result if isinstance(result, tuple | list) and len(result) == 2 else (None, None)
    found_a, found_tau = (numbers(x, len(a)) for x in pair)
    if found_a is None or found_tau is None:
        return f"it returned {brief(result)}; give (a, tau), each with {len(a)} finite numbers, for all joints."
    tolerance = 1e-6 * max(np.abs(expected.tau).max(), np.abs(expected.a).max(), np.abs(H).max())
    if np.abs(found_a - expected.a).max() < tolerance and np.abs(found_tau - expected.tau).max() < tolerance:
        return ""
    if np.abs(found_a[~free] - a[~free]).max(initial=0.0) > tolerance:
        return "the accelerations that were given came back changed."
    H11, rhs = H[np.ix_(free, free)], tau[free] - C[free]
    if np.abs(found_a[free] - np.linalg.solve(H11, rhs)).max(initial=0.0) < tolerance:
        return "the driven joints' accelerations pull on the free ones too: H12 qdd2 is missing."
    if np.abs(found_a[free] - np.linalg.solve(H11, rhs + H[np.ix_(free, ~free)] @ a[~free])).max() < tolerance:
        return "H12 qdd2 has the wrong sign: it belongs to the bias force, on the same side as C1."
    if np.abs(found_tau[free] - tau[free]).max(initial=0.0) > tolerance:
        return "the forces that were given came back changed."
    if np.abs(found_a - expected.a).max() < tolerance:
        return "the accelerations are right. The forces are H a + C with all accelerations, those that you found too."
    return "the accelerations of the free joints are off; write down the rows of H a + C = tau that have a known tau."


@checks("F09-3")
def standing_rod(frequency: Any, length: float = ROD) -> Verdict:
    """Exercise 3: rad/s above which a uniform rod of that length (m) stands on a pivot shaken by 15 mm."""
    answer = number(frequency)
    if answer is None:
        return wrong(f"{brief(frequency)} is not a frequency in rad/s.")
    bob = np.sqrt(2 * 9.81 * length) / SHAKE
    exact = np.sqrt(2.0 / 3.0) * bob
    if abs(answer / exact - 1.0) < 0.01:
        return right(f"{exact:.0f} rad/s: a rod swings like a bob at two thirds of its length.")
    if abs(answer / bob - 1.0) < 0.01:
        return wrong(
            "that is a bob at the end of a massless rod; a rod's mass is spread, and its moment of inertia m l²/3."
        )
    if abs(answer * 2 * np.pi / exact - 1.0) < 0.01:
        return wrong("right in hertz; the answer is asked for in rad/s.")
    if abs(answer / (exact / np.sqrt(2)) - 1.0) < 0.01:
        return wrong("a factor of √2 is missing: the averaged effect of shaking is a²ω²/2, which must exceed g l.")
    return wrong("off. Find the length of the bob's pendulum that swings like the rod, and put it into a²ω² > 2 g l.")


@checks("F09-4")
def cat_in_two_runs(bend: Any) -> Verdict:
    """Exercise 4: a bend (rad) with which two runs round the waist turn the cat over."""
    answer = number(bend)
    if answer is None:
        return wrong(f"{brief(bend)} is not an angle in rad.")
    if not 0.0 < answer < np.pi:
        return wrong(f"a cat bends between 0 and π; {answer:.3g} rad is not between them.")
    rolled = 2.0 * np.rad2deg(cat_roll(answer))
    if abs(np.mod(rolled, 360.0) - 180.0) < 1.0:
        return right(f"two runs roll it by {rolled:.1f}°, and it lands on its feet.")
    if abs(abs(rolled) - 360.0) < 2.0:
        return wrong("each of the two runs turns it over, so after both it falls on its back again.")
    return wrong(f"two runs roll it by {rolled:.1f}°; wanted is an odd number of half turns.")


@checks("F09-5")
def straight_gripper(answer: Any, speed: float = GRIPPER_SPEED) -> Verdict:
    """Exercise 5: joint velocities (3,) that move the gripper with a speed (m/s) along x of the hull, which is free."""
    qd = numbers(answer, 3)
    if qd is None:
        return wrong("give three velocities: yaw, shoulder, elbow, in rad/s.")
    wanted = np.array([speed, 0.0, 0.0])
    off = float(np.abs(gripper_velocity(qd) - wanted).max())
    if off < 1e-3:  # three decimals of rad/s
        return right("the gripper moves along x while the hull backs away under it.")
    if off < 4e-3:
        return wrong(f"nearly: the gripper is off by {1e3 * off:.1f} mm/s. Give another digit of each velocity.")
    held = gripper_velocity(qd, held=True)
    if np.abs(held - wanted).max() < 1e-4:
        found = gripper_velocity(qd)
        return wrong(
            f"that would be right with the hull held still. Set free, it gives {np.round(found, 4).tolist()} m/s."
        )
    return wrong(
        f"the gripper moves with {np.round(gripper_velocity(qd), 4).tolist()} m/s. The linear rows of the "
        "floating-base Jacobian, turned into hull axes, are a 3 by 3 system."
    )


@checks("F09-6")
def reaction_wheel(draw: Any) -> Verdict:
    """Exercise 6: the function of a playground whose picture tells by how much a satellite turns when its wheel does.

    It is called with the wheel's inertia, kg m², and its turn relative to the satellite, rad.
    """
    rng, cases = np.random.default_rng(9), []
    for _ in range(5):
        wheel, turn = (float(x) for x in rng.uniform((0.3, 1.0), (1.6, 5.0)))
        whole = float(np.degrees(turn)) / (2.0 + wheel)
        mistakes = {
            "the turn is relative to the satellite: seen from outside, the wheel turns by less.": -wheel
            / 2.0
            * float(np.degrees(turn)),
            "both turn one way, and the momentum is no longer zero.": wheel * whole,
            "that is the turn of the other body, seen from outside, with its sign changed.": -2.0 * whole,
            "so the wheel would stand still from outside, and the satellite alone spin the other way.": -float(
                np.degrees(turn)
            ),
        }
        cases.append(((wheel, turn), -wheel * whole, mistakes))
    return tells(
        draw,
        "satellite turns by",
        "°",
        cases,
        "as large as the satellite itself: 2 kg m². What turns the base is divided by the inertia of everything.",
    )


def gripper_velocity(qd: NDArray, held: bool = False) -> NDArray:
    """Return the velocity (3,) of the gripper in hull axes, m/s, with the hull floating freely or held."""
    model = satellite_with_arm()
    system = to_floating_base(model)
    state = to_floating_state(model, np.concatenate([[1.0, 0, 0, 0, 0, 0, 0], ARM]), np.zeros(model.nv))
    v_0 = np.zeros(6) if held else base_velocity(system, state.q, qd)
    kinematics = forward_kinematics(model, *to_fixed_state(FloatingState(state.pose, state.q, v_0, qd)))
    return np.asarray(kinematics.pose("gripper")[:3, :3] @ kinematics.velocity("gripper")[3:])
