"""What the widgets on gears and equivalent inertias show, against computations of their own."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course.featherstone.pictures.gear_ratio import gear_ratio, inertias
from rbdkit_course.featherstone.pictures.inertia_exchange import (
    STEPS,
    H,
    arm,
    handed,
    inertia_exchange,
    original_run,
    other_arm,
)
from rbdkit_course.featherstone.pictures.meshing_wheels import (
    AXLE,
    WHEELS,
    differential_wheels,
    draw_differential,
    draw_wheels,
    elliptic_wheels,
)


def test_matrices_of_the_geared_arm():
    """The rotors' part: rho^2 I on the diagonal, rho I beside it."""
    for ratio, rotor in ((100.0, 1.0), (7.0, 3.0)):
        shown = inertias(ratio, rotor, 0.2, -0.7)
        I = 1e-5 * rotor
        assert shown.quick - shown.none == pytest.approx(ratio**2 * I * np.eye(2), abs=1e-13)
        assert shown.full - shown.quick == pytest.approx(ratio * I * (1 - np.eye(2)), abs=1e-13)
        assert shown.q == pytest.approx([0.2, ratio * 0.2, -0.7, ratio * -0.7])


def test_readout_of_the_gears():
    playground = gear_ratio()
    playground.set(ratio=200.0, rotor=2.0)
    readout = dict(playground.picture.readout)
    assert readout["seen through the gear, ρ² I"] == "0.8000 kg m²"
    assert readout["the quick way leaves out, ρ I"] == "4.0e-03 kg m²"
    assert playground.picture.q[1] == pytest.approx(200.0 * playground.values["shoulder"])
    playground.close()


def test_particles_that_are_handed_on():
    two = sum((rbd.Inertia(0.4, [0, 0, z]) for z in (0.2, 0.6)), rbd.Inertia.zero())
    assert handed(0.8, 0.4, 0.2, 0.0) == pytest.approx(two.ten_parameters, abs=1e-15)
    before, after = arm(), other_arm(0.8, 0.4, 0.2, 0.0)
    assert after.I[1][5, 5] + after.I[2][5, 5] == pytest.approx(before.I[1][5, 5] + before.I[2][5, 5])


def test_the_run_is_that_of_simulate():
    run = rbd.simulate(arm(), original_run()[0], [1.5, 0.0], STEPS * H, H, progress=False)
    assert original_run() == pytest.approx(run.q, abs=1e-10)
    assert np.ptp(original_run()[:, 1]) > 1.0  # worth looking at


def test_on_the_axis_nothing_changes_and_off_it_everything_does():
    playground = inertia_exchange()
    readout = dict(playground.picture.readout)
    assert float(readout["largest difference of the runs"].split()[0]) < 1e-12
    assert readout["can such a forearm be built?"] == "yes" and len(playground.picture.ellipsoids) == 4
    playground.set(mass=3.7, along=0.2)  # more than the forearm has
    readout = dict(playground.picture.readout)
    assert float(readout["largest difference of the runs"].split()[0]) < 1e-10
    assert readout["can such a forearm be built?"] == "no" and readout["mass of the forearm"].startswith("-")
    playground.set(mass=0.5, **{"off the axis": 0.2})
    assert float(dict(playground.picture.readout)["largest difference of the runs"].split()[0]) > 1e-2
    assert "another one" in playground.picture.note
    playground.close()


def test_elliptical_wheels():
    """The readout against differences of gamma; the arrow against the velocity of a point of the rim."""
    y, rate, h = 1.3, 2.5, 1e-4
    picture = draw_wheels(y, rate)
    before, here, after = (WHEELS.gamma([y + d])[1] for d in (-h, 0.0, h))
    readout = dict(picture.readout)
    assert float(readout["G = dq2/dy"]) == pytest.approx((after - before) / (2 * h), abs=6e-4)
    assert float(readout["g = Ġ ẏ"].split()[0]) == pytest.approx((after - 2 * here + before) / h**2 * rate**2, abs=1e-3)
    arrow = picture.arrows[0]
    v = np.cross([0, 0, rate], arrow.start)
    assert np.array(arrow.vector) == pytest.approx(v * 0.08 / AXLE)
    assert draw_wheels(y, 0.0).arrows == []
    elliptic_wheels().close()


def test_differential_wheels():
    readout = dict(draw_differential(0.5, 1.5, 3.0).readout)
    assert readout["carrier, the mean"] == "1.00 rad" and readout["planet, by the difference"] == "-1.00 rad"
    assert readout["input"] == "4.00 rad" and readout["torque at left and right, Gᵀ τ"] == "6.0 and 6.0 N m"
    assert draw_differential(0.5, 1.5, 0.0).arrows == []
    differential_wheels().close()
