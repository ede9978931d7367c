"""Geoms of a compiled MuJoCo model as shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.mjcf.reading import Reading, poses
from rbdkit.formats.mjcf.touching import sliding
from rbdkit.formats.unique_names import UniqueNames
from rbdkit.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Material, Mesh, Shape, Sphere

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
"""mujoco.mjtGeom."""
FIRST_HIDDEN_GROUP = 3
"""MuJoCo's viewer shows the groups before this one, unless it is told otherwise."""
NO_COLOR = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)
"""Colour of a geom that was given none; that of its material counts then."""
SOLIDS: dict[int, Callable[[list[float]], Shape]] = {
    SPHERE: lambda s: Sphere(s[0]),
    CAPSULE: lambda s: Capsule(s[0], 2.0 * s[1]),
    ELLIPSOID: lambda s: Ellipsoid((s[0], s[1], s[2])),
    CYLINDER: lambda s: Cylinder(s[0], 2.0 * s[1]),
    BOX: lambda s: Box((2.0 * s[0], 2.0 * s[1], 2.0 * s[2])),
}


class Shapes:
    """The shapes of MuJoCo's geoms.

    Attributes
    ----------
    names : list of str
        Name of each geom as a shape of its body: its own, or one made of its number; no other shape of the body has it.
    touching : ndarray of bool (ngeom,)
        Whether a geom is a shape that may touch something.
    """

    def __init__(self, reading: Reading) -> None:
        m = self._m = reading.compiled
        own = [reading.name("GEOM", g) for g in range(m.ngeom)]
        made = UniqueNames(filter(None, own))
        self.names = [name or made.new(f"geom{g}") for g, name in enumerate(own)]
        kinds = np.array(m.geom_type)
        asked = (np.array(m.geom_contype) != 0) | (np.array(m.geom_conaffinity) != 0)
        asked[np.concatenate([m.pair_geom1, m.pair_geom2]).astype(int)] = True
        if reading.disabled("CONTACT", "CONSTRAINT"):
            asked[:] = False
        solid = np.isin(kinds, [*SOLIDS, MESH])
        self.touching = asked & solid
        self._sizes, self._kinds, self._groups = m.geom_size.tolist(), kinds.tolist(), m.geom_group.tolist()
        self._places = poses(m.geom_pos, m.geom_quat)
        self._colors = self._materials_colors()
        self._of_body = list(zip(m.body_geomadr.tolist(), m.body_geomnum.tolist(), strict=True))
        self._meshes: dict[int, Mesh] = {}
        self._surfaces: dict[float, Material] = {}
        reading.leave_out("geoms that are height fields", np.count_nonzero(kinds == HFIELD))
        reading.leave_out("geoms that are signed distance fields", np.count_nonzero(kinds == SDF))

    def of(self, body: int, shift: NDArray) -> list[Geometry]:
        """Return the shapes of one of MuJoCo's bodies. shift : origin of its frame in that of the model's body."""
        first, count = self._of_body[body]
        return [
            self._shape(g, shift)
            for g in range(first, first + count)
            if self._kinds[g] in SOLIDS or self._kinds[g] == MESH
        ]

    def _shape(self, g: int, shift: NDArray) -> Geometry:
        place = self._places[g].copy()
        place[:3, 3] += shift
        role: Literal["visual", "collision"] = "collision" if self._groups[g] >= FIRST_HIDDEN_GROUP else "visual"
        return Geometry(
            self._mesh(int(self._m.geom_dataid[g]))
            if self._kinds[g] == MESH
            else SOLIDS[self._kinds[g]](self._sizes[g]),
            placement=place,
            color=tuple(self._colors[g]),
            name=self.names[g],
            role=role,
            collide=bool(self.touching[g]),
            material=self.material(g) if self.touching[g] else None,
        )

    def material(self, g: int) -> Material:
        """Return the surface of a geom; contacts of one dimension have no friction."""
        friction = 0.0 if int(self._m.geom_condim[g]) == 1 else float(sliding(self._m.geom_friction[g, 0]))
        if friction not in self._surfaces:
            self._surfaces[friction] = Material(friction=friction, combine="largest")
        return self._surfaces[friction]

    def _mesh(self, k: int) -> Mesh:
        if k not in self._meshes:
            m = self._m
            vertices, faces = (
                array[int(start) : int(start + count)]
                for array, start, count in (
                    (m.mesh_vert, m.mesh_vertadr[k], m.mesh_vertnum[k]),
                    (m.mesh_face, m.mesh_faceadr[k], m.mesh_facenum[k]),
                )
            )
            self._meshes[k] = Mesh(vertices=vertices.astype(float), faces=faces)
        return self._meshes[k]

    def _materials_colors(self) -> Any:
        """Return the colour of each geom: its own, or that of its material."""
        m = self._m
        colors, material = np.array(m.geom_rgba), np.array(m.geom_matid)
        from_material = (material >= 0) & (colors == NO_COLOR).all(axis=1)
        colors[from_material] = m.mat_rgba[material[from_material]]
        return np.clip(colors.astype(float), 0.0, 1.0).tolist()
