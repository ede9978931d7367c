"""Triangles of shapes: closed, outward, of the right size."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Sphere
from rbdkit.scene import Triangles, triangulate
from rbdkit.scene.glyphs import arrow, axes, mass_mark, rod, turn
from rbdkit.scene.triangles import join

SOLIDS = {
    Box((0.2, 0.3, 0.5)): 0.2 * 0.3 * 0.5,
    Sphere(0.4): 4.0 / 3.0 * np.pi * 0.4**3,
    Ellipsoid((0.1, 0.2, 0.4)): 4.0 / 3.0 * np.pi * 0.1 * 0.2 * 0.4,
    Cylinder(0.2, 0.7): np.pi * 0.2**2 * 0.7,
    Cone(0.3, 0.6): np.pi * 0.3**2 * 0.6 / 3.0,
    Capsule(0.1, 0.5): np.pi * 0.1**2 * 0.5 + 4.0 / 3.0 * np.pi * 0.1**3,
}


def volume(surface: Triangles) -> float:
    """Enclosed volume by the divergence theorem; positive if the faces look outwards."""
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_a_solid_encloses_its_volume(shape):
    # flat facets lose 2 pi^2 / (3 n^2) = 0.4 % of a round section with n = 40 sides, and as much again at the poles
    assert volume(triangulate(shape)) == pytest.approx(SOLIDS[shape], rel=0.015)


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: type(shape).__name__)
def test_normals_are_unit_and_agree_with_the_faces(shape):
    surface = triangulate(shape)
    assert np.linalg.norm(surface.normals, axis=1) == pytest.approx(1.0, abs=1e-12)
    a, b, c = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    flat = np.cross(b - a, c - a)
    assert np.all(np.linalg.norm(flat, axis=1) > 0.0)  # no triangle is empty
    assert np.all(np.einsum("ij,ikj->ik", flat, surface.normals[surface.faces]) >= -1e-15)


def test_size_is_that_of_the_shape():
    for shape, half in ((Box((0.2, 0.3, 0.5)), [0.1, 0.15, 0.25]), (Capsule(0.1, 0.5), [0.1, 0.1, 0.35])):
        vertices = triangulate(shape).vertices
        assert vertices.max(axis=0) == pytest.approx(half) and vertices.min(axis=0) == pytest.approx(-np.array(half))


def test_a_mirrored_shape_still_looks_outwards():
    surface = triangulate(Mesh(vertices=triangulate(Box((1, 1, 1))).vertices, faces=triangulate(Box((1, 1, 1))).faces))
    assert volume(surface) == pytest.approx(1.0)
    assert volume(surface.moved(np.eye(4), (-2.0, 1.0, 1.0))) == pytest.approx(2.0)


def test_rod_and_arrow_reach_from_point_to_point():
    a, b = np.array([0.1, -0.2, 0.3]), np.array([0.5, 0.4, -0.6])
    along = (b - a) / np.linalg.norm(b - a)
    for surface in (rod(a, b, 0.01), arrow(a, b - a, 0.01)):
        s = (surface.vertices - a) @ along
        assert (s.min(), s.max()) == pytest.approx((0.0, np.linalg.norm(b - a)))
        assert volume(surface) > 0.0


def test_axes_are_red_green_blue_along_x_y_z():
    frame = axes(0.5)
    for axis in range(3):
        tip = frame.vertices[:, axis].argmax()
        assert frame.vertices[tip, axis] == pytest.approx(0.5)
        assert frame.colors[tip].argmax() == axis


def test_turn_is_right_handed_about_its_axis():
    axis = np.array([0.0, 1.0, 0.0])
    bent = turn(np.zeros(3), axis, 1.0, 0.01)
    ring = bent.vertices[: 37 * 9].reshape(37, 9, 3).mean(axis=1)
    assert np.all(np.cross(ring[:-1], ring[1:]) @ axis > 0.0)


def test_turn_is_a_torus_with_an_arrowhead():
    """Three quarters of a torus have the surface 2 pi r * 1.5 pi R (Pappus), its head is a cone; all looks outwards."""
    R, r = 1.0, 0.02
    bent = turn(np.zeros(3), np.array([0.0, 0.0, 1.0]), R, r)
    a, b, c = np.moveaxis(bent.vertices[bent.faces], 1, 0)
    flat = np.cross(b - a, c - a)
    outside = np.einsum("ij,ikj->ik", flat, bent.normals[bent.faces])
    assert np.all(outside >= -1e-15)
    head = 2.6 * r * np.array([1.0, 2.4])  # radius and length
    surface = 2.0 * np.pi * r * 1.5 * np.pi * R + np.pi * head[0] * (head[0] + np.hypot(*head))
    # octagons have sin(pi / 8) / (pi / 8) = 0.974 of the circle's length
    assert np.linalg.norm(flat, axis=1).sum() / 2.0 == pytest.approx(surface, rel=0.03)


def test_mass_mark_has_both_colours_in_equal_shares():
    mark = mass_mark(0.1)
    light = mark.colors[:, 0] > 0.5
    assert light.mean() == pytest.approx(0.5)
    assert volume(mark) > 0.0


def test_join_keeps_every_surface():
    boxes = [triangulate(Box((1, 1, 1))).painted((0.1 * k, 0.0, 0.0)) for k in range(3)]
    assert volume(join(boxes)) == pytest.approx(3.0)
    assert np.unique(join(boxes).colors[:, 0]) == pytest.approx([0.0, 0.1, 0.2])


def test_what_is_no_shape_is_refused():
    with pytest.raises(TypeError, match="'wheel' cannot be drawn"):
        triangulate("wheel")
