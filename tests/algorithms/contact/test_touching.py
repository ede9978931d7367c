"""Contacts of the shapes of a model: by closed forms of single pairs, and by the rules of what may touch what."""

import copy
import math
import pickle
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.algorithms.contact import (
    SphereOnPlane,
    SphereOnSphere,
    VertexOnPlane,
    contact_equation,
    contact_motion,
    near_places,
    separation,
)
from rbdkit.algorithms.floating_base import to_floating_base
from rbdkit.drafting import Delete, Draft, Rename
from rbdkit.errors import FormatError, ModelError, StateError
from rbdkit.formats import to_dh, to_urdf
from rbdkit.model.graph import graph_of, regular_numbering, renumbered, shallowest_tree
from rbdkit.spatial import se3

TIME = 0.4
UNIT = rbd.Inertia(1.0, inertia_com=np.eye(3))


def balls(n, radius=0.1, geometry=None):
    model = rbd.Model("balls")
    for k in range(n):
        model.add_body(f"ball{k}", joint=rbd.Free(), inertia=UNIT, geometry=geometry or rbd.Sphere(radius))
    return model


def compare(found, expected):
    """One contact with that of a closed form, whose point may be elsewhere between both surfaces."""
    assert found.predecessor == expected.predecessor and found.successor == expected.successor
    assert_allclose(found.phi, expected.phi, atol=1e-13)
    assert_allclose(found.normal, expected.normal, atol=1e-13)
    assert_allclose(found.normal_rate, expected.normal_rate, atol=1e-12)
    assert_allclose(found.n, expected.n, atol=1e-12)
    assert_allclose(found.n_rate, expected.n_rate, atol=1e-11)


@pytest.mark.source("F11.01", "F11.04")
@pytest.mark.parametrize("seed", range(4))
def test_closed_forms_of_single_pairs(seed, everything):
    """Balls and a vertex on a tree of all joints, one of which follows and one is driven."""
    model, q, v, rng = everything(seed)
    names = [body.name for body in model.bodies[1:]]
    a, b = rng.choice(names[:3], 2, replace=False)
    there = [se3.random(rng) for _ in range(3)]
    model.add_body("hand", a, rbd.Fixed(), there[0], UNIT, rbd.Sphere(0.2))
    model.add_body("foot", b, rbd.Revolute("x"), there[1], UNIT, rbd.Sphere(0.3))
    tetrahedron = np.vstack([np.zeros(3), np.eye(3)])
    mesh = rbd.Mesh(vertices=tetrahedron, faces=[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], scale=(1.0, 2.0, 0.5))
    model.add_body("stone", "driven", rbd.Revolute("z"), there[2], UNIT, rbd.Geometry(mesh, [0.1, 0.2, 0.3]))
    q, v = np.append(q, [0.3, -0.4]), np.append(v, [0.7, 0.2])
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    model.add_ground(height=0.4, normal=3.0 * n)
    model.add_contact("hand", "foot")
    found = {contact.name: contact for contact in rbd.contacts(model, q, v, margin=1e3, t=TIME)}
    ground = {"on": tuple(0.4 * n), "normal": tuple(n)}
    pairs = {
        "ground/hand": SphereOnPlane("", "world", "hand", (0.0, 0.0, 0.0), 0.2, **ground),
        "ground/foot": SphereOnPlane("", "world", "foot", (0.0, 0.0, 0.0), 0.3, **ground),
        "hand/foot": SphereOnSphere("", "hand", "foot", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.2, 0.3),
    }
    for k, vertex in enumerate(tetrahedron * [1.0, 2.0, 0.5] + [0.1, 0.2, 0.3]):
        pairs[f"ground/stone#{k}"] = VertexOnPlane("", "world", "stone", tuple(vertex), **ground)
    assert pairs.keys() == {name for name, contact in found.items() if contact.successor not in names}
    for name, pair in pairs.items():
        compare(found[name], pair.at(model, q, v, t=TIME))


