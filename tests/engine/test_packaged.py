"""Models as data for web pages; the browser tests run them."""

import json
from base64 import b64decode

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine.browser.adjust import adjustment
from rbdkit.engine.links.pack import pack
from rbdkit.engine.rows.of_model import rows_of
from rbdkit.engine.steps.nodes import ROW
from rbdkit.errors import ModelError
from rbdkit.integrators import RK4, Projected
from rbdkit.joints import Fixed, Helical, Prescribed, Revolute, Spherical
from rbdkit.library import double_pendulum, planar_four_bar, random_tree
from rbdkit.model import Mimic, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace.run.interpreted import PythonCode

METHOD = RK4()


@pytest.fixture
def lamp() -> Model:
    """With bodies on fixed joints, at the foot and at the end."""
    model = Model("lamp")
    model.add_body("foot", "world", Fixed(), [0.0, 0.0, 0.2], Inertia(3.0, com=[0.1, 0.0, 0.0]), joint_name="floor")
    model.add_body("arm", "foot", Revolute("y"), [0.0, 0.0, 0.1], Inertia(1.0, com=[0.0, 0.0, 0.4]), joint_name="hinge")
    model.add_body("head", "arm", Spherical(), [0.0, 0.0, 0.8], Inertia(0.4, com=[0.0, 0.1, 0.0]), joint_name="ball")
    model.add_body("bulb", "head", Fixed(), [0.0, 0.2, 0.0], Inertia(0.1), joint_name="socket")
    return model


def changes(model: Model) -> dict[str, object]:
    """Another value for every parameter that compiled code reads."""
    rng = np.random.default_rng(4)
    values: dict[str, object] = {f"{joint.name}.rest": joint.type.random(rng) for joint in model.joints if joint.nv}
    for name, value in model.parameters.items():
        kind = name.rpartition(".")[2]
        if kind == "placement":
            values[name] = se3.random(rng)
        elif kind == "inertia":
            values[name] = 2.0 * value + np.eye(3)
        elif kind not in ("rest", "friction", "pitch"):
            values[name] = value + rng.uniform(0.1, 1.0, np.shape(value))
    return values


def test_adjusting_writes_what_packing_another_model_gives(lamp, off):
    for model in (lamp, random_tree(5, bodies=6)):
        values = changes(model)
        adjust = adjustment(model, values)
        arrays = pack(model, adjust.layout)
        arrays["parameters"] = np.concatenate([np.ravel(x) for x in values.values()]).astype(float)
        PythonCode(adjust.program).bind(arrays, {})()
        changed = model.with_parameters(values)
        expected = pack(changed, adjust.layout)
        assert len(expected) > 7
        for name, x in expected.items():
            assert off(arrays[name], x) < 1e-15, name


def test_numbers_of_constraints_change_in_the_page(off):
    """Behind the rows of a loop, with a constraint whose numbers stay between them; then the rows of another model."""
    model = planar_four_bar()
    names = [joint.name for joint in model.joints]
    model.add_constraint("wire", rbd.Distance("world", "coupler", 0.8, at_a=(0.1, 0.2, 0.3)))
    model.add_constraint("gears", rbd.Tie(names[2], names[1], -2.0))
    model.add_constraint("floor", rbd.PointOnPlane("coupler", "world", (0.3, 1.0, 0.2), 0.1))
    values = {"wire.length": 1.3, "crank.mass": 2.0, "floor.at": [0.2, 0.5, -0.7], "wire.at_a": [0.3, -0.2, 0.4]}

    def arrays_of(model, layout):
        numbers = pack(model, layout)
        return numbers | rows_of(model, layout, numbers["frames"]).numbers

    adjust = adjustment(model, values)
    arrays = arrays_of(model, adjust.layout)
    before = {name: x.copy() for name, x in arrays.items()}
    arrays["parameters"] = np.concatenate([np.ravel(x) for x in values.values()]).astype(float)
    PythonCode(adjust.program).bind(arrays, {})()
    # what constraints do where bodies are free goes by the masses that the model was made with
    expected = arrays_of(model.with_parameters({k: x for k, x in values.items() if k != "crank.mass"}), adjust.layout)
    expected["rows"] = arrays_of(model.with_parameters(values), adjust.layout)["rows"]
    assert off(before["held_numbers"], expected["held_numbers"]) > 0.01 < off(before["row_free"], expected["row_free"])
    for name, x in expected.items():
        assert off(arrays[name], x) < 1e-14, name
    package = engine.packaged(model, Projected(METHOD), parameters=list(values))
    assert package["parameters"]["wire.length"]["value"] == [0.8]


