"""The equations that Müller and Terze (2013) print, each checked against an independent route."""

import numpy as np
import pytest
from scipy.linalg import expm

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.formulations import SE3, ConstrainedBodies, SO3xR3
from rbdkit.formulations.constrained import ProductGroup
from rbdkit.library import floating_pair, heavy_top, spherical_double_pendulum, three_bar_linkage
from rbdkit.spatial import se3, so3, so3xr3
from rbdkit.spatial.screw import twist_screw


@pytest.fixture
def rng():
    return np.random.default_rng(2013)


# --- section 2: the groups of one body --------------------------------------------------------------------------------


@pytest.mark.source("M.01")
def test_a_twist_is_a_screw_and_its_exponential_a_screw_motion(rng):
    """v = r x w + h w with h = w.v / |w|^2, and Eq 8 as printed."""
    X = rng.normal(size=6)
    w, v = X[:3], X[3:]
    h = w @ v / (w @ w)
    screw = twist_screw(X)
    assert screw.pitch == pytest.approx(h, rel=1e-14)
    np.testing.assert_allclose(np.cross(screw.point, w) + h * w, v, atol=1e-14)
    R = expm(so3.skew(w))
    printed = se3.pose(R, (np.eye(3) - R) @ np.cross(w, v) / (w @ w) + h * w)
    np.testing.assert_allclose(printed, expm(se3.bracket(X)), atol=1e-14)
    np.testing.assert_allclose(se3.exp(X), expm(se3.bracket(X)), atol=1e-14)


@pytest.mark.source("M.01")
def test_equation_9_needs_the_square_of_the_angle_in_its_last_term(rng):
    """Printed: (1 - cos |w|) / |w|; right: / |w|^2, by the matrix exponential."""
    w = rng.normal(size=3)
    w *= 2.0 / np.linalg.norm(w)
    W, t = so3.skew(w), 2.0
    exact = expm(W)
    right = np.eye(3) + np.sin(t) / t * W + (1 - np.cos(t)) / t**2 * W @ W
    printed = np.eye(3) + np.sin(t) / t * W + (1 - np.cos(t)) / t * W @ W
    np.testing.assert_allclose(right, exact, atol=1e-14)
    assert np.abs(printed - exact).max() > 0.1
    assert np.abs(printed @ printed.T - np.eye(3)).max() > 0.1  # not even a rotation


@pytest.mark.source("M.01")
def test_the_bracket_is_ad_and_the_commutator(rng):
    X, Y = rng.normal(size=(2, 6))
    commutator = se3.bracket(X) @ se3.bracket(Y) - se3.bracket(Y) @ se3.bracket(X)
    np.testing.assert_allclose(se3.ad(X) @ Y, se3.unbracket(commutator), atol=1e-14)  # Eq 7


def printed_dexp_inverse(X):
    """Eq 10, letter by letter."""
    t, ad = np.linalg.norm(X[:3]), se3.ad(X)
    c, s = np.cos(t), np.sin(t)
    second = 2 / t**2 + (t + 3 * s) / (4 * t * (c - 1))
    fourth = 1 / t**4 + (t + s) / (4 * t**3 * (c - 1))
    return np.eye(6) - 0.5 * ad + second * ad @ ad + fourth * ad @ ad @ ad @ ad


@pytest.mark.source("M.01")
@pytest.mark.parametrize("angle", [0.5, 2.0, 5.0])
def test_equations_10_and_11_are_the_inverse_tangent_operators(rng, angle):
    """Eq 10 loses eps / t^4 by cancellation in its last term."""
    X = rng.normal(size=6)
    X[:3] *= angle / np.linalg.norm(X[:3])
    np.testing.assert_allclose(printed_dexp_inverse(X), se3.left_jacobian_inverse(X), atol=1e-13)
    np.testing.assert_allclose(se3.left_jacobian_inverse(X) @ se3.left_jacobian(X), np.eye(6), atol=1e-13)
    W, t = so3.skew(X[:3]), angle
    eq11 = np.eye(3) - 0.5 * W + (1 - t / 2 / np.tan(t / 2)) * W @ W / t**2
    np.testing.assert_allclose(eq11, so3.left_jacobian_inverse(X[:3]), atol=1e-14)


