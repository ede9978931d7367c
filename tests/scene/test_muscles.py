"""Muscles as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.scene.build import scene_of
from rbdkit.scene.coils import PALE, RED, spindle
from rbdkit.scene.pack import pack_scene


@pytest.mark.source("S1.15")
def test_a_spindle_for_each_part_of_the_path():
    model = rbd.library.double_pendulum()
    a, b = (body.name for body in model.bodies[1:3])
    path = [("world", (0.3, 0, 0)), (a, (0.1, 0, -0.2)), (b, (0.1, 0, -0.2))]
    model.add_muscle("active", path, 500.0, 0.8, activation=1.0)
    model.add_muscle("resting", path[:2], 500.0, 0.8, activation=0.0)
    model.add_spring("band", a, "world", 2.0, at_b=(0.0, 1.0, 0.0))
    scene = scene_of(model)
    bands = scene.bands
    assert [band.nodes for band in bands] == [(0, 1), (1, 2), (0, 1), (1, 0)]
    assert bands[0].points == ((0.3, 0.0, 0.0), (0.1, 0.0, -0.2))
    assert bands[0].rest == pytest.approx(np.hypot(0.2, 0.2))
    assert bands[0].surface.colors[0] == pytest.approx(RED)
    assert bands[2].surface.colors[0] == pytest.approx(PALE)
    assert bands[3].rest is None
    packed = pack_scene(scene)["bands"]
    assert packed[0]["rest"] == bands[0].rest
    assert "rest" not in packed[3]


def test_a_spindle_is_closed_and_has_its_volume():
    surface = spindle(0.2)
    corners = surface.vertices[surface.faces]
    volume = np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert abs(volume) == pytest.approx(0.5 * np.pi * 0.2**2, rel=0.06)  # a polygon of twelve sides
    assert surface.vertices[:, 0].min() == 0.0
    assert surface.vertices[:, 0].max() == 1.0
