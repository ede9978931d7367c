"""Numbers of a model that can be turned: their names, ranges and first values, and the motion they give."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import rbdkit as rbd
from rbdkit.errors import RbdkitError
from rbdkit.library import double_pendulum
from rbdkit.simulation.knobs import KEYS, Experiment

RANGES = {
    "rod1.mass": (0.1, 5.0),
    "hinge1.damping": (0.0, 1.0),
    "gravity.z": (-20.0, 0.0),
    "hinge2.placement.z": (-2.0, -0.5),
    "rod1.inertia.xy": (-0.01, 0.01),
    "hinge1.angle": (-3.0, 3.0, 0.7),
    "hinge2.angle rate": (-5.0, 5.0),
    "duration": (0.1, 1.0, 0.2),
    "dt": (1e-4, 1e-1),
    "integrator": ["symplectic_euler", "rk4"],
}


def test_knobs_begin_where_the_model_is_unless_they_say_otherwise():
    experiment = Experiment(double_pendulum(), RANGES, q0=[1.0, 0.5], v0=[0.0, 2.0])
    rest = dict(zip(RANGES, experiment.rest, strict=True))
    model = double_pendulum()
    assert rest["rod1.mass"] == model.parameters["rod1.mass"]
    assert rest["gravity.z"] == -9.81 and rest["dt"] == 1e-3 and rest["hinge2.angle rate"] == 2.0
    assert rest["hinge1.angle"] == 0.7 and rest["duration"] == 0.2
    units = [knob.unit for knob in experiment.knobs]
    assert units == ["kg", "N m s/rad", "m/s2", "m", "kg m2", "rad", "rad/s", "s", "s", ""]
    assert [knob.name for knob in experiment.knobs if knob.logarithmic] == ["dt"]


def test_entries_of_vectors_placements_and_inertias_have_names():
    """All of them different, each changed on its own."""
    inertia = rbd.Inertia(2.0, [0.1, 0.2, 0.3], [[1.0, 0.01, 0.03], [0.01, 2.0, 0.02], [0.03, 0.02, 2.5]])
    model = rbd.Model("one", gravity=[1.0, 2.0, 3.0])
    model.add_body("b", joint=rbd.Revolute("y"), placement=[4.0, 5.0, 6.0], inertia=inertia)
    entries = {"gravity": [1.0, 2.0, 3.0], "b.com": [0.1, 0.2, 0.3], "b_joint.placement": [4.0, 5.0, 6.0]}
    expected = {
        f"{name}.{axis}": value for name, row in entries.items() for axis, value in zip("xyz", row, strict=True)
    }
    axes = ("xx", "yy", "zz", "xy", "yz", "xz")
    expected |= {f"b.inertia.{axis}": x for axis, x in zip(axes, (1.0, 2.0, 2.5, 0.01, 0.02, 0.03), strict=True)}
    experiment = Experiment(model, {name: (-9.0, 9.0) for name in expected})
    assert dict(zip(expected, experiment.rest, strict=True)) == expected


def test_the_motion_is_that_of_the_model_with_these_numbers():
    experiment = Experiment(double_pendulum(), RANGES, q0=[1.0, 0.5])
    values = experiment.rest
    for name, value in {"rod1.mass": 2.0, "gravity.z": -3.0, "rod1.inertia.xy": 1e-4, "integrator": 1.0}.items():
        values[list(RANGES).index(name)] = value
    run = experiment.run(values)
    model = double_pendulum()
    inertia = model.parameters["rod1.inertia"].copy()
    inertia[0, 1] = inertia[1, 0] = 1e-4
    changed = model.with_parameters({"rod1.mass": 2.0, "gravity": [0, 0, -3.0], "rod1.inertia": inertia})
    same = rbd.simulate(changed, [0.7, 0.5], duration=0.2, integrator="rk4")
    assert run.report.integrator == "rk4"
    assert_array_equal(run.q, same.q)


def test_long_runs_are_recorded_at_so_many_states_as_a_picture_needs():
    experiment = Experiment(double_pendulum(), {"duration": (1.0, 20.0, 10.0)})
    run = experiment.run(experiment.rest)
    assert run.report.steps == 10_000 and KEYS <= len(run) <= 1.1 * KEYS


def pendulum(length, mass=2.0):
    model = rbd.Model("pendulum")
    model.add_body("rod", joint=rbd.Revolute("y"), inertia=rbd.Inertia(mass, [0, 0, -length], 0.01 * np.eye(3)))
    return model


def test_a_function_that_builds_a_model_has_its_arguments_for_knobs():
    experiment = Experiment(pendulum, {"length": (0.5, 1.5), "mass": (1.0, 5.0), "rod_joint.angle": (-1.0, 1.0, 0.3)})
    assert_array_equal(experiment.rest, [1.0, 2.0, 0.3])
    run = experiment.run(np.array([0.5, 3.0, 0.3]))
    assert run.model.parameters["rod.mass"] == 3.0 and run.model.parameters["rod.com"][2] == -0.5
    assert run.q[0, 0] == 0.3


def test_a_list_of_choices_begins_with_its_first():
    experiment = Experiment(pendulum, {"length": (0.5, 1.5), "integrator": ["rk4", "heun", "symplectic_euler"]})
    (knob,) = [knob for knob in experiment.knobs if knob.choices]
    assert knob.choices[round(knob.rest)] == "rk4" == knob.choices[0]
    assert experiment.run(experiment.rest).report.integrator == "rk4"


def test_the_other_knobs_begin_where_the_first_choice_has_them():
    def made_of(material):
        return pendulum(1.0, {"wood": 1.0, "steel": 8.0}[material])

    experiment = Experiment(made_of, {"material": ["wood", "steel"], "rod.mass": (0.5, 9.0)})
    assert_array_equal(experiment.rest, [0.0, 1.0])


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({}, "there is nothing to tweak; give ranges such as"),
        ({"rod1.maas": (0.0, 1.0)}, "'rod1.maas' is no number of the model or of the run; did you mean 'rod1.mass'?"),
        ({"gravity": (0.0, 1.0)}, r"'gravity' is no number of the model or of the run \(one of its entries\?\)"),
        ({"rod1.mass": (2.0, 1.0)}, "the range of 'rod1.mass' is .*; its low end must be below its high end"),
        ({"rod1.mass": (1.0,)}, "give .low, high. or .low, high, first value."),
        ({"integrator": ["rk4"]}, "'integrator' has the choices .'rk4'.; give two or more"),
        ({"integrator": ["leapfrog", "rk4"]}, "integrator 'leapfrog' is unknown"),
        ({"rod1.mass": (-1.0, 1.0, -1.0)}, "mass"),
    ],
)
def test_what_cannot_be_turned_is_refused_in_words(ranges, message):
    with pytest.raises(RbdkitError, match=message):
        experiment = Experiment(double_pendulum(), ranges)
        experiment.run(experiment.rest)


def spring_law(t, q, v, kp=20.0, *, kd=2.0):
    return -kp * q - kd * v


def test_gains_of_a_torque_law_are_knobs():
    ranges = {"tau.kp": (0.0, 50.0), "tau.kd": (0.0, 5.0, 1.0)}
    experiment = Experiment(double_pendulum(), ranges, [1.0, 0.5], tau=spring_law, duration=0.5)
    assert experiment.gains == {"kp": 20.0, "kd": 2.0} and experiment.rest.tolist() == [20.0, 1.0]
    run = experiment.run(np.array([35.0, 0.5]))
    expected = rbd.simulate(double_pendulum(), [1.0, 0.5], duration=0.5, tau=lambda t, q, v: -35.0 * q - 0.5 * v)
    np.testing.assert_allclose(run.q, expected.q, rtol=0, atol=1e-13)
    with pytest.raises(rbd.SimulationError, match=r"'tau\.ki'"):
        Experiment(double_pendulum(), {"tau.ki": (0.0, 1.0)}, tau=spring_law)
    with pytest.raises(rbd.SimulationError, match=r"'tau\.kp'"):
        Experiment(double_pendulum(), {"tau.kp": (0.0, 1.0)})
