"""Pictures of the notebooks on stepping: what they show, and what their tours say of it."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import RbdkitError
from rbdkit.spatial import sphere
from rbdkit_course import one_table
from rbdkit_course.lists import pictures
from rbdkit_course.stepping_pictures import (
    carried_area,
    carried_home,
    every_pair,
    flipping,
    kept_momentum,
    open_joints,
    six_speeds,
    tumbling,
)


def stops(playground):
    """The values at each stop, after a look whether it can be drawn and says something."""
    for k, stop in enumerate(playground.tour):
        playground.visit(k)
        assert not playground.panel.fault and stop.ask and stop.see
        yield dict(playground.values)
    playground.close()


def test_momentum_that_is_kept():
    spreads = []
    for at in stops(kept_momentum.kept_momentum()):
        kept = kept_momentum.run(*at.values()).invariants()
        spreads.append(max(float(np.ptp(kept[name])) for name in ("Pi1", "Pi2")))
    fine, coarse, rk4, fine_rk4 = spreads  # of some 75 kg m²/s
    assert fine < 1e-10 and coarse < 1e-9
    assert rk4 > 1.0 and fine_rk4 < 1e-2


def test_arrows_that_come_home():
    """Turned by the area, which is that of three angles and half a turn less (Girard), and of the sphere's eighth."""
    away, down, along, *homes = stops(carried_home.carried_home())
    for at, side in ((away, 0), (down, 1), (along, 2)):
        triads = carried_home.carried(carried_home.path(*at.values()))
        assert abs(len(triads) - 24 * side) <= 2
        south = triads[-1][2, 0]  # how d1 points along z
        assert south == pytest.approx(-1.0 if side else 0.0, abs=0.07)
    assert [at["way"] for at in homes] == [100.0] * 3
    rng = np.random.default_rng(0)
    places = [(at["down"], at["apart"]) for at in homes] + list(zip(rng.uniform(10, 170, 20), rng.uniform(5, 175, 20)))
    for place in places:
        a, b, c = carried_home.corners(*place)
        angles = 0.0
        for at, to, other in ((a, b, c), (b, c, a), (c, a, b)):
            u, v = (sphere.log(at, end) for end in (to, other))
            angles += np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
        found = carried_home.turned(carried_home.carried(carried_home.path(*place)))
        assert found == pytest.approx(angles - np.pi, abs=1e-7)  # of an arc cosine
        assert found == pytest.approx(carried_home.area(*place) % (2.0 * np.pi), abs=1e-12)
    assert carried_home.area(90.0, 90.0) == pytest.approx(4.0 * np.pi / 8.0, rel=1e-14)


def test_the_corner_is_where_it_is_dragged_to():
    for place in ((40.0, 60.0), (130.0, 170.0)):
        pose = rbd.pose(position=1.3 * carried_home.corners(*place)[2])  # the hand leaves the sphere
        asked = carried_home.dragged(pose)
        assert (asked["down"], asked["apart"]) == pytest.approx(place, abs=1e-9)
    assert carried_home.dragged(rbd.pose(position=[0.0, 1.0, -9.0]))["down"] == 170.0


def test_six_speeds():
    turn, slide, diagonal, about_it = (six_speeds.motion(tuple(at.values())) for at in stops(six_speeds.six_speeds()))
    assert turn[0] == pytest.approx(np.zeros(3), abs=1e-12) and turn[1][:2] == pytest.approx(np.zeros(2), abs=1e-12)
    assert slide[1] == pytest.approx(np.zeros(3), abs=1e-12) and slide[0][1:] == pytest.approx(np.zeros(2), abs=1e-12)
    assert abs(turn[1][2]) > 0.5 < abs(slide[0][0])
    for moved, still in (diagonal, about_it[::-1]):
        assert np.abs(still).max() < 1e-12 and np.ptp(np.abs(moved)) < 1e-12 < np.abs(moved).max()


def test_a_box_that_tumbles():
    runs = [tumbling.run((at["J1"], at["J2"], at["J3"]), int(at["spin about"]) - 1, at["half edge"])
            for at in stops(tumbling.tumbling())]  # fmt: skip
    middle, largest, smallest, wider = runs
    assert middle.v[:, 2].min() < -0.9 * tumbling.SPIN  # over, and over again
    assert largest.v[:, 0].min() > 0.99 * tumbling.SPIN and smallest.v[:, 1].min() > 0.99 * tumbling.SPIN
    assert np.allclose(wider.v[:, :3], middle.v[:, :3], atol=1e-6)
    assert np.abs(wider.w).max() == pytest.approx(2 * np.abs(middle.w).max(), rel=1e-6)
    with pytest.raises(RbdkitError, match="no body has such moments"):
        tumbling.draw(8.0, 1.0, 1.0, "3", 1.0)


