"""An exception in a user's code keeps the user's line in its traceback, whatever rbdkit says about it."""

import json
import traceback

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formats import to_json
from rbdkit.formulations import JointSystem
from rbdkit.integrators import OneStep
from rbdkit.joints import Revolute, Spherical
from rbdkit.laws import Law

OPTIONS = {"duration": 0.01, "dt": 1e-3, "progress": False}
FAULT = "here = [][0]"
"""The line of users' code that fails, beside numbers as they may be."""


class Broken(rbd.ForceElement):
    """Acts once its number is less than zero."""

    body: str
    number: float
    conservative = False

    def act(self, at):
        if self.number > 0.0:
            here = [][0]
            at.apply_force(self.body, here)
        at.apply_force(self.body, np.ones(3))


class Deciding(rbd.ForceElement):
    """Takes no symbols."""

    body: str
    number: float
    conservative = False

    def act(self, at):
        here = float(at.position(self.body)[0])
        at.apply_force(self.body, np.array([here, 0.0, 0.0]))


class Refusing(rbd.ForceElement):
    """Has no negative numbers."""

    body: str
    number: float
    conservative = False

    def __post_init__(self):
        if self.number < 0.0:
            raise rbd.ModelError("no such number")

    def act(self, at):
        at.apply_force(self.body, np.ones(3))


class BrokenGap(rbd.ConstraintElement):
    """A gap that fails."""

    body: str
    number: float

    def gap(self, at):
        here = [][0]
        return here


class DecidingGap(rbd.ConstraintElement):
    """A gap that takes no symbols."""

    body: str
    number: float

    def gap(self, at):
        here = float(at.position(self.body)[0])
        return here - self.number


class BrokenStep(OneStep):
    """A step that fails."""

    name, order = "broken", 1

    def step(self, system, state, h):
        here = [][0]
        return here


class BrokenLaw(Law):
    """A contact law that fails."""

    name, own_steps = "broken", True
    assumes = solutions = ""
    conserves = ()

    def samples(self, scene, method, hold, times, q, w, log):
        here = [][0]
        yield here


class BrokenRate(JointSystem):
    """A formulation that fails."""

    name = "broken"

    def rate(self, t, x, v):
        here = [][0]
        return here


class BrokenHinge(Revolute):
    """Beyond a radian it fails."""

    kind = "broken_hinge"

    def pose(self, q, t=0.0):
        if np.ndim(q) == 1 and float(q[0]) > 1.0:
            here = [][0]
            return here
        return super().pose(q, t)


class BrokenBall(Spherical):
    """Has no rotations by more than half a turn."""

    kind = "broken_ball"

    def check(self, q):
        super().check(q)
        if np.any(q[..., 0] < 0.0):
            raise rbd.StateError("turned too far")


def broken(t, *state):
    """A function of time and state, of time alone, or of parameters, that fails."""
    here = [][0]
    return here


def deciding(t, q, v):
    """A controller that takes no symbols."""
    here = 1.0 if q[0] > 0.0 else 2.0
    return np.array([here, 0.0])


def arm():
    return rbd.library.double_pendulum()


def with_part(add, part):
    model = arm()
    getattr(model, add)("own", part)
    return model


def on(joint):
    model = rbd.Model("arm")
    model.add_body("arm", joint=joint, inertia=rbd.Inertia.box((1.0, 1.0, 1.0), mass=1.0))
    return model


def box():
    return rbd.library.bouncing_ball()


def read(model, **kinds):
    """Written to JSON, with a number that the class refuses, and read."""
    text = json.loads(to_json(model))
    text["forces"][0]["number"] = -1.0
    return rbd.load(json.dumps(text), **kinds)


Z = np.zeros(2)
CASES = {
    "force that fails": lambda: with_part("add_force", Broken("rod2", 1.0)),
    "constraint that fails": lambda: with_part("add_constraint", BrokenGap("rod2", 1.0)),
    "constraint that decides": lambda: rbd.forward_dynamics(
        with_part("add_constraint", DecidingGap("rod2", 0.0)), Z, Z, Z
    ),
    "derivatives of a force that decides": lambda: rbd.stiffness_and_damping(
        with_part("add_force", Deciding("rod2", 1.0)), Z, Z
    ),
    "force with other numbers": lambda: with_part("add_force", Refusing("rod2", 1.0)).with_parameters(
        {"own.number": -1.0}
    ),
    "force that is read": lambda: read(with_part("add_force", Refusing("rod2", 1.0)), forces=[Refusing]),
    "tau": lambda: rbd.simulate(arm(), tau=broken, **OPTIONS),
    "tau that is traced": lambda: rbd.simulate(arm(), tau=rbd.traced(deciding), **OPTIONS),
    "f_ext": lambda: rbd.simulate(arm(), f_ext=broken, **OPTIONS),
    "adaptive": lambda: rbd.simulate(arm(), tau=broken, integrator="dop853", **OPTIONS),
    "step": lambda: rbd.simulate(arm(), integrator=BrokenStep(), **OPTIONS),
    "law": lambda: rbd.simulate(box(), contact=BrokenLaw(), **OPTIONS),
    "formulation": lambda: rbd.simulate(arm(), formulation=BrokenRate, **OPTIONS),
    "joint": lambda: rbd.forward_kinematics(on(BrokenHinge("y")), [1.5]),
    "coordinates of a joint": lambda: rbd.simulate(on(BrokenBall()), [-1.0, 0, 0, 0], **OPTIONS),
    "gamma": lambda: rbd.algorithms.loops.LoopClosure(arm(), broken, 1),
    "model of a sweep": lambda: rbd.sweep(broken, {"t": [1.0, 2.0]}, **OPTIONS),
}


@pytest.mark.parametrize("case", CASES)
def test_the_line_of_the_user_is_in_the_traceback(case):
    with pytest.raises(Exception) as caught:  # which one is a matter of other tests
        CASES[case]()
    shown = "".join(traceback.format_exception(caught.value))
    chain, lines = caught.value, []
    while chain is not None:
        lines += [step.line for step in traceback.extract_tb(chain.__traceback__) if step.filename == __file__]
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)
    own = ("here = ", "raise rbd.")
    assert any(line.startswith(own) for line in lines), shown


def test_a_member_of_a_sweep_says_the_line():
    def build(mass):
        if mass > 1.5:
            raise ValueError("too heavy")
        return arm()

    line = build.__code__.co_firstlineno + 2
    said = rf"member 1 \(mass = 2\): ValueError: too heavy \(test_users_lines.py:{line}, in build\)"
    with pytest.warns(rbd.simulation.SimulationWarning, match=said):
        rbd.sweep(build, {"mass": [1.0, 2.0]}, **OPTIONS)
