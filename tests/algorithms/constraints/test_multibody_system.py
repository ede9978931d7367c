"""The equation of all bodies and joints against recursions, another assembly and the constraints of formulations."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import point_velocity
from rbdkit.algorithms.constraints import incidence, multibody_system
from rbdkit.errors import ModelError, StateError
from rbdkit.formulations import SE3
from rbdkit.library import planar_four_bar, random_state, random_tree
from rbdkit.library.mueller_terze import three_bar_linkage

pytestmark = pytest.mark.source("F3.17")


def four_bar(closing=None):
    """The linkage as it turns with the crank at 2 rad/s: the rates of the others from the velocity of the pin."""
    model = planar_four_bar(closing)
    q, (loop,) = model.neutral(), model.loops
    ends = ((loop.predecessor, loop.joint.placement), (loop.successor, loop.successor_placement))
    coupler, rocker = (
        np.array([point_velocity(model, q, v, model.bodies[i].name, at[:3, 3])[[0, 2]] for v in np.eye(3)]).T
        for i, at in ends
    )
    apart = coupler - rocker
    return model, q, np.array([2.0, *np.linalg.solve(apart[:, 1:], -2.0 * apart[:, 0])])


LOOPED = {
    "three-bar, ball joints": lambda: tuple(three_bar_linkage()),
    "four-bar, repeated constraints": four_bar,
    "four-bar, a ball in a groove": lambda: four_bar(rbd.SphereInCylinder("y")),
}


def test_incidence_of_a_four_bar_linkage():
    """Eq 3.69 by hand: crank and rocker on the ground, the coupler on the crank, the pin from coupler to rocker."""
    by_hand = np.array([[1, -1, 0, 0], [0, 1, 0, -1], [0, 0, 1, 1]])
    np.testing.assert_array_equal(incidence(planar_four_bar()), np.kron(by_hand, np.eye(6)))
    model = rbd.Model()
    model.add_body("a", joint=rbd.Free())
    model.add_loop("to the ground", "a", "world", rbd.Fixed())
    model.add_loop("to itself", "a", "a", rbd.Free())
    np.testing.assert_array_equal(incidence(model), np.kron([[1, -1, 0]], np.eye(6)))


@pytest.mark.parametrize("seed", range(4))
def test_trees(seed, off):
    """Accelerations of ABA, forces of RNEA; the condition number of the whole system is 1e3 to 1e4."""
    model = random_tree(seed, 17)
    q, v, tau = random_state(model, seed)
    f_ext = np.random.default_rng(seed).normal(size=(18, 6))
    system = multibody_system(model, q, v, tau, f_ext=f_ext)
    motion, forward = system.solve(), algorithms.aba(model, q, v, tau, f_ext=f_ext)
    inverse = algorithms.rnea(model, q, v, forward.qdd, f_ext=f_ext)
    assert off(motion.qdd, forward.qdd) < 1e-11
    assert off([motion.f[joint.name] for joint in model.joints[1:]], inverse.f[1:]) < 1e-11
    assert motion.n_ic == len(motion.lam) == sum(6 - joint.nv for joint in model.joints[1:])
    # Eq 3.74 as it is printed
    x = np.linalg.solve(system.matrix, system.right_hand_side)
    assert off(x[6 * 17 :], -motion.lam) < 1e-10
    f_J = system.T_a @ system.tau + system.T @ motion.lam  # Eq 3.73
    assert off(system.P @ f_J, system.I @ x[: 6 * 17] + system.p) < 1e-10  # Eqs 3.66, 3.70


def test_velocities_across_the_joints(off):
    """Eq 3.67: turned into successor coordinates they are S qd; what a joint resists, it does not do."""
    model = random_tree(3, 12)
    q, v, tau = random_state(model, 3)
    system = multibody_system(model, q, v, tau)
    assert np.abs(system.T.T @ system.v_J).max() < 1e-13
    assert off(system.T_a.T @ system.v_J, np.concatenate([v[joint.v_slice] for joint in model.joints[1:]])) < 1e-13


@pytest.mark.parametrize("name", LOOPED)
def test_loops(name, off):
    """Against assembly by divide and conquer, and the constraints of SE(3) in body coordinates."""
    model, q, v = LOOPED[name]()
    tau = np.random.default_rng(5).normal(size=model.nv)
    f_ext = np.random.default_rng(6).normal(size=(len(model.bodies), 6))
    motion = multibody_system(model, q, v, tau, f_ext=f_ext).solve()
    assembled = algorithms.divide_and_conquer(model, q, v, tau, f_ext=f_ext)
    assert off(motion.qdd, assembled.qdd) < 1e-9
    bodies = SE3(model, lambda t, x, w: tau, lambda t, x, w: f_ext, reference="body")
    x, w = bodies.state(q, v)
    assert off(motion.a[1:].ravel(), bodies.rate(0.0, x, w)) < 1e-9
    assert (len(motion.lam) - motion.n_ic == 3) == (name == "four-bar, repeated constraints")
    if len(motion.lam) == motion.n_ic:
        for joint, f in motion.f.items():
            assert off(f, assembled.f[joint], scale=10.0) < 1e-9
    loop = model.loops[0]  # its ends keep together
    system = multibody_system(model, q, v, tau, f_ext=f_ext)
    a_J = np.linalg.solve(system.I, system.P @ (system.T_a @ system.tau + system.T @ motion.lam) - system.p) @ system.P
    assert np.abs(system.T.T @ a_J + system.Tdot_v).max() < 1e-9 * np.abs(a_J).max()
    assert loop.joint.name in motion.f


def test_rotors_and_driven_joints(off):
    """What the section leaves out: inertia of rotors in a tree and in a loop, and joints that move as time says."""
    table = rbd.Prescribed(rbd.Revolute("z"), lambda t: ([np.sin(t)], [np.cos(t)], [-np.sin(t)]))
    model = rbd.Model()
    ball = rbd.Inertia(1.0, [0.1, 0.0, 0.2], 0.05 * np.eye(3))
    model.add_body("table", joint=table, inertia=ball)
    model.add_body("arm", "table", rbd.Universal(), [0.3, 0, 0], ball, armature=[0.2, 0.0])
    model.add_body("wrist", "arm", rbd.Revolute("y"), [0, 0, 0.4], ball, armature=0.1)
    q, v, tau = random_state(model, 2)
    motion, forward = (f(model, q, v, tau, t=0.7) for f in (multibody_system, algorithms.aba))
    assert off(motion.solve().qdd, forward.qdd) < 1e-12
    inverse = algorithms.rnea(model, q, v, forward.qdd, t=0.7)
    assert off(motion.solve().f["table_joint"], inverse.f[1]) < 1e-12
    # S^T f of a joint with a rotor is what the rotor leaves of tau
    assert off(inverse.S[3].T @ motion.solve().f["wrist_joint"], tau[2:] - 0.1 * forward.qdd[2:]) < 1e-12

    model, q, v = four_bar(rbd.SphereInCylinder("y"))
    geared = model.with_parameters({"crank_joint.armature": 0.3})
    tau = np.array([1.0, 0.0, 0.0])
    found = multibody_system(geared, q, v, tau).solve().qdd
    assert off(found, algorithms.divide_and_conquer(geared, q, v, tau).qdd) < 1e-11
    assert off(found, multibody_system(model, q, v, tau).solve().qdd) > 0.1


def test_a_model_without_bodies_has_nothing_to_solve():
    motion = multibody_system(rbd.Model(), np.zeros(0), np.zeros(0), np.zeros(0)).solve()
    assert motion.qdd.shape == (0,) and motion.a.tolist() == [[0.0] * 6] and motion.f == {}


def test_what_it_refuses(mimicking):
    with pytest.raises(ModelError, match=r"'c_joint', 'd_joint' mimic\(s\) another"):
        multibody_system(mimicking[0], np.zeros(2), np.zeros(2), np.zeros(2))
    model, q, v = four_bar()
    with pytest.raises(StateError, match="q leaves loop joint 'pin' open by"):
        multibody_system(model, q + [1e-4, 0.0, 0.0], v, np.zeros(3))
    with pytest.raises(StateError, match="qd opens loop joint 'pin' by"):
        multibody_system(model, q, v + [1e-4, 0.0, 0.0], np.zeros(3))
