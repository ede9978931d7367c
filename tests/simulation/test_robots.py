"""Real robots let go: an arm against the same method stepped over Pinocchio, and steps that are too long for a hand."""

import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit.simulation import SimulationWarning

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix", "share", "example-robot-data", "robots")
UR5 = ROBOTS / "ur_description" / "urdf" / "ur5_robot.urdf"
PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"

pytestmark = pytest.mark.robots


POSTURE = [-1.33, -1.7, 2.39, -0.88, 2.52, -0.01, -2.7, 0.01, 0.02]  # of a Panda, within its limits


def without_damping(model):
    return model.with_parameters({f"{joint.name}.damping": 0.0 for joint in model.joints if joint.nv})


def rk4_over_pinocchio(model, q, v, h, steps):
    """The classical Runge-Kutta method on joints that are all revolute or prismatic; states (steps + 1, nq + nv)."""
    data, tau, n = model.createData(), np.zeros(model.nv), model.nv

    def rate(y):
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], tau)])

    states = [np.concatenate([q, v])]
    for _ in range(steps):
        y = states[-1]
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        k4 = rate(y + h * k3)
        states.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(states)


@pytest.mark.slow
@pytest.mark.source("F3.03")
def test_ur5_let_go_for_ten_seconds():
    """Stretched out, without motor torques: the same motion to 1e-9 in the first second, before chaos has magnified
    round-off, and the same energy drift of order 1e-10."""
    model = without_damping(rbd.load(UR5))
    other = pin.buildModelFromUrdf(str(UR5))
    assert [joint.name for joint in model.joints if joint.nv] == list(other.names)[1:]
    q0 = np.zeros(6)
    theirs = rk4_over_pinocchio(other, q0, np.zeros(6), 1e-3, 10_000)[::10]
    ours = rbd.simulate(model, q0, duration=10.0, dt=1e-3, every=10, limits="watch")
    assert np.max(np.abs(ours.q[:101] - theirs[:101, :6])) < 1e-9
    assert np.max(np.abs(ours.v[:101] - theirs[:101, 6:])) < 1e-9
    data = other.createData()
    energy = np.array([pin.computeMechanicalEnergy(other, data, y[:6], y[6:]) for y in theirs])
    drift = np.max(np.abs(energy - energy[0])) / ours.report.energy_scale
    assert ours.report.energy_error == pytest.approx(drift, rel=0.5)  # both are sums of the same local errors
    assert drift < 1e-10
    assert "step adequate" in repr(ours)


@pytest.fixture(scope="module")
def panda():
    """With fingers that move freely, as the file has them."""
    return rbd.load(PANDA, mimic=False)


def test_panda_at_a_millisecond_is_followed_well(panda):
    run = rbd.simulate(panda, panda.random_q(0), duration=0.3, dt=1e-3, every=3, limits="watch")
    assert run.report.energy_error < 1e-8
    assert "step adequate" in repr(run)
    assert any(violation.what == "speed" for violation in run.report.violations)  # nothing holds it


def test_panda_without_damping_flings_its_fingers_and_wrist(panda):
    """Steps of 20 ms: the report says that they are too long, which joint is to blame and which step would do."""
    loose, q0 = without_damping(panda), POSTURE
    with pytest.warns(SimulationWarning, match="STEP TOO LONG.*'panda_finger_joint"):
        run = rbd.simulate(loose, q0, duration=2.0, dt=0.02)
    assert run.report.energy_error > 0.05
    proposed = float(repr(run).split("a step of ")[1].split(" s")[0])
    assert 1e-3 < proposed < 0.01
    shorter = rbd.simulate(loose, q0, duration=2.0, dt=proposed, limits="watch")
    assert shorter.report.energy_error < 1e-3  # it does


def test_panda_with_stiff_dampers_needs_shorter_steps_or_an_implicit_method(panda):
    """A wrist damper of 2 N m s at an inertia of some 1e-3 kg m2 is a rate of several thousand 1/s."""
    stiff = panda.with_parameters({"panda_joint7.damping": 20.0})
    q0 = panda.random_q(0)
    with pytest.warns(SimulationWarning) as caught:
        run = rbd.simulate(stiff, q0, duration=0.2, dt=1e-3)
    (warning,) = caught
    assert "STEP TOO LONG: joint 'panda_joint7' has a motion with rate" in str(warning.message)
    assert "STOPPED: the state is not finite any more" in str(warning.message)
    assert "the step of 0.001 s is too long for joint 'panda_joint7'" in str(warning.message)
    stable = run.report.adequacy.stable_step
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shorter = rbd.simulate(stiff, q0, duration=10 * stable, dt=0.9 * stable)
    assert shorter.report.adequacy.stable


def test_panda_with_coupled_fingers():
    """Mimic joints go another way, through H; the energy says that it is right."""
    coupled = rbd.load(PANDA)
    assert coupled.mimics
    run = rbd.simulate(without_damping(coupled), coupled.random_q(1), duration=0.1, dt=2e-3)
    assert run.report.energy_error < 1e-8
    np.testing.assert_allclose(
        np.linalg.norm(run.poses("panda_leftfinger")[:, :3, 3] - run.poses("panda_rightfinger")[:, :3, 3], axis=1),
        2.0 * np.abs(run.q[:, -1]),
        atol=1e-12,
    )
