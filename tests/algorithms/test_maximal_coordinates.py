"""All bodies and all joints in one linear system: the accelerations and reactions that no recursion has touched."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.constraints import multibody_system
from rbdkit.library import random_state, random_tree
from rbdkit.spatial.cross import crf, crm


def maximal(model, q, v, tau, f_ext):
    """Body accelerations and joint forces in body coordinates, (n, 6) each, row 0 for the world (Eq 3.74).

    Unknown are the accelerations and the constraint forces lambda; the joint forces are T_a tau + T lambda with any T_a
    that has T_a^T S = 1 (Eq 3.34). Rows: the bodies' equations of motion, and for each joint
    T^T (a_i - X a_parent) = T^T (c_J + v_i x v_J).
    """
    n = len(model.bodies)
    poses = rbd.forward_kinematics(model, q).poses
    A, b, velocity = np.zeros((6 * n, 6 * n)), np.zeros(6 * n), np.zeros((n, 6))
    columns, known, T_of = [], [], {}
    for i in range(1, n):
        joint, p, rows = model.joints[i], model.parent[i], slice(6 * i, 6 * i + 6)
        X_J, S, v_J, c_J = joint.calc(q, v)
        X = X_J @ model.X_tree[i]
        velocity[i] = X @ velocity[p] + v_J
        R, r = poses[i][:3, :3], poses[i][:3, 3]
        external = np.concatenate([R.T @ (f_ext[i, :3] - np.cross(r, f_ext[i, 3:])), R.T @ f_ext[i, 3:]])
        weight = model.I[i] @ np.concatenate([np.zeros(3), R.T @ model.gravity])
        A[rows, rows] = model.I[i]
        b[rows] += external + weight - crf(velocity[i]) @ model.I[i] @ velocity[i]
        T = joint.type.constraint_subspace(joint.coordinates(q))
        T_a = np.linalg.pinv(S).T
        P = np.zeros((6 * n, 6))  # how the joint's force enters the bodies: column of P in Eq 3.69, in body coordinates
        P[rows], P[6 * p : 6 * p + 6] = np.eye(6), -X.T
        b += P @ T_a @ tau[joint.v_slice]
        columns.append(P @ T)
        known.append(T.T @ (c_J + crm(velocity[i]) @ v_J))
        T_of[i] = (T, T_a @ tau[joint.v_slice])
    move = slice(6, 6 * n)  # the world does not
    K, k = np.hstack(columns)[move].T, np.concatenate(known)
    size = A[move, move].shape[0]
    saddle = np.block([[A[move, move], -K.T], [K, np.zeros((len(k), len(k)))]])
    solution = np.linalg.solve(saddle, np.concatenate([b[move], k]))
    accelerations = np.vstack([np.zeros(6), solution[:size].reshape(-1, 6)])
    reactions, start = np.zeros((n, 6)), size
    for i, (T, applied) in T_of.items():
        reactions[i] = applied + T @ solution[start : start + T.shape[1]]
        start += T.shape[1]
    return accelerations, reactions


@pytest.mark.source("F7.07", "F5.07")
@pytest.mark.parametrize("seed", range(8))
def test_accelerations_and_reactions_are_those_of_the_whole_system(seed, off):
    """The dense system loses some more digits: its condition number is 1e4 to 1e6."""
    model = random_tree(seed, 17)
    q, v, tau = random_state(model, seed)
    f_ext = np.random.default_rng(seed).normal(size=(18, 6))
    accelerations, reactions = maximal(model, q, v, tau, f_ext)
    forward = algorithms.aba(model, q, v, tau, f_ext=f_ext)
    poses = rbd.forward_kinematics(model, q).poses
    falling = np.array([[*np.zeros(3), *(T[:3, :3].T @ model.gravity)] for T in poses])
    assert off(forward.a + falling, accelerations) < 1e-10
    inverse = algorithms.rnea(model, q, v, forward.qdd, f_ext=f_ext)
    assert off(inverse.f[1:], reactions[1:]) < 1e-10


@pytest.mark.source("F3.17")
@pytest.mark.parametrize("seed", range(4))
def test_the_whole_system_in_one_frame_is_that_in_body_frames(seed, off):
    model = random_tree(seed, 17)
    q, v, tau = random_state(model, seed)
    f_ext = np.random.default_rng(seed).normal(size=(18, 6))
    accelerations, reactions = maximal(model, q, v, tau, f_ext)
    motion = multibody_system(model, q, v, tau, f_ext=f_ext).solve()
    assert off(motion.a, accelerations) < 1e-10
    assert off([motion.f[joint.name] for joint in model.joints[1:]], reactions[1:]) < 1e-10
