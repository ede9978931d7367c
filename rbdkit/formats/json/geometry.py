"""Shapes in JSON."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.formats.json.contacts import material_from_node, material_to_dict
from rbdkit.formats.json.node import Node
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere

ROUND: dict[str, type[Cylinder | Capsule | Cone]] = {"cylinder": Cylinder, "capsule": Capsule, "cone": Cone}


def geometry_to_dict(geometry: Geometry) -> dict[str, Any]:
    """A geometry as plain data; what is as usual is left out."""
    data: dict[str, Any] = {"shape": _shape_to_dict(geometry.shape)}
    if geometry.placement.tobytes() != np.eye(4).tobytes():
        data["placement"] = geometry.placement.tolist()
    if geometry.color is not None:
        data["color"] = list(geometry.color)
    if geometry.name:
        data["name"] = geometry.name
    if geometry.role != "visual":
        data["role"] = geometry.role
    if geometry.collide is not None:
        data["collide"] = bool(geometry.collide)
    if geometry.material is not None:
        data["material"] = material_to_dict(geometry.material)
    return data


def _shape_to_dict(shape: Shape) -> dict[str, Any]:
    match shape:
        case Box():
            return {"kind": "box", "size": list(shape.size)}
        case Sphere():
            return {"kind": "sphere", "radius": shape.radius}
        case Ellipsoid():
            return {"kind": "ellipsoid", "radii": list(shape.radii)}
        case Cylinder() | Capsule() | Cone():
            return {"kind": type(shape).__name__.lower(), "radius": shape.radius, "length": shape.length}
    data: dict[str, Any] = {"kind": "mesh", "scale": list(shape.scale)}
    if shape.path is not None:
        data["path"] = shape.path
    if shape.vertices is not None and shape.faces is not None:
        data |= {"vertices": shape.vertices.tolist(), "faces": shape.faces.tolist()}
    if shape.searched:
        data["searched"] = list(shape.searched)
    if shape.found is not None:
        data["found"] = shape.found
    return data


def geometry_from_node(node: Node) -> Geometry:
    """The geometry of a JSON object."""
    node.only(("shape", "placement", "color", "name", "role", "collide", "material"))
    placement, color, name, role = (node.get(key) for key in ("placement", "color", "name", "role"))
    collide, material = node.get("collide"), node.get("material")
    shape = _shape_from_node(node["shape"])
    try:
        return Geometry(
            shape,
            placement=np.eye(4) if placement is None else placement.array((4, 4)),
            color=None if color is None else tuple(color.array((-1,)).tolist()),
            name="" if name is None else name.text(),
            role=cast(Any, "visual" if role is None else role.text()),
            collide=None if collide is None else collide.value,
            material=None if material is None else material_from_node(material),
        )
    except ModelError as fault:
        raise node.fault(str(fault)) from None


def _shape_from_node(node: Node) -> Shape:
    kind = node["kind"].text()
    try:
        match kind:
            case "box":
                node.only(("kind", "size"))
                x, y, z = node["size"].array((3,))
                return Box((x, y, z))
            case "sphere":
                node.only(("kind", "radius"))
                return Sphere(node["radius"].number())
            case "ellipsoid":
                node.only(("kind", "radii"))
                x, y, z = node["radii"].array((3,))
                return Ellipsoid((x, y, z))
            case "cylinder" | "capsule" | "cone":
                node.only(("kind", "radius", "length"))
                return ROUND[kind](node["radius"].number(), node["length"].number())
            case "mesh":
                return _mesh_from_node(node)
    except ModelError as fault:
        raise node.fault(str(fault)) from None
    known = ", ".join(["box", "sphere", "ellipsoid", *ROUND, "mesh"])
    raise node["kind"].fault(f"shape {kind!r} is unknown; known: {known}")


def _mesh_from_node(node: Node) -> Mesh:
    node.only(("kind", "path", "scale", "vertices", "faces", "searched", "found"))
    path, scale, vertices, faces, found = (node.get(key) for key in ("path", "scale", "vertices", "faces", "found"))
    numbers = None if faces is None else faces.array((-1, 3), infinite=True)
    if faces is not None and numbers is not None and np.any((numbers != np.floor(numbers)) | (np.abs(numbers) > 2**53)):
        raise faces.fault("must hold whole numbers, the numbers of vertices")
    x, y, z = (1.0, 1.0, 1.0) if scale is None else scale.array((3,))
    return Mesh(
        path=None if path is None else path.text(),
        scale=(x, y, z),
        vertices=None if vertices is None else vertices.array((-1, 3)),
        faces=numbers,
        searched=tuple(item.text() for item in node.entries("searched")),
        found=None if found is None else found.text(),
    )
