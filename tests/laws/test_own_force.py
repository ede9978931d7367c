"""Laws of contact of a user's own that are forces: closed forms, and the compiled loop against the law in Python."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.laws import Compliant, ContactForce

G = 10.0


def ball(radius=0.1, mass=2.0, **material):
    model = rbd.Model("ball", gravity=(0.0, 0.0, -G))
    model.add_body(
        "ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(mass), geometry=rbd.Geometry(rbd.Sphere(radius))
    )
    model.add_ground(material=rbd.Material(**material))
    return model


@dataclass(frozen=True)
class Penalty(ContactForce):
    name = "penalty"
    stiffness: float = 1e4
    damping: float = 0.0
    slow: float = 1e-3

    def act(self, at):
        push = -self.stiffness * at.gap - self.damping * at.velocity[0]
        push = np.where(at.gap < 0.0, np.maximum(push, 0.0), 0.0)
        u = at.velocity[1:]
        drag = at.friction * push / np.sqrt(u[0] * u[0] + u[1] * u[1] + self.slow**2)
        at.apply_force(push, -drag * u[0], -drag * u[1])


def test_a_ball_on_a_spring_swings_as_its_closed_form_says():
    """While it touches it is an oscillator; after half a period and a bit it leaves with the speed it came with."""
    model, m, K, u = ball(), 2.0, 5e3, 0.5
    w = np.sqrt(K / m)
    run = rbd.simulate(model, [0.1], [-u], duration=0.03, dt=1e-5, contact=Penalty(stiffness=K))
    assert run.report.backend == "compiled loop (LLVM)"
    z_0 = -m * G / K  # where it would rest
    z = z_0 - z_0 * np.cos(w * run.t) - u / w * np.sin(w * run.t)
    assert (z < 0.0)[1:].all()
    assert_allclose(run.q[:, 0] - 0.1, z, rtol=0, atol=1e-11)  # rk4 with steps of 5e-4 / w is off by 1e-13 of z a step


def test_its_energy_is_kept_and_its_friction_counted():
    model = rbd.Model("sledge", gravity=(0.0, 0.0, -G))
    cube = rbd.Geometry(rbd.Box((0.2, 0.2, 0.1)))
    model.add_body("sledge", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.2, 0.1), 3.0), geometry=cube)
    model.add_ground(material=rbd.Material(friction=0.3))
    q = model.neutral()
    q[-1] = 0.05 - 3.0 * G / 4 / 1e4
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    run = rbd.simulate(model, q, v, duration=0.2, dt=1e-4, contact=Penalty(damping=50.0, slow=1e-4))
    assert not run.report.alarms(model)
    assert run.v[-1, 3] == pytest.approx(1.0 - 0.3 * G * 0.2, abs=2e-3)  # Coulomb's block, but for its first nod
    assert run.report.contacts.lost_friction == pytest.approx(0.5 * 3.0 * (1.0 - run.v[-1, 3] ** 2), rel=2e-2)


@pytest.mark.parametrize("integrator", ["rk4", "rk3"])
def test_compiled_it_moves_as_in_python(integrator):
    start = rbd.library.bouncing_ball()
    found = [
        rbd.simulate(
            *start, duration=0.5, dt=5e-4, integrator=integrator, contact=Penalty(1e6, damping=30.0), backend=backend
        )
        for backend in ("auto", "book")
    ]
    assert found[0].report.backend.startswith("compiled loop")
    assert_allclose(found[0].q, found[1].q, rtol=0, atol=1e-12)  # the same operations in another order
    assert_allclose(found[0].contacts.force[-1], found[1].contacts.force[-1], rtol=1e-9, atol=1e-9)


def test_materials_say_its_numbers():
    stiff, soft = (
        rbd.simulate(ball(**given), [0.1], duration=3.0, dt=1e-3, contact=Penalty(damping=100.0))
        for given in ({"stiffness": 4e4}, {})
    )
    for run, K in ((stiff, 4e4), (soft, 1e4)):
        assert run.q[-1, 0] - 0.1 == pytest.approx(-2.0 * G / K, rel=1e-9)


@dataclass(frozen=True)
class Sticky(ContactForce):
    """Pulls what is near, as a glue that tears."""

    name = "sticky"
    pull: float = 30.0
    reach: float = 0.01

    def act(self, at):
        at.apply_force(np.where(at.gap < 0.0, -1e4 * at.gap, np.where(at.gap < self.reach, -self.pull, 0.0)))


def test_it_may_reach_beyond_the_surface():
    """Glue holds a weight of 20 N at rest above the ground; beyond its reach the weight falls freely upwards."""
    model = ball()
    held = rbd.simulate(model, [0.1 + 0.0099], [0.0], duration=0.01, dt=1e-4, contact=Sticky(), backend="auto")
    assert held.report.backend == "compiled loop (LLVM)"
    assert held.v[-1, 0] == pytest.approx(-(G + 15.0) * 0.01, rel=1e-12)
    free = rbd.simulate(model, [0.1 + 0.0101], [2.0], duration=0.01, dt=1e-4, contact=Sticky())
    assert free.v[-1, 0] == pytest.approx(2.0 - G * 0.01, rel=1e-12)


@dataclass(frozen=True)
class Creep(ContactForce):
    """A spring behind a dashpot, whose stretch is a state; and how often a place was left."""

    name = "creep"
    stiffness: float = 1e5
    damping: float = 5e3

    @property
    def states(self):
        return {"stretch": 1}

    @property
    def kept(self):
        return {"deepest": 1}

    def act(self, at):
        depth = np.maximum(-at.gap, 0.0)
        push = np.maximum(self.stiffness * (depth - at.state("stretch")), 0.0)
        at.apply_force(np.where(at.gap < 0.0, push, 0.0))
        at.set_rate("stretch", np.where(at.gap < 0.0, push / self.damping, -at.state("stretch") / 0.01))

    def settle(self, at):
        at.keep("deepest", np.maximum(at.state("deepest"), np.where(at.gap < 0.0, -at.gap, 0.0)))


def test_states_of_its_own_follow_their_rates():
    """In the end the weight sinks with m g / damping."""
    for backend in ("auto", "book"):
        run = rbd.simulate(ball(), [0.1], duration=2.5, dt=1e-3, contact=Creep(), backend=backend)
        assert run.report.backend.startswith("compiled loop" if backend == "auto" else "contact law in Python")
        assert run.v[-1, 0] == pytest.approx(-2.0 * G / 5e3, rel=1e-6)  # what swings decays with 20 1/s


@dataclass(frozen=True)
class Deciding(Penalty):
    def act(self, at):
        if at.gap < 0.0:
            super().act(at)


def test_what_decides_by_numbers_runs_in_python_and_says_why():
    start = ball(), [0.1], [-0.3]
    decides, plain = (rbd.simulate(*start, duration=0.02, dt=1e-3, contact=law) for law in (Deciding(), Penalty()))
    assert "contact law in Python: law 'penalty' cannot be compiled" in decides.report.backend
    assert_allclose(decides.q, plain.q, rtol=0, atol=1e-14)


FACTOR = 1.0


@dataclass(frozen=True)
class Edited(Penalty):
    def act(self, at):
        at.apply_force(np.where(at.gap < 0.0, -FACTOR * self.stiffness * at.gap, 0.0))


def test_what_it_uses_may_be_edited_between_runs():
    global FACTOR
    ends = []
    for factor in (1.0, 4.0, 1.0):
        FACTOR = factor
        ends.append(rbd.simulate(ball(), [0.1], [-0.3], duration=0.02, dt=1e-3, contact=Edited()).q[-1, 0])
    assert ends[0] == ends[2] != ends[1]


@dataclass(frozen=True)
class Counting(Penalty):
    calls: ClassVar[list] = []

    def act(self, at):
        self.calls.append(at.time)
        super().act(at)


def test_what_keeps_something_is_not_compiled():
    run = rbd.simulate(ball(), [0.1], duration=0.01, dt=1e-3, contact=Counting())
    assert "contact law in Python: law 'penalty'" in run.report.backend
    assert len(Counting.calls) > 40 and all(isinstance(t, float) for t in Counting.calls)


class Wrong(Compliant):
    def act(self, at):
        super().act(at)
        at.apply_force(1.0 * (at.gap < 0.0))


def test_a_law_made_from_a_built_in_one_acts_as_it_says():
    pushed, plain = (
        rbd.simulate(ball(), [0.1], duration=3.0, dt=1e-3, contact=law)
        for law in (Wrong(stiffness=1e4, damping=200.0), Compliant(stiffness=1e4, damping=200.0))
    )
    assert pushed.report.backend == plain.report.backend == "compiled loop (LLVM)"
    assert pushed.q[-1, 0] - plain.q[-1, 0] == pytest.approx(1.0 / 1e4, rel=1e-6)


def test_a_state_that_it_does_not_name_is_told():
    @dataclass(frozen=True)
    class Nameless(Penalty):
        def act(self, at):
            at.set_rate("slip", 0.0)

    with pytest.raises(rbd.SimulationError, match="the law has no state 'slip' at its contacts; it names none"):
        rbd.simulate(ball(), [0.1], duration=0.01, dt=1e-3, contact=Nameless())


def test_it_needs_neither_a_name_nor_a_decorator():
    class Dashpot(ContactForce):
        damping = 100.0
        states = {"pushed": 1}  # noqa: RUF012

        def act(self, at):
            push = np.where(at.gap < 0.0, np.maximum(-self.damping * at.velocity[0], 0.0), 0.0)
            at.apply_force(push)
            at.set_rate("pushed", push)

    start = ball(damping=400.0), [0.1], [-0.1]
    run = rbd.simulate(*start, duration=0.1, dt=1e-4, contact=Dashpot())
    assert run.report.backend == "compiled loop (LLVM)" and "contact law 'Dashpot'" in str(run)
    c, m = 400.0, 2.0  # what the material says
    sinks = -m * G / c
    assert run.v[-1, 0] == pytest.approx(sinks + (-0.1 - sinks) * np.exp(-c / m * 0.1), rel=1e-9)


def test_a_number_that_is_none_is_refused_by_name():
    with pytest.raises(rbd.SimulationError, match="stiffness = 'much' of law 'penalty' must be a number"):
        rbd.simulate(ball(), [0.1], duration=0.01, dt=1e-3, contact=Penalty("much"))


class Attracting(ContactForce):
    reach = 0.15

    def act(self, at):
        at.apply_force(np.where(at.gap < 0.0, -1e4 * at.gap, np.where(at.gap < self.reach, -2.0, 0.0)))


def test_its_reach_counts_between_bodies_that_do_not_touch():
    """Two balls come together with half of F / m (dt)^2 each; nothing is found too late."""
    model = rbd.Model("two", gravity=(0.0, 0.0, 0.0))
    for name in ("a", "b"):
        model.add_body(name, joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0), geometry=rbd.Geometry(rbd.Sphere(0.1)))
    model.add_contacts()
    run = rbd.simulate(model, [0.0, 0.33], duration=0.2, dt=1e-3, contact=Attracting())
    assert run.report.backend == "compiled loop (LLVM)"
    assert_allclose(run.q[-1], [0.04, 0.29], rtol=0, atol=1e-14)


class Crushed(ContactForce):
    """A crust that pushes with its full stiffness only where it is as deep as ever before, or deeper."""

    kept = {"deepest": 1}  # noqa: RUF012

    def act(self, at):
        depth = np.maximum(-at.gap, 0.0)
        at.apply_force(np.where(depth > at.state("deepest") - 1e-12, 1e5, 4e4) * depth)

    def settle(self, at):
        at.keep("deepest", np.where(at.gap < 0.0, np.maximum(at.state("deepest"), -at.gap), 0.0))  # it heals apart


def test_what_it_keeps_at_a_place_lasts_through_steps():
    """The way out of the crust takes less force than the way in: the ball leaves with sqrt(0.4) of its speed."""
    model = ball()
    model.gravity = (0.0, 0.0, 0.0)
    for backend in ("auto", "book"):
        run = rbd.simulate(model, [0.1], [-0.5], duration=0.05, dt=2e-5, contact=Crushed(), backend=backend)
        assert run.v[-1, 0] == pytest.approx(0.5 * np.sqrt(0.4), rel=1e-3)  # a step is the bend's uncertainty