@pytest.mark.source("F11.04", "F11.10")
def test_rates_of_gaps(everything, differences):
    """The first and second rate of every gap, by differences of gaps alone; with shapes of all sorts."""
    model, q, v, rng = everything(3)
    shapes = [
        rbd.Sphere(0.2), rbd.Capsule(0.1, 0.4), rbd.Box([0.3, 0.2, 0.1]), rbd.Cylinder(0.2, 0.3), rbd.Cone(0.2, 0.3),
        rbd.Ellipsoid([0.3, 0.2, 0.1]),
    ]  # fmt: skip
    for k, shape in enumerate(shapes):
        model.add_body(f"shape{k}", model.bodies[1 + k].name, rbd.Fixed(), se3.random(rng), UNIT, shape)
    model.add_ground(normal=rng.normal(size=3), height=-0.3)
    a = rng.normal(size=model.nv)
    contacts = rbd.contacts(model, q, v, margin=1e3, t=TIME)
    assert sum("shape" in contact.successor for contact in contacts) == 1 + 2 + 8 + 6 + 6 + 1
    T, zeta, Tdot_qd = separation(model, q, v, contacts, t=TIME)

    def gaps(s):
        there = model.integrate(q, s * v + 0.5 * s**2 * a)
        return np.array([contact.phi for contact in rbd.contacts(model, there, v, margin=1e3, t=TIME + s)])

    rate, rate2 = differences(gaps)
    assert_allclose(zeta, rate, atol=1e-7 * (1 + np.abs(zeta).max()) ** 2)
    found = T.T @ a + Tdot_qd
    assert_allclose(found, rate2, atol=1e-5 * (1 + np.abs(found).max()) ** 1.5)


def test_contacts_go_into_the_contact_equation():
    """A box of 2 kg on the floor weighs on it with 2 g."""
    model = rbd.Model("box")
    solid = rbd.Inertia.box((0.2, 0.2, 0.2), mass=2.0)
    model.add_body("box", joint=rbd.Free(), inertia=solid, geometry=rbd.Box([0.2, 0.2, 0.2]))
    model.add_ground()
    q = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1])
    touching = rbd.contacts(model, q, margin=1e-9)
    motion = contact_motion(contact_equation(model, q, np.zeros(6), np.zeros(6), touching), "lemke")
    assert len(touching) == 4
    assert_allclose(motion.lam.sum(), 2.0 * 9.81, rtol=1e-12)


@pytest.mark.parametrize("n", [60])
def test_many_balls(n):
    """Against all distances between centres."""
    rng = np.random.default_rng(0)
    model = balls(n)
    model.add_contacts()
    model.add_ground()
    q = np.tile(model.neutral(), 1).reshape(n, 7)
    q[:, 4:] = rng.uniform(0.0, 0.8, (n, 3))
    found = rbd.contacts(model, q.ravel(), margin=0.01)
    i, j = np.triu_indices(n, 1)
    gaps = np.linalg.norm(q[i, 4:] - q[j, 4:], axis=1) - 0.2
    expected = {f"ball{a}/ball{b}": gap for a, b, gap in zip(i, j, gaps, strict=True) if gap <= 0.01}
    expected |= {f"ground/ball{k}": z - 0.1 for k, z in enumerate(q[:, 6]) if z - 0.1 <= 0.01}
    assert {contact.name: contact.phi for contact in found} == pytest.approx(expected, abs=1e-14) and len(found) > 20
    numbers = [contact.pair for contact in found]
    assert numbers == sorted(numbers)
    assert [model.contact_pairs[k].name for k in numbers] == [contact.name for contact in found]


def test_a_model_without_rules_has_no_contacts():
    model = balls(2)
    assert model.contact_pairs == () and rbd.contacts(model, model.neutral()) == []


