"""The force elements of a model, traced once, as operations on the motions of bodies and joints.

All elements act on one set of symbols: pose and velocity of each body that they ask for, the joint coordinates and
velocities, their own states, and the time. What they do becomes one law, a list of operations from these numbers to
joint forces, wrenches on bodies, rates of states, stored energy and dissipated power; programs record it between the
kinematics of the links and their dynamics. Parameters are inputs of the law, so models that differ in these alone share
their code.

Elements of one make, such as the springs of a soft body, are traced once and computed in a loop over a table (`alike`).
In the end the law is compared with the elements themselves at random states: what traces to something else, because it
branches on values or keeps something, is refused (`NotCovered`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.alike import FEWEST, Alike, Member, for_any, made_of, tables_of
from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.own_joints import on_symbols
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.errors import ModelError, RbdkitError
from rbdkit.forces import BodyMotion, Surroundings
from rbdkit.forces.loop_joint import LoopLike
from rbdkit.forces.surroundings import JointLike
from rbdkit.joints import JointType
from rbdkit.model import Joint, Loop, Model
from rbdkit.model.element_states import state_places
from rbdkit.model.force import Force
from rbdkit.model.kept import require_as_recorded
from rbdkit.model.on_symbols import MechanismOnSymbols, random_motion, recording, scalar, still
from rbdkit.trace import Feedback, Impure, Scalar, Symbol, roomy, symbols, tangents

OF_JOINTS = {"coulomb": "friction", "stiffness": "stiffness", "rest": "rest", "damping": "damping"}
"""Names of the parameters of joints' own force elements, as parameters of the joints."""
TRIALS = 3
"""Number of random states at which the trace is compared with the elements themselves."""


@dataclass(frozen=True)
class OwnForces:
    """The traced force elements of a model.

    Attributes
    ----------
    law : operations on "q", "v", "z" of the model, "body<i>" of bodies, and "t", as in `rbdkit.model.on_symbols`; it
        gives joint forces, six numbers for each pushed body, the rates of z, the stored energy and the dissipated
        power.
    bodies : bodies whose motion it reads; links : links that carry them. apart : whether the frame of such a body
        differs from its link's.
    velocities : velocity variables that joint forces act on. pushed : bodies that wrenches act on.
    frames : names of the frames that it reads. nz : number of states of the elements.
    alike : elements of one make, computed in loops; everything above is about the others.
    """

    law: Feedback
    bodies: tuple[int, ...]
    links: tuple[int, ...]
    apart: tuple[bool, ...]
    velocities: tuple[int, ...]
    pushed: tuple[int, ...]
    frames: tuple[str, ...]
    nz: int = 0
    alike: tuple[Alike, ...] = ()

    @property
    def tables(self) -> dict[str, NDArray]:
        """Index tables of `alike` for programs."""
        return tables_of(self.alike)

    @property
    def asks_bodies(self) -> bool:
        """Whether the motion of a body is read; only such bodies are pushed."""
        return bool(self.bodies or self.alike)

    @property
    def asks_joints(self) -> bool:
        """Whether joint coordinates or velocities are read."""
        return self.law.asks("q", "v")

    @property
    def asks_time(self) -> bool:
        """Whether the elements depend on time."""
        return any(law.asks("t") for law in (self.law, *(each.law for each in self.alike)))

    @property
    def pushed_links(self) -> tuple[int, ...]:
        """The links that carry pushed bodies, each once."""
        return tuple(dict.fromkeys(self.links[self.bodies.index(body)] for body in self.pushed))

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[list[Any]], list[Any], Any, Any]:
        """Split results of the law: joint forces, wrenches on bodies, rates of z, stored energy, dissipated power."""
        n = len(self.velocities)
        pushes = [list(values[n + 6 * k : n + 6 * k + 6]) for k in range(len(self.pushed))]
        return list(values[:n]), pushes, list(values[n + 6 * len(pushes) : -2]), values[-2], values[-1]


def numbers_of_forces(model: Model) -> list[float]:
    """Return the parameters of all force elements, concatenated."""
    parameters = (force.element.parameters().values() for force in model.acting)
    return [float(x) for values in parameters for value in values for x in np.ravel(value)]


