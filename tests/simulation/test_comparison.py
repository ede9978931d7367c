"""Comparisons: what they measure, and what they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.formulations import SE3, JointSystem
from rbdkit.integrators import RK4
from rbdkit.library import double_pendulum
from rbdkit.library.gebhardt_romero import fixed_point_model
from rbdkit.simulation import compare_runs
from rbdkit.simulation.distance import distance
from rbdkit.spatial import se3

RUN = {"q0": [1.0, 0.5], "duration": 0.5, "dt": 0.01}
PAIRS = [("joint", "rk4"), ("joint", "symplectic_euler")]


@pytest.fixture(scope="module")
def free_body():
    model = rbd.Model("stone", gravity=(0, 0, 0))
    model.add_body("stone", joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.4], mass=2.0))
    return model


def test_each_measure_is_what_it_says():
    comparison = compare_runs(double_pendulum(), PAIRS, **RUN)
    run = rbd.simulate(double_pendulum(), integrator="symplectic_euler", **RUN)
    exact = rbd.simulate(double_pendulum(), integrator="dop853", **RUN)
    columns = comparison.columns()
    energy = run.energy()
    scale = energy.kinetic.max() + np.ptp(energy.potential)
    assert columns["energy drift"][1] == pytest.approx(np.abs(run.energy_error()).max() / scale, rel=1e-12)
    off = distance(run.model, run.poses()[-1:], exact.poses()[-1:])[0]
    assert columns["off at the end"][1] == pytest.approx(off, rel=1e-5)  # the references differ by their tolerance
    assert columns["constraint error"] == [0.0, 0.0]
    assert all(0.0 <= value < 1e-14 for value in columns["|det R - 1|"])
    assert all(value > 0.0 for value in columns["µs a step"])
    assert "Newton iterations" not in columns
    assert repr(comparison).splitlines()[1].startswith("joint, rk4 ")


def test_invariants_are_compared_where_the_model_has_them(free_body):
    start = {"v0": [0.3, 4.0, 0.2, 1.0, 0.0, -0.5], "duration": 0.2, "dt": 1e-3}
    comparison = compare_runs(free_body, PAIRS, **start)
    assert comparison.invariants == ("energy", "angular momentum", "linear momentum")
    run = rbd.simulate(free_body, integrator="symplectic_euler", **start)
    L = np.array([rbd.momentum(free_body, q, v)[:3] for q, v in zip(run.q, run.v, strict=True)])
    expected = np.linalg.norm(L - L[0], axis=1) / np.linalg.norm(L, axis=1).max()
    assert_allclose(comparison["joint, symplectic_euler"].drifts["angular momentum"], expected, atol=1e-14)


def test_distance_takes_the_worst_body_and_the_larger_of_shift_and_turn(free_body):
    a = np.tile(np.eye(4), (2, 2, 1, 1))
    b = a.copy()
    b[0, 1] = se3.pose(position=(0.3, 0.4, 0.0))
    b[1, 1] = se3.exp([0.0, 0.7, 0.0, 0.0, 0.0, 0.0])
    assert_allclose(distance(free_body, a, b), [0.5, 0.7], rtol=1e-14)


def test_work_precision_shows_the_orders():
    comparison = compare_runs(double_pendulum(), PAIRS, **RUN)
    points = comparison.work_precision([0.02, 0.01])
    errors = {label: values for label, (_, values) in points.items()}
    assert errors["joint, rk4"][0] / errors["joint, rk4"][1] == pytest.approx(16.0, rel=0.35)
    assert errors["joint, symplectic_euler"][0] / errors["joint, symplectic_euler"][1] == pytest.approx(2.0, rel=0.2)
    assert all(time > 0.0 for times, _ in points.values() for time in times)


def test_pairs_are_called_by_their_formulation_and_integrator(free_body):
    """By names, by classes and by objects; whatever the formulation."""
    pairs = [("joint", "rk4"), ("se3", "rk4"), ("so3xr3", RK4()), (SE3, "heun"), (JointSystem, "heun")]
    comparison = compare_runs(free_body, pairs, v0=[1.0, 0, 0, 0, 0, 0], duration=0.02, dt=0.01)
    labels = [c.label for c in comparison.contenders]
    assert labels == ["joint, rk4", "se3, rk4", "so3xr3, rk4", "se3, heun", "joint, heun"]
    assert [c.formulation for c in comparison.contenders] == [label.split(",")[0] for label in labels]


def test_finished_trajectories_get_names_of_their_own():
    one = rbd.simulate(double_pendulum(), **RUN)
    comparison = compare_runs([one, one, rbd.simulate(double_pendulum(), integrator="rk45", **RUN)])
    assert [c.label for c in comparison.contenders] == ["joint, rk4", "joint, rk4 (2)", "joint, rk45"]
    named = compare_runs({"mine": one, "theirs": one}, reference="mine")
    assert named.columns()["off at the end"] == [0.0, 0.0]
    with pytest.raises(KeyError, match="no contender 'ours'; there are 'mine', 'theirs'"):
        named["ours"]


def other_model():
    return rbd.simulate(rbd.library.pendulum(), duration=0.1)


BAD = [
    (lambda: compare_runs([]), "there is nothing to compare"),
    (lambda: compare_runs(double_pendulum()), "needs pairs of a formulation and an integrator"),
    (lambda: compare_runs(double_pendulum(), PAIRS, "nobody", **RUN), "reference 'nobody' is none of 'joint, rk4'"),
    (lambda: compare_runs([other_model()], PAIRS), "are for comparing runs of a model"),
    (lambda: compare_runs({"a": other_model()}, reference="b"), "reference 'b' is none of 'a'"),
    (
        lambda: compare_runs([other_model(), rbd.simulate(double_pendulum(), duration=0.1)]),
        "'joint, rk4 \\(2\\)' is of another model",
    ),
    (lambda: compare_runs([other_model()]).work_precision([0.1]), "needs compare\\(model, pairs"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_errors_say_what_is_missing(call, message):
    with pytest.raises(SimulationError, match=message):
        call()


def test_a_body_without_twist_is_not_measured_against_one_that_twists():
    pairs = {
        "may twist": ("directors", "energy_momentum"),
        "may not": ("non_twisting_directors", "energy_momentum"),
        "may not either": ("non_twisting_split_euler", "rk4"),
    }
    model, start = fixed_point_model(), {"v0": [0.6, -1.8, 0.0], "duration": 0.2, "dt": 0.01, "progress": False}
    free = compare_runs(model, pairs, **start)
    assert free.columns()["off at the end"][0] < 1e-3 and np.isnan(free.columns()["off at the end"][1:]).all()
    assert [note.split(" is no")[0] for note in free.notes] == ["may not", "may not either"]
    assert not any(free.work_precision([0.02])["may not"])

    bound = compare_runs(model, pairs, reference="may not", **start)
    off = bound.columns()["off at the end"]
    assert np.isnan(off[0]) and off[2] < 1e-3
    assert bound.notes == ["may twist is no approximation of the reference: its body may twist"]


def test_a_pair_that_does_not_fit_is_told_and_the_others_run():
    model = double_pendulum()
    pairs = [("joint", "rk4"), ("joint", "generalized_alpha"), ("se3", "rk4")]
    comparison = compare_runs(model, pairs, q0=[1.0, 0.5], duration=0.02)
    assert [contender.label for contender in comparison.contenders] == ["joint, rk4", "se3, rk4"]
    assert comparison.notes[0].startswith(
        "joint, generalized_alpha did not run: integrator 'generalized_alpha' does not"
    )
    assert "did not run" in repr(comparison)
    assert comparison.to_dataframe().loc["se3, rk4", "energy drift"] == comparison.columns()["energy drift"][1]
    with pytest.raises(SimulationError, match="does not step formulation 'joint'"):
        compare_runs(model, pairs[1:2], duration=0.02)
    with pytest.raises(SimulationError, match="does not step formulation 'joint'"):
        compare_runs(model, pairs, reference="joint, generalized_alpha", duration=0.02)
