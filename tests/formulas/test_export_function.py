"""Exported functions: every target computes what rbdkit does, with chosen parameters, and refuses the rest by name."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulas.quantities import QUANTITIES

ARM = """<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0.05 0.3"/><mass value="1.5"/>
<inertia ixx="0.01" iyy="0.01" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3" rpy="0 1 0.2"/>
<axis xyz="0 1 0"/><dynamics damping="0.2"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4" rpy="0.3 0 0"/>
<axis xyz="1 0 0"/></joint></robot>"""
NAMES = ["upper.mass", "lower.com.y", "lower.inertia.xx", "elbow.placement.z", "shoulder.damping", "gravity.z"]
NUMBERS = [2.5, -0.04, 0.011, 0.45, 0.7, -3.7]


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    model = rbd.load(path)
    model.add_frame("tip", "lower", [0.0, 0.1, 0.5])
    return model


def other(model):
    """The model with the numbers of `NAMES` changed, by its own parameters."""
    now = model.parameters
    com, inertia = np.array(now["lower.com"]), np.array(now["lower.inertia"])
    place, gravity = np.array(now["elbow.placement"]), np.array(now["gravity"])
    com[1], inertia[0, 0], place[2, 3], gravity[2] = -0.04, 0.011, 0.45, -3.7
    return model.with_parameters({
        "upper.mass": 2.5, "lower.com": com, "lower.inertia": inertia, "elbow.placement": place,
        "shoulder.damping": 0.7, "gravity": gravity,
    })  # fmt: skip


def of_rbdkit(model, what, q, v, x):
    """The public function."""
    if what == "forward_kinematics":
        return rbd.forward_kinematics(model, q)["tip"]
    if what == "energy":
        found = rbd.energy(model, q, v)
        return np.array([found.kinetic, found.gravitational, found.spring])
    if what == "equation_forces":
        return -rbd.crba(model, q) @ rbd.forward_dynamics(model, q, v, np.zeros(model.nv))
    function = getattr(rbd, what)
    if what in ("jacobian", "bias_acceleration"):
        return function(model, q, *([v] if what == "bias_acceleration" else []), "tip", "aligned")
    return function(model, *{"q": [q], "qv": [q, v], "qvx": [q, v, x]}[arguments_of(what)])


def arguments_of(what):
    return "".join(x if x in "qv" else "x" for x in QUANTITIES[what].arguments)


def exported(model, what, to, parameters=()):
    framed = {"frame": "tip"} if QUANTITIES[what].framed else {}
    referred = {"reference": "aligned"} if QUANTITIES[what].referred else {}
    return rbd.export_function(model, what, to, parameters=parameters, **framed, **referred)


@pytest.mark.parametrize("what", QUANTITIES)
def test_each_function_with_other_parameters(arm, what):
    rng = np.random.default_rng(3)
    q, v, x = rng.normal(size=(3, 2))
    given = [{"q": q, "v": v}.get(name, x) for name in QUANTITIES[what].arguments]
    expected = of_rbdkit(other(arm), what, q, v, x)
    found = exported(arm, what, "python", NAMES)(*given, NUMBERS)
    # sums of some hundred products of numbers near one
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def compiled(source, folder):
    """Compile C strictly and return a function on arrays."""
    source.save(folder)
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "this test compiles C"
    library = folder / f"{source.name}.so"
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", library, folder / f"{source.name}.c", "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), source.name)

    def call(*given):
        arrays = [np.ascontiguousarray(x, dtype=float) for x in given]
        result = np.full(max(1, int(np.prod(source.shape))), np.nan)
        function(*[x.ctypes.data_as(ctypes.c_void_p) for x in (*arrays, result)])
        return result.reshape(source.shape)

    return call


def in_numpy(function, to, folder):
    """An exported function as a function on arrays of NumPy."""
    if to == "c":
        return compiled(function, folder)
    if to == "sympy":
        return lambda *given: np.array(function(*given), dtype=float).reshape(function.shape)
    if to == "casadi":
        return lambda *given: np.asarray(function(*given))
    if to == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return lambda *given: np.asarray(function(*[np.asarray(x, dtype=float) for x in given]))
    return function


TARGETS = ["python", "c", "sympy", "casadi", "jax"]


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("what", ["aba", "crba", "jacobian", "energy"])
def test_each_target(arm, what, to, tmp_path):
    rng = np.random.default_rng(4)
    q, v, x = rng.normal(size=(3, 2))
    given = [{"q": q, "v": v}.get(name, x) for name in QUANTITIES[what].arguments]
    expected = of_rbdkit(other(arm), what, q, v, x)
    found = in_numpy(exported(arm, what, to, NAMES), to, tmp_path)(*given, NUMBERS)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=0, atol=1e-13 * np.abs(expected).max())


ROBOTS = {"ur5_robot": False, "panda": False, "anymal": True, "talos_full_v2": True}


@pytest.mark.robots
@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics_of_robots(name, tmp_path):
    model = rbd.load(rbd.library.robot_file(name), floating=ROBOTS[name])
    rng = np.random.default_rng(5)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    expected = rbd.aba(model, q, v, tau)
    # a compiler takes half a minute for TALOS, which says nothing that ANYmal does not
    for to in TARGETS if model.nv < 30 else ["python", "sympy", "casadi", "jax"]:
        found = in_numpy(rbd.export_function(model, "aba", to), to, tmp_path)(q, v, tau)
        np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=to)


@pytest.mark.robots
@pytest.mark.parametrize("name", ["ur5_robot", "panda"])
def test_derivatives_by_other_tools(name):
    import casadi
    import jax

    jax.config.update("jax_enable_x64", True)
    model = rbd.load(rbd.library.robot_file(name))
    rng = np.random.default_rng(6)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    expected = rbd.aba_derivatives(model, q, v, tau)
    by = [expected.da_dq, expected.da_dv, expected.da_dtau]
    function = rbd.export_function(model, "aba", "casadi")
    given = [casadi.SX.sym(x, model.nv) for x in "qvt"]
    jacobians = casadi.Function("J", given, [casadi.jacobian(function(*given), x) for x in given])
    ours = rbd.export_function(model, "aba", "jax")
    of_jax = jax.jacobian(ours, argnums=(0, 1, 2))(q, v, tau)
    for known, other, one_more in zip(by, jacobians(q, v, tau), of_jax, strict=True):
        size = np.abs(known).max()
        np.testing.assert_allclose(np.asarray(other), known, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(np.asarray(one_more), known, rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize("scene", ["planar_four_bar", "crank_slider", "spatial_slider_crank"])
def test_loops(scene):
    """By the projected equation; the public function eliminates with pivots that it looks for in each state."""
    model = getattr(rbd.library, scene)()
    rng = np.random.default_rng(7)
    q = rbd.assemble(model, model.move(rbd.assemble(model), 0.3 * rng.normal(size=model.nv)))
    function = rbd.export_function(model, "forward_dynamics")
    run = rbd.simulate(model, q, duration=0.2, progress=False)
    for k in (0, -1):
        tau = rng.normal(size=model.nv)
        expected = rbd.forward_dynamics(model, run.q[k], run.v[k], tau)
        found = function(run.q[k], run.v[k], tau)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_force_elements_and_their_numbers_take_part():
    model = rbd.Model("cart")
    model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), damping=0.5)
    model.add_force("spring", rbd.Spring("world", "cart", 8.0, 0.5, at_a=(0, 0, 1)))
    function = rbd.export_function(model, "forward_dynamics", parameters=["spring.stiffness", "cart_joint.damping"])
    expected = rbd.forward_dynamics(
        model.with_parameters({"spring.stiffness": 20.0, "cart_joint.damping": 2.0}), [0.3], [1.0], [0.0]
    )
    np.testing.assert_allclose(function([0.3], [1.0], [0.0], [20.0, 2.0]), expected, rtol=1e-14)


@pytest.mark.parametrize("what", ["rnea", "aba", "forward_dynamics", "equation_forces", "energy"])
def test_rotors_and_springs_that_are_zero_may_be_symbols(what):
    model = rbd.Model("arm")
    body = rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.0)
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=body)
    model.add_body("hand", "upper", rbd.Spherical(), (0.0, 0.0, -1.0), body)
    names = ["upper_joint.armature", "upper_joint.stiffness", "upper_joint.rest"]
    changed = model.with_parameters(dict(zip(names, [0.3, 5.0, 0.2], strict=True)))
    exported = rbd.export_function(model, what, parameters=names)
    q = model.random_q(rng := np.random.default_rng(4))
    states = rng.normal(size=(len(exported.arguments) - 2, model.nv))
    expected = of_rbdkit(changed, what, q, states[0], *states[1:] if len(states) > 1 else [None])
    assert np.allclose(exported(q, *states, [0.3, 5.0, 0.2]), expected, rtol=1e-12)


def test_springs_beside_joints_with_quaternions():
    model = rbd.Model("arm")
    body = rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.0)
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=body, stiffness=5.0)
    model.add_body("hand", "upper", rbd.Spherical(), (0.0, 0.0, -1.0), body)
    q, v = model.random_q(np.random.default_rng(4)), np.array([0.1, 0.2, 0.3, 0.4])
    exported = rbd.export_function(model, "equation_forces")
    assert np.allclose(exported(q, v), of_rbdkit(model, "equation_forces", q, v, None), rtol=1e-12)


def test_a_function_of_ones_own(arm):
    def power(model, q, v, tau):
        return v @ (tau - rbd.bias_force(model, q, v))

    function = rbd.export_function(arm, power, "casadi")
    q, v, tau = np.random.default_rng(8).normal(size=(3, 2))
    assert float(function(q, v, tau)) == pytest.approx(power(arm, q, v, tau), rel=1e-14)


def test_prescribed_joints_take_the_time():
    model = rbd.Model("shaker")
    motion = rbd.Prescribed(rbd.Prismatic("x"), lambda t: ([np.sin(3 * t)], [3 * np.cos(3 * t)], [-9 * np.sin(3 * t)]))
    model.add_body("table", joint=motion, inertia=rbd.Inertia(1.0))
    model.add_body("rod", "table", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -0.5]))
    function = rbd.export_function(model, "aba")
    assert [x.name for x in function.arguments] == ["q", "v", "tau", "t"]
    np.testing.assert_allclose(
        function([0.3], [0.2], [0.1], 0.7), rbd.aba(model, [0.3], [0.2], [0.1], t=0.7), rtol=1e-13
    )


def test_python_source_stands_alone(arm, tmp_path):
    path = rbd.export_function(arm, "aba").save(tmp_path / "arm_aba.py")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
        "import arm_aba; print(arm_aba.arm_aba([1, 2], [0, 0], [0, 0]))"
    )
    out = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True).stdout
    np.testing.assert_allclose(eval(out), rbd.aba(arm, [1, 2], [0, 0], [0, 0]), rtol=1e-12)
    assert "numpy" not in path.read_text()


def test_names_of_arguments_that_other_languages_reserve(tmp_path):
    def odd(model, q, x0, result, double):
        return q + x0 * result - double

    model = rbd.library.double_pendulum()
    given = np.random.default_rng(9).normal(size=(4, 2))
    for to in ("python", "c"):
        found = in_numpy(rbd.export_function(model, odd, to), to, tmp_path)(*given)
        np.testing.assert_allclose(found, odd(model, *given), rtol=1e-15)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"function": "abba"}, "abba"),
        ({"to": "fortran"}, "fortran"),
        ({"parameters": ["rod1.weight"]}, "rod1.weight"),
        ({"parameters": ["rod1.com"]}, "rod1.com.x, rod1.com.y, rod1.com.z"),
        ({"parameters": ["rod1.mass", "rod1.mass"]}, "twice"),
        ({"parameters": "rod1.mass"}, "list of names"),
        ({"frame": "rod2"}, "no meaning"),
        ({"function": "jacobian"}, "frame='rod2'"),
        ({"function": "jacobian", "frame": "rod3"}, "rod3"),
        ({"reference": "world"}, "no meaning"),
        ({"function": lambda model, q: q, "parameters": ["rod1.mass"]}, "of your own"),
    ],
)
def test_what_cannot_be_honoured_is_refused(change, says):
    with pytest.raises(rbd.RbdkitError, match=says):
        rbd.export_function(rbd.library.double_pendulum(), **{"function": "aba", **change})


def test_contacts_and_loops_are_refused_where_they_would_be_forgotten():
    ball = rbd.Model("ball")
    ball.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0), geometry=rbd.Sphere(0.1))
    ball.add_ground()
    with pytest.raises(rbd.RbdkitError, match="contacts"):
        rbd.export_function(ball, "forward_dynamics")
    assert rbd.export_function(ball, "crba").shape == (6, 6)
    with pytest.raises(rbd.RbdkitError, match="'forward_dynamics'"):
        rbd.export_function(rbd.library.planar_four_bar(), "aba")
    with pytest.raises(rbd.RbdkitError, match="loops or constraints hold"):
        rbd.export_function(rbd.library.planar_four_bar(), "forward_dynamics", parameters=["coupler_joint.placement.x"])


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(rbd.RbdkitError, match=r"rbdkit\[casadi\]"):
        rbd.export_function(rbd.library.pendulum(), "aba", "casadi")


def test_names_with_several_underscores_are_no_trouble():
    model = rbd.Model("a__b")
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, 1]))
    assert rbd.export_function(model, lambda model, q: q, "casadi").name() == "a_b_lambda"


def test_names_that_end_comments_stay_in_them(tmp_path):
    model = rbd.Model("*/ ü")
    names = ['"""', "back\\slash \\N{x}", "*/ int x; /*"]
    for name, above in zip(names, ["world", *names], strict=False):
        model.add_body(
            name, above, rbd.Revolute("y"), (0, 0, 1), rbd.Inertia(1.0, com=[0, 0, 1]), joint_name=f"{name}:"
        )
    given = np.random.default_rng(9).normal(size=(3, 3))
    for to in ("python", "c"):
        made = rbd.export_function(model, "aba", to)
        np.testing.assert_allclose(in_numpy(made, to, tmp_path)(*given), rbd.aba(model, *given), rtol=1e-11)
    assert made.header.count("*/") == 1


