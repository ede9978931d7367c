"""Another numbering or another spanning tree is the same system: nothing physical changes."""

from copy import copy
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import aba, crba, energy, forward_kinematics, rnea
from rbdkit.errors import ModelError
from rbdkit.formulations import SE3
from rbdkit.joints import Free, Reversed, Revolute, Spherical
from rbdkit.library import (
    crank_slider,
    joint_gallery,
    planar_four_bar,
    random_tree,
    satellite,
    uncommon_joints,
)
from rbdkit.model import Sphere
from rbdkit.model.graph import (
    graph_of,
    regular_numbering,
    regular_numberings,
    renumbered,
    spanning_tree,
    spanning_trees,
)
from rbdkit.spatial import plucker, se3
from rbdkit.spatial.inertia import Inertia

BOX = Inertia.box([0.3, 0.2, 0.1], mass=1.0)


def another_order(model, seed):
    """A regular numbering of the model's own tree, drawn at random."""
    (tree,) = spanning_trees(graph_of(model))
    rng, order, left = np.random.default_rng(seed), [], list(tree.graph.bodies)
    while left:
        ready = [body for body in left if tree.parent(body) not in left]
        order.append(ready[rng.integers(len(ready))])
        left.remove(order[-1])
    return regular_numbering(tree, order)


def dressed(model, seed):
    rng, values = np.random.default_rng(seed), {}
    for k, joint in enumerate(model.joints[1:]):
        for name in ("damping", "stiffness", "armature"):
            values[f"{joint.name}.{name}"] = rng.uniform(0.0, 1.0, joint.nv) * (k % 2) if joint.nv else None
        values[f"{joint.name}.rest"] = joint.type.random(rng) if joint.nv else None
    return model.with_parameters({name: value for name, value in values.items() if value is not None})


def where(old, new):
    """For each velocity of the new model its place in the old one, joint by joint by their names."""
    places = [np.arange(old.nv)[old.joint(joint.name).v_slice] for joint in new.joints[1:]]
    return np.concatenate(places).astype(int)


def off(found, expected):
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.mark.source("F4.03", "F4.04")
@pytest.mark.parametrize("seed", range(4))
def test_another_numbering_permutes_and_changes_nothing_else(seed):
    """qdd, H up to the permutation, energies, poses, inverse dynamics, with springs, dampers and rotors."""
    rng = np.random.default_rng(seed)
    joints = [*joint_gallery(rng), *uncommon_joints(rng)]
    model = dressed(random_tree(seed, len(joints), joints, branching=0.8), seed)
    made = renumbered(model, another_order(model, seed))
    assert [body.name for body in made.model.bodies] != [body.name for body in model.bodies]
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    tau = rng.normal(size=model.nv)
    q_new, v_new = made.state(q, v)
    place = where(model, made.model)
    assert_array_equal(v_new, v[place])
    H = crba(model, q).H
    round_off = 1e-14 * np.linalg.cond(H)
    assert off(crba(made.model, q_new).H, H[np.ix_(place, place)]) < 1e-13
    assert off(aba(made.model, q_new, v_new, tau[place]).qdd, aba(model, q, v, tau).qdd[place]) < round_off
    assert off(rnea(made.model, q_new, v_new, tau[place]).tau, rnea(model, q, v, tau).tau[place]) < 1e-12
    dissipative = algorithms.forward_dynamics(model, q, v, tau)[place]
    assert off(algorithms.forward_dynamics(made.model, q_new, v_new, tau[place]), dissipative) < round_off
    old, new = energy(model, q, v), energy(made.model, q_new, v_new)
    assert_allclose([new.kinetic, new.potential], [old.kinetic, old.potential], rtol=1e-12)
    order = [model.body(body.name).index for body in made.model.bodies]
    poses = forward_kinematics(model, q, v).poses[order]
    assert_allclose(forward_kinematics(made.model, q_new, v_new).poses, poses, atol=1e-12)


def floating(joints, seed):
    """A chain on a 6-DoF joint to the world, and a second 6-DoF joint, which constrains nothing, to its last body."""
    model = rbd.Model("floating chain", gravity=[0.5, -1.0, -9.0])
    rng = np.random.default_rng(seed)
    model.add_body("b0", joint=Free(), inertia=BOX.transformed(se3.random(rng)), joint_name="first")
    for k, joint in enumerate(joints, start=1):
        inertia = BOX.transformed(se3.random(rng))
        model.add_body(f"b{k}", f"b{k - 1}", joint, se3.random(rng), inertia, Sphere(0.1), f"j{k}")
    model.add_frame("tip", f"b{len(joints)}", se3.random(rng))
    model.add_loop("second", "world", f"b{len(joints)}", Free(), se3.random(rng), se3.random(rng))
    return model


def unlooped(model):
    """Without the second 6-DoF joint, which constrains nothing: algorithms for trees refuse whatever closes a loop."""
    tree = copy(model)
    tree.loops = ()
    return tree


def from_the_other_end(model):
    """The spanning tree that hangs on the second 6-DoF joint: it runs against every joint of the chain."""
    tree = spanning_tree(graph_of(model), [joint.name for joint in model.joints[2:]] + ["second"])
    return renumbered(model, regular_numbering(tree))


