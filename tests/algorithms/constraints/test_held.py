"""What holds in a model, through one interface: differences of gaps, the dynamics, and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.algorithms.constraints import (
    RollingContact,
    TautString,
    constrained_motion,
    constraints_of,
    lets_go,
    velocity_error,
)
from rbdkit.algorithms.loops import loop_equation, solve_for_forces

STEP = 1e-5


def ball(mass=1.0):
    return rbd.Inertia(mass, com=[0.05, 0.1, -0.2], inertia_com=np.diag([0.3, 0.4, 0.2]))


def mechanism():
    """A floating body with bounds, a finger that mimics another, a loop of each sort, and constraints."""
    model = rbd.Model("mechanism")
    box = rbd.Limits(lower=[-np.inf] * 4 + [-1.0, -np.inf, -np.inf], upper=[np.inf] * 5 + [2.0, np.inf])
    model.add_body("trunk", joint=rbd.Free(), inertia=ball(3.0), limits=box)
    model.add_body("left", "trunk", rbd.Revolute("y"), [0.1, 0.0, 0.2], ball(), limits=rbd.Limits(-1.0, 1.5))
    model.add_body("right", "trunk", rbd.Revolute("x"), [-0.1, 0.2, 0.0], ball(), limits=rbd.Limits(upper=2.0),
                   mimic=rbd.Mimic("left_joint", -0.5, 0.3))  # fmt: skip
    model.add_body("slab", joint=rbd.Planar("z"), inertia=ball(2.0))
    model.add_body("ball", "slab", rbd.Spherical(), [0.0, 0.3, 0.1], ball(),
                   limits=rbd.Limits(lower=-np.inf, upper=np.inf))  # fmt: skip
    model.add_loop("pin", "left", "slab", rbd.Revolute("z"), [0.2, 0.0, 0.1], [0.0, 0.1, 0.2])
    driven = rbd.Prescribed(
        rbd.Revolute("y"), lambda t: (0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t), -1.2 * np.sin(2 * t))
    )
    model.add_loop("motor", "right", "ball", driven)
    model.add_loop("rail", "world", "ball", rbd.Cylindrical("x"), [0.3, 0.1, 0.1])
    model.add_constraint("rod", rbd.Distance("world", "left", 0.7, at_b=(0.1, 0.0, 0.4)))
    model.add_constraint("floor", rbd.Rolling("slab", "world", 0.4))
    model.add_constraint("string", rbd.TautString("trunk", "slab", 1.2))
    model.add_constraint("stop", rbd.Limit("slab_joint", None, 0.5, "x"))
    return model


KINDS = {
    "rod": ("constraint", "m"), "floor": ("constraint", "m m/s m/s"), "string": ("constraint", "m"),
    "stop": ("constraint", "m"), "pin": ("loop joint", "rad rad m m m"), "motor": ("loop joint", "rad " * 3 + "m m m"),
    "rail": ("loop joint", "rad rad m m"), "right_joint": ("follower", "rad"), "trunk_joint.x": ("limit", "m"),
    "trunk_joint.y": ("limit", "m"), "left_joint.angle": ("limit", "rad rad"), "right_joint.angle": ("limit", "rad"),
}  # fmt: skip


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    q = model.random_q(rng)
    q[4:7] = [0.4, 1.1, 0.7]
    return q, rng.normal(size=model.nv), float(rng.uniform())


def test_they_are_listed_in_one_way():
    model = mechanism()
    found = constraints_of(model)
    assert {own.name: (own.what, " ".join(row.unit for row in own.rows)) for own in found} == {
        name: (what, units.strip()) for name, (what, units) in KINDS.items()
    }
    assert list(KINDS) == [own.name for own in found]
    for own in found:
        bounds = own.what == "limit" or own.name in ("string", "stop")
        assert own.unilateral == (tuple(range(len(own.rows))) if bounds else ())
        assert all(row.constraint == own.name for row in own.rows)
        assert own.name in repr(own) and own.what in repr(own)
    parts = {own.name: own.part for own in found}
    assert parts["rod"] is model.constraint("rod") and parts["pin"] is model.loops[0]
    assert parts["right_joint"] is parts["right_joint.angle"] is model.joint("right_joint")


@pytest.mark.parametrize("name", KINDS)
def test_rows_are_the_rates_of_gaps(name):
    """Central differences along a motion with constant velocities, on and off the constraint; time goes on."""
    model = mechanism()
    own = {held.name: held for held in constraints_of(model)}[name]
    q, v, t = state(model)
    if own.what == "loop joint":  # off the constraint rows and gap belong to the nearest pose that it allows
        q = closed(model, own, q, t)

    def at(h):
        return model.integrate(q, h * v), t + h

    holonomic = np.array([row.holonomic for row in own.rows])
    rate = (own.gap(*at(STEP)) - own.gap(*at(-STEP))) / (2 * STEP)
    assert_allclose(own.slip(q, v, t)[holonomic], rate[holonomic], atol=1e-8)
    assert_allclose(own.K(q, t) @ v - own.w(q, t), own.slip(q, v, t), atol=1e-13)
    if own.what == "loop joint":
        v = v - np.linalg.lstsq(own.K(q, t), own.slip(q, v, t), rcond=None)[0]  # k is that of motions that keep it
    second = (own.slip(at(STEP)[0], v, t + STEP) - own.slip(at(-STEP)[0], v, t - STEP)) / (2 * STEP)
    assert_allclose(-own.k(q, v, t), second, atol=1e-7 * max(1.0, np.abs(second).max()))


def closed(model, own, q, t):
    """Coordinates that close one loop, by Gauss and Newton on its own rows."""
    for _ in range(60):
        step = np.linalg.lstsq(own.K(q, t), own.gap(q, t), rcond=None)[0]
        q = model.integrate(q, -step * min(1.0, 0.3 / np.abs(step).max()))
    assert np.abs(own.gap(q, t)).max() < 1e-12
    return q


def test_the_dynamics_of_a_model_are_those_of_its_list():
    """All that is bilateral together, in the equation of chapter 3, against forward dynamics."""
    model = rbd.library.planar_four_bar()
    model.add_constraint("belt", rbd.Tie(model.joints[2].name, model.joints[1].name, -0.5))
    rng = np.random.default_rng(1)
    q, v, tau = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    found = constrained_motion(model, [own for own in constraints_of(model) if not own.unilateral], q, v, tau)
    assert_allclose(found.qdd, rbd.forward_dynamics(model, q, v, tau, backend="book"), rtol=1e-9, atol=1e-9)
    assert len(found.lam) == 6
    with pytest.raises(rbd.ModelError, match="'belt'"):  # one of them is not all of them
        constrained_motion(model, constraints_of(model)[1:], q, v, tau)


def test_reactions_of_loops_are_told_in_the_same_rows():
    """K^T lambda is what the loop does to the joints of the tree, by chapter 8's equation."""
    motion = rbd.simulate(rbd.library.planar_four_bar(), duration=0.02)
    forces = motion.constraint_forces()
    assert list(forces) == ["pin"]
    (pin,) = constraints_of(motion.model)
    for k in (0, 7, -1):
        q, v = motion.q[k], motion.v[k]
        equation = loop_equation(motion.model, q, v, np.zeros(3))
        assert_allclose(pin.K(q).T @ forces["pin"][k], solve_for_forces(equation).tau_c, atol=1e-9)


