"""A tree whose bodies touch with surfaces that give way: contact as a force, and patches as states behind v.

Featherstone 2008, section 11.8; `rbdkit.laws.Compliant` is the same on arrays. Behind the velocities and the states of
force elements v holds the displacements x of patches, three for each slot, their depths z, one for each slot, if these
are states, and the energy that contacts took by normal forces and by friction.
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
    TARGET,
    TOLERANCE,
    Contact,
    Contacts,
)
from rbdkit.engine.contact.diary import CROWDED, FRICTION_WORK, NORMAL_WORK
from rbdkit.engine.contact.touching_tree import RecordedTouchingTree
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.contribution import RowCode
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.recorded_tree import DrivenMotion
from rbdkit.spatial.vector3 import Vector, cross, dot
from rbdkit.trace import Feedback, Index, Moment, Part, Scalar, Whole, maximum, minimum, polynomial, select, sqrt

PATCH = 4
"""Numbers of a slot in "patches": K, D, K_t, D_t."""
HALVINGS = 10
"""An exponent is halved so often before the series of the exponential function takes it."""
LARGEST_DECAY = 700.0
"""What decays by more is zero."""
SERIES = [1.0, -1.0, 1 / 2, -1 / 6, 1 / 24, -1 / 120, 1 / 720, -1 / 5040, 1 / 40320, -1 / 362880, 1 / 3628800]
"""Of exp(-x)."""
ROUND_OFF = 1e-12
"""m; a patch is where a body left it in the step before but for that."""
LIMIT = 0.999999
"""Part of the friction that there can be, from which on a point slides."""


@dataclass(frozen=True)
class Soft:
    """Exponents of a surface, multiples of a half with n = m or n = m + 1; and whether depths of patches are states."""

    n: float
    m: float
    states: bool


class RecordedSoftTree(RecordedTouchingTree):
    """The `RecordedTree` of a model whose shapes touch, with forces of soft surfaces.

    Parameters
    ----------
    kinds : of pairs of shapes. soft : of all surfaces. codes : of the rows of loops and constraints.
    """

    presses: ClassVar[bool] = True

    def __init__(
        self,
        tree: LoopTree,
        kinds: tuple[Kind, ...],
        soft: Soft,
        external: bool,
        tau: Feedback | None,
        f_ext: Feedback | None,
        driven: DrivenMotion | None = None,
        own: OwnForces | None = None,
        codes: Sequence[RowCode] = (),
    ) -> None:
        super().__init__(tree, kinds, external, tau, f_ext, driven, own, codes)
        self.soft, self.contacts = soft, Contacts(tree.program)
        self.nv = self.nv + tree.program.count("n_patch")
        self.solved_together = 0, self.nv

    def local_rate(self, u: Part, v: Part, result: Part) -> None:
        super().local_rate(u, v, result)
        at_rest = self._patches(result)
        for k in self.tree.each(self.program.count("n_patch")):
            at_rest.store(self.program, k, 0.0)

    def push(self, moment: Moment, v: Part, result: Part) -> None:
        self._list()
        self.program.leave_if(self.program.load("contact_state", 0, FULL) > 0.5)
        self.program.store("patch_since", 0, 0, moment.fraction * moment.h)
        self._forces(v)
        self._rates(v, result)
        for contact in self.contacts.each():
            self._press(contact, result)

    # --- steps --------------------------------------------------------------------------------------------------------

    def tell(self, n: Index) -> None:
        """Write down the state in which step n begins; leave the program, to do the step again, if the log is full."""
        program, moment, x, v = self.program, Moment(self.program, n, 0), Part("x"), Part("v")
        self._place(x, v)
        self._list()
        program.leave_if(program.load("contact_state", 0, FULL) > 0.5)
        program.store("patch_since", 0, 0, 0.0)
        self._forces(v)
        for place, value in ((H_STEP, moment.h), (NOW, moment.time), (RESIDUAL, 0.0), (TOLERANCE, 0.0), (MISSED, 0.0)):
            program.store("contact_state", 0, place, value)
        program.store("contact_sweeps", 0, 0, 0.0)
        self._take_work(v)
        for contact in self.contacts.each():
            self._tell(contact)
        self.diary.leave_if_full()
        self.diary.write()
        self.sweeps.end()

    def ended(self, n: Index) -> None:
        """Leave patches where bodies hold them at the end of step n, in "x_new", "v_new"."""
        program, v = self.program, Part("v_new")
        self._place(Part("x_new"), v)
        self._list()
        program.store("patch_since", 0, 0, Moment(program, n, 0).h)
        self._forces(v)
        with program.loop(0, program.count("n_slots")) as slot:
            program.store("patch_pressed", slot, 0, 0.0)
            if not self.soft.states:
                program.store("patch_depth", slot, 0, self._depth(slot, v))
        for contact in self.contacts.each():
            with program.loop(0, 1):
                program.break_if(contact[TARGET] < 0.5)
                slot, pressed, gap = contact.part(SLOT), contact[IMPULSE] > 0.0, contact[GAP]
                if self.soft.states:
                    depth = select(pressed, gap, self._depth(slot, v))
                    program.store("patch_pressed", slot, 0, select(pressed, 1.0, 0.0))
                    self._patches(v).store(program, self._place_of_z(slot), depth)
                else:
                    depth = select(pressed, gap, program.load("patch_depth", slot))
                    program.store("patch_depth", slot, 0, depth)
        self._take_work(v)

    def _place(self, x: Part, v: Part) -> None:
        tree = self.tree
        self.at.outward(tree.coordinates(x.array, x.start), tree.velocities(v.array, v.start), (), inertia=False)

    def _list(self) -> None:
        """What touches, where the links are."""
        program = self.program
        program.store("contact_state", 0, FULL, 0.0)
        program.store("contact_state", 0, MARGIN, 0.0)
        self.search.record()
        program.store("account", 0, CROWDED, program.load("contact_state", 0, FULL))

    def _tell(self, contact: Contact) -> None:
        """A contact as the diary reads it: impulses for forces, and how it slides at the limit of friction."""
        h = self.program.load("contact_state", 0, H_STEP)
        f, touches = [contact[IMPULSE + r] for r in range(3)], contact[TARGET] > 0.5
        size, limit = sqrt(f[1] * f[1] + f[2] * f[2]), LIMIT * (contact[FRICTION] * f[0])
        for r, u in enumerate([contact[ARRIVING + r] for r in range(3)]):
            contact[SPEED + r] = 0.0 if r == 0 else select(size < limit, 0.0, u)
        for r, x in enumerate(f):
            contact[IMPULSE + r] = h * x
        contact[GAP] = select(touches, contact[GAP], 1.0)

    def _take_work(self, v: Part) -> None:
        """What contacts took is a state."""
        last = self.program.count("n_patch")
        for place, back in ((NORMAL_WORK, 2), (FRICTION_WORK, 1)):
            self.program.store("account", 0, place, self._patches(v).load(self.program, last - back))

    # --- forces -------------------------------------------------------------------------------------------------------

    def _forces(self, v: Part) -> None:
        """Forces of all contacts, to their `IMPULSE`, "patch_since" the step began; to `TARGET` whether they touch."""
        program, n, m = self.program, self.soft.n, self.soft.m
        for contact in self.contacts.each():
            slot, u = contact.part(SLOT), [contact[ARRIVING + r] for r in range(3)]
            K, D, K_t, D_t = self._numbers(slot)
            gap, z = contact[GAP], self._depth(slot, v)
            touches = select(gap <= z + ROUND_OFF, 1.0, program.load("patch_pressed", slot))
            depth = maximum(-gap, 0.0)
            f_n = maximum(0.0, K * power(depth, n) - D * power(depth, m) * u[0])  # Eq 11.74
            x = self._displacement(slot, v)
            axes = [contact.vector(k) for k in (FIRST, SECOND)]
            stick = [-K_t * dot(axis, x) - D_t * speed for axis, speed in zip(axes, u[1:], strict=True)]  # Eq 11.78
            size, limit = sqrt(dot(stick, stick)), contact[FRICTION] * f_n
            slides = size > limit
            factor = select(slides, limit / select(slides, size, 1.0), 1.0)  # Eq 11.79
            contact[TARGET] = touches
            for r, x_r in enumerate([f_n, *(factor * x for x in stick)]):
                contact[IMPULSE + r] = select(touches > 0.5, x_r, 0.0)

    def _rates(self, v: Part, result: Part) -> None:
        """Of all patches, Eqs 11.73 and 11.77, and of the energy that contacts take."""
        program, found, last = self.program, self._patches(result), self.program.count("n_patch")
        with program.loop(0, program.count("n_slots")) as slot:
            _, _, K_t, D_t = self._numbers(slot)
            for k, x in enumerate(self._displacement(slot, v)):
                found.store(program, slot * 3 + k, -(K_t / D_t) * x)
            if self.soft.states:
                found.store(program, self._place_of_z(slot), self._recovery(slot, v, 0.0))
        for back in (2, 1):
            found.store(program, last - back, 0.0)
        for contact in self.contacts.each():
            with program.loop(0, 1):
                program.break_if(contact[TARGET] < 0.5)
                slot = contact.part(SLOT)
                _, _, K_t, D_t = self._numbers(slot)
                f, u = ([contact[k + r] for r in range(3)] for k in (IMPULSE, ARRIVING))
                along = f[1] * contact.vector(FIRST) + f[2] * contact.vector(SECOND)
                for k, (x, x_f) in enumerate(zip(self._displacement(slot, v), along, strict=True)):
                    found.store(program, slot * 3 + k, -(K_t * x + x_f) / D_t)
                if self.soft.states:
                    found.store(program, self._place_of_z(slot), self._recovery(slot, v, f[0]))
                for back, taken in ((2, f[0] * u[0]), (1, f[1] * u[1] + f[2] * u[2])):
                    energy = last - back
                    found.store(program, energy, found.load(program, energy) - taken)

    def _press(self, contact: Contact, result: Part) -> None:
        """Add what the force of a contact does along the velocities."""
        program = self.program
        n, t_1, t_2 = (contact.vector(k) for k in (NORMAL, FIRST, SECOND))
        force = contact[IMPULSE] * n + contact[IMPULSE + 1] * t_1 + contact[IMPULSE + 2] * t_2
        contact.keep(SPEED, force)
        for which, sign in ((LINK_S, 1.0), (LINK_P, -1.0)):
            for a, S in movers_of(program, contact.part(which)):
                moved = Vector(S[3:]) + cross(Vector(S[:3]), contact.vector(POINT))
                place = a + result.start
                x = program.load(result.array, place) + sign * dot(contact.vector(SPEED), moved)
                program.store(result.array, place, 0, x)

    # --- patches ------------------------------------------------------------------------------------------------------

    def _patches(self, v: Part) -> Part:
        return Part(v.array, v.start + self.tree.nv + self.nz)

    def _numbers(self, slot: Index) -> list[Scalar]:
        place = slot * PATCH
        return [self.program.load("patches", place, k) for k in range(PATCH)]

    def _displacement(self, slot: Index, v: Part) -> Vector:
        return Vector(self._patches(v).load(self.program, slot * 3 + k) for k in range(3))

    def _place_of_z(self, slot: Index) -> Whole:
        return slot + self.program.count("n_slots") * 3

    def _depth(self, slot: Index, v: Part) -> Scalar:
        """z of a patch, not above 0, if nothing touched it since the step began."""
        if self.soft.states:
            return minimum(self._patches(v).load(self.program, self._place_of_z(slot)), 0.0)
        K, D, *_ = self._numbers(slot)
        before, back = self.program.load("patch_depth", slot), self.program.load("patch_since", 0) * (K / D)
        return minimum(before + back, 0.0) if self.soft.n == self.soft.m else before * decay(back)

    def _recovery(self, slot: Index, v: Part, force: Scalar) -> Scalar:
        """z' of a patch under a normal force, Eq 11.73."""
        K, D, *_ = self._numbers(slot)
        depth = maximum(-self._depth(slot, v), 0.0)
        damping = D * power(depth, self.soft.m)
        moves = damping > 0.0
        return select(moves, (K * power(depth, self.soft.n) - force) / select(moves, damping, 1.0), 0.0)


def power(x: Scalar, exponent: float) -> Any:
    """x to a multiple of a half; x >= 0."""
    whole, half = divmod(round(2 * exponent), 2)
    found: Any = 1.0
    for _ in range(whole):
        found = found * x
    return found * sqrt(x) if half else found


def decay(x: Scalar) -> Scalar:
    """exp(-x) for x >= 0, to some 1e-13 of itself."""
    found: Any = polynomial(list(SERIES), minimum(x, LARGEST_DECAY) * 2.0**-HALVINGS)
    for _ in range(HALVINGS):
        found = found * found
    return found
