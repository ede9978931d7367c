"""Consistency of a custom joint type: that its trace equals its class, and that its functions agree with each other.

Checked when the joint is first compiled, at a few random states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.traced_motion import TracedMotion
from rbdkit.errors import ModelError
from rbdkit.joints import JointType
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.so3 import unskew
from rbdkit.trace import Trace, replay

STATES, TRIES = 3, 12
SAME, AGREES = 1e-9, 1e-6
"""Tolerances for one function computed twice, and for two functions, one of which may rest on finite differences."""
STEP = 1e-4


class NotTraced(Exception):
    """A user's functions cannot be traced; the message says why."""


def require_agreement(joint: JointType, motion: TracedMotion, numbers: tuple[float, ...]) -> None:
    """Check a traced joint type at random states.

    Raises
    ------
    NotTraced
        If the trace differs from the class: its functions depend on more than their arguments.
    ModelError
        If the class contradicts itself, for example with a motion subspace that is not the derivative of its pose.
    """
    # seeded, so that a joint type passes always or never
    rng, found = np.random.default_rng(1), 0
    with np.errstate(all="ignore"):
        for _ in range(TRIES):
            try:
                q, v = np.asarray(joint.random(rng), dtype=float), rng.normal(size=joint.nv)
                parts = [*joint.calc(q, v), np.asarray(joint.pose(q), dtype=float)]
            except Exception:  # the user's own code, at coordinates that it may not be made for
                continue
            if not all(np.isfinite(part).all() for part in parts):
                continue
            _compare(joint, motion, np.array(numbers), q, v, parts)
            if motion.curved:
                _compare_manifold(joint, motion, q, v, 0.3 * rng.normal(size=joint.nv))
            found += 1
            if found == STATES:
                return
    raise NotTraced("its pose or motion_subspace is not finite at random coordinates")


def require_same_projection(joint: JointType, formula: Trace, numbers: tuple[float, ...]) -> None:
    """Check the traced `project` of a joint type near poses of the joint and off them.

    Raises
    ------
    NotTraced
        If the trace differs from the class.
    """
    rng = np.random.default_rng(2)
    for size in (0.0, 1e-3, 0.1):
        X = np.asarray(joint.pose(np.asarray(joint.random(rng), dtype=float)), dtype=float)
        X = X @ se3.exp(size * rng.normal(size=6))
        given = {"X": [*X[:3, :3].ravel(), *X[:3, 3]], "numbers": numbers}
        found = np.array(replay(formula, lambda leaf: float(given[leaf[1]][leaf[3]])), dtype=float)  # noqa: B023
        _same("project", found, np.asarray(joint.project(X), dtype=float), X[:3])


def require_same_wrenches(joint: JointType, formula: Trace, numbers: tuple[float, ...]) -> None:
    """Check the traced `constraint_subspace` of a joint type, and that it is orthogonal to the motion subspace.

    Raises
    ------
    NotTraced
        If the trace differs from the class.
    ModelError
        If the wrenches do work along the joint's axes, or are not independent.
    """
    rng = np.random.default_rng(3)
    for _ in range(STATES):
        q = np.asarray(joint.random(rng), dtype=float)
        given: dict[str, Any] = {"q": q, "numbers": numbers}
        found = np.array(replay(formula, lambda leaf: float(given[leaf[1]][leaf[3]])), dtype=float)  # noqa: B023
        T, S = np.asarray(joint.constraint_subspace(q), dtype=float), np.asarray(joint.motion_subspace(q), dtype=float)
        _same("constraint_subspace", found.reshape(-1, 6).T, T, q)
        what = "constraint_subspace does work along its motion_subspace"
        _agree(joint, what, q, "T.T @ S", T.T @ S, "none", np.zeros((T.shape[1], S.shape[1])))
        if np.linalg.matrix_rank(T) < T.shape[1]:
            raise ModelError(
                f"joint type {joint.known_as}: the columns of its constraint_subspace are not independent at q = "
                f"{_short(q)}; give {T.shape[1]} wrenches of which none follows from the others"
            )


