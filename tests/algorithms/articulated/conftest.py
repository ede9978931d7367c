"""Systems that articulated bodies are tried on: trees of all joint types with rotors, trees with loops closed."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import joint_gallery, random_state, random_tree, uncommon_joints
from rbdkit.spatial import se3


@pytest.fixture(scope="session")
def geared_tree():
    """(seed) -> model, q, v, tau, f_ext: 24 bodies on joints of all types, rotors on every third joint."""

    def make(seed):
        rng = np.random.default_rng(seed)
        model = random_tree(seed, 24, [*joint_gallery(rng), *uncommon_joints(rng)])
        rotors = {
            f"{joint.name}.armature": rng.uniform(0.1, 1.0, joint.nv)
            for joint in model.joints[1 + seed % 3 :: 3]
            if joint.nv > 0
        }
        model = model.with_parameters(rotors)
        return model, *random_state(model, seed), rng.normal(size=(len(model.bodies), 6))

    return make


@pytest.fixture(scope="session")
def looped():
    """(seed, kinds) -> model, q, v, tau, f_ext: a tree of 9 bodies whose joint coordinates close loops of given kinds.

    The loop joints' frames are put where the bodies happen to be, and v is such that the loops stay closed: what is not
    allowed is taken out, by the Jacobians of the two ends.
    """

    def make(seed, kinds):
        rng = np.random.default_rng(seed)
        model = random_tree(seed, 9)
        q, v, tau = random_state(model, seed)
        for joint in model.joints:  # of several coordinates for one pose those that `project` gives
            q[joint.q_slice] = joint.type.project(joint.type.pose(q[joint.q_slice]))
        poses = rbd.forward_kinematics(model, q).poses
        rows = []
        for k, kind in enumerate(kinds):
            p, s = rng.choice(len(model.bodies), 2, replace=False)
            at, own = se3.random(rng), kind.random(rng)
            own = kind.project(kind.pose(own))
            end = se3.inverse(poses[s]) @ poses[p] @ at @ kind.pose(own)
            model.add_loop(f"loop{k}", model.bodies[p].name, model.bodies[s].name, kind, at, end)
            model.add_frame(f"end{k}", model.bodies[s].name, end)
            J_s, J_p = (algorithms.jacobian(model, q, name, "world") for name in (f"end{k}", model.bodies[p].name))
            to_end = se3.adjoint(se3.inverse(poses[s] @ end))
            rows.append(kind.constraint_subspace(own).T @ to_end @ (J_s - J_p))
        K = np.vstack(rows)
        v = v - np.linalg.pinv(K, rcond=1e-10) @ (K @ v)
        return model, q, v, tau, rng.normal(size=(len(model.bodies), 6))

    return make
