"""Section 6.3: what a column of H means."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.inertia_matrix_columns import inertia_matrix_columns
from rbdkit.algorithms.unit_acceleration import unit_acceleration
from rbdkit.errors import StateError
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import plucker

ROUND_OFF = 1e-12  # of forces summed over a tree of 12 bodies in world coordinates


@pytest.mark.source("F6.06")
@pytest.mark.parametrize("seed", range(6))
def test_every_ancestor_transmits_the_same_force(seed, off):
    """Eqs 6.21, 6.24, 6.25, with composite inertias summed from the bodies in world coordinates."""
    model = random_tree(seed, 12)
    q, _, _ = random_state(model, seed)
    poses = rbd.forward_kinematics(model, q).poses
    I = [np.zeros((6, 6)), *(body.inertia.transformed(poses[body.index]).matrix for body in model.bodies[1:])]
    composite = [sum(I[k] for k in model.subtree(j)) for j in range(len(model.bodies))]
    H = rbd.crba(model, q)
    for i in model.outward:
        for k, alpha in enumerate(range(model.nv)[model.joints[i].v_slice]):
            found = unit_acceleration(model, q, alpha)
            s = plucker.inverse(plucker.from_pose(poses[i])) @ model.joints[i].motion_subspace(q)[:, k]
            assert found.joint == i
            assert off(found.s, s) < ROUND_OFF
            for j in model.outward:
                a = s if j in model.subtree(i) else np.zeros(6)  # Eq 6.21
                force = np.zeros(6)
                if j in model.subtree(i):
                    force = composite[j] @ s  # Eq 6.24
                elif j in model.support(i):
                    force = composite[i] @ s
                size = np.max(np.abs(composite[i] @ s))
                assert off(found.a[j], a, scale=np.max(np.abs(s))) < ROUND_OFF
                assert off(found.f[j], force, scale=size) < ROUND_OFF
            assert off(found.f[0], composite[i] @ s) < ROUND_OFF  # what the base feels
            assert off(found.tau, H[:, alpha]) < ROUND_OFF  # Eq 6.25


@pytest.mark.source("F6.06")
def test_bodies_on_other_branches_feel_exactly_nothing():
    model = random_tree(2, 12)
    q, _, _ = random_state(model, 2)
    for i in model.outward:
        if model.joints[i].nv == 0:
            continue
        found = unit_acceleration(model, q, model.joints[i].v_slice.start)
        for j in set(model.outward) - set(model.subtree(i)) - set(model.support(i)):
            assert not found.a[j].any() and not found.f[j].any()


def test_driven_joints_and_followers(mimicking, off):
    """A driven joint's own motion is left out; a leader takes its followers along."""
    model = rbd.Model()
    ball = rbd.Inertia.sphere(0.1, mass=2.0)

    def shake(t):
        return [0.1 * np.sin(9 * t)], [0.9 * np.cos(9 * t)], [-8.1 * np.sin(9 * t)]

    model.add_body("table", joint=rbd.Prescribed(rbd.Prismatic("x"), shake), inertia=ball)
    model.add_body("arm", "table", rbd.Revolute("z"), inertia=ball.transformed(rbd.pose(position=[0.5, 0, 0])))
    found = unit_acceleration(model, np.array([0.3]), 0, t=0.2)
    assert off(found.tau, rbd.crba(model, [0.3], t=0.2)[:, 0]) < 1e-15
    assert not found.a[1].any()
    coupled, _, _, _ = mimicking
    q = random_state(coupled, 1)[0]
    columns = np.column_stack([unit_acceleration(coupled, q, k).tau for k in range(coupled.nv)])
    assert off(columns, rbd.crba(coupled, q)) < ROUND_OFF


@pytest.mark.parametrize("alpha", [-1, 4])
def test_variables_that_are_not_there(alpha):
    model = random_tree(1, 4, [rbd.Revolute("z")])
    with pytest.raises(StateError, match=f"alpha is {alpha}; model 'random tree 1' has velocity variables 0 to 3"):
        unit_acceleration(model, np.zeros(4), alpha)


@pytest.mark.source("F6.01", "F6.02")
@pytest.mark.parametrize("seed", range(4))
def test_h_column_by_column(seed, off):
    """Joints of many freedoms and of none; the zeros between branches come out as zeros."""
    model = random_tree(seed)
    q, v, a = random_state(model, seed)
    H = inertia_matrix_columns(model, q)
    assert off(H, algorithms.crba(model, q).H) < ROUND_OFF
    assert not H[~algorithms.sparse.sparsity_pattern(algorithms.sparse.expanded_parent(model))].any()
    C = algorithms.bias_force(model, q, v)  # Eq 6.2
    tau = algorithms.rnea(model, q, v, a).tau
    assert off(H @ a + C, tau) < 1e-12  # Eq 6.1
    product = algorithms.inverse_dynamics_delta(model, q, a)
    assert off(product, tau - C, scale=np.max(np.abs(C))) < 1e-12  # Eqs 6.3, 6.4