def number_places(model: Model) -> dict[str, slice]:
    """Return where parameters of the model, by name, are among `numbers_of_forces`.

    Parameters of joints' own elements have the names of the joints'.
    """
    places, first = {}, 0
    for force in model.acting:
        for name, value in force.element.parameters().items():
            own = force in model.forces
            if own or name in OF_JOINTS:
                places[f"{force.name}.{name if own else OF_JOINTS[name]}"] = slice(first, first + np.size(value))
            first += np.size(value)
    return places


def own_forces(model: Model, layout: Layout) -> OwnForces | None:
    """Trace the force elements of a model; None if there are none.

    Raises
    ------
    NotCovered
        If an element cannot be traced: it branches on values, keeps state of its own, or calls what takes no symbols.
    """
    if not model.acting:
        return None
    for force in model.forces:
        require_as_recorded(model, force.name)
    laws = _loops(model)
    record = Record(model)
    for force in model.acting:
        if force.name in laws:
            record.leave_out(force)
            continue
        try:
            with recording(model, force):
                record.take(force)
        except Impure as fault:
            raise NotCovered(f"force {force.name!r}: {fault}") from fault
        except Exception as fault:  # a user's code on numbers that are not known yet: anything may go wrong in it
            raise NotCovered(f"force {force.name!r} cannot be compiled: {type(fault).__name__}: {fault}") from fault
    bodies = tuple(sorted(body for body in record.asked if body > 0))
    own = OwnForces(
        record.law(),
        bodies,
        tuple(int(layout.link_of_body[body]) for body in bodies),
        tuple(_is_apart(layout, body) for body in bodies),
        tuple(sorted(record.torques)),
        tuple(sorted(record.wrenches)),
        tuple(sorted(record.frames)),
        record.places.size,
        tuple(_together(model, layout, laws)),
    )
    try:
        with recording(model, *model.forces):
            _compare(model, own)
    except Impure as fault:
        raise NotCovered(f"forces cannot be compiled: {fault}") from fault
    return own


def _is_apart(layout: Layout, body: int) -> bool:
    """Return whether the frame of a body differs from its link's."""
    return body in layout.welded or not np.array_equal(layout.frames[body], np.eye(4))


def _loops(model: Model) -> dict[str, tuple[Feedback, tuple[int, ...]]]:
    """Return by element name the law and bodies of elements that go into loops, one law for each make."""
    makes: dict[Any, list[tuple[Force, tuple[int, ...]]]] = {}
    for force in model.acting:
        key, bodies = made_of(model, force)
        if bodies:
            makes.setdefault(key, []).append((force, bodies))
    found: dict[str, tuple[Feedback, tuple[int, ...]]] = {}
    for members in makes.values():
        if len(members) < FEWEST:
            continue
        force, bodies = members[0]
        record = Record(model)
        try:
            record.take(force)
        except Exception:  # it is traced alone later, which reports the error
            continue
        law = for_any(record.of_bodies(bodies), bodies, len(record.given))
        if not record.torques and not law.asks("q", "v"):
            found |= {force.name: (law, bodies) for force, bodies in members}
    return found


def _together(model: Model, layout: Layout, laws: dict[str, tuple[Feedback, tuple[int, ...]]]) -> Iterator[Alike]:
    """Return the elements in loops; if the frame of one's body differs from its link's, all of its make compute it."""
    members: dict[Feedback, list[Member[int]]] = {}
    apart: dict[Feedback, NDArray] = {}
    first = 0
    for force in model.acting:
        if force.name in laws:
            law, bodies = laws[force.name]
            links = tuple(int(layout.link_of_body[body]) for body in bodies)
            members.setdefault(law, []).append(Member(bodies, links, first))
            apart[law] = apart.get(law, False) | np.array([_is_apart(layout, body) for body in bodies])
        # parameters have their places among those of all elements, in loops or not
        first += sum(np.size(x) for x in force.element.parameters().values())
    return (Alike(law, tuple(apart[law].tolist()), tuple(of_make)) for law, of_make in members.items())


def require_known_places(model: Model, own: OwnForces) -> None:
    """Raise ModelError if forces depend on placements in a way whose derivatives are not known."""
    names = {frame.name for frame in model.frames} & set(own.frames)
    in_loops = (body for each in own.alike for member in each.members for body in member.bodies)
    for body in (*own.bodies, *in_loops):
        if model.joints[body].type.is_fixed:
            names.add(model.bodies[body].name)
    if names:
        raise ModelError(
            f"derivatives by parameters are not known where force elements act on named frames or on bodies with a "
            f"fixed joint: {', '.join(map(repr, sorted(names)))}; let them act on the bodies that carry these, at "
            "points of theirs. Derivatives by q, v and tau are known, see forward_dynamics_derivatives"
        )


