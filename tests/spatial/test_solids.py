import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from scipy.integrate import quad

from rbdkit.errors import ModelError
from rbdkit.spatial import Inertia, se3

MASS = 3.0


def revolved(outer, lower, upper, inner=lambda z: 0.0, breaks=()):
    """Mass 3 solid of revolution about z by numerical integration of its rings."""
    integrate = lambda f: quad(f, lower, upper, points=breaks or None, epsabs=1e-13, epsrel=1e-13)[0]  # noqa: E731
    volume = integrate(lambda z: np.pi * (outer(z) ** 2 - inner(z) ** 2))
    com = integrate(lambda z: np.pi * z * (outer(z) ** 2 - inner(z) ** 2)) / volume
    zz = integrate(lambda z: np.pi / 2 * (outer(z) ** 4 - inner(z) ** 4)) / volume
    square = integrate(lambda z: np.pi * (z - com) ** 2 * (outer(z) ** 2 - inner(z) ** 2)) / volume
    return volume, Inertia(MASS, (0, 0, com), MASS * np.diag([zz / 2 + square, zz / 2 + square, zz]))


@pytest.mark.source("S1.08")
def test_cuboid_as_printed():
    """Sueda Eq 1.24."""
    x, y, z, m = 0.3, 0.5, 0.7, 4.0
    M = Inertia.box((x, y, z), mass=m).matrix
    assert_allclose(M, np.diag([m / 12 * (y**2 + z**2), m / 12 * (z**2 + x**2), m / 12 * (x**2 + y**2), m, m, m]))
    assert Inertia.box((x, y, z), density=8.0).mass == pytest.approx(8.0 * x * y * z, rel=1e-15)


R, L = 0.4, 1.3
ROUND = {
    "sphere": (Inertia.sphere, (R,), dict(outer=lambda z: np.sqrt(R**2 - z**2), lower=-R, upper=R)),
    "hollow sphere": (
        Inertia.hollow_sphere,
        (R, 0.3),
        dict(
            outer=lambda z: np.sqrt(R**2 - z**2),
            inner=lambda z: np.sqrt(max(0.3**2 - z**2, 0.0)),
            lower=-R,
            upper=R,
            breaks=(-0.3, 0.3),
        ),
    ),
    "cylinder": (Inertia.cylinder, (R, L), dict(outer=lambda z: R, lower=-L / 2, upper=L / 2)),
    "tube": (
        Inertia.hollow_cylinder,
        (R, 0.3, L),
        dict(outer=lambda z: R, inner=lambda z: 0.3, lower=-L / 2, upper=L / 2),
    ),
    "capsule": (
        Inertia.capsule,
        (R, L),
        dict(
            outer=lambda z: np.sqrt(max(R**2 - max(abs(z) - L / 2, 0.0) ** 2, 0.0)),
            lower=-L / 2 - R,
            upper=L / 2 + R,
            breaks=(-L / 2, L / 2),
        ),
    ),
    "cone": (Inertia.cone, (R, L), dict(outer=lambda z: R * (0.5 - z / L), lower=-L / 2, upper=L / 2)),
}


@pytest.mark.source("S1.08")
@pytest.mark.parametrize("name", ROUND)
def test_solids_of_revolution_by_quadrature(name):
    """Closed forms against adaptive quadrature over the rings, to its accuracy."""
    solid, sizes, profile = ROUND[name]
    volume, expected = revolved(**profile)
    assert_allclose(solid(*sizes, mass=MASS).matrix, expected.matrix, atol=1e-10)
    assert solid(*sizes, density=MASS).mass == pytest.approx(MASS * volume, rel=1e-10)


@pytest.mark.source("S1.08")
@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("solid", [Inertia.cylinder, Inertia.capsule, Inertia.cone])
def test_axis_turns_the_solid(solid, axis):
    columns = {"x": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], "y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]], "z": np.eye(3)}[axis]
    turned = solid(R, L, mass=MASS).transformed(se3.pose(np.array(columns, dtype=float)))
    assert_allclose(solid(R, L, mass=MASS, axis=axis).matrix, turned.matrix, atol=1e-15)
    with pytest.raises(ModelError, match='"x", "y" or "z"'):
        solid(R, L, mass=1.0, axis="w")


@pytest.mark.source("S1.08")
def test_ellipsoid_is_a_stretched_ball():
    """The second moments scale with the squares of the axes; with equal axes it is the ball."""
    a = np.array([0.3, 0.5, 0.9])
    ball = np.trace(Inertia.sphere(1.0, mass=MASS).inertia_com) / 6  # integral of x^2 over the unit ball
    squares = ball * a**2
    assert_allclose(Inertia.ellipsoid(a, mass=MASS).inertia_com, np.diag(squares.sum() - squares), atol=1e-15)
    assert_allclose(Inertia.ellipsoid([R] * 3, density=2.0).matrix, Inertia.sphere(R, density=2.0).matrix, atol=1e-15)


@pytest.mark.source("S1.08")
def test_hollow_solids_are_differences():
    """A hollow body and what fills its cavity are together the full body."""
    for hollow, filling, full in [
        (Inertia.hollow_sphere(2, 1, density=5), Inertia.sphere(1, density=5), Inertia.sphere(2, density=5)),
        (
            Inertia.hollow_cylinder(2, 1, 3, density=5),
            Inertia.cylinder(1, 3, density=5),
            Inertia.cylinder(2, 3, density=5),
        ),
        (
            Inertia.hollow_box((2, 3, 4), (1, 1, 1), density=5),
            Inertia.box((1, 1, 1), density=5),
            Inertia.box((2, 3, 4), density=5),
        ),
    ]:
        assert_allclose((hollow + filling).matrix, full.matrix, rtol=1e-14)


