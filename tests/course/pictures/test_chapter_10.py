"""What the pictures of chapter 10 show, computed in another way."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.accuracy import planar_acceleration
from rbdkit.library import branched_parents, rod_tree, zigzag_angles, zigzag_chain
from rbdkit_course.featherstone.pictures import condition_growth, cost_curves, far_frame, simplifier, zigzag_fan
from rbdkit_course.featherstone.pictures.powers_of_ten import power_of_ten


def shown(picture):
    return dict(picture.readout)


def test_the_far_frame_begins_at_the_numbers_of_the_book():
    playground = far_frame.far_frame()
    assert shown(playground.picture)["condition of I_O"] == "1.02e+08"  # |c| of (100, 10)
    playground.set(distance=1e4)
    assert shown(playground.picture)["condition of I_O"] == "1e+16"
    playground.close()


def test_digits_that_are_left():
    near, far = (planar_acceleration(c) for c in ((0.1, 0.2), (100.0, 10.0)))
    assert np.all(far_frame.digits_left(near) > 15.0)
    assert far_frame.digits_left(far)[0] == pytest.approx(12.0, abs=1.0)  # 9.5e-13
    assert far_frame.draw(1e4, 1e-2, "single").figure.svg().count("0 digits") >= 1


def test_speed_draws_a_curve_of_its_own():
    still, fast = (far_frame.draw(1.0, speed, "double").figure.axes[0].lines for speed in (1e-2, 1e3))
    assert len(fast) == len(still) + 1
    curve = next(line for line in fast if line.get_linestyle() == "--").get_ydata()
    assert np.min(curve) > 1e-13


def test_rods_of_the_fan_are_those_of_the_model():
    chain, q = zigzag_chain(), np.array([0.3, -0.5, 0.9, 0.2, -1.1, 0.4])
    places, poses = zigzag_fan.hinges(q), rbd.forward_kinematics(chain, q).poses
    assert places[:-1] == pytest.approx(poses[1:, :2, 3], abs=1e-14)
    assert places[-1] == pytest.approx((poses[-1] @ [1.0, 0.0, 0.0, 1.0])[:2], abs=1e-14)
    shown_at = zigzag_fan.upright_poses(q)
    assert np.array_equal(shown_at[0], np.eye(4))
    assert shown_at[1:, :3, 3] == pytest.approx(
        np.column_stack([places[:-1, 0], np.zeros(6), places[:-1, 1]]), abs=1e-14
    )


def test_the_fan_opens_with_the_error_and_closes_without():
    playground = zigzag_fan.zigzag_fan()
    assert shown(playground.picture)["condition of H"] == "725"
    assert len(playground.picture.ellipsoids) == 6 * (zigzag_fan.SAMPLES + 1)
    wanted = zigzag_angles() + 0.5 * 0.8**2
    first = zigzag_fan.hinges(wanted)[:2]
    assert playground.picture.ellipsoids[-6].center[[0, 2]] == pytest.approx(first.mean(axis=0), abs=1e-14)
    assert all(np.linalg.det(rod.axes) == pytest.approx(1.0, rel=1e-12) for rod in playground.picture.ellipsoids)
    playground.set(**{"force error": 0.0})
    assert shown(playground.picture)["worst acceleration"] == "0 % off"
    places = {tuple(rod.center) for rod in playground.picture.ellipsoids}
    assert len(places) == 6  # all chains on top of one another
    playground.set(after=0.0)
    assert not playground.picture.ellipsoids
    playground.set(angle=0.0, luck=7)
    assert shown(playground.picture)["condition of H"] == "5685"
    playground.close()


def test_rods_of_the_growth_picture_hang_together():
    parents = branched_parents(9)
    tree, q = rod_tree(parents), zigzag_angles(9, 0.6)
    rods = condition_growth.rods_in_plane(tree, q)
    for i, p in enumerate(parents, 1):
        start = rods[p - 1, 1] if p else np.zeros(2)
        assert rods[i - 1, 0] == pytest.approx(start, abs=1e-14)
        assert np.hypot(*(rods[i - 1, 1] - rods[i - 1, 0])) == pytest.approx(1.0, rel=1e-14)


def test_growth_of_the_condition():
    playground = condition_growth.condition_growth()
    playground.set(angle=75.0, rods=6)
    assert shown(playground.picture)["condition of H"] == "725"
    assert shown(playground.picture)["depth of the tree"] == "6"
    playground.set(angle=0.0, rods=10)
    assert shown(playground.picture)["condition of H"] == "43 523"
    assert float(shown(playground.picture)["grows with the power"]) == pytest.approx(4.0, abs=0.07)
    playground.set(shape="two children each", rods=7)
    assert shown(playground.picture)["depth of the tree"] == "3"
    playground.close()


def test_cost_curves_meet_where_the_book_says():
    playground = cost_curves.cost_curves()
    rows = shown(playground.picture)
    assert (rows["articulated bodies"], rows["by the inertia matrix"]) == ("2925", "2921")
    assert rows["inertia matrix wins up to"] == "8 joints" and rows["cheaper"] == "the inertia matrix"
    playground.set(**{"addition": 0.5})
    assert shown(playground.picture)["inertia matrix wins up to"] == "7 joints"
    playground.set(**{"addition": 1.0, "joints": 31, "children": "2"})
    rows = shown(playground.picture)
    assert (rows["by the inertia matrix"], rows["articulated bodies"]) == ("12477", "12792")
    playground.set(children="4")
    assert shown(playground.picture)["inertia matrix wins up to"] == "more than 40 joints"
    playground.close()


def test_the_simplifier_shows_table_10_3():
    playground = simplifier.simplifier()
    rows = shown(playground.picture)
    assert (rows["operations before"], rows["operations after"]) == ("29", "5")
    playground.set(**{"axis s": "general", "I known": "at run time"})
    assert shown(playground.picture)["operations after"] == "29"
    playground.set(**{"axis s": "z"})
    svg = playground.picture.figure.svg()
    assert "I[8]" in svg and "0 * t" in svg
    playground.close()


def test_powers_of_ten_in_plain_text():
    assert [power_of_ten(k) for k in (-12, -1, 0, 1, 4)] == ["10⁻¹²", "10⁻¹", "1", "10", "10⁴"]