@pytest.mark.source("M.01")
def test_equation_10_must_be_guarded_at_small_angles_and_ours_is(rng):
    X = rng.normal(size=6)
    X[:3] *= 1e-4 / np.linalg.norm(X[:3])
    series = np.eye(6) - 0.5 * se3.ad(X) + se3.ad(X) @ se3.ad(X) / 12  # the rest is of order t^3
    assert np.abs(printed_dexp_inverse(X) - series).max() > 1e-6
    np.testing.assert_allclose(se3.left_jacobian_inverse(X), series, atol=1e-11)


# --- section 3: the groups of several bodies --------------------------------------------------------------------------


@pytest.mark.source("M.03")
@pytest.mark.parametrize("names", [["se3"] * 3, ["so3xr3"] * 3, ["se3", "so3xr3", "se3"]])
def test_moving_along_a_velocity_and_the_way_back(rng, names):
    """q exp(u) is reached with q^-1 q' = v (Eqs 25-34), the displacement is u again, and B takes v to twists."""
    group = ProductGroup(names)
    C = np.array([se3.random(rng) for _ in names])
    u, v = 0.5 * rng.normal(size=(2, 3, 6))
    np.testing.assert_allclose(group.displacement(C, group.move(C, u)), u, atol=1e-14)
    h = 1e-4
    C_u = group.move(C, u)
    ahead, behind = (group.move(C, u + s * h * group.local_rate(u, v)) for s in (1, -1))
    twists = [se3.unbracket(se3.inverse(c) @ (a - b) / (2 * h)) for c, a, b in zip(C_u, ahead, behind)]
    np.testing.assert_allclose(twists, group.twists(C_u, v), atol=1e-7)  # truncation h^2
    np.testing.assert_allclose((group.tangent(C_u) @ v[..., None])[..., 0], group.twists(C_u, v), atol=1e-15)
    np.testing.assert_allclose(group.velocities(C_u, group.twists(C_u, v)), v, atol=1e-14)
    B_rate = (group.tangent(group.move(C, h * v)) - group.tangent(group.move(C, -h * v))) @ v[..., None] / (2 * h)
    np.testing.assert_allclose(B_rate[..., 0], group.tangent_rate(group.twists(C, v)), atol=1e-7)


@pytest.mark.source("M.03")
@pytest.mark.parametrize("name, alone", [("se3", se3), ("so3xr3", so3xr3)])
@pytest.mark.parametrize("size", [0.0, 1e-9, 0.4, 1.5])
def test_stacks_of_bodies_move_as_matrices_say(rng, name, alone, size):
    """By the matrices of `rbdkit.spatial`, which share no code with the equations of a body."""
    group = ProductGroup([name] * 3)
    C, u, v = se3.random(rng, (4, 3)), size * rng.normal(size=(4, 3, 6)), rng.normal(size=(4, 3, 6))
    u *= np.minimum(1.0, 3.0 / np.maximum(np.linalg.norm(u[..., :3], axis=-1, keepdims=True), 1e-30))
    multiply = np.matmul if name == "se3" else so3xr3.multiply
    moved = group.move(C, u)
    np.testing.assert_allclose(moved, multiply(C, alone.exp(u)), rtol=0, atol=4e-15)
    np.testing.assert_allclose(group.displacement(C, moved), alone.log(alone.exp(u)), rtol=0, atol=4e-14)
    expected = (alone.right_jacobian_inverse(u) @ v[..., None])[..., 0]
    np.testing.assert_allclose(group.local_rate(u, v), expected, rtol=0, atol=4e-14)


# --- sections 4 and 5: equations of motion ----------------------------------------------------------------------------


def saddle(M, J, Q, eta):
    n, m = len(Q), len(eta)
    A = np.block([[M, J.T], [J, np.zeros((m, m))]])
    return np.split(np.linalg.solve(A, np.concatenate([Q, eta])), [n])


def state_of(system, start, rng):
    """A state on the way, not the special one of the start."""
    model, q, v = start
    q, v = model.integrate(q, 0.3 * rng.normal(size=model.nv)), v + rng.normal(size=model.nv)
    x, w = system.state(q, v)
    C = x.reshape(-1, 12)
    return q, v, x, w, C[:, :9].reshape(-1, 3, 3), C[:, 9:], w.reshape(-1, 6)


