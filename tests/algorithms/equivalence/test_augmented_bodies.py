"""Augmented bodies: what they make constant, against sums over the bodies themselves."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.equivalence import augmented_bodies
from rbdkit.errors import ModelError
from rbdkit.library import random_state, random_tree
from rbdkit.spatial import se3

TURNING = [rbd.Revolute("z"), rbd.Spherical(), rbd.Universal(), rbd.EulerSpherical(), rbd.Fixed(), rbd.Revolute("x"),
           rbd.Reversed(rbd.Universal())]  # fmt: skip
SEEDS = range(4)


def floating(seed, bodies=9):
    """A tree of turning joints on a free body."""
    model, grown = rbd.Model("floating", gravity=(0, 0, 0)), random_tree(seed, bodies, TURNING)
    model.add_body("root", joint=rbd.Free(), inertia=rbd.Inertia.box([0.3, 0.2, 0.4], mass=2.0).transformed(
        se3.random(np.random.default_rng(seed))))  # fmt: skip
    for body in grown.bodies[1:]:
        parent = "root" if body.parent == 0 else grown.bodies[body.parent].name
        model.add_body(body.name, parent, body.joint.type, body.joint.placement, body.inertia)
    return model


def towards(model, j, i):
    """The number of the body next to j on the way to i."""
    return next((k for k in model.children(j) if i in model.subtree(k)), model.parent[j])


@pytest.mark.source("F9.17")
@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_torques_from_constant_first_moments(seed, off):
    """Fixed base, a particle for each child: the first moment of a subtree about its joint is a sum of R_j h*_j."""
    model = random_tree(seed, 12, TURNING)
    q = random_state(model, seed)[0]
    poses = rbd.forward_kinematics(model, q).poses
    moments = [body.inertia.mass * body.inertia.com for body in augmented_bodies(model)]
    tau = np.zeros(model.nv)
    for i in model.outward:
        h = sum(poses[j, :3, :3] @ moments[j] for j in model.subtree(i))
        S = model.joints[i].motion_subspace(q)[:3]
        tau[model.joints[i].v_slice] = -S.T @ poses[i, :3, :3].T @ np.cross(h, model.gravity)
    assert off(rbd.gravity_force(model, q), tau) < 1e-12


@pytest.mark.source("F9.17")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_particle_for_every_joint_gives_every_body_the_mass_of_all(seed):
    model = floating(seed)
    for augmented in augmented_bodies(model, particles="all")[1:]:
        assert augmented.inertia.mass == pytest.approx(model.mass, rel=1e-14)


@pytest.mark.source("F9.17")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_centre_of_mass_seen_from_any_body(seed, off):
    """com = o_i + sum_j R_j (b_j - p_ji): constant vectors between the barycentres and the joints that lead to i."""
    model = floating(seed)
    q = random_state(model, seed)[0]
    poses, augmented = rbd.forward_kinematics(model, q).poses, augmented_bodies(model, particles="all")
    for i in model.outward:
        found = poses[i, :3, 3].copy()
        for j in model.outward:
            point = np.zeros(3) if j == i else augmented[j].points[towards(model, j, i)]
            found += poses[j, :3, :3] @ (augmented[j].inertia.com - point)
        assert off(found, rbd.center_of_mass(model, q)) < 1e-12


@pytest.mark.source("F9.17")
@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_from_the_inertias_of_augmented_bodies(seed, off):
    """T = M v_c^2/2 + sum w_i J*_i w_i/2 - M sum_{i != j} (w_i x d_ij) . (w_j x d_ji)/2, as Hooker and Margulies."""
    model = floating(seed)
    q, v, _ = random_state(model, seed)
    motion, augmented = rbd.forward_kinematics(model, q, v), augmented_bodies(model, particles="all")
    R, w = motion.poses[:, :3, :3], motion.velocities[:, :3]
    M, p = model.mass, rbd.momentum(model, q, v)[3:]
    T = 0.5 * p @ p / M

    def swing(i, j):
        """w_i x d_ij in world axes, d_ij from the barycentre of i to the joint that leads to j."""
        return R[i] @ np.cross(w[i], augmented[i].points[towards(model, i, j)] - augmented[i].inertia.com)

    for i in model.outward:
        T += 0.5 * w[i] @ augmented[i].inertia.inertia_com @ w[i]
        T -= 0.5 * M * sum(swing(i, j) @ swing(j, i) for j in model.outward if j != i)
    assert off(T, rbd.energy(model, q, v).kinetic) < 1e-12


@pytest.mark.source("F9.17")
def test_joints_that_shift_are_refused():
    model = rbd.Model()
    model.add_body("a", joint=rbd.Revolute("z"))
    model.add_body("b", "a", rbd.Prismatic("x"), joint_name="slide")
    with pytest.raises(ModelError, match="'slide' is prismatic and shifts"):
        augmented_bodies(model)
    with pytest.raises(ModelError, match="'both' must be"):
        augmented_bodies(model, particles="both")
    with pytest.raises(ModelError, match="free and shifts"):
        two = floating(0)
        two.add_body("loose", "root", rbd.Free())
        augmented_bodies(two)
