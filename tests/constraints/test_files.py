"""Constraints in parameters, files, drafts and programs, in models made from models, and in stores."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.drafting import Delete, Draft, Rename, RenameJoint
from rbdkit.errors import FormatError, ModelError
from rbdkit.formats import from_json, to_dh, to_json, to_urdf
from rbdkit.model.constraint_rows import constraint_rows


class Groove(rbd.ConstraintElement):
    """The height of a body is a wave over its place."""

    body: str
    wave: float

    def gap(self, at):
        x, _, z = at.position(self.body, (0.0, 0.0, -1.0))
        return z - np.sin(self.wave * x)


@pytest.fixture
def model():
    made = rbd.library.double_pendulum()
    made.add_frame("tip", "rod2", [0.0, 0.0, -0.4])
    made.add_constraint("rod", rbd.Distance("tip", "world", 2.0, at_b=(0.5, 0.0, 0.0)))
    made.add_constraint("tie", rbd.Tie("hinge2", "hinge1", -2.0))
    made.add_constraint("wheel", rbd.Rolling("rod2", "world", 0.3, axle=(0.0, 1.0, 0.1)))
    made.add_constraint("stop", rbd.Limit("hinge1", -1.0, 1.5))
    made.add_constraint("string", rbd.TautString("rod1", "world", 2.0, at_b=(0.5, 0.0, 0.0)))
    return made


def same(a, b):
    assert [(c.name, repr(c.element)) for c in a.constraints] == [(c.name, repr(c.element)) for c in b.constraints]


def test_parameters_are_those_of_the_elements(model):
    names = {name for name in model.parameters if name.split(".")[0] in ("rod", "tie", "wheel", "stop", "string")}
    assert {"rod.length", "rod.at_b", "tie.ratio", "tie.offset", "wheel.radius", "wheel.axle", "stop.upper"} <= names
    other = model.with_parameters({"tie.ratio": 3.0, "rod.at_b": [1.0, 2.0, 3.0]})
    assert other.constraints[1].element.ratio == 3.0
    assert other.constraints[0].element.at_b == (1.0, 2.0, 3.0)
    assert model.constraints[1].element.ratio == -2.0
    with pytest.raises(ModelError, match=r"constraint 'rod'.*length"):
        model.with_parameters({"rod.length": -1.0})
    assert constraint_rows(other).law == constraint_rows(model).law  # another number compiles nothing
    assert constraint_rows(other).law.numbers != constraint_rows(model).law.numbers


def test_copies_and_pickles_have_them(model):
    for twin in (copy.copy(model), pickle.loads(pickle.dumps(model))):
        same(twin, model)
        twin.add_constraint("new", rbd.PointOnLine("tip", "world"))
        assert len(model.constraints) == 5
    assert constraint_rows(model).m == 1 + 1 + 3 + 2 + 1
    model.add_constraint("more", rbd.PointOnLine("tip", "world"))
    assert constraint_rows(model).m == 10  # nothing is remembered of a model that grew


def test_what_describes_a_model_names_them(model):
    assert (
        "constraints: rod (Distance), tie (Tie), wheel (Rolling), stop (Limit), string (TautString)" in model.describe()
    )
    assert "tie (Tie)" in model._repr_html_()
    assert model.constraint("tie").element.leader == "hinge1"
    with pytest.raises(ModelError, match=r"constraint 'tye' is not in model.*'tie'"):
        model.constraint("tye")


def test_json_has_them(model):
    same(from_json(to_json(model)), model)


def test_json_has_those_of_a_users_class_which_reading_asks_for(model):
    model.add_constraint("groove", Groove("rod2", 0.25))
    text = to_json(model)
    with pytest.raises(FormatError, match=r"constraints\[5\].*'Groove'.*constraints=\[Groove\]"):
        from_json(text)
    same(from_json(text, constraints=[Groove]), model)
    same(rbd.load(text, constraints=[Groove]), model)
    with pytest.raises(FormatError, match="is none"):
        rbd.load(text, constraints=[3])
    with pytest.raises(FormatError, match=r"is URDF, which knows no constraints=.*; JSON does"):
        rbd.load("<robot name='r'><link name='l'/></robot>", constraints=[Groove])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"length": "long"}, r"constraints\[0\].*length"),
        ({"length": -1.0}, r"constraints\[0\].*above zero"),
        ({"a": "nobody"}, r"constraints\[0\].*'nobody'"),
        ({"colour": 3.0}, r"constraints\[0\].*'colour' is unknown"),
        ({"kind": "Distanz"}, r"constraints\[0\]\.kind.*'Distanz'.*Distance"),
        ({"name": "tip"}, r"constraints\[0\].*'tip' is taken"),
    ],
)
def test_what_is_wrong_in_json_is_said_with_its_place(model, change, says):
    data = json.loads(to_json(model))
    data["constraints"][0] |= change
    with pytest.raises(FormatError, match=says):
        from_json(json.dumps(data))


def test_urdf_and_denavit_hartenberg_refuse_them(model):
    with pytest.raises(FormatError, match="'rod'"):
        to_urdf(model)
    arm = rbd.library.double_pendulum()
    arm.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0))
    with pytest.raises(FormatError, match="'belt'"):
        to_dh(arm)


def test_drafts_and_programs_keep_them(model):
    draft = Draft.from_model(model)
    same(draft.model(), model)
    made: dict = {}
    exec(draft.code(), made)
    same(made["model"], model)
    model.add_constraint("groove", Groove("rod2", 0.25))
    with pytest.raises(ModelError, match=r"constraint 'groove' is of a class of your own, Groove"):
        Draft.from_model(model).code()


def test_drafts_follow_names(model):
    draft = Draft.from_model(model)
    draft.do(Rename(2, "forearm"))
    assert draft.model().constraint("wheel").element.wheel == "forearm"
    draft.do(RenameJoint(1, "shoulder"))
    assert draft.model().constraint("tie").element.leader == "shoulder"
    draft.do(Delete(2))
    said = [str(remark) for remark in draft.findings()]
    for name in ("rod", "tie", "wheel"):
        assert any(f"constraint {name!r}" in text for text in said)
    draft.undo()
    assert len(draft.model().constraints) == 5


def test_models_made_from_models_refuse_what_they_would_lose(model):
    from rbdkit.model.graph import reordered

    with pytest.raises(ModelError, match=r"constraints \('rod', 'tie'"):
        reordered(model, [1, 2])
    floating = rbd.Model()
    floating.add_body("base", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    floating.add_constraint("rope", rbd.Distance("base", "world", 1.0))
    with pytest.raises(ModelError, match="'rope'"):
        rbd.algorithms.to_floating_base(floating)


def test_names_are_unique_among_all(model):
    for name in ("rod", "tip", "rod1", "hinge1"):
        with pytest.raises(ModelError, match="taken"):
            model.add_constraint(name, rbd.PointOnLine("tip", "world"))
        with pytest.raises(ModelError, match="taken"):
            model.add_force(name, rbd.Spring("tip", "world", 1.0))
    with pytest.raises(ModelError, match="taken by a constraint"):
        model.add_body("tie")
    with pytest.raises(ModelError, match="taken by a constraint"):
        model.add_body("new", joint_name="rod")
    with pytest.raises(ModelError, match=r"is no constraint.*PointOnLine\(\.\.\.\)"):
        model.add_constraint("new", rbd.PointOnLine)


def test_stores_tell_classes_of_one_name_apart():
    from rbdkit.simulation.ensembles.fingerprint import digest

    def with_class(power):
        class Wave(rbd.ConstraintElement):
            """Some power of a height is given."""

            body: str
            height: float

            def gap(self, at):
                z = at.position(self.body, (0.0, 0.0, -1.0))[2]
                return (z * z if power == 2 else z) - self.height

        made = rbd.library.pendulum()
        made.add_constraint("wave", Wave("rod", 0.2))
        return digest("model", made)

    assert with_class(1) == with_class(1)
    assert with_class(1) != with_class(2)


def test_arrays_that_are_given_are_not_held(model):
    point = np.array([0.0, 0.0, -0.5])
    model.add_constraint("line", rbd.PointOnLine("rod2", "world", at=point))
    point[:] = 7.0
    assert model.constraint("line").element.at == (0.0, 0.0, -0.5)
