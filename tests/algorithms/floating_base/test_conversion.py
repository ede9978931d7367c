"""Floating base to six-freedom joint and back."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import floating_base
from rbdkit.errors import ModelError

BOX = rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0)


@pytest.mark.source("F9.05")
@pytest.mark.parametrize("seed", range(4))
def test_there_and_back(seed, floater, off):
    """Same bodies, one number lower, and the same accelerations when the model is rebuilt on another free joint."""
    case = floater(seed)
    model, system = case.model, case.system
    assert [body.name for body in system.tree.bodies[1:]] == [body.name for body in model.bodies[2:]]
    assert system.tree.parent[1:] == tuple(p - 1 for p in model.parent[2:])
    assert (system.tree.nv, system.name) == (model.nv - 6, "base")
    again = algorithms.to_fixed_base(system)
    assert again.parent == model.parent
    assert [joint.name for joint in again.joints] == [joint.name for joint in model.joints]
    q, v = algorithms.to_fixed_state(algorithms.to_floating_state(model, case.q, case.v))
    poses = rbd.forward_kinematics(model, case.q).poses
    assert off(rbd.forward_kinematics(again, q).poses, poses) < 1e-13
    expected = rbd.aba(model, case.q, case.v, case.tau, f_ext=case.f_world)
    assert off(rbd.aba(again, q, v, case.tau, f_ext=case.f_world), expected) < 1e-10
    twice = algorithms.to_floating_base(again)
    assert np.array_equal(twice.inertias, system.inertias)


@pytest.mark.source("F9.05")
def test_frames_and_mimic_joints_come_along():
    model = rbd.Model()
    model.add_body("ship", joint=rbd.Free(), inertia=BOX, joint_name="sea")
    model.add_body("mast", "ship", rbd.Revolute(), inertia=BOX)
    model.add_body("boom", "mast", rbd.Revolute(), inertia=BOX, mimic=rbd.Mimic("mast_joint", 2.0))
    model.add_frame("deck", "ship", [0.0, 0.0, 1.0])
    model.add_frame("tip", "boom", [1.0, 0.0, 0.0])
    system = algorithms.to_floating_base(model)
    assert [(frame.name, frame.body) for frame in system.tree.frames] == [("deck", 0), ("tip", 2)]
    assert system.tree.joint("boom_joint").mimic == rbd.Mimic("mast_joint", 2.0)
    again = algorithms.to_fixed_base(system)
    assert [(frame.name, frame.body) for frame in again.frames] == [("deck", 1), ("tip", 3)]
    assert again.joints[1].name == "sea"
    assert again.nv == model.nv == 7
    assert "base 'ship' and 2 bodies, 1 + 6 freedoms" in repr(system)


def test_what_cannot_float():
    fixed = rbd.library.chain_pendulum(2)
    with pytest.raises(ModelError, match="world carries 'rod1' on a revolute joint"):
        algorithms.to_floating_base(fixed)
    with pytest.raises(ModelError, match="carries nothing"):
        algorithms.to_floating_base(rbd.Model("void"))
    moored = rbd.Model()
    moored.add_body("ship", joint=rbd.Free(), inertia=BOX, damping=1.0)
    with pytest.raises(ModelError, match="'ship_joint' has a damper"):
        algorithms.to_floating_base(moored)
    ghost = rbd.Model()
    ghost.add_body("ghost", joint=rbd.Free())
    with pytest.raises(ModelError, match="'ghost' is to be the floating base"):
        algorithms.to_floating_base(ghost)
    buoy = rbd.Model()
    buoy.add_body("ship", joint=rbd.Free(), inertia=BOX)
    buoy.add_frame("buoy", "world")
    with pytest.raises(ModelError, match="frame 'buoy' is fixed to the world"):
        algorithms.to_floating_base(buoy)
    tied = rbd.Model()
    tied.add_body("ship", joint=rbd.Free(), inertia=BOX)
    tied.add_loop("rope", "world", "ship", rbd.Spherical())
    with pytest.raises(ModelError, match="loop joint 'rope'"):
        algorithms.to_floating_base(tied)


def test_external_forces_by_name(floater):
    system = floater(0).system
    force = np.arange(6.0)
    rows = system.external_forces({"base": force, "b3": 2 * force})
    assert np.array_equal(rows[[0, 3]], [force, 2 * force])
    assert np.count_nonzero(rows.any(axis=1)) == 2
    with pytest.raises(ModelError, match="base is called 'base'"):
        system.external_forces({"world": force})


def test_the_package_offers_what_it_says():
    assert all(getattr(algorithms, name) is getattr(floating_base, name) for name in floating_base.__all__)