def test_a_box_that_flips():
    found = []
    for at in stops(flipping.flipping()):
        motion, true = flipping.run(*at.values()), flipping.exact(at["J2"], at["spin"], at["tilt"])
        found.append((flipping.error(motion, true), flipping.first_flip(true), motion))
    (good, flip, _), (poor, _, _), (better, _, _), (_, _, kept), (_, later, _) = found
    assert good < 1.0 and better < 5.0 and poor > 8 * better  # of 100 rad/s
    assert 0.03 < later - flip < 0.04
    assert np.ptp(kept.energy().total) < 1e-12 * kept.energy().total[0]
    own = kept.t[np.flatnonzero(kept.v[:, 2] < 0)[0]]
    assert own < flip - 1 / 150  # by more than a step


def test_pivots_that_open():
    opened = []
    for at in stops(open_joints.your_own_top()):
        spin_y, spin_z, step, method = at.values()
        start = open_joints.heavy_top(omega=np.pi * np.array([0.0, spin_y, spin_z]))
        runs = [open_joints.run(start, group, 0.5, 1e-3 * step, method) for group in ("se3", "so3xr3")]
        opened.append([open_joints.opened(run, "pivot") for run in runs])
    paper, half, poor = opened
    assert max(paper[0], half[0], poor[0]) < 1e-12
    assert 14 < paper[1] / half[1] < 18 and poor[1] > 10 * paper[1]


def test_which_joint_opens():
    found = []
    for at in stops(open_joints.which_opens()):
        make, joints = open_joints.EXAMPLES[at["example"]]
        runs = {group: open_joints.run(make(), group, at["seconds"], 1e-3 * at["step"]) for group in ("se3", "so3xr3")}
        found.append({g: [open_joints.opened(run, joint) for joint in joints] for g, run in runs.items()})
    double, top, floating = found
    assert double["se3"][0] < 1e-12 < 1e-8 < min(double["so3xr3"][0], double["se3"][1], double["so3xr3"][1])
    assert top["se3"][0] < 1e-12 < 1e-8 < top["so3xr3"][0]
    assert 1e-12 < floating["se3"][0] < 0.6 * floating["so3xr3"][0]


def test_steps_of_a_disc_are_those_of_the_library():
    pendulum = rbd.library.pendulum()
    omega = 2 * np.pi / rbd.library.small_swing_period(pendulum)
    for name, method in carried_area.METHODS.items():
        x, p = np.array([1.0]), np.array([0.2])
        theirs = rbd.simulate(pendulum, [1.0], [0.2 * omega], duration=5e-2, dt=5e-4, progress=False,
                              integrator=name.lower().replace(" ", "_"))  # fmt: skip
        for _ in range(100):
            x, p = method(x, p, 5e-4 * omega)
        assert [x[0], p[0] * omega] == pytest.approx([theirs.q[-1, 0], theirs.v[-1, 0]], abs=1e-12)


def test_a_disc_that_is_carried():
    ratios, ends = [], []
    for at in stops(carried_area.carried_area()):
        found = carried_area.carried(*at.values())
        ratios.append(carried_area.area(*found[-1]) / carried_area.area(*found[0]))
        ends.append(found[-1])
    euler, symplectic, coarse, rk4, midpoint = ratios
    assert euler > 1.5 and rk4 < 0.97
    # two areas of a polygon of 2000 corners: the edges of what is bent are off by the square of that
    assert [symplectic, coarse, midpoint] == pytest.approx(np.ones(3), abs=1e-4)

    def off(state):  # from the orbits: how far the spread of the energy is from that of the disc
        return abs(np.ptp(0.5 * state[1] ** 2 - np.cos(state[0])) - spread)

    spread = np.ptp(0.5 * carried_area.disc()[1] ** 2 - np.cos(carried_area.disc()[0]))
    assert off(ends[3]) < 0.3 * off(ends[2]) and off(ends[4]) < 0.3 * off(ends[2])


def test_every_pair():
    playground = every_pair.every_pair()
    found = []
    for k, stop in enumerate(playground.tour[:-1]):
        playground.visit(k)
        assert not playground.panel.fault and stop.see
        found.append(one_table.measured(*[*playground.values.values()][:3], 1e-3 * playground.values["step"]))
    apart, screws, keeping, loop, closed = found
    assert apart.gap > 1e-7 and 0.3 < apart.energy < 0.7 and 5e-5 < apart.error < 2e-4
    assert screws.gap < 1e-12 and screws.error < 0.1 * apart.error and screws.energy < 0.1 * apart.energy
    assert keeping.energy < 1e-9 and keeping.error > 10 * apart.error
    assert loop.gap > 1e-7 and closed.gap < 1e-12
    playground.visit(5)
    assert "variational" in playground.panel.fault
    playground.close()


def test_the_gallery_has_them():
    assert {"kept_momentum", "six_speeds", "tumbling", "flipping", "your_own_top", "which_opens"} <= set(pictures())
    assert "force_on_a_joint" in pictures()
