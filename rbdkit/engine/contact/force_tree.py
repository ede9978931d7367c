"""The compliant-contact system: a tree whose bodies push each other by a force law, as the time loop steps it.

The law is the function of `rbdkit.laws.ContactForce`, traced; `rbdkit.laws.forces_at_points` evaluates it on arrays.
The part of v behind the velocities and the states of force elements holds the state variables of the law, each for all
slots, and two energies: what contacts took by normal forces and by friction. Energies are state variables, so that the
integrator computes the work with its own order of accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rbdkit.collision import Kind
from rbdkit.engine.contact.branches import movers_of
from rbdkit.engine.contact.contacts import (
    ARRIVING,
    FIRST,
    FRICTION,
    FULL,
    GAP,
    H_STEP,
    IMPULSE,
    LINK_P,
    LINK_S,
    MARGIN,
    MISSED,
    NORMAL,
    NOW,
    POINT,
    RESIDUAL,
    SECOND,
    SLOT,
    SPEED,
    TOLERANCE,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.diary import CROWDED, FRICTION_WORK, NORMAL_WORK
from rbdkit.engine.contact.sweeps import Sweeps
from rbdkit.engine.contact.touching_tree import RecordedTouchingTree
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.contribution import RowCode
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.recorded_tree import DrivenMotion
from rbdkit.spatial.vector3 import Vector, cross, dot
from rbdkit.trace import Feedback, Index, Moment, Part, Scalar, Whole, select, sqrt

CONSTANTS = {name: f"{name}_constants" for name in ("act", "act_apart", "settle", "settle_apart")}
"""Arrays of the constants of a law, by the traced function that reads them."""
TIME, SINCE = range(2)
"""Places in "law_times": the time, s, and the time since the step began, s."""
LIMIT = 0.999999
"""Fraction of the friction limit from which on a point counts as sliding."""
OF_CONTACT = {"gap": GAP, "velocity": ARRIVING, "normal": NORMAL, "first": FIRST, "second": SECOND}


@dataclass(frozen=True)
class ForceLaw:
    """A traced contact force law; see `rbdkit.laws.recorded_force`.

    act : contact force, N, and rates of all state variables, at a slot within reach. act_apart : rates at the other
        slots; None for a law without state.
    settle, settle_apart : state variables and memory at the end of a step; None if the law has neither to update.
    states : number of entries of each state variable. kept, numbers : number of memory entries and parameters per slot.
    reach : distance up to which the law acts, m.
    """

    act: Feedback
    act_apart: Feedback | None
    settle: Feedback | None
    settle_apart: Feedback | None
    states: tuple[int, ...]
    kept: int
    numbers: int
    reach: float


class RecordedForceTree(RecordedTouchingTree):
    """The `RecordedTree` of a model whose shapes touch, with compliant contact by a force law.

    Parameters
    ----------
    kinds : kinds of shape pairs. law : the force law of all slots. codes : writers of loop and constraint rows.
    """

    presses: ClassVar[bool] = True

    def __init__(
        self,
        tree: LoopTree,
        kinds: tuple[Kind, ...],
        law: ForceLaw,
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
        codes: Sequence[RowCode] = (),
    ) -> None:
        super().__init__(tree, kinds, external, tau, f_ext, driven, own, codes)
        self.law, self.contacts = law, Contacts(tree.program)
        self.nv = self.nv + tree.program.count("n_law_states")
        self.solved_together = 0, self.nv

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        super().local_rate(u, v, result)
        at_rest = self._states_of_law(result)
        for k in self.tree.each(self.program.count("n_law_states")):
            at_rest.store(self.program, k, 0.0)

    def push(self, moment: Moment, v: Part, result: Part) -> None:
        self._list()
        self.program.leave_if(self.program.load("contact_state", 0, FULL) > 0.5)
        self._tell_law(moment.time, moment.fraction * moment.h)
        rates, last = self._states_of_law(result), self.program.count("n_law_states")
        if self.law.act_apart is not None:
            with self.program.loop(0, self.program.count("n_slots")) as slot:
                self._put(rates, slot, self._said("act_apart", slot, v, None))
        # the two energies are the last state variables
        for back in (2, 1):
            rates.store(self.program, last - back, 0.0)
        for contact in self.contacts.each():
            u = [contact[ARRIVING + r] for r in range(3)]
            f = self._said("act", contact.part(SLOT), v, contact)
            self._put(rates, contact.part(SLOT), f[3:])
            for back, taken in ((2, f[0] * u[0]), (1, f[1] * u[1] + f[2] * u[2])):
                energy = last - back
                rates.store(self.program, energy, rates.load(self.program, energy) - taken)
            self._press(contact, f[:3], result)

    # --- steps --------------------------------------------------------------------------------------------------------

    def tell(self, n: Index) -> None:
        """Log the state in which step n begins; if the log is full, leave the program, to do the step again."""
        program, moment, x, v = self.program, Moment(self.program, n, 0), Part("x"), Part("v")
        self._place(x, v)
        self._list()
        program.leave_if(program.load("contact_state", 0, FULL) > 0.5)
        self._tell_law(moment.time, 0.0)
        for place, value in ((H_STEP, moment.h), (NOW, moment.time), (RESIDUAL, 0.0), (TOLERANCE, 0.0), (MISSED, 0.0)):
            program.store("contact_state", 0, place, value)
        program.store("contact_sweeps", 0, 0, 0.0)
        self._take_work(v)
        for contact in self.contacts.each():
            self._tell(contact, self._said("act", contact.part(SLOT), v, contact)[:3])
        self.diary.leave_if_full()
        self.diary.write()
        Sweeps(program).end()

    def settled(self, n: Index) -> None:
        """Update the state variables and memory of the law at the end of step n, in "x_new" and "v_new"."""
        program, moment, v = self.program, Moment(self.program, n, 0), Part("v_new")
        if self.law.settle is not None:
            self._place(Part("x_new"), v)
            self._list()
            # at the end of the step: all of it has passed
            self._tell_law(moment.time + moment.h, moment.h)
            for contact in self.contacts.each():
                slot = contact.part(SLOT)
                self._settle(slot, v, self._said("settle", slot, v, contact))
                program.store("place_settled", slot, 0, 1.0)
            with program.loop(0, program.count("n_slots")) as slot:
                settled = program.load("place_settled", slot) > 0.5
                now = self._of_place(slot, v)
                apart = self._said("settle_apart", slot, v, None)
                self._settle(slot, v, [select(settled, a, b) for a, b in zip(now, apart, strict=True)])
                program.store("place_settled", slot, 0, 0.0)
        self._take_work(v)

    def _settle(self, slot: Index, v: Part, values: Sequence[Scalar]) -> None:
        states = sum(self.law.states)
        self._put(self._states_of_law(v), slot, values[:states])
        for k, value in enumerate(values[states:]):
            self.program.store("place_kept", slot * self.law.kept, k, value)

    def _place(self, x: Part, v: Part) -> None:
        tree = self.tree
        self.at.outward(tree.coordinates(x.array, x.start), tree.velocities(v.array, v.start), (), inertia=False)

    def _list(self) -> None:
        """List the contacts within reach, with the links as they are placed now."""
        program = self.program
        program.store("contact_state", 0, FULL, 0.0)
        program.store("contact_state", 0, MARGIN, self.law.reach)
        self.search.record()
        program.store("account", 0, CROWDED, program.load("contact_state", 0, FULL))

    def _tell_law(self, time: Scalar, since: Scalar) -> None:
        self.program.store("law_times", 0, TIME, time)
        self.program.store("law_times", 0, SINCE, since)

    def _tell(self, contact: Contact, f: Sequence[Scalar]) -> None:
        """Write a contact for the log: impulses h f, and its sliding velocity if it is at the friction limit."""
        h = self.program.load("contact_state", 0, H_STEP)
        size, limit = sqrt(f[1] * f[1] + f[2] * f[2]), LIMIT * (contact[FRICTION] * f[0])
        pushes = dot(list(f), list(f)) > 0.0
        for r, u in enumerate([contact[ARRIVING + r] for r in range(3)]):
            # below the friction limit a point sticks: its slow creep is no sliding
            contact[SPEED + r] = 0.0 if r == 0 else select(size < limit, 0.0, u)
        for r, x in enumerate(f):
            contact[IMPULSE + r] = h * x
        # an open gap keeps points within reach that do not push out of the log
        contact[GAP] = select(pushes, contact[GAP], 1.0)

    def _take_work(self, v: Part) -> None:
        """Copy the energies that contacts took from the state to the statistics."""
        last = self.program.count("n_law_states")
        for place, back in ((NORMAL_WORK, 2), (FRICTION_WORK, 1)):
            self.program.store("account", 0, place, self._states_of_law(v).load(self.program, last - back))

    def _press(self, contact: Contact, f: Sequence[Scalar], result: Part) -> None:
        """Add the generalized force of a contact force f to `result`."""
        program = self.program
        n, t_1, t_2 = (contact.vector(k) for k in (NORMAL, FIRST, SECOND))
        # SPEED serves as scratch for the force vector: inside the loop below, values must come from an array.
        contact.keep(SPEED, f[0] * n + f[1] * t_1 + f[2] * t_2)
        # action on the second body, reaction on the first
        for which, sign in ((LINK_S, 1.0), (LINK_P, -1.0)):
            for a, S in movers_of(program, contact.part(which)):
                moved = Vector(S[3:]) + cross(Vector(S[:3]), contact.vector(POINT))
                place = a + result.start
                x = program.load(result.array, place) + sign * dot(contact.vector(SPEED), moved)
                program.store(result.array, place, 0, x)

    # --- the law ------------------------------------------------------------------------------------------------------

    def _said(self, which: str, slot: Index, v: Part, contact: Contact | None) -> list[Scalar]:
        """Evaluate one function of the law at a slot; `contact` is None where the shapes are apart."""
        program, places = self.program, self._places_of(slot)

        def load(argument: str, k: int) -> Any:
            if argument == "states":
                return self._states_of_law(v).load(program, places[k])
            if argument == "kept":
                return program.load("place_kept", slot * self.law.kept, k)
            if argument == "numbers":
                return program.load("place_numbers", slot * self.law.numbers, k)
            if argument in ("time", "since"):
                return program.load("law_times", 0, TIME if argument == "time" else SINCE)
            assert contact is not None  # of what is apart, the rest is known
            return contact[OF_CONTACT[argument] + k]

        law: Feedback = getattr(self.law, which)
        return law.compute(program, load, CONSTANTS[which])

    def _states_of_law(self, v: Part) -> Part:
        return Part(v.array, v.start + self.tree.nv + self.nz)

    def _places_of(self, slot: Index) -> list[Whole]:
        """Return the indices of a slot's state variables among those of the law."""
        slots, before = self.program.count("n_slots"), 0
        found: list[Whole] = []
        for size in self.law.states:
            found += [slots * before + slot * size + k for k in range(size)]
            before += size
        return found

    def _of_place(self, slot: Index, v: Part) -> list[Scalar]:
        """Return the state variables of a slot, and its memory."""
        states = [self._states_of_law(v).load(self.program, place) for place in self._places_of(slot)]
        return states + [self.program.load("place_kept", slot * self.law.kept, k) for k in range(self.law.kept)]

    def _put(self, of_law: Part, slot: Index, values: Sequence[Scalar]) -> None:
        for place, value in zip(self._places_of(slot), values, strict=True):
            of_law.store(self.program, place, value)
