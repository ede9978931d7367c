"""What a URDF says is what the model has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdkit.formats import from_urdf
from rbdkit.joints import Fixed, Free, Planar, Prismatic, Revolute
from rbdkit.model import Box, Capsule, Cylinder, Mesh, Sphere


def joint(kind: str, inner: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inner}</joint>'


def link(name: str, inner: str = "", mass: float | None = 1.0) -> str:
    inertia = '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.1" iyz="0.3" izz="1.2"/>'
    inertial = "" if mass is None else f'<inertial><origin xyz="1 2 3"/><mass value="{mass}"/>{inertia}</inertial>'
    return f'<link name="{name}">{inertial}{inner}</link>'


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("revolute", Revolute([0, 0.6, 0.8])),
        ("continuous", Revolute([0, 0.6, 0.8])),
        ("prismatic", Prismatic([0, 0.6, 0.8])),
        ("planar", Planar([0, 0.6, 0.8])),
        ("floating", Free()),
        ("fixed", Fixed()),
    ],
)
def test_every_joint_type(urdf, kind, type_):
    model = from_urdf(urdf(joint(kind, '<axis xyz="0 0.6 0.8"/>'), links="a b"), merge_fixed=False)
    assert model.joint("j").type == type_
    assert [body.name for body in model.bodies] == ["world", "a", "b"]
    assert model.joint("j").damping.shape == (type_.nv,)


def test_the_axis_is_x_by_default_and_not_looked_at_where_it_has_no_meaning(urdf):
    assert from_urdf(urdf(joint("revolute"), links="a b")).joint("j").type == Revolute("x")
    for kind in ("fixed", "floating"):
        from_urdf(urdf(joint(kind, '<axis xyz="0 0 0"/>'), links="a b"))


def test_an_axis_that_is_not_a_unit_vector_is_divided_by_its_length(urdf, told):
    with told() as texts:
        model = from_urdf(urdf(joint("revolute", '<axis xyz="0 3 4"/>'), links="a b"), source="arm.urdf")
    np.testing.assert_allclose(model.joint("j").type.axis, [0, 0.6, 0.8], atol=1e-16)
    assert len(texts) == 1
    assert all(word in texts[0] for word in ("arm.urdf, line 4", "joint 'j'", "length 5"))
    with told() as texts:  # three printed digits of a unit vector are no oddity
        model = from_urdf(urdf(joint("revolute", '<axis xyz="0 0.707 0.707"/>'), links="a b"))
    assert texts == []
    assert abs(np.linalg.norm(model.joint("j").type.axis) - 1.0) < 1e-15


def test_roll_pitch_yaw_are_turns_about_fixed_axes_in_that_order(urdf, rng):
    for rpy in [*rng.uniform(-math.pi, math.pi, (20, 3)), [0.3, math.pi / 2, -0.4]]:
        origin = f'<origin xyz="1 -2 3" rpy="{" ".join(repr(float(a)) for a in rpy)}"/>'
        placement = from_urdf(urdf(joint("continuous", origin), links="a b")).joint("j").placement
        np.testing.assert_allclose(placement[:3, :3], Rotation.from_euler("xyz", rpy).as_matrix(), atol=4e-16)
        assert placement[:3, 3].tolist() == [1, -2, 3]


def test_limits_and_losses(urdf):
    inner = '<limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/>'
    j = from_urdf(urdf(joint("revolute", inner), links="a b")).joint("j")
    assert (j.limits.lower, j.limits.upper, j.limits.velocity, j.limits.effort) == (-1, 2, 3, 4)
    assert (j.damping, j.friction) == (0.5, 0.25)
    j = from_urdf(urdf(joint("floating", inner), links="a b")).joint("j")
    assert j.damping.tolist() == [0.5] * 6
    assert not j.limits.bounded


@pytest.mark.parametrize(
    ("kind", "limit", "lower", "upper"),
    [
        ("revolute", "", -math.inf, math.inf),
        ("revolute", '<limit effort="1" velocity="1"/>', -math.inf, math.inf),
        ("revolute", '<limit upper="1"/>', 0, 1),
        ("prismatic", '<limit lower="-1"/>', -1, 0),
        ("continuous", '<limit lower="-1" upper="1"/>', -math.inf, math.inf),
        ("revolute", '<limit lower="-inf" upper="1e16"/>', -math.inf, math.inf),
        ("revolute", '<limit lower="-1.79769e+308" upper="Infinity"/>', -math.inf, math.inf),
    ],
)
def test_missing_and_infinite_limits(urdf, kind, limit, lower, upper):
    limits = from_urdf(urdf(joint(kind, limit), links="a b")).joint("j").limits
    assert (limits.lower, limits.upper) == (lower, upper)


def test_odd_numbers_of_joints_are_mended_and_told_in_one_warning(urdf, told):
    inner = '<limit lower="2" upper="-1" velocity="-3" effort="4"/><dynamics damping="-1" friction="-2"/>'
    with told() as texts:
        j = from_urdf(urdf(joint("revolute", inner), links="a b")).joint("j")
    assert (j.limits.lower, j.limits.upper, j.limits.velocity, j.limits.effort) == (-1, 2, math.inf, 4)
    assert (j.damping, j.friction) == (0, 0)
    assert len(texts) == 1
    for word in ("4 oddities", "line 4", "joint 'j'", "swapped", "velocity limit -3", "damping -1", "friction -2"):
        assert word in texts[0]


def test_inertia_in_a_turned_frame(urdf):
    rpy = [0.3, -0.4, 0.5]
    inertial = """<inertial><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/><mass value="2"/>
        <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.1" iyz="0.3" izz="1.2"/></inertial>"""
    inertia = from_urdf(urdf(f'<link name="a">{inertial}</link>')).body("a").inertia
    R = Rotation.from_euler("xyz", rpy).as_matrix()
    about_com = np.array([[1, 0.1, 0.2], [0.1, 1.1, 0.3], [0.2, 0.3, 1.2]])
    assert inertia.mass == 2
    assert inertia.com.tolist() == [1, 2, 3]
    np.testing.assert_allclose(inertia.inertia_com, R @ about_com @ R.T, atol=1e-15)


