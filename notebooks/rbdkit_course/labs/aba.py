"""Lab C: write the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.functions import aba
from rbdkit.library.random_tree import random_state
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.cross import cross_force, cross_motion
from rbdkit_course.answers import call, numbers
from rbdkit_course.checks import checks
from rbdkit_course.labs.counting import medal_for
from rbdkit_course.labs.judging import LIBRARY, NOTHING, Case, Planted, Task, close
from rbdkit_course.labs.machines import chains, in_motion, joint_of, machines, pushed, trees
from rbdkit_course.labs.racing import race as _race
from rbdkit_course.verdict import Verdict, right, wrong

THROUGH_MISTAKES: Mapping[str, str] = {
    "rigid": "that is the inertia of a body welded on: along S the joint gives way, and nothing is felt there.",
    "plus": "the sign: what the joint lets go is taken away from IA.",
    "undivided": "D = Sᵀ IA S is missing: U Uᵀ is to be divided by it.",
    "times D": "divide by D = Sᵀ IA S; you multiply by it.",
    "S alone": "S Sᵀ takes a direction out of the picture; what goes is IA S (Sᵀ IA S)⁻¹ Sᵀ IA.",
}

MISTAKES: Mapping[str, str] = {
    "rigid": "Ia is IA still: through its joint a body is felt without what U D⁻¹ Uᵀ takes away (Eq 7.47).",
    "plus": "the sign in Ia = IA - U D⁻¹ Uᵀ (Eq 7.47).",
    "no bias": "pA starts as v ×* I v (Eq 7.36): the body needs a force even without acceleration.",
    "no products": "c is missing: v × v_J (Eq 7.35) is an acceleration that comes without q̈.",
    "no Ia c": "pa lacks Ia c (Eq 7.48): the parent feels the velocity products of the joint as well.",
    "IA c": "in pa it is Ia c (Eq 7.48), with the inertia as it is felt *through* the joint, not IA c.",
    "no u": "pa lacks U D⁻¹ u (Eq 7.48): what the motor does to the body, the parent feels too.",
    "u minus": "the sign of U D⁻¹ u in pa (Eq 7.48).",
    "no Sᵀp": "u is what is left of tau: u = tau - Sᵀ pA (Eq 7.45).",
    "u plus": "the sign in u = tau - Sᵀ pA (Eq 7.45).",
    "no a'": "q̈ lacks the motion of the parent: D q̈ = u - Uᵀ a' with a' = X a[p] + c (Eq 7.49).",
    "a without S": "a = a' + S q̈ (Eq 7.50): the bodies after it want to know that the joint itself accelerates.",
    "c left out": "c is missing in a' = X a[p] + c (Eq 7.46), though pa has it.",
    "no gravity": "there is no gravity in it: the third pass begins with a[0] = -gravity.",
    "gravity down": "gravity has the wrong sign: the base accelerates *upwards*, a[0] = -gravity.",
    "X for inertias": "X Ia Xᵀ carries an inertia the wrong way: to the parent it is Xᵀ Ia X (Eq 7.37).",
    "X for forces": "forces go to the parent with Xᵀ, not with X (Eq 7.38).",
    "no inertia up": "the parent never learns about Ia of its children (Eq 7.37): each moves as if it were the last.",
    "no force up": "the parent never learns about pa of its children (Eq 7.38).",
    "overwritten": "a parent with several children adds them up: IA[p] += ... and pA[p] += ..., not =.",
    "tree only": "the parent is not body i - 1: on a tree it is model.parent[i].",
    "no c_J": "c_J is missing in c: the S of some joints changes as they move (the fourth thing that calc returns).",
    "S in the parent": "X_J comes after X_tree: X = X_J X_tree takes a motion first to the joint, then across it.",
    "f_ext unseen": "the external forces do nothing: each pA has f_ext less.",
    "f_ext added": "the sign of f_ext: pA is a force that is *needed*, and f_ext already helps.",
    "f_ext in the world": "f_ext is in world coordinates; the body wants it in its own, by X*_0.",
}


def algorithm(
    planted: Planted, model: Model, q: NDArray, qd: NDArray, tau: NDArray, f_ext: NDArray | None = None
) -> NDArray:
    """The articulated-body algorithm, Table 7.1, with mistakes planted; without any it agrees with `aba`."""
    n = len(model.bodies)
    X, X_0, S, U, D, u = ([np.zeros((6, 6))] * n for _ in range(6))
    X_0[0] = np.eye(6)
    v, c, a, pA = np.zeros((4, n, 6))
    IA, qdd = np.array(model.I), np.zeros(model.nv)
    parent = [i - 1 if "tree only" in planted else p for i, p in enumerate(model.parent)]
    for i in model.outward:
        X_J, S[i], v_J, c_J = model.joints[i].calc(q, qd)
        X[i] = model.X_tree[i] @ X_J if "S in the parent" in planted else X_J @ model.X_tree[i]
        X_0[i] = X[i] @ X_0[parent[i]]
        v[i] = X[i] @ v[parent[i]] + v_J
        c[i] = (0.0 if "no c_J" in planted else 1.0) * c_J
        c[i] += (0.0 if "no products" in planted else 1.0) * cross_motion(v[i], v_J)
        pA[i] = (0.0 if "no bias" in planted else 1.0) * cross_force(v[i], model.I[i] @ v[i])
        if f_ext is not None and "f_ext unseen" not in planted:
            f = f_ext[i] if "f_ext in the world" in planted else plucker.force(X_0[i]) @ f_ext[i]
            pA[i] -= -f if "f_ext added" in planted else f
    for i in model.inward:
        U[i], p = IA[i] @ S[i], parent[i]
        D[i] = S[i].T @ U[i]
        sign = 0.0 if "no Sᵀp" in planted else -1.0 if "u plus" in planted else 1.0
        u[i] = tau[model.joints[i].v_slice] - sign * S[i].T @ pA[i]
        felt = U[i] @ np.linalg.solve(D[i], U[i].T)
        Ia = IA[i] if "rigid" in planted else IA[i] + felt if "plus" in planted else IA[i] - felt
        sign = 0.0 if "no u" in planted else -1.0 if "u minus" in planted else 1.0
        pa = pA[i] + sign * U[i] @ np.linalg.solve(D[i], u[i])
        pa += (0.0 if "no Ia c" in planted else 1.0) * (IA[i] if "IA c" in planted else Ia) @ c[i]
        up = X[i] @ Ia @ X[i].T if "X for inertias" in planted else X[i].T @ Ia @ X[i]
        force = (X[i] if "X for forces" in planted else X[i].T) @ pa
        kept = 0.0 if "overwritten" in planted else 1.0
        if "no inertia up" not in planted:
            IA[p] = kept * IA[p] + up
        if "no force up" not in planted:
            pA[p] = kept * pA[p] + force
    if "no gravity" not in planted:
        a[0, 3:] = (1.0 if "gravity down" in planted else -1.0) * model.gravity
    for i in model.outward:
        a[i] = X[i] @ a[parent[i]] + (0.0 if "c left out" in planted else 1.0) * c[i]
        known = (0.0 if "no a'" in planted else 1.0) * U[i].T @ a[i]
        row = model.joints[i].v_slice
        qdd[row] = np.linalg.solve(D[i], u[i] - known)
        a[i] += (0.0 if "a without S" in planted else 1.0) * S[i] @ qdd[row]
    return qdd


@checks("LC-1")
def through_a_joint(my_inertia: Callable[..., Any]) -> Verdict:
    """Stage 1: ``(IA, S) -> Ia``, the inertia of a body as it is felt through its joint; S: (6, m)."""

    def felt(planted: Planted, IA: NDArray, S: NDArray) -> NDArray:
        U = S if "S alone" in planted else IA @ S
        D = S.T @ IA @ S
        inverse = np.eye(len(D)) if "undivided" in planted else D if "times D" in planted else np.linalg.inv(D)
        sign = 0.0 if "rigid" in planted else 1.0 if "plus" in planted else -1.0
        return IA + sign * U @ inverse @ U.T

    cases = []
    for k, (_, model) in enumerate([*chains(), *machines()]):
        S = model.joints[-1].motion_subspace(random_state(model, k)[0])
        kind = "a joint of one freedom" if S.shape[1] == 1 else f"a joint of {S.shape[1]} freedoms"
        cases.append(Case(kind, (np.array(model.I[-1]), S)))
    cases.sort(key=lambda case: case.arguments[1].shape[1])
    task = Task("a matrix of six by six", cases, felt, THROUGH_MISTAKES, own=())
    return task.verdict(my_inertia, "Ia S = 0: push along the joint, and nothing is there to resist.")


def _task(cases: list[Case]) -> Task:
    def exact(model: Model, q: NDArray, qd: NDArray, tau: NDArray, f_ext: NDArray | None = None) -> NDArray:
        return np.asarray(aba(model, q, qd, tau, f_ext=f_ext))

    return Task("qdd, one number for each freedom", cases, algorithm, MISTAKES, exact, where=joint_of)


@checks("LC-2")
def chain(my_aba: Callable[..., Any]) -> Verdict:
    """Stage 2: ``(model, q, qd, tau) -> qdd`` on chains, with one freedom a joint."""
    praise = "three passes, and a chain moves; nobody has set up or solved a system of equations."
    return _task(in_motion(chains())).verdict(my_aba, praise)


@checks("LC-3")
def tree(my_aba: Callable[..., Any]) -> Verdict:
    """Stage 3: the same on trees."""
    praise = "on trees too: a body with three children adds three inertias, and that is all."
    return _task(in_motion([*chains()[:2], *trees()])).verdict(my_aba, praise)


@checks("LC-4")
def several_freedoms(my_aba: Callable[..., Any]) -> Verdict:
    """Stage 4: the same where joints have up to six freedoms."""
    praise = "D is a small matrix now, and nothing else has changed."
    return _task(in_motion([*chains()[:2], *trees()[:1], *machines()])).verdict(my_aba, praise)


@checks("LC-5")
def external_forces(my_aba: Callable[..., Any]) -> Verdict:
    """Stage 5: ``(model, q, qd, tau, f_ext) -> qdd``, f_ext (n, 6) in world coordinates."""
    cases = pushed(in_motion([*chains()[:2], *machines()[:2]]))
    return _task(cases).verdict(my_aba, "that is Table 7.1 of the book, complete.")


@checks("LC-6")
def there_and_back(my_aba: Callable[..., Any], my_rnea: Callable[..., Any]) -> Verdict:
    """Stage 6: your ABA undoes your RNEA, on many machines; neither is compared with the library's."""
    worst = 0.0
    for name, model in (*chains(), *trees(), *machines()):
        q, qd, qdd = random_state(model, 11)
        tau, fault = call(my_rnea, model, q.copy(), qd.copy(), qdd.copy(), own=LIBRARY)
        tau = None if fault else numbers(tau, model.nv)
        if tau is None:
            return wrong(f"on {name} my_rnea gave no forces: {fault or 'it should return one number for each freedom'}")
        result, fault = call(my_aba, model, q.copy(), qd.copy(), tau.copy(), own=LIBRARY)
        found = None if fault else numbers(result, model.nv)
        if found is None:
            return wrong(f"on {name} my_aba gave no accelerations: {fault or 'it should return one number a freedom'}")
        worst = max(worst, float(np.abs(found - qdd).max()))
        if not close(found, qdd):
            return wrong(f"on {name} q̈ comes back changed by {np.abs(found - qdd).max():.3g}: FD(ID(q̈)) is not q̈.")
    return right(f"FD(ID(q̈)) = q̈ to {worst:.1e}: two algorithms of yours that know nothing of each other agree.")


def medal(my_aba: Callable[..., Any]) -> Verdict:
    """Count the operations of a function that is right, on chains of hinges."""
    fault = _task(in_motion(chains()[:3], count=1)).fault(my_aba)
    return fault if fault is not None else medal_for(my_aba, lambda *given: algorithm(NOTHING, *given), vectors=3)


def race(my_aba: Callable[..., Any]) -> Verdict:
    """Time it, compiled, beside rbdkit and Pinocchio."""
    return _race(my_aba, "aba")
