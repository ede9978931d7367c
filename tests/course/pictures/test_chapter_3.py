"""What the widgets of chapter 3 draw, against computations of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.spatial import se3, so3
from rbdkit_course.featherstone.pictures.force_split import JOINTS, SCALE, beam, force_on_a_joint, split_on
from rbdkit_course.featherstone.pictures.mobility import mobility, mobility_at
from rbdkit_course.featherstone.pictures.pinion_bearing import bearing, pinion_bearing
from rbdkit_course.featherstone.pictures.rolling_ball import RADIUS, Rolled, rolling_ball
from rbdkit_course.featherstone.pictures.string_of_discs import fly, string_of_discs


@pytest.mark.parametrize("joint", dict(JOINTS))
def test_the_split_force_moves_the_beam_as_simulation_does(joint):
    force, at = np.array([3.0, -7.0, 2.0]), 0.8
    parts, a = split_on(joint, force, at)
    model = rbd.Model("beam", gravity=np.zeros(3))
    model.add_body("beam", joint=dict(JOINTS)[joint], inertia=beam().bodies[1].inertia)
    q, still = model.neutral(), np.zeros(model.nv)
    f_ext = {"beam": rbd.wrench(force, [at, 0, 0])}
    qdd = rbd.forward_dynamics(model, q, still, still, f_ext=f_ext)
    assert_allclose(model.joints[1].motion_subspace(q) @ qdd, a, atol=1e-11 * max(1.0, np.abs(a).max()))
    assert_allclose(parts.f_a + parts.f_c, [*np.cross([at, 0, 0], force), *force], atol=1e-13)


def drawn(playground):
    """The arrows that have a length."""
    return [arrow for arrow in playground.picture.arrows if np.linalg.norm(arrow.vector) > 1e-9]


def test_arrows_of_the_split():
    """A force through the centre of percussion of a hinged beam is all of it acceleration: nothing is borne."""
    playground, inertia = force_on_a_joint(), beam().bodies[1].inertia
    sweet = inertia.matrix[1, 1] / (inertia.mass * inertia.com[0])
    playground.set(at=sweet, **{"f x": 0.0, "f z": 10.0})
    whole, accelerating = drawn(playground)
    assert_allclose(whole.start, [sweet, 0, 0])
    assert_allclose(accelerating.start, [sweet, 0, 0], atol=1e-12)
    assert_allclose(accelerating.vector, [0, 0, SCALE * 10.0], atol=1e-12)
    playground._dragged(se3.pose(position=[0.5, 0.3, 0.1]), True)
    assert playground.values["f y"] == pytest.approx(0.3 / SCALE) and playground.values["at"] == 0.5
    playground.set(joint="free")
    assert len([arrow for arrow in drawn(playground) if arrow.color == playground.picture.arrows[0].color]) == 1


@pytest.mark.parametrize("joint", dict(JOINTS))
def test_the_ellipsoid_is_how_the_point_gives_way(joint):
    """Accelerations of the point under unit forces along the axes, by forward dynamics at rest."""
    point = np.array([0.9, 0.2, -0.3])
    _, gives = mobility_at(joint, point)
    model = rbd.Model("beam", gravity=np.zeros(3))
    model.add_body("beam", joint=dict(JOINTS)[joint], inertia=beam().bodies[1].inertia)
    q, still = model.neutral(), np.zeros(model.nv)
    S = model.joints[1].motion_subspace(q)
    for k, unit in enumerate(np.eye(3)):
        a = S @ rbd.forward_dynamics(model, q, still, still, f_ext={"beam": rbd.wrench(unit, point)})
        assert_allclose(gives[:, k], a[3:] + np.cross(a[:3], point), atol=1e-9)
    playground = mobility()
    playground.set(joint=joint)
    assert dict(playground.picture.readout)["rank of Φ"] == str(model.nv)
    (ellipsoid,) = playground.picture.ellipsoids
    assert np.linalg.det(ellipsoid.axes) == pytest.approx(1.0)


def test_the_pinion():
    """Newton for the beam: all forces together are m a of its centre of mass, whatever the wheel."""
    model = beam()
    inertia = model.bodies[1].inertia
    for radius in (0.1, 0.5):
        qdd, tooth, borne = bearing(radius, 4.0, 0.6)
        assert qdd == pytest.approx(4.0 / inertia.matrix[2, 2])
        along = np.array([-np.sin(0.6), np.cos(0.6), 0.0])
        assert_allclose((tooth + borne)[3:], inertia.mass * inertia.com[0] * qdd * along, atol=1e-12)
        assert_allclose(tooth, [0, 0, 4.0, 0, -4.0 / radius, 0], atol=1e-12)
    playground = pinion_bearing()
    before = dict(playground.picture.readout)
    playground.set(**{"gear radius": 0.1})
    after = dict(playground.picture.readout)
    assert after["acceleration"] == before["acceleration"]
    assert after["at the tooth"] == "40.0 N" and after["in the bearing"] != before["in the bearing"]
    assert "<svg" in playground.panel.drawing


def test_the_discs():
    flight = fly(np.array([[0.9, 0.2], [-0.3, 0.6], [-0.2, -0.9]]))
    assert max(abs(flight.string.phi(q)) for q in flight.q) < 1e-6
    assert flight.tension.min() > 0.0
    playground = string_of_discs()
    for shown in ("velocities", "gradient of the length", "nothing"):
        playground.set(time=2.0, arrows=shown)
        assert "<svg" in playground.panel.drawing
    k = int(np.argmin(np.abs(flight.t - 2.0)))
    assert dict(playground.picture.readout)["tension λ"] == f"{flight.tension[k]:.3f} N"


def test_a_ball_that_is_rolled_around_a_small_square_spins_by_its_area():
    """A counterclockwise loop of area A leaves a clockwise turn of A / r^2, up to terms of third order in the side."""
    for side in (0.02, 0.04):
        ball = Rolled()
        for place in ((side, 0), (side, side), (0, side), (0, 0)):
            ball.roll_to(np.array(place))
        assert_allclose(so3.log(ball.R), [0, 0, -(side**2) / RADIUS**2], atol=2 * (side / RADIUS) ** 3)
        assert ball.turned > 0.0


def test_rolling_there_and_back_undoes_itself():
    playground = rolling_ball()
    playground.set(x=1.0)
    assert_allclose(playground.picture.poses[1][:3, :3], so3.exp([0, 1.0 / RADIUS, 0]), atol=1e-14)
    playground.set(x=0.0)
    assert_allclose(playground.picture.poses[1], se3.pose(position=[0, 0, RADIUS]), atol=1e-14)
    playground._dragged(se3.pose(position=[0.7, -0.6, 3.0]), False)
    assert playground.values["y"] == -0.6
    assert dict(playground.picture.readout)["turned by"] != "0.0°"
    playground.set(ball="is lifted")
    assert dict(playground.picture.readout)["turned by"] == "0.0°"