# --- which shapes touch -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shapes", "expected"), [
    ([("visual", None)], [0]),
    ([("visual", None), ("visual", False)], [0]),
    ([("visual", None), ("collision", None)], [1]),
    ([("visual", True), ("collision", None)], [0]),
    ([("visual", None), ("collision", False)], []),
    ([("visual", False)], []),
    ([("collision", None), ("collision", False), ("visual", None), ("collision", None)], [0, 3]),
])  # fmt: skip
def test_which_shapes_of_a_body_touch(shapes, expected):
    model = rbd.Model("m")
    geometry = [rbd.Geometry(rbd.Sphere(0.1), role=role, collide=collide) for role, collide in shapes]
    model.add_body("b", joint=rbd.Free(), inertia=UNIT, geometry=geometry)
    model.add_ground()
    assert [pair.shape_s for pair in model.contact_pairs] == [geometry[k] for k in expected]
    names = ["ground/b"] if len(expected) == 1 else [f"ground/b[{k}]" for k in expected]
    assert [pair.name for pair in model.contact_pairs] == names


def test_names_of_shapes():
    model = rbd.Model("m")
    shape = rbd.Sphere(0.1)
    model.add_body("b", joint=rbd.Free(), geometry=[rbd.Geometry(shape, name=x) for x in ("toe", "", "pad", "pad")])
    model.add_body("c", joint=rbd.Free(), geometry=rbd.Geometry(shape, name="tip"))
    model.add_contact("b", "c")
    assert [pair.name for pair in model.contact_pairs] == ["b:toe/c", "b[1]/c", "b[2]/c", "b[3]/c"]
    model.add_contact("c:tip", "b:toe", friction=0.3)
    assert [pair.name for pair in model.contact_pairs] == ["c:tip/b:toe", "b[1]/c", "b[2]/c", "b[3]/c"]
    assert [pair.material.friction for pair in model.contact_pairs] == [0.3, 0.0, 0.0, 0.0]
    for wrong, says in (("b:pad", "several shapes"), ("b:to", "'toe'"), ("d", "'d'"), ("d:toe", "'d'")):
        with pytest.raises(ModelError, match=says):
            model.add_contact("c", wrong, name="again")
    assert len(model.contact_rules) == 2


def test_who_are_neighbours():
    """What a joint or loop joint connects does not touch, welded bodies count as one; but the world is no neighbour."""
    model, ball = rbd.Model("m"), rbd.Sphere(0.1)
    model.add_body("wall", inertia=UNIT, geometry=ball)
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=UNIT, geometry=ball)
    model.add_body("glove", "arm", inertia=UNIT, geometry=ball)
    model.add_body("hand", "glove", rbd.Revolute("y"), inertia=UNIT, geometry=ball)
    model.add_body("other", joint=rbd.Free(), inertia=UNIT, geometry=ball)
    model.add_body("bare", joint=rbd.Free(), inertia=UNIT)
    model.add_loop("chain", "hand", "other", rbd.Revolute("y"))
    model.add_contacts(except_=[("other", model.body("wall"))])
    found = {pair.name for pair in model.contact_pairs}
    assert found == {"wall/arm", "wall/glove", "wall/hand", "arm/other", "glove/other"}
    model.add_ground()
    below = {pair.name for pair in model.contact_pairs} - found
    assert below == {"ground/arm", "ground/glove", "ground/hand", "ground/other"}


def test_bodies_that_come_later_touch_as_well():
    model = balls(1)
    model.add_ground()
    model.add_contacts()
    assert [pair.name for pair in model.contact_pairs] == ["ground/ball0"]
    twin = copy.copy(model)
    model.add_body("late", joint=rbd.Free(), inertia=UNIT, geometry=rbd.Sphere(0.2))
    assert [pair.name for pair in model.contact_pairs] == ["ground/ball0", "ground/late", "ball0/late"]
    assert [pair.name for pair in twin.contact_pairs] == ["ground/ball0"]
    again = pickle.loads(pickle.dumps(model))
    assert [pair.name for pair in again.contact_pairs] == [pair.name for pair in model.contact_pairs]


