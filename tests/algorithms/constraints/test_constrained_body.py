"""One body on a joint: three methods, the articulated-body algorithm, and the claims about its apparent inertia."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import constraints as con
from rbdkit.errors import ModelError
from rbdkit.library import joint_gallery, uncommon_joints
from rbdkit.spatial import se3, subspace
from rbdkit.spatial.cross import crf

ALL = [*joint_gallery(np.random.default_rng(14)), *uncommon_joints(np.random.default_rng(14))]
GALLERY = {f"{k}-{kind.kind}": kind for k, kind in enumerate(ALL)}
H = 1e-5
EPS = np.finfo(float).eps


@pytest.fixture
def rng():
    return np.random.default_rng(314)


@pytest.fixture(params=GALLERY)
def attached(request, rng):
    """A body on a joint of any kind: the model, a state, the pieces of its equation and a force in its coordinates."""
    model = rbd.Model("one body", gravity=rng.normal(size=3))
    inertia = rbd.Inertia.box(rng.uniform(0.1, 0.6, 3), mass=1.7).transformed(se3.random(rng))
    model.add_body("body", joint=GALLERY[request.param], placement=se3.random(rng), inertia=inertia)
    q, qd = model.random_q(rng), rng.normal(size=model.nv)
    return model, q, qd, con.attached_body(model, q, qd), rng.normal(size=6)


def rate_of_T(model, q, qd, v):
    """Absolute Tdot in body coordinates: the apparent one by differences along the motion, plus v x* T (Eq 2.37)."""
    joint = model.joints[1]

    def T(dt):
        return joint.type.constraint_subspace(joint.coordinates(model.integrate(q, dt * qd)))

    return (T(H) - T(-H)) / (2 * H) + crf(v) @ T(0.0)


def by_aba(model, q, qd, f):
    """Acceleration of the body in its coordinates, without the trick of a base that accelerates upward."""
    X = model.joints[1].transform(q) @ model.X_tree[1]
    in_world = X.T @ f  # X* inverted
    result = algorithms.aba(model, q, qd, np.zeros(model.nv), f_ext={"body": in_world})
    return result.a[1] + X @ np.concatenate([np.zeros(3), model.gravity]), result.qdd


@pytest.mark.source("F3.14", "F3.15", "F3.16")
def test_the_three_methods_and_aba(attached):
    """Method 2 gets Tdot by differences: 1e-9 of it. The inertias have condition numbers up to some hundreds."""
    model, q, qd, body, f = attached
    first, _, _ = con.by_motion_subspace(body.I, body.S, f, body.p, body.c)
    second, _ = con.by_constraint_forces(body.I, body.T, f, body.p, rate_of_T(model, q, qd, body.v).T @ body.v)
    H, C = con.by_generalized_coordinates(body.I, body.S, body.p, body.c)
    qdd = np.linalg.solve(H, body.S.T @ f - C)
    a, theirs = by_aba(model, q, qd, f)
    scale = max(np.abs(a).max(), 1.0)
    assert_allclose(first.a, a, atol=1e-11 * scale)
    assert_allclose(second.a, a, atol=1e-7 * scale)
    assert_allclose(body.S @ qdd + body.c, a, atol=1e-11 * scale)
    assert_allclose(qdd, theirs, atol=1e-11 * scale)
    assert_allclose(second.f_c, first.f_c, atol=1e-6 * scale)


@pytest.mark.source("F3.14", "F3.15")
def test_the_constraint_force_is_what_the_joint_transmits(attached):
    model, q, qd, body, f = attached
    motion, _, _ = con.by_motion_subspace(body.I, body.S, f, body.p, body.c)
    X = model.joints[1].transform(q) @ model.X_tree[1]
    _, qdd = by_aba(model, q, qd, f)
    transmitted = algorithms.rnea(model, q, qd, qdd, f_ext={"body": X.T @ f}).f[1]
    scale = max(np.abs(motion.f_c).max(), 1.0)
    assert_allclose(motion.f_c, transmitted, atol=1e-11 * scale)
    assert_allclose(body.S.T @ motion.f_c, 0, atol=1e-11 * scale)  # Eq 3.48


@pytest.mark.source("F3.14")
def test_claims_on_the_apparent_inverse_inertia(attached):
    model, q, qd, body, f = attached
    Phi = con.apparent_inverse_inertia(body.I, body.S)
    _, same, b = con.by_motion_subspace(body.I, body.S, f, body.p, body.c)
    assert_allclose(same, Phi, atol=0)
    assert_array_equal(Phi, Phi.T)
    n_f, size = body.S.shape[1], max(np.abs(Phi).max(), 1e-30)
    assert np.linalg.matrix_rank(Phi, tol=1e-10 * size) == n_f
    assert np.linalg.eigvalsh(Phi)[0] > -1e-13 * size
    if n_f:
        assert subspace.same(Phi, body.S)
    assert_allclose(Phi @ body.T, 0, atol=1e-12 * size)  # null space: it contains the complement, of the right size
    assert_allclose(b, by_aba(model, q, qd, np.zeros(6))[0], atol=1e-11 * max(np.abs(b).max(), 1.0))


@pytest.mark.source("F3.14")
@pytest.mark.parametrize("n_f", range(1, 7))
def test_method_1_is_method_2_for_any_subspace(rng, n_f):
    """Random subspaces that no joint has; with S all motions Phi is the inverse inertia."""
    I = rbd.Inertia.box([0.2, 0.3, 0.5], mass=2.0).transformed(se3.random(rng)).matrix
    S, A = rng.normal(size=(6, n_f)), rng.normal(size=(n_f, n_f))
    T = subspace.orthogonal_complement(S)
    f, p, c = rng.normal(size=(3, 6))
    first, Phi, _ = con.by_motion_subspace(I, S, f, p, c)
    second, lam = con.by_constraint_forces(I, T, f, p, -T.T @ c)  # T^T S = 0 at all times
    assert_allclose(second.a, first.a, atol=1e-9 * np.abs(first.a).max())
    assert_allclose(T @ lam, first.f_c, atol=1e-9 * np.abs(I @ first.a).max())
    assert_allclose(con.apparent_inverse_inertia(I, S @ A), Phi, atol=1e-10 * np.abs(Phi).max())
    if n_f == 6:
        assert_allclose(Phi, np.linalg.inv(I), atol=1e-9 * np.abs(Phi).max())


@pytest.mark.source("F3.09")
@pytest.mark.parametrize("n_f", range(7))
def test_a_force_split_in_two(rng, n_f):
    """Against the decomposition in I S and the complement of S; whatever basis S is written in."""
    I = rbd.Inertia.box([0.2, 0.3, 0.5], mass=2.0).transformed(se3.random(rng)).matrix
    S, A, f = rng.normal(size=(6, n_f)), rng.normal(size=(n_f, n_f)), rng.normal(size=6)
    f_a, f_c = con.split_force(f, I, S)
    expected = subspace.decompose(f, I @ S, subspace.orthogonal_complement(S))
    H, f_size = S.T @ I @ S, np.abs(f).max() + np.abs(f_a).max()
    k, k_A = (np.linalg.cond(M) if n_f else 1.0 for M in (H, A.T @ H @ A))  # the digits that solving with H may cost
    assert_allclose((f_a, f_c), expected, rtol=0, atol=20 * EPS * k * f_size)
    assert_allclose(con.split_force(f, I, S @ A).f_a, f_a, rtol=0, atol=20 * EPS * k_A * f_size)
    assert_allclose(f_a + f_c, f, rtol=0, atol=EPS * f_size)
    terms = np.abs(S.T) @ (np.abs(f) + np.abs(I) @ np.abs(S) @ np.abs(np.linalg.solve(H, S.T @ f)))
    assert np.all(np.abs(S.T @ f_c) <= 8 * EPS * terms)
    again = con.split_force(f_a, I, S)
    assert_allclose(again.f_a, f_a, rtol=0, atol=8 * EPS * k * f_size)
    Phi, a_size = con.apparent_inverse_inertia(I, S), np.abs(np.linalg.inv(I)).max() * f_size
    assert_allclose(np.linalg.solve(I, f_a), Phi @ f, rtol=0, atol=8 * EPS * k * a_size)


@pytest.mark.source("F3.09")
def test_the_split_of_a_force_on_a_body_at_rest(attached):
    """f_a alone moves the free body as f moves the one on its joint, and the joint answers with -f_c."""
    model, q, _, _, f = attached
    model = model.with_parameters({"gravity": np.zeros(3)})
    still = np.zeros(model.nv)
    body = con.attached_body(model, q, still)
    f_a, f_c = con.split_force(f, body.I, body.S)
    a, qdd = by_aba(model, q, still, f)
    X = model.joints[1].transform(q) @ model.X_tree[1]
    reaction = algorithms.rnea(model, q, still, qdd, f_ext={"body": X.T @ f}).f[1]
    assert_allclose(np.linalg.solve(body.I, f_a), a, atol=1e-10 * max(np.abs(a).max(), 1.0))
    assert_allclose(reaction, -f_c, atol=1e-11 * max(np.abs(f_c).max(), 1.0))


@pytest.mark.source("F3.14")
def test_a_driven_joint_has_its_drift_in_c():
    """A spinner on a joint that follows time: method 1 against the recursion."""
    motion = rbd.Prescribed(rbd.Revolute("x"), lambda t: (np.sin(t), np.cos(t), -np.sin(t)))
    model = rbd.Model("driven")
    inertia = rbd.Inertia.box([0.2, 0.3, 0.5], mass=2.0).transformed(se3.pose(position=[0.1, 0.2, 0.3]))
    model.add_body("body", joint=motion, inertia=inertia)
    nothing = np.zeros(0)
    body = con.attached_body(model, nothing, nothing, t=0.4)
    found, Phi, _ = con.by_motion_subspace(body.I, body.S, np.zeros(6), body.p, body.c)
    transmitted = algorithms.rnea(model, nothing, nothing, nothing, t=0.4).f[1]
    assert_allclose(found.f_c, transmitted, rtol=1e-13, atol=1e-13)
    assert_allclose(Phi, 0, atol=0)


def test_what_cannot_be_is_refused(rng):
    S = np.zeros((6, 1))
    with pytest.raises(ModelError, match="independent columns"):
        con.apparent_inverse_inertia(np.eye(6), S)
    with pytest.raises(ModelError, match="columns of T"):
        con.by_constraint_forces(np.eye(6), np.ones((6, 2)), *np.zeros((2, 6)), np.zeros(2))
    with pytest.raises(ModelError, match="must have one body on one joint"):
        con.attached_body(rbd.library.double_pendulum(), np.zeros(2), np.zeros(2))
