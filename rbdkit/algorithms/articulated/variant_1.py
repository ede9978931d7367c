"""Forward dynamics with inverse inertias: the formulas of variant 1 (Featherstone 2008, Table 7.2).

Handles need not have six degrees of freedom; it suffices that the joint is not redundant with the constraints that they
are already under: T^T (Phi_1 + Phi_2) T must be regular. The base is a handle like any other, with Phi = 0. So the tree
can be assembled towards any of its bodies, and the result is the inverse inertia of that body within the whole system.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handle import InverseHandle, regular
from rbdkit.algorithms.articulated.result import TreeMotion, motion
from rbdkit.algorithms.articulated.system import System, take_apart
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


class Step(NamedTuple):
    """Result of one assembly. handle : assembled. Y, z : (m, m), (m,) of Y lambda = z + G f. G : (m, 6), T^T Phi_1."""

    handle: InverseHandle
    Y: NDArray
    z: NDArray
    G: NDArray


def assemble(one: InverseHandle, two: InverseHandle, joint: Connection) -> Step:
    """Assemble two articulated bodies (Featherstone 2008, Table 7.2, variant formulae 1).

    Parameters
    ----------
    one, two : InverseHandle
        The two handles before the assembly, in the coordinates of the joint.
    joint : Connection
        From handle 1 to handle 2.

    Raises
    ------
    ModelError
        If the joint is redundant: both handles are already fixed in a direction that it constrains.
    """
    (Phi_1, b_1), (Phi_2, b_2), T, f_a = one, two, joint.T, joint.f_a
    Y = T.T @ (Phi_1 + Phi_2) @ T + joint.E
    if not regular(Y):
        raise ModelError(
            f"joint {joint.name!r} repeats a constraint that its bodies are under already, so the force in it has no "
            "single value; assemble with `handles.assemble`, which takes the smallest, or give the joint more freedom"
        )
    z = T.T @ (joint.c_T + b_1 - b_2 - (Phi_1 + Phi_2) @ f_a)
    G = T.T @ Phi_1
    Phi = Phi_1 - G.T @ np.linalg.solve(Y, G)
    b = b_1 - Phi_1 @ f_a - G.T @ np.linalg.solve(Y, z)
    return Step(InverseHandle(Phi, b), Y, z, G)


def aba_variant_1(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    handle: str = "world",
) -> TreeMotion:
    """Return joint accelerations of a tree by an articulated-body algorithm with the formulas of variant 1.

    Parameters
    ----------
    q, qd, tau, f_ext, t
        As in `rbdkit.algorithms.aba`.
    handle : str, optional
        The body towards which the tree is assembled; the motion does not depend on it.

    Raises
    ------
    ModelError
        If the inertia of a body is singular; if the joints are not independent.
    """
    require_tree(model, "ABA, variant 1,")
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    parts, steps = _towards(system, model.body(handle).index)
    a, f, through = (np.zeros((len(parts), 6)) for _ in range(3))
    for joint, step in reversed(steps):  # back substitution: the last assembly first
        near, far = joint.handles
        lam = np.linalg.solve(step.Y, step.z + step.G @ f[near])
        f_2 = joint.f_a + joint.T @ lam
        f[near], f[far] = f[near] - f_2, f_2  # Eq 7.53
        child, sign = (far, 1.0) if model.parent[far] == near else (near, -1.0)
        through[child] = sign * f_2
    for i, (Phi, b) in enumerate(parts):
        a[i] = Phi @ f[i] + b
    return motion(system, a, through)


def articulated_inverse(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    handle: str,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
) -> InverseHandle:
    """Return Phi^A and b^A of any body of a tree on a fixed base, in O(n) and without H.

    Parameters
    ----------
    handle : str
        Name of the body. Other parameters as in `aba_variant_1`.

    Returns
    -------
    InverseHandle
        In the coordinates of the body; accelerations count gravity as an upward acceleration of the base.

    Raises
    ------
    ModelError
        As in `aba_variant_1`.
    """
    require_tree(model, "the articulated-body inverse inertia")
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    i = model.body(handle).index
    parts, steps = _towards(system, i)
    Phi, b = steps[-1][1].handle if steps else parts[i]
    return InverseHandle(system.X[i] @ Phi @ system.X[i].T, system.X[i] @ b)


def _towards(system: System, root: int) -> tuple[list[InverseHandle], list[tuple[Connection, Step]]]:
    """Return the separate bodies and the assemblies that connect them to body `root`, the farthest joints first."""
    parts = [system.inverse(i) for i in range(len(system.bodies))]
    handles, steps = list(parts), []
    for joint in reversed(_outward_from(system, root)):
        near, far = joint.handles
        step = assemble(handles[near], handles[far], joint)
        handles[near] = step.handle
        steps.append((joint, step))
    return parts, steps


def _outward_from(system: System, root: int) -> list[Connection]:
    """Return the joints of the tree, reversed where handle 2 is nearer to the root; nearer ones first."""
    path = system.model.support(root)
    others = [i for i in system.model.outward if i not in path]
    return [system.joint(i).reversed() for i in reversed(path)] + [system.joint(i) for i in others]
