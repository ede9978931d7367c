"""Time a student's algorithm, compiled to machine code, beside rbdkit's and Pinocchio's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np

from rbdkit.functions import aba, crba, rnea
from rbdkit.functions.compiled import compile as compiled
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.model import Model
from rbdkit_course.verdict import Verdict, right, wrong

STATES, ROUNDS = 1000, 7
OURS: dict[str, Callable[..., Any]] = {"rnea": rnea, "crba": crba, "aba": aba}
VECTORS = {"rnea": 2, "crba": 0, "aba": 2}


def race(mine: Callable[..., Any], name: str) -> Verdict:
    """Time a student's 'rnea', 'crba' or 'aba' for a thousand states of an arm with six joints, compiled.

    Pinocchio, which takes states one by one, runs where it is installed. Whoever is right is timed; a wrong function is
    told what the first wrong number is.
    """
    arm = right_angle_arm("RRRRRR", length=0.3, seed=4)
    rng = np.random.default_rng(0)
    state = [np.array([arm.random_q(rng) for _ in range(STATES)])]
    state += [rng.normal(size=(STATES, arm.nv)) for _ in range(VECTORS[name])]
    fast, expected = compiled(mine, arm), OURS[name](arm, *state)
    found = np.asarray(fast(*state), dtype=float)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max()):
        return wrong("it runs, but not yet with the numbers of rbdkit: finish the stages above first, then race.")
    times = {"yours": _time(lambda: fast(*state)), "rbdkit": _time(lambda: OURS[name](arm, *state))}
    if (pinocchio := _pinocchio(arm, name, state)) is not None:
        times["Pinocchio, one by one"] = _time(pinocchio)
    places = ", ".join(f"{who} {1e9 * t / STATES:.0f} ns" for who, t in times.items())
    return right(f"for one state of a six-joint arm: {places}; {fast.operations()}.")


def _time(run: Callable[[], object]) -> float:
    """Return the shortest time of some runs, s."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def _pinocchio(arm: Model, name: str, state: list[Any]) -> Callable[[], object] | None:
    """Return a function that computes all states by Pinocchio, one by one; None where it is not installed."""
    try:
        pin: Any = import_module("pinocchio")
    except ImportError:
        return None
    model = pin.Model()
    model.gravity.linear = np.asarray(arm.gravity)
    numbers = [0]
    for body in arm.bodies[1:]:
        placement = pin.SE3(body.joint.placement[:3, :3].copy(), body.joint.placement[:3, 3].copy())
        turn = pin.JointModelRevoluteUnaligned(*body.joint.type.axis)  # type: ignore[attr-defined]
        numbers.append(model.addJoint(numbers[arm.parent[body.index]], turn, placement, body.name))
        if body.inertia is not None:
            own = body.inertia
            inertia = pin.Inertia(own.mass, own.com.copy(), own.inertia_com.copy())
            model.appendBodyToJoint(numbers[-1], inertia, pin.SE3.Identity())
    data, function = model.createData(), getattr(pin, name)
    return lambda: [function(model, data, *one) for one in zip(*state, strict=True)]
