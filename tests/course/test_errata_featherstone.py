"""Featherstone's entries on the errata page once more: formulas typed anew, derivatives by complex steps."""

import numpy as np
import pytest
from scipy.linalg import expm

from rbdkit_course import errata

SEEDS = range(3)
I3 = np.eye(3)
Z3 = np.zeros((3, 3))


def skew(a):
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


def rz(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])


def plucker(E, r):
    return np.block([[E, Z3], [-E @ skew(r), E]])


def cross(v):
    return np.block([[skew(v[:3]), Z3], [skew(v[3:]), skew(v[:3])]])


def turn(axis, angle):
    """Coordinate transform of a frame turned about an axis."""
    return expm(-skew(axis * angle))


def axis(rng):
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def rate(function):
    """Derivative at zero by a step of 1e-30 along the imaginary axis: no difference is taken, so no digits are lost."""
    return np.imag(function(1e-30j)) / 1e-30


def worst(*arrays):
    return max(float(np.abs(array).max()) for array in arrays)


def positive(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + np.eye(n)


def displayed_cross(rng):
    w, v, m, m_O = rng.normal(size=(4, 3))
    exact = (np.cross(w, m_O) + np.cross(v, m))[0]
    rows = [0, -v[2], w[1], 0, -w[2], w[1]], [0, -v[2], v[1], 0, -w[2], w[1]]
    return tuple(abs(np.dot(row, [*m, *m_O]) - exact) for row in rows)


def explicit_constraint(rng):
    """The three rows of Eq 3.18, solved as they are."""
    H, G, bias, g = positive(rng, 4), rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=4)
    zero = np.zeros((4, 2))
    rows = np.block([[H, -np.eye(4), zero], [-np.eye(4), np.zeros((4, 4)), G], [zero.T, G.T, np.zeros((2, 2))]])
    exact = np.linalg.solve(rows, np.concatenate([bias, -g, np.zeros(2)]))[4:8]
    reduced = np.block([[np.linalg.inv(H), G], [G.T, np.zeros((2, 2))]])
    solved = np.linalg.solve(reduced, np.concatenate([np.linalg.solve(H, bias) - g, np.zeros(2)]))[:4]
    return worst(solved - exact), worst(-solved - exact)


def planar_joint(rng):
    """Velocity of the joint's origin in F_s coordinates, and S alpha, for r and E of the table."""
    q, alpha = rng.normal(size=(2, 3))

    def off(q_rate):
        def place(t):
            a, x, y = q + t * q_rate
            return np.array([np.cos(a) * x - np.sin(a) * y, np.sin(a) * x + np.cos(a) * y, 0 * a])

        v = np.concatenate([[0, 0, q_rate[0]], rz(q[0]) @ rate(place)])
        return worst(v - [0, 0, *alpha, 0])

    return off(alpha), off(alpha + alpha[0] * np.array([0, q[2], -q[1]]))


def free_joint(rng):
    """The same for a joint of six freedoms, where E turns at w and r = E^T q."""
    q, w, v = rng.normal(size=(3, 3))
    E = turn(axis(rng), 0.8)

    def off(q_rate):
        return worst(E @ rate(lambda t: E.T @ expm(t * skew(w)) @ (q + t * q_rate)) - v)

    return off(v), off(v - np.cross(w, q))


def planar_joint_from_base(rng):
    """The same with the translation in F_p coordinates, r = (q2, q3)."""
    q, alpha = rng.normal(size=(2, 3))
    c, s = np.cos(q[0]), np.sin(q[0])
    matrices = [[1, 0, 0], [-q[2], c, -s], [q[1], s, c]], [[1, 0, 0], [0, c, -s], [0, s, c]]
    return tuple(worst(rz(q[0]) @ [*(np.array(each) @ alpha)[1:], 0] - [*alpha[1:], 0]) for each in matrices)


def reversed_joint(rng):
    """A force that does no work in the joint must do none when it is seen from the other end."""
    X, S = plucker(turn(axis(rng), 0.8), rng.normal(size=3)), rng.normal(size=6)
    T = np.linalg.svd(S[None])[2][1:].T
    return tuple(worst((-each @ T).T @ (-X @ S)) for each in (X, np.linalg.inv(X).T))


