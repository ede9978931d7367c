"""Articulated-body recursion, one joint: elimination on the inward pass, acceleration on the outward pass.

Featherstone (2008), section 7.3; equation numbers are his. The articulated inertia IA and bias force pA of a body say
how its whole subtree answers a force on it, ``f = IA a + pA``. Along the axes S of its joint the force is known (tau),
so the joint's acceleration can be eliminated, and what remains, Ia and pa, is added to the parent's. U, D and u are
kept: the outward pass needs them, and `loop_program` solves for further forces with the same factors.
"""

from __future__ import annotations

from collections.abc import Callable

from rbdkit.formulations.constrained.program_body import ARMATURE, DAMPING, Kind, ProgramBody
from rbdkit.spatial.compact import Diagonal, Forces, JointMatrix, JointVector, Subspace, abi, fv, mv
from rbdkit.trace import Scalar


def eliminate_joint(body: ProgramBody, kind: Kind, applied: Callable[[int], Scalar]) -> None:
    """Add the articulated inertia and bias force of a body's subtree to its parent. applied : joint force by axis."""
    parent = body.parent
    IA, pA, tau = abi.of(body.get("IA")), fv.of(body.get("pA")), []
    for k in range(kind.freedoms):
        force = applied(k)
        if kind.damped:
            force = force - (body.given(DAMPING + k, 1)[0] * body.get("qd")[k])
        if kind.sprung:
            force = force - body.get("spring")[k]
        tau.append(force)
    S = subspace(body, kind)
    U = IA @ S  # Featherstone 2008, Eq 7.43
    D = S.T @ U + Diagonal(body.given(ARMATURE + k, 1)[0] for k in range(kind.freedoms))  # Eq 7.44, and the rotor
    u = tau - S.T @ pA  # Eq 7.45
    body.put("factors", [*(x for force in U for x in force.flat()), *D.flat(), *u])
    Ia = IA - U @ D.solve(U.T)  # Eq 7.47
    pa = pA + Ia @ body.motion("drift") + U @ D.solve(u)  # Eq 7.48
    X = body.X
    body.put("IA", (abi.of(body.get("IA", parent)) + X.T @ Ia @ X).flat(), parent)  # Eq 7.37
    body.put("pA", (fv.of(body.get("pA", parent)) + X.T @ pa).flat(), parent)  # Eq 7.38


def accelerate(body: ProgramBody, kind: Kind) -> None:
    """Compute the acceleration of a body from that of its parent."""
    a = body.carried("A") + body.motion("drift")  # Eq 7.46
    if kind.freedoms:
        U, D, u = factors(body, kind)
        a = a + subspace(body, kind) @ D.solve(u - U.T @ a)  # Eqs 7.49 and 7.50
    body.put("A", a.flat())


def factors(body: ProgramBody, kind: Kind) -> tuple[Forces, JointMatrix, JointVector]:
    """Return U, D and u of a joint that has been eliminated (Eqs 7.43 to 7.45)."""
    n, stored = kind.freedoms, body.get("factors")
    end = 6 * n + n * (n + 1) // 2
    U = Forces(fv.of(stored[6 * k : 6 * k + 6]) for k in range(n))
    return U, JointMatrix.of(stored[6 * n : end]), JointVector(stored[end : end + n])


def subspace(body: ProgramBody, kind: Kind) -> Subspace:
    """Return the motion subspace S of a joint."""
    axes = body.axes()
    return Subspace(mv.of(axes[6 * k : 6 * k + 6]) for k in range(kind.freedoms))
