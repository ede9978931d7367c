"""A thousand random steps with undo and redo: a model or the reason why not, and the way back to the start."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rbdkit.drafting import (
    GROUND,
    KINDS,
    AddBody,
    AddFrame,
    AddLoop,
    Delete,
    Draft,
    Follow,
    MoveFrame,
    MoveLoop,
    Rename,
    RenameJoint,
    Reparent,
    SetDensity,
    SetGeometry,
    SetGravity,
    SetInertia,
    SetJoint,
    SetName,
    SetNumbers,
    SetPlacement,
    StartFrom,
    joint_of_kind,
)
from rbdkit.drafting.disassemble import disassemble
from rbdkit.drafting.fresh import FIELDS
from rbdkit.errors import ModelError
from rbdkit.formats import to_dict
from rbdkit.library import random_tree
from rbdkit.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia

NAMES = st.sampled_from(["a", "b", "c", "body1", "world", "", "a_joint"])
SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.sampled_from([0.0, 0.5, 2.0, -1.0, math.inf, -math.inf, math.nan])
SHAPES = [Box((0.1, 0.2, 0.3)), Sphere(0.1), Ellipsoid((0.1, 0.2, 0.3)), Cylinder(0.1, 0.2), Capsule(0.1, 0.2)]
SHAPES += [Cone(0.1, 0.2), Sphere(0.0)]
STEPS = 60
RUNS = 25  # 25 runs of 60 steps: 1500


def bits(value: object) -> object:
    """All that a value holds, as nested tuples that compare; arrays and floats as bytes, so that -0.0 is not 0.0."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, float):
        return np.float64(value).tobytes()
    if isinstance(value, tuple):
        return tuple(bits(item) for item in value)
    if isinstance(value, Inertia):
        return bits((value.mass, value.com, value.inertia_com))
    if is_dataclass(value):
        return type(value).__name__, tuple(bits(getattr(value, field.name)) for field in fields(value))
    return value


