"""Control: a cart with a pole, a humanoid on one foot, and the checks of notebook 03."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

from rbdkit.actuation import inverse_dynamics
from rbdkit.algorithms import wrench
from rbdkit.functions import center_of_mass, forward_kinematics, gravity_force, rnea
from rbdkit.joints import Prismatic, Revolute
from rbdkit.laws import TimeStepping
from rbdkit.library import humanoid
from rbdkit.linearization import equilibrium, linearize
from rbdkit.model import Box, Capsule, Geometry, Model
from rbdkit.reaching import Path, inverse_kinematics
from rbdkit.simulation import SimulationWarning, Trajectory, simulate
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.se3 import pose
from rbdkit_course.answers import brief, call, number, numbers
from rbdkit_course.checks import checks
from rbdkit_course.verdict import Verdict, right, wrong

RAIL, FORCE, TIME = 0.5, 60.0, 4.0
"""Exercise 2: how far the cart may go (m), how strong its motor is (N), and when the pole has to stand (s)."""
NATURAL, START = 10.0, 0.3
"""Exercise 3: rate at which errors die out (1/s); exercise 2: lean of the pole at first (rad)."""
ON_ONE_FOOT: dict[str, Any] = {
    "left thigh": (0.0, -0.2, 0.0), "left shin": 0.4, "left foot": -0.2,
    "right thigh": (0.15, -1.0, 0.0), "right shin": 1.4,
    "left upper arm": (1.2, 0.0, 0.0), "right upper arm": (-1.2, 0.0, 0.0),
    "left forearm": -0.3, "right forearm": -0.3,
}  # fmt: skip
"""Angles of the joints of a humanoid that stands on its left foot, rad; the hip leans over in addition."""


def cart_pole() -> Model:
    """Build a cart of 2 kg on a rail along x, with a rod of 0.5 kg and 1 m on a hinge, upright where its angle is 0."""
    model = Model("cart-pole")
    size = (0.4, 0.2, 0.12)
    model.add_body("cart", joint=Prismatic("x"), inertia=Inertia.box(size, mass=2.0), geometry=Geometry(Box(size)))
    middle = pose(position=[0.0, 0.0, 0.5])
    rod = Inertia.cylinder(0.02, 1.0, mass=0.5).transformed(middle)
    model.add_body("pole", "cart", Revolute("y"), inertia=rod, geometry=Geometry(Capsule(0.02, 1.0), middle))
    return model


def one_foot() -> tuple[Model, NDArray]:
    """Return a humanoid and coordinates in which it stands on its left foot: it leans its hip over until it balances.

    Returns
    -------
    model : Model
        The humanoid of the library.
    q : ndarray (nq,)
        Its centre of mass is above the middle of the width of the left foot, and the sole is flat on the ground.
    """
    model, standing, _ = humanoid(height=0.0)
    flat = forward_kinematics(model, standing).pose("left foot")
    motors = [joint.name for joint in model.joints if 0 < joint.nv < 6]

    def leaning(angle: float) -> NDArray:
        bent = np.zeros(model.nv)
        for body, angles in ON_ONE_FOOT.items():
            bent[model.joint(f"{body}_joint").v_slice] = angles
        bent[model.joint("left thigh_joint").v_slice.start] += angle
        return inverse_kinematics(model, {"left foot": flat}, model.integrate(standing, bent), fix=motors)

    def beside(angle: float) -> float:
        return float(center_of_mass(model, leaning(angle))[1] - flat[1, 3])

    return model, leaning(brentq(beside, 0.0, 0.8))


def shove(newtons: float, body: str = "chest") -> Callable[..., dict[str, NDArray]]:
    """Return external forces that push a body to its left for a tenth of a second, 1.3 m above the ground."""
    push, nothing = wrench([0.0, newtons, 0.0], point=[0.0, 0.0, 1.3]), np.zeros(6)

    def f_ext(t: float, q: NDArray, v: NDArray) -> dict[str, NDArray]:
        return {body: push if 0.2 < t < 0.3 else nothing}

    return f_ext


def sole() -> TimeStepping:
    """Return a contact law for a sole that stands on its four corners, which share forces as they like.

    The corners are more than are needed, and pushed by feedback the default tolerance takes up to 1000 rounds a step.
    """
    return TimeStepping(tol=1e-4)


def balancing(f_ext: Callable[..., dict[str, NDArray]], duration: float = 1.5) -> Trajectory:
    """Simulate the humanoid on one foot, balanced by a linear-quadratic regulator while external forces act."""
    model, q = one_foot()
    motors = [joint.name for joint in model.joints if 0 < joint.nv < 6]
    rest = equilibrium(model, q, fix=motors)
    near = linearize(model, rest.q, tau=rest.tau, inputs=motors)
    feedback, hold = np.zeros((model.nv, len(near.A))), rest.tau
    feedback[list(near.inputs)] = near.lqr(np.repeat([1000.0, 10.0], len(near.independent)), np.ones(len(near.inputs)))

    def law(t: float, q: NDArray, v: NDArray) -> NDArray:
        return hold - feedback @ near.error(q, v)

    return simulate(model, q, duration=duration, dt=5e-3, tau=law, f_ext=f_ext, contact=sole(), progress=False)


@contextmanager
def falls_allowed() -> Iterator[None]:
    """Keep quiet about motions that leave every bound: some experiments are made to fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        yield


