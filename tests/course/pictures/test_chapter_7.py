"""The pictures of chapter 7 show what they say: their numbers by other routes, without a browser."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import project_handles
from rbdkit.algorithms.articulated.assembly_tree import bodies_of
from rbdkit.scene.palette import INERTIA
from rbdkit_course.catalogue import exercises
from rbdkit_course.featherstone.pictures import across_the_joint, assembly_rounds, chain_on_a_handle, push_the_box

FORCE, GREEN = "#d9772b", "#2f9e8f"


def number(text: str) -> float:
    return float(text.split()[0])


@pytest.mark.source("F7.03")
@pytest.mark.parametrize("slide", [0.0, 0.3])
@pytest.mark.parametrize(("azimuth", "elevation"), [(0.0, 0.0), (1.2, 0.0), (np.pi / 2, 0.0), (0.4, -0.9)])
def test_the_box_moves_as_it_does_when_pushed(azimuth, elevation, slide):
    model, q = push_the_box.placed(3.0, slide)
    d, rest = push_the_box.direction(azimuth, elevation), np.zeros(model.nv)
    qdd = rbd.aba(model, q, rest, rest, f_ext={"box": np.concatenate([np.zeros(3), d])})
    picture = push_the_box.draw(azimuth, elevation, 3.0, slide, "origin")
    readout = dict(picture.readout)
    assert number(readout["apparent mass"]) == pytest.approx(1.0 / (d @ qdd[3:6]), abs=6e-4)
    assert number(readout["acceleration at the force"]) == pytest.approx(np.linalg.norm(qdd[3:6]), abs=6e-4)
    assert number(readout["turning"]) == pytest.approx(np.linalg.norm(qdd[:3]), abs=6e-4)
    push, *motion = picture.arrows
    assert push.color == FORCE and np.cross(push.vector, d) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.asarray(push.start) == pytest.approx(picture.handle[:3, 3])
    straight = next(arrow for arrow in motion if arrow.color == GREEN)
    assert np.cross(straight.vector, qdd[3:6]) == pytest.approx(np.zeros(3), abs=1e-12)
    assert picture.poses[3, 1, 3] == pytest.approx(slide)


def test_a_students_function_moves_the_box():
    """The solution of the lab, compiled once for all masses; from what is no inertia nothing is drawn."""
    (solution,) = (each.solution for each in exercises("LC") if each.name == "LC-4")
    space = {"np": np, "rbd": rbd}
    exec(solution, space)
    box = rbd.library.box_and_cylinder()
    fast = rbd.compile(space["my_general_aba"], box)
    for cylinder, slide in ((3.0, 0.0), (5.0, 0.2), (0.7, -0.3)):
        own = push_the_box.draw(0.4, -0.9, cylinder, slide, "origin", own=fast)
        assert own.readout == push_the_box.draw(0.4, -0.9, cylinder, slide, "origin").readout
    assert len(fast._traced) == 1
    for other in (lambda model, q, qd, tau: 0.0 * qd, lambda model, q, qd, tau: -tau):
        found = push_the_box.draw(0.4, -0.9, 3.0, 0.0, "origin", own=rbd.compile(other, box))
        assert "by your function yet" in found.note and not found.arrows


def test_pushed_through_the_centre_of_apparent_mass_the_box_does_not_turn():
    for azimuth in (0.0, 0.7, 2.0):
        readout = dict(push_the_box.draw(azimuth, 0.5, 5.0, -0.3, "centre of apparent mass").readout)
        assert readout["turning"] == "0.000 rad/s²"
    assert dict(push_the_box.draw(0.0, 0.0, 5.0, -0.3, "origin").readout)["turning"] != "0.000 rad/s²"


def test_dragging_the_handle_turns_the_force():
    playground = push_the_box.push_the_box()
    pose = np.eye(4)
    pose[:3, 3] = 0.0, -2.0, -2.0
    playground._dragged(pose, done=True)
    assert playground.values["azimuth"] == pytest.approx(np.pi / 2)
    assert playground.values["elevation"] == pytest.approx(np.pi / 4)
    assert push_the_box.dragged(np.eye(4)) == {}
    playground.close()


@pytest.mark.source("F7.05")
@pytest.mark.parametrize("joints", ["hinges", "ball joints"])
@pytest.mark.parametrize("links", [1, 4, 8])
def test_the_handle_of_the_chain_against_projection(joints, links):
    model = chain_on_a_handle.chain(joints, 0.9)
    q = chain_on_a_handle.coordinates(model, 0.9)
    short = rbd.Model(gravity=(0, 0, 0))
    for body in model.bodies[1 : links + 1]:
        parent = model.bodies[body.parent].name
        short.add_body(body.name, parent, body.joint.type, body.joint.placement, body.inertia)
    rest = np.zeros(short.nv)
    expected = project_handles(short, q[: short.nq], rest, rest, "link1").IA
    np.testing.assert_allclose(chain_on_a_handle.on_handle(model, q)[links - 1].I, expected, atol=1e-10)
    picture = chain_on_a_handle.draw(float(links), 0.9, joints)
    masses = [float(m) for m in dict(picture.readout)["apparent mass"].removesuffix(" kg").split(" · ")]
    assert masses == pytest.approx(np.linalg.eigvalsh(expected[3:, 3:]), abs=6e-3)
    (ellipsoid,) = picture.ellipsoids
    assert ellipsoid.color == INERTIA
    assert ellipsoid.radii**2 == pytest.approx(chain_on_a_handle.LARGEST**2 * np.array(masses) / 8, rel=1e-2)
    apart = picture.poses[1:, 0, 3] - rbd.forward_kinematics(model, q).poses[1:, 0, 3]
    assert apart == pytest.approx([0.0] * links + [chain_on_a_handle.GAP] * (8 - links))


def test_a_welded_chain_is_a_rigid_body_where_the_others_are():
    welded = chain_on_a_handle.chain("welded", 0.9)
    hinged = chain_on_a_handle.chain("hinges", 0.9)
    q = [chain_on_a_handle.coordinates(model, 0.9) for model in (welded, hinged)]
    poses = [rbd.forward_kinematics(model, x).poses for model, x in zip((welded, hinged), q)]
    np.testing.assert_allclose(*poses, atol=1e-14)
    np.testing.assert_allclose(chain_on_a_handle.on_handle(welded, q[0])[7].I[3:, 3:], 8 * np.eye(3), atol=1e-12)


@pytest.mark.source("F7.06")
@pytest.mark.parametrize(
    ("joint", "ranks", "zeros"),
    [
        ("hinge", "6 and 5", "nz"),
        ("slider", "6 and 5", "fz"),
        ("screw, 0.3 m/rad", "6 and 5", "none"),
        ("cylinder", "6 and 4", "nz, fz"),
        ("ball joint", "6 and 3", "nx, ny, nz"),
    ],
)
def test_what_a_joint_takes_away(joint, ranks, zeros):
    readout = dict(across_the_joint.draw(joint, 0.0, 0.4).readout)
    assert readout["rank of I^A and of I^a"] == ranks
    assert readout["rows and columns of zeros"] == zeros
    assert float(readout["largest element of I^a S"]) < 1e-14
    tilted = dict(across_the_joint.draw(joint, 0.6, 0.4).readout)
    assert tilted["rank of I^A and of I^a"] == ranks


def test_a_hinge_off_centre_lightens_across_the_arm():
    """m J / (J + m r^2), the mass of a rod pushed at its end; and the box at the picture's place."""
    J = 4.0 / 12.0 * (0.9**2 + 0.35**2)
    picture = across_the_joint.draw("hinge", 0.0, 0.6)
    lightest = number(dict(picture.readout)["apparent mass behind the joint"])
    assert lightest == pytest.approx(4.0 * J / (J + 4.0 * 0.36), abs=6e-3)
    assert picture.poses[1, 0, 3] == pytest.approx(0.2)
    assert all(min(ellipsoid.radii) > 0.0 for ellipsoid in across_the_joint.draw("slider", 0.0, 0.0).ellipsoids)