@pytest.mark.parametrize(
    ("mass", "ixx", "word"),
    [("-1", "1", "negative"), ("0", "1", "zero"), ("1", "-1", "semidefinite"), ("1", "9", "triangle")],
)
def test_impossible_inertias_are_read_and_reported_by_validate_even_behind_fixed_joints(urdf, mass, ixx, word):
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx="{ixx}" iyy="1" izz="1"/></inertial>'
    for kind in ("revolute", "fixed"):
        document = urdf(link("a"), f'<link name="b">{inertial}</link>', joint(kind))
        findings = from_urdf(document).validate()
        assert any(f.where == "b" and word in f.message for f in findings), findings


def test_links_without_inertia(urdf):
    model = from_urdf(urdf(joint("revolute"), links="a b"))
    assert [body.inertia for body in model.bodies] == [None, None, None]
    assert any(f.where == "b" and f.what == "missing inertia" for f in model.validate())


def test_shapes_and_colours(urdf):
    shapes = """<visual name="v1"><origin xyz="1 0 0" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry>
          <material name="blue"/></visual>
        <visual><geometry><cylinder radius="1" length="2"/></geometry>
          <material name="own"><color rgba="0.1 0.2 0.3 0.4"/><texture filename="t.png"/></material></visual>
        <visual><geometry><sphere radius="3"/></geometry><material name="own"/></visual>
        <visual><geometry><capsule radius="1" length="2"/></geometry><material name="unknown"/></visual>
        <collision><geometry><sphere radius="4"/></geometry></collision>"""
    grey = '<link name="b"><visual><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual></link>'
    materials = [
        '<material name="blue"><color rgba="0 0 1 1"/></material>',
        '<material name="grey"><color rgba="51 102 255 255"/></material>',
    ]
    model = from_urdf(urdf(link("a", shapes), grey, joint("continuous"), *materials))
    box, cylinder, sphere, capsule, collision = model.body("a").geometry
    assert box.shape == Box((1, 2, 3))
    assert box.name == "v1"
    assert box.color == (0, 0, 1, 1)
    np.testing.assert_allclose(box.placement[:2, :2], [[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])
    assert box.placement[:3, 3].tolist() == [1, 0, 0]
    assert cylinder.shape == Cylinder(1, 2)
    assert cylinder.color == sphere.color == (0.1, 0.2, 0.3, 0.4)
    assert sphere.shape == Sphere(3)
    assert capsule.shape == Capsule(1, 2)
    assert capsule.color is None
    assert (collision.shape, collision.role) == (Sphere(4), "collision")
    assert [g.role for g in (box, cylinder, sphere, capsule)] == ["visual"] * 4
    assert model.body("b").geometry[0].color == (0.2, 0.4, 1, 1)


def test_shapes_that_cannot_be_drawn_are_left_out_with_one_warning(urdf, told):
    shapes = [
        "<visual/>",
        "<visual><geometry/></visual>",
        '<visual><geometry><box size="1 -1 1"/></geometry></visual>',
        "<visual><geometry><torus/></geometry></visual>",
        "<visual><geometry><mesh/></geometry></visual>",
    ]
    with told() as texts:
        model = from_urdf(urdf('<link name="a">', *shapes, "</link>"))
    assert model.body("a").geometry == ()
    assert len(texts) == 1
    for line, word in zip(range(3, 8), ("without a shape", "without a shape", "negative", "<torus>", "no file name")):
        assert any(f"line {line}: link 'a'" in row and word in row for row in texts[0].split("\n")), texts[0]


def test_names_may_hold_any_character(urdf):
    names = ["a b", "ä/ö::ü", "x&lt;y&quot;", "世界"]
    plain = ["a b", "ä/ö::ü", 'x<y"', "世界"]
    joints = [joint("continuous", name=f"j {n}", parent=names[0], child=n) for n in names[1:]]
    model = from_urdf(urdf(*[f'<link name="{name}"/>' for name in names], *joints))
    assert [body.name for body in model.bodies[1:]] == plain
    assert [j.name for j in model.joints[2:]] == [f"j {n}" for n in plain[1:]]


def test_elements_that_are_no_part_of_the_mechanism_are_ignored(urdf):
    extras = [
        '<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>',
        '<gazebo reference="a"><plugin filename="x"/><link name="ghost"/></gazebo>',
        '<sensor name="s"><parent link="nowhere"/></sensor>',
        "<xacro:leftover/>",
        joint("revolute", '<safety_controller soft_lower_limit="x"/><calibration rising="y"/>'),
    ]
    assert len(from_urdf(urdf(*extras, links="a b")).bodies) == 3


def test_links_behind_fixed_joints_become_frames_of_one_body(urdf, link_poses):
    box = '<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>'
    elements = [
        link("a"),
        link("b", box),
        link("c", box, mass=3.0),
        link("d", box),
        joint("revolute", '<origin xyz="0 1 0"/>'),
        joint("fixed", '<origin xyz="1 0 0" rpy="0.1 0.2 0.3"/>', "k", "b", "c"),
        joint("fixed", '<origin xyz="0 0 1" rpy="0.4 0 0"/>', "m", "c", "d"),
    ]
    merged, whole = from_urdf(urdf(*elements)), from_urdf(urdf(*elements), merge_fixed=False)
    assert [body.name for body in merged.bodies] == ["world", "a", "b"]
    assert [frame.name for frame in merged.frames] == ["c", "d"]
    assert [body.name for body in whole.bodies] == ["world", "a", "b", "c", "d"]
    q = np.array([0.7])
    at, places, others = whole.body("b").index, link_poses(merged, q), link_poses(whole, q)
    for name in ("a", "b", "c", "d"):
        np.testing.assert_allclose(places[name], others[name], atol=1e-15, err_msg=name)
    seen_from_b = [np.linalg.inv(others["b"]) @ others[name] for name in "bcd"]
    total = sum(whole.body(name).inertia.transformed(pose) for name, pose in zip("bcd", seen_from_b))
    np.testing.assert_allclose(merged.body("b").inertia.matrix, total.matrix, rtol=1e-14, atol=1e-13)
    assert merged.body("b").inertia.mass == 5
    for shape, pose in zip(merged.bodies[at].geometry, seen_from_b):
        expected = pose @ np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
        np.testing.assert_allclose(shape.placement, expected, atol=1e-15)


def test_the_root_is_fixed_or_floats(urdf):
    document = urdf(link("a"), link("b"), joint("revolute"))
    fixed, floating = from_urdf(document), from_urdf(document, floating=True)
    assert fixed.body("a").joint.type == Fixed()
    assert floating.body("a").joint.type == Free()
    assert (fixed.nv, floating.nv) == (1, 7)


def test_an_empty_root_called_world_is_the_world(urdf):
    document = urdf(
        link("b"),
        joint("fixed", '<origin xyz="0 0 1"/>', "j", "world", "b"),
        joint("fixed", name="k", parent="world", child="marker"),
        links="world marker",
    )
    model = from_urdf(document)
    assert [body.name for body in model.bodies] == ["world", "b"]  # the world itself can hold no mass
    assert model.body("b").joint.placement[2, 3] == 1
    assert (model.frames[0].name, model.frames[0].body) == ("marker", 0)


def test_a_floating_robot_leaves_an_empty_world(urdf):
    document = urdf(link("b"), joint("fixed", '<origin xyz="0 0 1"/>', "j", "world", "b"), links="world")
    model = from_urdf(document, floating=True)
    assert [body.name for body in model.bodies] == ["world", "b"]
    assert model.joint("j").type == Free()
    assert model.joint("j").placement[2, 3] == 1


@pytest.mark.parametrize("floating", [False, True])
def test_other_links_called_world_are_renamed(urdf, told, floating):
    elements = [
        link("world"),
        link("b"),
        joint("revolute", parent="world", name="world"),
        joint("fixed", parent="b", child="c"),
    ]
    with told() as texts:
        model = from_urdf(urdf(*elements, links="c"), floating=floating)
    assert [body.name for body in model.bodies] == ["world", "world_link", "b"]
    assert [body.parent for body in model.bodies] == [-1, 0, 1]
    assert [j.name for j in model.joints[1:]] == ["world_joint", "world_joint_2"]
    assert "'world' is called 'world_link'" in texts[0]
    with told():
        model = from_urdf(urdf(joint("fixed", parent="a", child="world"), links="a world"))
    assert [frame.name for frame in model.frames] == ["world_link"]


def test_the_joint_of_the_root_gets_a_free_name(urdf):
    model = from_urdf(urdf(joint("revolute", name="a_joint"), links="a b"))
    assert [j.name for j in model.joints[1:]] == ["a_joint_2", "a_joint"]


def test_robot_name_and_gravity(urdf):
    model = from_urdf(urdf(links="a"), gravity=(0, 0, -1.62))
    assert (model.name, model.gravity.tolist()) == ("r", [0, 0, -1.62])
    assert from_urdf('<robot><link name="a"/></robot>').name == "robot"


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_a_chain_of_five_thousand_links(urdf, calls, kind):
    def read(count):
        joints = [joint(kind, '<origin xyz="0.5 0 0"/>', f"j{i}", f"l{i}", f"l{i + 1}") for i in range(count - 1)]
        return from_urdf(urdf(*joints[::-1], links=" ".join(f"l{i}" for i in range(count))))

    assert calls(lambda: read(400)) < 2.1 * calls(lambda: read(200))
    count = 5_000
    model = read(count)
    if kind == "fixed":
        assert (len(model.bodies), len(model.frames)) == (2, count - 1)
        assert model.frame(f"l{count - 1}").placement[0, 3] == 0.5 * (count - 1)
    else:
        assert model.body(f"l{count - 1}").index == count
        assert model.nv == count - 1


def test_meshes_keep_their_scale_and_sign(urdf, told):
    visual = "<visual><geometry><mesh filename='m.stl' scale='{}'/></geometry></visual>"
    with told():
        shapes = from_urdf(urdf(link("a", visual.format("1 -1 2") + visual.format("0.001")))).body("a").geometry
    assert [g.shape.scale for g in shapes] == [(1, -1, 2), (0.001, 0.001, 0.001)]
    assert all(isinstance(g.shape, Mesh) for g in shapes)
