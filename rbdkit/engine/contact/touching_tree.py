"""The rigid-contact system: a tree in joint coordinates whose bodies touch, as the time loop steps it.

A step of `rbdkit.engine.contact.time_steps` calls, in this order: `rate`, the accelerations without contacts, which
leaves the factors of H and the poses of the links; `speed_up`, the velocities that they lead to; `touch`, which lists
contacts and finds impulses after which the velocities obey the contact law; `glide`, which moves the coordinates; and
`close`, which projects onto loops and constraints.

Geometry, H and forces are those at the beginning of the step, so each contact's row and its response H^-1 J^T are
computed once. The rows of loops and constraints are eliminated from these responses (`ContactRows`): contact impulses
then violate none of them, and the contact solver needs to know nothing of loops.

Angular velocities are in axes that turn with a body. `speed_up` and `glide` therefore treat the rotation and the centre
of mass of what a free or planar joint carries separately: without forces the one spins on, by a step that gains no
energy (`spinning`), and the other moves on a straight line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rbdkit.collision import Kind
from rbdkit.engine.contact.contacts import FULL, H_STEP, NOW
from rbdkit.engine.contact.diary import CROWDED, STUCK, Diary
from rbdkit.engine.contact.one_point import ImpulseLaw
from rbdkit.engine.contact.rows import ContactRows
from rbdkit.engine.contact.search import Search
from rbdkit.engine.contact.spinning import steadied
from rbdkit.engine.contact.stops import Stops
from rbdkit.engine.contact.sweeps import Sweeps
from rbdkit.engine.contact.visit_order import VisitOrder
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.constrained_tree import ConstrainedTree
from rbdkit.engine.rows.contribution import RowCode
from rbdkit.engine.rows.own_constraints import OwnConstraints
from rbdkit.engine.steps import coupled
from rbdkit.engine.steps.crba import assemble
from rbdkit.engine.steps.curved_motions import Free, Planar, Spherical
from rbdkit.engine.steps.joint_arrays import JointValues
from rbdkit.engine.steps.loop_tree import LoopTree, Node, slot_of
from rbdkit.engine.steps.own_forces import WithOwnTorques, own_pushes, record
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.recorded_tree import DrivenMotion, RecordedTree
from rbdkit.engine.steps.rnea import project
from rbdkit.engine.steps.sizes import ROW_TIME
from rbdkit.spatial.vector3 import Scalar
from rbdkit.trace import Feedback, Moment, Part, select


class RecordedTouchingTree(RecordedTree):
    """The `RecordedTree` of a model whose shapes touch, with the operations that contact methods need.

    Parameters
    ----------
    kinds : kinds of shape pairs. codes : writers of loop and constraint rows; impulses of contacts are projected so
        that they do not violate these, and each step is projected onto them at its end. stops : unilateral constraints.
    """

    tree: LoopTree
    presses: ClassVar[bool] = False
    """Whether contacts are forces, not impulses."""

    def __init__(
        self,
        tree: LoopTree,
        kinds: tuple[Kind, ...],
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
        codes: Sequence[RowCode] = (),
        stops: OwnConstraints | None = None,
    ) -> None:
        super().__init__(tree, external, tau, f_ext, driven, own)
        self.held = ConstrainedTree(tree, codes) if codes else None
        self.at = BaseMotion(tree) if self.held is None else self.held.at
        elimination = None if self.held is None else self.held.elimination
        self.stops = None if stops is None else Stops(self.at, stops)
        self.search, self.rows = Search(self.at, kinds), ContactRows(tree, elimination, self.stops)
        self.order, self.diary = VisitOrder(tree.program), Diary(tree.program)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """Compute vdot without contacts; leaves the factors of H and the poses of the links for the contact rows."""
        tree = self.tree
        q, qd = tree.coordinates(x.array, x.start), tree.velocities(v.array, v.start)
        qdd = tree.velocities(result.array, result.start)
        acting: JointValues
        if self.held is not None:
            states = self._states(v), self._states(result)
            pushes = [("f_ext", 0)] if self.external else []
            acting, push = self._at(moment, x, v), partial(self.push, moment, v, result) if self.presses else None
            self.held.forward_dynamics(q, qd, acting, qdd, pushes, self.own, *states, push=push)
            return
        acting = WithPassiveForce(tree, q, qd, self._at(moment, x, v))
        pushes = [("f_ext", 0)] if self.external else []
        if self.own is not None:
            record(self.own, tree, q, qd, self._states(v), self._states(result))
            acting, pushes = WithOwnTorques(tree, acting), [*pushes, *own_pushes(self.own)]
        C = tree.velocities("bias_force")
        self.at.outward(q, qd, pushes)
        self.at.inward(C)
        assemble(tree, 0)
        for i in tree.outward():
            if i.moves:
                qdd[i] = [x - bias for x, bias in zip(acting[i], C[i], strict=True)]
        self.push(moment, v, result)
        coupled.solve(tree, qdd)

    def push(self, moment: Moment, v: Part, result: Part) -> None:
        """Add generalized contact forces where contacts are forces; here they are impulses of a step, so nothing."""

    def _at(self, moment: Moment, x: Part, v: Part) -> JointValues:
        if self.held is not None and any(code.timed for code in self.held.codes):
            self.program.store(ROW_TIME, 0, 0, moment.time)
        return super()._at(moment, x, v)

    def close(self, x: Part, v: Part, time: Callable[[], Scalar]) -> None:
        """Project (x, v) in place onto loops and constraints at a time."""
        if self.held is not None:
            self._tell_time(time)
            self.held.close(x, v)

    def _tell_time(self, time: Callable[[], Scalar]) -> None:
        """Evaluate the time-dependent constraints and prescribed joints at a time."""
        if self.held is not None and any(code.timed for code in self.held.codes):
            self.program.store(ROW_TIME, 0, 0, time())
        if self.driven is not None:
            self.driven.record(self.program, time())

    def speed_up(self, v: Part, v_rate: Part, result: Part) -> None:
        """Compute the velocities without contact after the step h in "scratch", in the axes before it."""
        tree, program = self.tree, self.program
        old, rate, new = (tree.velocities(part.array, part.start) for part in (v, v_rate, result))
        for i in tree.outward():
            if i.moves:
                H = self._block(i)
                still = i.motion.rate_seen_still(old[i], rate[i], i.motion.carried_com(H))
                ahead = [a + program.load("scratch", 0) * b for a, b in zip(old[i], still, strict=True)]
                if isinstance(i.motion, Free | Spherical):
                    ahead = steadied(old[i], ahead, H, program.load("scratch", 0))
                new[i] = ahead
        of_old, of_rate, of_new = (self._states(part) for part in (v, v_rate, result))
        for k in range(self.nz):
            z = of_old.load(program, k) + program.load("scratch", 0) * of_rate.load(program, k)
            of_new.store(program, k, z)

    def _block(self, i: Node) -> list[list[Scalar]]:
        """Return a joint's block of H, without armature, if the joint has axes that turn; else an empty list."""
        if not isinstance(i.motion, Free | Planar | Spherical):
            return []
        slot = slot_of(self.tree, i)
        places = [(slot + k) * 12 for k in range(i.motion.nv)]
        S = [[self.program.load("columns", place, r) for r in range(12)] for place in places]
        return [[project(a[:6], b[6:]) for b in S] for a in S]

    def glide(self, x: Part, u: Part, v: Part, result: Part) -> None:
        """Move x by displacements u with centres of mass on straight lines, and express v in the new axes."""
        tree = self.tree
        q, q_new = tree.coordinates(x.array, x.start), tree.coordinates(result.array, result.start)
        by, velocity = tree.velocities(u.array, u.start), tree.velocities(v.array, v.start)
        for i in tree.outward():
            if i.moves:
                c = i.motion.carried_com(self._block(i))
                q_new[i] = i.motion.glide(q[i], by[i], c)
                velocity[i] = i.motion.after_glide(by[i], velocity[i], c)

    def touch(self, moment: Moment, v: Part, u: Part, law: ImpulseLaw | None) -> None:
        """Apply the contact impulses of a step to v, and write to u the velocities that move the positions.

        v holds the velocities without contact on entry. To be recorded after `rate` at the beginning of the step.
        Leaves the program for good if the contact list is too short or the step too hard, and to do the step again if
        the log is full.

        law : a user's law of impulses at a point, or None.
        """
        program, tree, sweeps = self.program, self.tree, Sweeps(self.program, law)
        program.store("contact_state", 0, H_STEP, moment.h)
        program.store("contact_state", 0, NOW, moment.time)
        program.store("contact_state", 0, FULL, 0.0)
        # this and the unilateral constraints set the margin, so both come before contacts are listed
        self.search.fastest(v)
        if self.stops is not None:
            self.stops.look(v)
        self.search.record()
        # sorted before the unilateral constraints are appended, which have no place in space to sort by
        self.order.record()
        if self.stops is not None:
            self.stops.record()
        program.store("account", 0, CROWDED, program.load("contact_state", 0, FULL))
        program.leave_if(program.load("contact_state", 0, FULL) > 0.5)
        self.rows.record()
        # "contact_v" has the velocities branch by branch, in whole lines
        for a in tree.freedoms():
            place = program.entry("place_of_velocity", a)
            program.store("contact_v", place, 0, v.load(program, a))
            program.store("contact_out", place, 0, 0.0)
        sweeps.begin()
        sweeps.record()
        program.store("account", 0, STUCK, select(sweeps.too_hard(), 1.0, 0.0))
        program.leave_if(program.load("account", 0, STUCK) > 0.5)
        # From here on the step is certain: before, the program can be left and the step repeated without a trace.
        self.diary.leave_if_full()
        self.diary.write()
        sweeps.end()
        sweeps.lead_out()
        self.diary.write_lifted()
        for a in tree.freedoms():
            place = program.entry("place_of_velocity", a)
            v_new = program.load("contact_v", place)
            v.store(program, a, v_new)
            # positions move with what resolves overlaps, velocities do not
            u.store(program, a, v_new + program.load("contact_out", place))
