"""Joint coordinates found again from where the bodies are."""

import numpy as np
import pytest

from rbdkit.formulations import JointSystem, joint_state
from rbdkit.library import random_state, random_tree


@pytest.mark.parametrize("seed", range(8))
def test_poses_and_velocities_give_the_joint_state_back(seed):
    """For every joint type; rotations may come back as the other quaternion, so coordinates are compared as poses."""
    model = random_tree(seed, 12)
    rng = np.random.default_rng(seed)
    q = np.stack([random_state(model, rng)[0] for _ in range(3)])
    v = rng.normal(size=(3, model.nv))
    system = JointSystem(model)
    q_found, v_found = joint_state(model, system.poses(q), system.velocities(q, v))
    np.testing.assert_allclose(system.poses(q_found), system.poses(q), atol=1e-12)
    np.testing.assert_allclose(system.velocities(q_found, v_found), system.velocities(q, v), atol=1e-11)
