"""Force elements in files, in drafts and programs, in models made from models, in web pages and in stores."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import Delete, Draft, Rename, RenameJoint
from rbdkit.errors import FormatError, ModelError
from rbdkit.formats import from_json, to_json, to_urdf


class Drag(rbd.ForceElement):
    """Drag on a body."""

    body: str
    coefficient: float

    def act(self, at):
        at.apply_force(self.body, -self.coefficient * at.velocity(self.body))


@pytest.fixture
def model():
    made = rbd.library.double_pendulum()
    a, b = (body.name for body in made.bodies[1:3])
    made.add_frame("tip", b, [0.0, 0.0, -0.4])
    made.add_force("band", rbd.Spring("tip", "world", 20.0, 0.1, 0.3, at_b=(0.5, 0.0, 0.0)))
    made.add_force("grease", rbd.JointFriction(made.joints[1].name, (0.2,), creep=0.05))
    made.add_force("strut", rbd.Spring(a, b, 7.0))
    return made


def same(a, b):
    assert [(f.name, repr(f.element)) for f in a.forces] == [(f.name, repr(f.element)) for f in b.forces]


def test_json_has_them(model):
    same(from_json(to_json(model)), model)


def test_json_has_those_of_a_users_class_which_reading_asks_for(model):
    model.add_force("air", Drag(model.bodies[1].name, 0.25))
    text = to_json(model)
    with pytest.raises(FormatError, match=r"forces\[3\].*'Drag'.*forces=\[Drag\]"):
        from_json(text)
    same(from_json(text, forces=[Drag]), model)
    same(rbd.load(text, forces=[Drag]), model)
    with pytest.raises(FormatError, match="is none"):
        rbd.load(text, forces=[3])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"stiffness": "soft"}, r"forces\[0\].*stiffness"),
        ({"stiffness": -1.0}, r"forces\[0\].*not negative"),
        ({"a": "nobody"}, r"forces\[0\].*'nobody'"),
        ({"colour": 3.0}, r"forces\[0\].*'colour' is unknown"),
        ({"kind": "Sprong"}, r"forces\[0\]\.kind.*'Sprong'.*Spring"),
        ({"b": None}, r"forces\[0\].*no Spring can be made"),
        ({"name": "tip"}, r"forces\[0\].*'tip' is taken"),
        ({"at_b": [0.0, 1.0]}, r"forces\[0\].*shape is \(2,\)"),
    ],
)
def test_what_is_wrong_in_json_is_said_with_its_place(model, change, says):
    data = json.loads(to_json(model))
    data["forces"][0] |= change
    with pytest.raises(FormatError, match=says):
        from_json(json.dumps(data))


def test_urdf_refuses_them(model):
    with pytest.raises(FormatError, match="'band'"):
        to_urdf(model)


def test_drafts_and_programs_keep_them(model):
    draft = Draft.from_model(model)
    same(draft.model(), model)
    made: dict = {}
    exec(draft.code(), made)
    same(made["model"], model)


def test_drafts_follow_names(model):
    draft = Draft.from_model(model)
    body = model.bodies[2]
    draft.do(Rename(body.index, "forearm"))
    assert [f.element.b for f in draft.model().forces if f.name == "strut"] == ["forearm"]
    draft.do(RenameJoint(1, "shoulder"))
    assert [f.element.joint for f in draft.model().forces if f.name == "grease"] == ["shoulder"]
    draft.do(Delete(body.index))
    said = [str(remark) for remark in draft.findings()]
    assert len(said) == 2
    assert "'band'" in said[0]
    assert "'strut'" in said[1]
    draft.undo()
    assert draft.model().forces


def test_models_made_from_models_refuse_what_they_would_lose(model):
    from rbdkit.model.graph import reordered

    with pytest.raises(ModelError, match="'band'"):
        reordered(model, [1, 2])
    floating = rbd.Model()
    floating.add_body("base", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    floating.add_force("band", rbd.Spring("base", "world", 1.0))
    with pytest.raises(ModelError, match="'band'"):
        rbd.algorithms.to_floating_base(floating)


def test_names_are_unique_among_all(model):
    for name in ("band", "tip", model.bodies[1].name, model.joints[1].name):
        with pytest.raises(ModelError, match="taken"):
            model.add_force(name, rbd.Spring("tip", "world", 1.0))
    with pytest.raises(ModelError, match="taken by a force"):
        model.add_body("band")
    with pytest.raises(ModelError, match="taken by a force"):
        model.add_body("new", joint_name="strut")


def test_sweeps_vary_their_numbers(model):
    ensemble = rbd.sweep(model, {"band.stiffness": [5.0, 50.0], "grease.creep": [0.05, 0.1]}, duration=0.05)
    for k in range(4):
        expected = rbd.simulate(
            model.with_parameters(
                {"band.stiffness": [5.0, 5.0, 50.0, 50.0][k], "grease.creep": [0.05, 0.1, 0.05, 0.1][k]}
            ),
            duration=0.05,
        )
        assert ensemble[k].q[-1] == pytest.approx(expected.q[-1], rel=1e-12, abs=1e-13)
    assert np.ptp([ensemble[k].q[-1, 0] for k in range(4)]) > 1e-6


def test_lanes_have_numbers_of_their_own(model):
    values = np.linspace(1.0, 60.0, 16)
    ensemble = rbd.sweep(model, {"band.stiffness": values}, duration=0.8, dt=1e-3)
    assert "lanes" in str(ensemble.report)
    for k in (0, 7, 15):
        one = rbd.simulate(model.with_parameters({"band.stiffness": values[k]}), duration=0.8, dt=1e-3)
        assert ensemble[k].q[-1] == pytest.approx(one.q[-1], rel=1e-9, abs=1e-9)


def test_stores_tell_classes_of_one_name_apart():
    from rbdkit.simulation.ensembles.fingerprint import digest

    def with_class(power):
        class Drag(rbd.ForceElement):
            """Drag with some power of the speed."""

            body: str
            coefficient: float

            def act(self, at):
                v = at.velocity(self.body)
                at.apply_force(self.body, -self.coefficient * (v * np.sqrt(v @ v) if power == 2 else v))

        made = rbd.library.pendulum()
        made.add_force("air", Drag(made.bodies[1].name, 0.2))
        return digest("model", made)

    assert with_class(1) == with_class(1)
    assert with_class(1) != with_class(2)


def test_arrays_that_are_given_are_not_held():
    model = rbd.library.double_pendulum()
    point = np.array([0.0, 0.0, -0.5])
    model.add_force("band", rbd.Spring(model.bodies[1].name, "world", 5.0, at_a=point))
    point[:] = 7.0
    assert model.forces[0].element.at_a == (0.0, 0.0, -0.5)


def test_a_spring_needs_two_bodies_and_points_of_three_numbers():
    with pytest.raises(ModelError, match="both ends are on 'rod'"):
        rbd.Spring("rod", "rod", 1.0)
    model = rbd.library.pendulum()
    with pytest.raises(ModelError, match=r"Spring: at_a = \(0.0, 1.0\) must be 3 numbers: its shape is \(2,\)"):
        model.add_force("band", rbd.Spring("rod", "world", 1.0, at_a=(0.0, 1.0)))
    assert model.forces == ()
