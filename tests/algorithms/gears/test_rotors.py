"""The quick-and-dirty way with rotors against the model with all four bodies, and how its error scales."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.gears import Gear, Gears, geared_equation, geared_forward_dynamics, without_rotors
from rbdkit.errors import ModelError
from rbdkit.library.geared import differential, elliptic_gears, geared_arm

Y, YD = np.array([0.4, -1.2]), np.array([1.5, -2.0])


@pytest.mark.source("F9.14")
def test_armature_is_on_the_diagonal_of_H_and_in_D_of_the_aba(off):
    """rho^2 I_rot, and nothing else: H with and without, and Eq 9.28 by Eq 7.44 on the model without."""
    gears = geared_arm(100.0, 60.0)
    quick = without_rotors(gears)
    bare = quick.with_parameters({"shoulder.armature": 0.0, "elbow.armature": 0.0})
    I_rot = np.array([100.0, 60.0]) ** 2 * 1e-5
    np.testing.assert_allclose(rbd.crba(quick, Y) - rbd.crba(bare, Y), np.diag(I_rot), atol=1e-15)
    tau = np.array([3.0, -1.0])
    with_rotors = algorithms.aba(quick, Y, YD, tau)
    last = with_rotors.S[2].T @ with_rotors.U[2]
    np.testing.assert_allclose(with_rotors.D[2], last + I_rot[1], rtol=1e-14)  # Eq 9.28
    assert off(with_rotors.qdd, np.linalg.solve(rbd.crba(quick, Y), tau - rbd.bias_force(quick, Y, YD))) < 1e-13


@pytest.mark.source("F9.14")
@pytest.mark.parametrize(("ratio", "rotor"), [(100.0, 1.0), (50.0, 1.0), (100.0, 0.3)])
def test_what_is_missing_in_the_planar_arm_is_rho_times_the_rotor(ratio, rotor):
    """Eq 9.27: H13 + rho2 H14 has lost rho2 H14, nothing else; forces of velocity and gravity are all there."""
    gears = geared_arm(ratio, ratio, rotor)
    e, quick = geared_equation(gears, Y, YD), without_rotors(gears)
    missing = e.H_y - rbd.crba(quick, Y)
    np.testing.assert_allclose(missing, ratio * rotor * 1e-5 * (1.0 - np.eye(2)), atol=1e-14)
    np.testing.assert_allclose(e.C_y, rbd.bias_force(quick, Y, YD), atol=1e-13)


@pytest.mark.source("F9.14")
def test_what_is_missing_where_the_axes_cross_is_gyroscopic():
    """Elbow across the shoulder: the rotor's angular momentum rho I qd, carried around, asks for a torque."""
    ratio, I = 100.0, 1e-5
    gears = geared_arm(ratio, ratio, elbow="x")
    e, quick = geared_equation(gears, Y, YD), without_rotors(gears)
    np.testing.assert_allclose(e.H_y, rbd.crba(quick, Y), atol=1e-14)  # H14 = 0
    missing = e.C_y - rbd.bias_force(quick, Y, YD)
    # h = rho I qd2 along x of the upper arm, which turns with qd1 about y: the moment on it is along z, which both
    # bearings take up; the joints feel nothing here
    np.testing.assert_allclose(missing, 0.0, atol=1e-13)
    moment = np.cross([0.0, YD[0], 0.0], [ratio * I * YD[1], 0.0, 0.0])
    full = algorithms.rnea(gears.model, e.q, e.v, np.zeros(4)).f[1]
    short = algorithms.rnea(quick, Y, YD, np.zeros(2)).f[1]
    np.testing.assert_allclose(full[:3] - short[:3], moment, atol=1e-13)  # but the shoulder's bearing does


@pytest.mark.source("F9.14")
@pytest.mark.parametrize("ratio", [50.0, 100.0])
def test_a_turning_base_feels_the_gyroscopic_torque_that_is_left_out(ratio):
    """The planar arm on a table that turns about z, on a hinge about x: the rotors' h along y is carried around."""
    arm, model = geared_arm(ratio, ratio), rbd.Model("turntable")
    disc = rbd.Inertia.cylinder(0.3, 0.05, mass=5.0)
    model.add_body("tilt", joint=rbd.Revolute("x"), inertia=disc)
    model.add_body("table", "tilt", rbd.Revolute("z"), inertia=disc)
    for body in arm.model.bodies[1:]:
        parent = "table" if body.parent == 0 else arm.model.bodies[body.parent].name
        joint = body.joint
        model.add_body(body.name, parent, joint.type, joint.placement, body.inertia, joint_name=joint.name)
    gears = Gears(model, arm.gears)
    y, yd = np.array([0.2, 0.0, 0.4, -1.2]), np.array([0.0, 0.7, 1.5, -2.0])
    missing = geared_equation(gears, y, yd).C_y - rbd.bias_force(without_rotors(gears), y, yd)
    h = ratio * 1e-5 * (yd[2] + yd[3])
    torque = np.cross([0.0, 0.0, yd[1]], [0.0, h, 0.0])[0]
    np.testing.assert_allclose(missing, [torque, 0.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.source("F9.14")
@pytest.mark.parametrize("ratio", [25.0, 100.0, 400.0])
def test_the_error_is_the_smaller_the_higher_the_ratio(ratio):
    """rho^2 I held at 0.1 kg m2: rotors left out altogether miss as much as ever, the quick way less as 1/rho."""
    gears = geared_arm(ratio, ratio, rotor=(100.0 / ratio) ** 2)
    quick = without_rotors(gears)
    none = quick.with_parameters({"shoulder.armature": 0.0, "elbow.armature": 0.0})
    H = geared_equation(gears, Y, YD).H_y
    assert np.abs(H - rbd.crba(quick, Y)).max() == pytest.approx(0.1 / ratio, rel=1e-9)
    assert np.abs(H - rbd.crba(none, Y)).max() == pytest.approx(0.1, rel=1e-9)
    motors = np.array([2e-2, -1e-2]) * 100.0 / ratio
    full = geared_forward_dynamics(gears, Y, YD, [0.0, motors[0], 0.0, motors[1]])
    for model, bound in ((quick, 2.0 / ratio), (none, 1.0)):
        error = np.abs(rbd.forward_dynamics(model, Y, YD, ratio * motors) - full).max() / np.abs(full).max()
        assert error < bound
    assert error > 0.1  # of the model without rotors


@pytest.mark.source("F9.14")
def test_mass_of_the_rotors_stays_or_goes():
    gears = geared_arm()
    kept, gone = without_rotors(gears), without_rotors(gears, keep_mass=False)
    assert kept.mass - gone.mass == pytest.approx(0.2, rel=1e-14)  # of the rotor on the upper arm
    assert rbd.crba(kept, Y)[0, 0] > rbd.crba(gone, Y)[0, 0]


def test_what_is_no_rotor_is_refused():
    with pytest.raises(ModelError, match="'carrier_joint' carries other bodies"):
        without_rotors(differential())
    with pytest.raises(ModelError, match="'driven_joint' has no constant ratio"):
        without_rotors(elliptic_gears())
    with pytest.raises(ModelError, match="'motor 2' has no constant ratio to one leader"):
        model = geared_arm().model
        without_rotors(Gears(model, [Gear("motor 2", ("shoulder", "elbow"), lambda x, y: 3 * x + 2 * y)]))
