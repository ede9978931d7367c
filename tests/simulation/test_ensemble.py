"""The arrays, tables and members that an `Ensemble` gives."""

import subprocess
import sys

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.integrators import RK4
from rbdkit.library import double_pendulum, pendulum, random_tree
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.ensembles.names import state_names, state_places, state_units, unit_of

SHORT = {"duration": 0.1, "dt": 1e-3, "every": 10, "progress": False}


@pytest.fixture(scope="module")
def grid():
    """Masses by angles, one mass impossible."""
    values = {"rod1.mass": [1.0, -1.0, 2.5], "hinge1.angle": np.array([0.1, 0.2])}
    with pytest.warns(SimulationWarning, match="FAILED: 2 members"):
        return rbd.sweep(double_pendulum(), values, v0=[0.5, 0.0], **SHORT)


@pytest.fixture(scope="module")
def pairs():
    values = [{"q0": [0.1, 0.2], "integrator": "rk4"}, {"q0": [0.3, 0.0], "integrator": RK4()}]
    return rbd.sweep(double_pendulum(), values, **SHORT)


def test_numbers_and_places(grid):
    assert len(grid) == 6 and grid.shape == (3, 2)
    np.testing.assert_array_equal(grid[2, 1].q, grid.q[2, 1])
    np.testing.assert_array_equal(grid[5].q, grid[-1].q)
    np.testing.assert_array_equal(grid[0, -1].v, grid.v[0, 1])
    assert grid[2, 1].model.parameters["rod1.mass"] == 2.5
    for wrong in (6, -7, (0, 2), (0,), 1.0):
        with pytest.raises(IndexError):
            grid[wrong]


@pytest.mark.parametrize("wanted", [10**400, -(10**400), [10**400]])
def test_numbers_beyond_floats_are_not_there(grid, wanted):
    with pytest.raises(SimulationError, match=r"rod1.mass"):
        grid.sel({"rod1.mass": wanted})


def test_sel(grid, pairs):
    np.testing.assert_array_equal(grid.sel({"rod1.mass": 2.5, "hinge1.angle": 0.1 + 1e-15}).q, grid.q[2, 0])
    np.testing.assert_array_equal(pairs.sel(q0=[0.3, 0.0]).q, pairs.q[1])
    np.testing.assert_array_equal(pairs.sel(integrator="rk4").q, pairs.q[0])


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"rod1.mass": 2.4, "hinge1.angle": 0.1}, "no member has rod1.mass = 2.4; the closest is 2.5"),
        ({"rod1.mass": 2.5}, "2 members have rod1.mass = 2.5; give more"),
        ({"rod2.mass": 1.0}, "'rod2.mass' was not varied; there are 'rod1.mass', 'hinge1.angle'"),
        ({"rod1.mass": -1.0, "hinge1.angle": 0.2}, "no motion of member 3"),
        (1.0, r"sel\(1\): give values by name"),
    ],
)
def test_sel_says_what_is_wrong(grid, wanted, message):
    with pytest.raises(SimulationError, match=message):
        grid.sel(wanted)


def test_a_member_once_more_has_a_report(grid):
    closer = grid.simulate((2, 0), every=1)
    assert closer.report.backend == "compiled loop (LLVM)"
    np.testing.assert_allclose(closer.q[::10], grid.q[2, 0], atol=1e-12)


def test_energy(grid):
    energy = grid.energy()
    assert energy.total.shape == (3, 2, 11)
    np.testing.assert_array_equal(energy.kinetic[2, 1], grid[2, 1].energy().kinetic)
    assert np.isnan(energy.total[1]).all()
    drift = np.nanmax(np.abs(energy.total - energy.total[..., :1]))
    moved = np.nanmax(energy.kinetic) + np.nanmax(np.ptp(energy.potential, axis=-1))
    assert drift / moved < grid.report.drift * 10 < 1e-8


def test_repr(grid, pairs):
    lines = repr(grid).splitlines()
    assert lines[0] == "<Ensemble of 'double pendulum': 6 motions, 11 states each, t = 0 .. 0.1 s>"
    assert lines[1] == "  rod1.mass (3 values, -1 .. 2.5 kg) x hinge1.angle (2 values, 0.1 .. 0.2 rad)"
    assert lines[2].startswith("  400 steps in ") and "thread" in lines[2]
    assert "  4 x compiled loop (LLVM)" in repr(grid)
    assert "q0 (2 values), integrator (2 values)" in repr(pairs)