def test_materials_of_pairs():
    rubber = rbd.Material(friction=0.9, restitution=0.5, stiffness=1000.0, damping=10.0)
    model = balls(2, geometry=rbd.Geometry(rbd.Sphere(0.1), material=rubber))
    model.add_body("plain", joint=rbd.Free(), inertia=UNIT, geometry=rbd.Sphere(0.1))
    model.add_ground(friction=0.4, restitution=0.2)
    model.add_contacts()
    model.add_contact("ground", "ball1", restitution=0.3)
    found = {pair.name: pair.material for pair in model.contact_pairs}
    assert found["ground/ball0"] == rbd.Material(math.sqrt(0.9 * 0.4), 0.5, 1000.0, 10.0)
    assert found["ground/ball1"] == rbd.Material(0.0, 0.3)
    assert found["ground/plain"] == rbd.Material(0.4, 0.2)
    assert found["ball0/ball1"] == rbd.Material(0.9, 0.5, 500.0, 5.0)
    assert found["ball0/plain"] == rubber
    firm = rbd.Material(0.3, combine="largest")  # one of two is enough
    assert firm.on(rubber).friction == rubber.on(firm).friction == 0.9 and firm.on(rubber).combine == "largest"
    assert model.add_ground(name="ice", material=rbd.Material(0.05)).material == rbd.Material(0.05)
    assert rbd.Model("m").add_ground().material == rbd.Material(0.8)


@pytest.mark.parametrize(("given", "says"), [
    ({"friction": -0.1}, "friction"), ({"restitution": 1.5}, "restitution"), ({"friction": float("nan")}, "friction"),
    ({"stiffness": 0.0}, "stiffness"), ({"damping": -1.0}, "damping"), ({"friction": None}, "friction"),
    ({"combine": "least"}, "combine 'least' of a material must be 'mean' or 'largest'"),
])  # fmt: skip
def test_materials_without_meaning_are_refused(given, says):
    with pytest.raises(ModelError, match=says):
        rbd.Material(**given)


@pytest.mark.parametrize(("call", "says"), [
    (lambda m: m.add_ground(normal=[0.0, 0.0, 0.0]), "normal"),
    (lambda m: m.add_ground(height=float("inf")), "height"),
    (lambda m: m.add_ground(friction=0.3, material=rbd.Material()), "say these in the material"),
    (lambda m: m.add_ground(material=0.3), "rbdkit.Material"),
    (lambda m: m.add_ground(name="ball0"), "taken"),
    (lambda m: [m.add_ground(), m.add_ground()], "taken"),
    (lambda m: [m.add_ground(), m.add_body("ground")], "taken"),
    (lambda m: m.add_contact("ball0", "ball0"), "do not move against each other"),
    (lambda m: [m.add_ground(), m.add_contact("ball0", "ground")], "name the ground"),
    (lambda m: m.add_contact("ball0", "world"), "no shape"),
    (lambda m: m.add_contacts(except_=[("ball0", "ball7")]), "ball7"),
    (lambda m: m.add_contacts(except_="ball0"), "except_"),
])  # fmt: skip
def test_rules_without_meaning_are_refused(call, says):
    with pytest.raises(ModelError, match=says):
        call(balls(2))


def test_a_mesh_touches_with_the_corners_of_its_hull(tmp_path):
    """Given, and from a file; points inside, twice, and on a flat side do not count, and a scale does."""
    corners = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    vertices = np.vstack([[[0.5, 0.5, 0.5], [0.2, 0.3, 0.6]], corners, corners[3:]])
    given = rbd.Mesh(vertices=vertices, faces=np.arange(15).reshape(5, 3), scale=(1.0, 2.0, 0.5))
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {k} {k + 1} {k + 2}" for k in range(1, 14, 3)]
    path = tmp_path / "stone.obj"
    path.write_text("\n".join(lines))
    for mesh in (given, rbd.Mesh(path=path, scale=(1.0, 2.0, 0.5))):
        model = rbd.Model("m")
        model.add_body("stone", joint=rbd.Free(), inertia=UNIT, geometry=mesh)
        model.add_ground(height=0.1)
        found = rbd.contacts(model, model.neutral(), margin=1.0)
        assert len(found) == 8
        assert_allclose(sorted(touch.phi for touch in found), [-0.1] * 4 + [0.4] * 4, atol=1e-15)
        assert_allclose(sorted(touch.point[1] for touch in found), [0.0] * 4 + [2.0] * 4, atol=1e-15)


