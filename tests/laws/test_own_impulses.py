"""Laws of impulses of a user's own, with another friction or rebound: closed forms; compiled against the book form."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import engine
from rbdkit.errors import SimulationError
from rbdkit.laws import TimeStepping

G, MU = 10.0, 0.3


def sledge():
    model = rbd.Model("sledge", gravity=(0.0, 0.0, -G))
    box = rbd.Geometry(rbd.Box((0.2, 0.2, 0.1)))
    model.add_body("sledge", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.2, 0.1), 3.0), geometry=box)
    model.add_ground(material=rbd.Material(friction=MU, restitution=0.8))
    q = model.neutral()
    q[-1] = 0.05
    return model, q


def ball():
    model = rbd.Model("ball", gravity=(0.0, 0.0, -G))
    shape = rbd.Geometry(rbd.Sphere(0.1))
    model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(2.0), geometry=shape)
    model.add_ground(material=rbd.Material(restitution=0.8))
    return model


class Square(TimeStepping):
    """Friction along either tangent by itself, as on grooved ground."""

    def friction(self, at, wanted, push):
        return np.clip(wanted, -at.friction * push, at.friction * push)


@dataclass(frozen=True)
class Oiled(TimeStepping):
    """Friction that falls with the sliding speed."""

    speed: float = 0.5

    def friction(self, at, wanted, push):
        u = at.velocity[1:]
        limit = at.friction * push / (1.0 + np.sqrt(u[0] * u[0] + u[1] * u[1]) / self.speed)
        size = np.sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1])
        return np.where(size > limit, limit / np.where(size > 0.0, size, 1.0), 1.0) * wanted


class Capped(TimeStepping):
    def rebound(self, at):
        return np.minimum(-at.restitution * at.velocity[0], 0.5)


def test_friction_along_either_tangent_by_itself_stops_them_one_after_the_other():
    model, q = sledge()
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.4, 0.0])
    for backend, start, dt in (("auto", "compiled loop", 1e-3), ("book", "contact law in Python", 1e-2)):
        run = rbd.simulate(model, q, v, duration=0.25, dt=dt, contact=Square(), backend=backend)
        assert run.report.backend.startswith(start)
        expected = np.maximum(v[None, 3:5] - MU * G * run.t[:, None], 0.0)  # Coulomb's block, twice
        assert_allclose(run.v[:, 3:5], expected, rtol=0, atol=1e-9)


def test_a_bent_motion_is_the_same_compiled_as_in_python():
    """What slides on redundant points asks for even shares, and turning takes friction to all sides."""
    model, q = sledge()
    v = np.array([0.0, 0.0, 2.0, 1.0, 0.4, 0.0])
    for law in (Square(), Oiled()):
        runs = [rbd.simulate(model, q, v, duration=0.04, dt=1e-3, contact=law, backend=b) for b in ("auto", "book")]
        assert runs[0].report.backend.startswith("compiled loop")
        assert_allclose(runs[0].v, runs[1].v, rtol=0, atol=1e-8)
        assert_allclose(runs[0].contacts.force, runs[1].contacts.force, rtol=0, atol=1e-6)


def test_friction_may_depend_on_the_speed():
    """``(1 + v / s) dv = -mu g dt`` integrates to ``v + v^2 / 2 s = v_0 + v_0^2 / 2 s - mu g t``; and it sticks."""
    model, q = sledge()
    for s in (0.5, 0.25):  # constants of a law are inputs of its code
        run = rbd.simulate(model, q, [0.0, 0.0, 0.0, 0.8, 0.0, 0.0], duration=1.2, dt=1e-4, contact=Oiled(speed=s))
        assert run.report.backend == "compiled loop (LLVM)"
        left = np.maximum(0.8 + 0.64 / (2.0 * s) - MU * G * run.t, 0.0)
        assert_allclose(run.v[:, 3], -s + np.sqrt(s * s + 2.0 * s * left), rtol=0, atol=1e-3)
        assert left[-1] == 0.0 and abs(run.v[-1, 3]) < 1e-9


def test_a_rebound_of_ones_own():
    for start, leaves in ((-2.0, 0.5), (-0.4, 0.32)):
        for backend in ("auto", "book"):
            run = rbd.simulate(ball(), [0.1001], [start], duration=0.01, dt=1e-3, contact=Capped(), backend=backend)
            k = int(np.argmax(run.v[:, 0] > 0.0))
            assert_allclose(run.v[k, 0], leaves, rtol=1e-2, atol=0.0)  # gravity acts in a step or two


def test_a_law_that_branches_runs_in_python_and_says_why():
    class Branching(Square):
        def friction(self, at, wanted, push):
            return wanted if push > 1e9 else super().friction(at, wanted, push)

    model, q = sledge()
    v = np.array([0.0, 0.0, 1.0, 1.0, 0.4, 0.0])
    found = [rbd.simulate(model, q, v, duration=0.05, contact=law) for law in (Branching(), Square())]
    assert "cannot be compiled" in found[0].report.backend
    assert_allclose(found[0].v, found[1].v, rtol=0, atol=1e-8)


def test_joint_stops_have_no_friction():
    """Stops are contacts without surfaces, so a friction that gives all it is asked for is not asked there."""

    class Glue(TimeStepping):
        def friction(self, at, wanted, push):
            return wanted

    laws = Glue(), TimeStepping()
    model = rbd.Model("door", gravity=(0.0, 0.0, -G))
    box = rbd.Inertia.box((0.5, 0.05, 0.05), mass=1.0).transformed(rbd.pose(position=(0.25, 0.0, 0.0)))
    model.add_body("door", joint=rbd.Revolute("y"), joint_name="hinge", inertia=box)
    model.add_constraint("stop", rbd.Limit("hinge", None, 0.2))
    for backend in ("auto", "book"):
        runs = [rbd.simulate(model, [0.0], duration=0.4, dt=5e-3, contact=law, backend=backend) for law in laws]
        assert runs[0].q[-1, 0] == pytest.approx(0.2, abs=1e-3)
        assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)


def test_pages_carry_it():
    model, _ = sledge()
    packaged = engine.packaged(model, Oiled().compiled())
    assert packaged["numbers"]["friction_constants"]


def test_what_cannot_be_honoured_is_refused():
    with pytest.raises(SimulationError, match="take solver 'cone'"):
        Square(solver="pyramid")

    class Short(TimeStepping):
        def friction(self, at, wanted, push):
            return wanted[:1]

    model, q = sledge()
    with pytest.raises(SimulationError, match="tangential impulse of law Short has 2 numbers"):
        rbd.simulate(model, q, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], duration=0.01, contact=Short())
