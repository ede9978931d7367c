"""Forward dynamics with inertias and constraint forces: the formulas of variant 2 (Featherstone 2008, Table 7.2).

They are shorter than the standard ones and give the reactions on the way, but invert I_2: every subtree needs six
degrees of freedom, and inertia in all of them, once its connection to the parent is cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handle import Handle, inverse_inertia
from rbdkit.algorithms.articulated.result import TreeMotion, motion
from rbdkit.algorithms.articulated.system import take_apart
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree


class Step(NamedTuple):
    """Result of one assembly. handle : assembled. Phi_2 : (6, 6) I_2^-1. N, z : of N lambda = z + T^T a_1."""

    handle: Handle
    Phi_2: NDArray
    N: NDArray
    z: NDArray


def assemble(one: Handle, two: Handle, joint: Connection) -> Step:
    """Assemble two articulated bodies (Featherstone 2008, Table 7.2, variant formulae 2).

    Parameters
    ----------
    one, two : Handle
        The two handles before the assembly, in the coordinates of the joint.
    joint : Connection
        From handle 1 to handle 2.

    Raises
    ------
    ModelError
        If I_2 is singular.
    """
    (I_1, p_1), (I_2, p_2), T, f_a = one, two, joint.T, joint.f_a
    Phi_2 = inverse_inertia(I_2, f"the handle that joint {joint.name!r} brings")
    N = T.T @ Phi_2 @ T + joint.E
    z = T.T @ (joint.c_T - Phi_2 @ (f_a - p_2))
    I = I_1 + T @ np.linalg.solve(N, T.T)
    p = p_1 + f_a + T @ np.linalg.solve(N, z)
    return Step(Handle(I, p), Phi_2, N, z)


def aba_variant_2(
    model: Model, q: NDArray, qd: NDArray, tau: NDArray, *, f_ext: ExternalForces = None, t: float = 0.0
) -> TreeMotion:
    """Return joint accelerations of a tree by an articulated-body algorithm with the formulas of variant 2.

    Parameters
    ----------
    q, qd, tau, f_ext, t
        As in `rbdkit.algorithms.aba`.

    Raises
    ------
    ModelError
        If the articulated inertia of a subtree is singular, as for a point mass at the end of a chain; if the joints
        are not independent.
    """
    require_tree(model, "ABA, variant 2,")
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    IA, steps = list(system.bodies), {}
    for i in model.inward:
        p = model.parent[i]
        steps[i] = assemble(IA[p], IA[i], system.joint(i))
        IA[p] = steps[i].handle
    a, f = np.zeros((2, len(IA), 6))
    a[0] = system.a_0
    for i in model.outward:
        joint, (_, Phi_2, N, z), p = system.joint(i), steps[i], model.parent[i]
        lam = np.linalg.solve(N, z + joint.T.T @ a[p])
        f[i] = joint.f_a + joint.T @ lam
        a[i] = Phi_2 @ (f[i] - IA[i].p)  # Eq 7.52
    return motion(system, a, f)
