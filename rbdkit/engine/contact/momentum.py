"""Nesterov acceleration of the contact iteration: each iteration starts from an extrapolation of the two before it.

The weights are Nesterov's (1983), which depend on the iteration number alone. They restart when the extrapolation
points against the last change (O'Donoghue and Candes 2015). Anderson-like schemes, which fit weights to differences of
impulses, are avoided on purpose: with redundant contacts these differences are round-off, and two compilers would find
different impulses. Velocities are extrapolated with the impulses, as they are linear in them.
"""

from __future__ import annotations

from rbdkit.engine.contact.contacts import CHANGE, EARLIER, NN, TT, Contacts
from rbdkit.engine.contact.visits import Solving
from rbdkit.trace import Program, Scalar, select, sqrt

WEIGHT, FACTOR, ALONG = range(3)
"""Places in "momentum": Nesterov's t; the extrapolation factor; and the inner product whose sign triggers a restart."""
# Plain projected Gauss-Seidel took hundreds to thousands of iterations where many contacts are coupled.
FIRST, LAST = 5.0, 100.0
"""First and last iteration with acceleration. Easy steps converge before the first. The friction problem is not the
minimum of a function, so what has not converged after the last may be cycling; plain iterations end such cycles.
"""


class Momentum:
    """Nesterov acceleration of the impulses of all contacts of a step, and of the velocities that go with them."""

    def __init__(self, program: Program, solving: Solving) -> None:
        self.program, self.contacts, self.solving = program, Contacts(program), solving

    def begin(self) -> None:
        """Restart the weights at the beginning of a step."""
        self.program.store("momentum", 0, WEIGHT, 1.0)

    def record(self) -> None:
        """Extrapolate after an iteration, which has left its changes in the contacts."""
        program = self.program
        sweeps = program.load("contact_sweeps", 0)
        program.store("momentum", 0, ALONG, select(sweeps < FIRST, 0.0, select(sweeps > LAST, 0.0, 1.0)))
        with program.when("momentum", 0, ALONG):
            self._turn(select(program.load("contact_sweeps", 0) > FIRST, 1.0, 0.0))
            self._go_on()

    def _turn(self, again: Scalar) -> None:
        program, impulse = self.program, self.solving.impulse
        program.store("momentum", 0, ALONG, 0.0)
        program.store("momentum", 0, FACTOR, again)
        for contact in self.contacts.each():
            along = program.load("momentum", 0, ALONG)
            for r in range(self.solving.rows):
                way = contact[impulse + r] - contact[EARLIER + r]
                # weighted by the response to an impulse: the product is an energy, for light and heavy bodies alike
                along = along + contact[TT if r else NN] * contact[CHANGE + r] * way
            program.store("momentum", 0, ALONG, along)
        known = program.load("momentum", 0, FACTOR) > 0.5
        t = program.load("momentum", 0, WEIGHT)
        ahead = select(known, select(program.load("momentum", 0, ALONG) > 0.0, 1.0, 0.0), 0.0) > 0.5
        # Nesterov (1983): t' = (1 + sqrt(1 + 4 t^2)) / 2; the step goes further by the factor (t - 1) / t'
        t_next = 0.5 + 0.5 * sqrt(1.0 + 4.0 * t * t)
        program.store("momentum", 0, FACTOR, select(ahead, (t - 1.0) / t_next, 0.0))
        program.store("momentum", 0, WEIGHT, select(ahead, t_next, 1.0))

    def _go_on(self) -> None:
        program, impulse, velocities = self.program, self.solving.impulse, self.solving.velocities
        for contact in self.contacts.each():
            factor = program.load("momentum", 0, FACTOR)
            for r in range(self.solving.rows):
                x, before = contact[impulse + r], contact[EARLIER + r]
                contact[EARLIER + r] = x
                contact[impulse + r] = x + select(factor > 0.0, factor * (x - before), 0.0)
        with program.loop(0, program.count("n_places")) as place:
            factor = program.load("momentum", 0, FACTOR)
            v, before = program.load(velocities, place), program.load("velocities_earlier", place)
            program.store("velocities_earlier", place, 0, v)
            program.store(velocities, place, 0, v + select(factor > 0.0, factor * (v - before), 0.0))
