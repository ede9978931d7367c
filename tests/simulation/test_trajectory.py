"""What a recorded motion offers, and what its report says."""

import inspect
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import chain_pendulum, random_state, random_tree
from rbdkit.model import Limits, Mimic
from rbdkit.simulation import Trajectory


@pytest.fixture(scope="module")
def run():
    """Every joint type moves for a moment."""
    model = random_tree(5, 17)
    model.add_frame("tool", "b9", [0.1, 0.2, 0.3])
    q, v, _ = random_state(model, 5)
    return rbd.simulate(model, q, v, duration=0.02, dt=2e-3)


def test_poses_are_those_of_forward_kinematics(run):
    assert run.poses().shape == (11, 18, 4, 4)
    for k in (0, 7):
        kinematics = rbd.forward_kinematics(run.model, run.q[k])
        np.testing.assert_allclose(run.poses()[k], kinematics.poses, atol=1e-14)
        np.testing.assert_allclose(run.poses("b5")[k], kinematics.pose("b5"), atol=1e-14)
        np.testing.assert_allclose(run.poses("tool")[k], kinematics.pose("tool"), atol=1e-14)
    with pytest.raises(rbd.ModelError, match="frame 'hand' is not in"):
        run.poses("hand")


def test_energy_is_that_of_every_state(run):
    for k in (0, 10):
        one = rbd.energy(run.model, run.q[k], run.v[k])
        for name in ("kinetic", "potential", "total"):
            np.testing.assert_allclose(getattr(run.energy(), name)[k], getattr(one, name), rtol=1e-13)
    np.testing.assert_array_equal(run.work(), np.zeros(11))
    np.testing.assert_allclose(run.energy_error(), run.energy().total - run.energy().total[0])


def test_a_method_that_is_not_called_says_so(run):
    """It printed the report, as what the method is bound to."""
    assert repr(run.energy) == "<energy is a method of Trajectory; call it: .energy()>"
    assert (
        str(rbd.simulate(run.model, duration=2e-3, formulation="maximal").invariants).count(" of Motion; call it") == 1
    )
    with pytest.raises(AttributeError, match=r"'energy' is a method of Trajectory; .* no 'total'"):
        run.energy.total  # noqa: B018
    assert run.energy.__doc__ == Trajectory.energy.__doc__ and run.energy.__name__ == "energy"
    assert str(inspect.signature(run.poses)) == "(body: 'str | None' = None) -> 'NDArray'"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(run.energy))().total, run.energy().total)
    assert inspect.isfunction(Trajectory.energy)  # what the reference reads


def test_columns_have_every_coordinate_and_velocity_by_name(run):
    columns = run.columns()
    assert len(columns) == run.model.nq + run.model.nv
    np.testing.assert_array_equal(np.sort(np.column_stack(list(columns.values()))), np.sort(np.hstack([run.q, run.v])))
    free = next(j for j in run.model.joints if j.type.kind == "free")
    np.testing.assert_array_equal(columns[f"{free.name}.qw"], run.q[:, free.q_slice.start])
    np.testing.assert_array_equal(columns[f"{free.name}.vz"], run.v[:, free.v_slice.stop - 1])
    hinge = next(j for j in run.model.joints if j.type.kind == "revolute")
    np.testing.assert_array_equal(columns[f"{hinge.name}.angle"], run.q[:, hinge.q_slice.start])
    np.testing.assert_array_equal(columns[f"{hinge.name}.angle rate"], run.v[:, hinge.v_slice.start])


def test_to_dataframe(run):
    table = run.to_dataframe()
    assert table.shape == (11, run.model.nq + run.model.nv + 3)
    assert table.index.name == "t"
    np.testing.assert_array_equal(table.index, run.t)
    assert list(table.columns[-3:]) == ["kinetic energy", "potential energy", "total energy"]
    np.testing.assert_array_equal(table["total energy"], run.energy().total)
    for name, values in run.columns().items():
        np.testing.assert_array_equal(table[name], values)


def test_to_xarray(run):
    data = run.to_xarray()
    np.testing.assert_array_equal(data["t"], run.t)
    assert list(data["body"].values) == [body.name for body in run.model.bodies]
    np.testing.assert_array_equal(data["pose"].sel(body="b5"), run.poses("b5"))
    assert data["pose"].dims == ("t", "body", "row", "column")
    for name, values in run.columns().items():
        np.testing.assert_array_equal(data[name], values)


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_dataframe"), ("xarray", "to_xarray")])
def test_a_missing_package_is_named_with_the_remedy(run, monkeypatch, package, method):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{method} needs {package}: pip install 'rbdkit\[data\]'"):
        getattr(run, method)()


