"""Python expressions of numbers, placements, joint types, shapes and inertias that evaluate to the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rbdkit.joints
from rbdkit.drafting.density import filled, solid_inertia
from rbdkit.errors import ModelError
from rbdkit.joints import JointType, Prescribed
from rbdkit.model import Geometry, Material, Mesh, Shape
from rbdkit.model.geometry import Box, Ellipsoid, Sphere
from rbdkit.spatial.inertia import Inertia


def text(value: str) -> str:
    """A text in double quotes where that needs no escapes."""
    return f'"{value}"' if value.isprintable() and not set(value) & {'"', "\\"} else repr(value)


def number(value: float) -> str:
    """A number with all its digits."""
    value = float(value)
    return repr(value) if isfinite(value) else f'float("{value}")'


def array(values: ArrayLike) -> str:
    """Numbers in lists, as many lists deep as the array has axes."""
    values = np.asarray(values)
    if values.ndim == 0:
        return number(values.item()) if values.dtype.kind == "f" else repr(values.item())
    return f"[{', '.join(array(value) for value in values)}]"


def vector(values: Sequence[float]) -> str:
    """The numbers of a joint: one for all directions if they are the same."""
    same = len(values) > 0 and all(repr(value) == repr(values[0]) for value in values)
    return number(values[0]) if same else array(values)


def place(pose: NDArray) -> str | None:
    """A pose as a position if it does not turn, None if it is the identity."""
    if pose.tobytes() == np.eye(4).tobytes():
        return None
    moved = np.eye(4)
    moved[:3, 3] = pose[:3, 3]
    return array(pose[:3, 3] if moved.tobytes() == pose.tobytes() else pose)


def joint_type(type_: JointType, joint: str) -> str:
    """A joint type. joint : name of the joint, for messages."""
    if isinstance(type_, Prescribed):
        raise ModelError(
            f"joint {joint!r}: a prescribed joint holds a Python function, which no text can; "
            "make the model with the joint that is driven, and prescribe its motion in your own code"
        )
    name = type(type_).__name__
    if getattr(rbdkit.joints, name, None) is not type(type_):
        raise ModelError(f"joint {joint!r}: its type {name} is not one of rbdkit.joints; its code is yours")
    usual = {} if "joint" in type_.parameters() else type(type_)().parameters()
    words = []
    for argument, value in type_.parameters().items():
        written = _argument(value, joint)
        if argument in ("axis", "axis1", "joint"):
            words.append(written)
        elif value != usual.get(argument):
            words.append(f"{argument}={written}")
    return f"rbd.{name}({', '.join(words)})"


def _argument(value: Any, joint: str) -> str:
    if isinstance(value, JointType):
        return joint_type(value, joint)
    return text(value) if isinstance(value, str) else array(value)


def inertia(value: Inertia, geometry: Sequence[Geometry], density: float | None) -> str:
    """An inertia: by density and shapes if they give the same bits, else in numbers."""
    if density is not None and solid_inertia(geometry, density) == value:
        return " + ".join(_filled(shape, density) for shape in filled(geometry))
    words = [number(value.mass), array(value.com), array(value.inertia_com)]
    return f"rbd.Inertia({', '.join([*words, 'check=False'] if value.findings() else words)})"


def _filled(geometry: Geometry, density: float) -> str:
    words = _inertia_arguments(geometry.shape)
    whole = f"rbd.Inertia.{type(geometry.shape).__name__.lower()}({words}, density={number(density)})"
    # the place in full: `transformed` takes a pose
    return whole if place(geometry.placement) is None else f"{whole}.transformed({_pose(geometry.placement)})"


def _pose(pose: NDArray) -> str:
    written = place(pose)
    return array(pose) if written is None or written.startswith("[[") else f"rbd.pose(position={written})"


def _inertia_arguments(shape: Shape) -> str:
    if isinstance(shape, Mesh):
        return f"{array(np.asarray(shape.vertices) * shape.scale)}, {array(np.asarray(shape.faces))}"
    return _dimensions(shape)


def _dimensions(shape: Shape) -> str:
    match shape:
        case Box():
            return array(shape.size)
        case Sphere():
            return number(shape.radius)
        case Ellipsoid():
            return array(shape.radii)
        case Mesh():
            return _mesh(shape)
    return f"{number(shape.radius)}, {number(shape.length)}"


def _mesh(mesh: Mesh) -> str:
    words = [] if mesh.path is None else [f"path={text(mesh.path)}"]
    if mesh.scale != (1.0, 1.0, 1.0):
        words.append(f"scale={array(mesh.scale)}")
    if mesh.vertices is not None and mesh.faces is not None:
        words += [f"vertices={array(mesh.vertices)}", f"faces={array(mesh.faces)}"]
    if mesh.searched:
        words.append(f"searched={mesh.searched!r}")
    if mesh.found is not None:
        words.append(f"found={text(mesh.found)}")
    return ", ".join(words)


def material(value: Material) -> str:
    """Return the expression of a contact material, with the parameters that differ from their defaults."""
    usual = Material().numbers
    words = [f"{name}={number(x)}" for name, x in value.numbers.items() if x != usual.get(name)]
    words += [] if value.combine == "mean" else [f"combine={value.combine!r}"]
    return f"rbd.Material({', '.join(words)})"


def shape(geometry: Geometry) -> str:
    """Return the expression of a geometry, or of its bare shape if everything else is default."""
    bare = f"rbd.{type(geometry.shape).__name__}({_dimensions(geometry.shape)})"
    where = place(geometry.placement)
    words = [] if where is None else [where]
    if geometry.color is not None:
        words.append(f"color={array(geometry.color)}")
    if geometry.name:
        words.append(f"name={text(geometry.name)}")
    if geometry.role != "visual":
        words.append(f"role={text(geometry.role)}")
    if geometry.collide is not None:
        words.append(f"collide={geometry.collide}")
    if geometry.material is not None:
        words.append(f"material={material(geometry.material)}")
    return f"rbd.Geometry({', '.join([bare, *words])})" if words else bare
