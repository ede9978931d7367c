"""The scene of a model: its bodies, and the marks that explain them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import ModelError, StateError
from rbdkit.model import Model
from rbdkit.model.body import Body
from rbdkit.model.contact import Ground
from rbdkit.model.geometry import Geometry, Mesh
from rbdkit.scene import equimomental, palette
from rbdkit.scene.arrows import triple
from rbdkit.scene.bounds import Sizes, node_outlines, sizes, swept_outline
from rbdkit.scene.coils import LAYER, bands_of, nodes_of_skins
from rbdkit.scene.glyphs import axes, mass_mark
from rbdkit.scene.ground import LAYER as GROUND
from rbdkit.scene.ground import laid_under, reaching_to
from rbdkit.scene.joint_axes import joint_mark
from rbdkit.scene.mesh_reader import BUDGET, MeshReader
from rbdkit.scene.scene import Label, Layer, Part, Scene, Trail
from rbdkit.scene.solids import triangulate, unit_box, unit_sphere
from rbdkit.scene.stick import stick
from rbdkit.scene.supports import LAYER as SUPPORTS
from rbdkit.scene.supports import supports_of
from rbdkit.scene.triangles import Triangles, join
from rbdkit.spatial.read_numbers import shown

TRIANGLES = 100_000
"""Most triangles that all mesh files of a model together may bring into a scene."""

FINENESS = {40: 30, 24: 100, 16: np.inf}
"""Steps about the axis of a round solid, with the most shapes of a model for which they are used."""

TRAILS = 6
"""Most leaves of a model that draw a trail by default; models with more draw none until asked."""


def one_pose(model: Model, q: ArrayLike) -> NDArray:
    """Return coordinates (nq,) of one pose, checked: no picture shows a stack of them."""
    array = model.check_q(q)
    if array.ndim > 1:
        raise StateError(f"q has shape {array.shape}; a picture shows one pose, ({model.nq},)")
    return array


def scene_of(
    model: Model, q: ArrayLike | None = None, trails: Iterable[str] | None = None, collision: bool = False
) -> Scene:
    """Return the scene that is drawn for a model.

    Parameters
    ----------
    model : Model
        Node i of the scene is body i.
    q : array_like (nq,), optional
        Coordinates of the first picture; neutral if not given.
    trails : iterable of str, optional
        Names of bodies or frames that draw their path; the tips of the tree if not given.
    collision : bool, optional
        Whether to read the collision geometry too, for a layer of its own.

    Returns
    -------
    Scene
        Bodies with visual geometry look like it; the others become stick figures. In a model that has geometry, bodies
        without both geometry and mass (frames in disguise, common in URDF files) show in layer 'frames' only.

    Warns
    -----
    MeshWarning
        Once, if mesh files are missing or unreadable; the collision shapes of the body stand for them, or else a box.
    """
    q = model.neutral() if q is None else one_pose(model, q)
    poses = np.asarray(forward_kinematics(model, q).poses)
    roles = {"visual", "collision"} if collision else {"visual"}
    shapes = [geometry.shape for body in model.bodies for geometry in body.geometry if geometry.role in roles]
    meshes = sum(isinstance(shape, Mesh) for shape in shapes)
    segments = next(fineness for fineness, most in FINENESS.items() if len(shapes) <= most)
    reader = MeshReader(budget=int(np.clip(TRIANGLES / max(meshes, 1), 3_000, BUDGET)))
    shown, boxes = [], []
    for body in model.bodies:
        own, stand_ins = _geometry(body, "visual", reader, segments)
        if stand_ins and not own and (own := _of_collision(body, reader, segments)):
            stand_ins = []
        shown += own
        boxes += [(body.index, geometry) for geometry in stand_ins]
    size = sizes(model, poses, swept_outline(node_outlines(shown, len(poses)), poses) if shown else None)
    shown += [Part(node, "bodies", _stand_in(geometry, size)) for node, geometry in boxes]

    bands = bands_of(model, 0.02 * size.extent)
    geometric, flesh = {part.node for part in shown}, nodes_of_skins(model, bands)
    for body in model.bodies:
        if body.index in flesh:
            continue
        if body.index not in geometric and (not geometric or (body.index > 0 and _massive(body))):
            surface = stick(model, body.index, size, flesh)
            shown += [Part(body.index, "bodies", surface)] if surface is not None else []
    marks = _marks(model, q, size)
    seen = [part for part in marks if part.layer == "frames"] if not (geometric or flesh) else []
    supports = supports_of(model, q, poses, size, [band for band in bands if len(band.nodes) == 2])
    outline = swept_outline(node_outlines([*shown, *seen, *supports], len(poses), bands), poses)
    contact = (
        [part for body in model.bodies for part in _geometry(body, "collision", reader, segments)[0]]
        if collision
        else []
    )
    reader.warn(model.name)

    layers = (
        Layer("bodies", "Bodies", "Geometry of the bodies; a stick figure where there is none"),
        Layer("collision", "Collision", "Geometry for contact", visible=False),
        Layer("frames", "Frames", "Body and named frames: x red, y green, z blue", not (geometric or flesh), xray=True),
        Layer(
            "joints",
            "Joint axes",
            "What each joint allows: turning about or sliding along an axis",
            False,
            xray=True,
        ),
        Layer(LAYER, "Springs", "Force elements between two points"),
        Layer(SUPPORTS, "Supports", "What holds the mechanism: bearings, rails and walls"),
        Layer("com", "Centres of mass", "Centre of mass of each body", False, xray=True),
        Layer("inertia", "Inertia", "Homogeneous ellipsoid with the mass and inertia of the body", False),
        Layer("trails", "Trails", "Paths of the tips of the tree"),
        Layer("labels", "Names", "Names of the bodies", False),
        Layer(GROUND, "Ground", "Half-spaces that bodies may touch"),
        Layer("grid", "Grid", "Ground grid; its spacing is written beside it"),
    )
    grounds = tuple(rule.placement for rule in model.contact_rules if isinstance(rule, Ground))
    there = {"collision": contact, LAYER: bands, GROUND: grounds, SUPPORTS: supports}
    scene = Scene(
        name=model.name,
        nodes=tuple(body.name for body in model.bodies),
        poses=poses,
        layers=tuple(layer for layer in layers if there.get(layer.name, True)),
        parts=(*shown, *contact, *marks, *supports),
        labels=tuple(Label(b.index, b.name, _middle(shown, b)) for b in model.bodies[1:]),
        trails=_trails(model, trails),
        bands=bands,
        notes=reader.notes,
        grounds=grounds,
        gravity=triple(np.asarray(model.gravity)),
    )
    return laid_under(scene, reaching_to(grounds, outline))


def _geometry(body: Body, role: str, reader: MeshReader, segments: int) -> tuple[list[Part], list[Geometry]]:
    """Return the parts of a body's geometry, solid and translucent, and the geometry whose mesh cannot be read."""
    solid: list[Triangles] = []
    parts: list[Part] = []
    missing: list[Geometry] = []
    layer = "bodies" if role == "visual" else "collision"
    for geometry in body.geometry:
        if geometry.role != role:
            continue
        surface = (
            reader.read(geometry.shape) if isinstance(geometry.shape, Mesh) else triangulate(geometry.shape, segments)
        )
        if surface is None:
            missing.append(geometry)
            continue
        surface = surface.moved(geometry.placement)
        if geometry.color is not None:
            surface = Triangles(surface.vertices, surface.normals, surface.faces).painted(geometry.color[:3])
        surface = surface.painted(palette.rgb(palette.body_color(body.index)))
        opacity = 0.35 if role == "collision" else 1.0 if geometry.color is None else geometry.color[3]
        if opacity >= 1.0:
            solid.append(surface)
        elif opacity > 0.0:
            parts.append(Part(body.index, layer, surface, opacity))
    return ([Part(body.index, layer, join(solid))] if solid else []) + parts, missing