def _compare(joint: JointType, motion: Any, numbers: NDArray, q: NDArray, v: NDArray, parts: list[NDArray]) -> None:
    if joint.constant_S and motion.varying:
        raise ModelError(f"joint type {joint.known_as}: it says constant_S, but its motion_subspace depends on q")
    X, S, v_J, c_J, pose = parts
    R, p = (np.array(part) for part in motion.pose(q, numbers))
    S_traced: NDArray = np.array(motion.axes(q, numbers)).reshape(-1, 6).T
    _same("pose", np.column_stack([R, p]), pose[:3], q)
    _same("motion_subspace", S_traced, S, q)
    rigid = np.eye(4)
    rigid[:3, :3] = R.T @ R
    rigid[3] = pose[3]
    _agree(joint, "pose is no rigid motion", q, "R.T @ R and last row", rigid, "those of one", np.eye(4))
    by_q = replay(motion.pose_by_q, lambda leaf: (q if leaf[1] == "q" else numbers)[leaf[3]])
    slopes = np.array(by_q, dtype=float).reshape(12, joint.nq) @ np.array(motion.rates(q)).reshape(joint.nv, joint.nq).T
    for k in range(joint.nv):
        # of the moved frame in its own axes: R^T R' and R^T p'
        twist = np.concatenate([unskew(R.T @ slopes[:9, k].reshape(3, 3)), R.T @ slopes[9:, k]])
        what = "motion_subspace is not the derivative of its pose"
        _agree(joint, what, q, f"column {k}", S[:, k], "the pose moves by", twist)
    product: NDArray = np.array(motion.velocity_product(q, v, numbers))
    _agree(
        joint, "velocity_product is not the rate of S times v", q, f"at v = {_short(v)} it", c_J, "the rate", product
    )
    _agree(joint, "velocity is not S v", q, f"at v = {_short(v)} it", v_J, "S v", S @ v)
    _agree(joint, "transform is not that of its pose", q, "it", X, "that of the pose", plucker.from_pose(pose))


def _compare_manifold(joint: JointType, motion: Any, q: NDArray, v: NDArray, u: NDArray) -> None:
    moved, A = joint.integrate(q, u), joint.local_rate(u)
    _same("integrate", np.array(motion.move(q, u)), moved, q)
    _same("difference", np.array(motion.difference(q, moved)), joint.difference(q, moved), q)
    _same("local_rate", np.array(motion.local_rate(u, v)), A @ v, q)
    _same("rate", v @ np.array(motion.rates(q)), joint.rate(q, v), q)
    step = f"of u = {_short(u)} it"
    _agree(joint, "difference does not undo integrate", q, step, joint.difference(q, moved), "u", u)
    still = np.zeros(joint.nv)
    slope = _slope(joint, q, still, v)
    _agree(joint, "rate is not how integrate begins", q, "it", joint.rate(q, v), "integrate's", slope)
    slope = _slope(joint, q, u, A @ v)
    what = "local_rate is not what keeps integrate moving with v"
    _agree(joint, what, q, f"at u = {_short(u)} q'", slope, "rate gives", joint.rate(moved, v))


def _slope(joint: JointType, q: NDArray, u: NDArray, direction: NDArray) -> NDArray:
    """Return d/ds integrate(q, u + s direction) by central differences."""
    ahead, back = (joint.integrate(q, u + s * STEP * direction) for s in (1.0, -1.0))
    return (ahead - back) / (2.0 * STEP)


def _same(what: str, recorded: NDArray, said: NDArray, q: NDArray) -> None:
    off, size = _distance(recorded, said)
    if not off <= SAME * (1.0 + size):
        raise NotTraced(
            f"its {what} depends on more than its arguments: recorded, it is off by {off:.3g} at q = {_short(q)}"
        )


def _agree(
    joint: JointType, what: str, q: NDArray, first: str, a: NDArray, second: str, b: NDArray, slack: float = 1e-9
) -> None:
    off, size = _distance(a, b)
    if not off <= AGREES * size + slack:
        raise ModelError(
            f"joint type {joint.known_as}: its {what}: at q = {_short(q)}, {first} is {_short(a)}, but {second} "
            f"{_short(b)}; they differ by {off:.3g}"
        )


def _distance(a: NDArray, b: NDArray) -> tuple[float, float]:
    if np.shape(a) != np.shape(b):
        return np.inf, 0.0
    return float(np.max(np.abs(a - b), initial=0.0)), float(np.max(np.abs([a, b]), initial=0.0))


def _short(x: NDArray) -> str:
    return np.array2string(np.asarray(x), precision=6, separator=", ", max_line_width=1000).replace("\n", "")
