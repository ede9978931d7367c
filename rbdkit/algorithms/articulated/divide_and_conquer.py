"""Forward dynamics of trees and loops by divide and conquer (Featherstone 2008, section 7.5).

An assembly tree says which two parts are connected next. Upwards, each assembly gives the equation ``a = Phi f + b`` of
the handles that are still open; downwards, the forces on these give the forces in the joints of the assembly, and at
the leaves the accelerations of the bodies. Both halves of a cut are independent, so a balanced tree takes O(log n)
parallel steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.articulated.assembly_tree import Order, balanced, check_order, depth
from rbdkit.algorithms.articulated.connection import Connection
from rbdkit.algorithms.articulated.handles import Articulated, Assembly, assemble
from rbdkit.algorithms.articulated.system import System, take_apart
from rbdkit.algorithms.external_forces import ExternalForces
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.closing import require_closed
from rbdkit.spatial import plucker


@dataclass(frozen=True, eq=False)
class DivideAndConquer:
    """Result of `divide_and_conquer`.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations of the tree; loop joints have no variables.
    a : ndarray (n, 6)
        Accelerations of the bodies in their own coordinates, with ``a[0] = -gravity``.
    f : dict of str to ndarray
        Force (6,) through every joint, by its name, on its successor body, in coordinates of that body.
    order : Order
        Assembly tree that was used.
    depth : int
        Length of the longest sequence of dependent assemblies.
    assemblies : list of Assembly
        All assemblies, in the order in which they were made.
    repeated : int
        Number of redundant constraints; 0 for trees.
    """

    qdd: NDArray
    a: NDArray
    f: dict[str, NDArray]
    order: Order
    depth: int
    assemblies: list[Assembly]
    repeated: int


def divide_and_conquer(
    model: Model,
    q: NDArray,
    qd: NDArray,
    tau: NDArray,
    *,
    f_ext: ExternalForces = None,
    t: float = 0.0,
    order: Order | None = None,
) -> DivideAndConquer:
    """Return joint accelerations of trees and closed loops by pairwise assembly (Featherstone 2008, section 7.5).

    Two parts are connected by all joints between them at once, so loop joints need no special treatment.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates, at which the loops are closed.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    order : Order, optional
        Order of assembly, see `assembly_tree`; `balanced` if not given. The motion does not depend on it.

    Raises
    ------
    ModelError
        If the inertia of a body is singular, a joint mimics another one or connects a body to itself, or the order does
        not contain every body once.
    StateError
        If the state does not close a loop, or redundant constraints demand different accelerations.
    """
    order = balanced(model) if order is None else order
    check_order(model, order)
    require_closed(model, q, qd, t, ("q", "qd"))
    system = take_apart(model, q, qd, tau, f_ext=f_ext, t=t)
    joints = [system.joint(i) for i in model.outward] + system.loops
    for joint in joints:
        if joint.handles[0] == joint.handles[1]:
            raise ModelError(f"loop joint {joint.name!r} connects body {joint.handles[0]} to itself; remove it")
    root = _put_together(system, joints, order)
    a = np.zeros((len(model.bodies), 6))
    f: dict[str, NDArray] = {}
    _take_apart(system, joints, root, np.zeros(0), a, f)  # the whole assembly has no open handle, so no forces
    qdd = np.zeros(model.nv)
    for i in model.outward:
        qdd[model.joints[i].v_slice] = system.joint(i).qdd(a[model.parent[i]], a[i])
    assemblies = list(_assemblies(root))
    return DivideAndConquer(
        qdd, (system.X @ a[..., None])[..., 0], f, order, depth(order), assemblies,
        sum(assembly.repeated for assembly in assemblies),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Leaf:
    """Single body of the assembly tree. i : its index. active : (6,) active forces of its joints on it."""

    i: int
    body: Articulated
    active: NDArray

    @property
    def members(self) -> frozenset[int]:
        return frozenset([self.i])


@dataclass(frozen=True, eq=False)
class _Node:
    """Inner node of the assembly tree: two parts and their assembly."""

    assembly: Assembly
    parts: tuple[_Leaf | _Node, _Leaf | _Node]
    members: frozenset[int]

    @property
    def body(self) -> Articulated:
        return self.assembly.body


def _put_together(system: System, joints: list[Connection], order: Order) -> _Leaf | _Node:
    """Assemble a part of the order, bottom up."""
    if isinstance(order, str):
        return _leaf(system, joints, system.model.body(order).index)
    left, right = (_put_together(system, joints, part) for part in order)
    between = [
        joint for joint in joints if all(part.members.intersection(joint.handles) for part in (left, right))
    ]  # fmt: skip
    return _Node(assemble(left.body, right.body, between), (left, right), left.members | right.members)


def _leaf(system: System, joints: list[Connection], i: int) -> _Leaf:
    """Return a single body, with one handle for each of its joints.

    Active joint forces become external ones, -T_a tau on handle 1 and T_a tau on handle 2 (text after Eq 7.61).
    """
    own = [joint for joint in joints if i in joint.handles]
    handles = [(joint.name, 1 + joint.handles.index(i)) for joint in own]
    active = sum((joint.f_a if joint.handles[1] == i else -joint.f_a for joint in own), np.zeros(6))
    Phi, b = system.inverse(i)
    return _Leaf(i, Articulated.rigid(handles, Phi, b + Phi @ active), active)


def _take_apart(
    system: System, joints: list[Connection], part: _Leaf | _Node, f: NDArray, a: NDArray, through: dict[str, NDArray]
) -> None:
    """Fill in accelerations a of bodies and forces `through` joints of a part, from the forces f on its handles."""
    if isinstance(part, _Leaf):
        Phi, b = system.inverse(part.i)
        a[part.i] = Phi @ (f.reshape(-1, 6).sum(axis=0) + part.active) + b
        return
    f_A, f_B, f_3 = part.assembly.apart(f)
    for k, name in enumerate(part.assembly.joints):
        joint = next(joint for joint in joints if joint.name == name)
        on_2 = f_3[6 * k : 6 * k + 6] * (1.0 if (name, 2) in part.assembly.B.handles else -1.0)
        X = system.X[joint.handles[1]]
        through[name] = plucker.force(X) @ (joint.f_a + on_2)
    _take_apart(system, joints, part.parts[0], f_A, a, through)
    _take_apart(system, joints, part.parts[1], f_B, a, through)


def _assemblies(part: _Leaf | _Node) -> Iterator[Assembly]:
    if isinstance(part, _Node):
        for inner in part.parts:
            yield from _assemblies(inner)
        yield part.assembly