class Drafting(RuleBasedStateMachine):
    """A draft, and beside it the sheets that a list of all steps taken would give."""

    @initialize(seed=st.one_of(st.none(), st.integers(0, 50)))
    def start(self, seed):
        self.draft = Draft() if seed is None else Draft.from_model(random_tree(seed, 4))
        self.first = self.draft.sheet

    def key(self, data, bodies=False):
        """A key there is, seldom one there is not."""
        items = self.draft.sheet.parts if bodies else self.draft.sheet.items
        return data.draw(st.sampled_from([GROUND, *(item.key for item in items), 999]))

    def attempt(self, operation, join=False):
        """Take a step; one that is refused must leave all as it was."""
        before, steps = self.draft.sheet, self.draft.operations
        try:
            self.draft.do(operation, join)
        except ModelError as fault:
            assert str(fault)
            assert self.draft.sheet is before
            assert self.draft.operations == steps
        assert str(operation)

    @rule(data=st.data(), kind=st.sampled_from(KINDS), seed=SEEDS, usual=st.booleans())
    def add(self, data, kind, seed, usual):
        if len(self.draft.sheet.parts) < 8:
            place = None if usual else se3.random(np.random.default_rng(seed))
            self.attempt(AddBody(self.key(data, True), joint=joint_of_kind(kind), placement=place))

    @rule(data=st.data(), name=NAMES, join=st.booleans())
    def rename(self, data, name, join):
        self.attempt(Rename(self.key(data), name), join)

    @rule(data=st.data(), name=st.one_of(st.none(), NAMES))
    def rename_joint(self, data, name):
        self.attempt(RenameJoint(self.key(data), name))

    @rule(data=st.data(), keep=st.booleans())
    def reparent(self, data, keep):
        self.attempt(Reparent(self.key(data, True), self.key(data, True), keep))

    @rule(data=st.data(), splice=st.booleans())
    def delete(self, data, splice):
        self.attempt(Delete(self.key(data), splice))

    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def joint(self, data, kind):
        key = self.key(data)
        old = next((part.joint for part in self.draft.sheet.parts if part.key == key), None)
        self.attempt(SetJoint(key, joint_of_kind(kind, old)))

    @rule(data=st.data(), seed=SEEDS, successor=st.booleans(), join=st.booleans())
    def place(self, data, seed, successor, join):
        self.attempt(SetPlacement(self.key(data), se3.random(np.random.default_rng(seed)), successor), join)

    @rule(data=st.data(), name=st.sampled_from(FIELDS), value=NUMBERS)
    def numbers(self, data, name, value):
        self.attempt(SetNumbers(self.key(data, True), name, value))

    @rule(data=st.data(), leader=st.booleans())
    def follow(self, data, leader):
        self.attempt(Follow(self.key(data, True), self.key(data, True) if leader else None, -2.0, 0.1))

    @rule(data=st.data(), shapes=st.lists(st.sampled_from(SHAPES), max_size=2), hidden=st.booleans())
    def shape(self, data, shapes, hidden):
        self.attempt(
            SetGeometry(self.key(data, True), [Geometry(s, role="collision") if hidden else s for s in shapes])
        )

    @rule(data=st.data(), density=st.one_of(st.none(), NUMBERS))
    def density(self, data, density):
        self.attempt(SetDensity(self.key(data, True), density))

    @rule(data=st.data(), mass=st.sampled_from([None, 0.0, 1.0, -1.0]), moment=st.sampled_from([0.0, 1.0, 9.0]))
    def inertia(self, data, mass, moment):
        inertia = None if mass is None else Inertia(mass, (0, 0, 0.1), np.diag([1.0, 1.0, moment]), check=False)
        self.attempt(SetInertia(self.key(data, True), inertia))

    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def loop(self, data, kind):
        self.attempt(AddLoop(self.key(data, True), self.key(data, True), joint_of_kind(kind)))

    @rule(data=st.data())
    def move(self, data):
        key = self.key(data)
        self.attempt(MoveLoop(key, self.key(data, True), self.key(data, True)))
        self.attempt(MoveFrame(key, self.key(data, True)))

    @rule(data=st.data())
    def frame(self, data):
        self.attempt(AddFrame(self.key(data, True), [0.1, 0.2, 0.3]))

    @rule(value=NUMBERS, name=NAMES)
    def whole(self, value, name):
        self.attempt(SetGravity((0.0, value, 0.0)))
        self.attempt(SetName(name))

    @rule(seed=st.integers(0, 5))
    def example(self, seed):
        self.attempt(StartFrom(disassemble(random_tree(seed, 3))))

    @precondition(lambda self: self.draft.operations)
    @rule(count=st.integers(1, 5))
    def undo(self, count):
        for _ in range(min(count, len(self.draft.operations))):
            self.draft.undo()

    @precondition(lambda self: self.draft.undone)
    @rule(count=st.integers(1, 5))
    def redo(self, count):
        for _ in range(min(count, len(self.draft.undone))):
            self.draft.redo()

    @invariant()
    def a_model_or_the_reason_why_not(self):
        blocking = [remark for remark in self.draft.findings() if remark.severity == "blocking"]
        for remark in self.draft.findings():
            assert remark.message
            assert remark.key == GROUND or self.draft.sheet.item(remark.key)
        if blocking:
            with pytest.raises(ModelError, match="no model can be made of this draft yet"):
                self.draft.model()
            return
        model = self.draft.model()
        assert [finding.severity for finding in model.validate()].count("error") <= sum(
            remark.severity == "error" for remark in self.draft.findings()
        )
        assert len(model.bodies) == len(self.draft.sheet.parts) + 1
        assert bits(disassemble(model).gravity) == bits(self.draft.sheet.gravity)

    @invariant()
    def the_code_gives_the_model(self):
        if self.draft.assembly.model is not None and len(self.draft.operations) % 5 == 0:
            built = {}
            exec(self.draft.code(), built)
            assert isinstance(built["model"], Model)
            assert to_dict(built["model"]) == to_dict(self.draft.model())

    def teardown(self):
        """The steps are values: taken again from the start they give the same; and undoing all is the start."""
        sheet = self.first
        for operation in self.draft.operations:
            sheet = operation.apply(sheet)
        assert bits(sheet) == bits(self.draft.sheet)
        done = self.draft.operations
        for _ in done:
            self.draft.undo()
        assert self.draft.sheet is self.first
        with pytest.raises(ModelError, match="nothing to undo"):
            self.draft.undo()
        for _ in done:
            self.draft.redo()
        assert bits(sheet) == bits(self.draft.sheet)


Drafting.TestCase.settings = settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None, derandomize=True)
TestDrafting = Drafting.TestCase
