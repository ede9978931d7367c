"""A force element in a model, its evaluation at a state, and the checks that it passes before it is added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError, StateError
from rbdkit.forces import BodyMotion, ForceElement, JointDamper, JointFriction, JointSpring, Surroundings
from rbdkit.forces.element import End
from rbdkit.model.element_states import state_places, states_unknown
from rbdkit.model.joint import Joint
from rbdkit.model.kept import require_as_recorded
from rbdkit.model.trial_motion import trial_motion
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.read_numbers import shown, time_in_seconds

if TYPE_CHECKING:
    from rbdkit.model.model import Model

SMALL = 1e-6
"""Half the interval of the central difference of the energy, s."""
LIKE = 1e-5
"""Relative tolerance between the power of the forces and the rate of the energy."""
MOMENT, LOOKS = 1e-8, 6
"""Time between repeated comparisons, s, and their number."""
SAME = 0.1
"""Relative spread of the imbalance over these below which it is real; round-off varies by more."""


@dataclass(frozen=True, eq=False)
class Force:
    """A force element of a model.

    Attributes
    ----------
    name : str
        Unique among forces, bodies, frames and joints.
    element : ForceElement
        The element that defines the force law.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> model.add_force("band", rbd.Spring("rod", "world", stiffness=20.0, at_b=(1.0, 0.0, 0.0))).name
    'band'
    """

    name: str
    element: ForceElement

    def __repr__(self) -> str:
        return f"<Force {self.name!r}: {self.element!r}>"


def acting(model: Model) -> tuple[Force, ...]:
    """Return all forces to be evaluated as elements: those added, dry friction of joints, springs of loop joints.

    Springs and dampers of tree joints are not among them; the algorithms add these to tau themselves.
    """
    if model.elements:
        from rbdkit.model.on_symbols import of_users  # which models without them never need

        of_users(model)
    rubbing = [joint for joint in (*model.joints, *(loop.joint for loop in model.loops)) if joint.friction.any()]
    friction = (Force(j.name, JointFriction(j.name, tuple(j.friction.tolist()))) for j in rubbing)
    return *model.forces, *friction, *(force for loop in model.loops for force in _in_loop(loop.joint))


def _in_loop(joint: Joint) -> Iterator[Force]:
    """Yield the spring and the damper of a loop joint as force elements."""
    if joint.stiffness.any():
        spring = JointSpring(joint.name, tuple(joint.stiffness.tolist()), tuple(joint.rest.tolist()))
        yield Force(joint.name, spring)
    if joint.damping.any():
        yield Force(joint.name, JointDamper(joint.name, tuple(joint.damping.tolist())))


def surroundings(model: Model, q: NDArray, v: NDArray, t: float = 0.0) -> Surroundings:
    """Return the view of one state of a tree for force elements: q (nq,), v (nv,), t in s.

    Body motions are computed when first read, along the path from the base, and stored.
    """

    known = {0: BodyMotion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))}

    def motion(body: int) -> BodyMotion:
        for i in () if body in known else model.support(body):
            if i not in known:
                parent, joint = known[model.parent[i]], model.joints[i]
                step = joint.pose(q, t)
                inherited = plucker.from_pose(step) @ np.concatenate([parent.R.T @ parent.w, parent.R.T @ parent.v])
                twist = inherited + joint.velocity(q, v, t)  # Eq 5.18, in body coordinates
                R = parent.R @ step[:3, :3]
                known[i] = BodyMotion(R, parent.p + parent.R @ step[:3, 3], R @ twist[:3], R @ twist[3:])
        return known[body]

    return Surroundings(model, q, v, motion, t)


def surroundings_at(
    model: Model, poses: NDArray, twists: NDArray, q: NDArray, v: NDArray, t: float = 0.0
) -> Surroundings:
    """Return the view of one state given by poses (bodies, 4, 4) and body twists (bodies, 6), for force elements.

    q, v : (nq,), (nv,) the joint coordinates and velocities that come closest.
    """

    def motion(body: int) -> BodyMotion:
        R = poses[body, :3, :3]
        return BodyMotion(R, poses[body, :3, 3], R @ twists[body, :3], R @ twists[body, 3:])

    return Surroundings(model, q, v, motion, t)


def neutral_distance(model: Model, a: End, b: End) -> float:
    """Return the distance of two points in the neutral configuration, m."""
    at = surroundings(model, model.neutral(), np.zeros(model.nv))
    return float(np.linalg.norm(at.position(*b) - at.position(*a)))


class ForcesAtState:
    """Evaluator of all applied forces of a model at one state; see `acting`.

    Parameters
    ----------
    q, v : (nq,), (nv,) coordinates and velocities. t : time in s.
    z : (nz,) states of force elements; None if there are none.
    at : view of the state to use; made from q and v if not given.
    """

    def __init__(
        self,
        model: Model,
        q: NDArray,
        v: NDArray,
        t: float = 0.0,
        z: NDArray | None = None,
        at: Surroundings | None = None,
    ) -> None:
        t = time_in_seconds(t)
        for force in model.forces:
            require_as_recorded(model, force.name)
        self.at = surroundings(model, q, v, t) if at is None else at
        self._forces, self._places = model.acting, state_places(model)
        if z is None and self._places.size:
            raise states_unknown(model.name, self._places.slices)
        self._z = z

    def act(self) -> NDArray:
        """Apply all forces to `at`, which sums torques and wrenches; return the rates of the states, (nz,)."""
        rates = np.zeros(self._places.size)
        for force in self._forces:
            own = self.at.let_act(self._places.at_present(force, self._z))
            self._places.put(force, own, rates)
        return rates

    def energy(self) -> float:
        """Return the energy stored in the force elements, J."""
        return sum(float(self._places.at_present(force, self._z).energy(self.at)) for force in self._forces)


def try_out(model: Model, force: Force) -> None:
    """Evaluate a force element once, in the model's neutral state at rest, and check the result.

    Raises
    ------
    ModelError
        If it names a body, frame or joint that does not exist, applies a force of a wrong shape or none at all, has an
        energy that is not finite, or claims to be conservative while its power differs from the loss of its energy.
    """
    who = f"force {force.name!r} ({force.element.known_as})"
    at = surroundings(model, model.neutral(), np.zeros(model.nv))
    try:
        with np.errstate(all="ignore"):
            element = force.element.on_symbols(force.element.initial_states())
            rates = at.let_act(element)
            energy = float(element.energy(at))
            for applied in (*at.torques.values(), *at.wrenches.values(), *rates.values()):
                np.asarray(applied, dtype=float)
            if force.element.conservative:
                _require_conservative(model, force)
    except (ModelError, StateError) as fault:
        raise ModelError(f"{who}: {fault}") from fault
    except Exception as fault:  # a user's code: anything may go wrong in it
        raise ModelError(f"{who} cannot act: {type(fault).__name__}: {fault}") from fault
    if not np.isfinite(energy):
        raise ModelError(f"{who}: its energy is {energy} in the neutral state; it must be finite")
    if not (at.torques or at.wrenches):
        raise ModelError(f"{who} applies nothing; let act call apply_force, apply_couple or apply_torque")


def _require_conservative(model: Model, force: Force) -> None:
    """Compare the power of the forces with the rate of the energy at a random state; raise `ModelError` if they differ.

    If the points it acts on cannot move apart, both are round-off of unknown size. So an imbalance is compared at
    several moments a little apart: round-off varies between them, a real one stays the same.
    """
    rng = np.random.default_rng(271828)  # not what `random_q` gives for 0 or 1, where a spring may be slack
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    states = {name: x + rng.normal(size=np.shape(x)) for name, x in force.element.initial_states().items()}
    t = 10.0 * rng.random()
    at = surroundings(model, q, v, t)
    rates = at.let_act(force.element.on_symbols(states))
    motion = None
    if at.across:  # where loops are open their joints tell nothing sensible
        motion = trial_motion(model, [loop for loop in model.loops if loop.joint.name in at.across], rng)
        if motion is None:
            return
        at = Surroundings(model, q, v, motion(0.0), t)
        rates = at.let_act(force.element.on_symbols(states))

    def seen(s: float) -> tuple[Surroundings, ForceElement]:
        """Return view and element s seconds later."""
        later = force.element.on_symbols({name: x + s * rates[name] for name, x in states.items()})
        q_s = model.move(q, s * v)
        # drives go on
        at = Surroundings(model, q_s, v, motion(s), t + s) if motion else surroundings(model, q_s, v, t + s)
        return at, later

    def energy(s: float) -> float:
        at, element = seen(s)
        return float(element.energy(at))

    def powers(s: float) -> tuple[float, float, float]:
        """Return the power of the forces, the rate of the energy, W, and the rounding error of their sum."""
        at, element = seen(s)
        at.let_act(element)
        low, high = energy(s - SMALL), energy(s + SMALL)
        # differences of an energy E lose eps E / SMALL
        rounding = 1e-15 * (abs(low) + abs(high)) / SMALL
        return power(at, v), (high - low) / (2.0 * SMALL), rounding

    work, gain, rounding = powers(0.0)
    if abs(work + gain) <= LIKE * max(abs(work), abs(gain)) + rounding:
        return
    missed = [work + gain, *(sum(powers(k * MOMENT)[:2]) for k in range(1, LOOKS))]
    if np.ptp(missed) > SAME * np.abs(missed).max():
        return
    raise ModelError(
        f"it says that it is conservative, but in some state its forces do {shown(work)} W while its energy "
        f"grows by {shown(gain)} W, not by {shown(-work)} W; mend act or energy, or leave `conservative` False"
    )


def power(at: Surroundings, v: NDArray) -> float:
    """Return the power of the torques and wrenches that were applied to `at`, W. v : (nv,) joint velocities."""
    total = sum(float(x) * v[a] for a, x in at.torques.items())
    for body, wrench in at.wrenches.items():
        motion = at.motion(body)
        total += float(wrench[:3] @ motion.w + wrench[3:] @ (motion.v + np.cross(motion.p, motion.w)))
    return float(total)


def lossy(model: Model) -> bool:
    """Return whether dampers, friction or force elements may dissipate energy or add it."""
    return any(joint.damping.any() for joint in model.joints) or not all(f.element.conservative for f in model.acting)


def inner(model: Model) -> bool:
    """Return whether force elements are internal: their wrenches sum to zero and conserve the momentum of the model.

    Checked at one random state, where forces do not cancel by chance; False if one depends on time, as it may act
    differently later.
    """
    if not model.acting:
        return True
    rng = np.random.default_rng(0)
    z = rng.normal(size=state_places(model).size)
    acting = ForcesAtState(model, model.random_q(rng), rng.normal(size=model.nv), z=z)
    acting.act()
    at = acting.at
    if at.asked_time:
        return False
    roots = {a for i in model.children(0) for a in range(model.joints[i].v_slice.start, model.joints[i].v_slice.stop)}
    pushes = [wrench for body, wrench in at.wrenches.items() if body > 0]
    largest = max((float(np.abs(wrench).max()) for wrench in pushes), default=0.0)
    balanced = not pushes or bool(np.abs(np.sum(pushes, axis=0)).max() <= 1e-10 * largest)
    return balanced and not any(at.torques.get(a, 0.0) for a in roots)


def along_joints(model: Model, at: Surroundings, q: NDArray) -> NDArray:
    """Return the generalised force (nv,) of everything applied to `at`: torques, and J^T f of every body."""
    tau = np.zeros(model.nv)
    for a, x in at.torques.items():
        tau[a] += x
    for body, wrench in at.wrenches.items():
        for i in model.support(body):
            joint = model.joints[i]
            if joint.nv:
                motion = at.motion(i)
                S = se3.adjoint(se3.pose(motion.R, motion.p)) @ joint.motion_subspace(q)  # in the world
                tau[joint.v_slice] += S.T @ wrench
    return tau
