"""H by five routes: composite bodies in body and base coordinates, columns, Jacobians, kinetic energy."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import random_state, random_tree

SEEDS = range(8)
ROUND_OFF = 1e-12  # sums over 20 bodies in different order


@pytest.mark.source("F6.03", "F6.04")
@pytest.mark.parametrize("seed", SEEDS)
def test_composite_bodies_in_body_and_base_coordinates(seed, off):
    model = random_tree(seed)
    q, _, _ = random_state(model, seed)
    assert off(algorithms.crba_base(model, q), algorithms.crba(model, q).H) < ROUND_OFF


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_exactly_symmetric_whatever_computes_it(seed):
    """The blocks S.T Ic S of joints with several freedoms as well, which are so only to round-off as they come."""
    model = random_tree(seed)
    q, _, _ = random_state(model, seed)
    forward = [joint.name for joint in model.joints[1::2]]
    small = random_tree(seed, 5, [rbd.Spherical(), rbd.Cylindrical("x")])
    for H in (
        rbd.crba(model, q),
        rbd.crba(model, q, backend="book"),
        algorithms.crba_base(model, q),
        algorithms.closed_form(small, random_state(small, seed)[0]).H,
        algorithms.hybrid_crba(model, q, forward).H11,
        algorithms.floating_crba(algorithms.FloatingBase(model, "base", rbd.Inertia.sphere(1.0, mass=1.0)), q).H,
    ):
        assert np.array_equal(H, H.T)


@pytest.mark.source("F6.03")
def test_an_unbranched_chain_is_the_special_case(off):
    """H_ij = S_i . Ic_max(i,j) S_j with everything in base coordinates (Eqs 6.15, 6.16), joints of 0 to 6 freedoms."""
    model = random_tree(1, 17, branching=0.0)
    assert {joint.nv for joint in model.joints[1:]} >= {0, 1, 2, 3, 6}
    q, _, _ = random_state(model, 1)
    J = {body.name: rbd.jacobian(model, q, body.name, "world") for body in model.bodies[1:]}
    poses = rbd.forward_kinematics(model, q).poses
    I = [body.inertia.transformed(poses[body.index]).matrix for body in model.bodies[1:]]
    H = np.zeros((model.nv, model.nv))
    for i in model.outward:
        for j in model.outward:
            s_i = J[model.bodies[i].name][:, model.joints[i].v_slice]
            s_j = J[model.bodies[j].name][:, model.joints[j].v_slice]
            H[model.joints[i].v_slice, model.joints[j].v_slice] = s_i.T @ sum(I[max(i, j) - 1 :]) @ s_j
    assert off(rbd.crba(model, q), H) < ROUND_OFF


@pytest.mark.source("F6.01", "F6.02")
@pytest.mark.parametrize("seed", SEEDS)
def test_columns_are_what_unit_accelerations_need(seed, off):
    model = random_tree(seed)
    q, v, _ = random_state(model, seed)
    H, C = rbd.crba(model, q), rbd.bias_force(model, q, v)
    for k, e in enumerate(np.eye(model.nv)):
        assert off(algorithms.inverse_dynamics_delta(model, q, e), H[:, k]) < ROUND_OFF
        if k % 7 == 0:
            assert off(rbd.rnea(model, q, v, e) - C, H[:, k], scale=np.max(np.abs(C))) < ROUND_OFF


@pytest.mark.source("F6.04", "F4.06")
@pytest.mark.parametrize("seed", SEEDS)
def test_sum_over_bodies_of_jacobians(seed, off):
    model = random_tree(seed)
    q, v, _ = random_state(model, seed)
    H = np.zeros((model.nv, model.nv))
    for body in model.bodies[1:]:
        J = rbd.jacobian(model, q, body.name)
        H += J.T @ body.inertia.matrix @ J
    found = rbd.crba(model, q)
    assert off(found, H) < ROUND_OFF
    assert off(found, found.T) < 1e-14
    assert np.linalg.eigvalsh(found)[0] > 0.0
    assert off(0.5 * v @ found @ v, rbd.energy(model, q, v).kinetic) < ROUND_OFF


@pytest.mark.source("F6.04")
def test_joints_on_different_branches_do_not_couple():
    model = random_tree(2)
    H = rbd.crba(model, random_state(model, 2)[0])
    for i in model.outward:
        for j in model.outward:
            if i not in model.support(j) and j not in model.support(i):
                assert not H[model.joints[i].v_slice, model.joints[j].v_slice].any()


@pytest.mark.source("F6.04")
def test_composite_inertias_are_those_of_the_subtrees(off):
    model = random_tree(4, 8)
    q, _, _ = random_state(model, 4)
    Ic = algorithms.crba(model, q).Ic
    poses = rbd.forward_kinematics(model, q).poses
    for i in model.outward:
        seen = [model.bodies[j].inertia.transformed(np.linalg.solve(poses[i], poses[j])) for j in model.subtree(i)]
        assert off(Ic[i], sum(s.matrix for s in seen)) < ROUND_OFF


def test_rotors_add_to_the_diagonal(off):
    model = random_tree(6, 8)
    q, v, a = random_state(model, 6)
    rng = np.random.default_rng(6)
    armature = {f"{joint.name}.armature": rng.uniform(0.1, 1.0, joint.nv) for joint in model.joints if joint.nv}
    geared = model.with_parameters(armature)
    diagonal = np.concatenate(list(armature.values()))
    assert off(rbd.crba(geared, q), rbd.crba(model, q) + np.diag(diagonal)) < ROUND_OFF
    assert off(algorithms.crba_base(geared, q), rbd.crba(model, q) + np.diag(diagonal)) < ROUND_OFF
    for inverse in (algorithms.rnea_base, rbd.rnea):
        assert off(inverse(geared, q, v, a), rbd.rnea(model, q, v, a) + diagonal * a) < ROUND_OFF
    added = rbd.energy(geared, q, v).kinetic - rbd.energy(model, q, v).kinetic
    assert off(added, 0.5 * diagonal @ v**2, scale=rbd.energy(geared, q, v).kinetic) < ROUND_OFF


def test_mimic_joints_project_the_independent_model(mimicking, off):
    coupled, independent, G, free = mimicking
    q, v, a = random_state(coupled, 1)
    H = G.T @ rbd.crba(independent, free(q)) @ G
    assert off(rbd.crba(coupled, q), H) < ROUND_OFF
    assert off(algorithms.crba_base(coupled, q), H) < ROUND_OFF
    assert off(algorithms.inverse_dynamics_delta(coupled, q, a), H @ a) < ROUND_OFF
    C = G.T @ rbd.bias_force(independent, free(q), G @ v)
    assert off(rbd.bias_force(coupled, q, v), C) < ROUND_OFF
    for inverse in (algorithms.rnea_base, rbd.rnea):
        assert off(inverse(coupled, q, v, a), H @ a + C) < ROUND_OFF
    assert off(rbd.passive_force(coupled, q, v), G.T @ rbd.passive_force(independent, free(q), G @ v)) < ROUND_OFF
    ours, theirs = rbd.energy(coupled, q, v), rbd.energy(independent, free(q), G @ v)
    for name in ("kinetic", "gravitational", "spring"):
        assert off(getattr(ours, name), getattr(theirs, name)) < ROUND_OFF
    assert off(rbd.momentum(coupled, q, v), rbd.momentum(independent, free(q), G @ v)) < ROUND_OFF
    assert off(algorithms.momentum_matrix(coupled, q) @ v, rbd.momentum(coupled, q, v)) < ROUND_OFF
    for name in ("c", "d"):
        J = rbd.jacobian(independent, free(q), name) @ G
        assert off(rbd.jacobian(coupled, q, name), J) < ROUND_OFF
