"""Sueda's entries on the errata page once more: formulas typed anew, derivatives by complex steps, random inputs."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import sympy
from scipy.linalg import block_diag, null_space

from rbdkit_course import errata

SEEDS = range(3)
I3 = np.eye(3)


def skew(a):
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


def exp(phi):
    """exp([phi]) of Eq 1.10 by B^4 = -t^2 B^2, for complex twists, too."""
    phi = np.asarray(phi)
    B = np.zeros((4, 4), phi.dtype)
    B[:3, :3], B[:3, 3] = skew(phi[:3]), phi[3:]
    square = phi[:3] @ phi[:3]
    if abs(square) < 1e-50:
        return np.eye(4) + B
    t = np.sqrt(square)
    return np.eye(4) + B + (1 - np.cos(t)) / square * B @ B + (t - np.sin(t)) / (square * t) * B @ B @ B


def unbracket(B):
    return np.array([B[2, 1], B[0, 2], B[1, 0], *B[:3, 3]])


def ad(phi):
    return np.block([[skew(phi[:3]), np.zeros((3, 3))], [skew(phi[3:]), skew(phi[:3])]])


def Ad(E):
    R, p = E[:3, :3], E[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def Gamma(x):
    return np.hstack([skew(x).T, I3])


def rate(function: Callable):
    """Derivative at zero by a step of 1e-30 along the imaginary axis: no difference is taken, so no digits are lost."""
    return np.imag(function(1e-30j)) / 1e-30


def gradient(function: Callable, n: int):
    return np.stack([rate(lambda s, e=e: function(s * e)) for e in np.eye(n)], axis=-1)


def five_points(function: Callable, h=1e-3):
    return (function(-2 * h) - 8 * function(-h) + 8 * function(h) - function(2 * h)) / (12 * h)


def worst(*arrays) -> float:
    return max(float(np.abs(array).max()) for array in arrays)


def positive(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + np.eye(n)


class Pair(NamedTuple):
    """Two bodies with a point on each."""

    E: list
    x: list
    phi: np.ndarray

    def moved(self, u):
        return Pair([self.E[0] @ exp(u[:6]), self.E[1] @ exp(u[6:])], self.x, self.phi)

    def gap(self):
        ends = [E[:3, :3] @ x + E[:3, 3] for E, x in zip(self.E, self.x)]
        return ends[1] - ends[0]

    def length(self):
        return np.sqrt(self.gap() @ self.gap())

    def speed(self):
        """Eq 1.48."""
        v = [E[:3, :3] @ Gamma(x) @ phi for E, x, phi in zip(self.E, self.x, (self.phi[:6], self.phi[6:]))]
        return self.gap() @ (v[1] - v[0]) / self.length()

    def row(self, d):
        """(d^T R1 Gamma1, -d^T R2 Gamma2)."""
        ends = [d @ E[:3, :3] @ Gamma(x) for E, x in zip(self.E, self.x)]
        return np.concatenate([ends[0], -ends[1]])

    def blocks(self):
        """The matrix of Eq 1.37, k = 1."""
        (R1, R2), (p1, p2) = ([E[:3, :3] for E in self.E], [E[:3, 3] for E in self.E])
        b1, b2 = map(skew, self.x)
        w1, w2 = (E[:3, :3] @ x + E[:3, 3] for E, x in zip(self.E, self.x))
        first, second = skew(R1.T @ (p1 - w2)), skew(R2.T @ (p2 - w1))
        return np.vstack([
            np.hstack([b1 @ first, b1, b1 @ R1.T @ R2 @ b2, -b1 @ R1.T @ R2]),
            np.hstack([first, I3, R1.T @ R2 @ b2, -R1.T @ R2]),
            np.hstack([b2 @ R2.T @ R1 @ b1, -b2 @ R2.T @ R1, b2 @ second, b2]),
            np.hstack([R2.T @ R1 @ b1, -R2.T @ R1, second, I3]),
        ])  # fmt: skip


def pair(rng) -> Pair:
    return Pair(
        [exp(rng.normal(size=6)), exp(rng.normal(size=6) + [0, 0, 0, 2, 1, 0])],
        [0.5 * rng.normal(size=3), 0.5 * rng.normal(size=3)],
        rng.normal(size=12),
    )


def first_example(rng):
    x, t = rng.normal(size=3), 0.5
    velocity = ((x + t * I3[0]) - x) / t  # a translation carries every point along alike
    return worst([0, 1, 0] - velocity), worst(Gamma(x) @ np.eye(6)[3] - velocity)


def step_with_a_damper(rng):
    m, k, d, L, x, v, h = sympy.symbols("m k d L x v h", positive=True)
    force = -k * x / L - d * v / L
    numbers = dict(zip((m, k, d, L, x, v), rng.uniform(0.5, 2, 6)))

    def off(extra):
        after = (m * v + h * (force + extra)) / (m + h * d / L + h**2 * k / L)
        return abs(float((sympy.diff(after, h).subs(h, 0) - force / m).subs(numbers)))

    return off(0), off(d * v / L)


def stiffness(rng):
    bodies = pair(rng)
    exact = gradient(lambda u: bodies.moved(u).row(bodies.moved(u).gap()), 12)
    return worst(bodies.blocks() - exact), worst(-bodies.blocks() - exact)


def passive_curve(rng):
    """The conditions, put to the printed coefficients."""
    f1 = np.poly1d([2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456])
    f2 = np.poly1d([-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874])
    others = [f1(1.0), f1(1.3) - 0.126110265892917, f1.deriv()(1.0), f1.deriv()(1.3) - 1.07051016402631,
              f2.deriv()(1.7) - 2.85714285714286, f1(1.3) - f2(1.3), f1.deriv()(1.3) - f2.deriv()(1.3)]  # fmt: skip
    return worst(f2(1.8) - 1.0), worst(f2(1.7) - 1.0, others)


def muscle(rng, length):
    """f_opt, a, l_opt, v_max, l_T and the three curves with their slopes; stretched so far that all three matter."""
    (f_opt, a, v_max), l_opt = rng.uniform(0.5, 2, 3), rng.uniform(0.2, 0.5) * length
    numbers = np.array([f_opt, a, l_opt, v_max, length - rng.uniform(0.6, 1.5) * l_opt])
    curves = [
        (lambda l: np.exp(-((l - 1) ** 2)), lambda l: -2 * (l - 1) * np.exp(-((l - 1) ** 2))),
        (lambda v: 1 + np.sin(v) / 2, lambda v: np.cos(v) / 2),
        (lambda l: l**3 / 9, lambda l: l**2 / 3),
    ]
    return numbers, curves


def tension(bodies, numbers, curves):
    f_opt, a, l_opt, v_max, l_T = numbers
    (f_L, _), (f_V, _), (f_P, _) = curves
    l, v = (bodies.length() - l_T) / l_opt, bodies.speed() / l_opt / v_max
    return f_opt * (a * f_L(l) * f_V(v) + f_P(l))


def muscle_by_pose(rng):
    bodies = pair(rng)
    numbers, curves = muscle(rng, bodies.length())
    f_opt, a, l_opt, v_max, l_T = numbers
    exact = gradient(lambda u: tension(bodies.moved(u), numbers, curves) / bodies.moved(u).length(), 12)
    length, dx = bodies.length(), bodies.gap()
    l, v = (length - l_T) / l_opt, bodies.speed() / l_opt / v_max
    (f_L, f_L_), (f_V, f_V_), (_, f_P_) = curves
    by_length = f_opt * (a * f_L_(l) * f_V(v) + f_P_(l)) / l_opt
    printed = bodies.row((tension(bodies, numbers, curves) / length - by_length) / length**2 * dx)
    speed = gradient(lambda u: bodies.moved(u).speed(), 12)
    return worst(printed - exact), worst(
        printed + f_opt * a * f_L(l) * f_V_(v) / l_opt / v_max / length * speed - exact
    )


def damping(rng):
    """The largest factor by which the step of Eq 1.30 blows up a motion, less 1."""
    bodies, M = pair(rng), positive(rng, 12)
    D = -rng.uniform(0.5, 2) / bodies.length() ** 2 * np.outer(bodies.row(bodies.gap()), bodies.row(bodies.gap()))
    M_half = np.linalg.cholesky(M)
    growth = [
        1 / np.linalg.eigvalsh(np.linalg.solve(M_half, np.linalg.solve(M_half, M + 0.02 * each).T)) for each in (D, -D)
    ]
    return max(0.0, growth[0].max() - 1), max(0.0, growth[1].max() - 1 - 1e-14)


def muscle_by_velocity(rng):
    bodies = pair(rng)
    numbers, curves = muscle(rng, bodies.length())
    f_opt, a, l_opt, v_max, l_T = numbers
    exact = gradient(lambda phi: tension(bodies._replace(phi=bodies.phi + phi), numbers, curves) / bodies.length(), 12)
    l, v = (bodies.length() - l_T) / l_opt, bodies.speed() / l_opt / v_max
    (f_L, f_L_), (_, f_V_), _ = curves
    scale = -f_opt * a * f_V_(v) / l_opt / v_max / bodies.length() ** 2
    return tuple(worst(bodies.row(scale * curve(l) * bodies.gap()) - exact) for curve in (f_L_, f_L))


def segment(rng):
    bodies = pair(rng)
    exact = gradient(lambda u: bodies.moved(u).row(bodies.moved(u).gap()) / bodies.moved(u).length(), 12)
    first = np.outer(bodies.row(bodies.gap()), bodies.row(bodies.gap() / bodies.length() ** 3))
    second = bodies.blocks() / bodies.length()
    return worst(first + second - exact), worst(first - second - exact)


def spring_damper(rng):
    """Minus the gradient of the energy, less the damper's part by Rayleigh's function."""
    bodies, (k, d, L) = pair(rng), rng.uniform(0.5, 2, 3)
    exact = -gradient(lambda u: k / (2 * L) * (bodies.moved(u).length() - L) ** 2, 12)
    exact -= gradient(lambda phi: d / (2 * L) * bodies._replace(phi=bodies.phi + phi).speed() ** 2, 12)
    l, f_n = bodies.length(), -bodies.row(bodies.gap()) / bodies.length()
    return tuple(worst((sign * k * (l - L) / L - d * bodies.speed() / L) * f_n - exact) for sign in (1, -1))


def spring_stiffness(rng):
    bodies, (k, L) = pair(rng), rng.uniform(0.5, 2, 2)

    def force(bodies):
        return -k * (bodies.length() - L) / L * bodies.row(bodies.gap()) / bodies.length()

    exact, l, dx = gradient(lambda u: force(bodies.moved(u)), 12), bodies.length(), bodies.gap()
    g = bodies.row(dx)
    first = np.outer(-g / l, bodies.row(-k / L * dx / l))
    K_n1, K_n2 = np.outer(g, bodies.row(dx / l**3)), bodies.blocks() / l
    both = [first + k * (l - L) / L * (K_n2 + sign * K_n1) for sign in (1, -1)]
    return tuple(min(worst(K - exact), worst(K + exact)) for K in both)


def contact_velocity(rng):
    E, x, phi, phi_rate = exp(rng.normal(size=6)), rng.normal(size=3), rng.normal(size=6), rng.normal(size=6)
    exact = rate(lambda t: (E @ exp(t * phi + t**2 / 2 * phi_rate))[:3] @ [*x, 1])
    return tuple(worst(E[:3, :3] @ Gamma(x) @ each - exact) for each in (phi_rate, phi))


def primal(M, f, C, c, G, g):
    """Least of x M x / 2 - f x with C x >= c and G x = g, by trying every set of active rows."""
    for active in product([False, True], repeat=len(C)):
        A, sides = np.vstack([C[list(active)], G]), np.concatenate([c[list(active)], g])
        zero = np.zeros((len(A), len(A)))
        solution = np.linalg.solve(np.block([[M, -A.T], [A, zero]]), np.concatenate([f, sides]))
        x, multiplier = solution[: len(M)], solution[len(M) :]
        if (C @ x > c - 1e-12).all() and (multiplier[: sum(active)] > -1e-12).all():
            return x, active
    raise AssertionError("a convex problem has a solution")


def dual(Q, linear, signs):
    """Least of y Q y / 2 + linear y, where signs y >= 0 (0: free), by trying every set of zeros."""
    for free in product([False, True], repeat=len(Q)):
        keep = np.array(free) | (signs == 0)
        y = np.zeros(len(Q))
        y[keep] = np.linalg.solve(Q[np.ix_(keep, keep)], -linear[keep])
        if (signs * y > -1e-12).all() and (signs * (Q @ y + linear) > -1e-12).all():
            return y
    raise AssertionError("a convex problem has a solution")


NONE = np.zeros((0, 5)), np.zeros(0)


def gaps_at_acceleration_level(rng):
    """Eigenvalues of the step that takes (g, h g') to the next."""
    h, found = rng.uniform(1e-3, 1e-1), []
    for rate in (1.0 / h, 0.5 / h):
        a, b = (rate * h) ** 2, 1.0 - 2.0 * rate * h
        step = np.array([[1.0 - a, b], [-a, b]])
        found.append(max(0.0, np.abs(np.linalg.eigvals(step)).max() - 1.0))
    return tuple(found)


def contact_impulse(rng):
    M, N, f = positive(rng, 5), rng.normal(size=(3, 5)), rng.normal(size=5)
    f -= M @ N.T @ np.ones(3)  # into the contacts
    exact, _ = primal(M, f, N, np.zeros(3), *NONE)
    alpha = dual(N @ np.linalg.solve(M, N.T), N @ np.linalg.solve(M, f), np.ones(3))
    return tuple(worst(np.linalg.solve(M, f + sign * N.T @ alpha) - exact) for sign in (-1, 1))


def planar_free_joint(rng):
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    Q = sympy.Matrix([[sympy.cos(q), -sympy.sin(q)], [sympy.sin(q), sympy.cos(q)]])
    exact = sympy.diff(Q.T, t)[1, 1]
    numbers = {sympy.diff(q, t): rng.uniform(0.5, 2), q: rng.uniform(0.3, 1.2)}
    return tuple(abs(float((-sympy.diff(q, t) * each - exact).subs(numbers))) for each in (Q[0, 1], Q[1, 0]))


def spline_joint(rng):
    B = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    first, twists, q = exp(rng.normal(size=6)), 0.8 * rng.normal(size=(3, 6)), rng.uniform()

    def basis(q, order):
        powers = [q**k for k in range(4)], [0, 1, 2 * q, 3 * q**2], [0, 0, 2, 6 * q]
        return [(B @ powers[order])[i:].sum() for i in (1, 2, 3)]

    def algorithm(q, line_10):
        b, b_1, b_2, last = basis(q, 0), basis(q, 1), basis(q, 2), basis(q, line_10)
        Q, S, S_slope = first @ exp(twists[0] * b[0]), twists[0] * b_1[0], twists[0] * b_2[0]
        for i in (1, 2):
            Q_i = exp(twists[i] * b[i])
            Q, Ad_i, ad_i = Q @ Q_i, Ad(np.linalg.inv(Q_i)), ad(S)
            S = twists[i] * b_1[i] + Ad_i @ S
            S_slope = twists[i] * b_2[i] + Ad_i @ (S_slope + ad_i @ twists[i] * last[i])
        return Q, S, S_slope

    Q, S, _ = algorithm(q, 0)
    assert worst(S - unbracket(np.linalg.inv(Q) @ rate(lambda t: algorithm(q + t, 0)[0]))) < 1e-12
    exact = rate(lambda t: algorithm(q + t, 0)[1])
    return tuple(worst(algorithm(q, order)[2] - exact) for order in (0, 1))


class Chain:
    """Bodies in a row, joined by hinges in all directions."""

    def __init__(self, rng, n):
        axes = rng.normal(size=(n, 3))
        self.axes = axes / np.linalg.norm(axes, axis=1)[:, None]
        self.offsets = [exp(0.7 * rng.normal(size=6)) for _ in range(n)]
        self.n = n

    def poses(self, q):
        E, poses = np.eye(4), []
        for axis, offset, angle in zip(self.axes, self.offsets, q):
            E = E @ exp(np.concatenate([axis * angle, 0 * axis])) @ offset
            poses.append(E)
        return np.array(poses)

    def J(self, q):
        columns = []
        for e in np.eye(self.n):
            rates = rate(lambda t, e=e: self.poses(q + t * e))
            columns.append(
                np.concatenate([unbracket(np.linalg.inv(E) @ each) for E, each in zip(self.poses(q), rates)])
            )
        return np.column_stack(columns)

    def J_rate(self, q, q_rate):
        return five_points(lambda t: self.J(q + t * q_rate))


def loop_in_space(rng):
    """How fast the loop opens at right angles to its hinge: rate of G J qd under the accelerations of Eq 2.98."""
    chain, q, M = Chain(rng, 3), rng.normal(size=3), positive(rng, 3)
    axis, x_A, x_B = I3[2], rng.normal(size=3), rng.normal(size=3)  # the loop joins bodies 0 (A) and 2 (B)
    plane = I3[:2]  # fixed in A

    def parts(q):
        R_A, R_B = chain.poses(q)[0, :3, :3], chain.poses(q)[2, :3, :3]
        v = plane @ R_A.T
        return R_A, R_B, v, np.hstack([R_A @ Gamma(x_A), -R_B @ Gamma(x_B)]), chain.J(q)[[*range(6), *range(12, 18)]]

    _, _, v, ends, J = parts(q)
    q_rate = null_space(v @ ends @ J)[:, 0]
    R_A, R_B, v, ends, J = parts(q)
    twists = J @ q_rate
    w_A, w_B = twists[:3], twists[6:9]
    J_rate = chain.J_rate(q, q_rate)[[*range(6), *range(12, 18)]]
    ends_rate = np.hstack([R_A @ skew(w_A) @ Gamma(x_A), -R_B @ skew(w_B) @ Gamma(x_B)])
    G_J = v @ ends @ J
    assert abs(axis @ R_A.T @ ends @ twists) > 1e-2  # the points slide along the hinge
    off = []
    for v_rate in (np.zeros((2, 3)), np.cross(R_A @ w_A, v)):
        sides = -((v @ ends_rate + v_rate @ ends) @ J + v @ ends @ J_rate) @ q_rate
        solved = np.linalg.solve(np.block([[M, G_J.T], [G_J, np.zeros((2, 2))]]), np.concatenate([np.zeros(3), sides]))

        def violation(t, q_acc=solved[:3]):
            _, _, v, ends, J = parts(q + t * q_rate + t**2 / 2 * q_acc)
            return v @ ends @ J @ (q_rate + t * q_acc)

        off.append(worst(five_points(violation)))
    return tuple(off)


def prescribed_torque(rng):
    """Accelerations of some joints and torques of the others, solved for directly."""
    M, f, wanted = positive(rng, 5), rng.normal(size=5), rng.normal(size=2)
    G = np.eye(5)[[1, 3]]
    direct = np.linalg.solve(np.hstack([np.delete(M, [1, 3], 1), -G.T]), f - M[:, [1, 3]] @ wanted)[3:]
    multiplier = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((2, 2))]]), np.concatenate([f, wanted]))[5:]
    return tuple(worst(sign * multiplier - direct) for sign in (1, -1))


