"""Kernels against Pinocchio directly: an independent code with other conventions.

Theirs puts linear parts first and the scalar of a quaternion last; a free joint has q = (position, quaternion).
"""

import numpy as np
import pinocchio as pin
import pytest

from rbdkit.engine import Kernels
from rbdkit.joints import Free, Prismatic, Revolute, Spherical
from rbdkit.library import random_tree
from rbdkit.model import Joint, Model

JOINTS = [Revolute([0.6, 0.0, 0.8]), Revolute("z"), Prismatic([0.0, 0.6, -0.8]), Spherical(), Free()]


def theirs(model: Model) -> tuple[pin.Model, list[Joint]]:
    other, carriers = pin.Model(), [0]
    other.gravity.linear = model.gravity
    for body in model.bodies[1:]:
        kind = body.joint.type
        made = {
            "revolute": lambda k: pin.JointModelRevoluteUnaligned(k.axis),
            "prismatic": lambda k: pin.JointModelPrismaticUnaligned(k.axis),
            "spherical": lambda k: pin.JointModelSpherical(),
            "free": lambda k: pin.JointModelFreeFlyer(),
        }[kind.kind](kind)
        carriers.append(other.addJoint(carriers[body.parent], made, pin.SE3(body.joint.placement), body.joint.name))
        inertia = pin.Inertia(body.inertia.mass, body.inertia.com, body.inertia.inertia_com)
        other.appendBodyToJoint(carriers[-1], inertia, pin.SE3.Identity())
    return other, list(model.joints[1:])


@pytest.mark.parametrize("backend", ["python", "llvm"])
@pytest.mark.parametrize("seed", range(4))
def test_dynamics(seed, backend, off):
    model = random_tree(seed, bodies=12, joints=JOINTS)
    other, joints = theirs(model)
    rng = np.random.default_rng(seed)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    place = {joint.name: other.joints[other.getJointId(joint.name)] for joint in joints}
    q_order, v_order = np.zeros(model.nq, int), np.zeros(model.nv, int)  # theirs[order] = ours
    for joint in joints:
        start, first = place[joint.name].idx_q, place[joint.name].idx_v
        q_order[joint.q_slice] = start + np.array({1: [0], 4: [3, 0, 1, 2], 7: [6, 3, 4, 5, 0, 1, 2]}[joint.nq])
        v_order[joint.v_slice] = first + np.array({1: [0], 3: [0, 1, 2], 6: [3, 4, 5, 0, 1, 2]}[joint.nv])
    q_, v_, x_ = np.empty(model.nq), np.empty(model.nv), np.empty(model.nv)
    q_[q_order], v_[v_order], x_[v_order] = q, v, x
    own, data = Kernels(model, backend), other.createData()
    # some thousand roundings; accelerations also lose what the condition of H makes of them
    assert off(own.rnea(q, v, x), pin.rnea(other, data, q_, v_, x_)[v_order]) < 1e-12
    assert off(own.aba(q, v, x), pin.aba(other, data, q_, v_, x_)[v_order]) < 1e-11
    poses, _ = own.forward_kinematics(q)
    pin.forwardKinematics(other, data, q_)
    for body in model.bodies[1:]:
        assert off(poses[body.index], data.oMi[other.getJointId(body.joint.name)].homogeneous) < 1e-12