def _of_collision(body: Body, reader: MeshReader, segments: int) -> list[Part]:
    """Return the collision shapes of a body whose visual meshes are all missing, drawn solid."""
    simple = [own for own in body.geometry if own.role == "collision" and not isinstance(own.shape, Mesh)]
    return _geometry(
        replace(body, geometry=tuple(replace(own, role="visual") for own in simple)), "visual", reader, segments
    )[0]


def _stand_in(geometry: Geometry, size: Sizes) -> Triangles:
    """Return a box in place of a mesh, in body coordinates."""
    return unit_box().moved(geometry.placement, 0.3 * size.link).painted(palette.rgb(palette.MISSING))


def _marks(model: Model, q: NDArray, size: Sizes) -> list[Part]:
    """Return frames, joint axes, centres of mass and inertia ellipsoids."""
    parts = [Part(body.index, "frames", axes(size.axes)) for body in model.bodies]
    parts += [Part(frame.body, "frames", axes(0.7 * size.axes).moved(frame.placement)) for frame in model.frames]
    for body in model.bodies[1:]:
        mark = joint_mark(model, body.index, q, 1.1 * size.axes)
        parts += [Part(body.index, "joints", mark)] if mark is not None else []
        if _massive(body):
            radii, pose = equimomental.ellipsoid(body.inertia)  # type: ignore[arg-type]
            ellipsoid = unit_sphere(24).moved(pose, np.maximum(radii, 1e-3 * size.extent))
            parts += [Part(body.index, "inertia", ellipsoid.painted(palette.rgb(palette.INERTIA)), 0.45)]
            at_com = np.eye(4)
            at_com[:3, 3] = pose[:3, 3]
            parts += [Part(body.index, "com", mass_mark(0.17 * size.axes).moved(at_com))]
    return parts


def _massive(body: Body) -> bool:
    return body.inertia is not None and body.inertia.mass > 0.0


def _middle(parts: list[Part], body: Body) -> tuple[float, float, float]:
    """Return the place of a body's name: the middle of what is drawn for it, else its origin."""
    points = [part.surface.vertices for part in parts if part.node == body.index]
    if not points:
        return (0.0, 0.0, 0.0)
    vertices = np.concatenate(points)
    x, y, z = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    return (float(x), float(y), float(z))


def _trails(model: Model, names: Iterable[str] | None) -> tuple[Trail, ...]:
    if names is None:
        parents = set(model.parent)
        leaves = [body for body in model.bodies[1:] if body.index not in parents]
        tips = [(body.index, _tip(body)) for body in leaves] if len(leaves) <= TRAILS else []
    else:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise ModelError(f"trails = {shown(names)} must be a list of frames or bodies, [{shown(names)}] for one")
        frames = [model.frame(name) for name in names]
        tips = [(frame.body, frame.placement[:3, 3]) for frame in frames]
    return tuple(Trail(body, (float(p[0]), float(p[1]), float(p[2])), palette.body_color(body)) for body, p in tips)


def _tip(body: Body) -> NDArray:
    """Return the point of a leaf that draws its trail: its centre of mass, else its origin."""
    return np.array(body.inertia.com) if body.inertia is not None and body.inertia.mass > 0.0 else np.zeros(3)
