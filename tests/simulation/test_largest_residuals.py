"""The largest residuals of a motion, found part by part."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.simulation.largest_residuals import largest_residuals
from rbdkit.simulation.motion import SOME


@pytest.mark.parametrize("sizes", [(40,), (1, 39), (16, 17, 7), (5, 0, 35)])
@pytest.mark.parametrize("special", ["none", "ties", "no number", "two that are no numbers"])
def test_as_of_all_at_once(sizes, special):
    errors = np.random.default_rng(0).normal(size=(40, 7))
    if special == "ties":
        errors[[3, 20, 39], [5, 1, 2]] = -9.0, 9.0, -9.0
    elif special != "none":
        errors[22, 3] = np.nan
        errors[39, 1] = np.nan if special == "two that are no numbers" else np.inf
    found = largest_residuals(np.split(errors, np.cumsum(sizes)[:-1]))
    np.testing.assert_array_equal(found.rows, np.abs(errors).max(axis=0))
    assert (found.state, found.row) == divmod(int(np.argmax(np.abs(errors))), 7)
    np.testing.assert_array_equal(found.value, np.abs(errors[found.state, found.row]))


def test_there_may_be_none():
    assert largest_residuals([]) is None and largest_residuals([np.zeros((3, 0)), np.zeros((2, 0))]) is None


def test_parts_of_a_motion_are_all_of_it():
    model, q, v = rbd.library.n_four_bar(2)
    motion = rbd.simulate(model, q, v, duration=1e-3 * (2 * SOME + 100))
    parts = list(motion._errors_in_parts())
    assert len(parts) == 2 and np.array_equal(np.concatenate(parts), motion.constraint_error())
    assert motion.report.constraint_error == np.abs(motion.constraint_error()).max()


def test_one_state_that_is_open_is_an_alarm_at_once(monkeypatch):
    """Wherever it is in a long motion."""
    model, q, v = rbd.library.n_four_bar(2)
    own = ClosedJointSystem.constraint_error

    def with_one(self, x, t=0.0):
        found = own(self, x, t)
        if len(x) > 1000 and (here := np.flatnonzero(np.all(x == last, axis=1))).size:
            found[here[0], 2] = 0.5
        return found

    duration = 1e-3 * (2 * SOME + 100)
    last = rbd.simulate(model, q, v, duration=duration).x[-2]
    monkeypatch.setattr(ClosedJointSystem, "constraint_error", with_one)
    with pytest.warns(rbd.simulation.SimulationWarning, match=r"CONSTRAINTS VIOLATED: joint .* off by 0.5"):
        motion = rbd.simulate(model, q, v, duration=duration)
    assert f"t = {motion.t[-2]:.4g} s" in motion.report.constraint
    assert "open by at most" in " ".join(motion.report.notes) and "0.5" in " ".join(motion.report.notes)


@pytest.mark.parametrize("angle", [0.4, 0.5 * np.pi])
def test_remarks_of_the_states_that_are_looked_at_are_those_of_all(angle):
    """Also where the motion begins flat, at a pose that loses rank."""
    motion = rbd.simulate(*rbd.library.n_four_bar(2, angle), duration=1.0)
    system = motion.system
    rows = system.looked_at(len(motion), motion.report.constraint_error)
    assert len(rows) == 5
    expected = system.remarks(motion.t, motion.x, motion.w, True)
    assert len(expected) == (angle > 1.0)
    assert system.remarks(motion.t[rows], motion.x[rows], motion.w[rows], True) == expected
    assert all(one in motion.report.notes for one in expected)