def test_loop_joints_with_springs_and_friction():
    model = rbd.Model("four-bar")
    rod = rbd.Inertia.box((0.1, 0.1, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    model.add_body("crank", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("rocker", joint=rbd.Revolute("y"), inertia=rod, placement=(1, 0, 0))
    model.add_body("coupler", "crank", rbd.Revolute("y"), (0, 0, -1), rod)
    given = {"stiffness": 30.0, "damping": 2.0, "friction": 1.0}
    model.add_loop("loop", "coupler", "rocker", rbd.Revolute("y"), (1, 0, 0), (0, 0, -1), **given)
    q = rbd.assemble(model, [0.3, 0.3, -0.3])
    v, tau = rbd.project_velocity(model, q, [1.0, 0.0, 0.0]), np.array([0.1, 0.2, 0.3])
    exported = rbd.export_function(model, "forward_dynamics", parameters=["loop.stiffness"])
    expected = rbd.forward_dynamics(model.with_parameters({"loop.stiffness": 50.0}), q, v, tau)
    np.testing.assert_allclose(exported(q, v, tau, [50.0]), expected, rtol=1e-8)


def test_equation_forces_where_prescribed_joints_move_bodies():
    model = rbd.Model("arm")
    rod = rbd.Inertia.box((0.1, 0.1, 1.0), mass=1.0)
    motion = rbd.Prescribed(rbd.Prismatic("z"), lambda t: (np.sin(t), np.cos(t), -np.sin(t)))
    model.add_body("arm", joint=rbd.Revolute("y"), inertia=rod)
    model.add_body("slide", "arm", motion, inertia=rod)
    found = rbd.export_function(model, "equation_forces")([0.3], [0.5], 0.7)
    np.testing.assert_allclose(found, rbd.bias_force(model, [0.3], [0.5], t=0.7), rtol=1e-12)


def test_a_model_that_does_not_move_is_refused():
    model = rbd.Model("table")
    model.add_body("top", inertia=rbd.Inertia(1.0))
    with pytest.raises(rbd.RbdkitError, match="does not move"):
        rbd.export_function(model, "crba")


@pytest.mark.parametrize("to", ["python", "c", "sympy", "casadi", "jax"])
def test_whole_turns_are_rounded_by_every_tool(to, tmp_path):
    """rbdkit rounds by adding a large number and taking it away, which algebra takes for nothing."""
    model = rbd.Model("plate")
    model.add_body("plate", joint=rbd.Planar(), inertia=rbd.Inertia.box((1, 1, 1), mass=1.0), stiffness=[2.0, 3.0, 4.0])
    exported = in_numpy(rbd.export_function(model, "energy", to), to, tmp_path)
    for angle in (0.3, 3.0, -3.0, 7.0):
        q, v = np.array([angle, 0.2, 0.3]), np.array([0.1, 0.2, 0.3])
        np.testing.assert_allclose(np.ravel(exported(q, v)), of_rbdkit(model, "energy", q, v, None), rtol=1e-12)


def test_whole_turns_in_compiled_code_and_derivatives_of_jax():
    jax = pytest.importorskip("jax")
    model = rbd.Model("plate")
    model.add_body("plate", joint=rbd.Planar(), inertia=rbd.Inertia.box((1, 1, 1), mass=1.0), stiffness=[2.0, 3.0, 4.0])
    with jax.enable_x64(True):
        energy, q, v = rbd.export_function(model, "energy", "jax"), np.array([7.0, 0.2, 0.3]), np.zeros(3)
        np.testing.assert_allclose(jax.jit(energy)(q, v), of_rbdkit(model, "energy", q, v, None), rtol=1e-12)
        slope = jax.grad(lambda q: energy(q, v)[2])(q)[0]
    ends = [of_rbdkit(model, "energy", q + [h, 0, 0], v, None)[2] for h in (-1e-5, 1e-5)]
    assert np.isclose(slope, (ends[1] - ends[0]) / 2e-5, rtol=1e-7)
