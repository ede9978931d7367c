"""Exported code builds the same model to the last bit."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import EXAMPLES, AddBody, AddFrame, AddLoop, Draft, Follow, SetGeometry, SetGravity, SetNumbers
from rbdkit.errors import ModelError
from rbdkit.formats import to_dict
from rbdkit.joints import Prescribed, Reversed, Revolute
from rbdkit.library.random_tree import joint_gallery, random_tree
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Limits, Mesh, Mimic, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


def bits(data: object) -> object:
    """Plain data with every float as its eight bytes, so that -0.0 and 0.0 differ."""
    if isinstance(data, dict):
        return {key: bits(value) for key, value in data.items()}
    if isinstance(data, list):
        return [bits(value) for value in data]
    return struct.pack("d", data) if isinstance(data, float) else data


def built(program: str) -> Model:
    names: dict[str, object] = {}
    exec(program, names)
    model = names["model"]
    assert isinstance(model, Model)
    return model


def assert_same(one: Model, two: Model) -> None:
    assert bits(to_dict(one)) == bits(to_dict(two))
    assert one.describe() == two.describe()
    assert bits(_lists(one.parameters)) == bits(_lists(two.parameters))


def _lists(parameters: dict[str, object]) -> dict[str, object]:
    return {name: np.asarray(value, dtype=float).tolist() for name, value in parameters.items()}


def rich_model(seed: int) -> Model:
    """All joint types, shapes, placements, springs, limits, mimicry, loops, frames, and names that need escapes."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, 18, name='a "model" \\ with\nlines')
    shapes = [
        Geometry(Box((0.1, 0.2, 0.3)), se3.random(rng), tuple(rng.uniform(0, 1, 4)), "quoted 'näme'"),
        Geometry(Sphere(0.3), role="collision", material=rbd.Material(friction=1 / 3, tangential_damping=0.5)),
        Geometry(Sphere(0.3), collide=False, material=rbd.Material()),
        Cylinder(0.1, 0.2),
        Capsule(0.1, 0.2),
        Geometry(Cone(0.1, 0.2), [0.0, -0.0, 0.1]),
        Ellipsoid((0.1, 0.2, 0.3)),
        Mesh("package://a/b.stl", (1, -1, 0.001), searched=("/a",), found="/b"),
        Mesh(vertices=rng.normal(size=(9, 3)), faces=rng.integers(0, 9, (20, 3))),
    ]
    unphysical = Inertia(-1.0, rng.normal(size=3), rng.normal(size=(3, 3)), check=False)
    place = np.eye(4)
    place[1, 3] = -0.0
    model.add_body("it's", "world", rbd.Universal(axis2=[0.6, 0.8, 0]), place, unphysical, shapes, 'a "hinge"',
                   damping=rng.uniform(size=2), friction=[0.1, 0.0], stiffness=1.0, rest=[0.1, -0.0], armature=0.1,
                   limits=Limits([-1.0, -np.inf], [1.0, np.inf], 2.0, [3.0, 4.0]))  # fmt: skip
    model.add_body("leader", "it's", Revolute("y"), inertia=Inertia(1.0, (0.0, 0.0, 0.1)))
    model.add_body("follower", "world", Revolute("z"), inertia=Inertia(1.0), mimic=Mimic("leader_joint", -2.0, 0.1))
    model.add_frame("tool", "it's", se3.random(rng))
    model.add_frame("bare", "world")
    for k, type_ in enumerate(joint_gallery(rng)):
        model.add_loop(f"loop {k}", "it's", f"b{k + 1}", type_, se3.random(rng), [0.0, 0.1 * k, 0.0])
    model.add_ground(normal=rng.normal(size=3), height=rng.normal(), restitution=0.5, name='a "slope"')
    model.add_contact("it's:quoted 'näme'", "b3", name="two")
    model.add_contact("it's", "b4", friction=0.1)
    model.add_contacts(except_=[("it's", "b5"), ("b6", "b7")], material=rbd.Material(stiffness=1e3, combine="largest"))
    return model


@pytest.mark.parametrize("seed", range(8))
def test_code_of_a_model_of_everything(seed):
    model = rich_model(seed)
    draft = Draft.from_model(model)
    assert_same(draft.model(), model)
    assert_same(built(draft.code()), model)


@pytest.mark.parametrize("name", EXAMPLES)
def test_code_of_the_examples(name):
    model = EXAMPLES[name]()
    assert_same(built(Draft.from_model(model).code()), model)


def test_code_of_a_draft_says_density_and_shapes():
    draft = Draft("two")
    a = draft.do(AddBody(name="a"))
    b = draft.do(AddBody(a, name="b"))
    draft.do(SetGeometry(b, [Geometry(Sphere(0.1), [0, 0, 0.1]), Cylinder(0.02, 0.3), Capsule(0.1, 0.2)]))
    draft.do(SetNumbers(b, "damping", 0.25))
    draft.do(AddFrame(b, [0, 0, 0.3], "tool"))
    draft.do(AddLoop(b, 0, name="closing"))
    draft.do(SetGravity((0, -9.81, 0)))
    program = draft.code()
    assert "density=1000.0" in program
    assert "rbd.Inertia.cylinder(0.02, 0.3, density=1000.0)" in program
    assert "damping=0.25" in program
    assert 'model = rbd.Model("two", gravity=[0.0, -9.81, 0.0])' in program
    assert_same(built(program), draft.model())


def test_code_keeps_a_leader_before_its_followers():
    draft = Draft()
    a, b = draft.do(AddBody(name="a")), draft.do(AddBody(name="b"))
    draft.do(Follow(a, b))
    assert [body.name for body in draft.model().bodies] == ["world", "b", "a"]
    assert_same(built(draft.code()), draft.model())


def test_a_prescribed_joint_is_refused_by_name():
    model = Model()
    model.add_body("b", joint=Reversed(Prescribed(Revolute("z"), lambda t: (t, 1, 0))), joint_name="crank")
    with pytest.raises(ModelError, match=r"joint 'crank'.*Python function"):
        Draft.from_model(model).code()


def test_a_joint_type_of_somebody_else_is_refused_by_name():
    class Hinge(Revolute):
        pass

    model = Model()
    model.add_body("b", joint=Hinge("z"))
    with pytest.raises(ModelError, match=r"joint 'b_joint': its type Hinge"):
        Draft.from_model(model).code()


def test_frames_and_loops_of_a_model_can_be_taken_up_one_by_one():
    model = random_tree(2, 4)
    for k, body in enumerate(model.bodies[1:4]):
        model.add_frame(f"frame{k}", body, [0.1 * k, 0.0, 0.0])
        model.add_loop(f"loop{k}", body, model.bodies[4], Revolute("z"))
    sheet = Draft.from_model(model).sheet
    keys = [item.key for item in (*sheet.parts, *sheet.closures, *sheet.marks)]
    assert keys == sorted(set(keys)) and len(keys) == 10 and sheet.next_key > keys[-1]
