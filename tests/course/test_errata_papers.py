"""The three papers' entries on the errata page once more: formulas typed anew, derivatives by complex steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from rbdkit.spatial import sphere
from rbdkit_course import errata

SEEDS = range(3)
I3 = np.eye(3)
Z3 = np.zeros((3, 3))


def skew(a):
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


def exp(n):
    """exp on SE(3), linear part first, for complex vectors, too."""
    B = np.zeros((4, 4), np.asarray(n).dtype)
    B[:3, :3], B[:3, 3] = skew(n[3:]), n[:3]
    return expm(B)


def rate(function):
    """Derivative at zero by a step of 1e-30 along the imaginary axis: no difference is taken, so no digits are lost."""
    return np.imag(function(1e-30j)) / 1e-30


def worst(*arrays):
    return max(float(np.abs(array).max()) for array in arrays)


def rotation(rng):
    return expm(skew(rng.normal(size=3)))


s2 = 1 / np.sqrt(2)
D = s2 * np.array([  # Eq 54, all l = 1
    [1, 0, 0, 0, 0, 1], [-1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0],
    [0, -1, 0, 1, 0, 0], [0, 0, 1, 0, 1, 0], [0, 0, -1, 0, 1, 0],
])  # fmt: skip


def N(y):
    """Velocity of the point y from w: U + Omega x y with (U, Omega) = D^T w."""
    return np.hstack([I3, -skew(y)]) @ D.T


def inverse_tangent(n):
    """T^-1 on SE(3), where exp(n)^-1 d exp(n)/dt = T dn/dt."""
    columns = []
    for e in np.eye(6):
        B = np.linalg.inv(exp(n)) @ rate(lambda t, e=e: exp(n + t * e))
        columns.append([*B[:3, 3], B[2, 1], B[0, 2], B[1, 0]])
    return np.linalg.inv(np.array(columns).T)


def angular_velocity(rng):
    R, w = rotation(rng), rng.normal(size=3)
    R_rate = rate(lambda t: R @ expm(t * skew(w)))
    return worst(R_rate @ R.T - skew(w)), worst(R.T @ R_rate - skew(w))


def inverse_tangent_of_rotations(rng):
    n = np.concatenate([np.zeros(3), rng.normal(size=3)])
    t, B = np.linalg.norm(n), skew(n[3:])
    cot, exact = 1 / np.tan(t / 2), inverse_tangent(n)[3:, 3:]
    return tuple(worst(I3 + B / 2 + (2 - each) / 2 / t**2 * B @ B - exact) for each in (cot, t * cot))


def coupling(rng, brackets, ends):
    n = rng.normal(size=6)
    A, B, t = skew(n[:3]), skew(n[3:]), np.linalg.norm(n[3:])
    cot = 1 / np.tan(t / 2)
    exact = inverse_tangent(n)[:3, 3:]
    for bracket, end in zip(brackets, ends):
        last = t**2 / (1 - np.cos(t)) + (cot if end == "printed" else t * cot - 4)
        block = A / 2 + (2 - t * cot) / 2 / t**2 * (A @ B - B @ A if bracket == "printed" else A @ B + B @ A)
        yield worst(block + last / 2 / t**4 * (n[3:] @ n[:3]) * B @ B - exact)


def bracket_of_eq_17(rng):
    return tuple(coupling(rng, ("printed", "right"), ("right", "right")))


def end_of_eq_17(rng):
    return tuple(coupling(rng, ("right", "right"), ("printed", "right")))


def acceleration(rng):
    w, w_rate, y, R = rng.normal(size=6), rng.normal(size=6), rng.normal(size=3), rotation(rng)
    Omega, alpha = (D.T @ w)[3:], (D.T @ w_rate)[3:]
    exact = R.T @ rate(lambda t: R @ expm(skew(t * Omega + t**2 / 2 * alpha)) @ N(y) @ (w + t * w_rate))
    return worst(skew(Omega) @ N(y) @ w_rate - exact), worst(N(y) @ w_rate + skew(Omega) @ N(y) @ w - exact)


def axes(rng):
    w = rng.normal(size=6)
    exact = rate(lambda t: expm(t * skew((D.T @ w)[3:])))  # its columns are the axes
    found = [np.column_stack([(N(e) - N(np.zeros(3))) @ w for e in each.T]) for each in (exact, I3)]
    return worst(found[0] - exact), worst(found[1] - exact)


def points(rng, symmetric=False):
    """Point masses (m, y) with the centre of mass at the origin; in pairs on the axes if symmetric."""
    if symmetric:
        return [
            (m, sign * r * e) for m, r, e in zip(rng.uniform(1, 2, 3), rng.uniform(1, 2, 3), I3) for sign in (1, -1)
        ]
    masses, places = rng.uniform(1, 2, 5), rng.normal(size=(5, 3))
    return list(zip(masses, places - masses @ places / masses.sum()))


def integral(body, w):
    """Gamma of Eq 49, a sum over point masses; mass and inertia."""
    E = skew((D.T @ w)[3:])
    Gamma = sum(m * N(y).T @ E @ N(y) for m, y in body)
    return Gamma, sum(m for m, _ in body), sum(m * skew(y) @ skew(y).T for m, y in body)


def quadratic_matrix(rng):
    w = rng.normal(size=6)
    Gamma, m, J = integral(points(rng), w)
    E = skew((D.T @ w)[3:])
    closed = D @ np.block([[m * E, Z3], [Z3, E @ J]]) @ D.T
    return worst(closed - Gamma), worst((closed - Gamma) @ w)


def quadratic_row(rng, row):
    w = rng.normal(size=6)
    Gamma, m, J = integral(points(rng, symmetric=True), w)
    exact = 2 * np.sqrt(2) * (Gamma @ w)[row]
    w1, w2, w3, w4, w5, w6 = w
    if row == 0:
        return tuple(
            abs(
                m * (w1 + w2) * (w4 - w3)
                + ((-J[0, 0] + sign * J[1, 1]) * (w3 + w4) + m * (w5 - w6)) * (w5 + w6)
                - exact
            )
            for sign in (-1, 1)
        )
    rest = m * (w1 - w2) * (w5 + w6) + (J[0, 0] - J[2, 2]) * (w1 + w2) * (w3 + w4)
    return tuple(abs(rest + sign * m * (w3**2 - w4**2) - exact) for sign in (1, -1))


def test_the_four_rows_between_those_of_eq_61_are_right():
    rng = np.random.default_rng(0)
    w = rng.normal(size=6)
    Gamma, m, J = integral(points(rng, symmetric=True), w)
    w1, w2, w3, w4, w5, w6 = w
    J1, J2, J3 = np.diag(J)
    middle, last = m * (w1**2 - w2**2 - (w3 + w4) * (w5 - w6)), (J2 - J3) * (w1 + w2) * (w5 + w6)
    rows = [
        m * (w1 + w2) * (w3 - w4) - ((J1 - J2) * (w3 + w4) + m * (w5 - w6)) * (w5 + w6),
        middle - last,
        -middle - last,
        m * (w3**2 - w4**2 - (w1 - w2) * (w5 + w6)) + (J1 - J3) * (w1 + w2) * (w3 + w4),
    ]
    assert_allclose((Gamma @ w)[1:5] * 2 * np.sqrt(2), rows, rtol=0, atol=1e-12)


def unified_tangent(rng):
    n = rng.normal(size=6)
    A, B, t = skew(n[:3]), skew(n[3:]), np.linalg.norm(n[3:])
    k1 = (1 - t / 2 / np.tan(t / 2)) / t**2
    k2 = n[:3] @ n[3:] / (2 * t**4) * (t**2 / (1 - np.cos(t)) + t / np.tan(t / 2) - 4)
    K = np.kron([[k1, k2], [0, k1]], I3)
    both = [np.block([[A @ B - B @ A, Z3], [Z3, B @ B]]), np.block([[B @ B, A @ B + B @ A], [Z3, B @ B]])]
    start, exact = np.eye(6) + np.block([[B, A], [Z3, B]]) / 2, inverse_tangent(n) @ D.T
    return tuple(worst((start + K @ each) @ D.T - exact) for each in both)


def rotated_triad(rng):
    R, psi = rotation(rng), rng.uniform(0.5, 1)
    exact = (expm(psi * skew(R[:, 2])) @ R)[:, 1]
    return tuple(worst(-np.sin(psi) * R[:, 0] + np.cos(psi) * each - exact) for each in (R[:, 0], R[:, 1]))


def convected_split(rng):
    R, W = rotation(rng), rng.normal(size=3)
    perpendicular = R.T @ ((I3 - np.outer(R[:, 2], R[:, 2])) @ R @ W)
    return tuple(worst(perpendicular + W[2] * each - W) for each in (R[:, 2], I3[2]))


def parallel_momentum(rng):
    """pi constant in space, d3 on any curve."""
    pi, w, R = rng.normal(size=3), rng.normal(size=3), rotation(rng)
    d, d_rate = R[:, 2], np.cross(w, R[:, 2])
    exact = rate(lambda t: pi @ expm(t * skew(w)) @ d)
    perpendicular = pi - (pi @ d) * d
    return abs(-perpendicular @ d_rate - exact), abs(perpendicular @ d_rate - exact)


def lengths_of_directors(rng):
    """Accelerations of three vectors that carry the mass matrix of Eq 88, with and without rows of unit length."""
    d, w = rotation(rng).T, rng.normal(size=3)
    d_rate = np.cross(w, d)
    M = np.kron(np.array([[3, 1 / 7, 0], [1 / 7, 2, 0], [0, 0, 1]]), I3)
    pairs = [(1, 2), (0, 2), (0, 1), (0, 0), (1, 1), (2, 2)]
    rows, bias = np.zeros((6, 9)), np.zeros(6)
    for k, (i, j) in enumerate(pairs):
        rows[k, 3 * i : 3 * i + 3] += d[j]
        rows[k, 3 * j : 3 * j + 3] += d[i]
        bias[k] = -2 * d_rate[i] @ d_rate[j]

    def off(n):
        C = rows[:n]
        matrix = np.block([[M, C.T], [C, np.zeros((n, n))]])
        return worst((rows @ np.linalg.solve(matrix, np.concatenate([np.zeros(9), bias[:n]]))[:9] - bias)[3:])

    return off(3), off(6)


def remainder(rng):
    """First order in h of both sides, for curves d + h d' and p + h p'."""
    d, d_rate, p, p_rate = rng.normal(size=(4, 3))

    def both(h):
        d_1, p_1 = d + h * d_rate, p + h * p_rate
        return np.array([d @ p_1 - d_1 @ p - (d_1 @ p_1 - d @ p), h * (d_rate @ p_1 + d_rate @ p)])

    left, bracket = rate(both)
    return abs(bracket - left), abs(-bracket - left)


def second_momentum(rng):
    """Work of the directors' momenta on a turn about d2 is the moment of momentum about d2."""
    d, p = rotation(rng).T, rng.normal(size=(3, 3))
    exact = d[1] @ sum(np.cross(a, b) for a, b in zip(d, p))
    return tuple(abs(-d[2] @ p[0] + each @ p[2] - exact) for each in (d[1], d[0]))


