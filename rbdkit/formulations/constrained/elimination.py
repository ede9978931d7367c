"""A joint's part in the recursion over the tree: eliminated on the way in, accelerated on the way out."""

from __future__ import annotations

from collections.abc import Callable

from rbdkit.engine.steps.articulated import Articulated, eliminate
from rbdkit.formulations.constrained.program_body import ARMATURE, DAMPING, Kind, ProgramBody
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Scalar


def eliminate_joint(body: ProgramBody, kind: Kind, applied: Callable[[int], Scalar]) -> None:
    """What the parent feels of a body and all that it carries. applied : joint force on an axis."""
    parent = body.parent
    rows, bias, stored = Articulated.of(body.get("IA")).rows(), body.get("pA"), []
    axes = body.axes()
    for k in range(kind.freedoms):
        force = applied(k)
        if kind.damped:
            force = force - (body.given(DAMPING + k, 1)[0] * body.get("qd")[k])
        if kind.sprung:
            force = force - body.get("spring")[k]
        rotor = body.given(ARMATURE + k, 1)[0]
        rows, bias, U, D_inv, u = eliminate(rows, bias, axes[6 * k : 6 * k + 6], force, rotor)
        stored += [*U, D_inv, u]
    body.put("factors", stored)
    felt, X = Articulated.of_rows(rows), body.get("X")
    R, p = Matrix.of(X[:9]), Vector(X[9:])
    n_c, f_c = felt @ body.pair("drift")
    f = R @ (Vector(bias[3:]) + f_c)
    n = R @ (Vector(bias[:3]) + n_c) + cross(p, f)
    total = Articulated.of(body.get("IA", parent)) + felt.moved(R, p)
    body.put("IA", total.flat(), parent)
    body.put("pA", [a + b for a, b in zip(body.get("pA", parent), [*n, *f], strict=True)], parent)


def accelerate(body: ProgramBody, kind: Kind) -> None:
    """The acceleration of a body from that of its parent."""
    (alpha_p, a_p), (c_w, c_v), X = body.pair("A", body.parent), body.pair("drift"), body.get("X")
    R, p = Matrix.of(X[:9]), Vector(X[9:])
    A: list[Scalar] = [*(R.T @ alpha_p + c_w), *(R.T @ (a_p + cross(alpha_p, p)) + c_v)]
    axes, stored = body.axes(), body.get("factors")
    for k in reversed(range(kind.freedoms)):
        *U, D_inv, u = stored[8 * k : 8 * k + 8]
        qdd = (u - dot(U, A)) * D_inv
        A = [a + qdd * s for a, s in zip(A, axes[6 * k : 6 * k + 6], strict=True)]
    body.put("A", A)