class _JointOnSymbols:
    """A joint whose displacements are symbols; a curved one uses a traced copy of its type."""

    def __init__(self, joint: Joint) -> None:
        self.nv, self.v_slice, self.mimic, self.type = joint.nv, joint.v_slice, joint.mimic, joint.type
        self.coordinates, self.velocities = joint.coordinates, joint.velocities
        self._joint, self._type = joint, on_symbols(joint.type) if joint.type.is_curved else joint.type

    def displacement(self, q: NDArray, start: Any) -> NDArray:
        own = symbols(self._joint.type.neutral() if start is None else np.atleast_1d(start))
        return symbols(self._type.difference(roomy(own), roomy(self.coordinates(q))))

    def local_force(self, u: NDArray, f: NDArray) -> NDArray:
        return symbols(self._type.local_rate(roomy(u))).T @ f if self._joint.type.is_curved else f


class _LoopOnSymbols:
    """A loop joint whose pose is symbols."""

    def __init__(self, loop: Loop) -> None:
        self.predecessor, self.successor = loop.predecessor, loop.successor
        self.successor_placement = loop.successor_placement
        self.joint = SimpleNamespace(placement=loop.joint.placement, type=_TypeOnSymbols(loop.joint.type))


class _TypeOnSymbols:
    """The functions of a joint type that loop joints use, from a copy that takes symbols."""

    def __init__(self, type: JointType) -> None:
        self.nv, self.constant_S, self.neutral = type.nv, type.constant_S, type.neutral
        self._type, self._copy = type, on_symbols(type)

    def project(self, pose: NDArray) -> NDArray:
        return symbols(self._copy.project(roomy(pose)))

    def difference(self, start: NDArray, q: NDArray) -> NDArray:
        return symbols(self._copy.difference(roomy(symbols(start)), roomy(q)))

    def local_rate(self, u: NDArray) -> NDArray:
        return symbols(self._copy.local_rate(roomy(u))) if self._type.is_curved else np.eye(self.nv)

    def motion_subspace(self, q: NDArray) -> NDArray:
        return self._type.motion_subspace(q) if self.constant_S else symbols(self._copy.motion_subspace(roomy(q)))


class Record(MechanismOnSymbols):
    """Traces force elements: they act on symbols."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.torques: dict[int, Any] = {}
        self.wrenches: dict[int, NDArray] = {}
        self.energy: Scalar = 0.0
        self.lost: Scalar = 0.0
        self.places = state_places(model)
        self.z, self.z_rates = self.load("z", self.places.size), np.zeros(self.places.size, dtype=object)

    def take(self, force: Force) -> None:
        """Trace one element."""
        element = self.dressed(force.element).on_symbols(self.places.of(force, self.z))
        at = Surroundings(self, self.q, self.v, self.motion, self.t)
        with self.graph.exactly(element.is_users_own):
            self.places.put(force, at.let_act(element), self.z_rates)
            stored = np.asarray(element.energy(at), dtype=object).item()
        self.graph.require_not_refused()
        for a, x in at.torques.items():
            self.torques[a] = self.torques.get(a, 0.0) + scalar(x)
        for body, wrench in at.wrenches.items():
            if body > 0:
                self.wrenches[body] = self.wrenches[body] + wrench if body in self.wrenches else wrench
        self.energy = self.energy + stored
        if not force.element.conservative:
            # what bodies and joints give, less what is stored
            self.lost = self.lost - self._power(at) - self._rate(stored)

    def leave_out(self, force: Force) -> None:
        """Skip an element, whose numbers keep their places."""
        self.given += [float(x) for value in force.element.parameters().values() for x in np.ravel(value)]

    def joint(self, name: str) -> JointLike:
        """Return the joint of that name, with symbols as coordinates."""
        return _JointOnSymbols(self.model.joint(name))

    def loop(self, name: str) -> LoopLike | None:
        """Return the loop joint of that name, with its type's functions on symbols."""
        loop = self.model.loop(name)
        return None if loop is None else _LoopOnSymbols(loop)

    def law(self) -> Feedback:
        """Return everything traced, as one law."""
        torques = (self.torques[a] for a in sorted(self.torques))
        pushes = (x for body in sorted(self.wrenches) for x in self.wrenches[body])
        return self.recorded((*torques, *pushes, *self.z_rates, self.energy, self.lost))

    def of_bodies(self, bodies: tuple[int, ...]) -> Feedback:
        """Return what was traced: six numbers for each of these bodies, stored energy, dissipated power."""
        none = np.zeros(6)
        pushes = (x for body in bodies for x in self.wrenches.get(body, none))
        return self.recorded((*pushes, self.energy, self.lost))

    def _power(self, at: Surroundings) -> Scalar:
        total: Any = 0.0
        for a, x in at.torques.items():
            total = total + scalar(x) * self.v[a]
        for body, wrench in at.wrenches.items():
            total = total + (wrench[:3] @ self.motion(body).w + wrench[3:] @ _at_world_origin(self.motion(body)))
        return scalar(total)

    def _rate(self, stored: Any) -> Scalar:
        """Return the time derivative of a stored energy, by the chain rule."""
        if not isinstance(stored, Symbol):
            return 0.0
        seeds = {**self.rates([stored]), self.graph.position(self.t): 1.0}
        for x, rate in zip(self.z, self.z_rates, strict=True):
            seeds[self.graph.position(x)] = scalar(rate)
        return tangents(self.graph, [self.graph.position(stored)], seeds)[0]


