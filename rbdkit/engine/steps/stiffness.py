"""Stiffness K and damping D of all forces in joint coordinates: J^T K_m J + K_r, column by column.

A column is a displacement along one velocity. The links beyond it move with its axis, one twist in world axes for all
of them (Sueda's Algorithm 5); the change of the force elements' wrenches is the derivative of their traced operations,
and comes back along the axes (Algorithm 6). So n columns take n passes, and no matrix of 6 n rows is formed.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from rbdkit.engine.links.alike import add_pushes, each_member
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps.base import STILL, UNLOADED
from rbdkit.engine.steps.crba import crba_base
from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.kinematics import LinkMotion, link_motion
from rbdkit.engine.steps.loop_tree import LoopField, LoopTree
from rbdkit.engine.steps.nodes import Body, Node
from rbdkit.engine.steps.own_forces import computed_member, links_of, motion_of
from rbdkit.engine.steps.passive_derivatives import passive_derivatives
from rbdkit.engine.steps.sizes import OWN_TIME
from rbdkit.engine.steps.tree import Numbers
from rbdkit.engine.steps.world_axes import axes_of, handed_on, keep_axes, move_one, units_of
from rbdkit.spatial.compact import fv, mv
from rbdkit.spatial.vector3 import Matrix, cross
from rbdkit.trace import Scalar, Whole, slopes

Change = tuple[Scalar, Scalar]
"""What a program loads, and the rate at which it changes."""


def inertia(tree: LoopTree, q: JointArray) -> None:
    """Write M to "H", by rows, with zeros between branches too."""
    program, nv = tree.program, tree.nv
    with program.loop(0, nv) as i:
        row = i * nv
        with program.loop(0, nv) as j:
            program.store("H", row + j, 0, 0.0)
    crba_base(tree, q, 0)


def copy_inertia(tree: LoopTree, array: str) -> None:
    """Copy M from "H" to another array."""
    program, nv = tree.program, tree.nv
    with program.loop(0, nv) as i:
        row = i * nv
        with program.loop(0, nv) as j:
            place = row + j
            program.store(array, place, 0, program.load("H", place))


def stiffness(tree: LoopTree, q: JointArray, qd: JointArray, own: OwnForces | None) -> None:
    """Write K = df/dx and then df/dv = -D to the rows of "stiff_KD", at a state whose "own_force" is known."""
    program, nv = tree.program, tree.nv

    def add(row: Whole, column: Whole, x: Scalar) -> None:
        place = row * nv * 2 + column
        program.store("stiff_KD", place, 0, program.load("stiff_KD", place) + x)

    with program.loop(0, nv) as k:
        row = k * nv * 2
        for half in (0, nv):
            with program.loop(0, nv) as j:
                program.store("stiff_KD", row + half + j, 0, 0.0)
    passive_derivatives(tree, q, add)
    if own is None:
        return
    motion = link_motion(tree, q, qd)
    moved, by_x, by_v = (tree.field(kind) for kind in (mv, fv, fv))
    going = tree.field(Numbers(1)) if own.alike else None
    for i in tree.outward():
        keep_axes(tree, i, motion.T[i].X, tree.axes(i, q[i]))
    # a column at a time: a unit velocity goes out along the tree, changes of forces come back
    with program.loop(0, nv) as column:
        move_one(tree, column)
        _move(tree, q, moved, own.asks_joints, going)
        if going is not None:
            _what_loops_do(own, tree, motion, moved, going)
        _what_elements_do(own, tree, q, qd, motion, moved)
        _feel(tree, moved, by_x, by_v)
        _bring_back(tree, column, by_x, by_v)
        for a in own.velocities:
            for half, array in ((0, "stiff_tau_by_x"), (nv, "stiff_tau_by_v")):
                entry = nv * (2 * a) + half + column
                with program.loop(0, 1):
                    slope = program.load("stiff_KD", entry) + program.load(array, 0, a)
                    program.store("stiff_KD", entry, 0, slope)


def _move(tree: LoopTree, q: JointArray, moved: LoopField, asks_joints: bool, going: LoopField | None) -> None:
    """Compute the twists of all links for the unit velocity in "stiff_unit" (Algorithm 5).

    going : whether, and how much of, the unit moves each link; zero for links that stand still.
    """
    moved[tree.world] = STILL
    if going is not None:
        going[tree.world] = [0.0]
    for i in tree.outward():
        moved[i] = handed_on(tree, i, moved[i.parent])
        if going is not None:
            going[i] = [sum(units_of(tree, i), going[i.parent][0])]
        if i.moves and asks_joints:
            _joint_rates(tree, i, q)


def _feel(tree: LoopTree, moved: LoopField, by_x: LoopField, by_v: LoopField) -> None:
    """Compute the changes of wrenches on links, by displacements and twists; wrenches are fixed in link axes."""
    by_x[tree.world] = by_v[tree.world] = UNLOADED
    for i in tree.outward():
        own, of_x, of_v = (
            fv.of([tree.program.load(name, i.number * 6, k) for k in range(6)])
            for name in ("own_force", "stiff_by_x", "stiff_by_v")
        )
        # as the link sees it: the change in world axes less the turning of the force with the link
        by_x[i], by_v[i] = of_x - moved[i].cross(own), of_v


def _bring_back(tree: LoopTree, column: Whole, by_x: LoopField, by_v: LoopField) -> None:
    """Project these changes on the axes, to a column of K and of -D (Algorithm 6)."""
    program, nv = tree.program, tree.nv
    for i in tree.inward():
        for m, S in enumerate(axes_of(tree, i)):
            row = (i.v + m) * nv * 2
            for half, felt in ((0, by_x), (nv, by_v)):
                entry = row + half + column
                program.store("stiff_KD", entry, 0, program.load("stiff_KD", entry) + S.dot(felt[i]))
        for felt in (by_x, by_v):
            felt[i.parent] = felt[i.parent] + felt[i]


def _joint_rates(tree: LoopTree, i: Node, q: JointArray) -> None:
    """Compute the rates of a joint's coordinates along the displacement."""
    program = tree.program
    found: list[Scalar] = [0.0] * i.motion.nq
    for unit, rate in zip(units_of(tree, i), i.motion.rates(q[i]), strict=True):
        found = [a + unit * x for a, x in zip(found, rate, strict=True)]
    for k, x in enumerate(found):
        program.store("stiff_q_rate", i.q, k, x)