def reactions(rng):
    """Against the multipliers of the bodies' own equations, where the joints are constraints on twists."""
    chain, q, q_rate, h = Chain(rng, 2), rng.normal(size=2), 2 * rng.normal(size=2), 0.01
    M, f = block_diag(positive(rng, 6), positive(rng, 6)), rng.normal(size=12)
    J, J_rate = chain.J(q), chain.J_rate(q, q_rate)
    G = null_space(J.T).T
    matrix = np.block([[M, G.T], [G, np.zeros((10, 10))]])
    exact = -G.T @ np.linalg.solve(matrix, np.concatenate([f, G @ J_rate @ q_rate]))[12:]
    after = q_rate + h * np.linalg.solve(J.T @ M @ J, J.T @ (f - M @ J_rate @ q_rate))
    free = J @ q_rate + h * np.linalg.solve(M, f)
    return tuple(worst(M @ (J @ after + extra - free) / h - exact) for extra in (0.0, h * J_rate @ q_rate))


def contact_impulses_of_a_joint(rng):
    N, M, alpha, h = rng.normal(size=(4, 6)), positive(rng, 6), rng.normal(size=4), 0.01
    force = -N.T @ alpha / h
    solved = h * np.linalg.solve(N @ np.linalg.solve(M, N.T), N @ np.linalg.solve(M, force))
    return worst(solved - alpha), worst(-solved - alpha)