def every_joint():
    rng = np.random.default_rng(11)
    return [joint for joint in [*joint_gallery(rng), *uncommon_joints(rng)] if joint.nv < 6]


@pytest.mark.source("F4.04", "F4.24")
@pytest.mark.parametrize("joint", every_joint(), ids=lambda joint: repr(joint)[:40])
def test_every_joint_turned_round_lets_the_bodies_move_as_before(joint):
    """Another spanning tree of a floating pair, which runs against the joint: same accelerations of bodies and joint.

    The joint force acts as before, as the coordinates are the same; the body frames move, the bodies do not.
    """
    model = floating([joint], 3)
    made = from_the_other_end(model)
    turned = made.model.joint("j1")
    assert turned.type == (joint.joint if isinstance(joint, Reversed) else Reversed(joint))
    rng = np.random.default_rng(5)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), np.zeros(model.nv)
    own = model.joint("j1").v_slice
    tau[own] = rng.normal(size=joint.nv)
    q_new, v_new = made.state(q, v)
    tau_new = np.zeros(made.model.nv)
    tau_new[turned.v_slice] = tau[own]
    old, new = aba(unlooped(model), q, v, tau), aba(unlooped(made.model), q_new, v_new, tau_new)
    assert_allclose(new.qdd[turned.v_slice], old.qdd[own], rtol=0, atol=1e-11 * np.abs(old.qdd).max())
    for name in ("b0", "b1"):
        offset = made.offsets[name]
        i, k = model.body(name).index, made.model.body(name).index
        poses = forward_kinematics(model, q, v).poses[i], forward_kinematics(made.model, q_new, v_new).poses[k]
        assert_allclose(poses[1], poses[0] @ offset, atol=1e-13)
        X = plucker.from_pose(offset)
        assert_allclose(new.v[k], X @ old.v[i], rtol=0, atol=1e-12 * np.abs(old.v).max())
        assert_allclose(new.a[k], X @ old.a[i], rtol=0, atol=1e-11 * np.abs(old.a).max())
    energies = [(e.kinetic, e.potential) for e in (energy(model, q, v), energy(made.model, q_new, v_new))]
    assert_allclose(energies[1], energies[0], rtol=1e-12)
    assert_allclose(tip(made.model, q_new), tip(model, q), atol=1e-13)


def tip(model, q):
    frame = model.frame("tip")
    return forward_kinematics(model, q).poses[frame.body] @ frame.placement


@pytest.mark.source("F4.04", "F4.24")
@pytest.mark.parametrize("seed", range(3))
def test_a_long_chain_from_its_other_end(seed):
    """All joints of a chain reversed at once; what the joints feel of inertia is the same without the floating base.

    The Schur complement H_jj - H_jb H_bb^-1 H_bj of both models, the joints in opposite orders.
    """
    joints = every_joint()[seed::3]
    model = floating(joints, seed)
    made = from_the_other_end(model)
    rng = np.random.default_rng(seed)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    q_new, v_new = made.state(q, v)
    tau = np.append(np.zeros(6), rng.normal(size=model.nv - 6))
    place = np.concatenate(
        [np.arange(6), *(np.arange(model.nv)[model.joint(j.name).v_slice] for j in made.model.joints[2:])]
    )
    old = aba(unlooped(model), q, v, tau).qdd[place][6:]
    new = aba(unlooped(made.model), q_new, v_new, tau[place]).qdd[6:]
    felt = []
    for own, at in ((model, q), (made.model, q_new)):
        H = crba(own, at).H
        felt.append(H[6:, 6:] - H[6:, :6] @ np.linalg.solve(H[:6, :6], H[:6, 6:]))
    turned = place[6:] - 6
    assert off(felt[1], felt[0][np.ix_(turned, turned)]) < 1e-11
    assert off(new, old) < 1e-14 * max(np.linalg.cond(felt[0]), 1e3)


def tree_alone(model):
    """Without the 6-DoF loop joint, which does nothing."""
    tree = copy(model)
    tree.loops = ()
    return tree


@pytest.mark.source("F4.24")
def test_a_run_from_the_other_end_is_the_same_run():
    """Simulated: the bodies of both models fly the same way, to the error of the integrator."""
    rng = np.random.default_rng(2)
    joints = [rbd.RackAndPinion("y", 0.2), rbd.Universal("x", "z"), rbd.Planar("z"), Spherical()]
    model = floating(joints, 9)
    made = from_the_other_end(model)
    q, v = model.random_q(rng), 0.5 * rng.normal(size=model.nv)
    old = rbd.simulate(tree_alone(model), q, v, duration=0.2, dt=1e-3)
    new = rbd.simulate(tree_alone(made.model), *made.state(q, v), duration=0.2, dt=1e-3)
    for name, offset in made.offsets.items():
        assert_allclose(new.poses(name), old.poses(name) @ offset, atol=1e-9)