def test_a_driven_joint_moves_with_the_recorded_times():
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("table", joint=rbd.Prescribed(rbd.Revolute("z"), lambda t: ([t], [1.0], [0.0])))
    model.add_body("mass", "table", rbd.Prismatic("x"), [0.5, 0, 0], rbd.Inertia.sphere(0.1, mass=1.0), stiffness=1.0)
    run = rbd.simulate(model, duration=1.0, dt=0.1)
    np.testing.assert_allclose(run.poses("table")[:, 0, 0], np.cos(run.t), atol=1e-15)
    np.testing.assert_allclose(run.q[:, 0], 0.25 * run.t**2, atol=1e-7)  # the spring just takes the growing pull


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_joint_driven_from_its_other_end_moves_with_the_recorded_times(formulation):
    """Whether the driven joint is reversed or the reversed joint driven is the same: poses, energy and its balance."""

    def swing(t):
        return [np.sin(3 * t)], [3 * np.cos(3 * t)], [-9 * np.sin(3 * t)]

    runs = []
    for joint in (rbd.Reversed(rbd.Prescribed(rbd.Revolute("x"), swing)), rbd.Prescribed(rbd.Revolute("-x"), swing)):
        model = rbd.Model()
        model.add_body("arm", joint=joint, inertia=rbd.Inertia(1.0, [0.1, 0.2, 0.3], 0.1 * np.eye(3)))
        rod = rbd.Inertia(1.0, [0, 0, -0.3], 0.01 * np.eye(3))
        model.add_body("rod", "arm", rbd.Revolute("y"), [0.3, 0, 0], rod)
        runs.append(rbd.simulate(model, [0.3], duration=0.02, dt=1e-3, formulation=formulation))
    one, two = runs
    assert one.driven == two.driven == ("arm_joint",)
    np.testing.assert_allclose(one.poses(), two.poses(), atol=1e-12)
    np.testing.assert_allclose(one.energy().total, two.energy().total, atol=1e-12)
    np.testing.assert_allclose(one.poses("arm")[:, 1, 2], np.sin(np.sin(3 * one.t)), atol=1e-12)
    assert one.report.energy_error < 1e-6


def test_the_repr_says_how_the_run_went(run):
    text = repr(run)
    assert text.startswith("<Trajectory of 'random tree 5': 11 states, t = 0 .. 0.02 s>\n")
    assert "\n  10 steps of 0.002 s with rk4 in " in text
    assert "\n  compiled loop (LLVM)\n" in text
    assert "energy drift: " in text
    bare = Trajectory(run.model, run.t, run.q, run.v)
    assert repr(bare) == "<Trajectory of 'random tree 5': 11 states, t = 0 .. 0.02 s>"
    assert len(bare) == 11


def test_the_effort_of_a_follower_is_that_of_its_leader():
    """A joint that mimics another one has no force of its own; where the leader's stand is not its place."""
    model, limits = rbd.Model("pair"), Limits(effort=1.0)
    model.add_body("a", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0), joint_name="leader")
    model.add_body("b", "a", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0.1, 0, 0]), joint_name="follower",
                   limits=limits, mimic=Mimic("leader"))  # fmt: skip
    run = rbd.simulate(model, duration=0.01, tau=[5.0])
    assert not [violation for violation in run.report.violations if violation.what == "effort"]
    assert rbd.simulate(model, duration=0.01).report.violations == ()


@pytest.fixture
def limited():
    """Two hinges that fall from the horizontal, with limits on everything in the first one."""
    model = rbd.Model("limited")
    base = chain_pendulum(2)
    limits = Limits(lower=-0.5, upper=1.5, velocity=3.0, effort=2.0)
    inertia = base.bodies[1].inertia
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=inertia, joint_name="shoulder", limits=limits)
    model.add_body("lower", "upper", rbd.Revolute("y"), [0, 0, -1.0], base.bodies[2].inertia, joint_name="elbow")
    return model


def test_limits_that_were_passed_are_reported_with_first_time_and_worst_value(limited):
    push, watch = (lambda t, q, v: [-2.5 * (t > 0.25), 0.0]), {"limits": "watch"}
    run = rbd.simulate(limited, [1.5, 0.0], duration=1.0, dt=5e-3, tau=push, **watch)
    found = {violation.what: violation for violation in run.report.violations}
    assert set(found) == {"position", "speed", "effort"}
    q, v, tau = run.q[:, 0], np.abs(run.v[:, 0]), np.abs(run.tau[:, 0])
    assert (found["position"].since, found["position"].value) == (run.t[np.argmax(q < -0.5)], q.min())
    assert (found["speed"].since, found["speed"].value) == (run.t[np.argmax(v > 3.0)], v.max())
    assert (found["effort"].since, found["effort"].value) == (run.t[np.argmax(tau > 2.0)], 2.5)
    for violation in run.report.violations[:3]:
        assert f"\n    {violation}\n" in repr(run) + "\n"
    assert "more, see report.violations" not in repr(run)
    crowded = replace(run, report=replace(run.report, violations=2 * run.report.violations))
    assert "\n    and 3 more, see report.violations" in repr(crowded)
    assert max(map(len, repr(crowded).splitlines())) <= 120  # a notebook breaks longer lines in the middle of words
    assert str(found["effort"]) == f"shoulder: effort 2.5 beyond 2 (since t = {found['effort'].since:.4g} s)"


