"""Rows of constraints against central differences of what they hold, and constraints that are refused."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.model.constraint import scalars, seen
from rbdkit.model.constraint_rows import constraint_rows

SEEDS = range(6)


def state(model, seed):
    rng = np.random.default_rng(seed + 100)
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv), 0.4


def at(model, q, v, t):
    return constraint_rows(model).at(q, v, t, seen(model, q, v, t).motion)


def test_what_is_derived():
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.5, mass=1.0))
    model.add_constraint("floor", rbd.Rolling("ball", "world", 0.5))
    rows = constraint_rows(model)
    assert [(row.constraint, row.unit, row.holonomic) for row in rows.rows] == [
        ("floor", "m", True), ("floor", "m/s", False), ("floor", "m/s", False),
    ]  # fmt: skip
    found = at(model, np.array([1.0, 0, 0, 0, 3.0, 4.0, 0.5]), np.array([0.1, 2.0, 0.3, 1.0, 0.5, 0.2]), 0.0)
    assert found.gap.tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(found.slip, [0.2, 1.0 - 0.5 * 2.0, 0.5 + 0.5 * 0.1], atol=1e-15)
    couple_and_force = [[0, 0, 0, 0, 0, 1], [0, -0.5, 0, 1, 0, 0], [0.5, 0, 0, 0, 1, 0]]
    np.testing.assert_allclose(found.wrenches[:, 0], couple_and_force, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_gap_and_slip_are_those_of_the_elements(seed, tied):
    model = tied(seed)
    q, v, _, t = state(model, seed)
    expected = []
    for own in model.constraints:
        here = seen(model, q, v, t)
        expected += [*scalars(own.element.gap(here)), *(scalars(own.element.slip(here)))]
    found, rows = at(model, q, v, t), constraint_rows(model)
    np.testing.assert_allclose(
        np.where(rows.holonomic, found.gap, found.slip), np.array(expected), rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_slips_are_rates_of_gaps_and_drifts_rates_of_slips(seed, tied, extrapolated):
    """Along ``q' = v`` with constant v."""
    model = tied(seed)
    q, v, _, t = state(model, seed)
    rows, here = constraint_rows(model), at(model, q, v, t)

    def rates(value):
        """Of values at (q, t)."""
        return extrapolated(
            lambda h: (value(model.integrate(q, h * v), t + h) - value(model.integrate(q, -h * v), t - h)) / (2.0 * h)
        )

    near = 1e-9 * max(1.0, np.abs(here.drift).max())
    found = rates(lambda q, t: at(model, q, v, t).gap)
    np.testing.assert_allclose(found[rows.holonomic], here.slip[rows.holonomic], rtol=0, atol=near)
    # the drift, and what bodies accelerate by velocity alone
    rate = here.drift.copy()
    for k, body in enumerate(rows.bodies):

        def twist(q, t, body=body):
            motion = seen(model, q, v, t).motion(body)
            return np.concatenate([motion.w, motion.v])

        rate += here.wrenches[:, k] @ rates(twist)
    np.testing.assert_allclose(rates(lambda q, t: at(model, q, v, t).slip), rate, rtol=0, atol=10 * near)


@pytest.mark.parametrize("seed", SEEDS)
def test_slips_are_what_wrenches_and_joint_forces_say(seed, tied):
    """``s = sum n.w + f.v + c v_a + s_0``, with s_0 from a mechanism at rest, and linear in between."""
    model = tied(seed)
    q, v, _, t = state(model, seed)
    rows = constraint_rows(model)
    here, rest = at(model, q, v, t), at(model, q, 0.0 * v, t)
    expected = rest.slip.copy()
    motion = seen(model, q, v, t).motion
    for k, body in enumerate(rows.bodies):
        expected += here.wrenches[:, k] @ np.concatenate([motion(body).w, motion(body).v])
    expected += here.joints @ v[list(rows.velocities)]
    np.testing.assert_allclose(here.slip, expected, rtol=1e-11, atol=1e-12)


def test_states_at_once_are_states_one_by_one(tied):
    model = tied(2)
    rows, rng = constraint_rows(model), np.random.default_rng(0)
    states = [(model.random_q(rng), rng.normal(size=model.nv), float(t)) for t in (0.0, 0.3, 0.9)]
    motions = []
    for q, v, t in states:
        here = seen(model, q, v, t).motion
        motions.append([np.concatenate([here(b).R.ravel(), here(b).p, here(b).w, here(b).v]) for b in rows.bodies])
    q, v, t = (np.array(x) for x in zip(*states, strict=True))
    found = rows.at_states(q, v, t, np.array(motions))
    for k, (q_k, v_k, t_k) in enumerate(states):
        one = at(model, q_k, v_k, t_k)
        for name in ("gap", "slip", "drift", "wrenches", "joints"):
            np.testing.assert_allclose(getattr(found, name)[k], getattr(one, name), rtol=1e-11, atol=1e-11)


