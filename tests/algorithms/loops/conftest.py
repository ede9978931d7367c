"""Random trees with loops of all joint types, closed, at states that keep them closed."""

from dataclasses import dataclass

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.joints import Prescribed, Reversed
from rbdkit.library import joint_gallery, random_tree, uncommon_joints
from rbdkit.model import Model
from rbdkit.spatial import se3

WELL_CONDITIONED = 1e3
TIME = 0.4


@dataclass(frozen=True)
class Looped:
    """A model with loops at a state that closes them. gaps : (q, t) -> position errors, by kinematics alone."""

    model: Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray
    t: float

    @property
    def args(self):
        return self.model, self.q, self.v, self.tau, self.f_ext

    def gaps(self, q, t):
        poses = algorithms.forward_kinematics(self.model, q, t=t).poses
        found = [np.zeros(0)]
        for loop in self.model.loops:
            near, far = poses[loop.predecessor] @ loop.joint.placement, poses[loop.successor] @ loop.successor_placement
            found.append(loop.joint.type.calc_loop(np.linalg.inv(se3.adjoint(se3.inverse(near) @ far)), t)[0])
        return np.concatenate(found)

    def moved(self, a, s):
        """q after s seconds with the acceleration a, to the third power of s."""
        return self.model.integrate(self.q, s * self.v + 0.5 * s**2 * a)


def loop_kinds(rng):
    """All that a loop may be closed with, from both ends, and one that moves by itself."""
    kinds = [kind for kind in (*joint_gallery(rng), *uncommon_joints(rng)) if kind.nv < 6]
    kinds += [Reversed(kind) for kind in kinds if not isinstance(kind, Reversed)]
    turning = Prescribed(
        rbd.Universal("x", "z"), lambda t: ([np.sin(t), 0.3 * t**2], [np.cos(t), 0.6 * t], [-np.sin(t), 0.6])
    )
    return [*kinds, turning, Reversed(turning)]


def tame(kind, q):
    """Euler angles as poses tell them: pitch from -pi/2 to pi/2, and not near the ends."""
    if kind.nv and getattr(kind, "joint", kind).kind == "euler_spherical":
        q[1] /= 2.5
    return q


def tree_of(seed, rng, special):
    """A tree; a joint follows another one and one is driven, if they may."""
    model = random_tree(seed, int(rng.integers(7, 12)), [*joint_gallery(rng), *uncommon_joints(rng)], 0.3)
    if special:
        leader = next((joint for joint in model.joints if joint.nq == 1), None)
        box, at = rbd.Inertia.box([0.3, 0.2, 0.4], mass=1.5), se3.random(rng)
        if leader is not None:
            after = rbd.Mimic(leader.name, -1.3, 0.2)
            model.add_body("follower", model.bodies[-1].name, rbd.Helical("y", 0.3), at, box, mimic=after)
        drive = Prescribed(rbd.Cylindrical("x"), lambda t: ([t, 0.2 * t**2], [1.0, 0.4 * t], [0.0, 0.4]))
        model.add_body("driven", model.bodies[2].name, drive, at, box)
        model.add_body("hinged", "driven", rbd.Revolute("y"), at, box)
    return model


def close(model, rng, loops, kinds, t):
    """q with loops closed there by where their frames are put; None where the loops leave no freedom."""
    q = model.random_q(rng)
    for joint in model.joints:
        if joint.mimic is None:
            q[joint.q_slice] = tame(joint.type, q[joint.q_slice])
    poses = algorithms.forward_kinematics(model, q, t=t).poses
    for k in range(loops):
        i, j = rng.choice(len(model.bodies), 2, replace=False)
        kind = kinds[rng.integers(len(kinds))]
        own = tame(kind, kind.random(rng))
        P = se3.pose(se3.random(rng)[:3, :3], rng.uniform(-0.3, 0.3, 3))
        S = se3.inverse(poses[j]) @ poses[i] @ P @ kind.pose(own, t)
        model.add_loop(f"loop {k}", model.bodies[i], model.bodies[j], kind, P, S)
    return q


@pytest.fixture(scope="session")
def looped():
    """(seed, special) -> Looped, with 1 to 4 loops; special: with joints that follow and that are driven."""
    kept = {}

    def make(seed, special=False):
        if (seed, special) not in kept:
            kept[seed, special] = _make(seed, special)
        return kept[seed, special]

    return make


def _make(seed, special):
    rng = np.random.default_rng((8, seed))
    kinds = loop_kinds(rng)
    for _ in range(200):
        model = tree_of(seed, rng, special)
        q = close(model, rng, int(rng.integers(1, 5)), kinds, TIME)
        constraint = algorithms.loops.loop_constraint(model, q, rng.normal(size=model.nv), t=TIME)
        if constraint.n_c > model.nv - 1 or np.linalg.cond(constraint.K) > WELL_CONDITIONED:
            continue
        v = rng.normal(size=model.nv)
        v = v - np.linalg.pinv(constraint.K) @ algorithms.loops.loop_constraint(model, q, v, t=TIME).delta_dot
        return Looped(model, q, v, rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6)), TIME)
    raise AssertionError(f"no loops for seed {seed}")
