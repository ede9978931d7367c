"""Random trees with one or two loops: four formulations of the same motion, and what any of them must be.

The loops are closed at the state by where the last joint is put, and the velocities made to fit. Poses where the
constraints nearly repeat each other are left out by the condition of the constraint alone: there accelerations are what
round-off makes of them.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rbdkit import algorithms
from rbdkit.algorithms.constraints import multibody_system
from rbdkit.formulations import SE3, SO3xR3
from rbdkit.joints import Reversed
from rbdkit.library import joint_gallery, uncommon_joints
from rbdkit.spatial import se3

WELL_CONDITIONED = 1e3


def tame_own(kind, q):
    if kind.nv and getattr(kind, "joint", kind).kind == "euler_spherical":
        q[1] /= 2.5
    return q


def tame(case):
    """Euler angles as poses tell them: pitch from -pi/2 to pi/2."""
    q = case.q.copy()
    for joint in case.model.joints:
        tame_own(joint.type, q[joint.q_slice])
    return q


def gap_rate(model, q, v, t, ends):
    """K, and the velocity across the loops along what they resist: K v and what motors add."""
    velocities = algorithms.forward_kinematics(model, q, v, t=t).velocities
    K, rates = [], []
    for loop, (near, far), T in ends:
        jacobians, moving = [], []
        for body, pose in ((loop.predecessor, near), (loop.successor, far)):
            X = np.linalg.inv(se3.adjoint(pose))
            J = algorithms.jacobian(model, q, model.bodies[body].name, "body", t=t)
            jacobians.append(X @ J)
            moving.append(X @ velocities[body])
        K.append(T.T @ (jacobians[1] - jacobians[0]))
        rates.append(T.T @ (moving[1] - moving[0]))
    return np.concatenate(K), np.concatenate(rates)


def looped(case, rng):
    """The tree with loops, closed at q, and fitting velocities; None where no place for the loops was found."""
    kinds = [kind for kind in (*joint_gallery(rng), *uncommon_joints(rng)) if 0 < kind.nv < 6]
    kinds += [Reversed(kind) for kind in kinds if not isinstance(kind, Reversed)]
    q = tame(case)
    poses = algorithms.forward_kinematics(case.model, q, None, t=case.t).poses
    for _ in range(10):
        model = case.model.with_parameters({})
        ends = []
        for k in range(rng.integers(1, 3)):
            i, j = rng.choice(len(model.bodies), 2, replace=False)
            kind = kinds[rng.integers(len(kinds))]
            own = tame_own(kind, kind.random(rng))
            P = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
            meeting = poses[i] @ P @ kind.pose(own)
            S = se3.inverse(poses[j]) @ meeting
            loop = model.add_loop(f"loop {k}", model.bodies[i], model.bodies[j], kind, P, S)
            ends.append((loop, (se3.inverse(poses[i]) @ meeting, S), kind.constraint_subspace(own)))
        K, rate = gap_rate(model, q, case.v, case.t, ends)
        if len(K) > model.nv - 1 or np.linalg.cond(K) > WELL_CONDITIONED:
            continue
        v = case.v - np.linalg.pinv(K) @ rate
        return model, q, v
    return None


@pytest.fixture(scope="module")
def loops():
    """By number and tree, made once."""

    @cache
    def loops(seed, tree):
        case = replace(tree, t=0.0)  # when motions start
        found = looped(case, np.random.default_rng((4, seed))) if case.independent else None
        return found and (case, *found)

    return loops


def test_formulations_agree(seed, loops, any_case, agree):
    """Maximal coordinates, divide and conquer, and bodies on SE(3) and on SO(3) x R3."""
    found = loops(seed, any_case(seed))
    if found is None:
        return  # joints follow others, which only the joint coordinates know, or there are too few to close a loop
    case, model, q, v = found
    total = case.x + algorithms.passive_force(model, q, v)
    system = multibody_system(model, q, v, total, f_ext=case.f, t=case.t)
    motion = system.solve()
    allowed = 1e-13 * max(10.0, np.linalg.cond(system.matrix))
    assembled = algorithms.divide_and_conquer(model, q, v, total, f_ext=case.f, t=case.t)
    # parts on their own can be worse conditioned than the whole: light ones, and pairs that a joint hardly holds
    agree("loops: divide and conquer", assembled.qdd, motion.qdd, 100.0 * allowed)
    n = len(model.bodies) - 1
    for group in (SE3, SO3xR3):
        bodies = group(model, lambda t, x, w: case.x, lambda t, x, w: case.f, reference="body")
        x, w = bodies.state(q, v)
        a, own = bodies.rate(case.t, x, w).reshape(n, 6).copy(), w.reshape(n, 6)
        if group is SO3xR3:  # v_s = R v, so v_s' = R (v' + omega x v)
            R = x.reshape(n, 12)[:, :9].reshape(n, 3, 3)
            a[:, 3:] = np.einsum("nji,nj->ni", R, a[:, 3:])
            a[:, 3:] -= np.cross(own[:, :3], np.einsum("nji,nj->ni", R, own[:, 3:]))
        agree(f"loops: {group.name}", a, motion.a[1:], allowed)


def test_accelerations_keep_the_loops_closed(seed, loops, any_case, agree):
    """The gaps of a parabola through the state grow with the third power of time; by second differences, 1e-4 s."""
    found = loops(seed, any_case(seed))
    if found is None:
        return
    case, model, q, v = found
    total = case.x + algorithms.passive_force(model, q, v)
    a = multibody_system(model, q, v, total, f_ext=case.f, t=case.t).solve().qdd
    h = 1e-4

    def gap(s):
        there = model.integrate(q, s * v + 0.5 * s**2 * a)
        poses = algorithms.forward_kinematics(model, there, None, t=case.t + s).poses
        x = np.column_stack([poses[1:, :3, :3].reshape(-1, 9), poses[1:, :3, 3]]).ravel()
        return bodies.constraint_error(x, case.t + s)

    bodies = SE3(model, reference="body")
    scale = 1.0 + np.abs(a).max() + np.abs(v).max() ** 2
    agree("loops: gaps", gap(0.0), 0.0 * gap(0.0), 1e-13, 1.0)
    agree("loops: gaps' rates", (gap(h) - gap(-h)) / (2 * h), 0.0 * gap(h), 1e-7, scale)
    agree("loops: gaps' second rates", (gap(h) - 2 * gap(0.0) + gap(-h)) / h**2, 0.0 * gap(h), 1e-5, scale)


def test_loops_do_no_work(seed, loops, any_case, agree):
    found = loops(seed, any_case(seed))
    if found is None or not found[0].free_in_time:
        return
    case, model, q, v = found
    total = case.x + algorithms.passive_force(model, q, v)
    a = multibody_system(model, q, v, total, f_ext=case.f).solve().qdd
    balance = algorithms.power_balance(model, q, v, a, case.x, f_ext=case.f)
    scale = sum(abs(float(x)) for x in (balance.energy_rate, balance.applied, balance.external, balance.dissipated))
    agree("loops: power balance", balance.residual, 0.0, 1e-12, scale + np.abs(a).max())
