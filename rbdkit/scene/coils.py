"""Springs, rods, muscles and flesh: a coil, a line or a spindle between two points, a triangle between three."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.forces import Muscle, TimedMuscle
from rbdkit.forces.element import End
from rbdkit.forces.surroundings import ORIGIN
from rbdkit.joints import Translational
from rbdkit.model import Force, Model
from rbdkit.model.force import neutral_distance, surroundings
from rbdkit.scene import palette
from rbdkit.scene.scene import Band, Shade
from rbdkit.scene.skins import facet, outside, surface_of
from rbdkit.scene.triangles import Triangles

TURNS, STEPS, SIDES = 9, 16, 6
"""Turns of a coil, steps of each turn, and sides of the wire."""
STRAIGHT = 0.12
"""Fraction of the length at each end that leads straight to the point."""
LAYER = "forces"
STRESS = 3e5
"""Largest stress of a muscle, N/m2; it sets how thick one is drawn."""
PALE, RED = (0.93, 0.76, 0.72), (0.75, 0.08, 0.10)
"""Colours of a muscle at rest, and of one that is fully active."""


Three = tuple[float, float, float]


def bands_of(model: Model, size: float) -> tuple[Band, ...]:
    """The coils and muscles of force elements, and the lines of constraints. size : radius of a coil, m.

    Springs between the nodes of a deformable body are its mesh: triangles where it has a surface, lines where not.
    """
    found, nets = [], []
    for own in model.elements:
        if isinstance(own.element, Muscle):
            found += _of_muscle(model, own.name, own.element, size)
            continue
        ends = own.element.ends()
        if ends is None:
            continue
        nodes, points = _placed(model, ends)
        is_force = isinstance(own, Force)
        if is_force and all(_is_node(model, k) for k in nodes):
            nets.append((nodes, points))
            continue
        surface = coil(size) if is_force else line(0.25 * size)
        surface = surface.painted(palette.rgb(palette.FORCE if is_force else palette.JOINT))
        found.append(Band(nodes, points, LAYER, surface))
    return (*found, *_of_nets(model, nets, size))


def _of_nets(model: Model, springs: list[tuple[tuple[int, int], tuple[Three, Three]]], size: float) -> list[Band]:
    """Return the surfaces of deformable bodies, and lines for the springs that belong to none."""
    at = surroundings(model, model.neutral(), np.zeros(model.nv))
    places = {k: at.motion(k).p for nodes, _ in springs for k in nodes}
    color = palette.rgb(palette.FORCE)
    edges = [nodes for nodes, _ in springs]
    triangles = surface_of(edges, places)
    skin, wire = facet().painted(color), line(0.25 * size).painted(color)
    found = [Band(corners, (ORIGIN, ORIGIN, ORIGIN), LAYER, skin) for corners in triangles]
    seen = outside(edges, triangles)
    return found + [Band(*spring, LAYER, wire) for spring, alone in zip(springs, seen, strict=True) if alone]


def nodes_of_skins(model: Model, bands: tuple[Band, ...]) -> set[int]:
    """Bodies that are points of a deformable body: its skin shows them. None if no band is a skin."""
    if all(len(band.nodes) < 3 for band in bands):
        return set()
    return {k for k in range(1, len(model.bodies)) if _is_node(model, k)}


def _is_node(model: Model, body: int) -> bool:
    """Return whether a body is a point mass that moves along three axes, or is fixed to another body."""
    own = model.bodies[body]
    return (
        body > 0 and (isinstance(own.joint.type, Translational) or own.joint.type.is_fixed)
        and own.inertia is not None and own.inertia.mass > 0.0 and not own.inertia.inertia_com.any()
    )  # fmt: skip


def _placed(model: Model, ends: tuple[End, End]) -> tuple[tuple[int, int], tuple[Three, Three]]:
    """Return the bodies of two ends, and the points in their coordinates."""
    frames = [model.frame(name) for name, _ in ends]
    places = [f.placement[:3, 3] + f.placement[:3, :3] @ point for f, (_, point) in zip(frames, ends, strict=True)]
    one, two = [(float(x), float(y), float(z)) for x, y, z in places]
    return (frames[0].body, frames[1].body), (one, two)


def _of_muscle(model: Model, name: str, muscle: Muscle, size: float) -> list[Band]:
    """Return a spindle for each straight part of a muscle, in the colour of its activation.

    Together they have the muscle's volume, and keep it as they stretch.
    """
    segments = muscle.segments()
    lengths = [max(neutral_distance(model, *ends), 1e-6) for ends in segments]
    area = muscle.peak_force / STRESS * muscle.optimal_length / sum(lengths)
    radius = float(np.clip(np.sqrt(2.0 * area / np.pi), 0.4 * size, 4.0 * size))
    shade = Shade(name, PALE, RED)
    surface = spindle(radius).painted(shade.at(activation_of(muscle, 0.0)))
    places = zip([_placed(model, ends) for ends in segments], lengths, strict=True)
    return [Band(nodes, points, LAYER, surface, rest, shade) for (nodes, points), rest in places]


def activation_of(muscle: Muscle, t: float) -> float:
    """Return the activation at a time in s of a muscle without states; for others the initial one."""
    return float(muscle.activation_at(t) if isinstance(muscle, TimedMuscle) else muscle.activation)


def spindle(radius: float) -> Triangles:
    """A body of revolution about x, from 0 to 1, thickest in the middle; its volume is half that of the cylinder."""
    x, phi = np.linspace(0.0, 1.0, 2 * STEPS + 1), 2.0 * np.pi * np.arange(2 * SIDES) / (2 * SIDES)
    r = radius * np.sin(np.pi * x)
    ring = np.stack([0.0 * phi, np.cos(phi), np.sin(phi)], axis=1)
    vertices = r[:, None, None] * ring + x[:, None, None] * np.array([1.0, 0.0, 0.0])
    normals = ring - (np.pi * radius * np.cos(np.pi * x))[:, None, None] * np.array([1.0, 0.0, 0.0])
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return Triangles(vertices.reshape(-1, 3), normals.reshape(-1, 3), _rings(len(x), len(phi)))


def line(radius: float) -> Triangles:
    """A straight wire along x from 0 to 1."""
    x = np.linspace(0.0, 1.0, 3)
    return tube(np.stack([x, 0.0 * x, 0.0 * x], axis=1), radius)


def coil(radius: float) -> Triangles:
    """A wire along x from 0 to 1 that winds about it, straight at both ends."""
    s = np.linspace(0.0, 1.0, TURNS * STEPS + 1)
    grown = np.clip(np.minimum(s, 1.0 - s) * TURNS, 0.0, 1.0)  # the first and the last turn widen
    x = np.concatenate([[0.0], STRAIGHT + (1.0 - 2.0 * STRAIGHT) * s, [1.0]])
    turn = 2.0 * np.pi * TURNS * np.concatenate([[0.0], s, [1.0]])
    out = radius * np.concatenate([[0.0], grown, [0.0]])
    return tube(np.stack([x, out * np.cos(turn), out * np.sin(turn)], axis=1), 0.16 * radius)


def tube(path: NDArray, radius: float) -> Triangles:
    """A wire along a path (n, 3); as it is stretched along x only, its rings are round across the path's y and z."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    # a frame that goes along the path without turning about it
    aside = np.cross(along[0], [0.0, 0.6, 0.8])
    first = []
    for direction in along:
        aside = aside - direction * (aside @ direction)
        aside /= np.linalg.norm(aside)
        first.append(aside)
    second = np.cross(along, first)
    phi = 2.0 * np.pi * np.arange(SIDES) / SIDES
    normals = np.cos(phi)[None, :, None] * np.array(first)[:, None] + np.sin(phi)[None, :, None] * second[:, None]
    vertices = path[:, None] + radius * normals
    return Triangles(vertices.reshape(-1, 3), normals.reshape(-1, 3), _rings(len(path), SIDES))


def _rings(count: int, sides: int) -> NDArray:
    """Return the triangles between consecutive rings of vertices."""
    k, side = (grid.ravel() for grid in np.meshgrid(np.arange(count - 1), np.arange(sides), indexing="ij"))
    a, b = k * sides + side, k * sides + (side + 1) % sides
    return np.concatenate([np.stack([a, b, b + sides], axis=1), np.stack([a, b + sides, a + sides], axis=1)])