def test_standing_on_a_limit_is_not_passing_it(limited):
    run = rbd.simulate(limited.with_parameters({"gravity": np.zeros(3)}), [1.5, 0.0], duration=0.01)
    assert run.report.violations == ()


def test_limits_of_a_joint_with_several_coordinates():
    model = rbd.Model(gravity=(0, 0, 0))
    limits = Limits(lower=[-np.inf, -1.0, -1.0], upper=[np.inf, 1.0, 0.2])
    inertia = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("puck", joint=rbd.Planar(), inertia=inertia, joint_name="table", limits=limits)
    run = rbd.simulate(model, v0=[0.0, 0.5, 0.7], duration=1.0, dt=0.1, limits="watch")
    (violation,) = run.report.violations
    assert (violation.value, violation.bound, violation.since) == pytest.approx((0.7, 0.2, 0.3))


def test_dry_friction_is_simulated_and_its_smoothness_said():
    model = rbd.Model(gravity=(0, 0, 0))
    inertia = rbd.Inertia.sphere(0.1, mass=1.0)
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=inertia, friction=0.3, joint_name="rail")
    run = rbd.simulate(model, v0=[1.0], duration=2.0)
    assert "dry friction of 'rail' is smooth" in repr(run)
    assert run.report.energy_error < 1e-9  # the balance knows what friction takes
    c, (v0, v) = 0.01, run.v[[0, -1], 0]  # m v dv/dx = -0.3 v / sqrt(v^2 + c^2), so x is an integral over v
    reach = [0.5 * (u * np.sqrt(u * u + c * c) + c * c * np.arcsinh(u / c)) for u in (v0, v)]
    assert run.q[-1, 0] == pytest.approx((reach[0] - reach[1]) / 0.3, rel=1e-11)


def test_work_between_few_records_is_called_rough():
    """A quick decay between two records: the balance is judged by what the records can tell."""
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0), damping=200.0)
    rough = rbd.simulate(model, v0=[1.0], duration=0.1, dt=1e-2, integrator="radau")
    assert rough.report.work_error > rough.report.energy_error > 1e-3
    assert "as well as the recorded states give the work" in repr(rough)
    fine = rbd.simulate(model, v0=[1.0], duration=0.1, dt=1e-4)
    assert fine.report.energy_error < 1e-6


def test_velocities_of_a_frame_are_those_of_kinematics():
    model = rbd.library.double_pendulum()
    model.add_frame("tip", "rod2", rbd.pose([0.5, 0.5, 0.5, 0.5], [0.1, 0.0, -1.0]))
    for formulation in ("joint", "se3"):
        motion = rbd.simulate(model, [1.0, 0.5], duration=0.05, formulation=formulation)
        for name in ("tip", "rod2"):
            expected = rbd.forward_kinematics(model, motion.q, motion.v).velocity(name)
            np.testing.assert_allclose(motion.velocities(name), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("load, told", [(0.5, "0.0058"), (0.9, "0.021")])
def test_dry_friction_creeps_as_fast_as_its_note_says(load, told):
    """Under a part x of the largest friction with creep x / sqrt(1 - x^2), where the motion has come to that."""
    model = rbd.Model("block", gravity=(10.0 * load, 0.0, 0.0))
    model.add_body("block", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), friction=10.0, joint_name="rail")
    run = rbd.simulate(model, duration=0.2, dt=5e-4)
    assert any(f"{told} " in note and "creeps" in note for note in run.report.notes)
    np.testing.assert_allclose(run.v[-1, 0], 0.01 * load / np.sqrt(1.0 - load**2), rtol=1e-6)
    np.testing.assert_allclose(run.v[-1, 0], float(told), rtol=2e-2)


@pytest.mark.parametrize("formulation", ["joint", "so3xr3"])
def test_joints_and_columns_go_by_name(formulation):
    model = rbd.Model("arm on a ball")
    ball = model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.2, mass=1.0), joint_name="pivot")
    rod = rbd.Inertia.box((0.1, 0.1, 0.4), mass=1.0)
    model.add_body("rod", ball, rbd.Revolute("y"), placement=(0, 0, -0.5), inertia=rod, joint_name="hinge")
    model.add_frame("tip", "rod", (0, 0, -0.2))
    motion = rbd.simulate(model, duration=0.02, formulation=formulation, progress=False)
    np.testing.assert_array_equal(motion["pivot"], motion.q[:, :4])
    np.testing.assert_array_equal(motion["hinge"], motion.q[:, 4])
    np.testing.assert_array_equal(motion["hinge.angle rate"], motion.v[:, 3])
    for name, says in (
        ("hinje", "'hinje' is no joint .*did you mean 'hinge'"),
        ("rod", r"'rod' is no joint .*poses\('rod'\)"),
        ("tip", r"velocities\('tip'\)"),
        (0, "by names of joints, not 0; states are rows"),
        (slice(3), "rows of q and v"),
    ):
        with pytest.raises(rbd.ModelError, match=says):
            motion[name]
    with pytest.raises(rbd.ModelError, match="rows of q and v"):
        list(motion)
