"""Notes of reports that are found when they are first looked at."""

import pickle

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations.joint_loops import ClosedJointSystem
from rbdkit.simulation import report
from rbdkit.simulation.assessment import _largest
from rbdkit.simulation.later import Later


def test_nothing_is_looked_for_before_one_asks_and_nothing_twice():
    asked: list[str] = []

    def find() -> list[str]:
        asked.append("now")
        return ["b", "c"]

    notes = Later(["a"], find, lambda: ())
    assert not asked
    assert len(notes) == 3 and list(notes) == ["a", "b", "c"] and notes[-1] == "c" and notes[1:] == ("b", "c")
    assert notes == ("a", "b", "c") and notes == Later(["a", "b", "c"]) and notes != ("a",) and "b" in notes
    assert notes + ("d",) == (*notes, "d") and ("d",) + notes == ("d", *notes)
    assert 2 * notes == notes * 2 == (*notes, *notes)
    assert hash(notes) == hash(("a", "b", "c")) and repr(notes) == "('a', 'b', 'c')"
    assert pickle.loads(pickle.dumps(notes)) == ("a", "b", "c")
    assert asked == ["now"] and not Later([])


def test_another_thread_never_sees_some_of_the_values():
    """Whatever attribute was just set, a reader that comes between finds all or finds them itself."""
    begun, seen = [], []

    class Watched(Later):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if begun:
                seen.append(tuple(self))

    notes = Watched(["a"], lambda: begun.append(1) or ["b"])
    assert tuple(notes) == tuple(notes) == ("a", "b") and begun == [1]
    assert seen and set(seen) == {("a", "b")}


def test_a_run_with_loops_looks_for_lost_rank_when_its_report_is_read(monkeypatch):
    asked: list[int] = []
    own = ClosedJointSystem.remarks

    def remarks(self, t, x, v, closing=False):
        asked.append(len(t))
        return own(self, t, x, v, closing)

    monkeypatch.setattr(ClosedJointSystem, "remarks", remarks)
    motion = rbd.simulate(*rbd.library.n_four_bar(2), duration=0.02)
    assert not asked
    for _ in range(2):  # a later motion of the same arrays has not changed what is said
        assert any("closed at the end of every step" in note for note in motion.report.notes)
        assert "closed at the end of every step" in repr(motion)
        rbd.simulate(*rbd.library.n_four_bar(2), duration=0.02)
    assert asked == [5]  # of loops that stayed closed not all states are looked at


def test_what_a_report_says_does_not_follow_changes_of_the_arrays_it_was_made_of():
    motion = rbd.simulate(*rbd.library.n_four_bar(2), duration=0.02)
    errors = motion.constraint_error()
    errors[:] = 1.0
    assert "open by at most 1 rad" not in " ".join(motion.report.notes) and np.abs(motion.constraint_error()).max() < 1


def test_violations_are_those_of_the_motion_as_it_was_and_are_found_once(monkeypatch):
    looked: list[int] = []
    own = report._violations
    monkeypatch.setattr(report, "_violations", lambda *given: looked.append(1) or own(*given))
    model = rbd.Model("wheel", gravity=(0, 0, 0))
    rim, limits = rbd.Inertia.cylinder(0.3, 0.02, mass=1.0), rbd.Limits(velocity=5.0, upper=0.5)
    model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rim, limits=limits)
    motion = rbd.simulate(model, [0.0], [8.0], duration=0.1, limits="watch")
    assert not looked
    motion.q[:], motion.v[:], motion.t[:] = 0.0, 0.0, 0.0
    position, speed = motion.report.violations
    assert (position.what, speed.what, speed.value, speed.since) == ("position", "speed", 8.0, 0.0)
    assert abs(position.value - 0.8) < 1e-12 and position.since == pytest.approx(0.063)
    assert "limits of joints passed" in repr(motion) and looked == [1]
    assert pickle.loads(pickle.dumps(motion.report)).violations == (position, speed)
    assert not rbd.simulate(model, [0.0], [2.0], duration=0.1).report.violations and looked == [1]


@pytest.mark.parametrize(
    "rows, row",
    [([[1.0, -3.0], [2.0, 3.0]], 0), ([[1.0, -2.0], [2.0, 3.0]], 1), ([[0.0, 1.0], [np.nan, 9.0]], 1),
     ([[0.0, 0.0], [0.0, 0.0]], 0), ([[3.0, 0.0], [-3.0, 0.0]], 0), ([[0.0, -1.0], [-5.0, 0.0]], 1)],
)  # fmt: skip
def test_the_fastest_state_is_found_as_by_absolute_values(rows, row):
    w = np.array(rows)
    assert _largest(w) == int(np.argmax(np.abs(w))) and _largest(w) // 2 == row
