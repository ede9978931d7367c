"""Articulated-body inertias by projection, against the propagated ones, against pushing, and Example 7.1."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import aba_variant_1, articulated_inverse, project_handles
from rbdkit.errors import ModelError
from rbdkit.library import box_and_cylinder, random_state, random_tree
from rbdkit.library.box_and_cylinder import TRAVEL
from rbdkit.spatial import plucker
from rbdkit.spatial.subspace import orthogonal_complement, same

SEEDS = range(4)


def weight(model, q, i):
    """Gravity in the coordinates of body i, as an acceleration (6,)."""
    R = rbd.forward_kinematics(model, q).poses[i, :3, :3]
    return np.concatenate([np.zeros(3), R.T @ model.gravity])


def pushed(model, q, v, tau, handle, f):
    """True acceleration (6,) of a body or frame on which a force f (6,) acts, both in its coordinates, by ABA."""
    place = model.frame(handle)
    T = rbd.forward_kinematics(model, q).pose(handle)
    f_world = plucker.from_pose(T).T @ f
    qdd = algorithms.aba(model, q, v, tau, f_ext={model.bodies[place.body].name: f_world}).qdd
    J, bias = algorithms.jacobian(model, q, handle), algorithms.bias_acceleration(model, q, v, handle)
    return J @ qdd + bias


def floating_subtree(model, i):
    """The subtree of body i on a free joint, and which bodies of the model its bodies are (the world's is none)."""
    sub, members = rbd.Model("subtree", gravity=model.gravity), [0]
    for j in range(i, len(model.bodies)):
        body = model.bodies[j]
        if j == i:
            sub.add_body(body.name, joint=rbd.Free(), inertia=body.inertia)
        elif model.bodies[body.parent].name in [b.name for b in sub.bodies[1:]]:
            parent = model.bodies[body.parent].name
            joint = body.joint
            sub.add_body(body.name, parent, joint.type, joint.placement, body.inertia, armature=joint.armature)
        else:
            continue
        members.append(j)
    return sub, members


@pytest.mark.source("F7.04", "F7.07")
@pytest.mark.parametrize("seed", SEEDS)
def test_propagation_and_projection_give_the_same_inertia(seed, geared_tree, off):
    """I^A and p^A of every ABA pass 2 are inv(J H^-1 J^T) of the floating subtree. H loses cond(H) digits: 1e4."""
    model, q, v, tau, _ = geared_tree(seed)
    result = algorithms.aba(model, q, v, tau)
    poses, velocities = (lambda k: (k.poses, k.velocities))(rbd.forward_kinematics(model, q, v))
    for i in range(1, len(model.bodies), 5):
        sub, members = floating_subtree(model, i)
        q_sub, v_sub, tau_sub = sub.neutral(), np.zeros(sub.nv), np.zeros(sub.nv)
        q_sub[:7] = rbd.Free().project(poses[i])
        v_sub[:6] = velocities[i]
        for k, j in enumerate(members[2:], start=2):
            own, joint = sub.joints[k], model.joints[j]
            q_sub[own.q_slice], v_sub[own.v_slice] = q[joint.q_slice], v[joint.v_slice]
            tau_sub[own.v_slice] = tau[joint.v_slice]
        projected = project_handles(sub, q_sub, v_sub, tau_sub, sub.bodies[1].name)
        assert off(projected.IA, result.IA[i]) < 1e-10
        # ABA counts gravity as an acceleration of everything, the projection as one of the forces
        assert off(projected.pA, result.pA[i] - result.IA[i] @ weight(model, q, i)) < 1e-9


@pytest.mark.source("F7.04", "F7.01")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pushed_body_accelerates_as_its_equation_says(seed, geared_tree, off):
    """a = Phi^A f + b^A for bodies that stand on the ground, against ABA with an external force."""
    model, q, v, tau, _ = geared_tree(seed)
    rng = np.random.default_rng(seed)
    for handle in rng.choice([body.name for body in model.bodies[1:]], 4, replace=False):
        projected = project_handles(model, q, v, tau, handle)
        f = 10.0 * rng.normal(size=6)
        assert off(projected.Phi @ f + projected.b, pushed(model, q, v, tau, handle, f)) < 1e-10
        assert np.array_equal(projected.Phi, projected.Phi.T)
        assert np.linalg.eigvalsh(projected.Phi)[0] > -1e-12 * np.abs(projected.Phi).max()


@pytest.mark.source("F7.04")
def test_a_frame_is_a_handle_too(off):
    model = random_tree(2, 6)
    model.add_frame("tool", "b6", (0.1, -0.2, 0.3))
    q, v, tau = random_state(model, 2)
    f = np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0])
    projected = project_handles(model, q, v, tau, "tool")
    assert off(projected.Phi @ f + projected.b, pushed(model, q, v, tau, "tool", f)) < 1e-11


