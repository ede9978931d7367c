"""The models that are timed: the same numbers for every contender."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Free, Revolute
from rbdkit.model import Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


def _inertia(rng: np.random.Generator, mass: float, size: float) -> Inertia:
    """Of a cloud of points around a point near the origin."""
    points = rng.normal(size=(8, 3)) * size
    points -= points.mean(axis=0)
    S = mass * rng.uniform(0.5, 2.0) * points.T @ points / 8
    return Inertia(mass * rng.uniform(0.5, 2.0), rng.uniform(-size, size, 3), np.trace(S) * np.eye(3) - S)


def chain(n: int, seed: int) -> Model:
    """Revolute joints with placements in any direction."""
    rng, model = np.random.default_rng(seed), Model(f"chain{n}")
    for k in range(n):
        place = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.2, 0.2, 3))
        model.add_body(f"b{k}", model.bodies[-1], Revolute("z"), place, _inertia(rng, 1.0, 0.1))
    return model


def arm() -> Model:
    """Seven revolute joints with axes at right angles, as in a Panda: placements are full of exact zeros and ones."""
    rng, model = np.random.default_rng(1), Model("arm7")
    twists = [(0, 0, 0.333), (-1, 0, 0), (1, 0, 0.316), (1, 0.0825, 0), (-1, -0.0825, 0.384), (1, 0, 0), (1, 0.088, 0)]
    for k, (quarter, a, d) in enumerate(twists):
        R = np.array([[1.0, 0, 0], [0, 1 - abs(quarter), -quarter], [0, quarter, 1 - abs(quarter)]])
        model.add_body(
            f"b{k}",
            model.bodies[-1],
            Revolute("z"),
            se3.pose(R, np.array([a, 0, 0]) + d * R[:, 2]),
            _inertia(rng, 3.0, 0.1),
        )
    return model


def humanoid(generic: bool = False) -> Model:
    """A floating base, two legs, a torso and two arms: 30 freedoms; with placements turned at random if generic."""
    rng, model = np.random.default_rng(2), Model("humanoid30" + "g" * generic)

    def add(parent: str, axis: str, position: tuple[float, float, float], mass: float) -> str:
        name = f"b{len(model.bodies)}"
        R = se3.random(rng)[:3, :3] if generic else np.eye(3)
        model.add_body(
            name, parent, Revolute(axis) if axis else Free(), se3.pose(R, position), _inertia(rng, mass, 0.08)
        )
        return name

    base = add("world", "", (0, 0, 0), 8)
    for side in (0.1, -0.1):
        leg = add(base, "z", (0, side, -0.1), 2)
        for axis, position, mass in (
            ("x", (0, 0, 0), 2), ("y", (0, 0, -0.05), 3), ("y", (0, 0, -0.4), 2), ("y", (0, 0, -0.4), 1),
            ("x", (0, 0, 0), 1),
        ):  # fmt: skip
            leg = add(leg, axis, position, mass)
    chest = add(add(base, "z", (0, 0, 0.1), 5), "y", (0, 0, 0.15), 8)
    for side in (0.2, -0.2):
        limb = add(chest, "y", (0, side, 0.3), 1)
        for axis, position in (("x", (0, 0, 0)), ("z", (0, 0, -0.15)), ("y", (0, 0, -0.15)), ("z", (0, 0, -0.1))):
            limb = add(limb, axis, position, 1)
    return model


def panda() -> Model:
    """As its URDF file has it: two fingers, one of which follows the other, and dampers in all joints."""
    from rbdkit.formats import load  # the start of a process is timed without files
    from rbdkit.library import robot_file

    return load(robot_file("panda"))


MODELS = {
    "chain7": lambda: chain(7, 0),
    "arm7": arm,
    "humanoid30": humanoid,
    "humanoid30g": lambda: humanoid(generic=True),
    "chain100": lambda: chain(100, 3),
    "panda": panda,
}


def states(model: Model, n: int, seed: int = 11) -> tuple[NDArray, NDArray, NDArray]:
    """q (n, nq), and v and tau (n, nv)."""
    rng = np.random.default_rng(seed)
    q = np.array([model.random_q(rng) for _ in range(n)])
    return q, rng.uniform(-1, 1, (n, model.nv)), rng.uniform(-5, 5, (n, model.nv))