def test_a_flat_mesh_touches_with_all_its_points():
    model = rbd.Model("m")
    square = rbd.Mesh(vertices=[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]], faces=[[0, 1, 2], [2, 3, 4]])
    model.add_body("sheet", joint=rbd.Free(), inertia=UNIT, geometry=square)
    model.add_ground()
    assert len(rbd.contacts(model, model.neutral())) == 4


def test_a_mesh_that_is_not_there_cannot_touch():
    model = balls(1)
    model.add_body(
        "rock", joint=rbd.Free(), inertia=UNIT, geometry=rbd.Mesh(path="rock.stl", searched=("/a/rock.stl",))
    )
    model.add_ground()
    with pytest.raises(ModelError, match=r"'ground/rock'.*'rock.stl' is not there; looked for /a/rock.stl, rock.stl"):
        rbd.contacts(model, model.neutral())


@pytest.mark.parametrize(("q", "options", "says"), [
    ([[1.0, 0, 0, 0, 0, 0, 0]], {}, "one state"), ([2.0, 0, 0, 0, 0, 0, 0], {}, "ball0"),
    ([1.0, 0, 0, 0, 0, 0, 0], {"margin": -0.1}, "margin"), ([1.0, 0, 0, 0, 0, 0, 0], {"margin": "x"}, "margin"),
])  # fmt: skip
def test_states_without_meaning_are_refused(q, options, says):
    model = balls(1)
    model.add_ground()
    with pytest.raises(StateError, match=says):
        rbd.contacts(model, q, **options)


# --- rules are part of the model --------------------------------------------------------------------------------------


def pile():
    model = rbd.Model("pile")
    for name in ("a", "b", "c"):
        model.add_body(name, joint=rbd.Free(), inertia=UNIT, geometry=rbd.Geometry(rbd.Sphere(0.1), name="skin"))
    model.add_ground(friction=0.5, material=None)
    model.add_contact("a:skin", "b", restitution=0.5, name="kiss")
    model.add_contacts(except_=[("b", "c")], name="rest")
    return model


def test_numbers_of_rules_are_parameters():
    model = pile()
    own = {name: x for name, x in model.parameters.items() if name.split(".")[0] in ("ground", "kiss", "rest")}
    assert {name: np.asarray(x).tolist() for name, x in own.items()} == {
        "ground.height": 0.0, "ground.normal": [0.0, 0.0, 1.0], "ground.friction": 0.5, "ground.restitution": 0.0,
        "kiss.friction": 0.0, "kiss.restitution": 0.5,
    }  # fmt: skip
    values = {"ground.friction": 0.1, "ground.height": 0.2, "ground.normal": [0.0, 1.0, 1.0], "kiss.restitution": 0.9}
    changed = model.with_parameters(values)
    pairs = {pair.name: pair for pair in changed.contact_pairs}
    assert pairs["ground/a"].material == rbd.Material(0.1) and pairs["a:skin/b"].material == rbd.Material(0.0, 0.9)
    (touch, *_) = rbd.contacts(changed, changed.neutral(), margin=1.0)
    assert_allclose(touch.normal, np.sqrt([0.0, 0.5, 0.5]), atol=1e-15)
    assert_allclose(touch.phi, -0.3)
    assert model.contact_rules[0].height == 0.0 and model.contact_pairs[0].material.friction == 0.5
    with pytest.raises(ModelError, match="restitution"):
        model.with_parameters({"kiss.restitution": -1.0})


def test_drafts_keep_and_rename_and_drop_rules():
    draft = Draft.from_model(pile())
    key = {part.name: part.key for part in draft.sheet.parts}
    draft.do(Rename(key["a"], "first"))
    model = draft.model()
    assert [pair.name for pair in model.contact_pairs] == [
        "ground/first",
        "ground/b",
        "ground/c",
        "first:skin/b",
        "first/c",
    ]
    draft.do(Delete(key["b"]))
    assert [pair.name for pair in draft.model().contact_pairs] == ["ground/first", "ground/c", "first/c"]
    assert [rule.name for rule in draft.model().contact_rules] == ["ground", "rest"]


def test_other_trees_keep_rules():
    model = pile()
    tree = renumbered(model, regular_numbering(shallowest_tree(graph_of(model)))).model
    assert {pair.name for pair in tree.contact_pairs} == {pair.name for pair in model.contact_pairs}