def _free():
    model = rbd.Model()
    model.add_body("puck", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.5, mass=1.0))
    return model


class Both(rbd.ConstraintElement):
    """What its function says, as gap or as slip."""

    body: str
    kind: str

    def gap(self, at):
        match self.kind:
            case "speed":
                return at.velocity(self.body)[0]
            case "branch":
                return 1.0 if at.position(self.body)[0] > 0.3 else 0.0
            case "text":
                return "zero"
            case "unknown":
                return at.position("nobody")[0]
            case "broken":
                return at.position(self.body)[7]
        return ()

    def slip(self, at):
        return at.velocity(self.body)[0] ** 2 if self.kind == "square" else ()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("speed", "its gap depends on velocities; let slip"),
        ("branch", "cannot be derived.*branch on a symbol"),
        ("text", "gives 'str' where a number belongs"),
        ("unknown", "frame 'nobody' is not in model"),
        ("broken", "cannot be computed: IndexError"),
        ("square", "its slip is not linear in the velocities"),
        ("nothing", "holds nothing; let its gap or its slip"),
    ],
)
def test_what_is_no_constraint_is_refused_by_name(kind, says):
    model = _free()
    with pytest.raises(ModelError, match=rf"constraint 'odd' \(Both\).*{says}"):
        model.add_constraint("odd", Both("puck", kind))
    assert model.constraints == ()


def test_what_keeps_something_is_refused():
    calls = []

    class Counting(rbd.ConstraintElement):
        """A constraint that counts its calls."""

        body: str

        def gap(self, at):
            calls.append(1)
            return at.position(self.body)[0]

    with pytest.raises(ModelError, match=r"'odd' \(Counting\) cannot be derived: it may change 'calls'.*keep nothing"):
        _free().add_constraint("odd", Counting("puck"))


def test_units_and_bounds_are_looked_at():
    class Two(rbd.ConstraintElement):
        """Three units for two rows."""

        gap_unit = ("m", "m", "rad")
        body: str

        def gap(self, at):
            return at.position(self.body)[:2]

    class Bound(rbd.ConstraintElement):
        """A bound on a velocity."""

        unilateral = True
        body: str

        def slip(self, at):
            return at.velocity(self.body)[0]

    for element, says in ((Two("puck"), "3 units for 2 rows"), (Bound("puck"), "only gaps can be bounds")):
        with pytest.raises(ModelError, match=says):
            _free().add_constraint("odd", element)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: rbd.Distance("a", "b", 0.0), "length 0.0 must be"),
        (lambda: rbd.Distance("a", "a", 1.0), "both ends are on 'a'"),
        (lambda: rbd.Distance("a", "b", np.nan), "finite"),
        (lambda: rbd.Tie("a", "b", 0.0), "would hold 'a' still"),
        (lambda: rbd.Tie("a", "a", 1.0), "cannot follow itself"),
        (lambda: rbd.Rolling("a", "b", -1.0), "radius -1.0"),
        (lambda: rbd.Rolling("a", "b", 1.0, (0.0, 0.0, 0.0)), "points somewhere"),
        (lambda: rbd.Rolling("a", "a", 1.0), "wheel and plane are both 'a'"),
        (lambda: rbd.PointOnPlane("a", "a"), "both of 'a'"),
        (lambda: rbd.PointOnLine("a", "a"), "both of 'a'"),
        (lambda: rbd.Limit("a", 1.0, 1.0), "must be below"),
    ],
)
def test_numbers_without_meaning_are_refused(make, says):
    with pytest.raises(ModelError, match=says):
        make()


def test_ties_and_limits_are_of_joints_with_one_coordinate():
    model = _free()
    model.add_body("rod", "puck", rbd.Revolute("y"), inertia=rbd.Inertia(1.0))
    for element in (rbd.Tie("rod_joint", "puck_joint", 1.0), rbd.Limit("puck_joint", 0.0, 1.0)):
        with pytest.raises(ModelError, match="'puck_joint' has 7 coordinates"):
            model.add_constraint("odd", element)
