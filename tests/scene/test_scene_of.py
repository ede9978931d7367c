"""What is drawn for a model."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import forward_kinematics
from rbdkit.errors import ModelError, StateError
from rbdkit.joints import Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from rbdkit.library import double_pendulum, random_tree
from rbdkit.model import Box, Geometry, Model, Sphere
from rbdkit.scene import equimomental, glyphs, palette, scene_of
from rbdkit.scene.bounds import Sizes, sizes, span
from rbdkit.scene.coils import coil
from rbdkit.scene.grid import grid_under
from rbdkit.scene.joint_axes import joint_mark
from rbdkit.scene.stick import joint_points
from rbdkit.spatial.inertia import Inertia

POINT = Inertia(1.0, [0.0, 0.0, -0.3])


def linkage() -> Model:
    """A body with two children, one of them a leaf with a tip frame, and a loop."""
    model = Model("linkage")
    model.add_body("a", joint=Revolute("y"), inertia=POINT)
    model.add_body("b", "a", Revolute("y"), [0.2, 0, -0.4], POINT)
    model.add_body("c", "a", Revolute("y"), [-0.2, 0, -0.4], POINT)
    model.add_frame("tip", "b", [0, 0, -0.5])
    model.add_loop("pin", "a", "c", Revolute("y"), [0, 0, -0.8], [0.1, 0, -0.2])
    return model


def layer(scene, name):
    return {part.node: part.surface for part in scene.parts if part.layer == name}


def test_stick_figure_joins_every_pair_of_joint_frames():
    model = linkage()
    points = {body.name: np.array(joint_points(model, body.index)[0]).tolist() for body in model.bodies[1:]}
    assert points["a"] == [[0, 0, 0], [0.2, 0, -0.4], [-0.2, 0, -0.4], [0, 0, -0.8]]  # own, two children, loop
    assert points["b"] == [[0, 0, 0], [0, 0, -0.5]]  # own and tip frame, instead of the centre of mass
    assert points["c"] == [[0, 0, 0], [0.1, 0, -0.2]]  # own and loop
    bodies = layer(scene_of(model), "bodies")
    count = {name: len(bodies[model.body(name).index].faces) for name in "abc"}
    assert count["b"] == count["c"]  # one rod, two balls
    ball = len(glyphs.ball(np.zeros(3), 1.0).faces)
    rod = count["b"] - 2 * ball
    assert count["a"] == 6 * rod + 4 * ball  # a rod between each pair of four points


def test_a_leaf_without_tip_ends_in_a_bob_at_its_centre_of_mass():
    model = Model("pendulum")
    model.add_body("rod", joint=Revolute("y"), inertia=POINT)
    points, bob = joint_points(model, 1)
    assert np.array(points).tolist() == [[0, 0, 0], [0, 0, -0.3]] and bob.tolist() == [0, 0, -0.3]
    assert scene_of(model).trails[0].point == (0.0, 0.0, -0.3)


def test_a_body_that_is_all_inertia_becomes_the_cuboid_that_has_it():
    model = Model("brick")
    model.add_body("brick", joint=Free(), inertia=Inertia.box([0.3, 0.2, 0.1], mass=2.0))
    surface = layer(scene_of(model), "bodies")[1]
    assert np.sort(np.ptp(surface.vertices, axis=0)) == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.parametrize(("solid", "made"), [("ellipsoid", Inertia.ellipsoid), ("cuboid", Inertia.box)])
def test_equimomental_solids_have_the_inertia_they_are_made_from(solid, made):
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.normal(size=(2, 3, 3))
        inertia = Inertia(1.7, rng.normal(size=3), sum(np.eye(3) * (v @ v) - np.outer(v, v) for v in (*a, *b)))
        sizes, pose = getattr(equimomental, solid)(inertia)
        again = made(sizes, mass=1.7).transformed(pose)
        assert again.inertia_com == pytest.approx(
            inertia.inertia_com, rel=1e-12, abs=1e-12 * np.trace(inertia.inertia_com)
        )
        assert again.com == pytest.approx(inertia.com, abs=1e-12)
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


def test_geometry_is_drawn_as_given_and_frames_are_then_hidden():
    model = double_pendulum()
    scene = scene_of(model)
    visible = {name.name: name.visible for name in scene.layers}
    assert visible["bodies"] and not visible["frames"]
    assert {name.name: name.visible for name in scene_of(linkage()).layers}["frames"]
    capsule = layer(scene, "bodies")[1]
    assert capsule.vertices.min(axis=0) == pytest.approx([-0.03, -0.03, -1.03])
    assert capsule.colors[0] == pytest.approx(palette.rgb(palette.body_color(1)))


def test_bodies_take_the_colours_in_turn_and_the_world_is_grey():
    n = len(palette.BODIES)
    assert [palette.body_color(i) for i in range(2 * n + 1)] == [palette.GROUND, *palette.BODIES, *palette.BODIES]


def test_color_opacity_and_collision():
    model = Model("glass")
    shapes = [
        Geometry(Box((1, 1, 1)), color=(1.0, 0.0, 0.0)),
        Geometry(Sphere(0.5), color=(0.0, 0.0, 1.0, 0.25)),
        Geometry(Sphere(0.6), color=(0.0, 0.0, 1.0, 0.0)),
        Geometry(Sphere(0.7), role="collision"),
    ]
    model.add_body("pane", geometry=shapes)
    bodies = [part for part in scene_of(model).parts if part.layer == "bodies"]
    assert [part.opacity for part in bodies] == [1.0, 0.25]  # what is wholly transparent is not drawn
    assert bodies[0].surface.colors[0].tolist() == [1.0, 0.0, 0.0]
    assert "collision" not in [name.name for name in scene_of(model).layers]
    contact = layer(scene_of(model, collision=True), "collision")[1]
    assert contact.vertices.max() == pytest.approx(0.7)


def test_bodies_without_geometry_in_a_model_that_has_some():
    model = double_pendulum()
    model.add_body("tool", "rod2", placement=[0, 0, -1.0])
    model.add_body("mass", "rod2", Revolute("y"), [0, 0, -1.0], POINT)
    bodies = layer(scene_of(model), "bodies")
    assert model.body("tool").index not in bodies  # a frame in disguise
    assert model.body("mass").index in bodies
    assert model.body("tool").index in layer(scene_of(model), "frames")


def test_nodes_are_bodies_in_the_poses_asked_for():
    model = random_tree(5, bodies=12)
    q = model.random_q(1)
    scene = scene_of(model, q)
    assert scene.nodes == tuple(body.name for body in model.bodies)
    assert np.array_equal(scene.poses, forward_kinematics(model, q).poses)
    assert [label.text for label in scene.labels] == list(scene.nodes[1:])
    with pytest.raises(StateError):
        scene_of(model, q[:-1])


def test_every_joint_type_gets_a_mark_on_its_axis():
    for joint, freedoms in ((Revolute("x"), 1), (Prismatic("y"), 1), (Helical("z", pitch=0.1), 1), (Spherical(), 3),
                            (Universal("x", "y"), 2), (Planar(), 3)):  # fmt: skip
        model = Model("one")
        model.add_body("body", joint=joint)
        mark = joint_mark(model, 1, model.neutral(), 1.0)
        assert mark is not None and joint.nv == freedoms
        assert np.abs(mark.vertices).max() < 1.5
    model = Model("two")
    model.add_body("fixed")
    model.add_body("free", joint=Free())
    assert joint_mark(model, 1, model.neutral(), 1.0) is None and joint_mark(model, 2, model.neutral(), 1.0) is None


def test_trails_on_request_and_their_errors():
    model = linkage()
    assert [trail.node for trail in scene_of(model).trails] == [2, 3]
    trails = scene_of(model, trails=["tip", "a"]).trails
    assert [(trail.node, trail.point) for trail in trails] == [(2, (0.0, 0.0, -0.5)), (1, (0.0, 0.0, 0.0))]
    assert scene_of(model, trails=[]).trails == ()
    with pytest.raises(ModelError, match=r"'tipp'.*did you mean"):
        scene_of(model, trails=["tipp"])


def test_outline_holds_everything_and_the_grid_lies_below():
    model = double_pendulum()
    scene = scene_of(model, [0.5, 0.3])
    world = np.concatenate(
        [
            p.surface.vertices @ scene.poses[p.node, :3, :3].T + scene.poses[p.node, :3, 3]
            for p in scene.parts
            if p.layer in ("bodies", "supports")
        ]
    )
    # a capsule's outline has 26 points: turned, its round end of radius 0.03 may fall short by 1 - cos(pi / 8) of that
    assert scene.outline.min(axis=0) == pytest.approx(world.min(axis=0), abs=0.08 * 0.03)
    assert scene.outline.max(axis=0) == pytest.approx(world.max(axis=0), abs=0.08 * 0.03)
    assert scene.grid.height == pytest.approx(world[:, 2].min(), abs=0.08 * 0.03)
    assert 0.5 * scene.size / 8 < scene.grid.spacing < 2 * scene.size / 8


def test_a_scene_of_one_point_has_the_grid_of_one_that_is_a_metre_long():
    assert grid_under(np.zeros((2, 3))).spacing == grid_under(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])).spacing


def test_bodies_about_one_point_are_taken_for_as_large_as_they_are():
    """A ball of radius r is 2 r wide, the diagonal of the box about it 2 sqrt(3) r."""
    model, r = Model("top"), 0.2
    model.add_body("ball", joint=Revolute("z"), inertia=Inertia.sphere(r, mass=3.0))
    assert 2.0 * r < sizes(model, np.tile(np.eye(4), (2, 1, 1)), None).extent < 2.0 * np.sqrt(3.0) * r


def test_marks_are_in_proportion():
    for scale in (1e-3, 1.0, 1e3):
        marks = Sizes(extent=3.0 * scale, link=1.0 * scale)
        assert marks.rod / scale == pytest.approx(0.048) and marks.axes / scale == pytest.approx(0.36)


@pytest.mark.parametrize(
    "model", [Model("empty"), linkage(), random_tree(1), random_tree(2, bodies=1)], ids=lambda m: m.name
)
def test_any_model_has_a_scene_of_finite_numbers(model):
    scene = scene_of(model)
    assert all(
        np.isfinite(part.surface.vertices).all() and np.isfinite(part.surface.normals).all() for part in scene.parts
    )
    assert span(scene.outline) > 0.0 and scene.grid.spacing > 0.0


def test_springs_are_bands_between_points_of_bodies():
    model = rbd.library.pendulum()
    rod = model.bodies[1].name
    model.add_frame("hook", rod, [0.0, 0.1, -0.5])
    assert "forces" not in [layer.name for layer in scene_of(model).layers]
    model.add_force("band", rbd.Spring("hook", "world", 20.0, at_a=(0.1, 0.0, 0.0), at_b=(3.0, 0.0, 1.0)))
    model.add_force("grease", rbd.JointFriction(model.joints[1].name, 0.1))
    scene = scene_of(model)
    (band,) = scene.bands
    assert band.nodes == (1, 0)
    assert band.points == ((0.1, 0.1, -0.5), (3.0, 0.0, 1.0))
    wall = next(
        part.surface for part in scene.parts if part.layer == "supports" and part.surface.vertices[:, 0].max() > 2.0
    )
    assert scene.outline[:, 0].max() == wall.vertices[:, 0].max() >= 3.0  # the far end is in the picture, and its wall
    x = band.surface.vertices[:, 0]
    assert abs(x.min()) < 0.1
    assert abs(x.max() - 1.0) < 0.1
    assert np.linalg.norm(band.surface.normals, axis=1) == pytest.approx(1.0)


def test_rods_are_lines_between_points_of_bodies():
    model = rbd.library.pendulum()
    model.add_constraint("stay", rbd.Distance("rod", "world", 3.0, at_a=(0.1, 0.0, 0.0), at_b=(3.0, 0.0, 1.0)))
    model.add_constraint("table", rbd.PointOnPlane("rod", "world"))  # nothing is drawn of it
    (band,) = scene_of(model).bands
    assert band.nodes == (1, 0)
    assert band.points == ((0.1, 0.0, 0.0), (3.0, 0.0, 1.0))
    around = np.hypot(*band.surface.vertices[:, 1:].T)
    assert np.ptp(around) < 1e-12 * around.max()  # straight, of one thickness
    assert (band.surface.vertices[:, 0].min(), band.surface.vertices[:, 0].max()) == (0.0, 1.0)


def test_the_wire_of_a_coil_is_a_tube_open_at_its_ends_only():
    surface = coil(0.1)
    edges = Counter(tuple(sorted(edge)) for a, b, c in surface.faces.tolist() for edge in ((a, b), (b, c), (c, a)))
    assert set(edges.values()) == {1, 2}
    open_at = surface.vertices[sorted({k for edge, count in edges.items() if count == 1 for k in edge}), 0]
    assert set(np.round(open_at)) == {0.0, 1.0}
    assert np.sum(np.abs(open_at - 0.5) < 0.4) == 0
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), surface.normals[surface.faces[:, 0]])
    # counter-clockwise seen from outside, but where the coil begins in circles that are narrower than the wire
    assert (outward > 0.0).mean() > 0.97
    winds = np.hypot(*surface.vertices[len(surface.vertices) // 2, 1:])
    assert winds == pytest.approx(0.1, rel=0.2)
