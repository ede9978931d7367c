"""The unit sphere: every closed form against the differential equation or the limit that defines it."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from rbdkit.errors import StateError
from rbdkit.spatial import so3, sphere

EPS = np.finfo(float).eps


@pytest.fixture
def pairs(rng):
    """Points d0, d (20, 3), and tangent vectors at d0."""
    d0, d = sphere.random(rng, (20,)), sphere.random(rng, (20,))
    return d0, d, sphere.tangent(d0, rng.normal(size=(20, 3)))


@pytest.mark.source("G.01")
def test_space_is_the_tangent_plane_and_the_normal(pairs, rng):
    d0, _, _ = pairs
    u = rng.normal(size=(20, 3))
    v, n = sphere.tangent(d0, u), sphere.normal_component(d0, u)
    assert_allclose((v * d0).sum(axis=-1), 0.0, atol=4 * EPS)  # Eq 2
    assert_allclose(v + n[:, None] * d0, u, atol=4 * EPS)  # Eq 12


@pytest.mark.source("G.01")
def test_tangent_vectors_are_velocities_of_turns_about_tangent_axes(pairs):
    """Eqs 3 and 20: d x (w x d) = w for w . d = 0."""
    d0, _, w = pairs
    v = sphere.velocity(d0, w)
    assert_allclose((v * d0).sum(axis=-1), 0.0, atol=8 * EPS)
    assert_allclose(sphere.angular_velocity(d0, v), w, atol=16 * EPS)


@pytest.mark.source("G.01")
def test_exp_turns_the_point_about_the_normal_of_the_great_circle(pairs):
    """The rotation by the vector d0 x v0, which knows nothing of the sphere, gives the same point."""
    d0, _, v0 = pairs
    turned = (so3.exp(np.cross(d0, v0)) @ d0[..., None])[..., 0]
    assert_allclose(sphere.exp(d0, v0), turned, atol=16 * EPS)
    assert_allclose(np.linalg.norm(sphere.exp(d0, v0), axis=-1), 1.0, atol=4 * EPS)


@pytest.mark.source("G.01")
def test_geodesics_have_no_covariant_acceleration(pairs):
    """Eq 8, by central differences of Eq 9: error h^2 |v|^4 / 12 and round-off 4 eps / h^2."""
    d0, _, v0 = pairs
    s, h = 0.4, 1e-4
    before, here, after = (sphere.geodesic(d0, v0, np.full(20, s + k * h)) for k in (-1, 0, 1))
    acceleration = (after - 2.0 * here + before) / h**2
    assert np.abs(sphere.covariant_derivative(here, acceleration)).max() < 2e-6
    assert np.abs(acceleration).max() > 1.0
    assert_allclose(sphere.geodesic(d0, v0, np.zeros(20)), d0, atol=EPS)
    assert_allclose((sphere.geodesic(d0, v0, np.full(20, h)) - d0) / h, v0, atol=1e-2)


@pytest.mark.source("G.01")
def test_covariant_derivative_of_a_field_is_that_of_the_sphere_as_a_surface():
    """In spherical coordinates, with their Christoffel symbols, for the field v = sin(lon) e_lat + cos(lat) e_lon.

    The intrinsic formula uses no third dimension; Eq 5 projects the derivative taken in space.
    """
    lat, lon = mpmath.mpf("0.4"), mpmath.mpf("1.1")
    lat_rate, lon_rate = mpmath.mpf("0.7"), mpmath.mpf("-0.3")

    def frame(a, b):
        d = [mpmath.cos(a) * mpmath.cos(b), mpmath.cos(a) * mpmath.sin(b), mpmath.sin(a)]
        north = [-mpmath.sin(a) * mpmath.cos(b), -mpmath.sin(a) * mpmath.sin(b), mpmath.cos(a)]
        east = [-mpmath.sin(b), mpmath.cos(b), mpmath.mpf(0)]
        return d, north, east

    def field(t, k):
        a, b = lat + lat_rate * t, lon + lon_rate * t
        _, north, east = frame(a, b)
        return mpmath.sin(b) * north[k] + mpmath.cos(a) * east[k]

    d, north, east = (np.array([float(x) for x in vector]) for vector in frame(lat, lon))
    v_rate = np.array([float(mpmath.diff(lambda t, k=k: field(t, k), 0)) for k in range(3)])
    # orthonormal frame: nabla north = -lon_rate sin(lat) east, nabla east = lon_rate sin(lat) north
    turn = float(lon_rate * mpmath.sin(lat))
    along_north = float(mpmath.cos(lon) * lon_rate) + turn * float(mpmath.cos(lat))
    along_east = float(-mpmath.sin(lat) * lat_rate) - turn * float(mpmath.sin(lon))
    assert_allclose(sphere.covariant_derivative(d, v_rate), along_north * north + along_east * east, atol=8 * EPS)


@pytest.mark.source("G.01")
def test_log_inverts_exp(pairs):
    d0, d, v0 = pairs
    assert_allclose(sphere.exp(d0, sphere.log(d0, d)), d, atol=8 * EPS)
    short = v0 / np.linalg.norm(v0, axis=-1, keepdims=True) * np.linspace(0.01, 3.0, 20)[:, None]
    assert_allclose(sphere.log(d0, sphere.exp(d0, short)), short, atol=64 * EPS)
    assert_allclose(sphere.distance(d0, sphere.exp(d0, short)), np.linspace(0.01, 3.0, 20), atol=8 * EPS)


@pytest.mark.source("G.01")
@pytest.mark.parametrize("angle", [1e-12, 1e-8, 1e-4, np.pi - 1e-4, np.pi - 1e-6])
def test_log_keeps_its_digits_where_the_arccosine_loses_them(angle):
    """Printed Eq 7 takes arccos(d0 . d), off by sqrt(eps) near 0 and pi. Near pi the direction is what is uncertain."""
    d0 = np.array([1.0, 0.0, 0.0])
    d = np.array([float(mpmath.cos(angle)), float(mpmath.sin(angle)), 0.0])
    assert sphere.distance(d0, d) == pytest.approx(angle, rel=4 * EPS)
    assert_allclose(sphere.log(d0, d), [0.0, angle, 0.0], rtol=1e-9 if angle > 1 else 4 * EPS)


@pytest.mark.source("G.01")
def test_log_of_the_point_itself_is_zero():
    d0 = np.array([0.6, 0.0, 0.8])
    assert_allclose(sphere.log(d0, d0), 0.0, atol=EPS)
    assert_allclose(sphere.transport(d0, d0, [0.0, 1.0, 0.0]), [0.0, 1.0, 0.0], atol=EPS)


@pytest.mark.source("G.01")
def test_transport_is_the_printed_formula(pairs):
    """Eq 10 as it stands, with both logarithms and the squared arccosine."""
    d0, d, w0 = pairs
    for a, b, w in zip(d0, d, w0, strict=True):
        there, back = sphere.log(a, b), sphere.log(b, a)
        printed = w - (there + back) * (there @ w) / np.arccos(a @ b) ** 2
        assert_allclose(sphere.transport(a, b, w), printed, atol=1e-12)


@pytest.mark.source("G.01")
def test_transport_solves_the_equation_of_parallel_fields(pairs):
    """Eq 11 as a differential equation, w' = -(w . d') d, integrated along the arc."""
    d0, d, w0 = (array[0] for array in pairs)
    v0 = sphere.log(d0, d)

    def rate(s, w):
        here = sphere.geodesic(d0, v0, s)
        there = -np.linalg.norm(v0) * np.sin(np.linalg.norm(v0) * s) * d0 + np.cos(np.linalg.norm(v0) * s) * v0
        return -(w @ there) * here

    w = solve_ivp(rate, (0.0, 1.0), w0, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert_allclose(sphere.transport(d0, d, w0), w, atol=1e-10)


@pytest.mark.source("G.01")
def test_transport_keeps_lengths_and_angles_and_goes_back(pairs, rng):
    d0, d, w0 = pairs
    u0 = sphere.tangent(d0, rng.normal(size=(20, 3)))
    w, u = sphere.transport(d0, d, w0), sphere.transport(d0, d, u0)
    assert_allclose((w * u).sum(axis=-1), (w0 * u0).sum(axis=-1), atol=1e-13)
    assert_allclose((w * d).sum(axis=-1), 0.0, atol=1e-14)
    assert_allclose(sphere.transport(d, d0, w), w0, atol=1e-13)


@pytest.mark.source("G.01", "G.04")
def test_a_matrix_splits_or_is_refused():
    e3 = np.array([0.0, 0.0, 1.0])
    J = np.array([[3.0, -1 / 7, 0.0], [-1 / 7, 4.0, 0.0], [0.0, 0.0, 5.0]])
    J_perp, J_par = sphere.split_tensor(J, e3, e3)
    assert_allclose(J_perp + J_par, J, atol=0.0)
    assert_allclose(J_perp @ e3, 0.0, atol=0.0)
    assert_allclose(J_par, 5.0 * np.outer(e3, e3), atol=0.0)
    R = so3.exp([0.3, -1.0, 0.4])  # the rotation itself splits from d to R d
    R_perp, R_par = sphere.split_tensor(R, e3, R @ e3)
    assert_allclose(R_perp + R_par, R, atol=4 * EPS)
    with pytest.raises(StateError, match="principal axes"):
        sphere.split_tensor(J, *2 * [np.array([0.6, 0.0, 0.8])])


def test_what_is_no_point_and_what_has_no_shortest_arc_is_refused():
    with pytest.raises(StateError, match="length 2"):
        sphere.check([2.0, 0.0, 0.0])
    with pytest.raises(StateError, match="3 numbers"):
        sphere.check([1.0, 0.0])
    with pytest.raises(StateError, match="opposite"):
        sphere.log([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0])
    with pytest.raises(StateError, match="opposite"):
        sphere.transport([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