@pytest.mark.source("S1.08")
def test_thin_shells():
    """2/3 m r^2 and, about the axis of a tube, m r^2: no division by a vanishing thickness."""
    assert_allclose(Inertia.hollow_sphere(R, R, mass=MASS).inertia_com, 2 / 3 * MASS * R**2 * np.eye(3), rtol=1e-15)
    assert Inertia.hollow_cylinder(R, R, L, mass=MASS).inertia_com[2, 2] == pytest.approx(MASS * R**2, rel=1e-15)


BOX = trimesh.creation.box((0.3, 0.5, 0.7))


@pytest.mark.source("S1.08")
def test_mesh_of_a_box_is_exact_wherever_it_lies(rng):
    """Polyhedra are integrated exactly; 1 km away 13 digits of the position are left, and none of the inertia lost."""
    box = Inertia.box((0.3, 0.5, 0.7), density=1000.0)
    for T in (np.eye(4), se3.random(rng)):
        vertices = BOX.vertices @ T[:3, :3].T + T[:3, 3]
        assert_allclose(Inertia.mesh(vertices, BOX.faces, density=1000.0).matrix, box.transformed(T).matrix, atol=1e-12)
    far = Inertia.mesh(BOX.vertices + [1000.0, 0, 0], BOX.faces, density=1000.0)
    assert_allclose(far.inertia_com, box.inertia_com, atol=1e-10)
    assert_allclose(far.com, [1000, 0, 0], atol=1e-10)


@pytest.mark.source("S1.08")
def test_mesh_of_a_tetrahedron_by_its_closed_form(rng):
    """Covariance of a tetrahedron: sum of the outer products of its centred vertices over 20."""
    vertices = rng.standard_normal((4, 3))
    faces = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]
    d = vertices - vertices.mean(axis=0)
    covariance = d.T @ d / 20
    found = Inertia.mesh(vertices, faces, mass=MASS)
    assert_allclose(found.com, vertices.mean(axis=0), atol=1e-14)
    assert_allclose(found.inertia_com, MASS * (np.trace(covariance) * np.eye(3) - covariance), atol=1e-13)


@pytest.mark.source("S1.08")
@pytest.mark.parametrize("shape", ["torus", "annulus", "two boxes"])
def test_mesh_agrees_with_trimesh(shape):
    """Non-convex and multiply connected surfaces, by trimesh's own integrals."""
    mesh = {
        "torus": lambda: trimesh.creation.torus(1.0, 0.3),
        "annulus": lambda: trimesh.creation.annulus(0.5, 1.0, 2.0),
        "two boxes": lambda: BOX + BOX.copy().apply_translation([2.0, 0.1, 0.0]),
    }[shape]()
    found = Inertia.mesh(mesh.vertices, mesh.faces, density=2.0)
    assert found.mass == pytest.approx(2.0 * mesh.volume, rel=1e-12)
    assert_allclose(found.com, mesh.center_mass, atol=1e-12)
    assert_allclose(found.inertia_com, 2.0 * mesh.moment_inertia, atol=1e-11)


@pytest.mark.source("S1.08")
def test_refined_meshes_converge_to_the_ball():
    """Each subdivision quarters the error of the inscribed polyhedron."""
    exact = Inertia.sphere(1.0, density=1.0).inertia_com[0, 0]
    errors = []
    for n in (2, 3, 4):
        ball = trimesh.creation.icosphere(n, 1.0)
        errors.append(exact - Inertia.mesh(ball.vertices, ball.faces, density=1.0).inertia_com[0, 0])
    assert_allclose(np.array(errors[:-1]) / errors[1:], 4, rtol=0.03)


def test_triangle_soup_and_inside_out_meshes_are_the_same_solid():
    expected = Inertia.mesh(BOX.vertices, BOX.faces, mass=MASS)
    soup = BOX.vertices[BOX.faces].reshape(-1, 3)
    faces = np.arange(len(soup)).reshape(-1, 3)
    degenerate = np.vstack([faces, [0, 0, 1]])
    for vertices, indices in [(soup, faces), (BOX.vertices, BOX.faces[:, ::-1]), (soup, degenerate)]:
        assert_allclose(Inertia.mesh(vertices, indices, mass=MASS).matrix, expected.matrix, atol=1e-14)


def test_meshes_that_bound_no_solid_are_refused():
    flipped = BOX.faces.copy()
    flipped[0] = flipped[0, ::-1]
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    for vertices, faces, message in [
        (BOX.vertices, BOX.faces[1:], "3 edges without"),
        (BOX.vertices, flipped, "not closed or"),
        (square, [[0, 1, 2], [0, 2, 1]], "flat sheet"),
        (BOX.vertices, BOX.faces + 5, "points to vertex 12, there are 8"),
        (BOX.vertices, BOX.faces.astype(float), "faces must be vertex indices"),
        (BOX.vertices[:, :2], BOX.faces, "vertices must be finite"),
        (BOX.vertices * np.nan, BOX.faces, "vertices must be finite"),
    ]:
        with pytest.raises(ModelError, match=message):
            Inertia.mesh(vertices, faces, mass=1.0)


def test_impossible_sizes_are_refused():
    for wrong in [
        lambda: Inertia.sphere(-1.0, mass=1.0),
        lambda: Inertia.box((1.0, 0.0, 1.0), mass=1.0),
        lambda: Inertia.box((1.0, 1.0), mass=1.0),
        lambda: Inertia.capsule(1.0, np.nan, mass=1.0),
        lambda: Inertia.hollow_sphere(1.0, 1.1, mass=1.0),
        lambda: Inertia.hollow_box((1, 1, 1), (0.5, 1.0, 0.5), mass=1.0),
    ]:
        with pytest.raises(ModelError):
            wrong()
