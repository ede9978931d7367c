"""`sweep` is many `simulate` calls: the same motions, whatever is varied and whatever computes them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rbdkit as rbd
from rbdkit.errors import ModelError, SimulationError, StateError
from rbdkit.integrators import RK4
from rbdkit.library import chain_pendulum, double_pendulum, pendulum, random_state, random_tree
from rbdkit.simulation import SimulationWarning
from rbdkit.simulation.ensembles.axes import axes_of
from rbdkit.trace.run.native import machine

SHORT = {"duration": 0.2, "dt": 2e-3, "every": 7, "progress": False}


def assert_equal(ensemble, member, model, q0=None, v0=None, **options):
    """The member is what `simulate` makes of the same arguments.

    Lanes may add up in another order than one state does; the motions are short and not chaotic, so that round-off
    stays what it is.
    """
    alone = rbd.simulate(model, q0, v0, **{**SHORT, **options})
    own = ensemble[member]
    np.testing.assert_allclose(own.t, alone.t, rtol=0, atol=1e-15)
    np.testing.assert_allclose(own.q, alone.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(own.v, alone.v, rtol=0, atol=1e-11)


def test_all_combinations_in_the_order_of_the_names():
    model = double_pendulum()
    masses, dampings, angles = [1.0, 2.0, 0.5], np.linspace(0.0, 0.4, 2), [0.3, -0.7]
    values = {"rod1.mass": masses, "hinge2.damping": dampings, "hinge1.angle": angles}
    ensemble = rbd.sweep(model, values, v0=[0.1, -0.2], **SHORT)
    assert ensemble.q.shape == (3, 2, 2, 16, 2)
    for i, mass in enumerate(masses):
        for j, damping in enumerate(dampings):
            for k, angle in enumerate(angles):
                changed = model.with_parameters({"rod1.mass": mass, "hinge2.damping": damping})
                assert_equal(ensemble, (i, j, k), changed, [angle, 0.0], [0.1, -0.2])
    assert ensemble.parameters(11) == {"rod1.mass": 0.5, "hinge2.damping": 0.4, "hinge1.angle": -0.7}


@settings(max_examples=15, deadline=None)
@given(
    masses=st.lists(st.floats(0.2, 5.0), min_size=1, max_size=3),
    speeds=st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=4),
    combine=st.sampled_from(["product", "zip"]),
    chunk=st.integers(1, 5),
    threads=st.integers(1, 3),
)
def test_any_grid_in_any_chunks(masses, speeds, combine, chunk, threads):
    if combine == "zip":
        masses, speeds = (list(values) for values in zip(*zip(masses, speeds, strict=False), strict=True))
    model, values = pendulum(), {"rod.mass": masses, "hinge.angle rate": speeds}
    ensemble = rbd.sweep(model, values, [0.5], combine=combine, chunk=chunk, threads=threads, **SHORT)
    assert ensemble.shape == ((len(masses), len(speeds)) if combine == "product" else (len(masses),))
    for member in {0, len(ensemble) - 1, len(ensemble) // 2}:
        own = ensemble.parameters(member)
        changed = model.with_parameters({"rod.mass": own["rod.mass"]})
        assert_equal(ensemble, member, changed, [0.5], [own["hinge.angle rate"]])


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_members_are_numbered_as_itertools_does(lists):
    axes = axes_of({str(k): values for k, values in enumerate(lists)})
    assert [tuple(axes.parameters(k).values()) for k in range(len(axes))] == list(itertools.product(*lists))
    assert axes.shape == tuple(map(len, lists))


def test_a_list_of_members():
    model = double_pendulum()
    members = [{"rod1.mass": 1.0, "q0": [0.1, 0.2]}, {"q0": [0.3, -0.2], "rod1.mass": 4.0}]
    ensemble = rbd.sweep(model, members, **SHORT)
    assert ensemble.shape == (2,)
    for k, own in enumerate(members):
        assert_equal(ensemble, k, model.with_parameters({"rod1.mass": own["rod1.mass"]}), own["q0"])


def test_every_joint_type_from_random_states():
    """Manifold joints, springs, dampers and whatever else a random tree has."""
    model = random_tree(5, bodies=18)
    states = [random_state(model, seed) for seed in range(3)]
    q0, v0 = ([state[k] for state in states] for k in (0, 1))
    ensemble = rbd.sweep(model, {"q0": q0, "v0": v0}, combine="zip", **SHORT | {"duration": 0.05})
    for k in range(3):
        assert_equal(ensemble, k, model, q0[k], v0[k], duration=0.05)


def test_integrators_and_steps():
    """All are recorded at the same times; a shorter step is recorded less often."""
    model, q0 = double_pendulum(), [0.4, -0.3]
    methods = ["rk4", "symplectic_euler", "dop853", RK4()]
    ensemble = rbd.sweep(model, {"dt": [4e-3, 1e-3], "integrator": methods}, q0, duration=0.21, every=5)
    np.testing.assert_allclose(ensemble.t, [*np.arange(0.0, 0.21, 0.02), 0.21], atol=1e-15)
    for i, (dt, every) in enumerate([(4e-3, 5), (1e-3, 20)]):
        for j, method in enumerate(methods):
            assert_equal(ensemble, (i, j), model, q0, duration=0.21, dt=dt, every=every, integrator=method)


def test_forces():
    """The same for all, or one for each: constant, held, sampled, functions, wrenches."""
    model, k = double_pendulum(), np.arange(101)[:, None]
    smooth = np.sin(0.1 * k + [0.0, 1.0])
    taus = [np.array([0.1, 0.2]), smooth[:100], smooth, lambda t, q, v: -0.3 * v]
    push = [None, {"rod2": rbd.wrench(force=[1.0, 0.0, 0.5])}]
    ensemble = rbd.sweep(model, {"tau": taus, "f_ext": push}, **SHORT)
    for i, tau in enumerate(taus):
        for j, f_ext in enumerate(push):
            assert_equal(ensemble, (i, j), model, tau=tau, f_ext=f_ext)
    own = ensemble[0, 1]
    np.testing.assert_array_equal(own.tau, np.tile(taus[0], (16, 1)))
    assert own.f_ext(0.0, own.q[0], own.v[0])[2, 3] == 1.0
    common = rbd.sweep(model, {"rod1.mass": [1.0, 2.0]}, tau=taus[1], f_ext=push[1], **SHORT)
    assert_equal(common, 1, model.with_parameters({"rod1.mass": 2.0}), tau=taus[1], f_ext=push[1])


def test_lanes_are_as_good_as_single_motions():
    """Nine members, one of them with a rotor, more than enough steps for code that computes several at once."""
    model, options = random_tree(7, bodies=12), {"duration": 0.4, "dt": 1e-3, "every": 50}
    name = next(joint.name for joint in model.joints if joint.nv == 1)
    members = [{"gravity": [0.0, 0.0, -1.0 - k], f"{name}.armature": 0.1 * (k == 4)} for k in range(9)]
    ensemble = rbd.sweep(model, members, chunk=9, **options)
    for k in (0, 4, 8):
        assert_equal(ensemble, k, model.with_parameters(members[k]), **options)
    if machine().lanes > 1:
        assert ensemble.report.code[f"compiled loop (LLVM, {machine().lanes} lanes)"] >= 8
    assert sum(ensemble.report.code.values()) == 9


def test_traced_functions_run_in_lanes_too():
    """One function for all members is traced once; another one for some is another code."""
    model, options = double_pendulum(), {"duration": 1.0, "dt": 1e-3, "every": 100}

    @rbd.traced
    def hold(t, q, v):
        return -3.0 * q - 0.5 * v + np.sin(t)

    @rbd.traced
    def brake(t, q, v):
        return -0.7 * v

    values = {"tau": [hold, brake], "rod1.mass": np.linspace(1.0, 2.0, 4)}
    ensemble = rbd.sweep(model, values, [0.2, 0.1], chunk=8, **options)
    for i, tau in enumerate((hold, brake)):
        assert_equal(ensemble, (i, 3), model.with_parameters({"rod1.mass": 2.0}), [0.2, 0.1], tau=tau, **options)
    assert all(code.endswith("tau traced") for code in ensemble.report.code)


def test_models_that_need_another_code_in_one_sweep():
    """The first rotor in a joint makes another kind of link, which cannot run in the same lanes."""
    model, armatures = double_pendulum(), [0.0, 0.1, 0.0, 0.3]
    ensemble = rbd.sweep(model, {"hinge1.armature": armatures}, [0.5, 0.5], **SHORT)
    for k, armature in enumerate(armatures):
        assert_equal(ensemble, k, model.with_parameters({"hinge1.armature": armature}), [0.5, 0.5])


@pytest.mark.parametrize("seen", [lambda joint: joint, rbd.Reversed])
def test_a_driven_joint(seen):
    """Its motor brings energy in and out: there is no drift to judge, from whichever end the joint is seen."""
    model = rbd.Model("shaken")
    shake = rbd.Prescribed(
        rbd.Prismatic("x"), lambda t: (0.1 * np.sin(5 * t), 0.5 * np.cos(5 * t), -2.5 * np.sin(5 * t))
    )
    rod = rbd.Inertia.cylinder(0.03, 1.0, mass=1.0)
    model.add_body("cart", joint=seen(shake), inertia=rod)
    model.add_body("rod", "cart", rbd.Revolute("y"), inertia=rod.transformed(rbd.pose(position=[0, 0, -0.5])))
    options = {"duration": 0.05, "dt": 5e-3, "every": 1}
    ensemble = rbd.sweep(model, {"rod.mass": [1.0, 2.0]}, [0.1], **options)
    assert_equal(ensemble, 1, model.with_parameters({"rod.mass": 2.0}), [0.1], **options)
    np.testing.assert_array_equal(ensemble.energy().total[1], ensemble[1].energy().total)
    assert ensemble.report.drift is None


def test_what_cannot_be_compiled_says_why():
    values = {"integrator": ["rk4", "radau"], "tau": [None, rbd.simulation.untraced(lambda t, q, v: -v)]}
    ensemble = rbd.sweep(pendulum(), values, [0.3], **SHORT)
    from_python = "compiled dynamics (LLVM), stepped from Python: "
    assert ensemble.report.code == {
        "compiled loop (LLVM)": 1,
        f"{from_python}tau is a Python function, untraced as asked for": 1,
        f"{from_python}SciPy chooses the steps": 2,
    }
    book = rbd.sweep(pendulum(), {"rod.mass": [1.0]}, [0.3], backend="book", **SHORT)
    assert book.report.code == {"book form (NumPy), as asked for": 1}


def test_formulations():
    """Another form of the same equations gives the same motion; one that does not know hinges is reported."""
    values = {"formulation": ["joint", "so3xr3", "local_velocity"]}
    with pytest.warns(SimulationWarning, match="FAILED: 1 member"):
        ensemble = rbd.sweep(pendulum(), values, [0.5], duration=0.05, dt=1e-3)
    np.testing.assert_allclose(ensemble.q[1], ensemble.q[0], atol=1e-9)
    assert "freely" in ensemble.failures[0].reason


def test_progress_goes_from_nothing_to_all():
    """Also where members are refused."""
    told = []
    with pytest.warns(SimulationWarning):
        rbd.sweep(pendulum(), {"rod.mass": [1.0, -1.0, 2.0]}, chunk=1, threads=1, **SHORT | {"progress": told.append})
    assert told == sorted(told) and told[-1] == 1.0


def build(length, links=2):
    """A chain of rods."""
    return chain_pendulum(links, length)


def test_a_function_that_builds_models():
    ensemble = rbd.sweep(build, {"length": [0.5, 1.5], "rod1.mass": [1.0, 3.0], "hinge2.angle": [0.2]}, **SHORT)
    changed = build(1.5).with_parameters({"rod1.mass": 3.0})
    assert_equal(ensemble, (1, 1, 0), changed, [0.0, 0.2])
    assert ensemble.model.name == build(0.5).name


def test_a_function_must_keep_the_coordinates():
    with pytest.warns(SimulationWarning, match="hinge3.angle"):
        ensemble = rbd.sweep(build, {"length": [1.0], "links": [2, 3]}, **SHORT)
    assert [failure.member for failure in ensemble.failures] == [1]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({}, SimulationError, "nothing to sweep"),
        ({"rod1.mas": [1.0]}, SimulationError, "did you mean 'rod1.mass'"),
        ({"hinge1.angel": [1.0]}, SimulationError, "did you mean 'hinge1.angle'"),
        ({"rod1.mass": 1.0}, SimulationError, "write \\[1.0\\]"),
        ({"rod1.mass": []}, SimulationError, "has no values"),
        ({"integrator": "rk4"}, SimulationError, "write \\['rk4'\\]"),
        ({"integrator": ["rk4", "rk44"]}, SimulationError, "'rk44' is unknown"),
        ({"formulation": ["joints"]}, SimulationError, "'joints' is unknown"),
        ({"dt": [1e-3, -1.0]}, SimulationError, "dt = -1.0 must be"),
        ({"dt": [1e-3, 6e-4]}, SimulationError, "take 0.000583333333 s"),
        ({"duration": [1.0]}, SimulationError, "as an argument"),
        ({"hinge1.angle": ["wide"]}, SimulationError, "is not a number"),
        ({"rod1.com": [0.1, 0.2]}, ModelError, "com has shape"),
        ({"rod1.mass": [-1.0, -2.0]}, ModelError, "mass is negative: -1 kg"),
        ({"q0": [[0.1, 0.2, 0.3]]}, StateError, "needs \\(2,\\)"),
        ([{"rod1.mass": 1.0}, {"rod2.mass": 1.0}], SimulationError, "members 0 and 1"),
        ([], SimulationError, "at least one"),
        ("rod1.mass", SimulationError, "must be {name"),
    ],
)
def test_what_is_wrong_with_all_members_is_said_before_anything_runs(values, error, message):
    with pytest.raises(error, match=message):
        rbd.sweep(double_pendulum(), values, **SHORT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"combine": "zip"}, "'rod1.mass' has 2, 'rod2.mass' has 3"),
        ({"combine": "outer"}, "'product'"),
        ({"every": 0}, "every = 0"),
        ({"threads": 0}, "threads = 0"),
        ({"executor": "cluster"}, "must be a dask.distributed.Client"),
        ({"integrator": "euler"}, "is unknown"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(SimulationError, match=message):
        rbd.sweep(double_pendulum(), {"rod1.mass": [1, 2], "rod2.mass": [1, 2, 3]}, **SHORT | options)


def test_more_than_fits_is_refused():
    with pytest.raises(SimulationError, match=r"1100 members with 1000001 recorded states each take 16 GB; .* every"):
        rbd.sweep(pendulum(), {"hinge.angle": range(1100)}, duration=1e3, dt=1e-3)


def test_a_function_that_takes_any_value_is_given_its_own_alone():
    """Names of the model's parameters, states and settings of the run are none of its business."""
    asked = []

    def takes_all(**values):
        asked.append(dict(values))
        return build(**values)

    values = {"length": [0.5, 1.5], "rod1.mass": [2.0], "dt": [1e-2, 5e-3], "q0": [[0.1, 0.2]]}
    ensemble = rbd.sweep(takes_all, values, **{k: x for k, x in SHORT.items() if k != "dt"})
    assert all(set(given) == {"length"} for given in asked) and {given["length"] for given in asked} == {0.5, 1.5}
    assert len(ensemble) == 4


def test_wrong_building_functions():
    with pytest.raises(SimulationError, match="needs 'length'"):
        rbd.sweep(build, {"links": [1]}, **SHORT)
    with pytest.raises(SimulationError, match=r"built no model from any .* unsupported operand"):
        rbd.sweep(lambda links: build(1.0, links + "1"), {"links": [1, 2]}, **SHORT)
    with pytest.raises(SimulationError, match="not a Model"):
        rbd.sweep(lambda mass: mass, {"mass": [1]}, **SHORT)
    with pytest.raises(SimulationError, match="q0 is among the values"):
        rbd.sweep(pendulum(), {"q0": [[0.1]]}, [0.2], **SHORT)
