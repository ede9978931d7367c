"""Random trees with every joint type, for tests and experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import (
    Cylindrical,
    EulerSpherical,
    Fixed,
    Free,
    Helical,
    JointType,
    Planar,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    SphereInCylinder,
    Spherical,
    Universal,
)
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


def joint_gallery(rng: np.random.Generator) -> list[JointType]:
    """One joint of every common type and option, with random axes and pitches; see `uncommon_joints` for the rest."""
    a, b, c, d, e, f = (unit_vector(rng) for _ in range(6))
    return [
        Fixed(),
        Revolute("z"),
        Revolute(a),
        Prismatic("-x"),
        Prismatic(b),
        Helical(c, pitch=float(rng.uniform(-0.5, 0.5))),
        Cylindrical(d),
        Planar(e),
        Planar("x", translation="successor"),
        Universal("y", f),
        Spherical(),
        EulerSpherical(),
        Free(),
        Free(translation="successor"),
        Reversed(Planar("z")),
        Reversed(Universal()),
        Reversed(Helical("y", pitch=0.2)),
    ]


def uncommon_joints(rng: np.random.Generator) -> list[JointType]:
    """The joints that few other programs have, from both ends; with `joint_gallery` these are all there are."""
    a, b = unit_vector(rng), unit_vector(rng)
    return [
        RackAndPinion("z", radius=0.4),
        RackAndPinion(a, radius=-0.25),
        SphereInCylinder("x"),
        SphereInCylinder(b),
        Reversed(RackAndPinion("y", radius=0.3)),
        Reversed(SphereInCylinder("z")),
    ]


def random_tree(
    seed: int,
    bodies: int = 20,
    joints: Sequence[JointType] | None = None,
    branching: float = 0.5,
    name: str | None = None,
) -> Model:
    """A tree with random placements, inertias and gravity; every joint type comes once before any comes twice.

    Parameters
    ----------
    seed : of the random numbers.
    bodies : how many.
    joints : types to take in random order; all of `joint_gallery` if not given.
    branching : 0 gives a chain, 1 attaches each body to any earlier one.
    name : of the model.
    """
    rng = np.random.default_rng(seed)
    model = Model(name or f"random tree {seed}", gravity=9.81 * unit_vector(rng))
    deck: list[JointType] = []
    names = ["world"]
    for k in range(bodies):
        if not deck:
            gallery = list(joint_gallery(rng) if joints is None else joints)
            deck = [gallery[i] for i in rng.permutation(len(gallery))]
        parent = names[-1] if rng.uniform() >= branching else names[rng.integers(len(names))]
        size = rng.uniform(0.1, 0.5, 3)
        # a box set off and turned: every inertia is one that a body can have
        pose = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
        model.add_body(
            f"b{k + 1}",
            parent,
            deck.pop(),
            se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.5, 0.5, 3)),
            Inertia.box(size, mass=float(rng.uniform(0.5, 2.0))).transformed(pose),
            Geometry(Box(tuple(size)), pose),
        )
        names.append(f"b{k + 1}")
    return model


def random_state(model: Model, seed: int) -> tuple[NDArray, NDArray, NDArray]:
    """Random q on its manifold, and two standard normal vectors (nv,): velocities, and accelerations or forces.

    Where joints close loops this is a state of the spanning tree, and leaves them open.
    """
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def unit_vector(rng: np.random.Generator) -> NDArray:
    """A direction, uniform on the sphere."""
    n = rng.normal(size=3)
    return n / np.linalg.norm(n)
