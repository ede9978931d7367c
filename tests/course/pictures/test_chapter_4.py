"""The pictures of chapter 4 tell the truth: their numbers by other routes, without a browser."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import rbdkit as rbd
from rbdkit.joints.joint_type import JointType, VectorJoint
from rbdkit.library import crank_slider
from rbdkit.library.showcase import joint_showcase
from rbdkit.model.graph import ConnectivityGraph, graph_of, regular_numberings, spanning_trees
from rbdkit_course.featherstone.pictures import dh_frames, gimbal_lock, joint_gallery
from rbdkit_course.featherstone.pictures import spanning_trees as chooser
from rbdkit_course.featherstone.pictures.graph_picture import all_numberings, node_places


def test_the_tree_chooser_shows_the_tree_that_is_chosen():
    playground = chooser.choose_tree(crank_slider())
    assert playground.values == {"tree": "J1, J2, J4", "numbering": 1.0, "body": 2.0}
    shown = dict(playground.picture.readout)
    assert (shown["N_L = N_J - N_B"], shown["chords"], shown["depth"]) == ("4 - 3 = 1", "J3", "2")
    playground.set(tree="J1, J4, J3", numbering=3.0, body=3.0)
    shown = dict(playground.picture.readout)
    assert shown["chords"] == "J2" and shown["numbering"] == "3 of 3"
    assert set(shown["one-chord cycles"].split()) == {"J1", "J2", "J3", "J4"}
    assert "Against the tree: J3" in playground.picture.note
    playground.set(tree="J1, J2, J3")
    assert dict(playground.picture.readout)["numbering"] == "1 of 1", "there is no third numbering of a chain"
    playground.close()


def texts(figure):
    return [[text.get_text() for text in ax.texts] for ax in figure.axes]


def test_the_table_beside_the_graph_has_the_sets():
    playground = chooser.choose_tree(crank_slider())
    playground.set(tree="J1, J2, J3", body=1.0)
    _, table = texts(playground.picture.figure)
    assert "{1, 2, 3}" in table and "{0, 1, 2, 3}" in table and table.count("∅") == 1
    playground.close()


def test_a_graph_with_two_joints_between_the_same_bodies_is_drawn():
    graph = ConnectivityGraph([("a", "world", "x"), ("b", "world", "x"), ("c", "y", "x")])
    playground = chooser.choose_tree(graph)
    playground.set(tree="b, c")
    assert dict(playground.picture.readout)["chords"] == "a"
    assert "<svg" in playground.panel.drawing
    playground.close()


def test_the_sheet_has_all_eight_numberings():
    """Numbers in the circles and parent arrays below, against those of the numberings."""
    graph = graph_of(crank_slider())
    found = [n for tree in spanning_trees(graph) for n in regular_numberings(tree)]
    figure = all_numberings(graph)
    axes = [ax for ax in figure.axes if ax.texts]
    assert len(axes) == len(found) == 8
    for ax, numbering in zip(axes, found, strict=True):
        assert ax.get_title() == f"λ = {list(numbering.parent[1:])}"
        drawn = {text.get_text(): text.get_position() for text in ax.texts}
        for body, place in node_places(graph).items():
            if body != "world":
                assert_allclose(drawn[str(numbering.number[body])], place)


def test_dh_frames_by_scipy():
    """Turn about x, go along x, turn about z, go along z, each by its own matrix."""
    alpha, a, theta, d = 0.4, 0.3, -0.8, 0.2
    picture = dh_frames.draw(alpha, a, theta, d)
    R = Rotation.from_euler("x", alpha) * Rotation.from_euler("z", theta)
    p = np.array([a, 0, 0]) + Rotation.from_euler("x", alpha).apply([0, 0, d])
    rows = np.array([[float(x) for x in row.split()] for _, row in picture.readout])
    assert_allclose(rows, np.column_stack([R.as_matrix(), p]), atol=6e-3)
    tips = [np.array(arrow.start) + arrow.vector for arrow in picture.arrows]
    for k in range(3):  # the axes of the second frame end where they should
        end = p + dh_frames.SIZE * R.as_matrix()[:, k]
        assert min(np.linalg.norm(tip - end) for tip in tips) < 1e-12
    lengths = [np.linalg.norm(arrow.vector) for arrow in dh_frames.draw(0.0, 0.0, 0.0, 0.0).arrows]
    assert lengths.count(0.0) == 4  # ways and turns of nothing, which are not drawn
    playground = dh_frames.dh_frames()
    playground.set(a=0.7, theta=1.0)
    assert playground.picture.readout[0][1].endswith("+0.70")
    playground.close()


@pytest.mark.parametrize("pitch", [0.0, 0.9, -1.4])
def test_conditions_of_both_inertia_matrices(pitch):
    """H = A^T I A with the angular velocity's dependence on the rates by differences of the rotation."""
    q, h = np.array([0.3, pitch, -0.2]), 1e-6
    R = Rotation.from_euler("ZYX", q).as_matrix()
    columns = []
    for e in h * np.eye(3):
        ahead, behind = (Rotation.from_euler("ZYX", q + s * e).as_matrix() for s in (1, -1))
        W = R.T @ (ahead - behind) / (2 * h)
        columns.append([W[2, 1], W[0, 2], W[1, 0]])
    A, I = np.array(columns).T, gimbal_lock.aircraft(rbd.Spherical()).bodies[2].inertia.inertia_com
    in_angles, in_quaternions = gimbal_lock.conditions(q)
    assert_allclose(in_angles, np.linalg.cond(A.T @ I @ A), rtol=1e-6)
    assert_allclose(in_quaternions, np.linalg.cond(I), rtol=1e-12)