@checks("03-1")
def time_to_fall(answer: Any) -> Verdict:
    """Exercise 1: the time (s) in which a small lean of the pole of `cart_pole` grows tenfold; to 2 %."""
    found = number(answer)
    if found is None:
        return wrong(f"{brief(answer)} is not a number of seconds.")
    rate = float(linearize(cart_pole(), [0.0, 0.0], inputs="cart_joint").poles.real.max())
    exact, fixed = np.log(10.0) / rate, np.log(10.0) / np.sqrt(1.5 * 9.81)

    def near(value: float) -> bool:
        return abs(found - value) < 0.02 * value

    if near(exact):
        return right(f"ln 10 / {rate:.3g} s = {exact:.3g} s. Whatever is to catch the pole has to be faster than that.")
    if near(fixed):
        return wrong("that is a pole on a cart that cannot move; this one rolls away under it, and it falls faster.")
    if near(1.0 / rate):
        return wrong(f"{found:.3g} s is the time in which the lean grows by e = 2.718, not by ten.")
    if near(np.log(2.0) / rate):
        return wrong(f"{found:.3g} s is the time in which the lean doubles; it was asked for ten times.")
    if near(rate):
        return wrong(f"{found:.3g} is the pole itself, a rate in 1/s: the lean grows as exp({found:.3g} t).")
    if near(1.0 / (np.log(10.0) * rate)) or near(exact * rate * rate):
        return wrong("exp(s t) = 10 is solved by t = ln(10) / s.")
    return wrong(f"{found:.3g} s is off. The largest pole s of the linearised cart makes the lean grow as exp(s t).")