@pytest.mark.source("F7.11")
def test_rounds_of_assembly():
    picture = assembly_rounds.draw(15.0, "halves", 2.0)
    assert dict(picture.readout) == {
        "round": "2 of 4",
        "assemblies in this round": "4",
        "assemblies in all": "15",
        "processors that have work": "8",
    }
    assert dict(assembly_rounds.draw(15.0, "one by one", 99.0).readout)["round"] == "15 of 15"
    for order in assembly_rounds.ORDERS:
        plan = assembly_rounds.order_of(11, order)
        made = assembly_rounds.pieces(plan)
        assert len(made) == 2 * 12 - 1 and len(list(bodies_of(plan))) == 12
        assert all(piece.last - piece.first >= piece.round for piece in made)
        assert assembly_rounds.rounds_of(order)[14] == (4 if order == "halves" else 15)


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (push_the_box.push_the_box, {"azimuth": 1.0, "through": "centre of apparent mass"}),
        (chain_on_a_handle.chain_on_a_handle, {"links": 6.0, "joints": "welded"}),
        (across_the_joint.across_the_joint, {"joint": "cylinder", "tilt": 0.3}),
        (assembly_rounds.assembly_rounds, {"order": "one by one", "round": 1.0}),
    ],
)
def test_playgrounds_start_and_move(make, values):
    playground = make()
    before = playground.panel.drawing
    playground.set(**values)
    assert playground.panel.fault == "" and playground.panel.drawing != before
    assert playground.picture.note and all(row[1] for row in playground.picture.readout)
    playground.close()