def _at_world_origin(motion: BodyMotion) -> NDArray:
    """Return the velocity of the point of a body that is at the world origin."""
    return motion.v + np.cross(motion.p, motion.w)


def _compare(model: Model, own: OwnForces) -> None:
    """Raise NotCovered unless the trace gives what the elements give for numbers."""
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        q, v, z, t = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=own.nz), 10.0 * rng.random()
        rates, places = np.zeros(own.nz), state_places(model)
        motions = {body: random_motion(rng) for body in range(len(model.bodies))}
        motions[0] = still()
        with np.errstate(all="ignore"):
            at = Surroundings(model, q, v, motions.__getitem__, t)
            for force in model.acting:
                try:
                    places.put(force, at.let_act(places.at_present(force, z)), rates)
                except (ArithmeticError, RbdkitError):
                    return  # nothing to compare: a random motion may make no sense to the element
            load = _numbers_for(q, v, z, t, motions)
            torques, pushes, found_rates, *_ = own.split(own.law.value(load))
            in_all = dict(zip(own.pushed, map(np.array, pushes), strict=True))
            for each in own.alike:
                for member in each.members:
                    for body, push in zip(member.bodies, _pushes_of(each, member, load, own.law.numbers), strict=True):
                        in_all[body] = in_all.get(body, 0.0) + push
        expected = [at.torques[a] for a in own.velocities]
        expected += [*(x for body in in_all for x in at.wrenches.get(body, np.zeros(6))), *rates]
        found = [*torques, *(x for push in in_all.values() for x in push), *found_rates]
        # the same operations, up to the order in which products are summed
        near = 1e-9 * np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
        if not np.allclose(found, expected, rtol=1e-9, atol=near, equal_nan=True):
            names = ", ".join(repr(force.name) for force in model.acting)
            raise NotCovered(f"forces {names} do something else with numbers than with symbols")


def _pushes_of(
    each: Alike, member: Member[int], load: Callable[[str, int], float], numbers: Sequence[float]
) -> NDArray:
    """Return the wrenches (b, 6) of one element of a make on its bodies."""

    def of_member(argument: str, k: int) -> float:
        if argument == "numbers":
            return numbers[member.first + k]
        return load(f"body{member.bodies[int(argument[4:])]}" if argument.startswith("body") else argument, k)

    return np.reshape(each.law.value(of_member)[:-2], (each.bodies, 6))


def _numbers_for(
    q: NDArray, v: NDArray, z: NDArray, t: float, motions: dict[int, BodyMotion]
) -> Callable[[str, int], float]:
    """Return the function from which a law loads its arguments, on numbers."""
    given = {f"body{body}": np.concatenate([x.R.ravel(), x.p, x.w, x.v]) for body, x in motions.items()}
    given |= {"q": q, "v": v, "z": z, "t": np.array([t])}
    return lambda argument, k: float(given[argument][k])