@checks("03-2")
def short_rail(answer: Any) -> Verdict:
    """Exercise 2: gains (4,) that catch a pole leaning 0.3 rad on a rail of half a metre either way, with 60 N."""
    gains = numbers(answer, 4)
    if gains is None:
        return wrong(f"{brief(answer)} are not four gains; lqr returns them in one row, K of shape (1, 4).")
    model = cart_pole()

    def law(t: float, q: NDArray, v: NDArray) -> NDArray:
        return np.array([-(gains[0] * q[0] + gains[1] * q[1] + gains[2] * v[0] + gains[3] * v[1]), 0.0])

    with falls_allowed():
        run = simulate(model, [0.0, START], duration=TIME, dt=2e-3, tau=law, progress=False)
    if not gains.any():
        return wrong("without gains the motor does nothing, and the pole falls over.")
    if not np.isfinite(run.q).all() or run.t[-1] < TIME - 1e-9 or np.abs(run.q[:, 1]).max() > np.pi / 2:
        if gains[1] > 0.0:
            return wrong("it falls over: u = -K x with K[1] > 0 drives the cart away from under a leaning pole.")
        return wrong("it falls over. Take the gains from lin.lqr(Q, R).")
    far, force = float(np.abs(run.q[:, 0]).max()), float(np.abs(gains @ np.c_[run.q, run.v].T).max())
    if far > RAIL:
        more = " Its place has no weight in these gains." if gains[0] == 0.0 else " Give its place x more weight in Q."
        return wrong(f"it stands, but the cart goes {far:.2f} m, and the rail ends at {RAIL:g} m.{more}")
    if force > FORCE:
        return wrong(f"the cart stays within {far:.2f} m, at the price of {force:.0f} N; the motor has {FORCE:g} N.")
    if np.abs(run.q[-1]).max() > 0.01 or np.abs(run.v[-1]).max() > 0.02:
        return wrong(f"after {TIME:g} s it still moves: x = {run.q[-1, 0]:.2g} m, angle {run.q[-1, 1]:.2g} rad.")
    return right(f"the cart goes {far:.2f} m, the motor gives {force:.0f} N at most, and the pole stands.")


@checks("03-3")
def computed_torque(law: Any, arm: Model, way: Path) -> Verdict:
    """Exercise 3: joint forces (t, q, v) that make errors from a path obey ``e'' + 20 e' + 100 e = 0``."""
    n, rng = arm.nv, np.random.default_rng(3)
    stiff, damp = NATURAL**2, 2.0 * NATURAL
    seen: dict[str, list[NDArray]] = {}
    given = []
    for t in (0.3, 1.1, 2.0):
        q, v = way.q(t) + 0.1 * rng.normal(size=n), way.v(t) + 0.2 * rng.normal(size=n)
        value, fault = call(law, t, q.copy(), v.copy())
        if fault:
            return wrong(fault)
        if value is None:
            return wrong("your function returns nothing; is there a return in it?")
        found = numbers(value, n)
        if found is None:
            return wrong(f"it returns {brief(value)}, not {n} joint forces.")
        e, de, a = way.q(t) - q, way.v(t) - v, way.a(t)
        wanted = a + stiff * e + damp * de
        given.append(found)
        for words, force in {
            "": inverse_dynamics(arm, q, v, wanted),
            "the friction of the joints is missing: rnea knows rigid bodies alone.": rnea(arm, q, v, wanted),
            "the acceleration of the path itself is missing.": inverse_dynamics(arm, q, v, wanted - a),
            "the errors act the wrong way round: e = way.q(t) - q pulls towards the path.":
                inverse_dynamics(arm, q, v, 2.0 * a - wanted),
            "the gains stand outside: 100 N m/rad is little for the shoulder and much for the wrist. Add them to the "
            "acceleration, inside of inverse_dynamics.":
                inverse_dynamics(arm, way.q(t), way.v(t), a) + wanted - a,
            "the arm is here, not where the path says: take inverse_dynamics at the measured q and v.":
                inverse_dynamics(arm, way.q(t), way.v(t), wanted),
            "that is feedforward alone: nothing in it knows of the errors.":
                inverse_dynamics(arm, way.q(t), way.v(t), a),
            "the damping term is missing, so that errors swing for ever.": inverse_dynamics(arm, q, v, a + stiff * e),
            "errors that die out fastest without overshoot have 2 * 10 times their rate, not 10.":
                inverse_dynamics(arm, q, v, a + stiff * e + NATURAL * de),
        }.items():  # fmt: skip
            seen.setdefault(words, []).append(force)
    size = np.abs(seen[""]).max()
    for words, forces in seen.items():
        if np.abs(np.array(given) - np.array(forces)).max() < 1e-6 * size:
            return (
                wrong(words) if words else right("the errors of all six joints die out alike, as (1 + 10 t) e^(-10 t).")
            )
    off = np.abs(np.array(given) - np.array(seen[""])).max(axis=0)
    return wrong(
        f"joint {int(off.argmax()) + 1} is off by up to {off.max():.3g} N m. Which acceleration do you ask for?"
    )