def test_the_aircraft_and_its_axes():
    playground = gimbal_lock.gimbal_lock()
    playground.set(yaw=0.5, pitch=1.2, roll=0.3)
    arrows = playground.picture.arrows
    yaw, pitch, roll = ((np.array(arrow.start) + arrow.vector) / gimbal_lock.REACH for arrow in arrows)
    R = Rotation.from_euler("ZYX", [0.5, 1.2, 0.3])
    assert_allclose(yaw, [0, 0, 1])
    assert_allclose(pitch, Rotation.from_euler("z", 0.5).apply([0, 1, 0]), atol=1e-15)
    assert_allclose(roll, R.apply([1, 0, 0]), atol=1e-15)
    shown = dict(playground.picture.readout)
    assert shown["yaw and roll axes apart"] == f"{90 - np.degrees(1.2):.2f}°"
    playground.set(pitch=np.pi / 2)
    assert dict(playground.picture.readout)["q̇ for 1 rad/s about its z"] == "infinite"
    playground.close()


def all_types(base=JointType):
    for cls in base.__subclasses__():
        if cls.__module__.startswith("rbdkit."):
            yield from ([] if cls is VectorJoint else [cls])
            yield from all_types(cls)


def test_the_gallery_has_every_joint_and_shows_its_motion_subspace():
    """Every type but those without freedom of their own; arrows are the columns, the body moves along them."""
    model = joint_showcase()
    assert {type(joint.type) for joint in model.joints[1:]} == set(all_types()) - {rbd.Prescribed}
    playground = joint_gallery.joint_gallery()
    for name in playground.panel.sliders[0].choices:
        playground.set(joint=name, v_1=0.3, v_2=0.5, v_3=-0.2, v_4=0.4)
        picture, joint = playground.picture, model.joint(name)
        u = np.array([0.3, 0.5, -0.2, 0.4, 0.0, 0.0])[: joint.nv]
        expected = joint.type.integrate(joint.type.neutral(), u)
        rest = model.neutral()
        rest[joint.q_slice] = expected
        assert_allclose(picture.poses, rbd.forward_kinematics(model, rest).poses, atol=1e-15)
        assert picture.ellipsoids[0].node == model.body(f"stand of {name}").index
        S = joint.type.motion_subspace(expected)
        lengths = sorted(np.linalg.norm(arrow.vector) for arrow in picture.arrows)
        halves = [np.linalg.norm(half) for column in S.T for half in (column[:3], column[3:])]
        assert_allclose(lengths, sorted(0.3 * x for x in halves if x > 1e-9), atol=1e-12)
    playground.set(joint="rack and pinion")
    assert "has a velocity-product term" in playground.picture.note
    playground.set(joint="helical")
    assert "is zero" in playground.picture.note
    playground.close()
