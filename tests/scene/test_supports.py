"""Where a mechanism is held, a hatched support is drawn."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import crank_slider, double_pendulum, random_tree
from rbdkit.scene import scene_of
from rbdkit.scene.pack import pack_scene

SOLID = rbd.Inertia(1.0, [0.0, 0.0, 0.0], np.eye(3))


def supports(model: rbd.Model, q=None) -> list:
    return [part for part in scene_of(model, q).parts if part.layer == "supports"]


def standing(turned: bool = False) -> rbd.Model:
    """A rod on a hinge at (1, 2, 3) with its mass above it or, turned, below."""
    model = rbd.Model("rod")
    com = [0.0, 0.0, -0.5 if turned else 0.5]
    model.add_body("rod", joint=rbd.Revolute("y"), placement=[1.0, 2.0, 3.0], inertia=rbd.Inertia(1.0, com))
    return model


@pytest.mark.parametrize("hangs", [True, False])
def test_a_bearing_touches_its_pivot_and_stands_away_from_the_mass(hangs):
    [part] = supports(standing(hangs), [2.5])
    points = part.surface.vertices - [1.0, 2.0, 3.0]
    assert part.node == 0
    assert np.linalg.norm(points, axis=1).min() < 1e-12  # the tip of the pyramid
    up = 1.0 if hangs else -1.0
    far = points[np.argmax(np.abs(points[:, 2]))]
    assert up * far[2] > 0.02 and abs(up * points[:, 2].min() if hangs else points[:, 2].max()) < 0.3 * abs(far[2])


def test_hanging_is_told_by_gravity_not_by_z():
    model = standing(turned=True)
    model.gravity = [0.0, 0.0, 9.81]
    [part] = supports(model)
    assert (part.surface.vertices - [1.0, 2.0, 3.0])[:, 2].min() < -0.02


def test_every_joint_with_the_world_has_its_own():
    assert len(supports(double_pendulum())) == 1
    assert len(supports(crank_slider())) == 2  # a bearing of the crank and a rail of the slider
    [bearing, rail] = supports(crank_slider())
    widths = [np.ptp(part.surface.vertices, axis=0).max() for part in (bearing, rail)]
    assert widths[1] > 2.0 * widths[0]


def test_a_rail_lies_along_its_joint():
    model = rbd.Model("cart")
    model.add_body("cart", joint=rbd.Prismatic([0.6, 0.8, 0.0]), inertia=SOLID)
    [part] = supports(model)
    along, across = (part.surface.vertices @ direction for direction in ([0.6, 0.8, 0.0], [0.8, -0.6, 0.0]))
    assert np.ptp(along) > 3.0 * np.ptp(across)
    assert part.surface.vertices[:, 2].max() < 0.0  # below what slides


def test_no_support_where_nothing_is_held_or_the_world_has_a_look_of_its_own():
    free = rbd.Model("free")
    free.add_body("box", joint=rbd.Free(), inertia=SOLID)
    assert supports(free) == [] and "supports" not in [layer.name for layer in scene_of(free).layers]
    robot = rbd.load(rbd.library.robot_file("panda"))
    assert supports(robot) == []


def test_a_spring_hangs_on_a_wall():
    model = rbd.Model("bob")
    model.add_body("bob", joint=rbd.Free(), inertia=SOLID)
    model.add_spring("spring", "world", "bob", stiffness=10.0, at_a=(0.0, 0.0, 2.0))
    [part] = supports(model)
    assert part.surface.vertices[:, 2].min() == pytest.approx(2.0) and np.ptp(part.surface.vertices[:, 0]) > 0.0


def test_supports_are_solid_surfaces():
    for model in (double_pendulum(), crank_slider(), random_tree(3, bodies=5)):
        for part in supports(model):
            surface = part.surface
            a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
            normal = np.cross(b - a, c - a)
            own = surface.normals[surface.faces].mean(axis=1)
            assert np.linalg.norm(normal, axis=1).min() > 0.0
            assert (np.einsum("ij,ij->i", normal, own) > 0.0).all()


def test_what_shadows_fall_on_and_where_things_fall_are_packed():
    scene = scene_of(double_pendulum())
    packed = pack_scene(scene)
    assert packed["gravity"] == [0.0, 0.0, -9.81]
    assert packed["shade"] == [0.0, 0.0, 1.0, scene.grid.height]
    model = rbd.Model("slope")
    model.add_body("box", joint=rbd.Free(), inertia=SOLID, geometry=rbd.Box((0.1, 0.1, 0.1)))
    model.add_ground(height=0.5, normal=[0.6, 0.0, 0.8])
    assert pack_scene(scene_of(model))["shade"] == pytest.approx([0.6, 0.0, 0.8, 0.5])