@pytest.mark.source("M.04", "M.06")
def test_the_heavy_top_in_body_fixed_representation_is_that_of_the_paper(rng):
    """Eqs 38-40, with gravity as the force F in body axes."""
    system = SE3(heavy_top(gravity=(0.0, 0.0, -9.81)).model)
    *_, x, w, R, r, V = state_of(system, heavy_top(), rng)
    omega, v, r0, m = V[0, :3], V[0, 3:], np.array([0.5, 0, 0]), 21.6
    Theta, W = np.diag([0.36, 0.306, 0.09]), so3.skew(V[0, :3])
    np.testing.assert_allclose(system.constraint_error(x), 0, atol=1e-15)
    np.testing.assert_allclose(r0 - R[0].T @ r[0], 0, atol=1e-15)  # Eq 38
    M = np.block([[Theta, np.zeros((3, 3))], [np.zeros((3, 3)), m * np.eye(3)]])
    J = np.hstack([so3.skew(R[0].T @ r[0]), np.eye(3)])  # Eq 39
    np.testing.assert_allclose(J @ w, 0, atol=1e-13)
    F = m * R[0].T @ [0, 0, -9.81]
    Q = np.concatenate([-W @ Theta @ omega, F - m * W @ v])
    V_rate, reaction = saddle(M, J, Q, -W @ W @ r0 + W @ v)  # Eq 40
    np.testing.assert_allclose(system.rate(0.0, x, w), V_rate, rtol=1e-13, atol=1e-10)
    multipliers = system.index1(0.0, x, w).solve()[1]
    np.testing.assert_allclose(np.linalg.norm(multipliers), np.linalg.norm(reaction), rtol=1e-13)


@pytest.mark.source("M.04", "M.06")
def test_the_heavy_top_in_hybrid_representation_is_that_of_the_paper(rng):
    """Eqs 41, 42."""
    system = SO3xR3(heavy_top(gravity=(0.0, 0.0, -9.81)).model)
    *_, x, w, R, _, V = state_of(system, heavy_top(), rng)
    omega, r0, m = V[0, :3], np.array([0.5, 0, 0]), 21.6
    Theta, W, R = np.diag([0.36, 0.306, 0.09]), so3.skew(V[0, :3]), R[0]
    M = np.block([[Theta, np.zeros((3, 3))], [np.zeros((3, 3)), m * np.eye(3)]])
    J = np.hstack([R @ so3.skew(r0), np.eye(3)])
    np.testing.assert_allclose(J @ w, 0, atol=1e-13)
    Q = np.concatenate([-W @ Theta @ omega, [0, 0, -9.81 * m]])
    V_rate, _ = saddle(M, J, Q, R @ W @ W @ r0)
    np.testing.assert_allclose(system.rate(0.0, x, w), V_rate, rtol=1e-13, atol=1e-10)
    np.testing.assert_allclose(system.index1(0.0, x, w).M, M, atol=1e-14)


def printed_pendulum(R, V, forces, hybrid):
    """Eqs 50-55 in body twists, Eqs 61-64 in hybrid velocities; forces (2, 3) in the axes of the linear velocities."""
    Theta, m = np.diag(rbd.Inertia.box([0.2, 0.1, 0.05], mass=2.7).inertia_com.diagonal()), 2.7
    r0, r10, r20 = np.array([-0.1, 0, 0]), np.array([0.1, 0, 0]), np.array([-0.1, 0, 0])
    hat, I, O = so3.skew, np.eye(3), np.zeros((3, 3))
    (w1, v1), (w2, v2) = V[:, [0, 1, 2]], V[:, [3, 4, 5]]
    w1, w2, v1, v2 = V[0, :3], V[1, :3], V[0, 3:], V[1, 3:]
    W1, W2, (R1, R2) = hat(w1), hat(w2), R
    M = np.zeros((12, 12))
    for k in (0, 6):
        M[k : k + 3, k : k + 3], M[k + 3 : k + 6, k + 3 : k + 6] = Theta, m * I
    if hybrid:
        J = np.block([[R1 @ hat(r0), -I, O, O], [R1 @ hat(r10), -I, -R2 @ hat(r20), I]])
        eta = np.concatenate([R1 @ W1 @ W1 @ r0, R1 @ W1 @ W1 @ r10 - R2 @ W2 @ W2 @ r20])
        Q = np.concatenate([-W1 @ Theta @ w1, forces[0], -W2 @ Theta @ w2, forces[1]])
    else:
        J = np.block([[hat(r0), -I, O, O], [R1 @ hat(r10), -R1, -R2 @ hat(r20), R2]])
        second = R1 @ W1 @ W1 @ r10 - R2 @ W2 @ W2 @ r20 + R1 @ W1 @ v1 - R2 @ W2 @ v2
        eta = np.concatenate([W1 @ v1 + W1 @ W1 @ r0, second])
        Q = np.concatenate([-W1 @ Theta @ w1, forces[0] - m * W1 @ v1, -W2 @ Theta @ w2, forces[1] - m * W2 @ v2])
    return saddle(M, J, Q, eta)


