"""What the widgets of chapter 2 draw, against computations of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit.spatial import Screw, basis, plucker, se3
from rbdkit.spatial.screw import twist_screw
from rbdkit_course.featherstone.pictures.cross_table import carried, crossing
from rbdkit_course.featherstone.pictures.screw_field import POINTS, SCALE, axis_of, screw_field
from rbdkit_course.featherstone.pictures.spinning_body import SHOWN, arrows_of, points_at, spinning_body
from rbdkit_course.featherstone.pictures.two_frames import matrices, pose_of, two_frames


def test_the_screw_of_the_sliders():
    """Its axis goes through the given point, in the given direction."""
    at = Screw(*axis_of(0.5, 0.7, 0.3), -0.4, 1.3)
    found = twist_screw(at.twist())
    assert_allclose(np.cross([0.5, 0.7, 0.0] - found.point, at.direction), 0, atol=1e-14)
    assert (found.pitch, found.magnitude) == pytest.approx((-0.4, 1.3))
    assert at.point @ at.direction == pytest.approx(0.0)  # the point nearest to the origin


def test_arrows_of_the_screw_field():
    """Each is the velocity of a point that is carried by the screw for a short while."""
    playground = screw_field()
    playground.set(magnitude=0.9, pitch=0.3, tilt=0.4, **{"axis x": -0.2, "axis y": 0.6})
    v = Screw(*axis_of(-0.2, 0.6, 0.4), 0.3, 0.9).twist()
    h = 1e-6
    there, back = se3.exp(h * v), se3.exp(-h * v)
    for P, arrow in zip(POINTS, playground.picture.arrows):
        moved = (there - back) @ np.append(P, 1.0) / (2 * h)
        assert_allclose(arrow.start, P)
        assert_allclose(arrow.vector, SCALE * moved[:3], atol=1e-8)
    assert dict(playground.picture.readout)["on the axis"] == "0.270 m/s"
    playground.set(**{"read as": "wrench"})
    assert dict(playground.picture.readout)["on the axis"] == "0.270 N m"
    assert playground.picture.arrows[0].kind == "turning"
    playground.stage.handle(se3.pose(position=[0.1, 0.2, 0.0]))
    playground._dragged(se3.pose(position=[5.0, 0.2, 0.0]), True)
    assert (playground.values["axis x"], playground.values["axis y"]) == (1.0, 0.2)


def test_the_matrices_between_two_frames():
    """X takes twists along, whatever moves: by a material point's velocity in both frames. Planar: inside the 6x6."""
    pose = pose_of(0.7, -0.4, 0.2, 0.5, -0.3, 0.9)
    X, X_star = matrices(pose, flat=False)
    v, f = np.random.default_rng(2).normal(size=(2, 6))
    P = np.array([0.3, 0.1, -0.6])  # in B
    in_A = pose[:3, :3] @ P + pose[:3, 3]
    velocity = v[3:] + np.cross(v[:3], in_A)
    v_B = X @ v
    assert_allclose(v_B[3:] + np.cross(v_B[:3], P), pose[:3, :3].T @ velocity, atol=1e-14)
    assert (X @ v) @ (X_star @ f) == pytest.approx(v @ f)
    flat, flat_star = matrices(pose_of(0.7, -0.4, 0.0, 0.5, 0.0, 0.0), flat=True)
    whole = plucker.from_pose(pose_of(0.7, -0.4, 0.0, 0.5, 0.0, 0.0))
    assert_allclose(flat, whole[2:5, 2:5], atol=1e-15)
    assert_allclose(flat_star, plucker.force(whole)[2:5, 2:5], atol=1e-15)


def test_a_dragged_frame():
    playground = two_frames()
    pose = pose_of(0.3, -0.8, 0.5, 2.0, 0.4, -1.0)
    playground._dragged(pose, True)
    assert_allclose(playground.picture.poses[1], pose, atol=1e-12)
    assert playground.picture.handle_turns
    playground.set(matrix="X, in the plane")
    assert_allclose(playground.picture.poses[1][2], [0, 0, 1, 0], atol=1e-15)
    assert "<svg" in playground.panel.drawing


def test_points_of_the_turntable_by_differences():
    angle, spin, spin_up, h = 0.7, 1.4, 0.6, 1e-4

    def at(t):
        return points_at(angle + spin * t + 0.5 * spin_up * t * t)

    _, velocities = arrows_of(angle, spin, spin_up, SHOWN[0])
    _, accelerations = arrows_of(angle, spin, spin_up, SHOWN[1])
    assert_allclose(velocities, (at(h) - at(-h)) / (2 * h), atol=1e-7)
    assert_allclose(accelerations, (at(h) - 2 * at(0) + at(-h)) / h**2, atol=1e-6)


def test_the_field_of_an_even_spin_stands_still():
    """At places that stay, not points that go: velocity there now and a little later."""
    places, change = arrows_of(0.2, 1.4, 0.6, SHOWN[2])
    h = 1e-6
    now, later = (np.cross([0, 0, 1.4 + 0.6 * t], places) for t in (0.0, h))
    assert_allclose(change, (later - now) / h, atol=1e-9)
    playground = spinning_body()
    playground.set(arrows=SHOWN[2])
    assert not any(np.any(arrow.vector) for arrow in playground.picture.arrows)  # without length: none is drawn
    assert "0.35" not in playground.panel.note and dict(playground.picture.readout)["a point of the rim"] == "1.05 m/s²"


@pytest.mark.parametrize("u", basis.MOTION_BASIS)
def test_carried_vectors_change_at_the_rate_of_the_table(u):
    playground, h = crossing(), 1e-6
    for b in (*basis.MOTION_BASIS, *basis.FORCE_BASIS):
        there, rate = carried(u, b, h)
        back, _ = carried(u, b, -h)
        assert_allclose((there - back) / (2 * h), rate, atol=1e-9)
    playground.set(u=u, b="e_Oy", time=1.0)
    assert dict(playground.picture.readout)["u"].startswith(u)


def test_a_turned_force_makes_a_moment():
    """d_x carries a force along y sideways: about O it gains a couple about z."""
    playground = crossing()
    playground.set(u="d_x", b="e_Oy", time=1.0)
    shown = dict(playground.picture.readout)
    assert shown["u ×* b"] == "e_z: couple about z"
    assert shown["b moved"].split() == ["+0.00", "+0.00", "+1.00", "+0.00", "+1.00", "+0.00"]
