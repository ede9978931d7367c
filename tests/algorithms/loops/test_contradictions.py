"""Accelerations where prescribed joints move as loops or constraints do not allow: refused by name."""

from copy import deepcopy

import numpy as np
import pytest

import rbdkit as rbd


def train(first, second, loops=1):
    """Two cars on one rail, driven with accelerations 2 a, and rods between them; a pendulum hangs on the second."""
    model = rbd.Model("train")
    cars = [
        model.add_body(
            f"car{k}", joint=rbd.Prescribed(rbd.Prismatic("x"), lambda t, a=a: ([a * t**2], [2 * a * t], [2 * a]))
        )
        for k, a in enumerate((first, second))
    ]
    model.add_body("bob", cars[1], rbd.Revolute("y"), inertia=rbd.Inertia(1.0, (0.0, 0.0, -1.0)))
    for k in range(loops):
        model.add_loop(f"rod{k}", *cars, rbd.Fixed())
    return model


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("loops", [1, 2])
def test_motions_that_pull_a_rod_apart_are_named(backend, loops):
    with pytest.raises(rbd.StateError, match=r"'car0_joint'.*'car1_joint'.*'rod0'.*off by 0\.4 .*prescribe fewer"):
        rbd.forward_dynamics(train(0.1, 0.3, loops), [0.0], [0.0], [0.0], backend=backend)


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("loops", [1, 2])
@pytest.mark.parametrize("t", [0.0, 1.5])
def test_motions_that_fit_are_not(backend, loops, t):
    """The pendulum falls back by the acceleration of its car, 0.6 m/s^2 at an arm of 1 m, about +y: it hangs in -z."""
    found = rbd.forward_dynamics(train(0.3, 0.3, loops), [0.0], [0.0], [0.0], t=t, backend=backend)
    np.testing.assert_allclose(found, [0.6], rtol=1e-12)


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_the_round_off_of_locked_joints_is_no_contradiction(backend, moves, length):
    """Two bars that a rod holds, without gravity, beside a prescribed joint: their accelerations are round-off only."""
    model = rbd.Model("held")
    bar = rbd.Inertia.box((0.3 * length, 0.1 * length, 0.2 * length), mass=1.3)
    bar = bar.transformed(rbd.pose(rbd.spatial.so3.exp([0.3, 0.4, 0.5]), position=(0.17 * length, 0.05 * length, 0.0)))
    turn = rbd.Prescribed(rbd.Revolute("y"), lambda t: ([np.sin(t)], [np.cos(t)], [-np.sin(t)]))
    model.add_body("table", joint=turn, inertia=bar)
    model.add_body("one", joint=rbd.Revolute((0.6, 0.0, 0.8)), inertia=bar)
    model.add_body("two", "one", rbd.Revolute((0.0, 0.6, 0.8)), rbd.pose(position=(0.7 * length, 0.0, 0.0)), bar)
    model.add_loop("rod", "world", "two", rbd.Fixed(), rbd.pose(position=(0.7 * length, 0.0, 0.0)))
    model.gravity = (0.0, 0.0, 0.0)
    if moves:
        model.add_body("arm", "table", rbd.Revolute("x"), rbd.pose(position=(0.0, 0.3 * length, 0.0)), bar)
    tau = length**2 * np.array([3.1, -1.7, 0.9])[: model.nv]
    found = rbd.forward_dynamics(model, np.zeros(model.nq), np.zeros(model.nv), tau, t=0.4, backend=backend)
    np.testing.assert_allclose(found[:2], 0.0, atol=1e-12)


def fair(length, pushed, turned):
    """Two cars on one rail with a rod between them, and two turntables coupled in their angles.

    pushed, turned : accelerations of those that are driven, m/s2 and rad/s2; what is not driven, follows.
    """
    model = rbd.Model("fair")
    for name, joint, accelerations in (("car", rbd.Prismatic("x"), pushed), ("table", rbd.Revolute("z"), turned)):
        for k in range(2):
            driven = [
                rbd.Prescribed(joint, lambda t, a=a: ([a * t**2 / 2.0], [a * t], [a])) for a in accelerations[k : k + 1]
            ]
            model.add_body(
                f"{name}{k}", joint=driven[0] if driven else joint, inertia=rbd.Inertia(1.0, (length, 0.0, 0.0))
            )
        model.add_loop(f"{name}s", f"{name}0", f"{name}1", rbd.Fixed() if name == "car" else rbd.Translational())
    return model


@pytest.mark.parametrize("backend", ["auto", "book"])
@pytest.mark.parametrize(
    ("length", "pushed", "turned", "named"),
    [
        (200.0, [1e3], [1e-3, 2e-3], "tables"),  # 0.2 m/s2 at the rims
        (1e-3, [1.0, 1.001], [5e2], "cars"),  # where the rims have 0.5 m/s2
    ],
)
def test_angles_are_compared_with_lines_as_arcs(backend, length, pushed, turned, named):
    """Each contradiction is 1e-6 of the other numbers without their units, but 1e-4 and more of them as arcs."""
    with pytest.raises(rbd.StateError, match=f"'{named}'.*off by 0.001 "):
        rbd.forward_dynamics(fair(length, pushed, turned), [0.0], [0.0], [0.0], backend=backend)
    fit = fair(length, pushed[:1], turned[:1])
    found = rbd.forward_dynamics(fit, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], backend=backend)
    np.testing.assert_allclose(found, [pushed[0], turned[0]], rtol=1e-9)


def test_one_state_of_a_stack_is_enough():
    model = train(0.1, 0.3)
    with pytest.raises(rbd.StateError, match=r"off by 0\.4"):
        rbd.forward_dynamics(model, np.zeros((3, 1)), np.arange(3.0)[:, None], np.zeros((3, 1)))
    still = rbd.forward_dynamics(train(0.0, 0.0, 2), np.zeros((3, 1)), np.arange(3.0)[:, None], np.zeros((3, 1)))
    np.testing.assert_allclose(still, 0.0, atol=1e-15)


class Towed(rbd.ConstraintElement):
    """A body that a rope pulls along x, at a distance that grows with time."""

    body: str
    half_acceleration: float

    def gap(self, at):
        return at.position(self.body)[0] - self.half_acceleration * at.time**2


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_loop_joints_and_constraints_that_move_are_looked_at_too(backend):
    model = rbd.Model("train")
    cars = [model.add_body(f"car{k}", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(1.0)) for k in range(2)]
    model.add_loop("rod", *cars, rbd.Fixed())
    pulled = deepcopy(model)
    model.add_loop("screw", *cars, rbd.Prescribed(rbd.Prismatic("x"), lambda t: ([0.1 * t**2], [0.2 * t], [0.2])))
    with pytest.raises(rbd.StateError, match=r"joint\(s\) 'screw' and 'rod' contradict each other"):
        rbd.forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], backend=backend)
    for body, pull in (("car0", 0.1), ("car1", 0.3)):
        pulled.add_constraint(f"rope of {body}", Towed(body, pull))
    with pytest.raises(rbd.StateError, match="what time moves and 'rod', 'rope of car0', 'rope of car1' contradict"):
        rbd.forward_dynamics(pulled, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], backend=backend)