def test_a_model_tells_its_contacts():
    text = pile().describe()
    assert "ground (up to 0 m along 0 0 1), kiss (b on a:skin), rest (all but b/c)" in text


def test_what_cannot_hold_rules_refuses_them():
    model = rbd.Model("m")
    model.add_body("b", joint=rbd.Free(), inertia=UNIT, geometry=rbd.Sphere(0.1))
    model.add_ground(name="lawn")
    with pytest.raises(ModelError, match="lawn"):
        to_floating_base(model)
    for write in (to_urdf, to_dh):
        with pytest.raises(FormatError, match="lawn"):
            write(model)


# --- pairs without a closed form --------------------------------------------------------------------------------------


def two(shape_p, shape_s):
    model = rbd.Model("two")
    for name, shape in (("one", shape_p), ("two", shape_s)):
        model.add_body(name, joint=rbd.Free(), inertia=UNIT, geometry=shape)
    model.add_contact("one", "two")
    return model


def above(model, height, x=0.0):
    q = model.neutral()
    q[11], q[13] = x, height
    return q


def cube(size):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5 * size
    return rbd.Mesh(vertices=corners, faces=np.arange(6).reshape(2, 3))


def test_a_mesh_of_a_box_touches_as_the_box():
    """Four corners, where the closed form has them."""
    own, by_coal = two(rbd.Box([2, 2, 1]), rbd.Box([1, 1, 1])), two(rbd.Box([2, 2, 1]), cube(1.0))
    v = np.random.default_rng(0).normal(size=12)
    v[6:9] = v[:3] = 0.0
    for height in (0.999, 1.0, 1.001):
        found, expected = (rbd.contacts(m, above(m, height, 0.2), v, margin=0.01) for m in (by_coal, own))
        assert len(found) == len(expected) == 4
        key = lambda touch: tuple(touch.point.round(6) + 0.0)  # noqa: E731
        for a, b in zip(sorted(found, key=key), sorted(expected, key=key), strict=True):
            assert_allclose(a.phi, b.phi, atol=1e-9)
            assert_allclose(a.point, b.point, atol=1e-8)
            assert_allclose(a.normal, b.normal, atol=1e-8)
            assert_allclose(a.normal_rate, b.normal_rate, atol=1e-4)


@pytest.mark.parametrize("shapes", [
    (rbd.Ellipsoid([0.5, 0.4, 0.3]), rbd.Box([1.0, 1.0, 1.0])), (rbd.Cylinder(0.5, 0.6), rbd.Cylinder(0.4, 1.0)),
    (rbd.Cone(0.5, 1.0), rbd.Box([1.0, 1.0, 1.0])), (rbd.Ellipsoid([0.5, 0.4, 0.3]), cube(0.7)),
], ids=str)  # fmt: skip
def test_pairs_of_coal_have_the_rates_of_their_distance(shapes, differences):
    """The rate of the gap is the separation velocity, by differences of gaps."""
    model, rng = two(*shapes), np.random.default_rng(1)
    seen = 0
    while seen < 6:
        q, v = model.random_q(rng), rng.normal(size=12)
        q[11:] = q[4:7] + 0.6 * rng.normal(size=3)
        found = rbd.contacts(model, q, v, margin=2.0)
        if not -0.05 < found[0].phi < 0.2:  # where round shapes overlap more, the iterations are far less accurate
            continue
        _, zeta, _ = separation(model, q, v, found)
        rate, _ = differences(lambda s, q=q, v=v: rbd.contacts(model, model.integrate(q, s * v), margin=2.0)[0].phi)
        near = 1e-2 * (1.0 + abs(rate))  # coal knows distances to 1e-6 m, and they are taken 2 ms apart
        assert zeta.min() - near < rate < zeta.max() + near  # one place, or two ends of a line that lies on a face
        seen += len(found) == 1


