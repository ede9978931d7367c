import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rbdkit.errors import ModelError
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere

TRIANGLE = dict(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces=[[0, 1, 2]])


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.tuples(*[st.floats(0, 1e6)] * 3))
def test_shapes_keep_their_sizes_as_floats(sizes):
    a, b, _ = sizes
    assert Box(np.array(sizes)).size == Ellipsoid(list(sizes)).radii == sizes
    for shape in (Cylinder(a, b), Capsule(a, b), Cone(a, b)):
        assert (shape.radius, shape.length) == (a, b)
    assert Sphere(a).radius == a
    assert Box(sizes) == Box(sizes)


@pytest.mark.parametrize("make, says", [
    (lambda: Box((1, 1)), "size of a box must be 3 finite numbers, not (1, 1)"),
    (lambda: Box((1, -1, 1)), "size of a box must not be negative: (1, -1, 1) (m)"),
    (lambda: Box("big"), "size of a box must be 3 finite numbers, not 'big'"),
    (lambda: Sphere(np.nan), "radius of a sphere must be 1 finite number, not"),
    (lambda: Sphere(-0.1), "radius of a sphere must not be negative"),
    (lambda: Ellipsoid((1, 2, np.inf)), "radii of an ellipsoid must be 3 finite numbers"),
    (lambda: Cylinder(-1, 2), "radius and length of a cylinder must not be negative"),
    (lambda: Capsule(1, None), "radius and length of a capsule must be 2 finite numbers"),
    (lambda: Cone([1, 2], 3), "radius and length of a cone must be 2 finite numbers"),
    (lambda: Mesh(), "a mesh needs a path, or vertices (n, 3) and faces (k, 3)"),
    (lambda: Mesh(vertices=TRIANGLE["vertices"]), "a mesh needs both vertices (n, 3) and faces (k, 3)"),
    (lambda: Mesh("a.stl", scale=(1, 1)), "scale of a mesh must be 3 finite numbers"),
    (lambda: Mesh(vertices=[[0, 0]], faces=[[0, 0, 0]]), "vertices of a mesh must be finite and of shape (n, 3), not"),
    (lambda: Mesh(vertices=[[0, 0, np.nan]] * 3, faces=[[0, 1, 2]]), "vertices of a mesh must be finite"),
    (lambda: Mesh(vertices=np.eye(3), faces=[[0, 1, 3]]), "faces of a mesh must be (k, 3) vertex numbers from 0 to 2"),
    (lambda: Mesh(vertices=np.zeros((3, 3)), faces=[[0, 1, -1]]), "vertex numbers from 0 to 2"),
    (lambda: Mesh(vertices=np.zeros((3, 3)), faces=np.zeros((0, 3))), "vertex numbers from 0 to 2"),
    (lambda: Mesh(vertices="many", faces=[[0, 1, 2]]), "vertices and faces of a mesh must be arrays of numbers"),
    (lambda: Geometry("box"), "'box' is not a shape; give Box(size), Sphere(radius), Mesh(path) or another one"),
    (lambda: Geometry(Sphere(1), [1, 2]), "placement of geometry Sphere(radius=1.0) has shape (2,)"),
    (lambda: Geometry(Sphere(1), np.ones((3, 3)), name="knob"), "placement of geometry 'knob' is not a pose"),
    (lambda: Geometry(Sphere(1), role="both"), "role 'both' of geometry Sphere(radius=1.0) must be 'visual'"),
    (lambda: Geometry(Sphere(1), color=(1, 0)), "must be 3 or 4 numbers from 0 to 1"),
    (lambda: Geometry(Sphere(1), color=(1, 0, 255)), "color (1, 0, 255) of geometry Sphere(radius=1.0) must be 3 or 4"),
    (lambda: Geometry(Sphere(1), color=(1, 0, np.nan)), "must be 3 or 4 numbers from 0 to 1"),
    (lambda: Geometry(Sphere(1), color="red"), "color 'red' of geometry Sphere(radius=1.0) must be 3 or 4"),
])  # fmt: skip
def test_wrong_shapes(make, says):
    with pytest.raises(ModelError, match=re.escape(says)):
        make()


def test_geometry_defaults_and_colors():
    assert_array_equal(Geometry(Sphere(1)).placement, np.eye(4))
    assert Geometry(Sphere(1)).color is None
    assert Geometry(Sphere(1), color=(0.2, 0.4, 0.6)).color == (0.2, 0.4, 0.6, 1.0)  # nothing shows through
    assert Geometry(Sphere(1), color=(1, 0, 0.5)).color == (1.0, 0.0, 0.5, 1.0)
    assert Geometry(Sphere(1), color=[1, 0, 0, 0.25]).color == (1.0, 0.0, 0.0, 0.25)


def test_a_mesh_owns_its_arrays():
    vertices = np.array(TRIANGLE["vertices"], dtype=float)
    mesh = Mesh(vertices=vertices, faces=TRIANGLE["faces"])
    vertices[0] = 9.0
    assert mesh.vertices[0].tolist() == [0.0, 0.0, 0.0]
    assert mesh.faces.dtype.kind == "i"
    for array in (mesh.vertices, mesh.faces):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
