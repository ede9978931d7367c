"""The quadruped on servos, its motion in MuJoCo, and what is said of answers in the notebook on robots."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit_course import robots

pytestmark = pytest.mark.robots


def test_the_quadruped_hangs_above_the_ground_in_its_stance():
    model, q, v = robots.dog(height=0.1)
    assert min(contact.phi for contact in rbd.contacts(model, q, v, margin=1.0)) == pytest.approx(0.1, abs=1e-9)
    assert robots.stance(model).tolist() == q[7:].tolist() and len(model.u_names) == 12


def test_it_stands_in_both_programs():
    pytest.importorskip("mujoco")
    model, q, v = robots.dog(height=0.01)
    theirs = robots.in_mujoco(model, q, v, robots.stance(model), duration=0.6, dt=2e-3)
    ours = rbd.simulate(model, q, v, duration=0.6, dt=2e-3, progress=False)
    assert len(theirs.t) == 300 and theirs.t[-1] == pytest.approx(0.6)
    assert ours.q[-1, 6] == pytest.approx(theirs.height[-1], abs=5e-3)
    assert 0.0 < theirs.depth[-1] < 2e-3


def test_without_mujoco_it_is_said_in_words(monkeypatch, capsys):
    monkeypatch.setattr(robots, "find_spec", lambda name: None)
    assert robots.mujoco_here() is None
    assert 'pip install "rbdkit[mjcf]"' in capsys.readouterr().out


def test_two_arms_differ_in_one_link():
    first, second = robots.two_arms()
    assert first.mass == second.mass
    q = first.random_q(1)
    off = np.flatnonzero(abs(rbd.gravity_force(first, q) - rbd.gravity_force(second, q)) > 1e-9)
    assert off.max() == first.joint("elbow_joint").v_slice.start


@pytest.mark.parametrize(
    ("check", "answer", "said"),
    [
        ("coordinates_of_a_hand", (23, 22), ""),
        ("coordinates_of_a_hand", (19, 19), "also moves"),
        ("coordinates_of_a_hand", (20, 20), "is off"),
        ("coordinates_of_a_hand", "many", "not two whole numbers"),
        ("mass_of_a_box", 48, ""),
        ("mass_of_a_box", 7.0, "is off"),
        ("mass_of_a_box", None, "not a mass"),
        ("stiff_enough", 2958.6, ""),
        ("stiff_enough", 0.0, "it falls"),
        ("stiff_enough", 500.0, "sags by"),
        ("the_other_link", {"forearm_link"}, ""),
        ("the_other_link", "shoulder_link", "carries the fault"),
        ("the_other_link", {"forearm_link", "base_link"}, "not one link"),
    ],
)
def test_what_is_said_of_answers(check, answer, said):
    verdict = getattr(robots, check)(answer)
    assert bool(verdict) == (not said) and said in verdict.why
