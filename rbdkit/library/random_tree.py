"""Random trees with every joint type, for tests and experiments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.joints import (
    Composite,
    Cylindrical,
    EulerAngles,
    EulerSpherical,
    ExponentialSpherical,
    Fixed,
    Free,
    FreeInPlane,
    Helical,
    JointType,
    Planar,
    PlanarTranslation,
    Prismatic,
    RackAndPinion,
    Reversed,
    Revolute,
    SphereInCylinder,
    Spherical,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
)
from rbdkit.library.ready import ready, require_joints
from rbdkit.model import Box, Geometry, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def joint_gallery(rng: np.random.Generator) -> list[JointType]:
    """One joint of every common type and option, with random axes and pitches; see `uncommon_joints` for the rest.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.

    Returns
    -------
    list of JointType

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> joints = rbd.library.joint_gallery(np.random.default_rng(0))
    >>> {joint.kind for joint in joints} >= {"revolute", "spherical", "planar", "free"}
    True
    """
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


@ready
def uncommon_joints(rng: np.random.Generator) -> list[JointType]:
    """The rolling and sliding joints that few other programs have, from both ends; see `led_joints` for still others.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.

    Returns
    -------
    list of JointType

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> joints = rbd.library.uncommon_joints(np.random.default_rng(0))
    >>> {joint.kind for joint in joints} >= {"rack_and_pinion", "sphere_in_cylinder"}
    True
    """
    a, b = unit_vector(rng), unit_vector(rng)
    return [
        RackAndPinion("z", radius=0.4),
        RackAndPinion(a, radius=-0.25),
        SphereInCylinder("x"),
        SphereInCylinder(b),
        Reversed(RackAndPinion("y", radius=0.3)),
        Reversed(SphereInCylinder("z")),
    ]


@ready
def led_joints(rng: np.random.Generator) -> list[JointType]:
    """Joints in other coordinates, chains of joints as one, and bodies that are led along curves and surfaces.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.

    Returns
    -------
    list of JointType

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> joints = rbd.library.led_joints(np.random.default_rng(0))
    >>> {joint.kind for joint in joints} >= {"spline_curve", "composite"}
    True
    """
    a, b = unit_vector(rng), unit_vector(rng)
    frames = [np.eye(4)]
    for _ in range(6):
        frames.append(frames[-1] @ se3.exp(rng.uniform(0.1, 0.5, 6)))
    hill = SplineSurface().values + 0.05 * rng.normal(size=(6, 5, 5))
    return [
        Translational(),
        PlanarTranslation(a),
        FreeInPlane(b),
        EulerAngles("XZX"),
        EulerAngles("YXZ"),
        ExponentialSpherical(),
        Composite(Spherical(), Translational()),
        Composite.chain([Revolute("z"), Helical(a, 0.2), Universal("x", b)]),
        SplineCurve(),
        SplineCurve(frames, "catmull_rom"),
        SplineCurve(frames, "bezier"),
        SplineSurface(hill),
    ]


@ready
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
    seed : int
        Of the random numbers.
    bodies : int, optional
        How many.
    joints : sequence of JointType, optional
        Types to take in random order; all of `joint_gallery` if not given.
    branching : float, optional
        0 gives a chain, 1 attaches each body to any earlier one.
    name : str, optional
        Of the model.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.random_tree(seed=1, bodies=5, branching=0.0)
    >>> model.parent
    (-1, 0, 1, 2, 3, 4)
    """
    require_joints(joints)
    if isinstance(joints, JointType):
        joints = [joints]
    if isinstance(joints, Sequence) and not joints:
        raise ModelError("random_tree: joints = [] has no joint type to draw from")
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


@ready
def random_state(model: Model, seed: int) -> tuple[NDArray, NDArray, NDArray]:
    """Random q on its manifold, and two standard normal vectors (nv,): velocities, and accelerations or forces.

    Where joints close loops this is a state of the spanning tree, and leaves them open.

    Parameters
    ----------
    model : Model
        Of any joints.
    seed : int
        Of the random numbers.

    Returns
    -------
    q : ndarray (nq,)
        On its manifold.
    v, a : ndarray (nv,)
        Of normal distribution.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.random_tree(seed=1)
    >>> q, v, a = rbd.library.random_state(model, seed=2)
    >>> np.allclose(rbd.aba(model, q, v, rbd.rnea(model, q, v, a)), a, rtol=1e-6)
    True
    """
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def unit_vector(rng: np.random.Generator) -> NDArray:
    """A direction, uniform on the sphere."""
    n = rng.normal(size=3)
    return n / np.linalg.norm(n)
