"""A compliant-contact system: a joint system with contact forces and their states, for integrators in Python.

A penalty law (`ContactForce`) has no events: contact is a force that depends on gap and relative velocity at each
place, so that a model with contacts is an ordinary differential equation, which any explicit integrator can step. This
class is that equation. In each evaluation of `ForcesAtPoints.rate` it

1. finds the places within the law's reach and the relative velocities there,
2. calls the law's `act` for them, on arrays if the law is one of rbdkit's, else place by place,
3. adds the forces to the external forces of the joint system and evaluates the dynamics,
4. writes the rates of the law's states, and the power lost, behind the rates of the velocities.

States belong to places, not to candidate contacts: each pair has a fixed number of places (`Pairs.slots`), and what
is out of reach goes on to relax there with an infinite gap. The energies lost are integrated as two more states, by the
same method, so the energy balance of a run has the method's order.

`ForcesAtPoints.fastest_rate` linearises the law by finite differences; the report compares it with the step.
`rbdkit.laws.recorded_force` makes the compiled form of the same law.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.contact.force_tree import LIMIT
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.laws.contact_point import ContactPoint, flat, is_users_own, sizes_of
from rbdkit.laws.log import Log
from rbdkit.laws.near import Near
from rbdkit.laws.scene import Scene

if TYPE_CHECKING:
    from rbdkit.laws.contact_force import ContactForce

SMALL = 1e-8, 1e-6
"""Steps of the finite differences of forces, as parts of the reference length (gaps) and speed (velocities)."""


class ForcesAtPoints:
    """A joint system with the states of a contact force law at all places where its bodies may touch.

    The vector v holds joint velocities, states of force elements, then each state of the law over all places, and at
    the end the energy dissipated so far by normal forces and by friction, J.

    Parameters
    ----------
    scene : the rigid-contact system. law : the contact force law.
    """

    def __init__(self, scene: Scene, law: ContactForce) -> None:
        self.scene, self.system, self.model, self.law = scene, scene.system, scene.model, law
        self.numbers = law.numbers(scene.pairs.surfaces, scene.pairs.names)
        self.first = np.concatenate([[0], np.cumsum(scene.pairs.slots)]).astype(int)
        self.slots = int(self.first[-1])
        self.pair = np.repeat(np.arange(len(scene.pairs.slots)), scene.pairs.slots)
        self.own = end = scene.model.nv + scene.model.nz
        self.sizes = sizes_of(law)
        self.places: dict[str, slice] = {}
        for name in law.states:
            self.places[name] = slice(end, end + self.sizes[name] * self.slots)
            end = self.places[name].stop
        self.size = end - self.own + 2
        self.kept = {name: np.zeros((self.slots, size)) for name, size in law.kept.items()}
        self.begun = 0.0
        self.f_ext = scene.system.f_ext

    def at_rest(self) -> NDArray:
        """Return the initial values of the law's states and of the dissipated energies: zeros."""
        return np.zeros(self.size)

    def begin(self, t: float) -> None:
        """Store the time at which a step begins, s."""
        self.begun = t

    # --- as a system --------------------------------------------------------------------------------------------------

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        rates = np.zeros_like(v)
        near, row, u, said = self._said_here("act", t, x, v)
        f = said.force
        self._put(rates, said.rates)
        if self.law.states:
            f = f[:, row]
        rates[-2] = -float((f[0] * u[0]).sum())
        rates[-1] = -float((f[1:] * u[1:]).sum())
        rates[: self.own] = self._moving(t, x, v[: self.own], near, f)
        return rates

    def _put(self, s: NDArray, values: Mapping[str, NDArray]) -> None:
        """Write states, or their rates, of all places into a vector s."""
        for name, place in self.places.items():
            if name in values:
                s[place] = values[name].T.ravel()

    def _moving(self, t: float, q: NDArray, w: NDArray, near: Near, f: NDArray) -> NDArray:
        """Return the rates of velocities and of states of force elements under contact forces f (3, m)."""
        if not len(near):
            return self.system.rate(t, q, w)
        wrenches = np.einsum("ki,ikj->ij", f, self.scene.wrenches(near))
        total = np.zeros((len(self.model.bodies), 6))
        both = self.scene.pairs.bodies[near.pair]
        np.add.at(total, both[:, 1], wrenches)
        np.add.at(total, both[:, 0], -wrenches)
        # the fixed base takes every force
        total[0] = 0.0
        given = self.f_ext
        # the joint system takes external forces as a function: for this one evaluation, which may raise, it gets
        # another one
        self.system.f_ext = lambda t, q, v: total if given is None else given(t, q, v) + total
        try:
            return self.system.rate(t, q, w)
        finally:
            self.system.f_ext = given

    def move(self, x: NDArray, u: NDArray) -> NDArray:
        return self.system.move(x, u[..., : self.own])

    def local_rate(self, u: NDArray, v: NDArray) -> NDArray:
        rates = np.zeros_like(v)
        rates[: self.own] = self.system.local_rate(u[: self.own], v[: self.own])
        return rates

    def displacement(self, x0: NDArray, x1: NDArray) -> NDArray:
        return np.concatenate([self.system.displacement(x0, x1), self.at_rest()])

    # --- the law ------------------------------------------------------------------------------------------------------

    def _said_here(
        self, method: Literal["act", "settle"], t: float, q: NDArray, s: NDArray
    ) -> tuple[Near, NDArray, NDArray, Said]:
        """Evaluate the law: return points within reach, their places, velocities there (3, m), and its results.

        The results are for these points, or for all places if the law has states or kept values.
        """
        near, u = self._near(t, q, s)
        row = self.first[near.pair] + near.slot
        if method == "act" and not self.law.states:
            return near, row, u, self._said(method, row, self._known(t, near, u), self._states_at(row, s))
        # states have rates at all places, also where nothing is within reach and the gap counts as infinite
        known, every = self._known_apart(t, np.arange(self.slots)), np.arange(self.slots)
        for name, x in self._known(t, near, u).items():
            if np.ndim(x):
                known[name][..., row] = x
        return near, row, u, self._said(method, every, known, self._states_at(every, s))

    def _near(self, t: float, q: NDArray, s: NDArray) -> tuple[Near, NDArray]:
        v = s[: self.model.nv]
        near = self.scene.near(t, q, v, self.law.reach)
        if not len(near):
            return near, np.zeros((3, 0))
        _, velocity = self.scene.motion(t, q, v)
        both = self.scene.pairs.bodies[near.pair]
        return near, np.einsum("ijk,ik->ji", self.scene.wrenches(near), velocity[both[:, 1]] - velocity[both[:, 0]])

    def _known(self, t: float, near: Near, u: NDArray) -> dict[str, Any]:
        normal, first, second = np.moveaxis(near.axes, 0, -1)
        places = {"gap": near.gap, "velocity": u, "normal": normal, "first": first, "second": second}
        return places | self._known_anyhow(t, near.pair)

    def _known_apart(self, t: float, row: NDArray) -> dict[str, Any]:
        """Return what `ContactPoint` needs for places out of reach: infinite gap, zero velocity."""
        places = {name: np.zeros((3, len(row))) for name in ("velocity", "normal", "first", "second")}
        return {"gap": np.full(len(row), np.inf), **places, **self._known_anyhow(t, self.pair[row])}

    def _known_anyhow(self, t: float, pair: NDArray) -> dict[str, Any]:
        friction, restitution = self.scene.friction[pair], self.scene.restitution[pair]
        return {"friction": friction, "restitution": restitution, "time": t, "since": t - self.begun}

    def _states_at(self, row: NDArray, s: NDArray) -> dict[str, NDArray]:
        """Return states and kept values at some places, (n, m) by name."""
        own = {name: s[place].reshape(self.slots, -1)[row].T for name, place in self.places.items()}
        return own | {name: values[row].T for name, values in self.kept.items()}

    def _said(
        self, method: Literal["act", "settle"], row: NDArray, known: Mapping[str, Any], own: Mapping[str, NDArray]
    ) -> Said:
        """Call the law for some places and collect its results.

        A user's class is called for each place separately, since it may branch on values; ours take arrays.
        """
        numbers = {name: x[self.pair[row]] for name, x in self.numbers.items()}
        said = Said(self.sizes, self.law.states if method == "act" else {}, len(row))
        if not is_users_own(self.law):
            said.take(slice(None), self._asked(method, numbers, known, own))
            return said
        for i in range(len(row)):
            here = {name: x if np.ndim(x) == 0 else x[..., i] for name, x in known.items()}
            mine = {name: x[:, i] for name, x in own.items()}
            said.take(i, self._asked(method, {name: x[i] for name, x in numbers.items()}, here, mine))
        return said

    def _asked(
        self, method: str, numbers: Mapping[str, Any], known: Mapping[str, Any], own: Mapping[str, NDArray]
    ) -> ContactPoint:
        point = ContactPoint(known, {name: x if len(x) > 1 else x[0] for name, x in own.items()})
        getattr(dressed(self.law, numbers), method)(point)
        return point

    # --- steps --------------------------------------------------------------------------------------------------------

    def settled(self, t: float, q: NDArray, s: NDArray) -> tuple[NDArray, NDArray]:
        """Finish a step: project loops, and let the law set states and kept values; return the new state."""
        s, nv = np.array(s), self.model.nv
        if isinstance(self.system, ClosedJointSystem):
            q, s[:nv] = self.system.project(q, s[:nv], t)
        if not (self.law.states or self.law.kept):
            return q, s
        said = self._said_here("settle", t, q, s)[-1].kept
        self._put(s, said)
        for name, kept in self.kept.items():
            if name in said:
                kept[:] = said[name].T
        return q, s

    def tell(self, log: Log, k: int, t: float, q: NDArray, s: NDArray, h: float) -> None:
        """Write the contact points and forces of state k to a log. h : length of the step, s."""
        near, u = self._near(t, q, s)
        row = self.first[near.pair] + near.slot
        f = self._said("act", row, self._known(t, near, u), self._states_at(row, s)).force
        pushes = (f != 0.0).any(axis=0)
        near, f, u = near.of(pushes), f[:, pushes], u[:, pushes]
        log.state(k, t, near, np.einsum("ki,ikj->ij", f, near.axes))
        friction = self.scene.friction[near.pair]
        at_limit = np.hypot(f[1], f[2]) >= LIMIT * friction * f[0]
        log.watch(t, near, f[0] * h, u[0], np.where(at_limit, np.hypot(u[1], u[2]), 0.0), friction > 0.0, 1e-2)

    def fastest_rate(self, t: float, q: NDArray, s: NDArray) -> float:
        """Return the largest absolute eigenvalue of the linearised contact dynamics at places within reach, 1/s.

        At each place ``d(gap, u, z)/dt = (u_n, W f, rates)`` with the law's states z. For W the norm of the Delassus
        matrix of all places is used; derivatives of forces and rates are finite differences.
        """
        near, u = self._near(t, q, s)
        row = self.first[near.pair] + near.slot
        most = 0.0
        if len(near):
            J = self.scene.rows(t, q, near)
            most = float(np.linalg.norm(J @ self.scene.inverse(t, q).times(J.T), 2))
        return max(self._rate_at(row, s, self._known(t, near, u), most), self._rate_apart)

    @cached_property
    def _rate_apart(self) -> float:
        """Largest rate of the states at places out of reach, 1/s; one place for each combination of materials."""
        if not (self.law.states and self.slots):
            return 0.0
        # places out of reach differ in their material numbers only
        pairs = np.column_stack([*self.numbers.values(), self.scene.friction, self.scene.restitution])
        row = np.unique(pairs[self.pair], axis=0, return_index=True)[1]
        at_rest = np.concatenate([np.zeros(self.own), self.at_rest()])
        return self._rate_at(row, at_rest, self._known_apart(self.begun, row), 0.0)

    def _rate_at(self, row: NDArray, s: NDArray, known: Mapping[str, Any], most: float) -> float:
        own = self._states_at(row, s)
        # states that `settle` sets anew after each step cannot grow from step to step: they are left out
        set_anew = self._said("settle", row, known, own).kept
        names = [name for name in self.places if name not in set_anew]
        ends = 4 + np.cumsum([len(own[name]) for name in names], dtype=int)
        far, fast = SMALL[0] * self.scene.length, SMALL[1] * self.scene.speed

        def said(x: NDArray) -> NDArray:
            """Return accelerations and rates (n - 1, m) at gap, velocities and states x (n, m)."""
            states = {name: x[end - len(own[name]) : end] for name, end in zip(names, ends, strict=True)}
            there = self._said("act", row, {**known, "gap": x[0], "velocity": x[1:4]}, {**own, **states})
            return np.concatenate([most * there.force, *(there.rates[name] for name in names)])

        x = np.concatenate([known["gap"][None], known["velocity"], *(own[name] for name in names)])
        n, here = len(x), said(x)
        A = np.zeros((len(row), n, n))
        # rate of the gap: the normal velocity
        A[:, 0, 1] = 1.0
        for k, step in enumerate([far, *[fast] * 3, *[far] * (n - 4)]):
            slopes = []
            for side in (step, -step):
                beside = x.copy()
                beside[k] += side
                slopes.append((said(beside) - here).T / side)
            steep = np.abs(slopes[0]).max(axis=1) > np.abs(slopes[1]).max(axis=1)
            # the flatter one-sided slope: on the other side the force may jump, as where contact begins
            A[:, 1:, k] = np.where(steep[:, None], slopes[1], slopes[0])
        return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))