def test_normals_of_coal_turn_with_the_body():
    """A cone stands on a cube that rolls about x: the normal is that of the cube's face, which turns."""
    model = two(cube(1.0), rbd.Cone(0.3, 1.0))
    q = above(model, 1.0)
    v = np.zeros(12)
    v[0] = 2.0  # the cube below, about x
    found = rbd.contacts(model, q, v, margin=0.01)
    assert len(found) == 8
    for touch in found:
        assert_allclose(touch.normal, [0.0, 0.0, 1.0], atol=1e-9)


def test_without_coal_pairs_are_refused_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "coal", None)
    model = two(rbd.Cylinder(0.1, 0.2), rbd.Box([1, 1, 1]))
    with pytest.raises(ModelError, match=r"'one/two'.*a cylinder and a box.*pip install rbdkit\[contact\]"):
        rbd.contacts(model, model.neutral())


def test_places_as_arrays_are_those_of_contacts():
    """All sorts of pairs: in closed form, the other way round, and of coal."""
    rng = np.random.default_rng(0)
    model = rbd.Model("all sorts")
    shapes = [
        rbd.Box([0.5, 0.4, 0.3]), rbd.Sphere(0.3), rbd.Capsule(0.2, 0.5), rbd.Cylinder(0.2, 0.5), rbd.Cone(0.3, 0.5),
        rbd.Ellipsoid([0.3, 0.2, 0.4]), cube(0.4), rbd.Box([0.3, 0.3, 0.6]),
    ]  # fmt: skip
    for k, shape in enumerate(shapes):
        at = se3.pose(position=0.1 * rng.normal(size=3))
        model.add_body(f"b{k}", joint=rbd.Free(), inertia=UNIT, geometry=rbd.Geometry(shape, at))
    model.add_ground()
    model.add_contacts()
    for _ in range(5):
        q = model.random_q(rng)
        q.reshape(-1, 7)[:, 4:] = 0.5 * rng.normal(size=(8, 3))
        listed = rbd.contacts(model, q, margin=0.05)
        arrays = near_places(model, rbd.forward_kinematics(model, q).poses, 0.05)
        assert [(c.pair, c.slot) for c in listed] == list(zip(arrays.pair, arrays.slot, strict=True))
        assert len(listed) > 10
        assert_allclose(arrays.gap, [c.phi for c in listed], atol=1e-14)
        assert_allclose(arrays.point, [c.point for c in listed], atol=1e-14)
        assert_allclose(arrays.normal, [c.normal for c in listed], atol=1e-14)
    none = near_places(model, rbd.forward_kinematics(model, above_all(model)).poses, 0.0)
    assert none.pair.shape == (0,) and none.point.shape == (0, 3)


def above_all(model):
    q = model.neutral().reshape(-1, 7).copy()
    q[:, 6] = 5.0 * (1.0 + np.arange(len(q)))
    return q.ravel()


@pytest.mark.parametrize(("one", "other"), [
    (rbd.Box([1, 1, 1]), rbd.Sphere(0.5)), (rbd.Sphere(0.5), rbd.Box([1, 1, 1])),
    (rbd.Box([1, 1, 1]), rbd.Capsule(0.5, 0.0)), (rbd.Cylinder(0.5, 1), rbd.Sphere(0.5)),
    (rbd.Cylinder(0.5, 1), rbd.Cone(0.5, 1)),
])  # fmt: skip
def test_normals_point_from_the_first_body_to_the_second(one, other):
    model = two(one, other)
    found = rbd.contacts(model, above(model, 1.0), margin=1e-6)
    assert found
    for touch in found:
        assert (touch.predecessor, touch.successor) == ("one", "two")
        assert_allclose(touch.normal, [0.0, 0.0, 1.0], atol=1e-9)


def test_a_ground_that_nothing_touches_is_found():
    model = rbd.Model("m")
    model.add_body("bare", joint=rbd.Free(), inertia=UNIT)
    model.add_ground(name="floor")
    (finding,) = model.validate()
    assert (finding.severity, finding.where, finding.what) == ("warning", "floor", "nothing touches")
    (remark,) = Draft.from_model(model).findings()
    assert remark.field == "contact_rules"
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.1))
    assert model.validate() == []
    model.add_contact("floor", "ball", friction=0.1)  # in place of what the ground says
    assert model.validate() == []
