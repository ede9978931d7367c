"""Force elements in a program: from the motion of the links to joint forces and forces on links.

`rbdkit.engine.links.own_forces` has traced the elements into a law; here the law is recorded at a state. The motions of
the bodies come from a pass over the links. Joint forces are added to those of the state, wrenches on bodies to the
external forces on their links. Elements of one make run in a loop over a table where the tree is a loop, and one after
the other in straight-line code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rbdkit.engine.links.alike import Alike, Member, add_pushes, each_member
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps.base import UNLOADED
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.kinematics import LinkMotion, link_motion
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.nodes import FRAME, ROW, Body, Node
from rbdkit.engine.steps.sizes import LINK, OWN_TIME
from rbdkit.engine.steps.tree import Tree
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.spatial.compact import fv, mv
from rbdkit.spatial.vector3 import Matrix, Vector, cross, dot
from rbdkit.trace import Index, Part, Scalar, Symbol, Whole, adjoints

OWN_STATES = Part("z")


def record(
    own: OwnForces,
    tree: Tree,
    q: JointArray,
    qd: JointArray,
    z: Part = OWN_STATES,
    z_rate: Part | None = None,
    powers: bool = False,
) -> tuple[Scalar, Scalar]:
    """Write joint forces to "own_tau" and forces on links to "own_force"; return stored energy and dissipated power.

    Both arrays hold zeros where nothing acts. "own_force" is laid out like "f_ext"; without `asks_bodies` it is neither
    written nor to be read. z : states of the elements. z_rate : where their rates go, if wanted. powers : whether
    energy and power are wanted; otherwise they are those of elements outside of loops.
    """
    program, motion = tree.program, _motion(own, tree, q, qd)
    felt: dict[int, list[Any]] = {}
    if own.alike and isinstance(tree, LoopTree):
        _loops(own, tree, motion, pushes=True, powers=powers)
        for link in own.pushed_links:
            felt[link] = [program.load("own_force", 0, 6 * link + k) for k in range(6)]
    torques, pushes, rates, stored, lost = _computed(own, tree, motion, q, qd, z)
    for a, x in zip(own.velocities, torques, strict=True):
        program.store("own_tau", 0, a, x)
    for k, x in enumerate(rates if z_rate is not None else ()):
        program.store(z_rate.array, z_rate.start, k, x)  # type: ignore[union-attr]
    acts = [(own.links[own.bodies.index(body)], push) for body, push in zip(own.pushed, pushes, strict=True)]
    if not isinstance(tree, LoopTree):
        for links, found in _one_by_one(own, tree, motion):
            acts += [(link, found[6 * slot : 6 * slot + 6]) for slot, link in enumerate(links)]
            stored, lost = stored + found[-2], lost + found[-1]
    elif own.alike and powers:
        stored, lost = (x + program.load("own_powers", 0, k) for k, x in enumerate((stored, lost)))
    # several of these bodies may be fixed to one link: their wrenches are added before they are stored
    for link, push in acts:
        felt[link] = [a + b for a, b in zip(felt.get(link, [0.0] * 6), push, strict=True)]
    for link, push in felt.items():
        for k, x in enumerate(push):
            program.store("own_force", 0, 6 * link + k, x)
    return stored, lost


def _motion(own: OwnForces, tree: Tree, q: JointArray, qd: JointArray) -> LinkMotion | None:
    """Compute the motion of the links, if elements read it."""
    return link_motion(tree, q, qd) if own.asks_bodies else None


def stored_energy(own: OwnForces, tree: Tree, q: JointArray, qd: JointArray, z: Part = OWN_STATES) -> Scalar:
    """Return the stored energy."""
    motion = _motion(own, tree, q, qd)
    if not isinstance(tree, LoopTree):
        one_by_one = sum((found[-2] for _, found in _one_by_one(own, tree, motion)), 0.0)
        return one_by_one + _computed(own, tree, motion, q, qd, z)[3]
    if not own.alike:
        return _computed(own, tree, motion, q, qd, z)[3]
    _loops(own, tree, motion, pushes=False, powers=True)
    return _computed(own, tree, motion, q, qd, z)[3] + tree.program.load("own_powers", 0)


def _computed(
    own: OwnForces, tree: Tree, motion: LinkMotion | None, q: JointArray, qd: JointArray, z: Part
) -> tuple[list[Any], list[list[Any]], list[Any], Any, Any]:
    """Evaluate the law of elements outside of loops, see `OwnForces.split`; nothing is stored."""
    program = tree.program
    known = {
        f"body{body}": motion_of(tree, motion, body, Body(link, tree.row_of(link)), apart)
        for body, link, apart in zip(own.bodies, own.links, own.apart, strict=True)
    }

    def load(argument: str, k: int) -> Scalar:
        if argument == "q":
            return program.load(q.array, q.start, k)
        if argument == "z":
            return program.load(z.array, z.start, k)
        if argument == "t":
            return program.load(OWN_TIME, 0)
        return program.load(qd.array, qd.start, k) if argument == "v" else known[argument][k]

    return own.split(own.law.compute(program, load, "own_numbers"))


def _loops(own: OwnForces, tree: LoopTree, motion: LinkMotion | None, pushes: bool, powers: bool) -> None:
    """Evaluate the elements in loops: forces to "own_force", cleared first, energy and power to "own_powers"."""
    program = tree.program
    if pushes:
        with program.loop(0, tree.n + 1) as link:
            place = link * 6
            for k in range(6):
                program.store("own_force", place, k, 0.0)
    if powers:
        with program.loop(0, 1):
            for k in range(2):
                program.store("own_powers", 0, k, 0.0)
    for each, member in each_member(program, own.alike):
        *found, stored, lost = computed_member(each, member, tree, motion, links_of(tree, member))
        if powers:
            for k, x in enumerate((stored, lost)):
                program.store("own_powers", 0, k, program.load("own_powers", 0, k) + x)
        if pushes:
            for k, x in enumerate(found):
                program.store("own_push", 0, k, x)
            add_pushes(program, member.links, "own_force")


def _one_by_one(own: OwnForces, tree: Tree, motion: LinkMotion | None) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """Yield, in straight-line code, the links of each element and the results of its law."""
    for each in own.alike:
        for member in each.members:
            yield member.links, computed_member(each, member, tree, motion, [Body(link, 0) for link in member.links])


def links_of(tree: LoopTree, member: Member[Index]) -> list[Body]:
    """Return the links of an element, with their work space."""
    return [Body(link, tree.row_of(link)) for link in member.links]


def computed_member(
    each: Alike, member: Member[Any], tree: Tree, motion: LinkMotion | None, links: Sequence[Body]
) -> list[Any]:
    """Evaluate the law of one element of `OwnForces.alike`, see `Alike`."""

    def of_body(slot: int) -> Sequence[Any]:
        return motion_of(tree, motion, member.bodies[slot], links[slot], each.apart[slot])

    return each.compute(tree.program, member, of_body, lambda: tree.program.load(OWN_TIME, 0))


def own_pushes(own: OwnForces) -> list[tuple[str, int]]:
    """Return the arrays of forces on links that elements write, and where these begin."""
    return [("own_force", 0)] if own.asks_bodies else []


class WithOwnTorques:
    """Joint forces with those of the force elements added."""

    def __init__(self, tree: Tree, tau: JointValues) -> None:
        self.tau, self.own = tau, tree.velocities("own_tau")

    def __getitem__(self, i: Node) -> list[Scalar]:
        return [a + b for a, b in zip(self.tau[i], self.own[i], strict=True)]


def along_joints(own: OwnForces, tree: Tree, motion: JointArray, result: JointArray) -> None:
    """Write the generalized forces of all elements, "own_tau" and J^T "own_force", to `result`. motion : q."""
    program = tree.program
    if not own.asks_bodies:
        for a in tree.each(tree.nv):
            result[a] = program.load("own_tau", a)
        return
    placed, f, own_force = link_motion(tree, motion), tree.field(fv), ExternalForce(tree, own=True, given=False)
    f[tree.world] = UNLOADED
    for i in tree.outward():
        f[i] = own_force[i]
    for a in tree.each(tree.nv):
        result[a] = program.load("own_tau", a)
    for i in tree.inward():
        felt = placed.T[i].X.apply(f[i])
        for k, S in enumerate(tree.axes(i, motion[i])):
            a = i.v + k
            result[a] = result[a] + tree.ratio(i) * mv.of(S).dot(felt)
        f[i.parent] = f[i.parent] + f[i]


def gradient(own: OwnForces, tree: UnrolledTree, q: JointArray, qd: JointArray, w: JointArray, state: Whole) -> None:
    """Write the gradient of ``w . (generalized forces of elements)`` to "by_q", "by_v", "by_link" and "by_numbers".

    By reverse differentiation of everything recorded: see `rbdkit.trace.adjoints`; "by_link" is as in `rnea_gradient`.
    """
    program, nv = tree.program, tree.nv
    found = tree.velocities("tau_here")
    q, qd = _at_hand(tree, q, tree.nq), _at_hand(tree, qd, nv)
    record(own, tree, q, qd)
    along_joints(own, tree, q, found)
    total = sum((w[a] * found[a] for a in range(nv)), 0.0 * w[0])
    graph = total.graph
    bars = adjoints(graph, {total.position: 1.0})

    def by(x: Scalar) -> Scalar:
        return bars.get(x.position, 0.0) if isinstance(x, Symbol) else 0.0

    by_q, by_v = (tree.velocities(name, state * nv) for name in ("by_q", "by_v"))
    for i in tree.outward():
        own_q = q[i]
        # by q means along the motions of the joint: for a quaternion, about the moved axes
        slopes = i.motion.rates(own_q) if i.motion.nv else []
        by_q[i] = [dot(rate, [by(x) for x in own_q]) for rate in slopes]
        by_v[i] = [by(x) for x in qd[i]]
        row = [tree.parameter(i, k) for k in range(ROW)]
        R, by_R, by_p = Matrix.of(row[:9]), Matrix.of([by(x) for x in row[:9]]), Vector(by(x) for x in row[9:12])
        M = R.T @ by_R  # a rotation by x changes R by R skew(x)
        turned = [M[2][1] - M[1][2], M[0][2] - M[2][0], M[1][0] - M[0][1]]
        place = (i.number + state * (tree.n + 1)) * LINK
        for k, x in enumerate([*turned, *(R.T @ by_p)]):
            program.store("by_link", place, k, x)
        pitch = tree.numbers(i)[0] if i.motion.name == "helical" else 0.0
        program.store("by_link", place, LINK - 1, by(pitch))
    numbers = len(own.law.numbers)
    for k in range(numbers):
        program.store("by_numbers", state * numbers, k, by(program.load("own_numbers", 0, k)))


def _at_hand(tree: UnrolledTree, x: JointArray, size: int) -> JointArray:
    """Copy numbers so that each is one graph node wherever it is read: derivatives need one leaf per variable."""
    name = f"{x.array}_here"
    for k in range(size):
        tree.program.store(name, 0, k, tree.program.load(x.array, x.start, k))
    return JointArray(tree.program, name, 0, x.which)


def motion_of(tree: Tree, motion: LinkMotion | None, body: Whole, i: Body, apart: bool) -> Sequence[Any]:
    """Return rotation, position, angular velocity and velocity of the origin of a body on link i, in world axes."""
    assert motion is not None
    R, p = motion.T[i]
    w, v = (R @ half for half in motion.v[i].halves)
    if apart:
        frame = body * FRAME
        x = [tree.program.load("frames", frame, k) for k in range(FRAME)]
        arm = R @ Vector(x[9:])
        R, p, v = R @ Matrix.of(x[:9]), p + arm, v + cross(w, arm)
    return [*R.flat(), *p, *w, *v]
