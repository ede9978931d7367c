"""What `simulate` and `compare_runs` cannot use is refused by name, before anything is computed."""

import copy
import pickle
from io import StringIO

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import RbdkitError, SimulationError, StateError
from rbdkit.integrators import RK4
from rbdkit.library import double_pendulum, pendulum, three_bar_linkage
from rbdkit.simulation import SimulationWarning, compare_runs, room
from rbdkit.simulation.comparison import ONLY_THE_END

HUGE = 10**400
"""No float."""
WRONG = {
    "duration": [None, "x", b"1", 0, -1.0, np.nan, np.inf, HUGE, -HUGE, [1.0, 2.0], object()],
    "dt": [None, "x", 0, np.nan, HUGE, 1j],
    "every": [None, "1", 0, -3, 1.5, np.nan, object()],
    "integrator": [None, 3, b"rk4", "rk5x", RK4, [], object()],
    "formulation": [None, 3, b"joint", "joints", [], object(), lambda: 0, lambda model, tau, f_ext: 3],
    "backend": [None, "fast", []],
    "progress": [3, "yes", [], object()],
    "f_ext": [
        "x",
        ["a", "b"],
        [[0, 0], [0]],
        [1j, 0],
        {1, 2},
        3,
        HUGE,
        [HUGE],
        object(),
        {"rod1": "x"},
        {"rod1": [HUGE]},
    ],
    "tau": ["x", ["a", "b"], [1j, 0], {1, 2}, np.zeros(3), object(), lambda t, q: q],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_argument_is_named(name, value):
    with pytest.raises(RbdkitError, match=f"{name}|formulation|integrator|external force"):
        rbd.simulate(double_pendulum(), **{"duration": 0.01, name: value})


@pytest.mark.parametrize("formulation", [{"body": 1}, "joints", 3])
def test_the_message_for_a_formulation_says_what_there_is(formulation):
    with pytest.raises(
        SimulationError, match=r"is unknown; there are 'joint', .* and functions of \(model, tau, f_ext\)"
    ):
        rbd.simulate(pendulum(), formulation=formulation)


@pytest.mark.parametrize("model", [None, "pendulum", 3])
def test_what_is_no_model_is_said(model):
    with pytest.raises(SimulationError, match="simulate moves a Model, not"):
        rbd.simulate(model)


def test_a_class_of_integrators_is_not_an_integrator():
    with pytest.raises(SimulationError, match=r"integrator RK4 is a class; give an object, RK4\(\)"):
        rbd.simulate(pendulum(), integrator=RK4)


@pytest.mark.parametrize(
    ("what", "more", "why"),
    [
        (3, {}, "not 3"),
        ("x", {}, "not 'x'"),
        ([3], {}, "not 3"),
        ({"a": 3}, {}, "not 3"),
        (pendulum(), {"pairs": [3]}, "3 is no pair"),
        (pendulum(), {"pairs": 3}, "3 is no pair"),
        (pendulum(), {"pairs": {"a": ("joint",)}}, "is no pair"),
        (pendulum(), {"pairs": [("joint", 3)]}, "integrator 3 is unknown"),
        (pendulum(), {"pairs": [(3, "rk4")]}, "formulation 3 is unknown"),
        (pendulum(), {"pairs": [("joint", "rk4")], "reference": 3}, "reference = 3"),
        (pendulum(), {"pairs": [("joint", "rk4")], "reference": "x"}, "reference 'x'"),
    ],
)
def test_what_cannot_be_compared_is_named(what, more, why):
    with pytest.raises(SimulationError, match=why):
        compare_runs(what, **more, **({"duration": 0.01} if isinstance(what, rbd.Model) else {}))


# --- angles ---------------------------------------------------------------------------------------------------------


def wheel():
    model = rbd.Model("wheel", gravity=(0, 0, 0))
    model.add_body("wheel", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, inertia_com=np.eye(3)), joint_name="axle")
    return model


@pytest.mark.parametrize("name", ["q0", "v0"])
def test_numbers_that_tell_no_angle_are_refused_at_the_start(name):
    with pytest.raises(StateError, match=rf"{name}\[0\] \(joint 'axle'\) is (2e\+15, )?beyond 1e\+15"):
        rbd.simulate(wheel(), **{name: [2e15]}, duration=0.01)
    assert len(rbd.simulate(wheel(), **{name: [1e14]}, duration=0.01)) == 11