def external_constraints(rng):
    """One joint and one loop row on a body: the joint's force from both rows solved at once, in bodies' coordinates."""
    M, f, J = positive(rng, 6), rng.normal(size=6), rng.normal(size=(6, 3))
    G = rng.normal(size=(1, 6))
    joint = np.linalg.svd(J)[0][:, 3:].T  # rows across all that the joint allows
    rows = np.vstack([joint, G])
    saddle = np.block([[M, rows.T], [rows, np.zeros((4, 4))]])
    solved = np.linalg.solve(saddle, np.concatenate([f, np.zeros(4)]))  # at rest before, h = 1
    exact = -joint.T @ solved[6:9]
    saddle = np.block([[M, G.T], [G, np.zeros((1, 1))]])
    loose = np.linalg.solve(saddle, np.append(f, 0.0))[:6]
    G_r = G @ J
    saddle = np.block([[J.T @ M @ J, G_r.T], [G_r, np.zeros((1, 1))]])
    reduced = np.linalg.solve(saddle, np.append(J.T @ f, 0.0))
    printed = M @ (J @ reduced[:3] - loose)
    right = M @ J @ reduced[:3] - f + G.T @ reduced[3:]
    return worst(printed - exact), worst(right - exact)


def change_by_constraints(rng):
    M, G, acc, b = positive(rng, 5), rng.normal(size=(2, 5)), rng.normal(size=5), rng.normal(size=2)
    eliminated = np.linalg.solve(G @ np.linalg.solve(M, G.T), b - G @ acc)  # Eq 2.123, b = -Gdot qd
    assert worst(G @ (acc + np.linalg.solve(M, G.T @ eliminated)) - b) < 1e-11  # Eq 2.124
    sides = np.concatenate([np.zeros(5), b - G @ acc])
    multiplier = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((2, 2))]]), sides)[5:]
    return worst(multiplier - eliminated), worst(-multiplier - eliminated)


