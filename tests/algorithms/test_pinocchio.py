"""Every quantity against Pinocchio, on random trees of all joint types and on real robots.

Both sides add the same numbers in different order. 1e-12 relative is some thousand roundings: the products along chains
of 20 bodies need them; accelerations are solutions with H, so they are compared with what H can lose of them.
"""

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import random_state

ROUND_OFF = 1e-12
REFERENCES = {
    "body": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


ROBOTS = [pytest.param(name, marks=pytest.mark.robots) for name in ("ur5", "panda", "talos")]


@pytest.fixture(scope="module", params=[*range(50), *ROBOTS])
def twin(request, tree_twin, robot_twin):
    return robot_twin(request.param) if isinstance(request.param, str) else tree_twin(request.param)


@pytest.fixture
def state(twin):
    return random_state(twin.model, 1)


@pytest.mark.source("F4.08")
def test_poses_and_velocities(twin, state, off):
    q, v, _ = state
    found = rbd.forward_kinematics(twin.model, q, v)
    pin.forwardKinematics(twin.other, twin.data, twin.q(q), twin.v(v))
    pin.updateFramePlacements(twin.other, twin.data)
    for body in twin.model.bodies[1:]:
        frame = twin.frame(body.name)
        assert off(found.pose(body.name), twin.data.oMf[frame].homogeneous) < ROUND_OFF
        theirs = pin.getFrameVelocity(twin.other, twin.data, frame)
        assert off(found.velocity(body.name), np.concatenate([theirs.angular, theirs.linear])) < ROUND_OFF


@pytest.mark.source("F3.01", "F5.04", "F5.05")
def test_rnea_with_external_forces(twin, state, off):
    q, v, a = state
    rng = np.random.default_rng(2)
    f_ext = {body.name: rng.normal(size=6) for body in twin.model.bodies[1:]}
    theirs = pin.rnea(twin.other, twin.data, twin.q(q), twin.v(v), twin.v(a))
    assert off(rbd.rnea(twin.model, q, v, a), twin.back(theirs)) < ROUND_OFF
    pin.framesForwardKinematics(twin.other, twin.data, twin.q(q))
    forces = [pin.Force.Zero() for _ in range(twin.other.njoints)]
    for name, force in f_ext.items():  # theirs act in the axes of the joint that carries the body
        joint = twin.other.frames[twin.frame(name)].parentJoint
        forces[joint] += twin.data.oMi[joint].actInv(pin.Force(force[3:], force[:3]))
    theirs = pin.rnea(twin.other, twin.data, twin.q(q), twin.v(v), twin.v(a), pin.StdVec_Force(forces))
    assert off(rbd.rnea(twin.model, q, v, a, f_ext=f_ext), twin.back(theirs)) < ROUND_OFF


@pytest.mark.source("F6.04")
def test_crba(twin, state, off):
    H = np.triu(pin.crba(twin.other, twin.data, twin.q(state[0])))  # only this half of theirs is filled in
    assert off(rbd.crba(twin.model, state[0]), twin.matrix_back(H + np.triu(H, 1).T)) < ROUND_OFF


@pytest.mark.source("F3.01", "F7.07")
def test_aba(twin, state):
    q, v, tau = state
    difference = rbd.aba(twin.model, q, v, tau) - twin.back(
        pin.aba(twin.other, twin.data, twin.q(q), twin.v(v), twin.v(tau))
    )
    H = rbd.crba(twin.model, q)
    forces = np.abs(H) @ np.abs(rbd.aba(twin.model, q, v, tau)) + np.abs(rbd.bias_force(twin.model, q, v)) + np.abs(tau)
    # the difference belongs to a change of the forces in the last digits
    assert np.max(np.abs(H @ difference)) < ROUND_OFF * np.max(forces)


@pytest.mark.source("F2.10", "F4.06")
@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobians(twin, state, off, reference):
    pin.computeJointJacobians(twin.other, twin.data, twin.q(state[0]))
    pin.updateFramePlacements(twin.other, twin.data)
    for body in twin.model.bodies[1::4]:
        J = pin.getFrameJacobian(twin.other, twin.data, twin.frame(body.name), REFERENCES[reference])
        assert off(rbd.jacobian(twin.model, state[0], body.name, reference), twin.jacobian_back(J)) < ROUND_OFF


@pytest.mark.source("F2.20")
@pytest.mark.parametrize("reference", REFERENCES)
def test_bias_accelerations(twin, state, off, reference):
    """Jdot v: in the aligned reference it is that of a point, which Pinocchio calls classical."""
    q, v, _ = state
    pin.forwardKinematics(twin.other, twin.data, twin.q(q), twin.v(v), np.zeros(twin.other.nv))
    pin.updateFramePlacements(twin.other, twin.data)
    acceleration = pin.getFrameClassicalAcceleration if reference == "aligned" else pin.getFrameAcceleration
    for body in twin.model.bodies[1::4]:
        a = acceleration(twin.other, twin.data, twin.frame(body.name), REFERENCES[reference])
        found = rbd.bias_acceleration(twin.model, q, v, body.name, reference)
        assert off(found, np.concatenate([a.angular, a.linear]), scale=np.max(v**2)) < ROUND_OFF


def test_centre_of_mass_momentum_and_energy(twin, state, off):
    q, v, _ = state
    com = pin.centerOfMass(twin.other, twin.data, twin.q(q))
    assert off(rbd.center_of_mass(twin.model, q), com) < ROUND_OFF
    J = pin.jacobianCenterOfMass(twin.other, twin.data, twin.q(q))
    assert off(algorithms.center_of_mass_jacobian(twin.model, q), J[:, twin.order]) < ROUND_OFF
    h = pin.computeCentroidalMomentum(twin.other, twin.data, twin.q(q), twin.v(v))
    assert off(rbd.momentum(twin.model, q, v, about="com"), np.concatenate([h.angular, h.linear])) < ROUND_OFF
    A = pin.computeCentroidalMap(twin.other, twin.data, twin.q(q))
    assert off(algorithms.momentum_matrix(twin.model, q, about="com"), twin.jacobian_back(A)) < ROUND_OFF
    energy = rbd.energy(twin.model, q, v)
    assert off(energy.kinetic, pin.computeKineticEnergy(twin.other, twin.data, twin.q(q), twin.v(v))) < ROUND_OFF
    still = rbd.energy(without_welded(twin.model), q, v).gravitational
    assert off(still, pin.computePotentialEnergy(twin.other, twin.data, twin.q(q))) < ROUND_OFF


def without_welded(model):
    """Pinocchio does not count what is welded to the world."""
    welded = [b for b in model.bodies[1:] if b.inertia and all(model.joints[j].nv == 0 for j in model.support(b.index))]
    nothing = {"mass": 0.0, "inertia": np.zeros((3, 3))}
    return model.with_parameters({f"{body.name}.{name}": nothing[name] for body in welded for name in nothing})


def test_rotors(tree_twin, twin_of, off):
    model = tree_twin(3, 8).model
    rng = np.random.default_rng(3)
    geared = model.with_parameters({f"{j.name}.armature": rng.uniform(0.1, 1.0, j.nv) for j in model.joints if j.nv})
    twin, (q, v, a) = twin_of(geared), random_state(geared, 3)
    theirs = pin.rnea(twin.other, twin.data, twin.q(q), twin.v(v), twin.v(a))
    assert off(rbd.rnea(geared, q, v, a), twin.back(theirs)) < ROUND_OFF
    assert off(rbd.aba(geared, q, v, twin.back(theirs)), a) < 10 * ROUND_OFF
