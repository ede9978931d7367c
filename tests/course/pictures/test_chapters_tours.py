"""What the tours of the chapters' first pictures say is to be seen is there."""

import numpy as np
import pytest

from rbdkit.accuracy import planar_acceleration
from rbdkit_course.featherstone.four_bar import closed, dead_centres, speed_ratio
from rbdkit_course.featherstone.pictures import counted_operations, cross_table, far_frame, gear_ratio, inertia_pattern
from rbdkit_course.featherstone.pictures.counting import counting
from rbdkit_course.featherstone.pictures.cross_table import crossing
from rbdkit_course.featherstone.pictures.dead_centre import dead_centre
from rbdkit_course.featherstone.pictures.driven_trolley import driven_trolley
from rbdkit_course.featherstone.pictures.force_split import force_on_a_joint, split_on
from rbdkit_course.featherstone.pictures.shaken_pivot import motion, shaken_pivot


def stops(playground):
    """The values at each stop, after a look whether it can be drawn and says something."""
    for k, stop in enumerate(playground.tour):
        playground.visit(k)
        assert not playground.panel.fault and stop.ask and stop.see
        yield dict(playground.values), dict(playground.picture.readout)
    playground.close()


def test_carrying_a_basis_vector():
    axis, slide, leaning, force = (said for _, said in stops(crossing()))
    assert axis["u × b"].startswith("-d_z: backward, sliding along z")
    assert slide["u × b"] == "0" and leaning["u × b"].startswith("d_y: sliding along y")
    assert force["u ×* b"].startswith("-e_z: backward, couple about z")
    moved, _ = cross_table.carried("d_y", "d_Ox", 1.0)
    assert moved == pytest.approx([1, 0, 0, 0, 0, -1], abs=1e-12)


def test_a_push_on_a_joint():
    found = []
    for at, _ in stops(force_on_a_joint()):
        parts, a = split_on(at["joint"], np.array([at["f x"], at["f y"], at["f z"]]), at["at"])
        found.append((-parts.f_c, a))
    (far, _), (close, _), (sweet, _), (on_it, still), (slide, moving) = found
    assert far[5] > 2.0  # the hinge's answer, up
    assert close[5] < -2.0  # and down
    assert np.abs(sweet).max() < 0.03  # of 10 N
    assert np.abs(still).max() < 1e-12 and on_it[5] == pytest.approx(-10.0)
    assert moving == pytest.approx([0, 0, 0, 10.0 / 3.0, 0, 0]) and slide[5] == pytest.approx(-10.0)
    assert abs(slide[1]) > 10.0  # the moment of a push at 1.2 m


def test_entries_of_the_inertia_matrix():
    above, beside, diagonal, by_lot, flat = (at for at, _ in stops(inertia_pattern.inertia_pattern()))
    model = inertia_pattern.numbered_model(above["tree"], above["numbering"])
    assert set(model.subtree(2)) & set(model.subtree(5)) == {5, 6, 7}
    H = inertia_pattern.matrix(beside["tree"], beside["numbering"])
    assert H[1, 2] == 0.0
    assert (diagonal["row i"], diagonal["column j"]) == (2, 2)
    mixed = inertia_pattern.matrix(by_lot["tree"], by_lot["numbering"])
    assert np.count_nonzero(mixed) == np.count_nonzero(H) and ((mixed == 0) != (H == 0)).any()
    alone = inertia_pattern.matrix(flat["tree"], flat["numbering"])
    assert np.count_nonzero(alone) == 7


def test_toward_the_dead_centre():
    before, close, dead, pressed = stops(dead_centre())
    ratios = [abs(speed_ratio(closed(np.radians(at["crank"])))) for at, _ in (before, close, dead)]
    assert ratios[0] > ratios[1] > 0.02 and ratios[2] < 1e-4
    assert dead[0]["crank"] == pytest.approx(np.degrees(dead_centres()[0]), abs=0.01)
    apart = [float(said["between the two ways to close"].rstrip("°")) for _, said in (before, close, dead)]
    assert apart[0] > apart[1] > apart[2] == 0.0
    assert pressed[0]["motor at"] == "crank" and "any torque" in pressed[1]["1 N m at the crank holds"]


def test_a_shaken_pivot():
    slow, fast, aside, short = stops(shaken_pivot())
    stands = [said["at the end it"] == "stands" for _, said in (slow, fast, aside, short)]
    assert stands == [False, True, False, True]
    speeds = [at["amplitude"] * at["frequency"] for at, _ in (slow, fast, short)]
    assert speeds[0] ** 2 < 2 * 9.81 * 0.5 < min(speeds[1:]) ** 2
    assert fast[0]["tilt"] == pytest.approx(np.radians(20), abs=2e-3)
    _, angle, _ = motion(fast[0]["amplitude"], fast[0]["frequency"], fast[0]["tilt"])
    assert abs(angle[-1] - np.pi) < 0.2


def test_a_driven_trolley():
    late, even, between, other = [said for _, said in stops(driven_trolley())]
    left = [float(said["swing left over"].rstrip("°")) for said in (late, even, between, other)]
    assert left[:2] == pytest.approx([29.0, 47.0], abs=0.6) and max(left[2:]) < 0.6
    force = [float(said["largest force on the trolley"].rstrip(" N")) for said in (between, other)]
    assert force[0] < force[1]


def test_a_geared_rotor():
    shares = []
    for at, _ in stops(gear_ratio.gear_ratio()):
        H = gear_ratio.inertias(*at.values())
        shares.append(((H.full - H.none)[1, 1], H.full[1, 1]))
    (one, _), (hundred, whole), (twice, most), (heavy, _) = shares
    assert hundred == pytest.approx(1e4 * one) and twice == pytest.approx(4 * hundred)
    assert heavy == pytest.approx(2 * hundred)
    assert hundred > whole / 3 and twice > most / 2


def test_digits_from_afar():
    left = []
    for at, _ in stops(far_frame.far_frame()):
        kind = far_frame.PRECISIONS[at["precision"]]
        place, velocity = at["distance"] * far_frame.DIRECTION, at["speed"] * np.array([0.6, 0.8])
        left.append(far_frame.digits_left(planar_acceleration(place, velocity, kind)).min())
    here, hundred, far, single, near = left
    assert here > 15 and hundred < here - 2 and far < 10 and single < 1 and near > 5


def test_prices():
    prices = []
    for at, _ in stops(counting()):
        prices.append(counted_operations.counted(at["operation"], at["way"]).operations.total)
    matrices, compact, screw, articulated = prices
    assert compact < matrices / 6 and screw < compact / 3 and articulated > 2 * screw