class Arm:
    """Three hinges; body i's velocity in its own coordinates by recursion."""

    def __init__(self, rng):
        self.s = [np.concatenate([axis(rng), np.zeros(3)]) for _ in range(3)]
        self.X_tree = [plucker(turn(axis(rng), 0.7), rng.normal(size=3)) for _ in range(3)]

    def X(self, i, q):
        return plucker(turn(self.s[i][:3], q[i]), np.zeros(3)) @ self.X_tree[i]

    def velocities(self, q, q_rate):
        v, found = np.zeros(6), []
        for i in range(3):
            v = self.X(i, q) @ v + self.s[i] * q_rate[i]
            found.append(v)
        return found


def acceleration_in_base(rng):
    arm, q, q_rate, q_acc = Arm(rng), *rng.normal(size=(3, 3))

    def motion(t):
        at, X, s, v = q + t * q_rate, np.eye(6), [], np.zeros(6)
        for i in range(3):
            X = arm.X(i, at) @ X
            s.append(np.linalg.inv(X) @ arm.s[i])
            v = v + s[i] * (q_rate[i] + t * q_acc[i])
        return s, v

    exact, s = rate(lambda t: motion(t)[1]), motion(0)[0]
    v = np.cumsum([a * b for a, b in zip(s, q_rate)], axis=0)
    first = sum(a * b for a, b in zip(s, q_acc))
    printed = first + sum(a * b for a, b in zip(s, q_rate))
    right = first + sum(cross(v[i]) @ s[i] * q_rate[i] for i in range(3))
    return worst(printed - exact), worst(right - exact)


def acceleration_in_bodies(rng):
    """A velocity's coordinates change at the rate of its acceleration, v x v being zero."""
    arm, q, q_rate = Arm(rng), *rng.normal(size=(2, 3))
    exact = rate(lambda t: arm.velocities(q + t * q_rate, q_rate)[2])
    v = arm.velocities(q, q_rate)

    def recursion(own):
        a = np.zeros(6)
        for i in range(3):
            v_J = arm.s[i] * q_rate[i]
            a = arm.X(i, q) @ a + cross(v[i] if own else v_J) @ v_J
        return a

    return worst(recursion(False) - exact), worst(recursion(True) - exact)


def gears(rng):
    y, y_rate, k = rng.uniform(0.5, 2, 3)
    exact = rate(lambda t: (1 + k * np.cos(y + t * y_rate)) * y_rate)  # of q2 = y + k sin y, y'' = 0
    G_rate = rate(lambda t: 1 + k * np.cos(y + t * y_rate))
    return abs(G_rate * y - exact), abs(G_rate * y_rate - exact)


def two_handles(rng):
    """Two bodies joined by a constraint on their accelerations, solved with its multipliers."""
    I_1, I_2, T = positive(rng, 6), positive(rng, 6), rng.normal(size=(6, 4))
    K = np.hstack([-T.T, T.T])
    inertia = np.block([[I_1, np.zeros((6, 6))], [np.zeros((6, 6)), I_2]])
    full = np.linalg.inv(np.block([[inertia, K.T], [K, np.zeros((4, 4))]]))[:12, :12]
    Phi_1, Phi_2 = np.linalg.inv(I_1), np.linalg.inv(I_2)
    W = T @ np.linalg.solve(T.T @ (Phi_1 + Phi_2) @ T, T.T)
    return worst(Phi_1 - Phi_1 @ W @ Phi_1 - full[:6, 6:]), worst(Phi_1 @ W @ Phi_2 - full[:6, 6:])


def forces_at_rest(rng):
    """Power of the forces against the rate of the kinetic energy."""
    H, q_rate, q_acc = positive(rng, 4), *rng.normal(size=(2, 4))
    power = rate(lambda t: 0.5 * (q_rate + t * q_acc) @ H @ (q_rate + t * q_acc))
    forces = H.sum(axis=1) * q_acc, H @ q_acc
    return tuple(abs(np.dot(each, q_rate) - power) for each in forces)


def planar_inertia(q, lengths, masses, moments):
    """Joint-space inertia of a planar chain with its centres of mass halfway, from velocities of points."""
    n, directions = len(q), np.cumsum(q)
    H = np.zeros((n, n))
    for i in range(n):
        J = np.zeros((2, n))
        for j in range(i + 1):
            arm = lengths[j] * (0.5 if j == i else 1.0)
            J[:, : j + 1] += arm * np.array([[-np.sin(directions[j])], [np.cos(directions[j])]])
        H += masses[i] * J.T @ J + moments[i] * np.outer(np.arange(n) <= i, np.arange(n) <= i)
    return H


