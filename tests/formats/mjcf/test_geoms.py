"""Geoms of MJCF as shapes."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd

TETRAHEDRON = '<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="2 1 1"/></asset>'


def shapes(tree, geoms: str, more: str = "") -> tuple[rbd.Geometry, ...]:
    return tree(f'<body name="a"><freejoint/>{geoms}</body>', more).model.body("a").geometry


@pytest.mark.parametrize(("geom", "shape"), [
    ('type="sphere" size="0.2"', rbd.Sphere(0.2)),
    ('type="capsule" size="0.2 0.5"', rbd.Capsule(0.2, 1.0)),
    ('type="cylinder" size="0.2 0.5"', rbd.Cylinder(0.2, 1.0)),
    ('type="ellipsoid" size="0.1 0.2 0.3"', rbd.Ellipsoid((0.1, 0.2, 0.3))),
    ('type="box" size="0.1 0.2 0.3"', rbd.Box((0.2, 0.4, 0.6))),
])  # fmt: skip
def test_solids(tree, geom, shape):
    (found,) = shapes(tree, f'<geom name="g" pos="1 2 3" quat="0 1 0 0" {geom}/>')
    assert found.shape == shape and found.name == "g" and found.role == "visual"
    assert found.placement.tolist() == [[1, 0, 0, 1], [0, -1, 0, 2], [0, 0, -1, 3], [0, 0, 0, 1]]


def test_shapes_are_where_the_joint_is(tree):
    both = tree('<body name="a" pos="0 0 1"><joint axis="0 1 0" pos="0 0 0.4"/><geom size="0.1" pos="0.3 0 0"/></body>')
    state = both.state()
    pose = rbd.forward_kinematics(both.model, state.q).pose("a") @ both.model.body("a").geometry[0].placement
    np.testing.assert_allclose(pose[:3, 3], state.data.geom_xpos[0], atol=1e-12)


def test_a_mesh_is_where_mujoco_draws_it(tree):
    both = tree('<body name="a"><freejoint/><geom type="mesh" mesh="t" pos="1 2 3"/></body>', TETRAHEDRON)
    (found,) = both.model.body("a").geometry
    corners = found.shape.vertices @ found.placement[:3, :3].T + found.placement[:3, 3]
    wanted = [[1, 2, 3], [1, 2, 4], [1, 3, 3], [3, 2, 3]]
    np.testing.assert_allclose(sorted(corners.round(6).tolist()), wanted, atol=1e-6)
    assert found.shape.faces.shape == (4, 3)
    weight = rbd.Inertia.mesh(found.shape.vertices, found.shape.faces, density=1000.0)
    assert weight.mass == pytest.approx(both.model.mass, rel=1e-6)


def test_colours_are_those_of_the_geom_or_its_material(tree):
    asset = '<asset><material name="red" rgba="1 0 0 0.5"/></asset>'
    geoms = '<geom size="1"/><geom size="1" material="red"/><geom size="1" material="red" rgba="0 1 0 1"/>'
    assert [g.color for g in shapes(tree, geoms, asset)] == [(0.5, 0.5, 0.5, 1), (1, 0, 0, 0.5), (0, 1, 0, 1)]


def test_what_is_hidden_is_for_collision_and_what_touches_nothing_for_the_eye(tree):
    found = shapes(tree, '<geom size="1" group="3"/><geom size="1" contype="0" conaffinity="0"/>')
    assert [(g.role, g.collide) for g in found] == [("collision", True), ("visual", False)]
    assert found[0].material == rbd.Material(1.0, combine="largest") and found[1].material is None


def test_height_fields_are_left_out(read):
    both = read(
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/>'
        '<body><freejoint/><geom size="1"/></body></worldbody>'
    )
    assert both.told.splitlines()[1:] == ["  1 geoms that are height fields"]
    assert not both.model.contact_pairs


def test_unnamed_geoms_get_names_of_their_own(tree):
    assert [g.name for g in shapes(tree, '<geom size="1" name="geom1"/><geom size="1"/>')] == ["geom1", "geom1_2"]
