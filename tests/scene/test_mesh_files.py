"""Mesh files are read, coloured and thinned; those that cannot be are told once."""

from __future__ import annotations

import struct
import sys
import warnings

import numpy as np
import pytest

from rbdkit.meshes.piece import fans
from rbdkit.model import Box, Cylinder, Geometry, Mesh, Model
from rbdkit.scene import MeshReader, MeshWarning, scene_of, triangulate
from rbdkit.scene.normals import shaded
from rbdkit.scene.reduce import reduced

CUBE = triangulate(Box((1.0, 1.0, 1.0)))
CORNERS = CUBE.vertices[CUBE.faces]

DAE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="paint"><profile_COMMON><technique sid="common"><lambert>
<diffuse><color sid="diffuse">0.2 0.4 0.6 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="blue"><instance_effect url="#paint"/></material></library_materials>
<library_geometries><geometry id="square"><mesh>
<source id="points"><float_array id="numbers" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#numbers" count="4" stride="3"/></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
{primitive}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node><translate>0 0 5</translate><rotate>0 0 1 90</rotate>
<scale>2 1 1</scale><instance_geometry url="#square"><bind_material><technique_common>
<instance_material symbol="skin" target="#blue"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"""
VERTEX = '<input semantic="VERTEX" source="#corners" offset="0"/><input semantic="NORMAL" source="#none" offset="1"/>'
PRIMITIVES = {
    "triangles": f'<triangles count="2" material="skin">{VERTEX}<p>0 9 1 9 2 9 0 9 2 9 3 9</p></triangles>',
    "polylist": f'<polylist count="1" material="skin">{VERTEX}<vcount>4</vcount><p>0 9 1 9 2 9 3 9</p></polylist>',
    "polygons": f'<polygons count="1" material="skin">{VERTEX}<p>0 9 1 9 2 9 3 9</p></polygons>',
}


def read(path, **options):
    reader = MeshReader()
    surface = reader.read(Mesh(path=str(path), **options))
    assert not reader.missing, reader.missing
    return surface


def box_of(surface):
    return np.stack([surface.vertices.min(axis=0), surface.vertices.max(axis=0)])


def binary_stl(corners: np.ndarray, header: bytes = b"a cube") -> bytes:
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *facet.ravel(), 0) for facet in corners)
    return header.ljust(80) + struct.pack("<I", len(corners)) + facets


def text_stl(corners: np.ndarray) -> str:
    facets = ["outer loop " + " ".join("vertex {} {} {}".format(*v) for v in facet) + " endloop" for facet in corners]
    return "solid cube\n" + "\n".join(f"facet normal 0 0 0 {facet} endfacet" for facet in facets) + "\nendsolid"


@pytest.mark.parametrize("content", [binary_stl(CORNERS), binary_stl(CORNERS, b"solid "), text_stl(CORNERS).encode()])
def test_stl_binary_and_text(tmp_path, content):
    (tmp_path / "cube.STL").write_bytes(content)
    surface = read(tmp_path / "cube.STL", scale=(1.0, 2.0, 3.0))
    assert len(surface.faces) == 12
    assert box_of(surface) == pytest.approx(np.array([[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]]))
    assert len(surface.vertices) == 24  # welded, then split along the cube's edges


def test_obj_with_polygons_negative_numbers_and_colours(tmp_path):
    (tmp_path / "m.mtl").write_text("newmtl red\nKd 0.9 0.1 0.2\nnewmtl plain\n")
    (tmp_path / "m.obj").write_text(
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nusemtl red\nf 1//1 2//1 3//1 4//1\n"
        "usemtl plain\nv 0 0 1\nf 1/7 2 \\\n-1\n"
    )
    surface = read(tmp_path / "m.obj")
    assert len(surface.faces) == 3
    assert box_of(surface) == pytest.approx(np.array([[0, 0, 0], [1, 1, 1]]))
    assert {tuple(c) for c in surface.colors.round(2)} == {(0.9, 0.1, 0.2), (0.74, 0.76, 0.79)}


def test_polygons_of_any_number_of_corners_are_filled():
    """Areas by the shoelace formula; every triangle goes round as its polygon does."""
    counts = np.array([5, 3, 2, 7, 4])  # two corners make nothing
    angles = [np.sort(np.random.default_rng(n).uniform(0.0, 2.0 * np.pi, n)) for n in counts]
    rings = [np.column_stack([3.0 * np.cos(angle), np.sin(angle)]) for angle in angles]  # convex: on an ellipse
    a, b, c = np.moveaxis(np.concatenate(rings)[fans(counts)], 1, 0)
    areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    of = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))
    for k, (x, y) in enumerate(ring.T for ring in rings):
        shoelace = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
        assert areas[of == k].sum() == pytest.approx(shoelace, abs=1e-14)
    assert np.all(areas > 0.0)


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_dae_with_unit_transform_and_colour(tmp_path, kind):
    (tmp_path / "square.dae").write_text(DAE.format(primitive=PRIMITIVES[kind]))
    surface = read(tmp_path / "square.dae")
    assert len(surface.faces) == 2
    # scaled by 2 along x, turned by 90 degrees about z, lifted by 5, all in cm; the up axis is left alone
    assert box_of(surface) == pytest.approx(np.array([[-0.01, 0.0, 0.05], [0.0, 0.02, 0.05]]))
    assert surface.colors == pytest.approx(np.tile([0.2, 0.4, 0.6], (len(surface.vertices), 1)))


@pytest.mark.robots
@pytest.mark.parametrize("robot", ["ur5_robot", "panda", "anymal", "romeo_small"])
def test_every_mesh_of_a_real_robot_is_drawn(robot):
    from rbdkit.formats import load
    from rbdkit.library import robot_file

    scene = scene_of(load(robot_file(robot)))
    assert scene.notes == ()
    assert sum(len(part.surface.faces) for part in scene.parts if part.layer == "bodies") > 5_000


def test_missing_and_broken_files_are_boxes_and_one_warning(tmp_path):
    broken = {"a.stl": "not a mesh", "b.dae": "<COLLADA>", "c.obj": "v 0 0 0\nf 1 2 3\n", "d.stl": "", "e.xyz": "1 2 3"}
    for name, text in broken.items():
        (tmp_path / name).write_text(text)
    names = [*broken, "nowhere.stl"]
    model = Model("wreck")
    model.add_body(
        "hull", geometry=[Geometry(Mesh(path=str(tmp_path / name)), [0.1 * k, 0, 0]) for k, name in enumerate(names)]
    )
    with pytest.warns(MeshWarning) as caught:
        scene = scene_of(model)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "model 'wreck': 6 meshes drawn as a box" in text and "looked for " + str(tmp_path / "nowhere.stl") in text
    assert all(name in text for name in names)
    assert scene.notes == ("6 meshes not available: drawn as a box",)
    hull = [part for part in scene.parts if part.layer == "bodies"]
    assert len(hull) == 6 and all(len(part.surface.faces) == 12 for part in hull)


def test_a_mesh_that_the_loader_has_reported_is_not_reported_again():
    model = Model("told")
    mesh = Mesh(path="package://robot/arm.stl", searched=("/nowhere/robot/arm.stl",))
    model.add_body("arm", geometry=Geometry(mesh))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scene_of(model).notes == ("1 mesh not available: drawn as a box",)


def test_an_edited_file_is_read_again(tmp_path):
    import os

    path = tmp_path / "cube.stl"
    path.write_bytes(binary_stl(CORNERS))
    assert box_of(read(path))[1] == pytest.approx([0.5] * 3)
    path.write_bytes(binary_stl(2.0 * CORNERS))
    os.utime(path, ns=(1, 1))
    assert box_of(read(path))[1] == pytest.approx([1.0] * 3)


def test_readers_need_no_optional_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "cube.stl").write_bytes(binary_stl(CORNERS))
    assert read(tmp_path / "cube.stl") is not None
    reader = MeshReader()
    (tmp_path / "cube.ply").write_text("ply")
    assert reader.read(Mesh(path=str(tmp_path / "cube.ply"))) is None
    assert "pip install trimesh" in next(iter(reader.missing.values()))


def test_large_meshes_are_thinned_but_keep_their_shape():
    n = 300
    u, v = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, n), indexing="ij")
    vertices = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij"))
    a = i * n + j
    faces = np.concatenate([np.stack([a, a + n, a + n + 1], axis=1), np.stack([a, a + n + 1, a + 1], axis=1)])
    colors = np.where(vertices[faces].mean(axis=1)[:, 2:] > 0.0, [[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]])
    points, kept, paint = reduced(vertices, faces, 5_000, colors)
    assert 1_000 < len(kept) <= 5_000 and len(paint) == len(kept)
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0, abs=0.01)
    assert np.all((points[kept].mean(axis=1)[:, 2] > 0.05) <= (paint[:, 0] == 1.0))


def test_normals_are_smooth_on_a_sphere_and_sharp_on_a_cube():
    from rbdkit.scene.solids import unit_sphere

    ball = unit_sphere()
    smooth = shaded(ball.vertices, ball.faces)
    assert np.einsum("ij,ij->i", smooth.normals, smooth.vertices) == pytest.approx(1.0, abs=5e-3)
    sharp = shaded(CORNERS.reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert np.sort(np.abs(sharp.normals), axis=1) == pytest.approx(np.tile([0.0, 0.0, 1.0], (24, 1)), abs=1e-12)


def test_collision_shapes_stand_for_meshes_that_are_missing():
    model = Model("arm")
    cylinder = Geometry(Cylinder(0.05, 0.5), role="collision")
    model.add_body("rod", geometry=[Geometry(Mesh("nowhere.stl")), cylinder])
    model.add_body("hand", "rod", geometry=[Geometry(Mesh("nowhere.stl"))])
    with pytest.warns(MeshWarning):
        scene = scene_of(model)
    rod, hand = (next(part for part in scene.parts if part.node == k and part.layer == "bodies") for k in (1, 2))
    size = np.ptp(rod.surface.vertices, axis=0)
    np.testing.assert_allclose(size, [0.1, 0.1, 0.5], rtol=1e-2)  # a round thing of few corners
    assert len(hand.surface.faces) == 12  # a box as before