@pytest.mark.source("M.04", "M.07")
@pytest.mark.parametrize("group", ["se3", "so3xr3"])
def test_the_double_pendulum_is_that_of_the_paper_but_for_the_mass_in_the_weight(rng, group):
    """Printed: F_i = R_i^T g and F_i = g. That is an acceleration; right is m_i times it."""
    start = spherical_double_pendulum()
    system = ConstrainedBodies(start.model, groups=group)
    *_, x, w, R, _, V = state_of(system, start, rng)
    g = np.array([0, 0, -9.81])
    axes = [R_i.T @ g for R_i in R] if group == "se3" else [g, g]
    rate = system.rate(0.0, x, w)
    right, _ = printed_pendulum(R, V, 2.7 * np.array(axes), group == "so3xr3")
    printed, _ = printed_pendulum(R, V, np.array(axes), group == "so3xr3")
    np.testing.assert_allclose(rate, right, rtol=1e-12, atol=1e-9)
    assert np.abs(rate - printed).max() > 1.0


@pytest.mark.source("M.04", "M.07")
def test_the_multipliers_are_reactions_with_the_sign_of_the_printed_rows(rng):
    """-J^T lambda acts on the bodies. The printed J has -1 before v_1, so lambda_i is the force of joint i on body 1.

    (lambda_1 in the axes of body 1, lambda_2 in world axes; on body 2 acts -lambda_2.) A pendulum hangs at rest, x
    downwards.
    """
    g = np.array([0.0, 0.0, -9.81])
    hang = se3.exp([0, np.pi / 2, 0, 0, 0, 0])[:3, :3]  # x downwards
    _, multipliers = printed_pendulum([hang, hang], np.zeros((2, 6)), 2.7 * np.array([hang.T @ g] * 2), False)
    on_body_1 = hang @ multipliers[:3]
    np.testing.assert_allclose(on_body_1, [0, 0, 2 * 2.7 * 9.81], atol=1e-12)
    on_body_2 = -multipliers[3:]
    np.testing.assert_allclose(on_body_2, [0, 0, 2.7 * 9.81], atol=1e-12)


@pytest.mark.source("M.08", "M.09")
def test_the_other_examples_begin_closed_and_with_the_velocities_given():
    model, q, v = floating_pair()
    V = rbd.forward_kinematics(model, q, v).velocities
    np.testing.assert_allclose(V[1:, :3], [[0, 0, -10], [1, -1, 2 * np.pi]], atol=1e-14)
    np.testing.assert_allclose(rbd.momentum(model, q, v)[3:], 0, atol=1e-14)
    model, q, v = three_bar_linkage()
    system = SE3(model)
    x, w = system.state(q, v)
    equations = system.index1(0.0, x, w)
    assert np.abs(system.constraint_error(x)).max() < 1e-15
    assert np.abs(equations.J @ w).max() < 1e-14
    assert (equations.redundant, equations.freedom) == (0, 3)


@pytest.mark.source("M.06", "M.07")
def test_bodies_are_those_of_the_paper():
    model, q, v = heavy_top()
    inertia = model.bodies[1].inertia
    assert inertia.mass == pytest.approx(21.6, rel=1e-14)
    np.testing.assert_allclose(inertia.inertia_com, np.diag([0.36, 0.306, 0.09]), atol=1e-15)
    assert rbd.energy(model, q, v).kinetic == pytest.approx(13.97e3, abs=5.0)  # printed: 13.97 kJ
    model, q, v = spherical_double_pendulum()
    V = rbd.forward_kinematics(model, q, v).velocities
    np.testing.assert_allclose(V[1:, :3], [[10, 0, 0], np.array([10, 10, 20]) * np.pi], atol=1e-13)
    np.testing.assert_allclose(algorithms.forward_kinematics(model, q).poses[2, :3, 3], [0.2, 0, 0])
