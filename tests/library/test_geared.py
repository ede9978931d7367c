"""The machines with gears, and the arm with axes at right angles."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import differential, elliptic_gears, geared_arm, right_angle_arm


@pytest.mark.parametrize("make", [geared_arm, differential, elliptic_gears], ids=lambda make: make.__name__)
def test_every_body_is_possible_and_can_be_moved(make):
    model = make().model
    assert not model.validate()
    H = rbd.crba(model, model.random_q(0))
    assert np.linalg.eigvalsh(H)[0] > 0.0


def test_rotors_are_balanced():
    """Turning a rotor moves no mass: the potential energy of the arm does not depend on it."""
    gears = geared_arm(elbow="x")
    q = np.array([0.3, 0.0, -0.4, 0.0])
    turned = q + [0.0, 1.7, 0.0, -2.9]
    energies = [rbd.energy(gears.model, x, np.zeros(4)).gravitational for x in (q, turned)]
    assert energies[1] == pytest.approx(energies[0], abs=1e-14)


def test_machines_that_cannot_be_are_refused():
    with pytest.raises(ModelError, match="'x' or 'y', not 'z'"):
        geared_arm(elbow="z")
    with pytest.raises(ModelError, match=r"not 1\.0"):
        elliptic_gears(1.0)


def test_axes_at_right_angles():
    model = right_angle_arm("RPRR")
    poses = rbd.forward_kinematics(model, np.zeros(4)).poses
    axes = poses[1:, :3, 2]
    np.testing.assert_allclose(np.sum(axes[1:] * axes[:-1], axis=1), 0.0, atol=1e-15)
    np.testing.assert_array_equal(axes[0], [0.0, 0.0, 1.0])
    assert [joint.type.kind for joint in model.joints[1:]] == ["revolute", "prismatic", "revolute", "revolute"]
    assert all(np.all(body.inertia.ten_parameters != 0.0) for body in model.bodies[1:])
    assert not model.validate()
