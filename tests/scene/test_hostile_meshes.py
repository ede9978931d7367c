"""Mesh files from strangers: what they cannot mean is refused in words, and none takes for ever."""

from __future__ import annotations

import os

import numpy as np
import pytest

from rbdkit import Mesh
from rbdkit.meshes import dae
from rbdkit.meshes import read as reading
from rbdkit.scene.mesh_reader import MeshReader

DAE = """<COLLADA xmlns="c"><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array>0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{}
</mesh></geometry></library_geometries>{}</COLLADA>"""
VERTEX = '<input semantic="VERTEX" source="#v" offset="{}"/>'
TRIANGLE = f"<triangles>{VERTEX.format(0)}<p>{{}}</p></triangles>"
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def read(tmp_path, name: str, content: str | bytes):
    """The triangles, or what the reader says of the file."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    reader = MeshReader()
    found = reader.read(Mesh(str(path)))
    return found if found is not None else next(iter(reader.missing.values()))


def polylist(counts: str, corners: str) -> str:
    return DAE.format(f"<polylist>{VERTEX.format(0)}<vcount>{counts}</vcount><p>{corners}</p></polylist>", "")


@pytest.mark.parametrize("name, content, why", [
    ("x.dae", DAE.format(TRIANGLE.format("-1 -2 -3"), ""), "names a vertex that does not exist"),
    ("x.dae", DAE.format(TRIANGLE.format("0 1 3"), ""), "names a vertex that does not exist"),
    ("x.dae", polylist("-3 6", "0 1 2"), "other numbers of corners"),
    ("x.dae", polylist("3", "0 1 2 0"), "other numbers of corners"),
    ("x.dae", DAE.format(TRIANGLE.format("0 1 2 0"), ""), "other numbers of corners"),
    ("x.dae", polylist("3 2", "0 1 2 0 1"), "a polygon has 2 corners, but it needs three"),
    ("x.dae", DAE.format(TRIANGLE.format("0 1 2").replace('"0"', '"-1"'), ""), "negative offset"),
    ("x.dae", DAE.format("<triangles><p>0 1 2</p></triangles>", ""), "has no vertices"),
    ("x.obj", OBJ + "f 1 2 4\n", "line 4: a face names vertex 4, but there are 3 before it"),
    ("x.obj", OBJ + "f 1 2 -4\n", "names vertex -4, but there are 3 before it"),
    ("x.obj", OBJ + "f 0 1 2\n", "names vertex 0, but there are 3 before it"),
    ("x.obj", "f 1 2 3\n" + OBJ, "line 1: a face names vertex 1, but there are 0 before it"),
    ("x.obj", OBJ + "f 1 2 3\nf 1\\\n2\n", "line 5: a face has 2 corners, but it needs three"),
    ("x.obj", OBJ + "v 1 2 \\\n 3\nf 1 2 x\n", "line 6: invalid literal"),
    ("x.obj", OBJ + "v 1 2\n", "line 4: a vertex has 2 coordinates, but it needs three"),
    ("x.stl", b"solid x".ljust(80) + (1).to_bytes(4, "little") + bytes(50), "degenerate: none has an area"),
])  # fmt: skip
def test_impossible_meshes(tmp_path, name, content, why):
    assert why in read(tmp_path, name, content)


def test_possible_ones_are_read(tmp_path):
    for name, content in [
        ("x.dae", DAE.format(TRIANGLE.format("0 1 2"), "")),
        ("x.obj", OBJ + "f -3 -2 -1\n"), ("y.obj", OBJ + "f 1 2 3\n"),
    ]:  # fmt: skip
        assert len(read(tmp_path, name, content).faces) == 1


def bomb(levels: int) -> str:
    nodes = "".join(f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 10 + "</node>" for k in range(levels))
    last = f'<node id="n{levels}"><instance_geometry url="#g"/></node>'
    scene = '<visual_scene><node><instance_node url="#n0"/></node></visual_scene>'
    library = f"<library_nodes>{nodes}{last}</library_nodes><library_visual_scenes>{scene}</library_visual_scenes>"
    return DAE.format(TRIANGLE.format("0 1 2"), library)


def test_nodes_within_nodes_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(dae, "MOST_PIECES", 2000)
    assert "places more than 2000 nodes" in read(tmp_path, "nine.dae", bomb(9))  # 10^9 pieces in 3 kB
    assert len(read(tmp_path, "two.dae", bomb(2)).faces) == 100
    empty = bomb(9).replace('<instance_geometry url="#g"/>', "")
    assert "places more than 2000 nodes" in read(tmp_path, "empty.dae", empty)
    wide = '<instance_geometry url="#g"/>' * 2001
    assert "places more than 2000 pieces" in read(
        tmp_path, "wide.dae", bomb(0).replace('<instance_geometry url="#g"/>', wide)
    )


def test_nodes_nested_too_deep(tmp_path):
    """The outermost node is at depth 0, so 65 fit into one another."""
    for count in (65, 66):
        nodes = "<node>" * count + '<instance_geometry url="#g"/>' + "</node>" * count
        scene = f"<library_visual_scenes><visual_scene>{nodes}</visual_scene></library_visual_scenes>"
        found = read(tmp_path, f"{count}.dae", DAE.format(TRIANGLE.format("0 1 2"), scene))
        assert "more than 64 deep" in found if count == 66 else len(found.faces) == 1


def test_files_without_end_are_not_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.stl")
    reader = MeshReader()
    for path in (tmp_path / "pipe.stl", "/dev/zero", tmp_path):
        assert reader.read(Mesh(str(path))) is None
    monkeypatch.setattr(reading, "MOST_BYTES", 10)
    assert "more than 10 bytes" in read(tmp_path, "long.obj", OBJ + "f 1 2 3\n")


def test_given_triangles_without_area_leave_the_scene_whole():
    reader = MeshReader()
    assert reader.read(Mesh(vertices=np.eye(3), faces=[[0, 0, 0]])) is None
    assert reader.missing == {
        "mesh of 1 given triangles": "cannot be drawn: all its triangles are degenerate: none has an area"
    }
