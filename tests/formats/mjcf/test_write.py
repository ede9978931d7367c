"""Writing MJCF: what is read again moves alike, and what MJCF cannot hold is refused by name."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning, to_mjcf
from rbdkit.spatial import se3

INERTIA = rbd.Inertia(2.0, (0.1, -0.2, 0.3), [[0.4, 0.02, -0.03], [0.02, 0.5, 0.01], [-0.03, 0.01, 0.6]])
BALL = rbd.Inertia.sphere(0.1, 1.0)


def again(model: rbd.Model) -> rbd.Model:
    """The model as it is read from what was written, without warnings."""
    return rbd.load(to_mjcf(model))


def assert_alike(one: rbd.Model, two: rbd.Model, names: dict[str, str] | None = None) -> None:
    """Assert the same inertia, forces and poses in a random state, joint by joint by name, to 1e-12."""
    rng = np.random.default_rng(1)
    q, v = one.random_q(rng), rng.normal(size=one.nv)
    q2, v2, order = two.neutral(), np.zeros(two.nv), []
    for joint in one.joints:
        if joint.nv:
            other = two.joint(joint.name)
            q2[other.q_slice], v2[other.v_slice] = q[joint.q_slice], v[joint.v_slice]
            order += range(other.v_slice.start, other.v_slice.stop)
    H, H2 = rbd.crba(one, q), rbd.crba(two, q2)[np.ix_(order, order)]
    assert np.abs(H - H2).max() <= 1e-12 * np.abs(H).max()
    forces = [rbd.bias_force(m, x, y) - rbd.passive_force(m, x, y) for m, x, y in ((one, q, v), (two, q2, v2))]
    assert np.abs(forces[0] - forces[1][order]).max() <= 1e-12 * max(1.0, np.abs(forces[0]).max())
    poses, poses2 = rbd.forward_kinematics(one, q), rbd.forward_kinematics(two, q2)
    for name in [*(body.name for body in two.bodies), *(frame.name for frame in one.frames)]:
        if name in one._body_index or name in one._frame_index:
            np.testing.assert_allclose(poses.pose(name), poses2.pose(name), atol=1e-12)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def rich(rng) -> rbd.Model:
    """All joints and numbers that MJCF has."""
    model = rbd.Model("rich", gravity=(1.0, 2.0, -3.0))
    model.add_body("base", joint=rbd.Free(), placement=se3.random(rng), inertia=INERTIA, damping=0.3)
    model.add_body(
        "arm", "base", rbd.Revolute((2 / 3, -1 / 3, 2 / 3)), se3.random(rng), INERTIA, damping=0.5, friction=0.25,
        stiffness=3.0, rest=0.4, armature=0.02, limits=rbd.Limits(-1.0, 2.0, effort=5.0),
    )  # fmt: skip
    model.add_body("rod", "arm", rbd.Prismatic("-y"), se3.random(rng), INERTIA, limits=rbd.Limits(lower=-0.5))
    model.add_body(
        "hand", "rod", rbd.Spherical(), se3.random(rng), INERTIA, stiffness=1 / 3, damping=0.1, armature=0.01
    )
    model.add_body("camera", "hand", placement=se3.random(rng), inertia=INERTIA)
    model.add_body("pillar", placement=se3.random(rng))
    model.add_frame("tip", "hand", se3.random(rng))
    model.add_frame("mark", "world", [1.0, 2.0, 3.0])
    return model


def test_a_tree_is_read_again_to_the_last_digits(rich):
    model = again(rich)
    assert_alike(rich, model)
    assert model.gravity.tolist() == rich.gravity.tolist() and model.name == "rich"
    assert [frame.name for frame in model.frames] == ["mark", "tip"]
    for name in ("arm_joint", "rod_joint"):
        joint, other = rich.joint(name), model.joint(name)
        for number in ("friction", "armature", "damping", "stiffness", "rest"):
            np.testing.assert_array_equal(getattr(joint, number), getattr(other, number))
        for bound in ("lower", "upper", "effort"):
            np.testing.assert_array_equal(getattr(joint.limits, bound), getattr(other.limits, bound))


def test_it_is_saved_by_the_name_of_the_file(tmp_path, rich):
    rbd.save(rich, tmp_path / "rich.xml")
    assert (tmp_path / "rich.xml").read_text() == to_mjcf(rich)
    assert_alike(rich, rbd.load(tmp_path / "rich.xml"))


def test_massless_bodies_become_joints_of_the_next_one(rng):
    model = rbd.Model("chain")
    model.add_body("a", joint=rbd.Prismatic("x"), placement=se3.random(rng))
    model.add_body("b", "a", rbd.Revolute("y"), se3.random(rng), rbd.Inertia.zero())
    model.add_body("c", "b", rbd.Spherical(), se3.random(rng), INERTIA)
    model.add_body("d", "c", rbd.Revolute("z"), se3.random(rng), INERTIA)
    found = again(model)
    assert [body.name for body in found.bodies[1:]] == ["c_before_b_joint", "c_before_c_joint", "c", "d"]
    assert_alike(model, found)


@pytest.mark.parametrize("kind", [rbd.Cylindrical(), rbd.Universal(), rbd.EulerSpherical()])
def test_chains_of_hinges_and_slides(kind, rng):
    model = rbd.Model("chain")
    model.add_body("a", joint=kind, placement=se3.random(rng), inertia=INERTIA, damping=0.2)
    found = again(model)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    np.testing.assert_allclose(rbd.crba(found, q), rbd.crba(model, q), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rbd.bias_force(found, q, v), rbd.bias_force(model, q, v), atol=1e-11)


def test_shapes(rng):
    shapes = [rbd.Box((1, 2, 3)), rbd.Sphere(0.5), rbd.Ellipsoid((1, 2, 3)), rbd.Cylinder(0.1, 2), rbd.Capsule(0.2, 3)]
    own = [rbd.Geometry(shape, se3.random(rng), (0.25, 0.5, 0.75, 1.0), f"s{k}") for k, shape in enumerate(shapes)]
    own[0] = rbd.Geometry(shapes[0], name="s0", role="collision", color=(0, 0, 0, 1))
    model = rbd.Model("shapes")
    model.add_body("a", joint=rbd.Free(), inertia=INERTIA, geometry=own)
    for one, two in zip(own, again(model).body("a").geometry, strict=True):
        assert (one.shape, one.color, one.name, one.role) == (two.shape, two.color, two.name, two.role)
        np.testing.assert_allclose(one.placement, two.placement, atol=1e-15)
        assert two.collide is False  # the model has no contact rules


def test_meshes(tmp_path):
    corners, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    model = rbd.Model("meshes")
    file = rbd.Mesh("t.obj", scale=(2, 1, 1), found=str(tmp_path / "t.obj"))
    model.add_body("a", joint=rbd.Free(), inertia=INERTIA, geometry=[rbd.Mesh(vertices=corners, faces=faces), file])
    for geometry, longest in zip(again(model).body("a").geometry, (1.0, 2.0), strict=True):
        placed = geometry.shape.vertices @ geometry.placement[:3, :3].T + geometry.placement[:3, 3]
        np.testing.assert_allclose(placed.min(axis=0), 0.0, atol=1e-6)
        np.testing.assert_allclose(placed.max(axis=0), [longest, 1, 1], atol=1e-6)


def test_contact():
    model = rbd.Model("balls")
    material = rbd.Material(0.4, combine="largest")
    for name in "abc":
        model.add_body(name, joint=rbd.Free(), inertia=BALL, geometry=rbd.Geometry(rbd.Sphere(0.1), material=material))
    model.add_ground(material=rbd.Material(0.9, combine="largest"), normal=(0, 1, 2), height=0.3)
    alone = again(model)
    assert [pair.name for pair in alone.contact_pairs] == ["ground/a", "ground/b", "ground/c"]
    model.add_contacts(except_=[("a", "b")])
    found = again(model)
    assert [pair.name for pair in found.contact_pairs] == ["ground/a", "ground/b", "ground/c", "a/c", "b/c"]
    assert [pair.material.friction for pair in found.contact_pairs] == [0.9, 0.9, 0.9, 0.4, 0.4]
    ground = found.contact_rules[0]
    np.testing.assert_allclose(ground.normal, np.array([0, 1, 2]) / 5**0.5, atol=1e-15)
    assert ground.height == pytest.approx(0.3, abs=1e-15)


def test_contacts_of_two_bodies():
    model = rbd.Model("balls")
    for name in "abc":
        shapes = [rbd.Geometry(rbd.Sphere(0.1)), rbd.Geometry(rbd.Box((1, 1, 1)), name="box")]
        model.add_body(name, joint=rbd.Free(), inertia=BALL, geometry=shapes)
    model.add_contact("a", "b", friction=0.25)
    model.add_contact("a:box", "c:box", friction=0.0)
    model.add_ground(material=rbd.Material(0.5, combine="largest"))
    model.add_contact("ground", "c:box", friction=0.75)

    def friction(model: rbd.Model) -> dict[tuple[str, str, str], list[float]]:
        found: dict[tuple[str, str, str], list[float]] = {}
        for pair in model.contact_pairs:
            key = (*sorted((pair.predecessor, pair.successor)), type(getattr(pair.shape_p, "shape", None)).__name__)
            found.setdefault(key, []).append(pair.material.friction)  # type: ignore[arg-type]
        return {key: sorted(values) for key, values in found.items()}

    assert friction(again(model)) == friction(model)


def test_loops_ties_and_springs(rich, rng):
    rich.add_body("wheel", joint=rbd.Revolute("z"), inertia=INERTIA)
    rich.add_body("lid", joint=rbd.Free(), inertia=INERTIA)
    rich.add_loop("pin", "hand", "wheel", rbd.Spherical(), se3.random(rng), se3.random(rng))
    rich.add_loop("glue", "world", "lid", rbd.Fixed(), se3.random(rng), se3.random(rng))
    rich.add_constraint("gear", rbd.Tie("arm_joint", "wheel_joint", -2.0, 0.5))
    rich.add_spring("spring", "hand", "world", 20.0, 0.3, damping=2.0, at_a=(0.1, 0.2, 0.3), at_b=(1.0, 2.0, 3.0))
    rich.add_damper("damper", "tip", "camera", 3.0)
    found = again(rich)
    assert_alike(rich, found)
    assert [frame.name for frame in found.frames] == ["mark", "tip"]
    for one in rich.loops:
        two = found.loop(one.joint.name)
        assert one.joint.type == two.joint.type
        np.testing.assert_allclose(one.joint.placement, two.joint.placement, atol=1e-12)
        np.testing.assert_allclose(one.successor_placement, two.successor_placement, atol=1e-12)
        assert [rich.bodies[i].name for i in (one.predecessor, one.successor)] == [
            found.bodies[i].name for i in (two.predecessor, two.successor)
        ]
    assert found.constraint("gear").element.parameters() == {"ratio": -2.0, "offset": 0.5}


def test_a_mimic_joint_becomes_an_equality():
    model = rbd.Model("gripper")
    model.add_body("left", joint=rbd.Prismatic("x"), joint_name="jaw", inertia=BALL)
    model.add_body("right", joint=rbd.Prismatic("x"), inertia=BALL, mimic=rbd.Mimic("jaw", -1.0, 0.1))
    with pytest.warns(FormatWarning, match="joint 'right_joint' has a coordinate of its own there, and an equality"):
        text = to_mjcf(model)
    found = rbd.load(text)
    (constraint,) = found.constraints
    assert found.nv == 2 and (constraint.element.ratio, constraint.element.offset) == (-1.0, 0.1)
    assert (constraint.element.follower, constraint.element.leader) == ("right_joint", "jaw")


def test_what_has_no_place_is_told():
    model = rbd.Model("m")
    shapes = [
        rbd.Cone(1, 1),
        rbd.Sphere(0.0),
        rbd.Mesh("nowhere.stl"),
        rbd.Geometry(rbd.Sphere(1.0), material=rbd.Material(0.3, 0.5)),
    ]
    limits = rbd.Limits(velocity=3.0)
    model.add_body("a", joint=rbd.Revolute("x"), inertia=BALL, geometry=shapes, limits=limits)
    model.add_ground()
    with pytest.warns(FormatWarning) as caught:
        to_mjcf(model)
    assert str(caught[0].message).splitlines() == [
        "left out or changed, as MJCF has no place for it:",
        "  that friction of two surfaces is the geometric mean; MuJoCo takes the larger one",
        "  cone of body 'a'",
        "  sphere of body 'a'",
        "  mesh of body 'a'",
        "  restitution, stiffness and damping of surfaces",
        "  limits of velocities",
    ]


def refused(what: str) -> rbd.Model:
    model = rbd.Model("m")
    model.add_body("a", joint=rbd.Revolute("x"), inertia=BALL, geometry=rbd.Sphere(0.1))
    model.add_body("b", joint=rbd.Free(), inertia=BALL, geometry=rbd.Sphere(0.1))
    match what:
        case "massless":
            model.add_body("x", "a", rbd.Revolute("y"))
        case "point":
            model.add_body("x", "a", rbd.Revolute("y"), inertia=rbd.Inertia(1.0))
        case "impossible":
            model.add_body(
                "x", "a", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, inertia_com=np.diag([1, 1, 9]), check=False)
            )
        case "inertia":
            model.add_body("x", "a", inertia=rbd.Inertia(0.0, inertia_com=np.eye(3), check=False))
        case "free":
            model.add_body("x", "a", rbd.Free(), inertia=BALL)
        case "translation":
            model.add_body("x", joint=rbd.Free(translation="successor"), inertia=BALL)
        case "armature":
            model.add_body("x", joint=rbd.Free(), inertia=BALL, armature=1.0)
        case "damping":
            model.add_body("x", joint=rbd.Spherical(), inertia=BALL, damping=[1.0, 2.0, 3.0])
        case "helical":
            model.add_body("x", "a", rbd.Helical("x", 0.1), inertia=BALL)
        case "planar":
            model.add_body("x", "a", rbd.Planar("z"), inertia=BALL)
        case "loop":
            model.add_loop("x", "a", "b", rbd.Revolute("z"))
        case "spring":
            model.add_loop("x", "a", "b", rbd.Spherical(), stiffness=1.0)
        case "constraint":
            model.add_constraint("x", rbd.Distance("a", "b", 1.0, at_a=(1, 0, 0)))
        case "force":
            model.add_force("x", rbd.JointSpring("a_joint", 1.0))
        case "material":
            model.add_contacts(friction=0.5, name="x")
    return model


@pytest.mark.parametrize(("what", "says"), [
    ("massless", "body 'x' moves and has no mass"), ("point", "body 'x' moves and has moments of inertia"),
    ("impossible", "body 'x': MuJoCo refuses such an inertia"), ("inertia", "body 'x': MuJoCo refuses such an inertia"),
    ("free", "joint 'x_joint': MuJoCo has free joints of bodies in the world alone"),
    ("translation", "joint 'x_joint' has its position in the axes of the body"),
    ("armature", "joint 'x_joint' has armature"), ("damping", "joint 'x_joint' has damping"),
    ("helical", "joint 'x_joint' is a helical joint"), ("planar", "joint 'x_joint' is a planar joint"),
    ("loop", "joint 'x' closes a loop as a revolute joint"), ("spring", "joint 'x' closes a loop and has a spring"),
    ("constraint", "constraint 'x' "), ("force", "force 'x' "),
    ("material", "contact 'x' has a material of its own"),
])  # fmt: skip
def test_what_is_refused(tmp_path, what, says):
    with pytest.raises(FormatError, match=says):
        rbd.save(refused(what), tmp_path / "m.xml")
    assert not (tmp_path / "m.xml").exists()
    with pytest.raises(FormatError, match=r"not an rbdkit\.Model"):
        to_mjcf(3)  # type: ignore[arg-type]


@pytest.mark.robots
@pytest.mark.parametrize("name", ["ur5_robot", "solo12", "go2"])
def test_robots(name):
    """Read from URDF, written as MJCF: MuJoCo's mass matrix is ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        model = rbd.load(rbd.library.robot_files()[name], floating=name != "ur5_robot")
        text = to_mjcf(model)
    assert_alike(model, rbd.load(text))
    compiled = mujoco.MjModel.from_xml_string(text)
    assert compiled.nv == model.nv and compiled.body_mass.sum() == pytest.approx(model.mass)
