"""Where meshes are looked for, and what is said when they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rbdkit.formats import FormatWarning, from_urdf, load
from rbdkit.formats.meshes import MeshFinder

VARIABLES = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH")


@pytest.fixture(autouse=True)
def no_search_path(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def package(tmp_path) -> Path:
    """A package 'arm' with robots/arm.urdf's folder and one mesh."""
    folder = tmp_path / "checkout" / "arm"
    (folder / "meshes").mkdir(parents=True)
    (folder / "robots").mkdir()
    (folder / "meshes" / "link.stl").write_text("solid")
    return folder


def robot(*filenames: str) -> str:
    visuals = [f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in filenames]
    return f'<robot name="r"><link name="a">{"".join(visuals)}</link></robot>'


@pytest.mark.parametrize(
    "filename",
    [
        "package://arm/meshes/link.stl",
        "package://renamed/meshes/link.stl",
        "model://arm/meshes/link.stl",
        "../meshes/link.stl",
        "meshes/link.stl",
    ],
)
def test_meshes_are_found_from_the_folder_of_the_file(package, filename):
    file = package / "robots" / "arm.urdf"
    file.write_text(robot(filename))
    mesh = load(file).body("a").geometry[0].shape
    assert Path(mesh.found) == package / "meshes" / "link.stl"
    assert mesh.found in mesh.searched
    assert mesh.path == filename


def test_absolute_paths(package):
    mesh = package / "meshes" / "link.stl"
    for filename in (str(mesh), mesh.as_uri()):
        assert MeshFinder(None).mesh(filename, (1, 1, 1)).found == str(mesh)


@pytest.mark.parametrize(
    ("variable", "place"), [("ROS_PACKAGE_PATH", "."), ("ROS_PACKAGE_PATH", "arm"), ("GAZEBO_MODEL_PATH", ".")]
)
def test_search_paths_of_ros_and_gazebo(package, monkeypatch, variable, place):
    monkeypatch.setenv(variable, f"/nowhere:{package.parent / place}")
    assert MeshFinder(None).mesh("package://arm/meshes/link.stl", (1, 1, 1)).found is not None
    assert MeshFinder(None).mesh("package://leg/meshes/link.stl", (1, 1, 1)).found is None


def test_search_path_of_ros_2(package, tmp_path, monkeypatch):
    share = tmp_path / "install" / "share"
    share.mkdir(parents=True)
    package.rename(share / "arm")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    found = MeshFinder(None).mesh("package://arm/meshes/link.stl", (1, 1, 1)).found
    assert Path(found) == share / "arm" / "meshes" / "link.stl"


def test_given_folders_come_first(package, tmp_path):
    mine = tmp_path / "mine" / "arm" / "meshes"
    mine.mkdir(parents=True)
    (mine / "link.stl").write_text("mine")
    file = package / "robots" / "arm.urdf"
    file.write_text(robot("package://arm/meshes/link.stl"))
    model = load(file, mesh_paths=[tmp_path / "mine"])
    assert Path(model.body("a").geometry[0].shape.found) == mine / "link.stl"


def test_missing_meshes_give_one_warning_with_the_meshes_and_the_folders(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(robot("package://arm/a.stl", "b.stl", "http://example.org/c.stl", "package://arm/a.stl"))
    with pytest.warns(FormatWarning) as caught:
        model = load(file, mesh_paths=["/my/meshes"])
    assert len(caught) == 1
    text = str(caught[0].message)
    assert text.startswith("arm.urdf: 3 mesh files not found")
    for word in (
        "package://arm/a.stl",
        "b.stl",
        "http://example.org/c.stl",
        "/my/meshes",
        str(tmp_path),
        "mesh_paths=",
    ):
        assert word in text
    shapes = [geometry.shape for geometry in model.body("a").geometry]
    assert [shape.found for shape in shapes] == [None] * 4
    assert str(tmp_path / "arm" / "a.stl") in shapes[0].searched
    assert shapes[2].searched == ()  # nothing is fetched


def test_a_long_list_of_missing_meshes_is_shortened():
    with pytest.warns(FormatWarning, match=r"50 mesh files not found[\s\S]*and 38 more"):
        from_urdf(robot(*[f"package://arm/{k}.stl" for k in range(50)]))


@pytest.mark.parametrize(
    "filename",
    ["x" * 5000, "file://[", "file://%00", "package://", "package:///", "://", "~nobody~/x", "a\nb", "." * 999],
)
def test_strange_file_names_are_only_missing(filename):
    finder = MeshFinder(None)
    assert finder.mesh(filename, (1, 1, 1)).found is None
    assert filename in finder.missing
