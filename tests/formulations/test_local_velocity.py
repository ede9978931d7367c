"""Unified local velocity coordinates against printed formulas, exact arithmetic and the Newton-Euler equations."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.errors import ModelError
from rbdkit.formulations.local_velocity import Projection, gamma, integrated, mass_matrix, quadrature, tangent
from rbdkit.spatial import so3
from rbdkit.spatial.so3 import skew

EPS = np.finfo(float).eps
ROOT = np.sqrt(2.0)
LENGTHS = (0.7, 1.3, 2.1)
J = np.diag([5.2988, 1.1775, 4.3568])
ANGLES = [0.0, 1e-9, 1e-3, 0.5, np.pi, 5.0, 2 * np.pi - 1e-2, 2 * np.pi - 1e-6]


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def general(rng) -> Projection:
    """Six random points and directions."""
    return Projection(rng.uniform(-2, 2, (6, 3)), rng.standard_normal((6, 3)))


def motion_vector(rng, angle) -> np.ndarray:
    axis = rng.standard_normal(3)
    return np.concatenate([rng.standard_normal(3), angle * axis / np.linalg.norm(axis)])


def random_inertia(rng) -> np.ndarray:
    S = rng.standard_normal((3, 3))
    return np.trace(S @ S.T) * np.eye(3) - S @ S.T


# --- H.01: exponential map and tangent operators ----------------------------------------------------------------------


def hat(n) -> mpmath.matrix:
    """The 4x4 matrix of n = (n_T, n_R) (Eq 7)."""
    a, b, c, x, y, z = (mpmath.mpf(v) for v in n)
    return mpmath.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


def exact_tangent(n) -> mpmath.matrix:
    """Columns v_L of ``H^-1 dH/dn_k`` with H = expm(hat(n)), by differences in 60 digits: exact to 20."""
    step = mpmath.mpf(10) ** -30
    inverse = mpmath.expm(-hat(n), method="taylor")
    T = mpmath.matrix(6, 6)
    for k in range(6):
        e = [mpmath.mpf(0)] * 6
        e[k] = step
        up, down = (
            mpmath.expm(hat([x + s * d for x, d in zip(map(mpmath.mpf, n), e, strict=True)]), method="taylor")
            for s in (1, -1)
        )
        V = inverse * (up - down) / (2 * step)
        T[:, k] = mpmath.matrix([V[0, 3], V[1, 3], V[2, 3], V[2, 1], V[0, 2], V[1, 0]])
    return T


def as_floats(matrix: mpmath.matrix) -> np.ndarray:
    return np.array(matrix.tolist(), dtype=float)


@pytest.mark.source("H.01")
@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_and_tangent_operators_with_the_linear_part_first(rng, angle):
    """Round-off of numbers as large as the angle, and for the inverse as large as it grows towards 2 pi."""
    n = motion_vector(rng, angle)
    with mpmath.workdps(60):
        H, T = as_floats(mpmath.expm(hat(n), method="taylor")), exact_tangent(n)
        T_inverse = as_floats(T**-1)
        T = as_floats(T)
    assert_allclose(tangent.exp(n), H, rtol=0, atol=20 * EPS)
    assert_allclose(tangent.operator(n), T, rtol=0, atol=40 * EPS)
    growth = (
        2 * np.pi / (2 * np.pi - angle)
    ) ** 3  # of the second derivative of cot(angle/2), for the angle's rounding
    assert_allclose(tangent.inverse(n), T_inverse, rtol=0, atol=40 * EPS * growth)


@pytest.mark.source("H.01")
def test_logarithm_is_the_way_back(rng):
    n = motion_vector(rng, 2.5)
    assert_allclose(tangent.log(tangent.exp(n)), n, rtol=0, atol=20 * EPS)


@pytest.mark.source("H.01")
def test_misprints_in_the_inverse_tangent_operator(rng):
    """Eq 16 lacks the angle before cot; Eq 17 has the Lie bracket for the anticommutator, and lacks -4."""
    n = motion_vector(rng, 1.7)
    n_T, n_R = n[:3], n[3:]
    t, A, B = np.linalg.norm(n_R), skew(n_T), skew(n_R)
    cot = 1.0 / np.tan(t / 2)

    def blocks(k1, bracket, k2):
        diagonal = np.eye(3) + 0.5 * B + k1 * B @ B
        corner = 0.5 * A + k1 * bracket + k2 * (n_R @ n_T) * B @ B
        return diagonal, corner

    right = blocks(0.5 * (2 - t * cot) / t**2, A @ B + B @ A, 0.5 * (t**2 / (1 - np.cos(t)) + t * cot - 4) / t**4)
    printed = blocks(0.5 * (2 - cot) / t**2, A @ B - B @ A, 0.5 * (t**2 / (1 - np.cos(t)) + cot) / t**4)
    T_inverse = tangent.inverse(n)
    for k, block in enumerate((T_inverse[:3, :3], T_inverse[:3, 3:])):
        assert_allclose(block, right[k], rtol=0, atol=1e-14)
        assert np.abs(block - printed[k]).max() > 1e-2
    assert_allclose(T_inverse[:3, :3], so3.right_jacobian_inverse(n_R), rtol=0, atol=1e-15)


# --- H.02: six points and directions ----------------------------------------------------------------------------------


@pytest.mark.source("H.02")
def test_hexahedral_points_give_the_printed_matrix():
    """Eq 54."""
    l1, l2, l3 = LENGTHS
    printed = [
        [1, 0, 0, 0, 0, l2],
        [-1, 0, 0, 0, 0, l2],
        [0, 1, 0, l3, 0, 0],
        [0, -1, 0, l3, 0, 0],
        [0, 0, 1, 0, l1, 0],
        [0, 0, -1, 0, l1, 0],
    ]
    assert_allclose(Projection.hexahedral(*LENGTHS).D, np.array(printed) / ROOT, rtol=4 * EPS)


@pytest.mark.source("H.02")
def test_unit_lengths_and_the_factor_root_half_make_D_orthogonal():
    D = Projection.hexahedral().D
    assert_allclose(D @ D.T, np.eye(6), rtol=0, atol=2 * EPS)
    assert np.linalg.det(D) == pytest.approx(-1.0, abs=10 * EPS)


@pytest.mark.source("H.02")
def test_a_coordinate_is_the_velocity_of_its_point_along_its_direction(rng):
    """Eq 18, with the velocity of rigid motion."""
    projection = general(rng)
    U, Omega = rng.standard_normal((2, 3))
    velocities = U + np.cross(Omega, projection.points)
    w = projection.coordinates(np.concatenate([U, Omega]))
    assert_allclose(w, np.sum(projection.directions * velocities, axis=1), rtol=0, atol=10 * EPS)
    assert_allclose(projection.twist(w), np.concatenate([U, Omega]), rtol=0, atol=100 * EPS * projection.condition)


@pytest.mark.source("H.02")
def test_tetrahedral_choice():
    """The edges of the tetrahedron in a cube are diagonals of its faces; their middles are those of the faces."""
    projection = Projection.tetrahedral()
    assert_allclose(np.sort(np.linalg.norm(projection.points, axis=1)), np.ones(6))
    assert_allclose(np.linalg.norm(projection.directions, axis=1), np.full(6, 1 / ROOT))
    assert_allclose(np.sum(projection.directions * projection.points, axis=1), np.zeros(6), atol=EPS)
    assert_allclose(projection.D @ projection.D.T, np.eye(6), rtol=0, atol=2 * EPS)


@pytest.mark.source("H.02")
def test_any_tetrahedron_with_a_volume_will_do(rng):
    for _ in range(20):
        vertices = rng.standard_normal((4, 3))
        projection = Projection.tetrahedral(vertices)
        assert_allclose(projection.D @ projection.D_inverse, np.eye(6), rtol=0, atol=100 * EPS * projection.condition)
    with pytest.raises(ModelError, match="the condition number of D is"):
        Projection.tetrahedral(vertices * [1, 1, 0])


@pytest.mark.source("H.02")
def test_a_singular_choice_is_refused_with_its_condition_number_and_the_motion_that_it_does_not_see():
    cube = Projection.hexahedral()
    with pytest.raises(ModelError, match=r"condition number of D is (inf|\d).* U = \(0, -?1, 0\) m/s, Omega = \(0, 0"):
        Projection([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, -1], [0, 2, 0], [3, 0, 0]], np.eye(3)[[0, 0, 2, 0, 2, 2]])
    with pytest.raises(ModelError, match=r"Omega = \(.*\) rad/s; move a point or turn a direction"):
        Projection(np.zeros((6, 3)), cube.directions)
    points = cube.points.copy()
    points[0] *= 1.0 - 1e-3
    assert Projection(points, cube.directions).condition < 2
    nearly = np.outer(np.ones(6), [1, 0, 0]) + 1e-9 * cube.directions
    with pytest.raises(ModelError, match=r"more than 1e\+08"):
        Projection(cube.points, nearly)


@pytest.mark.source("H.02")
def test_the_condition_number_knows_no_units():
    cube = Projection.hexahedral(*LENGTHS)
    tiny = Projection.hexahedral(*(1e-6 * length for length in LENGTHS))
    assert tiny.condition == pytest.approx(cube.condition, rel=1e-12)
    scaled = Projection(cube.points, np.arange(1, 7)[:, None] * 1e5 * cube.directions)
    assert scaled.condition == pytest.approx(cube.condition, rel=1e-12)
    assert np.linalg.cond(tiny.D) > 1e5


def test_what_is_no_projection_is_refused_by_name():
    y, b = Projection.hexahedral().points, Projection.hexahedral().directions
    with pytest.raises(ModelError, match="six points of three finite numbers"):
        Projection(y[:5], b[:5])
    with pytest.raises(ModelError, match="six directions of three finite numbers"):
        Projection(y, b * np.nan)
    with pytest.raises(ModelError, match="direction 3 of six is zero"):
        Projection(y, b * np.array([1, 1, 0, 1, 1, 1])[:, None])
    with pytest.raises(ModelError, match="four vertices"):
        Projection.tetrahedral(y)
    with pytest.raises(ModelError, match=r"direction \d of six is zero"):
        Projection.tetrahedral([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]])


# --- H.03, H.04: fields of velocity and acceleration ------------------------------------------------------------------


@pytest.mark.source("H.03")
def test_interpolation_matrix_as_printed(rng):
    """Eq 27."""
    l1, l2, l3 = LENGTHS
    y1, y2, y3 = y = rng.standard_normal(3)
    printed = [
        [1 - y2 / l2, -1 - y2 / l2, 0, 0, y3 / l1, y3 / l1],
        [y1 / l2, y1 / l2, 1 - y3 / l3, -1 - y3 / l3, 0, 0],
        [0, 0, y2 / l3, y2 / l3, 1 - y1 / l1, -1 - y1 / l1],
    ]
    assert_allclose(Projection.hexahedral(*LENGTHS).N(y), np.array(printed) / ROOT, rtol=0, atol=10 * EPS)


@pytest.mark.source("H.03")
@pytest.mark.parametrize("make", [lambda rng: Projection.hexahedral(*LENGTHS), general], ids=["hexahedral", "general"])
def test_velocity_field(rng, make):
    """It is that of rigid motion, gives each coordinate back at its point, and takes stacks of points."""
    projection = make(rng)
    v_L, y = rng.standard_normal(6), rng.standard_normal((5, 3))
    w = projection.coordinates(v_L)
    tolerance = 200 * EPS * projection.condition
    assert_allclose(projection.N(y) @ w, v_L[:3] + np.cross(v_L[3:], y), rtol=0, atol=tolerance)
    own = np.einsum("ij,ijk->ik", projection.directions, projection.N(projection.points))
    assert_allclose(own, np.eye(6), rtol=0, atol=tolerance)


@pytest.mark.source("H.04")
def test_rates_of_the_basis_vectors_as_printed(rng):
    """Eq 40; and Eq 36 with e_i where a rate of e_i is printed as the argument."""
    l1, l2, l3 = LENGTHS
    projection, w = Projection.hexahedral(*LENGTHS), rng.standard_normal(6)
    a, b, c = (w[0] + w[1]) / (ROOT * l2), (w[4] + w[5]) / (ROOT * l1), (w[2] + w[3]) / (ROOT * l3)
    E = projection.E(w)
    assert_allclose(E, [[0, -a, b], [a, 0, -c], [-b, c, 0]], rtol=0, atol=10 * EPS)
    e = np.eye(3)
    assert_allclose(E.T, (projection.N(e) - projection.N(np.zeros(3))) @ w, rtol=0, atol=10 * EPS)
    misprint = (projection.N(E.T) - projection.N(np.zeros(3))) @ w
    assert np.abs(misprint - E.T).max() > 0.1


@pytest.mark.source("H.04")
def test_acceleration_field_is_the_second_derivative_of_the_position(rng):
    """Along a motion H(t) = expm(hat(a t + b t^2)) differentiated in 40 digits."""
    projection = general(rng)
    a, b, y = rng.standard_normal(6), rng.standard_normal(6), rng.standard_normal(3)
    with mpmath.workdps(40):

        def pose(t):
            return mpmath.expm(hat(a) * t + hat(b) * t**2, method="taylor")

        def velocity(t, k):
            V = pose(t) ** -1 * derivative(pose, t)
            return [V[0, 3], V[1, 3], V[2, 3], V[2, 1], V[0, 2], V[1, 0]][k]

        def derivative(f, t):
            step = mpmath.mpf(10) ** -12
            return (f(t - 2 * step) - 8 * f(t - step) + 8 * f(t + step) - f(t + 2 * step)) / (12 * step)

        t = mpmath.mpf("0.4")
        v_L = np.array([float(velocity(t, k)) for k in range(6)])
        v_L_dot = np.array(
            [float(mpmath.diff(lambda s, k=k: velocity(s, k), t, h=mpmath.mpf(10) ** -8)) for k in range(6)]
        )
        step = mpmath.mpf(10) ** -10
        second = (pose(t + step) - 2 * pose(t) + pose(t - step)) / step**2
        in_body = pose(t)[:3, :3].T * (second * mpmath.matrix([*y, 1]))[:3]
    w, w_dot = projection.coordinates(v_L), projection.coordinates(v_L_dot)
    found = projection.acceleration(y, w, w_dot)
    assert_allclose(found, np.array([float(x) for x in in_body]), rtol=0, atol=1e-12 * projection.condition)
    assert_allclose(projection.P(y, w), projection.E(w) @ projection.N(y))


# --- H.05: mass matrix and quadratic term -----------------------------------------------------------------------------


@pytest.mark.source("H.05")
def test_mass_matrix_by_volume_integral_and_closed(rng):
    """The integral over a turned box by three Gauss points a side, cut into eight: nothing of the closed form in it."""
    projection, edges, mass = general(rng), np.array([0.6, 1.1, 2.0]), 3.0
    nodes, weights = np.polynomial.legendre.leggauss(3)
    line = np.concatenate([0.25 * (nodes - 1), 0.25 * (nodes + 1)])  # of a unit edge, in two pieces
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3) * edges
    w1 = np.concatenate([weights, weights]) / 4
    masses = mass * np.einsum("i,j,k->ijk", w1, w1, w1).ravel()
    R, w = so3.random(rng), rng.standard_normal(6)
    inertia = R @ np.diag(mass / 12 * (np.sum(edges**2) - edges**2)) @ R.T
    M, Gamma = integrated(projection, w, grid @ R.T, masses)
    scale = np.abs(M).max()
    assert_allclose(mass_matrix(projection, mass, inertia), M, rtol=0, atol=1e-13 * scale)
    closed = gamma(projection, mass, inertia, w) @ w
    assert_allclose(closed, Gamma @ w, rtol=0, atol=1e-12 * scale)
    for integral, eight in zip((M, Gamma), integrated(projection, w, *quadrature(mass, inertia)), strict=True):
        assert_allclose(eight, integral, rtol=0, atol=1e-12 * scale)


@pytest.mark.source("H.05")
def test_mass_matrix_as_printed():
    """Eq 60."""
    m, (J1, J2, J3) = 1.7, np.diag(J)
    printed = np.zeros((6, 6))
    for k, moment in enumerate((J3, J1, J2)):
        printed[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[m + moment, moment - m], [moment - m, m + moment]]
    assert_allclose(mass_matrix(Projection.hexahedral(), m, J), 0.5 * printed, rtol=0, atol=10 * EPS)


@pytest.mark.source("H.05")
def test_the_two_Gammas_are_different_matrices_with_the_same_product(rng):
    """Eq 56 is not the integral of Eq 49: that one is skew-symmetric. Only the products with w agree."""
    projection, w, inertia = Projection.hexahedral(*LENGTHS), rng.standard_normal(6), random_inertia(rng)
    _, integral = integrated(projection, w, *quadrature(2.0, inertia))
    closed = gamma(projection, 2.0, inertia, w)
    assert_allclose(integral, -integral.T, rtol=0, atol=1e-13)
    assert np.abs(closed - integral).max() > 0.1
    assert_allclose(closed @ w, integral @ w, rtol=0, atol=1e-13)


@pytest.mark.source("H.05")
def test_misprints_in_the_quadratic_term(rng):
    """Eq 61: row 1 has -J22 for J22, row 6 has w3^2 - w4^2 for its negative; the other four rows hold."""
    w1, w2, w3, w4, w5, w6 = w = rng.standard_normal(6)
    m, (J11, J22, J33) = 1.7, np.diag(J)
    a, b, c = w1 + w2, w3 + w4, w5 + w6
    printed = [
        m * a * (w4 - w3) + ((-J11 - J22) * b + m * (w5 - w6)) * c,
        m * a * (w3 - w4) - ((J11 - J22) * b + m * (w5 - w6)) * c,
        m * (w1**2 - w2**2 - b * (w5 - w6)) - (J22 - J33) * a * c,
        -m * (w1**2 - w2**2 - b * (w5 - w6)) - (J22 - J33) * a * c,
        m * (w3**2 - w4**2 - (w1 - w2) * c) + (J11 - J33) * a * b,
        m * (w3**2 - w4**2 + (w1 - w2) * c) + (J11 - J33) * a * b,
    ]
    right = list(printed)
    right[0] = m * a * (w4 - w3) + ((J22 - J11) * b + m * (w5 - w6)) * c
    right[5] = m * (-(w3**2) + w4**2 + (w1 - w2) * c) + (J11 - J33) * a * b
    value = gamma(Projection.hexahedral(), m, J, w) @ w * 2 * ROOT
    assert_allclose(value, right, rtol=0, atol=100 * EPS)
    wrong = np.abs(value - printed) > 0.1
    assert wrong.tolist() == [True, False, False, False, False, True]


@pytest.mark.source("H.05")
def test_quadratic_term_does_no_work(rng):
    projection, w, inertia = general(rng), rng.standard_normal(6), random_inertia(rng)
    term = gamma(projection, 2.0, inertia, w) @ w
    assert abs(w @ term) < 1e-13 * np.linalg.norm(w) * np.linalg.norm(term)


# --- H.06, H.07: forces, Newton and Euler -----------------------------------------------------------------------------


@pytest.mark.source("H.06")
def test_generalized_force_has_the_power_of_the_force(rng):
    """Eqs 52, 53; a force off the centre is a force and its moment."""
    projection, y, f, w = general(rng), *rng.standard_normal((2, 3)), rng.standard_normal(6)
    Q = projection.generalized_force(y, f)
    assert Q @ w == pytest.approx(f @ (projection.N(y) @ w), rel=1e-12)
    about_center = projection.D_inverse.T @ np.concatenate([f, np.cross(y, f)])
    assert_allclose(Q, about_center, rtol=0, atol=1e-14 * projection.condition)


@pytest.mark.source("H.07")
def test_equations_of_motion_are_those_of_Newton_and_Euler(rng):
    """M w' + Gamma w = Q with w' from Eqs 66 and 67 under a force at a point."""
    projection, inertia, mass = general(rng), random_inertia(rng), 2.5
    (U, Omega, f, y), w_dot = rng.standard_normal((4, 3)), np.empty(6)
    U_dot = f / mass - np.cross(Omega, U)  # Eq 66
    Omega_dot = np.linalg.solve(inertia, np.cross(y, f) - np.cross(Omega, inertia @ Omega))  # Eq 67
    w, w_dot = projection.coordinates([*U, *Omega]), projection.coordinates([*U_dot, *Omega_dot])
    left = mass_matrix(projection, mass, inertia) @ w_dot + gamma(projection, mass, inertia, w) @ w
    assert_allclose(left, projection.generalized_force(y, f), rtol=0, atol=1e-12 * projection.condition**2)


# --- H.08: Lie algebra and tangent operator in w ----------------------------------------------------------------------


@pytest.mark.source("H.08")
def test_lie_algebra_element_as_printed(rng):
    """Eq 70; and of any projection it is the element of the twist."""
    w1, w2, w3, w4, w5, w6 = w = rng.standard_normal(6)
    printed = [
        [0, -w1 - w2, w5 + w6, w1 - w2],
        [w1 + w2, 0, -w3 - w4, w3 - w4],
        [-w5 - w6, w3 + w4, 0, w5 - w6],
        [0, 0, 0, 0],
    ]
    assert_allclose(Projection.hexahedral().lie_algebra(w), np.array(printed) / ROOT, rtol=0, atol=10 * EPS)
    projection = general(rng)
    expected = as_floats(hat(projection.twist(w)))
    assert_allclose(projection.lie_algebra(w), expected, rtol=0, atol=100 * EPS * projection.condition)


@pytest.mark.source("H.08")
@pytest.mark.parametrize("angle", [1e-2, 1.0, np.pi, 6.0])
def test_inverse_tangent_operator_in_w(rng, angle):
    """Eqs 73-77 with the anticommutator in Eq 78; with the bracket that is printed they are off by per cents."""
    projection, n = Projection.hexahedral(), motion_vector(rng, angle)
    A, B, t, zero = skew(n[:3]), skew(n[3:]), angle, np.zeros((3, 3))
    k1 = (1 - t / 2 / np.tan(t / 2)) / t**2  # Eq 76
    k2 = n[3:] @ n[:3] / (2 * t**4) * (t**2 / (1 - np.cos(t)) + t / np.tan(t / 2) - 4)  # Eq 77
    K = np.block([[k1 * np.eye(3), k2 * np.eye(3)], [zero, k1 * np.eye(3)]])  # Eq 75
    T1 = np.block([[B, A], [zero, B]]) @ projection.D.T  # Eq 74

    def closed(T2):
        return projection.D.T + 0.5 * T1 + K @ T2 @ projection.D.T  # Eq 73

    right = closed(np.block([[B @ B, A @ B + B @ A], [zero, B @ B]]))
    printed = closed(np.block([[A @ B - B @ A, zero], [zero, B @ B]]))
    found = tangent.unified_inverse(projection, n)
    cancellation = EPS / min(t, 1.0) ** 2  # of Eq 77, times n^2
    assert_allclose(
        (found - right) / np.abs(right).max(), 0, atol=40 * cancellation * max(1.0, 1 / (2 * np.pi - t)) ** 2
    )
    if angle > 0.1:
        assert np.abs(found - printed).max() > 1e-2


@pytest.mark.source("H.08")
def test_the_increment_that_the_operator_gives_moves_the_body_with_w(rng):
    """``d/dt H exp(n)`` with n' = T^-1(n) D^-1 w is ``H exp(n) lie_algebra(w)``: differences of 1e-6 leave 1e-9."""
    projection, n, w, h = general(rng), motion_vector(rng, 2.0), rng.standard_normal(6), 1e-6
    n_dot = tangent.unified_inverse(projection, n) @ w
    rate = (tangent.exp(n + h * n_dot) - tangent.exp(n - h * n_dot)) / (2 * h)
    assert_allclose(rate, tangent.exp(n) @ projection.lie_algebra(w), rtol=0, atol=1e-8)