class Said:
    """Results of a law at m places: forces (3, m), and by name rates and kept values, (n, m).

    sizes : sizes of states and kept values. states : those whose rates are zero unless the law sets them.
    """

    def __init__(self, sizes: Mapping[str, int], states: Mapping[str, int], places: int) -> None:
        self._sizes, self._places = sizes, places
        self.force = np.zeros((3, places))
        self.rates = {name: np.zeros((size, places)) for name, size in states.items()}
        self.kept: dict[str, NDArray] = {}

    def take(self, where: Any, point: ContactPoint) -> None:
        """Take over the results of a `ContactPoint` for some of the places."""
        for force, x in zip(self.force, point.force, strict=True):
            force[where] = x
        for found, said in ((self.rates, point.rates), (self.kept, point.kept)):
            for name, value in said.items():
                rows = found.setdefault(name, np.zeros((self._sizes[name], self._places)))
                for row, x in zip(rows, flat(value, self._sizes[name], f"state {name!r}"), strict=True):
                    row[where] = x


def dressed(law: ContactForce, numbers: Mapping[str, Any]) -> ContactForce:
    """Return a copy of a law with other values, or symbols, in its fields; they are not checked."""
    if not numbers:
        return law
    other = copy(law)
    for name, value in numbers.items():
        object.__setattr__(other, name, value)
    return other