@pytest.mark.source("F7.02", "F7.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_several_handles(seed, geared_tree, off):
    """Eq 7.4: blocks of one handle stand on the diagonal; Phi_ij is what a force on j does to i, and Phi_ji^T."""
    model, q, v, tau, _ = geared_tree(seed)
    handles = ["b3", "b11", "b17"]
    together = project_handles(model, q, v, tau, handles)
    assert together.Phi.shape == (18, 18) and together.freedom == np.linalg.matrix_rank(together.J)
    rest = {h: pushed(model, q, v, tau, h, np.zeros(6)) for h in handles}
    T = rbd.forward_kinematics(model, q)
    for k, j in enumerate(handles):
        alone = project_handles(model, q, v, tau, j)
        assert off(together.block(j, j), alone.Phi) < 1e-12
        assert off(together.b[6 * k : 6 * k + 6], alone.b) < 1e-12
        f = np.random.default_rng(seed).normal(size=6)
        on_j = plucker.from_pose(T.pose(j)).T @ f
        qdd = algorithms.aba(model, q, v, tau, f_ext={j: on_j}).qdd
        for i in handles:
            a = algorithms.jacobian(model, q, i) @ qdd + algorithms.bias_acceleration(model, q, v, i)
            scale = max(np.abs(a).max(), np.abs(rest[i]).max())
            assert off(together.block(i, j) @ f, a - rest[i], scale) < 1e-11
            assert off(together.block(i, j), together.block(j, i).T, np.abs(together.Phi).max()) < 1e-13


@pytest.mark.source("F7.04", "F7.02")
@pytest.mark.parametrize("kind", [rbd.Revolute("x"), rbd.Universal(), rbd.Planar("z"), rbd.Fixed()])
def test_a_handle_without_full_freedom(kind):
    """Eq 7.14: Phi has rank, range and null space of J; the inverse does not exist and says how many freedoms are."""
    model = random_tree(5, 1, [kind])
    q, v, tau = random_state(model, 5)
    projected = project_handles(model, q, v, tau, "b1")
    S = algorithms.jacobian(model, q, "b1")
    assert projected.freedom == kind.nv == np.linalg.matrix_rank(projected.Phi)
    if kind.nv:
        assert same(projected.Phi, S)
        assert np.abs(projected.Phi @ orthogonal_complement(S)).max() < 1e-13 * np.abs(projected.Phi).max()
    with pytest.raises(ModelError, match=rf"'b1' have {kind.nv} degree.*Eq 7.3"):
        _ = projected.IA
    both = project_handles(model, q, v, tau, ["b1", "world"])
    assert both.freedom == kind.nv and not both.block("world", "b1").any()


@pytest.mark.source("F7.04")
def test_two_free_handles_have_one_inertia(off):
    """rank 6 h: Eq 7.4 can be inverted. Two free bodies do not feel each other; two on a free joint do."""
    model = rbd.Model()
    for name, parent in (("a", "world"), ("b", "world"), ("c", "a")):
        model.add_body(name, parent, rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.3, 0.4), mass=2.0))
    q, v, tau = random_state(model, 1)
    inverse = project_handles(model, q, v, tau, ["b", "c"])
    assert inverse.freedom == 12
    f = inverse.IA @ np.arange(12.0) + inverse.pA
    assert off(inverse.Phi @ f + inverse.b, np.arange(12.0)) < 1e-12
    assert not np.any(np.abs(inverse.block("b", "c")) > 1e-15)


