"""Muscles have the colour of their activation, in every picture and at every time."""

import io

import numpy as np
import pytest
from PIL import Image

import rbdkit as rbd
from rbdkit.export.thinned import fewer_keys
from rbdkit.scene import pack_scene, pack_tracks, scene_of, tracks_of
from rbdkit.scene.coils import PALE, RED
from rbdkit.scene.comparison import laid_over

RISE = 0.1
"""Time constant, s."""


def armed():
    """A lever between a muscle whose activation rises and one whose activation is a function of time."""
    model = rbd.Model("arm")
    rod = rbd.Inertia.cylinder(0.02, 0.3, mass=1.0).transformed(rbd.pose(position=(0, 0, -0.15)))
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=rod)
    for side, name, kind in ((1.0, "flexor", rbd.ExcitedMuscle), (-1.0, "extensor", timed())):
        points = ((0.1 * side, 0, -0.02), (0.02 * side, 0, -0.2))
        own = {"excitation": 1.0, "activation": 0.0, "activation_time": RISE} if side > 0 else {}
        model.add_force(name, kind(("world", "upper"), points, 30.0, 0.2, **own))
    model.add_force("still", rbd.Muscle(("world", "upper"), points, 30.0, 0.2, activation=0.25))
    return model


def timed():
    return rbd.forces.timed_muscle(lambda t: 0.5 + 0.5 * np.cos(8.0 * t))


@pytest.fixture(scope="module")
def run():
    return rbd.simulate(armed(), [0.2], duration=0.5, progress=False)


def test_tracks_know_the_activation_of_muscles_that_change(run):
    tracks = tracks_of(run)
    assert set(tracks.shades) == {"flexor", "extensor"}
    for t in (0.0, 0.05, 0.3):
        now = tracks.shades_at(t)
        assert now["flexor"] == pytest.approx(1.0 - np.exp(-t / RISE), abs=1e-9)  # RK4 of 1 ms is as good
        assert now["extensor"] == pytest.approx(0.5 + 0.5 * np.cos(8.0 * t), abs=1e-12)
    packed = pack_tracks(fewer_keys(tracks, 50))
    assert len(packed["shades"]["flexor"]) // 4 == len(packed["t"]) // 8 <= 52
    assert "shades" not in pack_tracks(tracks_of(rbd.simulate(rbd.library.pendulum(), duration=0.1)))


def test_bands_begin_in_the_colour_of_their_muscle():
    bands = {band.shade.of: band for band in scene_of(armed()).bands}
    for name, activation in (("flexor", 0.0), ("extensor", 1.0), ("still", 0.25)):
        color = np.array(PALE) + activation * (np.array(RED) - np.array(PALE))
        np.testing.assert_allclose(bands[name].surface.colors[0], color)
    shades = [band["shade"] for band in pack_scene(scene_of(armed()))["bands"]]
    assert [shade["of"] for shade in shades] == ["flexor", "extensor", "still"]


def test_pictures_show_it(run):
    """Of all that is red, little at first and more once the flexor is active."""

    def redness(t):
        pixels = np.asarray(Image.open(io.BytesIO(rbd.to_png(run, size=(240, 200), t=t))).convert("RGB")).astype(float)
        return int(np.sum((pixels[..., 0] > 1.8 * pixels[..., 1]) & (pixels[..., 0] > 90)))

    quarter = np.pi / 8.0  # the extensor is pale there, the flexor red
    assert redness(0.0) > 50 and redness(quarter) > 50
    assert redness(0.0) != redness(quarter)


def test_comparisons_keep_the_colours_of_their_motions():
    bands = laid_over(armed(), ["a", "b"]).bands
    assert len(bands) == 6 and all(band.shade is None for band in bands)


def test_skins_of_soft_bodies_are_drawn():
    model = rbd.library.soft_cube()
    pixels = np.asarray(Image.open(io.BytesIO(rbd.to_png(getattr(model, "model", model), size=(200, 160)))))
    red, green = pixels[..., 0].astype(int), pixels[..., 1].astype(int)
    assert np.mean(red - green > 60) > 0.1
