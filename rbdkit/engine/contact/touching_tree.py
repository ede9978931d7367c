"""A tree in joint coordinates whose bodies touch, as a system that the loop over time steps."""

from __future__ import annotations

from rbdkit.collision import Kind
from rbdkit.engine.contact.contacts import (
    ARRIVING,
    FULL,
    GAP,
    H_STEP,
    IMPULSE,
    NORMAL,
    POINT,
    RESIDUAL,
    SLOT,
    SPEED,
    TOLERANCE,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.rows import ContactRows
from rbdkit.engine.contact.search import Search
from rbdkit.engine.contact.sweeps import Sweeps, impulse
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.steps import coupled
from rbdkit.engine.steps.crba import assemble
from rbdkit.engine.steps.joint_arrays import JointValues
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.own_forces import WithOwnTorques, record
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.recorded_tree import DrivenMotion, RecordedTree
from rbdkit.spatial.vector3 import Vector
from rbdkit.trace import Feedback, Moment, Part, maximum, select, sqrt

LOGGED = 14
"""Numbers of an entry of the log: steps done, slot, gap, point, normal, force on the second body, in world axes; normal
velocity before the step, and how fast it slides after it."""
TAKEN, LEFT, EVERY, DUE = range(4)
"""Places in "log_state": entries in the log, steps until one is logged again, every how many, whether this is one."""
DEEPEST, UNSETTLED, MOST_SWEEPS, WORST, MOST_CONTACTS, CROWDED, NORMAL_WORK, FRICTION_WORK = range(8)
"""Places in "account": largest penetration, m; steps that ended before they settled; most sweeps of a step; the largest
change in a last sweep, m/s; most contacts of a step; whether there was no room for one more; energy, J, that normal
impulses took, and friction."""
ACCOUNT = 8


class RecordedTouchingTree(RecordedTree):
    """The `RecordedTree` of a model whose shapes touch; what methods ask for contacts, it has besides.

    Parameters
    ----------
    kinds : of pairs of shapes.
    """

    tree: LoopTree

    def __init__(
        self,
        tree: LoopTree,
        kinds: tuple[Kind, ...],
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
    ) -> None:
        super().__init__(tree, external, tau, f_ext, driven, own)
        self.at = BaseMotion(tree)
        self.search, self.rows = Search(self.at, kinds), ContactRows(tree)
        self.contacts, self.sweeps = Contacts(tree.program), Sweeps(tree.program)

    def rate(self, moment: Moment, x: Part, v: Part, result: Part) -> None:
        """vdot without contacts; it leaves the factors of H, and links where they are."""
        tree = self.tree
        q, qd = tree.coordinates(x.array, x.start), tree.velocities(v.array, v.start)
        qdd = tree.velocities(result.array, result.start)
        acting: JointValues = WithPassiveForce(tree, q, qd, self._at(moment, x, v))
        pushes = [("f_ext", 0)] if self.external else []
        if self.own is not None:
            record(self.own, tree, q, qd, self._states(v), self._states(result))
            acting, pushes = WithOwnTorques(tree, acting), [*pushes, ("own_force", 0)]
        C = tree.velocities("bias_force")
        self.at.outward(q, qd, pushes)
        self.at.inward(C)
        assemble(tree, 0)
        for i in tree.outward():
            if i.moves:
                qdd[i] = [x - bias for x, bias in zip(acting[i], C[i], strict=True)]
        coupled.solve(tree, qdd)

    def speed_up(self, v: Part, v_rate: Part, result: Part) -> None:
        """Velocities after the step in "scratch" without contacts, along the axes before it."""
        tree, program = self.tree, self.program
        old, rate, new = (tree.velocities(part.array, part.start) for part in (v, v_rate, result))
        for i in tree.outward():
            if i.moves:
                still = i.motion.rate_seen_still(old[i], rate[i])
                new[i] = [a + program.load("scratch", 0) * b for a, b in zip(old[i], still, strict=True)]
        of_old, of_rate, of_new = (self._states(part) for part in (v, v_rate, result))
        for k in range(self.nz):
            z = of_old.load(program, k) + program.load("scratch", 0) * of_rate.load(program, k)
            of_new.store(program, k, z)

    def glide(self, x: Part, u: Part, v: Part, result: Part) -> None:
        """x after straight displacements u; velocities v, told along the axes before, are told along those after it."""
        tree = self.tree
        q, q_new = tree.coordinates(x.array, x.start), tree.coordinates(result.array, result.start)
        by, velocity = tree.velocities(u.array, u.start), tree.velocities(v.array, v.start)
        for i in tree.outward():
            if i.moves:
                q_new[i] = i.motion.glide(q[i], by[i])
                velocity[i] = i.motion.after_glide(by[i], velocity[i])

    def touch(self, moment: Moment, v: Part, u: Part) -> None:
        """Velocities v at the end of a step, from those without contact, and u, with which positions go there.

        After `rate` at the beginning of the step. Leaves the program where there is no room for a contact; and, to do
        the step again, where the log is full.
        """
        program, tree = self.program, self.tree
        program.store("contact_state", 0, H_STEP, moment.h)
        program.store("contact_state", 0, FULL, 0.0)
        self.search.fastest(v)
        self.search.record()
        program.store("account", 0, CROWDED, program.load("contact_state", 0, FULL))
        program.leave_if(program.load("contact_state", 0, FULL) > 0.5)
        self.rows.record()
        for a in tree.freedoms():
            place = program.entry("place_of_velocity", a)
            program.store("contact_v", place, 0, v.load(program, a))
            program.store("contact_out", place, 0, 0.0)
        self.sweeps.begin()
        self.sweeps.record()
        self._log()
        self.sweeps.end()
        self._account()
        self.sweeps.lead_out()
        for a in tree.freedoms():
            place = program.entry("place_of_velocity", a)
            v_new = program.load("contact_v", place)
            v.store(program, a, v_new)
            u.store(program, a, v_new + program.load("contact_out", place))

    def _log(self) -> None:
        """Contacts that push or overlap, where the state at the beginning of the step is recorded."""
        program = self.program
        due = select(program.load("log_state", 0, LEFT) < 0.5, 1.0, 0.0)
        program.store("log_state", 0, DUE, due)
        with program.when("log_state", 0, DUE):
            taken = program.truncated("log_state", TAKEN)
            program.store("contact_state", 0, FULL, 0.0)
            with program.when_less(program.count("log_room"), taken + self.contacts.count()):
                program.store("contact_state", 0, FULL, 1.0)
                program.store("turns", 0, 0, 0.0)
            program.leave_if(program.load("contact_state", 0, FULL) > 0.5)
            for contact in self.contacts.each():
                with program.loop(0, 1):
                    felt = maximum(contact[IMPULSE], -contact[GAP])
                    program.break_if(felt <= 0.0)
                    self._enter(contact)
        left = program.load("log_state", 0, LEFT)
        again = program.load("log_state", 0, EVERY)
        program.store("log_state", 0, LEFT, select(left < 0.5, again, left) - 1.0)

    def _enter(self, contact: Contact) -> None:
        """One contact, at the end of the log."""
        program = self.program
        place = program.truncated("log_state", TAKEN) * LOGGED
        h = program.load("contact_state", 0, H_STEP)
        world = contact.vector(POINT) + Vector(program.load("base_origin", 0, k) for k in range(3))
        force = [x / h for x in impulse(contact)]
        slot = program.load("slot_numbers", contact.part(SLOT))
        sliding = sqrt(contact[SPEED + 1] * contact[SPEED + 1] + contact[SPEED + 2] * contact[SPEED + 2])
        where = [contact[GAP], *world, *contact.vector(NORMAL)]
        entry = [program.load("done", 0), slot, *where, *force, contact[ARRIVING], sliding]
        for k, x in enumerate(entry):
            program.store("log", place, k, x)
        program.store("log_state", 0, TAKEN, program.load("log_state", 0, TAKEN) + 1.0)

    def _account(self) -> None:
        """What is to be told of all steps together."""
        program = self.program
        program.store("contact_state", 0, FULL, 0.0)
        for contact in self.contacts.each():
            program.store("contact_state", 0, FULL, program.load("contact_state", 0, FULL) + 1.0)
            program.store("account", 0, DEEPEST, maximum(program.load("account", 0, DEEPEST), -contact[GAP]))
            n, *t = (0.5 * contact[IMPULSE + r] * (contact[ARRIVING + r] + contact[SPEED + r]) for r in range(3))
            program.store("account", 0, NORMAL_WORK, program.load("account", 0, NORMAL_WORK) - n)
            program.store("account", 0, FRICTION_WORK, program.load("account", 0, FRICTION_WORK) - t[0] - t[1])
        known = {
            MOST_CONTACTS: program.load("contact_state", 0, FULL),
            MOST_SWEEPS: program.load("contact_sweeps", 0),
            WORST: program.load("contact_state", 0, RESIDUAL),
        }
        for k, x in known.items():
            program.store("account", 0, k, maximum(program.load("account", 0, k), x))
        over = program.load("contact_state", 0, RESIDUAL) > program.load("contact_state", 0, TOLERANCE)
        program.store("account", 0, UNSETTLED, program.load("account", 0, UNSETTLED) + select(over, 1.0, 0.0))