def test_a_follower_is_met_by_itself():
    model = mechanism()
    q, v, t = state(model)
    own = {held.name: held for held in constraints_of(model)}["right_joint"]
    assert_array_equal(own.K(q, t), np.zeros((1, model.nv)))
    assert_allclose([*own.gap(q, t), *own.slip(q, v, t)], 0.0, atol=1e-15)


def test_the_constraints_of_chapter_3_are_of_the_same_kind():
    """A ball on a table by hand and by `Rolling`; three discs in a string, with the string as a user's element."""
    by_hand = RollingContact(0.5)
    model = rbd.library.rolling_sphere(radius=0.5)
    rng = np.random.default_rng(2)
    q, v, tau = model.random_q(rng), rng.normal(size=6), rng.normal(size=6)
    other = constrained_motion(model, by_hand, q, v, tau)
    model.add_constraint("floor", rbd.Rolling("ball", "world", 0.5))
    (floor,) = constraints_of(model)
    order = [1, 2, 0]  # its gap comes first
    assert_allclose(floor.K(q)[order], by_hand.K(q), atol=1e-14)
    assert_allclose(floor.k(q, v)[order], by_hand.k(q, v), atol=1e-13)
    assert_allclose(floor.gap(q)[order], by_hand.gap(q), atol=1e-14)
    assert_allclose(velocity_error(floor, q, v)[order], velocity_error(by_hand, q, v), atol=1e-14)
    assert [row.unit for row in by_hand.rows] == [floor.rows[i].unit for i in order]
    assert_allclose(constrained_motion(model, floor, q, v, tau).qdd, other.qdd, atol=1e-11)

    class Around(rbd.ConstraintElement):
        unilateral = True
        discs: tuple[str, ...]
        perimeter: float
        radius: float

        def gap(self, at):
            p = [at.position(name) for name in self.discs]
            straight = sum(np.sqrt((p[i] - p[j]) @ (p[i] - p[j])) for i, j in ((0, 1), (1, 2), (2, 0)))
            return self.perimeter - straight - 2.0 * np.pi * self.radius

    discs, by_hand = rbd.Model("discs", gravity=[0.0, 0.0, 0.0]), TautString(0.1, 4.0)
    for k in range(3):
        discs.add_body(f"disc{k}", joint=rbd.Planar("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0 + k))
    q, v, tau = (rng.normal(size=9) for _ in range(3))
    other = constrained_motion(discs, by_hand, q, v, tau)
    discs.add_constraint("string", Around(("disc0", "disc1", "disc2"), 4.0, 0.1))
    (own,) = constraints_of(discs)
    assert own.unilateral == by_hand.unilateral and own.rows[0].unit == by_hand.rows[0].unit
    assert_allclose(own.gap(q), by_hand.gap(q), atol=1e-14)
    assert_allclose(own.K(q), by_hand.K(q), atol=1e-14)
    assert_allclose(own.k(q, v), by_hand.k(q, v), atol=1e-12)
    one = constrained_motion(discs, own, q, v, tau)
    assert_allclose(one.qdd, other.qdd, atol=1e-11)
    assert lets_go(own, one.lam) == lets_go(by_hand, other.lam)


def test_bounds_at_one_place_and_on_one_side():
    model = rbd.library.pendulum()
    fixed = rbd.Model("m")
    fixed.add_body("a", joint=rbd.Prismatic("x"), inertia=ball(), limits=rbd.Limits(0.2, 0.2))
    found = constraints_of(fixed)
    assert [len(own.rows) for own in found] == [1, 1]
    assert_allclose([own.gap(np.array([0.5]))[0] for own in found], [0.3, -0.3], atol=1e-15)
    assert constraints_of(model) == ()
    with pytest.raises(rbd.ModelError, match="give lower, upper or both"):
        rbd.Limit("hinge", None, None)
    for wrong, message in ((rbd.Limit("slab_joint", 0.0, 1.0), "name one of"),
                           (rbd.Limit("slab_joint", 0.0, 1.0, "z"), "has no coordinate 'z'")):  # fmt: skip
        with pytest.raises(rbd.ModelError, match=message):
            mechanism().add_constraint("own", wrong)


def test_they_are_of_the_model_as_it_was():
    model = mechanism()
    (own, *_), (q, _, t) = constraints_of(model), state(model)
    before = own.gap(q, t)
    model.add_body("late", joint=rbd.Revolute("y"), inertia=ball())
    assert_array_equal(own.gap(q, t), before)


def test_states_are_looked_at():
    model = mechanism()
    own, (q, v, t) = constraints_of(model)[0], state(model)
    for wrong in (q[:-1], np.stack([q, q]), np.full_like(q, np.nan)):
        with pytest.raises(rbd.StateError):
            own.gap(wrong, t)
    with pytest.raises(rbd.StateError, match="qd"):
        own.k(q, v[:-1], t)
    with pytest.raises(rbd.ModelError):
        constraints_of("model")