@pytest.mark.source("F4.03", "F4.04")
@pytest.mark.parametrize("make", [crank_slider, planar_four_bar], ids=["crank-slider", "four-bar"])
def test_every_spanning_tree_of_a_loop_moves_the_same(make):
    """From rest under gravity, for all numberings: joints reversed, chords opened, tree joints made chords."""
    model = make().with_parameters({"gravity": [4.0, 0.0, -9.0]})
    reference = rbd.simulate(model, model.neutral(), np.zeros(3), duration=0.1, dt=1e-3, formulation="se3")
    assert np.abs(reference.poses()[-1] - reference.poses()[0]).max() > 0.01
    count = 0
    for tree in spanning_trees(graph_of(model)):
        for numbering in islice(regular_numberings(tree), 1):
            made = renumbered(model, numbering)
            q, v = made.state(model.neutral())
            run = rbd.simulate(made.model, q, v, duration=0.1, dt=1e-3, formulation="se3")
            for name, offset in made.offsets.items():
                assert_allclose(run.poses(name), reference.poses(name) @ offset, atol=1e-9)
            assert made.model.loops[0].joint.name == tree.chords[0].name
            count += 1
    assert count == 4


@pytest.mark.source("F4.02", "F4.04")
def test_chords_that_become_tree_joints_find_their_coordinates_and_velocities():
    """The crank turns, the loop moves along: the joint that was opened moves as its frames do."""
    model = crank_slider()
    system = SE3(model)
    J = np.array(
        [
            system.index1(0.0, *system.state(model.neutral(), e)).J @ system.state(model.neutral(), e)[1]
            for e in np.eye(3)
        ]
    ).T
    v = np.linalg.svd(J)[2][-1]  # the one velocity of the tree that keeps the loop closed
    assert np.abs(J @ v).max() < 1e-14
    tree = spanning_tree(graph_of(model), ["J1", "J2", "J3"])
    made = renumbered(model, regular_numbering(tree))
    q_new, v_new = made.state(model.neutral(), v)
    old, new = forward_kinematics(model, model.neutral(), v), forward_kinematics(made.model, q_new, v_new)
    for name, offset in made.offsets.items():
        i, k = model.body(name).index, made.model.body(name).index
        assert_allclose(new.poses[k], old.poses[i] @ offset, atol=1e-14)
        assert_allclose(new.velocities[k], plucker.from_pose(offset) @ old.velocities[i], atol=1e-13)


@pytest.mark.source("F4.04")
def test_a_loop_stays_where_it_was_on_a_body_that_hangs_elsewhere():
    """Two loops: the first becomes a tree joint, which moves the frame of the body on which the other one ends."""
    rng = np.random.default_rng(6)
    model, poses = rbd.Model("three"), {}
    for name in "abc":
        poses[name] = se3.random(rng)
        model.add_body(name, joint=Revolute("z"), placement=poses[name], inertia=BOX)
    ends = {"ac": se3.random(rng), "bc": se3.random(rng)}  # where the frames of the loops meet
    for (p, s), T in zip(ends, ends.values(), strict=True):
        model.add_loop(p + s, p, s, Revolute("x"), se3.inverse(poses[p]) @ T, se3.inverse(poses[s]) @ T)
    tree = spanning_tree(graph_of(model), ["a_joint", "b_joint", "ac"])
    made = renumbered(model, regular_numbering(tree)).model
    new = forward_kinematics(made, made.neutral()).poses
    assert {loop.joint.name for loop in made.loops} == {"bc", "c_joint"}
    for loop in made.loops:
        T = ends.get(loop.joint.name, poses["c"])
        assert_allclose(new[loop.predecessor] @ loop.joint.placement, T, atol=1e-14)
        assert_allclose(new[loop.successor] @ loop.successor_placement, T, atol=1e-14)


@pytest.mark.source("F4.04")
def test_the_dish_as_the_floating_base():
    """Either body of the satellite may be the floating base: joined to the planet by its own 6-DoF joint."""
    model = satellite()
    model.add_loop("to_dish", "world", "dish", Free())
    made = renumbered(model, regular_numbering(spanning_tree(graph_of(model), ["to_dish", "J2"])))
    assert [body.name for body in made.model.bodies] == ["world", "dish", "hull"]
    assert made.model.joint("J2").type == Reversed(Revolute("y"))
    assert made.model.loops[0].joint.name == "J1"
    back = renumbered(made.model, regular_numbering(spanning_tree(graph_of(made.model), ["J1", "J2"])))
    assert back.model.joint("J2").type == Revolute("y")
    assert_allclose(back.model.joint("J2").placement, model.joint("J2").placement, atol=1e-15)
    assert_allclose(back.model.I[2], model.I[2], atol=1e-13)


@pytest.mark.source("F4.04")
def test_what_cannot_be_done_is_said():
    model = crank_slider().with_parameters({"J1.armature": 0.1})
    tree = spanning_tree(graph_of(model), ["J2", "J3", "J4"])
    with pytest.raises(
        ModelError, match="joint 'J1' has armature, which a loop joint cannot have; keep it in the tree"
    ):
        renumbered(model, regular_numbering(tree))
    with pytest.raises(ModelError, match="the numbering is of another graph"):
        renumbered(planar_four_bar(), regular_numbering(tree))
