"""Scenes as pixels: where things lie, what hides what, how bright it is; all from closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.pictures import Look, draw, look_at, poses_at
from rbdkit.pictures.light import SKY, SUN
from rbdkit.scene import Layer, Part, Scene, scene_of, tracks, tracks_of
from rbdkit.scene.solids import unit_box, unit_sphere

BODIES = (Layer("bodies", "Bodies", ""),)


def one(*parts: Part, nodes: int = 2) -> Scene:
    """A scene of a world and balls or boxes, framed by a cube about the origin."""
    corners = np.array([[x, y, z] for x in (-2.0, 2.0) for y in (-2.0, 2.0) for z in (-2.0, 2.0)])
    names = ("world", *(f"body{k}" for k in range(1, nodes)))
    return Scene("test", names, np.tile(np.eye(4), (nodes, 1, 1)), BODIES, tuple(parts), outline=corners)


def at(*position: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = position
    return pose


def test_a_ball_covers_the_disc_that_perspective_gives_it():
    surface = unit_sphere(96).painted((1.0, 0.0, 0.0))
    look = Look(400, 300, direction=(0.0, -1.0, 0.0), transparent=True)
    pixels = draw(one(Part(1, "bodies", surface)), None, look)
    eye = look_at(one().outline, 400 / 300, look.direction)
    distance = -eye.place[1]
    # the cone that touches a ball of radius 1 at this distance has the sine 1 / distance
    radius = 150.0 / np.tan(np.radians(15.0)) * np.tan(np.arcsin(1.0 / distance))
    rows, columns = np.mgrid[:300, :400] + 0.5
    within = np.hypot(columns - 200.0, rows - 150.0)
    solid = pixels[..., 3] == 255
    assert solid[within < radius - 1.5].all() and not pixels[within > radius + 1.5, 3].any()


def test_every_corner_of_the_outline_is_in_the_picture_and_one_is_near_its_edge():
    scene = one()
    for direction, aspect in (((0.5, -0.8, 0.34), 1.6), ((0.0, 0.0, 1.0), 0.7), ((-1.0, 0.2, -0.4), 3.0)):
        seen = look_at(scene.outline, aspect, direction).seen(scene.outline, round(aspect * 1000), 1000)
        share = np.abs(seen[:, :2] / [aspect * 1000, 1000] - 0.5).max()
        assert 0.4 < share < 0.5


def test_what_is_nearer_hides_what_is_farther_whichever_comes_first():
    red, blue = (unit_box().painted(color) for color in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    look = Look(100, 100, direction=(0.0, -1.0, 0.0))
    for order in (1, -1):
        parts = (Part(1, "bodies", red), Part(2, "bodies", blue))[::order]
        poses = np.stack([np.eye(4), at(0.0, -1.5, 0.0), at(0.0, 1.5, 0.0)])
        r, _, b, _ = draw(one(*parts, nodes=3), poses, look)[50, 50].astype(int)
        assert r > b + 100
        poses[[1, 2]] = poses[[2, 1]]
        r, _, b, _ = draw(one(*parts, nodes=3), poses, look)[50, 50].astype(int)
        assert b > r + 100


def test_boxes_that_cut_each_other_are_seen_both():
    """Neither is in front of the other: no order of painting whole surfaces would show it."""
    red, blue = (unit_box().painted(color) for color in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    turned = np.eye(4)
    turned[:3, :3] = [[np.cos(0.6), -np.sin(0.6), 0.0], [np.sin(0.6), np.cos(0.6), 0.0], [0.0, 0.0, 1.0]]
    poses = np.stack([np.eye(4), np.eye(4), turned])
    scene = one(Part(1, "bodies", red), Part(2, "bodies", blue), nodes=3)
    row = draw(scene, poses, Look(400, 400, direction=(0.0, -1.0, 0.0)))[200].astype(int)
    colours = ["r" if r > b + 60 else "b" if b > r + 60 else " " for r, _, b, _ in row]
    changes = "".join(c for k, c in enumerate(colours) if c != " " and (k == 0 or colours[k - 1] != c))
    assert set(changes) == {"r", "b"} and len(changes) >= 3


def test_a_white_wall_that_faces_the_eye_is_as_bright_as_its_lamps():
    """Sky from the side is the mean of its two colours; the lamp, which goes with the eye, comes from the front."""
    surface = unit_box().painted((1.0, 1.0, 1.0))
    corner = draw(one(Part(1, "bodies", surface)), None, Look(201, 201, direction=(0.0, -1.0, 0.0)))[120, 80]
    lamp = np.array([-0.5, 0.9, 1.7]) / np.linalg.norm([-0.5, 0.9, 1.7])
    matt = SKY * (0.5 + 0.5 * np.array([0x9A, 0xA3, 0xB0]) / 255.0) + SUN * lamp[2]
    assert np.all(corner[:3] / 255.0 > matt - 0.01) and np.all(corner[:3] / 255.0 < matt + 0.03)  # and a little gloss


def test_layers_that_are_off_are_not_drawn_and_translucent_ones_show_what_is_behind():
    scene = scene_of(rbd.library.double_pendulum(), [1.0, 0.5])
    look = Look(200, 150, transparent=True)
    assert draw(scene, None, look)[..., 3].any()
    off = Look(200, 150, transparent=True, layers={layer.name: False for layer in scene.layers})
    assert not draw(scene, None, off).any()
    red, blue = (unit_box().painted(color) for color in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    poses = np.stack([np.eye(4), at(0.0, -1.5, 0.0), at(0.0, 1.5, 0.0)])
    veiled = one(Part(1, "bodies", red, 0.5), Part(2, "bodies", blue), nodes=3)
    r, _, b, _ = draw(veiled, poses, Look(100, 100, direction=(0.0, -1.0, 0.0)))[50, 50].astype(int)
    assert r > 60 and b > 60


def test_poses_between_keys_turn_along_the_shortest_arc_and_stand_at_keys():
    run = rbd.simulate(rbd.library.tumbling_box(), v0=[1.0, 2.0, 3.0, 0.1, 0.2, 0.3], duration=1.0, dt=0.01)
    drawn = tracks_of(run)
    for k in (0, 37, 100):
        np.testing.assert_allclose(poses_at(drawn, run.t[k]), run.poses()[k], atol=2e-6)  # float32
    half = poses_at(drawn, 0.5 * (run.t[10] + run.t[11]))
    apart = np.linalg.norm(half[1, :3, :3] - 0.5 * (run.poses()[10] + run.poses()[11])[1, :3, :3])
    assert apart < 1e-3  # the mean of near rotations is nearly one
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    poses = np.tile(np.eye(4), (2, 1, 1, 1))
    poses[1, 0, :3, :3] = quarter
    turned = poses_at(tracks([0.0, 1.0], poses), 0.5)[0]
    assert turned[0, 0] == pytest.approx(np.sqrt(0.5), abs=1e-6) and turned[1, 0] == pytest.approx(
        np.sqrt(0.5), abs=1e-6
    )