@checks("03-4")
def least_load(answer: Any, arm: Model, goal: NDArray) -> Verdict:
    """Exercise 4: of all postures with the tool at `goal`, the one whose elbow carries the least torque."""
    found = numbers(answer, arm.nq)
    if found is None:
        return wrong(f"{brief(answer)} are not the {arm.nq} angles of a posture.")
    there = forward_kinematics(arm, found).pose("tool0")
    apart = float(np.linalg.norm(there[:3, 3] - goal[:3, 3]))
    if apart > 1e-4:
        return wrong(f"that posture has its tool {apart:.2g} m away from where it is wanted.")
    if np.abs(there[:3, :3] - goal[:3, :3]).max() > 1e-3:
        return wrong("the tool is at the right point, and points elsewhere.")
    elbow = arm.joint("elbow_joint").v_slice.start
    ways = inverse_kinematics(arm, {"tool0": goal}, found, solutions="all")
    loads = np.abs(gravity_force(arm, ways)[:, elbow])
    mine = float(np.abs(gravity_force(arm, found)[elbow]))
    if mine > loads.max() * (1.0 - 1e-4):
        return wrong(f"{mine:.1f} N m is the *largest* of all: min and max, or a sign?")
    if mine > loads.min() * (1.0 + 1e-4):
        count = int((loads < mine * (1.0 - 1e-4)).sum())
        return wrong(
            f"the elbow carries {mine:.1f} N m there, and {count} of the {len(ways)} postures need less. Torques "
            "have signs: compare their magnitudes."
        )
    return right(f"{mine:.1f} N m; the worst of the {len(ways)} postures needs {loads.max():.1f} N m.")


@checks("03-5")
def longest_period(answer: Any, gains: Any) -> Verdict:
    """Exercise 5: the longest period (s), to 10 %, at which sampled gains still balance the pole of `cart_pole`."""
    found, K = number(answer), numbers(gains, 4)
    if K is None:
        return wrong(f"the gains are {brief(gains)}; run the cell with lqr again.")
    if found is None or not found > 0.0:
        return wrong(f"{brief(answer)} is not a period in seconds.")
    lin = linearize(cart_pole(), [0.0, 0.0], inputs="cart_joint")

    def growth(period: float) -> float:
        """Return by how much small errors grow from one sample to the next, with the force held between them."""
        both = np.zeros((5, 5))
        both[:4, :4], both[:4, 4:] = lin.A, lin.B
        exact = expm(both * period)
        return float(np.abs(np.linalg.eigvals(exact[:4, :4] - np.outer(exact[:4, 4], K))).max())

    edge = brentq(lambda period: growth(period) - 1.0, 0.1, 0.5)
    if abs(found - edge) < 0.1 * edge:
        return right(f"{edge:.3f} s; from one sample to the next errors then neither grow nor die out.")
    if abs(found - 1e3 * edge) < 100.0 * edge:
        return wrong(f"{found:.4g} would be milliseconds; seconds, please.")
    if abs(found * edge - 1.0) < 0.1:
        return wrong(f"{found:.3g} is the number of samples per second; the period is one over it.")
    if found > edge:
        return wrong(
            f"with {found:.3g} s errors grow {growth(min(found, 2.0)):.3g}-fold from sample to sample: it falls."
        )
    return wrong(f"with {found:.3g} s it still stands: errors shrink to {growth(found):.2f} of themselves. Be bolder.")
