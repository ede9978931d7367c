"""Event-driven simulation of rigid contact without friction (Featherstone 2008, Table 11.1).

Between events the active contacts are equations of motion constraints, so that smooth integration applies. A step is
searched for its first event on the polynomial of the integration method: a gap that closes (gain), a vertex that leaves
its face (geometric loss), or a contact force that would pull (negative force). At the event impulses are applied if
bodies collide, and the complementarity problem of all touching contacts gives the new active set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.contact.contact_equation import ContactEquation, contact_equation, contact_motion
from rbdkit.algorithms.contact.impulse import contact_impulse
from rbdkit.algorithms.contact.motion_step import MotionStep, heun_motion
from rbdkit.algorithms.contact.point_contact import PointContact
from rbdkit.algorithms.contact.states import contact_state
from rbdkit.algorithms.contact.surfaces import ContactPair
from rbdkit.errors import ConvergenceError, StateError
from rbdkit.model import Model

Kind = Literal["start", "gain", "geometric loss", "negative force"]
SPEED = 1e-8
"""Separation velocities below this, m/s, count as zero after an impulse."""


@dataclass(frozen=True, eq=False)
class ContactChange:
    """Event of a simulation: a change of the set of active contacts.

    Attributes
    ----------
    t : float
        Time, s.
    kind : Kind
        'start', 'gain', 'geometric loss' or 'negative force'.
    names : tuple of str
        Names of the contacts that caused it.
    before : tuple of str
        Names of the contacts that were active before.
    tried : tuple of str
        Contacts in state 3 of Fig 11.4 afterwards, for which the complementarity problem was solved.
    current, active : tuple of str
        The tried contacts that persist, and those whose normals form a basis.
    lam : dict of str to float
        Forces of the active contacts, N.
    impulse : dict of str to float
        Impulses at a gain, N s.
    energy_lost : float
        Energy lost to the impulses, J.
    """

    t: float
    kind: Kind
    names: tuple[str, ...]
    before: tuple[str, ...]
    tried: tuple[str, ...]
    current: tuple[str, ...]
    active: tuple[str, ...]
    lam: dict[str, float]
    impulse: dict[str, float]
    energy_lost: float


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """States of a simulation after each step and each event.

    Attributes
    ----------
    t : ndarray (n,)
        Times, s. The time of an impulse appears twice, before and after it.
    q : ndarray (n, nq)
        Coordinates.
    v : ndarray (n, nv)
        Velocities.
    lam : ndarray (n, n_pairs)
        Contact forces, N.
    phi : ndarray (n, n_pairs)
        Distances, m.
    changes : tuple of ContactChange
        The events.
    """

    t: NDArray
    q: NDArray
    v: NDArray
    lam: NDArray
    phi: NDArray
    changes: tuple[ContactChange, ...]


def event_driven(
    model: Model,
    q: NDArray,
    v: NDArray,
    pairs: Sequence[ContactPair],
    *,
    duration: float,
    h: float = 1e-3,
    e: float = 0.0,
    tau: Callable[[float, NDArray, NDArray], NDArray] | None = None,
    touch: float = 1e-9,
    settle: float = 1e-3,
    slack: float = 1e-9,
    most: int = 1000,
) -> ContactHistory:
    """Simulate rigid contact without friction by Table 11.1 (Featherstone 2008, section 11.5).

    The steps are Heun's, and events inside a step are found on its polynomial. After a step the active contacts are
    brought back to zero distance and speed by the least displacement, because constraints on accelerations drift.

    Parameters
    ----------
    q : ndarray (nq,)
        Initial coordinates.
    v : ndarray (nv,)
        Initial velocities.
    pairs : sequence of ContactPair
        All pairs that may touch. One with a method ``over(model, q, t=...)`` (`VertexOnFace`) is a contact only where
        that is positive, and is lost where it passes zero.
    duration, h : float
        Simulated time and step, s.
    e : float, optional
        Coefficient of restitution.
    tau : callable, optional
        Joint forces tau(t, q, v) (nv,); none if not given.
    touch : float, optional
        Distance that counts as touching, m. A step that ends with deeper penetration contains a gain.
    settle : float, optional
        Impacts slower than this, m/s, do not bounce, and contacts that separate slower persist. Otherwise bouncing, and
        a box that rocks from corner to corner, would make infinitely many events in finite time (Zeno behaviour).
    slack : float, optional
        Tensile force, N, above which a contact ends; it prevents chatter.
    most : int, optional
        Largest number of events.

    Raises
    ------
    InfeasibleError
        If no forces or impulses keep bodies apart, with the names of the contacts and the time.
    StateError
        If bodies penetrate at the beginning.
    ConvergenceError
        If there are more than `most` events.

    Examples
    --------
    A ball is dropped from 5 cm and jumps half as fast as it came:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.contact import SphereOnPlane, event_driven
    >>> model = rbd.Model("ball", gravity=(0, 0, -10))
    >>> ball = model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    >>> floor = SphereOnPlane("floor", "world", "ball", (0.0, 0.0, 0.0), 0.1)
    >>> run = event_driven(model, np.array([0.15]), np.zeros(1), [floor], duration=0.15, h=0.01, e=0.5)
    >>> [(change.kind, round(change.t, 9), round(change.impulse["floor"], 9)) for change in run.changes[1:]]
    [('gain', 0.1, 1.5)]
    """
    run = _Run(model, tuple(pairs), tau, e, touch, settle, slack)
    names = run.start(0.0, q, v)
    t, q, v = 0.0, np.array(q, dtype=float), np.array(v, dtype=float)
    q, v = run.settle_contacts(t, q, v, "start", names, impulse=True)
    while t < duration * (1.0 - 1e-14):
        step_h = min(h, duration - t)
        step = heun_motion(model, run.acceleration, q, v, t, step_h)
        delta, kind, names = run.earliest(step, t)
        q, v = step.at(delta)
        t += delta * step_h
        q, v = run.brought_back(t, q, v)
        run.keep(t, q, v)
        if kind is not None:
            q, v = run.settle_contacts(t, q, v, kind, names, impulse=kind == "gain")
            if len(run.changes) > most:
                raise ConvergenceError(f"{most} contact events until t = {t:.9g} s; raise settle = {settle} m/s")
    t_kept, q_kept, v_kept, lam, phi = (np.array(part) for part in zip(*run.kept, strict=True))
    return ContactHistory(t_kept, q_kept, v_kept, lam, phi, tuple(run.changes))


class _Run:
    """Current and active contacts between events, and the search for the next event."""

    def __init__(
        self, model: Model, pairs: tuple[ContactPair, ...], tau: Callable[[float, NDArray, NDArray], NDArray] | None,
        e: float, touch: float, settle: float, slack: float,
    ) -> None:  # fmt: skip
        self.model, self.pairs, self.tau = model, pairs, tau
        self.e, self.touch, self.settle, self.slack = e, touch, settle, slack
        self.current: list[int] = []
        self.active: list[int] = []
        self.changes: list[ContactChange] = []
        self.kept: list[tuple[float, NDArray, NDArray, NDArray, NDArray]] = []

    def start(self, t: float, q: NDArray, v: NDArray) -> tuple[str, ...]:
        """Return the names of the pairs that touch at the beginning; none may penetrate (Fig 11.4)."""
        found = []
        for i, contact in enumerate(self.contacts(t, q, v)):
            if self.over(i, t, q) > 0.0:
                zeta = self.equation(t, q, v, [contact]).zeta[0]
                state = contact_state(contact.phi, zeta, gap=self.touch, speed=SPEED, name=contact.name)
                found += [contact.name] if state != "1" else []
        return tuple(found)

    def contacts(self, t: float, q: NDArray, v: NDArray, rows: Sequence[int] | None = None) -> list[PointContact]:
        rows = range(len(self.pairs)) if rows is None else rows
        return [self.pairs[i].at(self.model, q, v, t=t) for i in rows]

    def over(self, i: int, t: float, q: NDArray) -> float:
        """Return a positive number where the pair can touch; only bounded faces limit that."""
        over = getattr(self.pairs[i], "over", None)
        return np.inf if over is None else float(over(self.model, q, t=t))

    def equation(self, t: float, q: NDArray, v: NDArray, contacts: list[PointContact]) -> ContactEquation:
        tau = np.zeros(self.model.nv) if self.tau is None else self.tau(t, q, v)
        return contact_equation(self.model, q, v, tau, contacts, t=t)

    def forces(self, t: float, q: NDArray, v: NDArray) -> tuple[ContactEquation, NDArray]:
        """Return the equation and forces, of either sign, of the active contacts as equality constraints."""
        equation = self.equation(t, q, v, self.contacts(t, q, v, self.active))
        return equation, -np.linalg.solve(equation.M, equation.d)

    def acceleration(self, q: NDArray, v: NDArray, t: float) -> NDArray:
        """Return qdd while the active contacts persist (step 1)."""
        return ContactEquation.acceleration(*self.forces(t, q, v))

    def brought_back(self, t: float, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Project the active contacts to zero distance and speed, along H^-1 T: the least displacement."""
        if self.active:
            for _ in range(2):
                contacts = self.contacts(t, q, v, self.active)
                back = _least_motion(self.equation(t, q, v, contacts), list(range(len(contacts))))
                q = self.model.move(q, -back @ [contact.phi for contact in contacts])
            contacts = self.contacts(t, q, v, self.active)
            v = v - back @ self.equation(t, q, v, contacts).zeta
        return q, v

    def keep(self, t: float, q: NDArray, v: NDArray) -> None:
        lam = np.zeros(len(self.pairs))
        lam[self.active] = self.forces(t, q, v)[1]
        self.kept.append((t, q, v, lam, np.array([contact.phi for contact in self.contacts(t, q, v)])))

    def earliest(self, step: MotionStep, t: float) -> tuple[float, Kind | None, tuple[str, ...]]:
        """Return the fraction of the step until the first event, its kind and its contacts (steps 2 and 3)."""
        first: tuple[float, Kind | None, tuple[str, ...]] = (1.0, None, ())

        def gap(delta: float, i: int) -> float:
            return self.contacts(t + delta * step.h, *step.at(delta), [i])[0].phi

        def inside(delta: float, i: int) -> float:
            return self.over(i, t + delta * step.h, step.at(delta)[0])

        def force(delta: float, row: int) -> float:
            return float(self.forces(t + delta * step.h, *step.at(delta))[1][row]) + self.slack

        for i, pair in enumerate(self.pairs):
            if i in self.current:
                if inside(1.0, i) <= 0.0:
                    first = min(first, (_root(inside, i, 0.0), "geometric loss", (pair.name,)), key=lambda x: x[0])
            elif gap(1.0, i) < -self.touch:
                delta = _root(gap, i, 0.0)
                if inside(delta, i) > 0.0:
                    first = min(first, (delta, "gain", (pair.name,)), key=lambda x: x[0])
        for row, i in enumerate(self.active):
            if force(1.0, row) < 0.0:
                found = (_root(force, row, 0.0), "negative force", (self.pairs[i].name,))
                first = min(first, found, key=lambda x: x[0])  # type: ignore[assignment]
        return first

    def settle_contacts(
        self, t: float, q: NDArray, v: NDArray, kind: Kind, names: tuple[str, ...], impulse: bool
    ) -> tuple[NDArray, NDArray]:
        """Apply impulses at all touching contacts, then find the new current and active sets (steps 4 to 6)."""
        before = tuple(self.pairs[i].name for i in self.active)
        contacts = self.contacts(t, q, v)
        near = 2.0 * self.touch + 0.1 * self.settle**2  # a bounce slower than `settle` rises about v^2 / 2 g
        rows = [i for i, c in enumerate(contacts) if abs(c.phi) <= near and self.over(i, t, q) > 0.0]
        given: dict[str, float] = {}
        lost = 0.0
        try:
            if impulse and rows:
                touching = [contacts[i] for i in rows]
                zeta = self.equation(t, q, v, touching).zeta
                e = np.where(zeta < -self.settle, self.e, 0.0)
                blow = contact_impulse(self.model, q, v, touching, e, t=t)
                v, lost = blow.qd, blow.energy_lost
                given = {contacts[i].name: float(x) for i, x in zip(rows, blow.lam, strict=True) if x > 0.0}
            at = self.equation(t, q, v, self.contacts(t, q, v, rows))
            slow = [k for k, zeta in enumerate(at.zeta) if abs(zeta) <= max(SPEED, self.settle)]
            rows = [rows[k] for k in slow]
            if impulse and rows:
                v = v - _least_motion(at, slow) @ at.zeta[slow]
            found = contact_motion(self.equation(t, q, v, self.contacts(t, q, v, rows)), tol=np.inf)
            lost_now = [i for i in rows if kind == "negative force" and self.pairs[i].name in names]
            if lost_now and not any(found.lam[rows.index(i)] > 0.0 for i in lost_now):
                rows = [i for i in rows if i not in lost_now]  # zeta' is still zero but for round-off
                found = contact_motion(self.equation(t, q, v, self.contacts(t, q, v, rows)), tol=np.inf)
        except StateError as fault:
            fault.add_note(f"this happened at t = {t:.9g} s, at a {kind}")
            raise
        number = {pair.name: i for i, pair in enumerate(self.pairs)}
        self.current, self.active = ([number[name] for name in part] for part in (found.current, found.active))
        lam = {self.pairs[i].name: float(x) for i, x in zip(rows, found.lam, strict=True)}
        self.changes.append(
            ContactChange(
                t, kind, names, before, tuple(lam), found.current, found.active,
                {name: lam[name] for name in found.active}, given, lost,
            )
        )  # fmt: skip
        self.keep(t, q, v)
        return q, v


def _least_motion(at: ContactEquation, rows: list[int]) -> NDArray:
    """Return (nv, n) the least motions, in the kinetic-energy metric, that separate the contacts `rows` at unit speed.

    They are motions that the loops allow. Normals may be dependent, so M is inverted on its range.
    """
    return at.G @ np.linalg.solve(at.G.T @ at.H @ at.G, at.T_y[:, rows]) @ np.linalg.pinv(at.M[np.ix_(rows, rows)])


def _root(f: Callable[[float, int], float], i: int, low: float) -> float:
    """Return the fraction at which f, negative at the end of a step, falls through zero; 0 if it is never positive."""
    from scipy.optimize import brentq  # slow to load

    part = 0.5
    while low == 0.0 and part > 1e-9:
        if f(part, i) > 0.0:
            low = part
        part *= 0.5
    if low == 0.0:
        return 0.0
    return float(brentq(f, low, 1.0, args=(i,), xtol=1e-15, rtol=8.9e-16))