def rodrigues(rng):
    w = rng.normal(size=3) * 2
    t, W = np.linalg.norm(w), skew(w)
    start = I3 + np.sin(t) / t * W
    return tuple(worst(start + (1 - np.cos(t)) / each * W @ W - expm(W)) for each in (t, t**2))


def weight(rng):
    """A body that falls freely gains g, whatever its mass."""
    m, g = rng.uniform(1.5, 3), np.array([0, 0, -9.81])
    return tuple(worst(force / m - g) for force in (g, m * g))


def hybrid_constraint(rng):
    w, v, r_0 = rng.normal(size=(3, 3))
    R = rotation(rng)
    v_s = R @ v
    exact = rate(lambda t: R @ expm(t * skew(w)) @ r_0 + t * v_s)
    return tuple(worst(R @ skew(r_0) @ w - each + exact) for each in (v, v_s))


HOLZINGER, GEBHARDT, MUELLER = "Holzinger, Gerstmayr, Schöberl", "Gebhardt and Romero", "Müller and Terze"
ROUTES = {
    (HOLZINGER, "Eq 8"): angular_velocity,
    (HOLZINGER, "Eq 16"): inverse_tangent_of_rotations,
    (HOLZINGER, "Eq 17, bracket"): bracket_of_eq_17,
    (HOLZINGER, "Eq 17, last term"): end_of_eq_17,
    (HOLZINGER, "Eq 33"): acceleration,
    (HOLZINGER, "Eq 36"): axes,
    (HOLZINGER, "Eqs 49, 56"): quadratic_matrix,
    (HOLZINGER, "Eq 61, row 1"): lambda rng: quadratic_row(rng, 0),
    (HOLZINGER, "Eq 61, row 6"): lambda rng: quadratic_row(rng, 5),
    (HOLZINGER, "Eq 78"): unified_tangent,
    (GEBHARDT, "Eq 24"): rotated_triad,
    (GEBHARDT, "Eqs 30, 39"): convected_split,
    (GEBHARDT, "Eqs 51b, 69b, 71b, 75"): parallel_momentum,
    (GEBHARDT, "Eq 63"): lengths_of_directors,
    (GEBHARDT, "Eq 103, first line"): remainder,
    (GEBHARDT, "Eq 110"): second_momentum,
    (MUELLER, "Eq 9"): rodrigues,
    (MUELLER, "section 5.2, before the equations of motion"): weight,
    (MUELLER, "Eq 61"): hybrid_constraint,
}
# Orders and figures of a method: the tests of this method and those below.
ABOUT_STEPS = {
    "Eq 82", "Eqs 83 to 85", "section 6, moments of inertia", "Fig 11, longest steps", "section 6, reference",
    "section 6, both methods",
}  # fmt: skip


