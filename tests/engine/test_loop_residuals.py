"""Residuals of loop joints, compiled from coordinates on, against those of the readable form from its poses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.formulations import JointSystem
from rbdkit.formulations.constrained.joint_constraints import JointConstraints
from rbdkit.formulations.constrained.rank_loss import CLOSED
from rbdkit.library import random_state, random_tree
from rbdkit.model import Model
from rbdkit.model.places import places

CLOSING = {
    "fixed": rbd.Fixed(), "revolute": rbd.Revolute("y"), "prismatic": rbd.Prismatic((0.6, 0.0, 0.8)),
    "helical": rbd.Helical("z", pitch=0.1), "cylindrical": rbd.Cylindrical("x"), "planar": rbd.Planar("x"),
    "planar, successor": rbd.Planar("y", translation="successor"), "spherical": rbd.Spherical(), "free": rbd.Free(),
}  # fmt: skip
MODELS: dict[str, Callable[[], Model]] = {
    "platform": rbd.library.stewart_platform,
    "delta robot": rbd.library.delta_robot,
    "four-bar": rbd.library.planar_four_bar,
    "bricard": rbd.library.rectangular_bricard,
}


def closed_tree(closing: rbd.JointType, seed: int = 3) -> tuple[Model, np.ndarray]:
    """A tree with a body welded to another, and two loops, one to the world; and where they are closed."""
    model = random_tree(seed, 9, [rbd.Spherical(), rbd.Free(), rbd.Cylindrical("z"), rbd.Fixed(), rbd.Revolute("x")])
    welded = np.eye(4)
    welded[:3, 3] = 0.3, -0.2, 0.1
    model.add_body("welded", parent="b5", placement=welded, inertia=rbd.Inertia.sphere(0.1, mass=0.5))
    q, _, _ = random_state(model, seed)
    T = rbd.forward_kinematics(model, q).poses
    model.add_loop("between", "b3", "welded", closing, np.linalg.inv(T[3]) @ T[-1])
    model.add_loop("to the world", "b6", "world", closing, np.eye(4), T[6])
    return model, q


def of_poses(model: Model, q: np.ndarray) -> np.ndarray:
    """The same by NumPy, from poses by the readable algorithm."""
    n = len(model.bodies)
    constraints = JointConstraints(places(model, np.zeros((n, 4, 4)) + np.eye(4))[n - 1 :], n)
    return constraints.position(np.stack([rbd.algorithms.forward_kinematics(model, x).poses for x in q]))


@pytest.mark.parametrize("name", [*MODELS, *CLOSING])
def test_those_of_the_readable_form(name: str) -> None:
    """Anywhere, for stacks in lanes, for smaller ones, and for one state: to some ulp of metres and radians. The angle
    of what is left of a rotation loses digits near half a turn, which one in 500 random states is close to.
    """
    model = MODELS[name]() if name in MODELS else closed_tree(CLOSING[name])[0]
    kernels, rng = Kernels(model, "llvm"), np.random.default_rng(3)
    assert kernels.knows_residuals
    q = np.array([model.random_q(rng) for _ in range(517)])
    found, rows = kernels.residuals(q), [0, 255, 516]
    np.testing.assert_allclose(found[rows], of_poses(model, q[rows]), rtol=0, atol=2e-15)
    np.testing.assert_allclose(kernels.residuals(q[:20]), found[:20], rtol=0, atol=2e-15)
    np.testing.assert_allclose(kernels.residuals(q[0]), found[0], rtol=0, atol=2e-15)
    assert np.array_equal(JointSystem(model).constraint_error(q), found)
    np.testing.assert_allclose(JointSystem(model, book=True).constraint_error(q), found, rtol=0, atol=1e-10)


def test_loops_of_all_kinds_in_one_mechanism() -> None:
    """On bodies that move freely: each kind is a case of its own in the compiled code, which many states ask for."""
    model, seed, many = rbd.Model("many loops"), 5, 70
    for k, closing in enumerate(CLOSING.values()):
        model.add_body(f"b{k}", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
        model.add_loop(f"loop{k}", "world", f"b{k}", closing, successor_placement=rbd.pose(position=[0.1, 0.2, 0.3]))
    rng = np.random.default_rng(seed)
    q = np.array([model.random_q(rng) for _ in range(many)])
    np.testing.assert_allclose(Kernels(model, "llvm").residuals(q), of_poses(model, q), rtol=0, atol=1e-13)


def test_a_crank_that_is_off_by_an_angle() -> None:
    """Its tip, 2 m from the hinge, should be at (2, 0, 0): by an angle a it misses that by 2 (1 - cos a) and 2 sin a,
    in its own coordinates."""
    model = rbd.Model("crank")
    place = np.eye(4)
    place[0, 3] = 2.0
    model.add_body("crank", joint=rbd.Revolute("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_loop("tip", "world", "crank", rbd.Spherical(), place, place)
    angles = np.linspace(-3.0, 3.0, 600)
    expected = np.stack([2.0 - 2.0 * np.cos(angles), 2.0 * np.sin(angles), np.zeros(600)], axis=1)
    np.testing.assert_allclose(Kernels(model, "llvm").residuals(angles[:, None]), expected, rtol=0, atol=1e-15)


def test_it_takes_nothing_from_the_rows_that_close_loops() -> None:
    """Numbers of these that are wrong change what is closed, and nothing of what is said of it."""
    model = rbd.library.stewart_platform()
    kernels, rng = Kernels(model, "llvm"), np.random.default_rng(4)
    q = np.array([model.random_q(rng) for _ in range(600)])
    before, gap = kernels.residuals(q), kernels.constraint_rows(q, np.zeros((600, model.nv))).gap
    for name in ("loops_T", "loops_numbers", "loops_gaps", "path_factors"):
        kernels.numbers[name][:] += 0.1
    assert np.array_equal(kernels.residuals(q), before)
    assert not np.allclose(kernels.constraint_rows(q, np.zeros((600, model.nv))).gap, gap, rtol=0, atol=1e-3)


def test_loops_of_other_joints_go_another_way() -> None:
    """Where T turns in the successor there are none; where ends are the other way round, those of the joint inside."""
    model, _ = closed_tree(rbd.Universal("x", "y"))
    assert not Kernels(model, "llvm").knows_residuals
    rng = np.random.default_rng(5)
    for closing in (rbd.Universal("x", "y"), rbd.Reversed(rbd.Revolute("y"))):
        model, _ = closed_tree(closing)
        q = np.array([model.random_q(rng) for _ in range(20)])
        np.testing.assert_allclose(JointSystem(model).constraint_error(q), of_poses(model, q), rtol=0, atol=1e-12)


@pytest.mark.parametrize("closing", [*(CLOSING[name] for name in CLOSING if name != "free"), rbd.Universal("x", "y")])
def test_residuals_so_small_that_no_gap_counts(closing: rbd.JointType) -> None:
    """Where few states are looked at, none has a gap that would ask for more; larger residuals do ask for all."""
    model, q = closed_tree(closing)
    system, rng = JointSystem(model), np.random.default_rng(6)
    for size in 10.0 ** np.arange(-12.0, -7.0, 0.25):
        moved = np.array([model.move(q, size * x) for x in rng.normal(size=(200, model.nv))])
        residuals = np.abs(system.constraint_error(moved)).max()
        few = not isinstance(system.looked_at(200, residuals), slice)
        assert not few or system.gap(np.zeros(200), moved).max() <= CLOSED
    assert isinstance(system.looked_at(200, residuals), slice)
    assert list(system.looked_at(200, 0.0)) == [0, 49, 99, 149, 199]