def dual_problem(rng):
    active = ()
    while not any(active):  # the equation may have made good both inequalities
        M, C, G, acc = positive(rng, 5), rng.normal(size=(2, 5)), rng.normal(size=(1, 5)), rng.normal(size=5)
        c, g = C @ acc + rng.uniform(0.5, 2, 2), rng.normal(size=1)  # both inequalities are violated by acc
        change, active = primal(M, np.zeros(5), C, c - C @ acc, G, g - G @ acc)  # Eq 2.125
    A = np.vstack([C, G])
    Q, linear = A @ np.linalg.solve(M, A.T), A @ acc - np.concatenate([c, g])
    forces = [A.T @ dual(Q, linear, np.array([sign, sign, 0])) for sign in (-1, 1)]
    return tuple(worst(np.linalg.solve(M, force) - change) for force in forces)


ROUTES = {
    "section 1.4, first example": first_example,
    "Eq 1.30, with a damper": step_with_a_damper,
    "Eqs 1.37, 1.51": stiffness,
    "Eq 1.41, row 3, and the text above": passive_curve,
    "Eqs 1.53, 1.63, 1.67": muscle_by_pose,
    "Eqs 1.54, 1.55, 1.64": damping,
    "Eq 1.56": muscle_by_velocity,
    "Eq 1.62": segment,
    "Eqs 1.65, 1.66": spring_damper,
    "Eq 1.67": spring_stiffness,
    "Eq 1.75": contact_velocity,
    "Eq 1.82, second line, and the text below": gaps_at_acceleration_level,
    "Eq 1.84": contact_impulse,
    "Eq 2.56, entry (5, 2)": planar_free_joint,
    "Algorithm 3, line 10": spline_joint,
    "Eq 2.97": loop_in_space,
    "section 2.9, after Eq 2.106": prescribed_torque,
    "Eqs 2.117, 2.119": reactions,
    "Eq 2.118": contact_impulses_of_a_joint,
    "Eq 2.119, line 10 with external constraints": external_constraints,
    "Eq 2.122": change_by_constraints,
    "Eq 2.127": dual_problem,
}


def test_every_entry_has_a_route_of_its_own():
    assert list(ROUTES) == [finding.place for finding in errata.BY_SOURCE["Sueda"]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("place", ROUTES)
def test_another_route_says_the_same(place, seed):
    printed, right = ROUTES[place](np.random.default_rng(seed))
    assert printed > 1e-3
    assert right < 1e-9


def test_withdrawn_eq_2_66_is_right_as_it_stands():
    q = sympy.Symbol("q")
    B = sympy.Matrix([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
    functions = B * sympy.Matrix([1, q, q**2, q**3])
    first = sympy.Matrix([[-3, 3, -1], [0, -6, 3], [3, 3, -3], [0, 0, 1]]) / 6 * sympy.Matrix([1, 2 * q, 3 * q**2])
    second = sympy.Matrix([[3, -1], [-6, 3], [3, -3], [0, 1]]) / 6 * sympy.Matrix([2, 6 * q])
    assert sympy.expand(functions.diff(q) - first) == sympy.zeros(4, 1)
    assert sympy.expand(functions.diff(q, 2) - second) == sympy.zeros(4, 1)