@pytest.mark.parametrize("options", [{}, {"backend": "book"}])
def test_a_run_that_comes_to_such_numbers_ends_there(options):
    """At 1e14 rad/s it takes ten seconds."""
    run = {"v0": [1e14], "duration": 20.0, "dt": 0.5}
    with pytest.warns(SimulationWarning, match=r"STOPPED: a coordinate passes 1e\+15 \(rad, m\).* after t = 10 s"):
        motion = rbd.simulate(wheel(), **run, **options)
    assert motion.t[-1] == 10.0 and len(motion) == 21 and np.abs(motion.q).max() <= 1e15


# --- memory ---------------------------------------------------------------------------------------------------------


def test_a_record_that_does_not_fit_is_refused_with_its_size_and_a_way_out(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda *_: 1e6)
    rows = 1_000_001
    with pytest.raises(SimulationError, match=f"make a record of {8 * 5 * rows / 1e9:.3g} GB, and 0.001 GB") as caught:
        rbd.simulate(double_pendulum(), duration=1000.0, dt=1e-3)
    every = int(str(caught.value).split("every=")[1].split()[0])
    run = rbd.simulate(double_pendulum(), duration=1000.0, dt=1e-3, every=every)
    assert run.q.nbytes + run.v.nbytes + run.t.nbytes < 0.6e6
    for steps, fits in ((12_498, True), (12_499, False)):  # two rows more than steps, of five numbers: half of 1 MB
        if fits:
            rbd.simulate(double_pendulum(), duration=1e-3 * steps, dt=1e-3)
        else:
            with pytest.raises(SimulationError, match="free for 2 times as much"):
                rbd.simulate(double_pendulum(), duration=1e-3 * steps, dt=1e-3)
    start = three_bar_linkage()
    with pytest.raises(SimulationError, match="make a record of"):  # 24 numbers of poses, 12 of velocities, the time
        rbd.simulate(*start, duration=5.0, dt=1e-3, formulation="se3")
    assert len(rbd.simulate(*start, duration=0.02, dt=1e-3, formulation="se3", every=ONLY_THE_END)) == 2


def test_the_memory_that_is_free_is_known_here():
    assert 1e6 < room.free_memory() <= np.inf


def test_where_memory_is_plenty_nobody_counts_it(monkeypatch):
    pages = {"SC_AVPHYS_PAGES": 1000, "SC_PHYS_PAGES": 9000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(room.os, "sysconf", pages.get, raising=False)
    monkeypatch.setattr(room, "_of_the_process", lambda: np.inf)
    assert room.free_memory(1e6) == 4096e3
    asked: list[str] = []
    monkeypatch.setattr("builtins.open", lambda *names: asked.append(*names) or StringIO("MemAvailable:  5000 kB\n"))
    assert room.free_memory(1.1e6) == room.free_memory() == 5000 * 1024 and asked == 2 * ["/proc/meminfo"]


# --- copies ---------------------------------------------------------------------------------------------------------


def push(t, q, v):
    return {"rod2": np.array([0.0, 0.1, 0.0, 0.0, 0.0, t])}


def hold(t, q, v):
    return -q


@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize("f_ext", [None, {"rod2": [0, 0.1, 0, 0, 0, 1.0]}, push], ids=["none", "constant", "function"])
@pytest.mark.parametrize("tau", [None, [0.1, 0.2], np.ones((10, 2)), np.ones((11, 2)), hold],
                         ids=["none", "constant", "held", "sampled", "function"])  # fmt: skip
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))], ids=["copy", "pickle"]
)
def test_trajectories_can_be_copied_and_pickled_with_what_acts(duplicate, tau, f_ext, formulation):
    options = {"duration": 0.02, "dt": 2e-3, "formulation": formulation}
    run = rbd.simulate(double_pendulum(), [0.3, 0.1], tau=tau, f_ext=f_ext, **options)
    again = duplicate(run)
    for name in ("t", "q", "v"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    np.testing.assert_array_equal(again.work(), run.work())
    np.testing.assert_array_equal(again.energy().total, run.energy().total)
    # a copy does not know how to run again, which tells how errors grew
    skipped = (" in ", "at its end off by")
    lines = [[line for line in repr(x).split("\n") if not any(part in line for part in skipped)] for x in (run, again)]
    assert lines[0] == lines[1]


def test_a_start_is_taken_as_it_is():
    start = rbd.library.heavy_top()
    assert rbd.simulate(start, duration=0.01).v[0].tolist() == start.v.tolist()
    assert rbd.simulate(start, v0=np.zeros(3), duration=0.01).v[0].tolist() == [0.0, 0.0, 0.0]


def test_names_of_integrators_as_others_write_them_are_answered():
    for name, says in (("RK4", "did you mean 'rk4'"), ("euler", "did you mean 'explicit_euler' or")):
        with pytest.raises(rbd.SimulationError, match=says):
            rbd.simulate(rbd.library.pendulum(), integrator=name)
