"""Grounds are drawn under what the picture holds, and the grid lies on a level one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.scene import scene_of, tracks_of
from rbdkit.scene.comparison import laid_over
from rbdkit.scene.pack import pack_scene
from rbdkit.widgets.view import framed, reaching


def ball(**ground):
    model = rbd.Model("ball")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0), geometry=rbd.Sphere(0.1))
    if ground:
        model.add_ground(**ground)
    return model


def grounds(scene):
    return [part for part in scene.parts if part.layer == "ground"]


def at(model, *places):
    q = np.tile(model.neutral(), (len(places), 1))
    q[:, 4:] = places
    return rbd.forward_kinematics(model, q).poses


@pytest.mark.parametrize("normal", [[0.0, 0.0, 1.0], [0.0, -1.0, 2.0], [1.0, 0.0, 0.0]])
def test_a_disc_lies_just_under_the_plane_below_the_body(normal):
    model = ball(normal=normal, height=-0.2)
    n = np.array(normal) / np.linalg.norm(normal)
    scene = scene_of(model, [1, 0, 0, 0, 0.3, 0.4, 0.1])
    (part,) = grounds(scene)
    heights = (part.surface.vertices + 0.2 * n) @ n
    assert part.node == 0 and part.opacity < 0.5
    assert_allclose(heights, heights[0], atol=1e-12)
    assert -0.01 * scene.size < heights[0] < 0.0
    assert_allclose(part.surface.normals, np.tile(n, (len(heights), 1)), atol=1e-12)
    corners = part.surface.vertices[part.surface.faces]
    turning = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (turning @ n > 0.0).all()
    middle = part.surface.vertices[0]
    assert_allclose(np.cross(middle - scene.outline.mean(axis=0), n), 0.0, atol=0.2 * scene.size)
    reach = np.linalg.norm(part.surface.vertices[1:] - middle, axis=1)
    assert (reach > scene.size).all()


def test_the_grid_lies_on_a_level_ground():
    q = [1, 0, 0, 0, 0, 0, 0.4]
    assert scene_of(ball(height=-0.3), q).grid.height == -0.3
    assert scene_of(ball(height=-0.3, normal=[0.0, 0.1, 1.0]), q).grid.height == 0.0  # a slope: as ever
    assert scene_of(ball(), q).grid.height == 0.0


def test_the_picture_holds_the_ground_that_is_near_and_no_other():
    q = [1, 0, 0, 0, 0, 0, 0.4]
    near, far = (scene_of(ball(height=height), q) for height in (0.0, -50.0))
    assert near.outline[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert far.outline[:, 2].min() == pytest.approx(0.3, abs=1e-3)


def test_grounds_reach_under_a_motion():
    model = ball(height=0.0)
    poses = at(model, [0.0, 0.0, 0.1], [6.0, 0.0, 0.1])
    scene = scene_of(model)
    wider = reaching(scene, poses)
    (part,) = grounds(wider)
    assert part.surface.vertices[:, 0].max() > 6.0 and len(grounds(wider)) == 1
    motion = rbd.simulate(ball(), v0=[0, 0, 0, 2.0, 0, 0], duration=0.1)
    under, _, _ = framed(scene, tracks_of(motion), "")
    assert len(grounds(under)) == 1 and under.grid.height == 0.0


def test_a_layer_of_its_own_where_there_is_a_ground():
    with_it, without = ([layer.name for layer in scene_of(m).layers] for m in (ball(height=0.0), ball()))
    assert "ground" in with_it and "ground" not in without
    packed = pack_scene(scene_of(ball(height=0.0)))
    assert [part[:2] for part in packed["parts"] if part[1] == "ground"] == [[0, "ground"]]


def test_compared_motions_stand_on_one_ground():
    scene = laid_over(ball(height=0.0), ["a", "b"])
    assert len(grounds(scene)) == 1 and "ground" in [layer.name for layer in scene.layers]
