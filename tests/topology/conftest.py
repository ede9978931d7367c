"""Models with loops, constraints, mimic and prescribed joints, each beside a plain tree that moves in the same way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.gears import Gears
from rbdkit.library import planar_four_bar
from rbdkit.model import Model

TIME = 0.7


@dataclass(frozen=True)
class Case:
    """A model at a state, as the functions under test get it.

    m : the model. q, v, a, tau, w : its state, accelerations, forces and weights. f : external forces. t : time.
    name : of the joint that is special. frame : of a body.
    """

    m: Model
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    w: np.ndarray
    f: np.ndarray
    name: str
    frame: str
    t: float = TIME
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def base(self) -> algorithms.FloatingBase:
        """The same joints on a base that floats."""
        return algorithms.FloatingBase(self.m, "hull", rbd.Inertia.box([0.4, 0.3, 0.2], mass=3.0))

    @property
    def gears(self) -> Gears:
        """Gears of the model: none, so that all joints are independent."""
        return Gears(self.m, [])

    @property
    def moving(self) -> list[str]:
        """Names of the joints that move freely."""
        return [joint.name for joint in self.m.joints if joint.nv and joint.mimic is None]


@dataclass(frozen=True)
class Twin:
    """A plain tree that moves as a special model does: ``v_twin = G v + g``, ``a_twin = G a + g_dot``.

    case : the special model. tree : the plain one at the state that belongs to it. lift : of coordinates.
    """

    case: Case
    tree: Case
    G: np.ndarray
    g: np.ndarray
    g_dot: np.ndarray
    lift: Callable[[np.ndarray], np.ndarray]

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, passive: bool = False) -> np.ndarray:
        """From H and C of the plain tree, G^T H G a = tau - G^T (H g_dot + C): nothing special is asked for it."""
        m, at = self.tree.m, self.lift(q)
        H, v = algorithms.crba(m, at).H, self.G @ v + self.g
        C = algorithms.rnea(m, at, v, self.g_dot, f_ext=self.case.f).tau
        if passive:
            C = C - algorithms.passive_force(m, at, v)
        return np.linalg.solve(self.G.T @ H @ self.G, tau - self.G.T @ C)


def _body(seed: int) -> rbd.Inertia:
    rng = np.random.default_rng(seed)
    return rbd.Inertia.box(rng.uniform(0.2, 0.4, 3), mass=1.0 + rng.uniform()).transformed(
        rbd.pose(position=rng.uniform(-0.2, 0.2, 3))
    )


def _arm(third: rbd.joints.JointType, mimic: rbd.Mimic | None = None) -> Model:
    """Four bodies, one on a branch; the third joint is the special one."""
    model = Model("arm", gravity=[1.0, -2.0, -9.0])
    own = {"armature": 0.2, "damping": 0.3, "stiffness": 1.5}
    model.add_body("a", "world", rbd.Revolute("y"), [0.1, 0.2, 0.3], _body(1), **own)
    model.add_body("b", "a", rbd.Prismatic("x"), [0.3, 0.0, 0.1], _body(2), armature=0.1)
    model.add_body("c", "b", third, [0.0, 0.3, 0.2], _body(3), mimic=mimic, joint_name="special")
    model.add_body("d", "c", rbd.Spherical(), [0.2, 0.0, 0.2], _body(4))
    model.add_body("e", "a", rbd.Revolute("x"), [0.0, 0.2, 0.0], _body(5))
    return model


def _case(model: Model, seed: int, q: np.ndarray | None = None) -> Case:
    rng = np.random.default_rng(seed)
    q = model.random_q(rng) if q is None else q
    v, a, tau, w = rng.normal(size=(4, model.nv))
    f = rng.normal(size=(len(model.bodies), 6))
    frame = model.bodies[min(4, len(model.bodies) - 1)].name
    special = [*(loop.joint.name for loop in model.loops), *(own.name for own in model.constraints), "special"]
    name = special[0]
    return Case(model, q, v, a, tau, w, f, name, frame)


def _lifted(case: Case, tree: Model, G: np.ndarray, g: np.ndarray, g_dot: np.ndarray, lift: Callable) -> Twin:
    plain = Case(
        tree, lift(case.q), G @ case.v + g, G @ case.a + g_dot, case.tau, G @ case.w, case.f, case.name, case.frame
    )
    return Twin(case, plain, G, g, g_dot, lift)


@pytest.fixture(scope="session")
def plain() -> Case:
    """A tree in which nothing is special."""
    return _case(_arm(rbd.Helical("z", pitch=0.2)), 3)


@pytest.fixture(scope="session")
def mimicking() -> Twin:
    """The third joint follows the first; in the twin it moves by itself, but as fast as it would."""
    case = _case(_arm(rbd.Helical("z", pitch=0.2), rbd.Mimic("a_joint", -1.5, 0.3)), 1)
    G = np.zeros((7, 6))
    G[[0, 1], [0, 1]], G[2, 0], G[[3, 4, 5, 6], [2, 3, 4, 5]] = 1.0, -1.5, 1.0
    still = np.zeros(7)
    return _lifted(
        case, _arm(rbd.Helical("z", pitch=0.2)), G, still, still,
        lambda q: np.concatenate([q[:2], [-1.5 * q[0] + 0.3], q[2:]]),
    )  # fmt: skip


@pytest.fixture(scope="session")
def driven() -> Twin:
    """The third joint moves as time says; in the twin by itself, but as fast as it would at that time."""

    def motion(t: float) -> tuple[Any, Any, Any]:
        return [0.2 + np.sin(2.0 * t)], [2.0 * np.cos(2.0 * t)], [-4.0 * np.sin(2.0 * t)]

    case = _case(_arm(rbd.Prescribed(rbd.Helical("z", pitch=0.2), motion)), 2)
    angle, speed, rate = (np.array(part) for part in motion(TIME))
    G, g, g_dot = np.zeros((7, 6)), np.zeros(7), np.zeros(7)
    G[[0, 1, 3, 4, 5, 6], range(6)], g[2], g_dot[2] = 1.0, speed[0], rate[0]
    return _lifted(
        case, _arm(rbd.Helical("z", pitch=0.2)), G, g, g_dot, lambda q: np.concatenate([q[:2], angle, q[2:]])
    )


@pytest.fixture(scope="session")
def looped() -> Twin:
    """A four-bar linkage; the twin is its spanning tree, with the pin taken out."""
    closed, tree = planar_four_bar(), planar_four_bar()
    tree.loops = ()
    case = _case(closed, 3, q=closed.neutral())
    still = np.zeros(3)
    return _lifted(case, tree, np.eye(3), still, still, lambda q: q)


@pytest.fixture(scope="session")
def held() -> Twin:
    """The bars of a linkage, with a rod from the last one to the ground; the twin is the tree without it."""
    model, tree = planar_four_bar(), planar_four_bar()
    model.loops = tree.loops = ()
    model.add_constraint("rod", rbd.Distance(model.bodies[-1].name, "world", 0.8, at_a=(0.1, 0.0, 0.3)))
    case = _case(model, 3)
    still = np.zeros(3)
    return _lifted(case, tree, np.eye(3), still, still, lambda q: q)