def test_a_data_set_of_all_combinations(grid):
    data = grid.to_xarray()
    assert data.q.dims == ("rod1.mass", "hinge1.angle", "t", "coordinate")
    picked = data.sel({"rod1.mass": 2.5}).isel({"hinge1.angle": 1})
    np.testing.assert_array_equal(picked.q.sel(coordinate="hinge2.angle"), grid.q[2, 1, :, 1])
    np.testing.assert_array_equal(picked.v.sel(velocity="hinge1.angle rate"), grid.v[2, 1, :, 0])
    np.testing.assert_array_equal(picked.total_energy, grid[2, 1].energy().total)
    units = {name: data[name].attrs["units"] for name in ("rod1.mass", "hinge1.angle", "t", "q", "v", "kinetic_energy")}
    assert list(units.values()) == ["kg", "rad", "s", "rad", "rad/s", "J"]
    assert "mass is negative" in str(data.failure.values[1, 0]) and data.failure.values[0, 0] == ""


def test_a_data_set_of_pairs(pairs):
    data = pairs.to_xarray()
    assert data.q.dims == ("member", "t", "coordinate")
    np.testing.assert_array_equal(data.q0, [0, 1])
    assert list(data.integrator.values) == ["rk4", "rk4"]
    assert "number in the list" in data.q0.attrs["long_name"]
    np.testing.assert_array_equal(data.q, pairs.q)


def test_names_of_a_data_set_stay_its_own():
    ensemble = rbd.sweep(lambda t: pendulum(t), {"t": [0.5, 1.0]}, **SHORT)
    assert ensemble.to_xarray().q.dims == ("t (parameter)", "t", "coordinate")


def test_tables(grid, pairs):
    table = grid.to_dataframe()
    assert table.index.names == ["rod1.mass", "hinge1.angle", "t"]
    own = grid[2, 1].to_dataframe()
    np.testing.assert_array_equal(table.xs((2.5, 0.2), level=("rod1.mass", "hinge1.angle"))[own.columns], own)
    table = pairs.to_dataframe()
    assert table.index.names == ["member", "t"]
    np.testing.assert_array_equal(table.loc[1]["hinge1.angle"], pairs.q[1, :, 0])
    assert (table.loc[1]["q0"] == 1).all()


def test_without_the_optional_packages():
    """The arrays need none of them, and what does says how to get them."""
    code = """
import sys
sys.modules["xarray"] = sys.modules["pandas"] = sys.modules["distributed"] = sys.modules["dask"] = None
import rbdkit as rbd
ensemble = rbd.sweep(rbd.library.pendulum(), {"rod.mass": [1.0, 2.0]}, duration=0.01)
print(ensemble.q.shape)
for name in ("to_xarray", "to_dataframe"):
    try:
        getattr(ensemble, name)()
    except ImportError as fault:
        print(fault)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "(2, 11, 1)",
        "to_xarray needs xarray: pip install 'rbdkit[data]'",
        "to_dataframe needs pandas: pip install 'rbdkit[data]'",
    ]


def test_names_and_units_of_every_joint_type():
    model = random_tree(2, bodies=20)
    q_names, v_names = state_names(model)
    q_units, v_units = state_units(model)
    assert len(q_names) == len(q_units) == model.nq and len(v_names) == len(v_units) == model.nv
    q, v = model.random_q(1), np.random.default_rng(1).normal(size=model.nv)
    columns = rbd.Trajectory(model, np.zeros(1), q[None], v[None]).columns()
    for name, place in state_places(model).items():
        assert columns[name][0] == np.concatenate([q, v])[place]
        assert unit_of(model, name) == (q_units + v_units)[place]


def test_units_of_parameters():
    model = rbd.Model()
    model.add_body(
        "screw", joint=rbd.Helical("z", pitch=0.1), inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint_name="nut"
    )
    model.add_body("sled", "screw", rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint_name="rail")
    model.add_body("plate", "sled", rbd.Planar("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), joint_name="table")
    units = {
        "screw.mass": "kg", "screw.com": "m", "screw.inertia": "kg m2", "nut.pitch": "m/rad",
        "nut.damping": "N m s/rad", "rail.damping": "N s/m", "rail.stiffness": "N/m", "rail.rest": "m",
        "rail.armature": "kg", "nut.armature": "kg m2", "table.damping": "", "nut.placement": "",
        "gravity": "m/s2", "dt": "s", "integrator": "",
    }  # fmt: skip
    assert {name: unit_of(model, name) for name in units} == units


def test_coordinates_of_mimic_joints_are_their_leaders():
    model = rbd.Model()
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=ball, joint_name="lead")
    model.add_body("b", "a", rbd.Revolute("y"), (0, 0, 1), ball, joint_name="follow", mimic=rbd.Mimic("lead", 2.0, 0.1))
    assert state_places(model) == {"lead.angle": 0, "lead.angle rate": 1}
    with pytest.raises(SimulationError, match=r"'follow.angle' is no parameter"):
        rbd.sweep(model, {"follow.angle": [0.1]}, **SHORT)
    ensemble = rbd.sweep(model, {"lead.angle": [0.1, 0.2]}, duration=0.01, dt=1e-3)
    np.testing.assert_allclose(ensemble[1].q, rbd.simulate(model, [0.2], duration=0.01, dt=1e-3).q, atol=1e-14)
