"""Random trees in which everything comes together, and how far each way of computing them is from the other ways.

A few trees run with all tests. ``RBDKIT_TREES=1000 pytest tests/random_trees`` makes a campaign of it, and lists the
largest difference of each comparison.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.joints import JointType
from rbdkit.library import joint_gallery, uncommon_joints
from rbdkit.spatial import se3

TREES = int(os.environ.get("RBDKIT_TREES", "4"))
DECKS = range(24) if TREES >= 24 else (0, 10)
"""Trees of the same deck have joints of the same kinds, and so share compiled code: 1,000 trees in minutes. Joints of
deck 0 move independently; in deck 10 some follow others, and some move as time says."""


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests neither use nor fill the user's cache of compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDKIT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


# --- trees ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """A joint to be put somewhere: its type, what acts in it, and whether it follows another or moves as time says."""

    joint: JointType
    rotor: bool
    spring: bool
    damper: bool
    follows: bool
    driven: bool


@dataclass(frozen=True, eq=False)
class Case:
    """A tree with a state: q, v, a third vector of nv numbers, a fourth, forces on all bodies, and a time.

    cond : of H. independent : no joint follows another. free_in_time : none moves as time says.
    """

    model: rbd.Model
    q: NDArray
    v: NDArray
    x: NDArray
    w: NDArray
    f: NDArray
    t: float
    cond: float
    independent: bool
    free_in_time: bool


@lru_cache
def deck(number: int) -> tuple[Card, ...]:
    """Seven to twelve joints that have no more in common than chance: each type comes in some deck, from both ends."""
    rng = np.random.default_rng((1, number))
    types = [*joint_gallery(rng), *uncommon_joints(rng)]
    types += [rbd.Reversed(joint) for joint in types if not isinstance(joint, rbd.Reversed)]
    types = [types[i] for i in rng.permutation(len(types))]
    following, driving = number % 3 == 1, number % 4 >= 2
    cards = []
    for joint in types[: 7 + number % 6]:
        rack = isinstance(getattr(joint, "joint", joint), rbd.RackAndPinion)  # only the readable form drives it
        follows = following and joint.nq == 1 and rng.random() < 0.5
        rotor, spring, damper = rng.random(3) < (0.5, 0.5, 0.5)
        if following and joint.nq == 1:
            rotor = True  # who follows whom differs from tree to tree; this keeps the kinds of joints the same
        cards.append(
            Card(joint, rotor, spring, damper, follows, driving and not follows and not rack and rng.random() < 0.3)
        )
    if following:  # someone to follow
        cards[0] = Card(rbd.Revolute("y"), True, True, False, False, False)
        cards[1] = Card(rbd.Helical("x", pitch=0.2), True, False, True, True, False)
    if not any(card.joint.nv and not card.driven for card in cards):
        cards[0] = Card(rbd.Revolute("z"), False, True, True, False, False)
    return tuple(cards)


def motion_of(joint: JointType, rng: np.random.Generator) -> Callable[[float], tuple[NDArray, NDArray, NDArray]]:
    """To and fro along a constant direction of velocity."""
    start, direction, rate, phase = joint.random(rng), rng.normal(size=joint.nv), rng.uniform(0.5, 2.0), rng.normal()

    def motion(t: float) -> tuple[NDArray, NDArray, NDArray]:
        angle = rate * t + phase
        way, speed, growth = np.sin(angle), rate * np.cos(angle), -(rate**2) * np.sin(angle)
        return joint.integrate(start, way * direction), speed * direction, growth * direction

    return motion


def tree_of(cards: tuple[Card, ...], rng: np.random.Generator, name: str) -> rbd.Model:
    """A tree with a joint for every card, in random order and places."""
    gravity = rng.normal(size=3)
    model = rbd.Model(name, gravity=9.81 * gravity / np.linalg.norm(gravity))
    branching = rng.choice([0.0, 0.3, 1.0])
    waiting, leaders = [cards[i] for i in rng.permutation(len(cards))], []
    while waiting:
        card = waiting.pop(0)
        if card.follows and not leaders:
            waiting.append(card)
            continue
        joint = card.joint
        pose = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
        numbers = {"rest": joint.random(rng)}
        for what, wanted in (("armature", card.rotor), ("stiffness", card.spring), ("damping", card.damper)):
            numbers[what] = rng.uniform(0.1, 1.0, joint.nv) * wanted
        follow = None
        if card.follows:
            follow = rbd.Mimic(leaders[rng.integers(len(leaders))], rng.uniform(0.3, 2.0), rng.uniform(-1.0, 1.0))
        if card.driven and joint.nv:
            joint, numbers = rbd.Prescribed(joint, motion_of(joint, rng)), {}
        body = model.add_body(
            f"b{len(model.bodies)}",
            model.bodies[rng.integers(len(model.bodies)) if rng.random() < branching else -1],
            joint,
            se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.5, 0.5, 3)),
            rbd.Inertia.box(rng.uniform(0.1, 0.5, 3), mass=rng.uniform(0.5, 2.0)).transformed(pose),
            mimic=follow,
            **numbers,
        )
        if joint.nq == 1 and follow is None:
            leaders.append(body.joint.name)
    return model


def at_a_half_turn(model: rbd.Model, q: NDArray) -> bool:
    """Whether a spring is almost half a turn from its rest, where it changes its side: no place for differences."""
    for joint in model.joints:
        if joint.stiffness.any() and joint.nv > 2:
            u = joint.type.difference(joint.rest, joint.coordinates(q))
            if np.abs(np.array([abs(u[0]), np.linalg.norm(u[:3])]) - np.pi).min() < 0.05:
                return True
    return False


def with_state(model: rbd.Model, rng: np.random.Generator) -> Case:
    q, t, driven = model.random_q(rng), rng.uniform(0.0, 3.0), any(joint.type.is_driven for joint in model.joints)
    while at_a_half_turn(model, q):
        q = model.random_q(rng)
    v, x, w = rng.normal(size=(3, model.nv))
    f = rng.normal(size=(len(model.bodies), 6))
    cond = float(np.linalg.cond(algorithms.crba(model, q, t=t).H)) if model.nv else 1.0
    return Case(model, q, v, x, w, f, t, cond, not model.mimics, not driven)


@lru_cache(maxsize=4096)
def any_tree(seed: int) -> Case:
    rng = np.random.default_rng((2, seed))
    return with_state(tree_of(deck(DECKS[seed % len(DECKS)]), rng, f"random tree {seed}"), rng)


@lru_cache(maxsize=4096)
def small_tree(seed: int) -> Case:
    """Few bodies, whose straight-line code is made in no time; joints do not follow others there."""
    rng = np.random.default_rng((3, seed))
    cards = [card for number in range(24) for card in deck(number) if not card.follows]
    own = [cards[i] for i in rng.integers(len(cards), size=3)]
    return with_state(tree_of(tuple(own), rng, f"small tree {seed}"), rng)


@pytest.fixture
def decks() -> list[tuple[Card, ...]]:
    return [deck(number) for number in range(24)]


@pytest.fixture
def any_case() -> Callable[[int], Case]:
    return any_tree


@pytest.fixture
def small_case() -> Callable[[int], Case]:
    return small_tree


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`seed` runs over all trees; `some` over a tenth of them, where code is compiled for each."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(TREES))
    if "some" in metafunc.fixturenames:
        metafunc.parametrize("some", range(max(1, TREES // 10)))


# --- differences ------------------------------------------------------------------------------------------------------

FOUND = pytest.StashKey[dict[str, tuple[float, float, int, str]]]()


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Two results differ by no more than is allowed, relative to the largest element of the second, or to `scale`."""
    found = request.config.stash.setdefault(FOUND, {})

    def agree(what: str, one: ArrayLike, other: ArrayLike, allowed: float, scale: float | None = None) -> None:
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape, what
        size = np.max(np.abs(other), initial=0.0) if scale is None else scale
        difference = float(np.max(np.abs(one - other), initial=0.0) / (size or 1.0))
        worst, share, times, where = found.get(what, (0.0, 0.0, 0, ""))
        where = request.node.name if difference > worst else where
        found[what] = max(worst, difference), max(share, difference / allowed), times + 1, where
        assert difference <= allowed, f"{what}: {difference:.3g} apart, {allowed:.3g} allowed"

    return agree


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if "RBDKIT_TREES" in os.environ and (found := config.stash.get(FOUND, {})):
        terminalreporter.write_line(
            f"{'largest difference':<48}{'relative':>10}{'of allowed':>12}{'times':>8}  largest in"
        )
        for what, (difference, share, times, where) in found.items():
            terminalreporter.write_line(f"{what:<48}{difference:>10.1e}{share:>12.2f}{times:>8}  {where}")
