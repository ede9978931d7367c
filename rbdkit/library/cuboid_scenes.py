"""The families of scenes by which implementations of Sueda's notes are compared, made of cuboids 10 x 1 x 1 cm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.forces import DirectedForce
from rbdkit.joints import Free, Revolute, Spherical, SplineCurve, SplineSurface, Universal
from rbdkit.library.cuboids import cuboid_chain, cuboid_tree
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Model
from rbdkit.spatial import se3


@ready
def cuboid_scene(name: str) -> Start:
    """A scene in cm, g and s: cuboids of 1 g/cm3 under 980 cm/s2, with where it starts (Sueda, public test scenes).

    Energies are in erg, 1e-7 J; the notes step by 1e-2 s.

    Parameters
    ----------
    name : str
        'serial', 'axes', 'branches', 'balls', 'universal', 'stiff joints', 'pushed', 'springs', 'muscle', 'string',
        'curve', 'surface', 'loop' or 'ground'. The loop is one for formulations of bodies, the ground for contact laws.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there is no such scene.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.cuboid_scene("springs")
    >>> run = rbd.simulate(model, q, v, duration=0.05, dt=1e-3, integrator="linearly_implicit_euler")
    >>> model.mass, [force.name for force in model.forces]
    (30.0, ['band', 'stay'])
    """
    if name not in SCENES:
        raise ModelError(f"there is no scene of cuboids {name!r}; there are {', '.join(SCENES)}")
    found = SCENES[name]()
    return found if isinstance(found, Start) else Start(found, found.neutral(), np.zeros(found.nv))


def _serial() -> Model:
    return cuboid_chain(5, cgs=True)


def _axes() -> Model:
    return cuboid_chain(3, [Revolute("x"), Revolute("y"), Revolute("z")], cgs=True)


def _branches() -> Model:
    return cuboid_tree([-1, 0, 0, 1, 2], [Revolute("y"), Revolute([0.0, 0.6, 0.8])], cgs=True)


def _balls() -> Model:
    return cuboid_chain(3, Spherical(), cgs=True)


def _universal() -> Model:
    return cuboid_chain(3, Universal("y", "z"), cgs=True)


def _stiff_joints() -> Model:
    model = cuboid_chain(3, cgs=True)
    names = [joint.name for joint in model.joints[1:]]
    return model.with_parameters(
        {f"{name}.stiffness": 1e6 for name in names} | {f"{name}.damping": 1e4 for name in names}
    )


def _pushed() -> Model:
    """A force that keeps its direction, at the end of a chain: as large as three of the weights (section 1.9.2)."""
    model = cuboid_chain(3, cgs=True)
    model.add_force("push", DirectedForce("rigid3", (0.0, 0.0, 3.0 * 9800.0), (10.0, 0.0, 0.0)))
    return model


def _springs() -> Model:
    """One between bodies that are no neighbours, with a damper, and one to the world (section 1.9.6)."""
    model = cuboid_chain(3, cgs=True)
    model.add_spring("band", "rigid1", "rigid3", 2e3, 15.0, damping=1e3, at_a=(5.0, 0, 0), at_b=(5.0, 0, 0))
    model.add_spring("stay", "rigid2", "world", 4e3, 8.0, at_a=(10.0, 0, 0), at_b=(20.0, 0, 10.0))
    return model


def _muscle() -> Model:
    """Through points of three bodies, half active (sections 1.9.4, 1.9.5)."""
    model = cuboid_chain(3, cgs=True)
    path = [("rigid1", (2.0, 0, 1.0)), ("rigid2", (5.0, 0, 1.0)), ("rigid3", (8.0, 0, 1.0))]
    model.add_muscle("muscle", path, peak_force=1e5, optimal_length=24.0, activation=0.5)
    return model


def _string() -> Model:
    """Soft, with the first node on the last cuboid (section 2.7)."""
    model = cuboid_chain(2, cgs=True)
    points = [[20.0 + 2.0 * k, 0.0, 0.0] for k in range(4)]
    model.add_deformable("string", points, [(k, k + 1) for k in range(3)], 3.0, 1e5, 1e2, attached={0: "rigid2"})
    return model


def _curve() -> Start:
    """A cuboid that slides on a curve of frames, with another one on a hinge (section 2.4.12)."""
    frames = [se3.pose(position=[4.0 * k, 0.0, 3.0 * np.sin(k)]) for k in range(7)]
    model = cuboid_chain(2, [SplineCurve(frames), Revolute("y")], cgs=True)
    return Start(model, np.array([3.2, 0.2]), np.zeros(2))


def _surface() -> Start:
    """A cuboid that slides on a bowl, 4 x 4 control values of the three translations (section 2.4.13)."""
    x, y = np.meshgrid(*2 * [3.0 * np.arange(-1.5, 2.0)], indexing="ij")
    none = np.zeros((4, 4))
    model = cuboid_chain(1, SplineSurface([x, y, 0.05 * (x * x + y * y), none, none, none]), cgs=True)
    return Start(model, np.array([0.3, 0.6]), np.zeros(2))


def _loop() -> Start:
    """A rhombus of four that hangs by one corner, which is where it is closed (section 2.8)."""
    model = cuboid_chain(4, cgs=True)
    model.add_loop("closing", "world", "rigid4", Revolute("y"), None, [10.0, 0.0, 0.0])
    return Start(model, np.array([0.0, 1.0, 1.0, 1.0]) * 0.5 * np.pi, np.zeros(4))


def _ground() -> Start:
    """A cuboid that is dropped on the ground, tilted, and comes to lie on it (sections 1.11, 1.13)."""
    model = cuboid_chain(1, Free(), cgs=True)
    model.add_ground(friction=0.4)
    return Start(model, model.move(model.neutral(), np.array([0.4, 0.7, 0.0, 0.0, 0.0, 12.0])), np.zeros(6))


SCENES: dict[str, Callable[[], Model | Start]] = {
    "serial": _serial,
    "axes": _axes,
    "branches": _branches,
    "balls": _balls,
    "universal": _universal,
    "stiff joints": _stiff_joints,
    "pushed": _pushed,
    "springs": _springs,
    "muscle": _muscle,
    "string": _string,
    "curve": _curve,
    "surface": _surface,
    "loop": _loop,
    "ground": _ground,
}