def test_every_entry_has_a_route_of_its_own():
    entries = {
        (source, finding.place) for source in (HOLZINGER, GEBHARDT, MUELLER) for finding in errata.BY_SOURCE[source]
    }
    assert entries == set(ROUTES) | {(HOLZINGER, place) for place in ABOUT_STEPS}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("entry", ROUTES, ids=": ".join)
def test_another_route_says_the_same(entry, seed):
    printed, right = ROUTES[entry](np.random.default_rng(seed))
    assert printed > 1e-3
    assert right < 1e-10


MOMENTS = np.array([5.2988, 1.1775, 4.3568])


def euler(w):
    return -np.cross(w, MOMENTS * w) / MOMENTS


def turned(steps):
    """Angular velocity after 1 s by RK4, or where it passes 1e9."""
    w, h = np.array([0.01, 0.0, 100.0]), 1 / steps
    for _ in range(steps):
        if np.abs(w).max() > 1e9:
            break
        k1 = euler(w)
        k2 = euler(w + h / 2 * k1)
        k3 = euler(w + h / 2 * k2)
        w = w + h / 6 * (k1 + 2 * k2 + 2 * k3 + euler(w + h * k3))
    return w


def test_longest_steps_of_figure_11_find_no_end():
    exact = solve_ivp(lambda t, w: euler(w), (0, 1), [0.01, 0, 100], "DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    assert min(np.abs(turned(steps)).max() for steps in (10, 40)) > 1e6
    assert np.linalg.norm(turned(80) - exact) < 100
    assert np.linalg.norm(turned(640) - exact) < 1e-2


def test_third_axis_is_unstable_as_the_middle_one_and_not_as_the_least():
    def growth(J1, J2, J3):
        """Largest real part of the linearized motion about the third axis at 100 rad/s."""
        return np.linalg.eigvals([[0, 100 * (J2 - J3) / J1], [100 * (J3 - J1) / J2, 0]]).real.max()

    assert growth(*MOMENTS) > 50
    assert growth(*sorted(MOMENTS, reverse=True)) < 1e-12


def test_withdrawn_eq_7_is_right_on_paper_and_loses_digits_in_a_program():
    rng = np.random.default_rng(0)
    for _ in range(5):
        d_0, d = (each / np.linalg.norm(each) for each in rng.normal(size=(2, 3)))
        across = d - (d_0 @ d) * d_0
        printed = np.arccos(d_0 @ d) * across / np.linalg.norm(across)
        assert_allclose(printed, sphere.log(d_0, d), rtol=0, atol=1e-14)
    near = np.array([np.cos(1e-6), np.sin(1e-6), 0.0])
    assert abs(np.arccos(near[0]) / 1e-6 - 1) > 1e-6
    assert_allclose(sphere.log([1.0, 0.0, 0.0], near), [0.0, 1e-6, 0.0], rtol=1e-14, atol=1e-21)