@pytest.mark.source("F7.03")
def test_example_7_1_exactly():
    """I^A = diag(I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2), by propagation to the last digit, and by projection."""
    m1, I1, m2, I2 = 2.0, 0.25, 3.0, 0.5
    expected = np.diag([I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2])
    model = box_and_cylinder(m1, I1, m2, I2)
    q, rest = model.neutral(), np.zeros(model.nv)
    assert np.array_equal(algorithms.aba(model, q, rest, rest).IA[1], expected)
    np.testing.assert_allclose(project_handles(model, q, rest, rest, "box").IA, expected, atol=1e-14)
    q[8] = 1.2  # a turned cylinder is the same
    np.testing.assert_allclose(algorithms.aba(model, q, rest, rest).IA[1], expected, atol=1e-15)


@pytest.mark.source("F7.03")
@pytest.mark.parametrize("axis", range(3))
def test_example_7_1_by_pushing_the_box(axis):
    """A force through the origin moves the box straight ahead, with the mass that follows; a couple turns it."""
    model = box_and_cylinder()
    q, rest = model.neutral(), np.zeros(model.nv)
    masses, moments = [5.0, 2.0, 5.0], [0.3, 0.7, 0.7]
    for f, apparent in ((np.eye(6)[3 + axis], masses[axis]), (np.eye(6)[axis], moments[axis])):
        qdd = algorithms.aba(model, q, rest, rest, f_ext={"box": f}).qdd
        np.testing.assert_allclose(qdd[:6], f / apparent, atol=1e-15)


def centre(IA):
    """The point c with H = skew(c) M as nearly as may be, and by how much it is not so."""
    H, M = IA[:3, 3:], IA[3:, 3:]
    rows = np.stack([(rbd.spatial.so3.skew(e) @ M).ravel() for e in np.eye(3)], axis=1)
    c = np.linalg.lstsq(rows, H.ravel(), rcond=None)[0]
    return c, np.abs(rows @ c - H.ravel()).max()


@pytest.mark.source("F7.03", "F7.01")
def test_the_centre_of_apparent_mass():
    """The box has one, between its centre and the cylinder's; the first body of a random chain has none."""
    model = box_and_cylinder()
    q, rest = model.neutral(), np.zeros(model.nv)
    q[7] = TRAVEL
    c, missed = centre(algorithms.aba(model, q, rest, rest).IA[1])
    np.testing.assert_allclose(c, [0.0, 3.0 * TRAVEL / 5.0, 0.0], atol=1e-15)
    assert missed < 1e-15
    chain = random_tree(4, 3, [rbd.Revolute("z")], branching=0.0)
    q, v, tau = random_state(chain, 4)
    assert centre(algorithms.aba(chain, q, v, tau).IA[1])[1] > 0.1


@pytest.mark.source("F7.04", "F7.09")
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_inertia_of_any_body_without_h(seed, geared_tree, off):
    """Variant 1 assembled towards a body on the ground, against the projection."""
    model, q, v, tau, f_ext = geared_tree(seed)
    for i in (0, 1, 7, 23):
        name = model.bodies[i].name
        found, projected = (
            make(model, q, v, tau, name, f_ext=f_ext) for make in (articulated_inverse, project_handles)
        )
        assert off(found.Phi, projected.Phi) < 1e-10
        if i > 0:
            assert off(found.b + weight(model, q, i), projected.b) < 1e-10
        else:
            np.testing.assert_array_equal(found.b[3:], -model.gravity)


def test_bad_handles():
    model = random_tree(0, 3)
    q, v, tau = random_state(model, 0)
    with pytest.raises(ModelError, match="nobody"):
        project_handles(model, q, v, tau, "nobody")
    for handles in ([], ["b1", "b1"]):
        with pytest.raises(ModelError, match="one or more different"):
            project_handles(model, q, v, tau, handles)
    with pytest.raises(ModelError, match="nobody"):
        aba_variant_1(model, q, v, tau, handle="nobody")
    model.add_loop("clasp", "b1", "b3", rbd.Spherical())
    with pytest.raises(ModelError, match="'clasp' close"):
        project_handles(model, q, v, tau, "b1")
    massless = rbd.Model()
    massless.add_body("tip", joint=rbd.Revolute("x"))
    with pytest.raises(ModelError, match="not positive definite"):
        project_handles(massless, np.zeros(1), np.zeros(1), np.zeros(1), "tip")
