"""The packed form says the same as the scene."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rbdkit.joints import Revolute
from rbdkit.library import double_pendulum
from rbdkit.model import Box, Geometry, Model
from rbdkit.scene import pack_plots, pack_scene, pack_tracks, palette, plots_of, scene_of, tracks_of
from rbdkit.scene.ghost import with_ghost
from rbdkit.scene.triangles import join
from rbdkit.simulation import Trajectory


def without_buffers(packed):
    if isinstance(packed, dict):
        return {key: without_buffers(value) for key, value in packed.items() if not isinstance(value, bytes)}
    return [without_buffers(value) for value in packed] if isinstance(packed, list) else packed


def test_parts_can_be_read_back_from_the_buffers():
    scene = scene_of(double_pendulum())
    packed = pack_scene(scene)
    position = np.frombuffer(packed["position"], "<f4").reshape(-1, 3)
    normal = np.frombuffer(packed["normal"], np.int8).reshape(-1, 4)[:, :3] / 127.0
    color = np.frombuffer(packed["color"], np.uint8).reshape(-1, 4)[:, :3] / 255.0
    index = np.frombuffer(packed["index"], "<u4")
    assert index.max() == len(position) - 1
    for node, layer, opacity, start, count, tint in packed["parts"]:
        own = [p.surface for p in scene.parts if (p.node, p.layer, p.opacity) == (node, layer, opacity)]
        surface = join(own)
        corners = index[start : start + count]
        assert position[corners] == pytest.approx(surface.vertices[surface.faces.ravel()], rel=1e-6, abs=1e-7)
        assert normal[corners] == pytest.approx(surface.normals[surface.faces.ravel()], abs=0.5 / 127 + 1e-9)
        drawn = color[corners] if tint is None else np.tile(tint, (count, 1))
        assert drawn == pytest.approx(surface.colors[surface.faces.ravel()], abs=0.5 / 255 + 1e-9)


def test_equal_bodies_are_stored_once():
    def chain(links):
        model = Model("chain")
        parent = "world"
        for k in range(links):
            shape = Geometry(Box((0.1, 0.1, 0.5)), color=(0.5, 0.5, 0.5))
            parent = model.add_body(f"link{k}", parent, Revolute("x"), [0, 0, 0.5], geometry=shape)
        return pack_scene(scene_of(model))

    assert len(chain(40)["position"]) == len(chain(20)["position"])
    assert len(chain(40)["parts"]) > len(chain(20)["parts"])


def test_a_ghost_adds_its_colour_and_no_shapes():
    scene = scene_of(double_pendulum())
    alone, haunted = pack_scene(scene), pack_scene(with_ghost(scene))
    assert [len(haunted[name]) for name in ("position", "normal", "index")] == (
        [len(alone[name]) for name in ("position", "normal", "index")]
    )
    tints = [tint for node, layer, *_, tint in haunted["parts"] if layer == "ghost"]
    assert len(tints) == 2 and tints[0] == pytest.approx(palette.rgb(palette.GROUND), abs=0.5 / 255)


def test_everything_but_the_buffers_is_json():
    model = double_pendulum()
    t = np.linspace(0.0, 1.0, 11)
    trajectory = Trajectory(model, t, np.zeros((11, 2)), np.zeros((11, 2)))
    for packed in (pack_scene(scene_of(model)), pack_tracks(tracks_of(trajectory)), pack_plots(plots_of(trajectory))):
        assert json.loads(json.dumps(without_buffers(packed), allow_nan=False)) == without_buffers(packed)
    assert pack_tracks(None) == {}
    assert np.frombuffer(pack_tracks(tracks_of(trajectory))["t"], "<f8") == pytest.approx(t, abs=0.0)
