"""Forward dynamics of trees and loops by divide and conquer."""

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
    """What `divide_and_conquer` computed.

    Attributes
    ----------
    qdd : ndarray (nv,)
        Joint accelerations; a loop's joints have none of their own.
    a : ndarray (n, 6)
        Accelerations of the bodies in their own coordinates, with ``a[0] = -gravity``.
    f : dict of str to ndarray
        Force (6,) through every joint, by its name, on its body or successor, in the coordinates of that.
    order : Order
        Of the assembly.
    depth : int
        Assemblies that wait for each other.
    assemblies : list of Assembly
        All of them, in that order.
    repeated : int
        Number of constraints that others imply; 0 for trees.
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
    """Joint accelerations of trees and closed loops, assembled pair by pair (Featherstone 2008, section 7.5).

    Each pair is joined by all joints between its two parts at once; so joints that close loops need nothing special.

    Parameters
    ----------
    q : ndarray (nq,)
        Coordinates; with loops they must close them.
    qd, tau : ndarray (nv,)
        Joint velocities and forces; springs and dampers are not added to tau.
    f_ext : ExternalForces, optional
        External forces on the bodies in world coordinates, see `external_forces`.
    t : float, optional
        Time in s, for prescribed joints.
    order : Order, optional
        Of the assembly, see `assembly_tree`; `balanced` if not given. The motion does not depend on it.

    Raises
    ------
    ModelError
        If the inertia of a body is singular, a joint mimics another one or connects a body to itself, or the order does
        not hold every body once.
    StateError
        If the state does not close a loop, or constraints that say the same ask for different accelerations.
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
    _take_apart(system, joints, root, np.zeros(0), a, f)  # no handle is left to push
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
    """A body by itself. i : its number. active : what its joints' own forces do to it, as external forces."""

    i: int
    body: Articulated
    active: NDArray

    @property
    def members(self) -> frozenset[int]:
        return frozenset([self.i])


@dataclass(frozen=True, eq=False)
class _Node:
    """Two parts, and how they were put together."""

    assembly: Assembly
    parts: tuple[_Leaf | _Node, _Leaf | _Node]
    members: frozenset[int]

    @property
    def body(self) -> Articulated:
        return self.assembly.body


def _put_together(system: System, joints: list[Connection], order: Order) -> _Leaf | _Node:
    """The articulated body of a part of the order."""
    if isinstance(order, str):
        return _leaf(system, joints, system.model.body(order).index)
    left, right = (_put_together(system, joints, part) for part in order)
    between = [
        joint for joint in joints if all(part.members.intersection(joint.handles) for part in (left, right))
    ]  # fmt: skip
    return _Node(assemble(left.body, right.body, between), (left, right), left.members | right.members)


def _leaf(system: System, joints: list[Connection], i: int) -> _Leaf:
    """A body by itself, with a handle for each of its joints.

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
    """From the forces f on the handles of a part: accelerations a of its bodies, forces through its joints."""
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
