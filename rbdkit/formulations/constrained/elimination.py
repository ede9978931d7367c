"""A joint's part in the recursion over the tree: eliminated on the way in, accelerated on the way out."""

from __future__ import annotations

from collections.abc import Callable

from rbdkit.formulations.constrained.program_body import ARMATURE, DAMPING, Kind, ProgramBody
from rbdkit.spatial.compact import Diagonal, Forces, JointMatrix, JointVector, Subspace, abi, fv, mv, plx
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Scalar


def eliminate_joint(body: ProgramBody, kind: Kind, applied: Callable[[int], Scalar]) -> None:
    """What the parent feels of a body and all that it carries. applied : joint force on an axis."""
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
    pa = pA + Ia @ mv(*body.pair("drift")) + U @ D.solve(u)  # Eq 7.48
    X = transform(body)
    body.put("IA", (abi.of(body.get("IA", parent)) + X.T @ Ia @ X).flat(), parent)  # Eq 7.37
    body.put("pA", (fv.of(body.get("pA", parent)) + X.T @ pa).flat(), parent)  # Eq 7.38


def accelerate(body: ProgramBody, kind: Kind) -> None:
    """The acceleration of a body from that of its parent."""
    a = transform(body) @ mv(*body.pair("A", body.parent)) + mv(*body.pair("drift"))  # Eq 7.46
    if kind.freedoms:
        U, D, u = factors(body, kind)
        a = a + subspace(body, kind) @ D.solve(u - U.T @ a)  # Eqs 7.49 and 7.50
    body.put("A", a.flat())


def factors(body: ProgramBody, kind: Kind) -> tuple[Forces, JointMatrix, JointVector]:
    """U, D and u of a joint that has been eliminated (Eqs 7.43 to 7.45)."""
    n, stored = kind.freedoms, body.get("factors")
    end = 6 * n + n * (n + 1) // 2
    U = Forces(fv.of(stored[6 * k : 6 * k + 6]) for k in range(n))
    return U, JointMatrix.of(stored[6 * n : end]), JointVector(stored[end : end + n])


def subspace(body: ProgramBody, kind: Kind) -> Subspace:
    """S of a joint."""
    axes = body.axes()
    return Subspace(mv.of(axes[6 * k : 6 * k + 6]) for k in range(kind.freedoms))


def transform(body: ProgramBody) -> plx:
    """From the parent to the body."""
    X = body.get("X")
    return plx(Matrix.of(X[:9]).T, Vector(X[9:]))
