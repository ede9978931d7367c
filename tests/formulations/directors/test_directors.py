"""Directors with constraints: pieces by finite differences, equations against joint coordinates, theorems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.errors import ModelError, StateError
from rbdkit.formulations import Directors, JointSystem, NonTwistingDirectors, NonTwistingSplitEuler, SplitEuler
from rbdkit.formulations.directors.turning import orthonormal, triad
from rbdkit.library.gebhardt_romero import CASES, INERTIA, fixed_point_model

A_VALUES = [0.0, 0.3, 1.0]


def gradient(function, q, h=1e-6):
    """Central differences, exact for quadratic functions but for round-off."""
    return np.stack([(function(q + h * e) - function(q - h * e)) / (2.0 * h) for e in np.eye(len(q))], axis=-1)


def accelerations(x, W, W_rate):
    """Second derivatives of the directors of a body that turns with W and W_rate, body axes."""
    R = triad(x)
    w, w_rate = R @ W, R @ W_rate
    return (np.cross(w_rate, R.T) + np.cross(w, np.cross(w, R.T))).ravel()


@pytest.mark.source("G.05")
def test_euler_inertia_is_the_second_moment_of_mass():
    """Of a cloud of points: E = sum m x x^T, J = sum m (|x|^2 - x x^T) (Eq 66), and the paper's pair (Eq 111)."""
    rng = np.random.default_rng(1)
    masses, points = rng.uniform(0.1, 1.0, 12), rng.normal(size=(12, 3))
    E = np.einsum("k,ki,kj->ij", masses, points, points)
    J = np.einsum("k,kij->ij", masses, (points**2).sum(-1)[:, None, None] * np.eye(3)) - E
    assert_allclose(Directors(fixed_point_model(J)).body.euler_inertia, E, atol=1e-13)
    paper = Directors(fixed_point_model()).body.euler_inertia
    assert_allclose(paper, [[3.0, 1 / 7, 0.0], [1 / 7, 2.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-15)


@pytest.mark.source("G.05")
def test_matrices_are_those_of_the_paper_block_by_block(bodies):
    """M = E (x) 1 (Eq 88), H by its blocks (Eq 64), G = ((1 - a) d2, -a d1, 0) (Eq 83), and the Gram matrix."""
    system, rng = NonTwistingDirectors(bodies.heavy(), a=0.3), np.random.default_rng(9)
    q, z = rng.normal(size=9), rng.normal(size=7)
    d1, d2, d3 = q.reshape(3, 3)
    o = np.zeros(3)
    assert_allclose(system.M, np.kron(system.body.euler_inertia, np.eye(3)), atol=1e-15)
    rows = [[o, d3, d2], [d3, o, d1], [d2, d1, o], [d1, o, o], [o, d2, o], [o, o, d3]]
    assert_allclose(system.H(q), np.reshape(rows, (6, 9)), atol=0)
    assert_allclose(system.G(q), [np.concatenate([0.7 * d2, -0.3 * d1, o])], atol=0)
    a, b, c, d, e, f, mu = z
    S = np.kron([[d, c + 0.7 * mu, b], [c - 0.3 * mu, e, a], [b, a, f]], np.eye(3))
    assert_allclose(system.reaction_stiffness(z), S, atol=1e-15)
    gram = triad(q).T @ triad(q) - np.eye(3)
    angles = gram[1, 2], gram[0, 2], gram[0, 1]
    assert_allclose(system.constraint_error(q), [*angles, *(0.5 * np.diag(gram))], atol=1e-14)
    stack = rng.normal(size=(2, 3, 9))
    assert_allclose(system.constraint_error(stack)[1, 2], system.constraint_error(stack[1, 2]), atol=1e-15)


@pytest.mark.source("G.05")
@pytest.mark.parametrize("formulation", [Directors, NonTwistingDirectors])
def test_jacobians_are_derivatives(bodies, formulation):
    system, rng = formulation(bodies.heavy()), np.random.default_rng(2)
    q, u = rng.normal(size=9), rng.normal(size=9)
    assert_allclose(system.H(q), gradient(system.constraint_error, q), atol=1e-9)
    assert_allclose(system.G_gradient(u), gradient(lambda q: system.G(q) @ u, q), atol=1e-9)
    multipliers = rng.normal(size=6 + len(system.G(q)))
    reactions = np.vstack([system.H(q), system.G(q)]).T @ multipliers
    assert_allclose(system.reaction_stiffness(multipliers) @ q, reactions, atol=1e-13)


@pytest.mark.source("G.05")
def test_forces_on_directors_do_the_work_of_the_moments(bodies):
    """Eq 68 on any turn of the directors, also where they are no triad, as in the middle of a step."""
    model, rng = bodies.heavy(split=False), np.random.default_rng(3)
    system = Directors(model, *bodies.pushed(4))
    turn = rng.normal(size=3)
    for x in (system.state(*bodies.state(5))[0], rng.normal(size=9)):
        M, m = system.moments(0.4, x, np.zeros(9))
        weight = np.cross(triad(x) @ system.body.first_moment, model.gravity)
        work = system.generalized_force(0.4, x, np.zeros(9)) @ np.cross(turn, x.reshape(3, 3)).ravel()
        assert work == pytest.approx(turn @ (triad(x) @ M + m + weight), rel=1e-12)


@pytest.mark.source("G.05")
def test_force_gradient_is_the_derivative_of_the_force(bodies):
    model, rng = bodies.heavy(), np.random.default_rng(6)
    system = Directors(model, *bodies.pushed(7))
    q = system.state(*bodies.state(8))[0] + 0.1 * rng.normal(size=9)
    found = gradient(lambda q: system.generalized_force(0.4, q, np.zeros(9)), q)
    assert_allclose(system.force_gradient(0.4, q, np.zeros(9)), found, atol=1e-8)


@pytest.mark.source("G.05")
@pytest.mark.parametrize("split", [True, False])
def test_standard_body_moves_as_in_joint_coordinates(bodies, split):
    """Accelerations of the directors against the articulated-body algorithm, with loads and gravity."""
    model = bodies.heavy(split)
    loads = bodies.pushed(10)
    system, joint = Directors(model, *loads), JointSystem(model, *loads)
    q, W = bodies.state(11)
    x, v = system.state(q, W)
    expected = accelerations(x, W, joint.rate(0.4, q, W))
    assert_allclose(system.rate(0.4, x, v), expected, atol=1e-12)
    assert_allclose(system.spin(x, v), W, atol=1e-14)
    assert_allclose(system.poses(x), joint.poses(q), atol=1e-14)
    assert_allclose(system.velocities(x, v), joint.velocities(q, W), atol=1e-14)
    ours, theirs = system.energy(x, v), joint.energy(q, W)
    assert ours.kinetic == pytest.approx(theirs.kinetic, rel=1e-13)
    assert ours.gravitational == pytest.approx(theirs.gravitational, rel=1e-13)


@pytest.mark.parametrize("formulation", [Directors, SplitEuler])
def test_a_floating_body_moves_as_in_joint_coordinates(bodies, formulation):
    """Turning by these equations, its centre of mass by Newton's: poses, velocities, energies and accelerations."""
    model, loads = bodies.floating(), bodies.pushed(21, nv=6)
    system, joint = formulation(model, *loads), JointSystem(model, *loads)
    rng = np.random.default_rng(22)
    q, w = model.random_q(rng), rng.normal(size=6)
    x, v = system.state(q, w)
    assert_allclose(system.poses(x), joint.poses(q), atol=1e-14)
    assert_allclose(system.velocities(x, v), joint.velocities(q, w), atol=1e-13)
    assert system.energy(x, v).total == pytest.approx(joint.energy(q, w).total, rel=1e-12)
    h, rate, joint_rate = 1e-4, system.rate(0.4, x, v), joint.rate(0.4, q, w)

    def velocities(s):  # of all frames, along a motion with these rates: first order in s is enough for its slope
        there = system.move(x, s * v)
        return system.velocities(there, v + s * rate)

    def same(s):
        return joint.velocities(joint.move(q, s * w), w + s * joint_rate)

    assert_allclose((velocities(h) - velocities(-h)) / h, (same(h) - same(-h)) / h, atol=1e-6)


@pytest.mark.parametrize("formulation", [Directors, NonTwistingDirectors, SplitEuler, NonTwistingSplitEuler])
def test_a_floating_body_keeps_its_momentum_about_its_centre_in_gravity(bodies, formulation):
    system = formulation(bodies.floating())
    q, w = system.model.random_q(4), np.array([1.2, -0.7, 0.0, 0.5, -0.3, 0.2])
    x, v = system.state(q, w)
    kept = system.invariants(x, v)
    assert set(kept) == ({"energy", "pi"} if system.twists else {"energy", "Pi1", "Pi2"})
    Pi = INERTIA @ w[:3]
    if system.twists:
        assert_allclose(kept["pi"], triad(x) @ Pi, atol=1e-13)
    else:
        assert_allclose([kept["Pi1"], kept["Pi2"]], Pi[:2], atol=1e-13)


@pytest.mark.source("G.05")
def test_generalized_momenta_give_the_angular_momentum(bodies):
    """pi = sum d_i x pi^i = R J W (Eqs 37, 65, 109)."""
    model = bodies.heavy(split=False)
    system = Directors(model)
    q, W = bodies.state(12)
    x, v = system.state(q, W)
    assert_allclose(system.angular_momentum(x, v), triad(x) @ system.body.J @ W, atol=1e-12)


@pytest.mark.source("G.07", "G.06")
@pytest.mark.parametrize("a", A_VALUES)
def test_any_a_gives_the_motion_of_the_split_equations(bodies, a):
    """Eqs 81 against Eqs 71; only mu and the multiplier of d1 . d2 know a."""
    model, loads = bodies.heavy(), bodies.pushed(13)
    system, split = NonTwistingDirectors(model, *loads, a=a), NonTwistingSplitEuler(model, *loads)
    q, W = bodies.state(14, twist=False)
    x, v = system.state(q, W)
    found, multipliers = system.multipliers(0.4, x, v)
    assert_allclose(found, accelerations(x, W, split.rate(0.4, *split.state(q, W))), atol=1e-12)
    assert multipliers[6] == pytest.approx(split.constraint_moment(0.4, *split.state(q, W)), rel=1e-12)


@pytest.mark.source("G.07")
def test_the_force_against_twist_does_no_work(bodies):
    model = bodies.heavy()
    system = NonTwistingDirectors(model, a=0.3)
    x, v = system.state(*bodies.state(15, twist=False))
    _, multipliers = system.multipliers(0.0, x, v)
    powers = multipliers[6] * system.G(x)[0] * v
    assert np.abs(powers).max() > 1e-3
    assert abs(powers.sum()) < 8 * np.finfo(float).eps * np.abs(powers).sum()


@pytest.mark.source("G.05")
def test_the_three_printed_rows_of_h_do_not_keep_unit_length(bodies):
    """Eq 63 in R^9 needs the rows of unit length too: with the three products alone |d1|'' is not zero."""
    system = Directors(bodies.heavy())
    x, v = system.state(*bodies.state(16))
    C, bias = system.H(x)[:3], system.H(v)[:3] @ v
    matrix = np.block([[system.M, C.T], [C, np.zeros((3, 3))]])
    rate = np.linalg.solve(matrix, np.concatenate([system.generalized_force(0.0, x, v), -bias]))[:9]
    lengths = system.H(x)[3:] @ rate + system.H(v)[3:] @ v
    assert np.abs(lengths).max() > 0.1
    assert_allclose(system.H(x) @ system.rate(0.0, x, v) + system.H(v) @ v, 0.0, atol=1e-12)


@pytest.mark.source("G.09")
def test_the_variation_of_eq_110_has_d1_in_its_third_slot(bodies):
    """A turn about d2 moves (d1, d2, d3) by (-d3, 0, d1), and its work on the momenta is Pi2; with d2 it is not."""
    model = bodies.heavy()
    system = Directors(model)
    q, W = bodies.state(17)
    x, v = system.state(q, W)
    d1, d2, d3 = x.reshape(3, 3)
    p, Pi2 = system.M @ v, (system.body.J @ W)[1]
    zero = np.zeros(3)
    assert np.concatenate([-d3, zero, d1]) @ p == pytest.approx(Pi2, rel=1e-12)
    assert abs(np.concatenate([-d3, zero, d2]) @ p - Pi2) > 0.1


@pytest.mark.source("G.06", "G.07", "G.12")
def test_constrained_equations_give_the_momenta_in_closed_form():
    """Case 3 through its first 0.3 s as eighteen plain numbers under Eqs 81, by DOP853: Pi is Pi(0) plus the impulse.

    Nothing in these equations says that; multipliers differentiated twice let the constraints drift to about 1e-8.
    """
    case = CASES[2]
    system = NonTwistingDirectors(case.model, lambda t, x, v: case.tau(t), a=0.3)
    x, v = system.state(case.q0, case.v0)

    def rate(t, y):
        return np.concatenate([y[9:], system.rate(t, y[:9], y[9:])])

    y = solve_ivp(rate, (0.0, 0.3), np.concatenate([x, v]), "DOP853", rtol=1e-10, atol=1e-10).y[:, -1]
    found = system.invariants(y[:9], y[9:])
    assert_allclose([found["Pi1"], found["Pi2"]], case.momentum(0.3)[:2], rtol=1e-6)
    assert found["K"] == pytest.approx(case.kinetic_energy(0.3), rel=1e-6)


def test_velocities_are_brought_to_the_tangent_space(bodies):
    """The standard body keeps its momentum; the one without twist its momentum along d1 and d2."""
    model, rng = bodies.heavy(), np.random.default_rng(18)
    for formulation in (Directors, NonTwistingDirectors):
        system = formulation(model)
        x, _ = system.state(*bodies.state(19, twist=False))
        v = rng.normal(size=9)
        on = system.tangent_velocity(x, v)
        assert np.abs(system.velocity_error(x, v)).max() > 0.1
        assert_allclose(system.velocity_error(x, on), 0.0, atol=1e-14)
        change = triad(x).T @ (system.angular_momentum(x, on) - system.angular_momentum(x, v))
        assert_allclose(change if system.twists else change[:2], 0.0, atol=1e-12)
        assert system.kinetic_energy(x, on) <= system.kinetic_energy(x, v)


def test_stacks_of_states_are_taken(bodies):
    model = bodies.heavy()
    for formulation in (Directors, NonTwistingDirectors):
        system = formulation(model)
        states = [bodies.state(seed, twist=False) for seed in range(6)]
        q, W = (np.array(a).reshape(2, 3, -1) for a in zip(*states, strict=True))
        x, v = system.state(q, W)
        for k in np.ndindex(2, 3):
            one = system.state(q[k], W[k])
            assert_allclose(x[k], one[0], atol=1e-15)
            assert_allclose(v[k], one[1], atol=1e-15)
            assert_allclose(system.poses(x)[k], system.poses(x[k]), atol=1e-15)
            assert_allclose(system.velocity_error(x, v)[k], system.velocity_error(x[k], v[k]), atol=1e-15)
            for name, values in system.invariants(x, v).items():
                assert_allclose(values[k], system.invariants(x[k], v[k])[name], rtol=1e-14)


def test_the_triad_nearest_to_three_vectors():
    x = np.eye(3).ravel()
    assert_allclose(orthonormal(1.1 * x), x, atol=1e-15)


def test_other_models_are_refused_with_what_they_have(bodies):
    pendulum = rbd.library.pendulum()
    with pytest.raises(
        ModelError, match="'pendulum' must have one body, on a Spherical or Free joint; its joints are: rev"
    ):
        Directors(pendulum)
    with pytest.raises(ModelError, match="not a principal axis at its point \\(J13"):
        NonTwistingDirectors(bodies.heavy(split=False))
    with pytest.raises(ModelError, match=r"a = 1\.5 must be a number from 0 to 1"):
        NonTwistingDirectors(bodies.heavy(), a=1.5)
    damped = rbd.Model("damped")
    damped.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, inertia_com=INERTIA), damping=0.1)
    with pytest.raises(ModelError, match="knows no damping in joint 'body_joint'"):
        Directors(damped)
    bare = rbd.Model("bare")
    bare.add_body("body", joint=rbd.Spherical())
    with pytest.raises(ModelError, match="'body' has no inertia"):
        Directors(bare)
    needle = rbd.Model("needle")
    needle.add_body("body", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, (0.0, 0.0, 1.0)))
    with pytest.raises(ModelError, match="no inertia about some axis"):
        Directors(needle)
    with pytest.raises(StateError, match="cannot turn about its own d3"):
        NonTwistingDirectors(bodies.heavy()).state(*bodies.state(20))