def columns_of_inertia(rng):
    """Kinetic energy by H against that of the bodies, at the position and where the velocities stand for it."""
    numbers = rng.uniform(0.5, 2, (3, 3))
    lengths, masses, moments = numbers

    def miss(q, q_rate):
        def centres(t):
            a = np.cumsum(q + t * q_rate)
            links = lengths[:, None] * np.column_stack([np.cos(a), np.sin(a)])
            return np.cumsum(links, axis=0) - links / 2

        v, w = rate(centres), np.cumsum(q_rate)
        exact = 0.5 * (masses @ (v**2).sum(axis=1) + moments @ w**2)
        return [abs(0.5 * q_rate @ planar_inertia(at, *numbers) @ q_rate - exact) for at in (q_rate, q)]

    # energies are single numbers, and may agree by chance in one state
    return tuple(np.max([miss(*rng.normal(size=(2, 3))) for _ in range(4)], axis=0))


def cylindrical_joint(rng):
    angle, z = rng.uniform(0.3, 1.2, 2)
    exact = (-rz(angle) @ skew([0, 0, z]))[:2, :2]
    c, s = np.cos(angle), np.sin(angle)
    return worst([[0, z], [-z, 0]] - exact), worst([[-s * z, c * z], [-c * z, -s * z]] - exact)


def loop_stabilization(rng):
    """K and k of a loop joint's rows in joint space; what Baumgarte's equation asks of T^T (a_s - a_p) + ..."""
    K, k, decay = rng.normal(size=(2, 5)), rng.normal(size=2), rng.uniform(1, 5)
    rates, delta = rng.normal(size=(2, 2))
    stabilization = 2 * decay * rates + decay**2 * delta  # of Table 8.4
    solved = [np.linalg.lstsq(K, each)[0] for each in (k - stabilization + stabilization, k - stabilization)]
    return tuple(worst(K @ each - k + 2 * decay * rates + decay**2 * delta) for each in solved)


def carried_forces(rng):
    """Two rods in a row, gravity along -y: forces of each and of all that it carries, against the slope of energy."""
    l, m, c, q = rng.uniform(0.5, 1.5), rng.uniform(1, 2, 2), rng.uniform(0.3, 0.6, 2), rng.uniform(0.3, 0.9, 2)
    height = lambda q: m[0] * c[0] * np.sin(q[0]) + m[1] * (l * np.sin(q[0]) + c[1] * np.sin(q[0] + q[1]))  # noqa: E731
    exact = [rate(lambda t, e=e: 9.81 * height(q + t * e)) for e in np.eye(2)]
    alone = 9.81 * m * c * np.cos([q[0], q[0] + q[1]])
    carried = alone + [alone[1] + 9.81 * m[1] * l * np.cos(q[0]), 0.0]
    return worst(alone - exact), worst(carried - exact)


def acceleration_of_the_successor(rng):
    """T stands still in the successor frame: the rate of T^T (v_s - v_p) at qdd = 0 is -k."""
    v_p, v_s, a_p, a_s = rng.normal(size=(4, 6))
    T = rng.normal(size=(6, 2))
    exact = -rate(lambda t: T.T @ expm(-t * cross(v_s)) @ (v_s - v_p + t * (a_s - a_p)))
    return tuple(worst(-T.T @ (each - a_p + cross(v_s) @ v_p) - exact) for each in (a_p, a_s))


def dependent_rows(rng):
    K, Y, k = rng.normal(size=(2, 5)), rng.normal(size=(2, 2)), rng.normal(size=2)
    lower = Y @ K @ (np.linalg.pinv(K) @ k)
    return worst(lower[:, None] - Y @ K[:, :2]), worst(lower - Y @ k)


def lifted_off(rng):
    """A particle that is pulled up from the floor: its height is d t^2 / 2, its speed there zero."""
    m, pull = rng.uniform(1, 2), rng.uniform(5, 9)
    d, speed = pull / m, lambda t: pull / m * t
    return worst(d - speed(0.0)), worst(d - rate(speed))


def moving_momentum(rng):
    inertia, v = positive(rng, 6), rng.normal(size=6)
    exact = rate(lambda t: expm(-t * cross(v)).T @ inertia @ v)  # X(t)^T I v in coordinates that do not move
    return worst(cross(v) @ inertia @ v - exact), worst(-cross(v).T @ inertia @ v - exact)


