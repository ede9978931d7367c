"""The systems of chapter 3: inertia and places as they are meant, and nothing that a model may not have."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.library.pinion_hinge import active_force_subspace, pinion_hinge, tooth_force
from rbdkit.library.rolling_sphere import HOLLOW, SOLID, resting_place, rolling_sphere
from rbdkit.library.taut_string import CENTERS, discs_at, string_around, three_discs


@pytest.mark.parametrize("model", [rolling_sphere(), rolling_sphere(turntable=1.0), three_discs(), pinion_hinge()])
def test_models_are_sound(model):
    assert not [finding for finding in model.validate() if finding.severity == "error"]
    assert model.nv == {"rolling sphere": 6, "three discs": 9, "pinion-driven hinge": 1}[model.name]


def test_moments_of_the_ball():
    solid, hollow = (rolling_sphere(0.3, 2.0, moment).bodies[1].inertia for moment in (SOLID, HOLLOW))
    assert_allclose(solid.matrix, rbd.Inertia.sphere(0.3, mass=2.0).matrix, rtol=1e-14)
    shell = rbd.Inertia.hollow_sphere(0.3, 0.3 * (1 - 1e-6), mass=2.0)
    assert_allclose(hollow.matrix, shell.matrix, rtol=1e-5, atol=1e-12)  # of a thin shell


def test_the_ball_rests_on_the_plane():
    model = rolling_sphere(0.3)
    pose = rbd.forward_kinematics(model, resting_place(0.3, 1.0, -2.0)).poses[1]
    assert_allclose(pose[:3, 3], [1.0, -2.0, 0.3])
    assert_allclose(pose[:3, :3], np.eye(3))


def test_the_turntable_turns_and_leaves_the_ball_alone():
    with_table, without = rolling_sphere(turntable=1.5), rolling_sphere()
    start = resting_place(0.5), np.array([0.3, -0.2, 0.5, 1.0, 0.0, 2.0])
    runs = [rbd.simulate(model, *start, 0.4, 0.01, progress=False) for model in (with_table, without)]
    assert_allclose(runs[0].q, runs[1].q, atol=1e-13)
    assert np.arctan2(*runs[0].poses()[-1, 2, [1, 0], 0]) == pytest.approx(0.6)


def test_the_wheels_touch():
    model = pinion_hinge(0.25, 0.08)
    poses = rbd.forward_kinematics(model, [0.7]).poses
    assert np.linalg.norm(poses[2][:3, 3] - poses[1][:3, 3]) == pytest.approx(0.25 + 0.08)
    assert len(pinion_hinge(None).bodies) == 2
    assert_allclose(tooth_force(0.25), rbd.wrench([0, 1, 0], point=[-0.25, 0, 0]))
    assert_allclose(active_force_subspace(0.25)[:, 0] * -0.25, tooth_force(0.25))


def test_the_string_goes_around_every_disc():
    """Each point of the loop is a radius or more from every centre, and touches one of the discs along its arcs."""
    for centers in (CENTERS, CENTERS[::-1], np.array([[0.0, 0.0], [2.0, 0.3], [-1.0, 0.5]])):
        loop = string_around(centers, 0.3)
        distances = np.linalg.norm(loop[:, None] - np.asarray(centers), axis=2)
        assert distances.min() == pytest.approx(0.3)
        assert_allclose(distances.min(axis=1), 0.3, atol=1e-12)
    poses = rbd.forward_kinematics(three_discs(), discs_at(angles=(0.1, 0.2, 0.3))).poses
    assert_allclose(poses[1:, :2, 3], CENTERS)
