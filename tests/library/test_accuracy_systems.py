"""Systems of Featherstone's chapter 10: parent arrays, trees of rods and of revolute joints, bodies far and unlike."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.costs import axial_screws
from rbdkit.errors import ModelError
from rbdkit.library import (
    branched_parents,
    chain_parents,
    far_body,
    general_unbranched,
    random_parents,
    revolute_tree,
    rod_tree,
    turret_pendulum,
    unlike_spheres,
    zigzag_angles,
    zigzag_chain,
)


def test_shapes_of_trees():
    assert chain_parents(5) == (0, 1, 2, 3, 4)
    assert branched_parents(7) == (0, 1, 1, 2, 2, 3, 3)
    assert branched_parents(10, 3) == (0, 1, 1, 1, 2, 2, 2, 3, 3, 3)
    assert branched_parents(6, 1) == chain_parents(6)
    assert random_parents(20, 3) == random_parents(20, 3) != random_parents(20, 4)
    assert random_parents(9, 0, branching=0.0) == chain_parents(9)
    for seed in range(20):
        assert all(0 <= p < i for i, p in enumerate(random_parents(30, seed, 1.0), 1))
    with pytest.raises(ModelError, match="children = 0"):
        branched_parents(5, 0)


@pytest.mark.parametrize("parents", [(0, 2), (1,), (0, -1), (0, 0.5)])
def test_irregular_numberings_are_refused(parents):
    for make in (rod_tree, revolute_tree):
        with pytest.raises(ModelError, match=r"lambda\(\d\) = .* number parents before"):
            make(parents)


def test_the_zigzag_chain_looks_like_figure_10_3():
    chain, angles = zigzag_chain(6), zigzag_angles(6)
    assert np.array_equal(np.rad2deg(angles), [75.0, -75.0, 75.0, -75.0, 75.0, -75.0])
    poses = rbd.forward_kinematics(chain, angles).poses
    slope = [np.arctan2(pose[1, 0], pose[0, 0]) for pose in poses[1:]]
    assert slope == pytest.approx(np.deg2rad([75.0, 0.0] * 3), abs=1e-15)  # every second rod is parallel to the base
    steps = np.diff([*poses[1:, :3, 3]], axis=0)
    assert np.linalg.norm(steps, axis=1) == pytest.approx(np.ones(5), rel=1e-15)
    rod = chain.bodies[3].inertia
    assert (rod.mass, rod.com.tolist(), rod.inertia_com[2, 2]) == (1.0, [0.5, 0.0, 0.0], 1.0 / 12.0)
    assert not chain.gravity.any() and not chain.validate()


def test_rods_of_a_tree_hang_at_their_parents_tips():
    tree = rod_tree(branched_parents(7), length=0.5, mass=2.0)
    assert tree.parent[1:] == branched_parents(7)
    assert [joint.placement[0, 3] for joint in tree.joints[1:]] == [0.0] + [0.5] * 6
    assert tree.bodies[1].inertia.inertia_com[2, 2] == pytest.approx(2.0 * 0.25 / 12.0, rel=1e-15)


@pytest.mark.source("F10.07")
def test_general_chains_are_revolute_and_general():
    for n in (1, 2, 7):
        chain = general_unbranched(n)
        assert chain.parent[1:] == chain_parents(n)
        assert all(joint.type == rbd.Revolute("z") for joint in chain.joints[1:])
        assert not chain.validate()
        for body in chain.bodies[1:]:
            screws = axial_screws(body.joint.placement)
            assert screws.denavit_hartenberg
            assert min(abs(screws.alpha), abs(screws.a), abs(screws.d)) > 0.09  # no parameter is zero by accident
            assert np.all(np.abs(body.inertia.ten_parameters) > 1e-6)
    assert general_unbranched(3, seed=1) != general_unbranched(3, seed=2)


def test_one_child_of_a_body_has_denavit_hartenberg_frames():
    tree = revolute_tree((0, 1, 1, 1, 2, 0), seed=4)
    dh = [axial_screws(joint.placement).denavit_hartenberg for joint in tree.joints[1:]]
    assert dh == [True, True, False, False, True, False]


def test_the_far_body_has_the_matrix_of_equation_10_1():
    H = rbd.crba(far_body((100.0, 10.0)), np.zeros(3))
    assert np.array_equal(H, [[10101.0, -10.0, 100.0], [-10.0, 1.0, 0.0], [100.0, 0.0, 1.0]])


def test_unlike_spheres_are_one_system_whichever_is_the_root():
    heavy, light = unlike_spheres(4.0), unlike_spheres(4.0, heavy_base=False)
    assert heavy.mass == pytest.approx(light.mass, rel=1e-15)
    q = np.array([0.3, -0.2, 0.1, 0.5, 0.4, 0.2, 0.6])  # quaternion, place, hinge
    q = heavy.integrate(heavy.neutral(), np.concatenate([q[:6], [0.7]]))
    v = np.array([0.4, -0.3, 0.2, 1.0, -0.5, 0.3, 0.8])
    at, speed = (getattr(rbd.forward_kinematics(heavy, q, v), part)[2] for part in ("poses", "velocities"))
    # the same motion seen from the other body, whose frame is turned by pi: its hinge lies along its own x, too
    turn = rbd.pose(np.diag([-1.0, -1.0, 1.0]))
    small = at @ rbd.pose(position=[0.1, 0.0, 0.0]) @ turn  # the frame of the tip is in the hinge
    X = rbd.spatial.plucker.from_pose(rbd.pose(position=[0.1, 0.0, 0.0]) @ turn)
    q_light = np.concatenate([light.joints[1].type.project(small), [-0.7]])
    v_light = np.concatenate([X @ speed, [-0.8]])
    assert rbd.energy(light, q_light, v_light).kinetic == pytest.approx(rbd.energy(heavy, q, v).kinetic, rel=1e-14)


def test_the_turret_keeps_its_moment_of_momentum():
    model, turret = turret_pendulum(), 1e-3
    run = rbd.simulate(model, [0.0, 1.0], [0.15, 0.0], 4.0, 0.01, integrator="dop853", progress=False)
    moment = (turret + np.sin(run.q[:, 1]) ** 2 / 3.0) * run.v[:, 0]
    assert np.ptp(moment) < 1e-7 * moment[0]  # steps are good to 1e-9
    assert np.abs(run.v[:, 0]).max() > 50.0 * run.v[0, 0]  # it storms
