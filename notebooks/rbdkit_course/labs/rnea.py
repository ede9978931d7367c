"""Lab A: write the recursive Newton-Euler algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.functions import rnea
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import crf, cross_force, cross_motion
from rbdkit_course.checks import checks
from rbdkit_course.labs.counting import medal_for
from rbdkit_course.labs.judging import NOTHING, Case, Planted, Task
from rbdkit_course.labs.machines import chains, in_motion, joint_of, machines, pushed, trees
from rbdkit_course.labs.racing import race as _race
from rbdkit_course.verdict import Verdict

FORCE_MISTAKES: Mapping[str, str] = {
    "rest": "the term v ×* I v is missing: a body that turns needs a force to keep turning like that (Eq 5.9).",
    "motion": "v × I v is not v ×* I v: I v is a momentum, and forces and momenta go with ×* (crf, not crm).",
    "order": "v ×* v is not v ×* I v: what turns along with the body is its momentum, I v.",
    "minus": "the sign of v ×* I v: it is added to I a.",
    "rate": "I a alone is missing: only the velocity terms are there.",
}

MISTAKES: Mapping[str, str] = {
    "no children": (
        "each joint carries what comes after it as well. Either f of a child is never handed on to its parent, or tau "
        "is taken before that is done: it needs a second loop, and that one goes inward."
    ),
    "overwritten": "f[p] += ..., not =: a parent keeps its own force, and gets one from each of its children.",
    "no bias": "f lacks v ×* I v: a body that turns needs a force to keep turning like that (Eq 5.9).",
    "no gravity": "there is no gravity in it: begin with a[0] = -gravity, as if the base accelerated upwards.",
    "gravity down": "gravity has the wrong sign: the base accelerates *upwards*, a[0] = -gravity.",
    "no products": "a lacks v × v_J (Eq 5.19): S is fixed in a body that moves, so S q̇ changes although q̇ does not.",
    "products turned": "v_J × v is -(v × v_J): the velocity product of a has the wrong sign.",
    "no parent v": "v of a body is that of its parent, carried over with X, plus v_J; the parent's is missing.",
    "no parent a": "a of a body starts from its parent's, X a[p]; without it neither the arm nor gravity counts.",
    "no qdd": "S q̈ is missing in a: the joint's own acceleration.",
    "X for forces": "forces do not travel with X. From a body to its parent they go with Xᵀ, the inverse of X*.",
    "tree only": "the parent is not body i - 1: on a tree it is model.parent[i].",
    "no c_J": "c_J is missing in a: the S of some joints changes as they move (the fourth thing that calc returns).",
    "S in the parent": "X_J comes after X_tree: X = X_J X_tree takes a motion first to the joint, then across it.",
    "f_ext unseen": "the external forces do nothing: each body has f_ext less to ask of its joint (Eq 5.20).",
    "f_ext added": "an external force *helps*: it is subtracted from what the joint has to supply.",
    "f_ext in the world": "f_ext is in world coordinates; the body wants it in its own, by X*_0 (Eq 5.20).",
    "f_ext by X": "a force is carried from the world to the body by X*, the inverse of Xᵀ, not by X itself.",
}
"""Explanation of each mistake; the last ones show only with joints of several freedoms, or with external forces."""


def algorithm(
    planted: Planted, model: Model, q: NDArray, qd: NDArray, qdd: NDArray, f_ext: NDArray | None = None
) -> NDArray:
    """The recursive Newton-Euler algorithm, Table 5.1, with mistakes planted; without any it agrees with `rnea`."""
    n = len(model.bodies)
    v, a, f = np.zeros((3, n, 6))
    X, X_0, S = [np.eye(6)] * n, [np.eye(6)] * n, [np.zeros((6, 0))] * n
    tau = np.zeros(model.nv)
    if "no gravity" not in planted:
        a[0, 3:] = (1.0 if "gravity down" in planted else -1.0) * model.gravity

    for i in model.outward:
        joint, p = model.joints[i], i - 1 if "tree only" in planted else model.parent[i]
        X_J, S[i], v_J, c_J = joint.calc(q, qd)
        X[i] = model.X_tree[i] @ X_J if "S in the parent" in planted else X_J @ model.X_tree[i]
        v[i] = v_J if "no parent v" in planted else X[i] @ v[p] + v_J
        a[i] = (0.0 if "no c_J" in planted else c_J) + (0.0 if "no parent a" in planted else X[i] @ a[p])
        a[i] += 0.0 if "no qdd" in planted else S[i] @ qdd[joint.v_slice]
        if "no products" not in planted:
            a[i] += (-1.0 if "products turned" in planted else 1.0) * cross_motion(v[i], v_J)
        f[i] = model.I[i] @ a[i]
        if "no bias" not in planted:
            f[i] += cross_force(v[i], model.I[i] @ v[i])
        X_0[i] = X[i] @ X_0[p]
        if f_ext is not None and "f_ext unseen" not in planted:
            f[i] += (1.0 if "f_ext added" in planted else -1.0) * _carried(planted, X_0[i], f_ext[i])
    for i in model.inward:
        joint, p = model.joints[i], i - 1 if "tree only" in planted else model.parent[i]
        tau[joint.v_slice] = S[i].T @ f[i]
        handed = (X[i] if "X for forces" in planted else X[i].T) @ f[i]
        if "no children" not in planted:
            f[p] = handed if "overwritten" in planted else f[p] + handed
    return tau


def _carried(planted: Planted, X: NDArray, f: NDArray) -> NDArray:
    if "f_ext in the world" in planted:
        return f
    return (X if "f_ext by X" in planted else plucker.force(X)) @ f


@checks("LA-1")
def one_body(my_force: Callable[..., Any]) -> Verdict:
    """Stage 1: ``(I, v, a) -> f``, the force that a body with that velocity and acceleration needs."""

    def force(planted: Planted, I: NDArray, v: NDArray, a: NDArray) -> NDArray:
        Iv = v if "order" in planted else I @ v
        product = cross_motion(v, Iv) if "motion" in planted else crf(v) @ Iv
        sign = 0.0 if "rest" in planted else -1.0 if "minus" in planted else 1.0
        return (0.0 if "rate" in planted else 1.0) * I @ a + sign * product

    rng = np.random.default_rng(5)
    bodies = [model.I[-1] for _, model in chains()]
    cases = [Case("a body at rest", (bodies[1], np.zeros(6), rng.normal(size=6)))]
    cases += [Case("a body that turns and moves", (I, *rng.normal(size=(2, 6)))) for I in bodies]
    task = Task("six numbers, the spatial force", cases, force, FORCE_MISTAKES, own=())
    return task.verdict(my_force, "Newton's and Euler's equations in one line. All of dynamics is this and sums.")


def _task(cases: list[Case]) -> Task:
    def exact(model: Model, q: NDArray, qd: NDArray, qdd: NDArray, f_ext: NDArray | None = None) -> NDArray:
        return np.asarray(rnea(model, q, qd, qdd, f_ext=f_ext))

    return Task("tau, one number for each freedom", cases, algorithm, MISTAKES, exact, where=joint_of)


@checks("LA-2")
def chain(my_rnea: Callable[..., Any]) -> Verdict:
    """Stage 2: ``(model, q, qd, qdd) -> tau`` on chains, with one freedom a joint."""
    return _task(in_motion(chains())).verdict(
        my_rnea, "on a pendulum, two arms and a chain of hinges, screws and sliders, to the last digits."
    )


@checks("LA-3")
def tree(my_rnea: Callable[..., Any]) -> Verdict:
    """Stage 3: the same on trees."""
    return _task(in_motion([*chains()[:2], *trees()])).verdict(
        my_rnea, "on trees too. Nobody had to know who their children are: each body told its parent."
    )


@checks("LA-4")
def several_freedoms(my_rnea: Callable[..., Any]) -> Verdict:
    """Stage 4: the same where joints have up to six freedoms."""
    return _task(in_motion([*chains()[:2], *trees()[:1], *machines()])).verdict(
        my_rnea, "balls, planes, universal joints, free bodies: one text for all of them."
    )


@checks("LA-5")
def external_forces(my_rnea: Callable[..., Any]) -> Verdict:
    """Stage 5: ``(model, q, qd, qdd, f_ext) -> tau``, f_ext (n, 6) in world coordinates."""
    cases = in_motion([*chains()[:2], *machines()[:2]])
    return _task(pushed(cases)).verdict(my_rnea, "that is Table 5.1 of the book, complete.")


def medal(my_rnea: Callable[..., Any]) -> Verdict:
    """Count the operations of a function that is right, on chains of hinges."""
    fault = _task(in_motion(chains()[:3], count=1)).fault(my_rnea)
    return (
        fault if fault is not None else medal_for(my_rnea, lambda *arguments: algorithm(NOTHING, *arguments), vectors=3)
    )


def race(my_rnea: Callable[..., Any]) -> Verdict:
    """Time it, compiled, beside rbdkit and Pinocchio."""
    return _race(my_rnea, "rnea")