def _what_elements_do(
    own: OwnForces, tree: LoopTree, q: JointArray, qd: JointArray, motion: LinkMotion, moved: Any
) -> None:
    """Compute the changes of joint forces and of wrenches about the world origin, for the unit motion."""
    program = tree.program
    by_x, by_v = list[Change](), list[Change]()
    known, links = {}, dict[int, Body]()
    for body, link, apart in zip(own.bodies, own.links, own.apart, strict=True):
        i = links.setdefault(link, Body(link, tree.row_of(link)))  # leaves of one index are the same graph node
        known[f"body{body}"] = motion_of(tree, motion, body, i, apart)
        for changes, own_changes in zip((by_x, by_v), _changes(motion, moved, i), strict=True):
            changes += own_changes

    def load(argument: str, k: int) -> Scalar:
        if argument == "q":
            leaf = program.load(q.array, q.start, k)
            by_x.append((leaf, program.load("stiff_q_rate", 0, k)))
            return leaf
        if argument == "v":
            leaf = program.load(qd.array, qd.start, k)
            by_v.append((leaf, program.load("stiff_unit", 0, k)))
            return leaf
        return program.load(OWN_TIME, 0) if argument == "t" else known[argument][k]

    torques, pushes, *_ = own.split(own.law.compute(program, load, "own_numbers"))
    outputs = [*torques, *(x for push in pushes for x in push)]
    for changes, forces, along in ((by_x, "stiff_by_x", "stiff_tau_by_x"), (by_v, "stiff_by_v", "stiff_tau_by_v")):
        found = slopes(outputs, changes)
        for velocity, x in zip(own.velocities, found[: len(torques)], strict=True):
            program.store(along, 0, velocity, x)
        # several bodies may be fixed to one link
        felt: dict[int, list[Scalar]] = {link: [0.0] * 6 for link in own.pushed_links}
        for number, body in enumerate(own.pushed):
            link = own.links[own.bodies.index(body)]
            first = len(torques) + 6 * number
            felt[link] = [x + y for x, y in zip(felt[link], found[first : first + 6], strict=True)]
        for link, push in felt.items():
            for k, x in enumerate(push):
                before = program.load(forces, 0, 6 * link + k) if own.alike else 0.0
                program.store(forces, 0, 6 * link + k, before + x)


def _what_loops_do(own: OwnForces, tree: LoopTree, motion: LinkMotion, moved: LoopField, going: LoopField) -> None:
    """Compute the changes of wrenches of elements in loops, if one of their bodies moves; clears the arrays first."""
    program, arrays = tree.program, ("stiff_by_x", "stiff_by_v")
    with program.loop(0, tree.n + 1) as link:
        place = link * 6
        for array in arrays:
            for k in range(6):
                program.store(array, place, k, 0.0)
    for each, member in each_member(program, own.alike):
        links = links_of(tree, member)
        program.store("stiff_goes", 0, 0, sum((going[i][0] for i in links), 0.0))
        with program.when("stiff_goes", 0):
            outputs = computed_member(each, member, tree, motion, links)[:-2]
            by_x, by_v = zip(*(_changes(motion, moved, i) for i in links), strict=True)
            for k, x in enumerate([*slopes(outputs, chain(*by_x)), *slopes(outputs, chain(*by_v))]):
                program.store("own_push", 0, k, x)
            for number, array in enumerate(arrays):
                add_pushes(program, member.links, array, number * len(outputs))


def _changes(motion: LinkMotion, moved: LoopField, i: Body) -> tuple[list[Change], list[Change]]:
    """Return what is loaded of a link's motion with its rates, by its displacement and by its twist."""
    (R, p), (w, v), (a, b) = motion.T[i], motion.v[i].halves, moved[i].halves
    turned, shift = Matrix(cross(a, column) for column in R.T).T, b + cross(a, p)  # twists keep their numbers
    by_x = [*zip(R.flat(), turned.flat(), strict=True), *zip(p, shift, strict=True)]
    return by_x, [*zip(w, R.T @ a, strict=True), *zip(v, R.T @ shift, strict=True)]