def test_adjusting_touches_what_depends_on_a_parameter_and_nothing_else(lamp):
    adjust = adjustment(lamp, ["hinge.damping", "head.mass"])
    assert adjust.program.arrays == ["parameters", "rows", "damping"]
    mass, first_moment_y, I_xx, I_zz = (2 * ROW + k for k in (12, 14, 16, 21))  # the head's centre of mass lies on y
    assert adjust.rows == {mass, first_moment_y, I_xx, I_zz}


def test_rotors_and_springs_that_may_come_have_code(lamp):
    plain = adjustment(lamp, []).layout
    geared = adjustment(lamp, ["hinge.armature", "ball.stiffness"]).layout
    assert [link.kind.geared for link in plain.links] == [False, False]
    assert [link.kind.geared for link in geared.links] == [True, False]
    assert [link.kind.sprung for link in plain.links] == [True, False]
    assert [link.kind.sprung for link in geared.links] == [True, True]


def test_a_package_is_plain_data(lamp):
    package = engine.packaged(lamp, METHOD, parameters=["arm.mass", "gravity"], algorithms=["aba", "energy"])
    assert json.loads(json.dumps(package)) == package
    assert package["bodies"] == ["world", "foot", "arm", "head", "bulb"]
    assert package["parameters"] == {
        "arm.mass": {"first": 0, "value": [1.0]},
        "gravity": {"first": 1, "value": [0.0, 0.0, -9.81]},
    }
    assert list(package["programs"]) == ["adjust", "simulate", "aba", "energy"]
    assert b64decode(package["code"]).startswith(b"\0asm")
    rows = np.frombuffer(b64decode(package["numbers"]["rows"]))
    assert np.array_equal(rows, pack(lamp, adjustment(lamp, []).layout)["rows"].ravel())
    kept = {*package["numbers"], *package["room"], *package["tables"]}
    given = {"q", "x", "v", "tau", "times", "qdd", "energies", "x_record", "v_record"}
    for program in package["programs"].values():
        assert set(program["arrays"]) <= kept | given


def test_what_cannot_be_adjusted_is_named(lamp):
    lamp.add_body("screw", "head", Helical("z", pitch=0.1), inertia=Inertia(0.1), joint_name="thread")
    with pytest.raises(ModelError, match=r"'hinge\.dampin' is not one of model 'lamp'; did you mean 'hinge\.damping'"):
        engine.packaged(lamp, METHOD, parameters=["hinge.dampin"])
    for name in ("hinge.friction", "thread.pitch"):
        with pytest.raises(ModelError, match=f"'{name}' of model 'lamp' cannot be changed in a web page; leave"):
            engine.packaged(lamp, METHOD, parameters=[name])


def test_the_springs_of_joints_that_share_a_freedom_cannot_be_adjusted_one_by_one(lamp):
    lamp.add_body("knob", "arm", Revolute("y"), inertia=Inertia(0.1), joint_name="cord", mimic=Mimic("hinge"))
    assert adjustment(lamp, ["knob.mass", "cord.placement", "ball.stiffness"]).rows
    for name in ("hinge.damping", "cord.damping"):
        with pytest.raises(ModelError, match=f"'{name}' of model 'lamp' cannot be changed in a web page"):
            adjustment(lamp, [name])


def test_a_joint_that_python_moves_is_named(lamp):
    moved = Prescribed(Revolute("z"), lambda t: (np.zeros(1),) * 3)
    lamp.add_body("fan", "arm", moved, inertia=Inertia(0.1), joint_name="motor")
    with pytest.raises(engine.NotCovered, match="joint 'motor' moves as a Python function of time says"):
        engine.packaged(lamp, METHOD)


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ValueError, match=r"no algorithm 'jerk' for web pages; there are rnea, aba, "):
        engine.packaged(double_pendulum(), METHOD, algorithms=["jerk"])


def test_the_loader_is_part_of_the_package():
    assert "class Kernels" in engine.loader()


def test_a_model_with_loops_is_plain_data_too():
    model = planar_four_bar()
    package = engine.packaged(model, Projected(METHOD), parameters=["crank.mass"], algorithms=["forward_dynamics"])
    kept = {*package["numbers"], *package["room"], *package["tables"]}
    counted = {"every", "first", "records", "states", "tau_next", "tau_step", *package["counts"]}
    given = {"q", "x", "v", "tau", "times", "qdd", "x_record", "v_record"}
    for program in package["programs"].values():
        assert set(program["arrays"]) <= kept | given
        assert set(program["counts"]) <= counted | {*program["lengths"]}
    with pytest.raises(engine.NotCovered, match=r"Projected.*'pin' close loops"):
        engine.packaged(model, METHOD)
    with pytest.raises(ModelError, match="aba needs a tree, but 'pin'"):
        engine.packaged(model, Projected(METHOD), algorithms=["aba"])