def last_row_of_table_a_4(rng):
    E, r, inertia = turn(axis(rng), 0.8), rng.normal(size=3), positive(rng, 6)
    X = plucker(E, r)
    exact = (X.T @ inertia @ X)[:3, 3:]
    M = E.T @ inertia[3:, 3:] @ E
    return tuple(worst(E.T @ each @ E + skew(r) @ M - exact) for each in (inertia[3:, 3:], inertia[:3, 3:]))


def screw_transform(rng):
    angle, d = rng.normal(size=2)
    m = rng.normal(size=6)
    exact = (rz(angle) @ (m[3:] - np.cross([0, 0, d], m[:3])))[0]
    c, s = np.cos(angle), np.sin(angle)
    return tuple(abs(c * (each + m[1] * d) + s * (m[4] - m[0] * d) - exact) for each in (m[4], m[3]))


ROUTES = {
    r"section 2.16, the displayed $v\times$": displayed_cross,
    "Eq 3.19 and the displays before and after it": explicit_constraint,
    "Table 4.1, planar joint": planar_joint,
    "Table 4.1, 6-DoF joint": free_joint,
    "Example 4.5": planar_joint_from_base,
    "Table 4.2": reversed_joint,
    "Eq 5.8": acceleration_in_base,
    "section 9.6, the display of $G$ and $g$": gears,
    "Eq 7.59": two_handles,
    "Eq 5.6": forces_at_rest,
    "section 6.1, after Eq 6.4": columns_of_inertia,
    "Example 8.1": cylindrical_joint,
    "Table 8.4, with Eqs 8.21, 8.36": loop_stabilization,
    "Table 8.3, last loop": carried_forces,
    "Table 8.4, line of $a_s$": acceleration_of_the_successor,
    "section 8.8, after Eq 8.50": dependent_rows,
    "Eq 8.64": moving_momentum,
    "Eq 11.10, first case": lifted_off,
    "Tables 9.5, 9.6": acceleration_in_bodies,
    "Table A.4, last row": last_row_of_table_a_4,
    "section A.4, the product with scrz, row 4": screw_transform,
}
NUMBERS_OF_CHAPTER_10 = {"section 10.2, first acceleration", "section 10.3, on the second graph of Fig 10.4"}


def test_every_entry_has_a_route_of_its_own():
    assert {finding.place for finding in errata.BY_SOURCE["Featherstone"]} == set(ROUTES) | NUMBERS_OF_CHAPTER_10


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("place", ROUTES)
def test_another_route_says_the_same(place, seed):
    printed, right = ROUTES[place](np.random.default_rng(seed))
    assert printed > 1e-3
    assert right < 1e-10


def test_miss_of_the_elliptical_wheels():
    """With y for its rate the printed g is that of a wheel at speed y: dy2/dy1 changes by f(y) yd, so f yd (y - yd)."""
    e, y, yd = 0.5, 0.8, 2.0
    slope = lambda y: (1 - e**2) / (1 + e**2 + 2 * e * np.cos(y))  # noqa: E731
    entry = next(entry for entry in errata.BY_SOURCE["Featherstone"] if entry.place.startswith("section 9.6"))
    assert entry.errors.printed == pytest.approx(abs(rate(lambda t: slope(y + t)) * yd * (y - yd)), rel=1e-9)


def test_accelerations_of_the_zigzag_chain():
    """Section 10.2: the five others agree to the printed digits, and so do the forces for unit accelerations."""
    H = planar_inertia(np.deg2rad([75.0, -75.0] * 3), np.ones(6), np.ones(6), np.full(6, 1 / 12))
    found = np.linalg.solve(H, [126, 97.5, 70.0, 43.8, 21.9, 6.16])
    assert np.abs(found - [0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705]).max() < 5e-5
    assert abs(found[0] - 0.6952) > 0.03
    assert np.abs(H.sum(axis=1) - [126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646]).max() < 1e-4
    assert round(np.linalg.cond(H)) == 725


def test_crossings_of_the_cost_curves():
    """Section 10.3: operations of the cheapest rows of Table 10.1, multiplications and additions together."""
    n = np.arange(2, 60)
    rnea, crba, solve = 174 * n - 208, 16 * n**2 + 59 * n - 75, n**3 / 3 + 5 * n**2 / 2 - 11 * n / 6
    aba, total = 429 * n - 507, rnea + crba + solve
    assert n[(crba > rnea) & (crba > solve)][0] == 6  # "from n = 8"
    assert n[total < aba][-1] == 8
    assert n[solve > crba][0] == 45
    assert n[(solve < rnea) & (solve < crba)][-1] == 18
    assert round((total / aba)[n == 18][0], 1) == 1.6
