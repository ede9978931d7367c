"""Identifiable parameters: their number is known, and what cannot be told is what can be handed across joints."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.equivalence import PARAMETER_NAMES, base_parameters, simplified, table_9_7
from rbdkit.algorithms.equivalence.ten_numbers import moved
from rbdkit.errors import ModelError
from rbdkit.library import chain_pendulum, joint_gallery, random_state, random_tree
from rbdkit.library.right_angle_arm import right_angle_arm


def numbers(model):
    return np.concatenate([body.inertia.ten_parameters for body in model.bodies[1:]])


def exchanges(model):
    """Changes of all parameters by handing inertia across the joints, columns; across those to the world too."""
    n = len(model.bodies) - 1
    columns = []
    for i in model.outward:
        for column in table_9_7(model.joints[i].type).T:
            change = np.zeros((n, 10))
            change[i - 1] -= column
            if model.parent[i] > 0:
                change[model.parent[i] - 1] += moved(column, model.joints[i].placement)
            columns.append(change.ravel())
    return np.column_stack(columns)


@pytest.mark.source("F9.18")
@pytest.mark.parametrize(
    ("joints", "vertical", "expected"),
    [
        ("R", False, 3),
        ("R", True, 1),
        ("P", False, 1),
        ("RR", False, 10),
        ("RRR", False, 17),
        ("RRRRRR", False, 38),
        ("RRRRRR", True, 36),
        ("RRPRRR", False, 35),
        ("RRPRP", False, 25),
    ],
)
def test_serial_arms_have_the_number_known_from_the_literature(joints, vertical, expected):
    """Gautier and Khalil: 7 n_R + 4 n_P - 4, less 2 if the first axis is vertical; 1 for a first slide alone."""
    kinds = {"R": rbd.Revolute("z"), "P": rbd.Prismatic("z")}
    grown = random_tree(5, len(joints), [kinds["R"]], branching=0.0)
    model = rbd.Model(gravity=(0, 0, -9.81) if vertical else (3.0, -4.0, 7.0))
    for k, (letter, body) in enumerate(zip(joints, grown.bodies[1:], strict=True)):
        placement = np.eye(4) if k == 0 else body.joint.placement
        model.add_body(body.name, model.bodies[-1], kinds[letter], placement, body.inertia)
    found = base_parameters(model)
    if set(joints) == {"R"} or joints[0] == "R":
        assert expected == 7 * joints.count("R") + 4 * joints.count("P") - (6 if vertical else 4)
    assert found.rank == expected
    gap = found.singular_values[expected - 1] / max(found.singular_values[expected], 1e-300)
    assert gap > 1e6  # no doubt about the rank


@pytest.mark.source("F9.18")
@pytest.mark.parametrize("seed", range(3))
def test_of_a_floating_tree_nothing_is_lost_but_what_joints_exchange(seed, off):
    """All joint types: rank = 10 n - sum of the sizes of Table 9.7, and the two null spaces are one."""
    kinds = [kind for kind in joint_gallery(np.random.default_rng(seed)) if kind.kind not in ("free", "fixed")]
    model, grown = rbd.Model(gravity=(0, 0, 0)), random_tree(seed, 7, kinds)
    model.add_body("root", joint=rbd.Free(), inertia=rbd.Inertia.box([0.3, 0.2, 0.4], mass=2.0))
    for body in grown.bodies[1:]:
        parent = "root" if body.parent == 0 else grown.bodies[body.parent].name
        model.add_body(body.name, parent, body.joint.type, body.joint.placement, body.inertia)
    found, E = base_parameters(model), exchanges(model)
    assert found.rank == 10 * 8 - E.shape[1]
    N = found.null_space()
    assert N.shape == E.shape
    assert off(N @ N.T, E @ np.linalg.pinv(E), scale=1.0) < 1e-7  # as good as the least squares that made K


@pytest.mark.source("F9.18")
def test_on_a_fixed_base_exchanges_are_lost_and_more(off):
    model = right_angle_arm("RRPR")
    found, E = base_parameters(model), exchanges(model)
    N = found.null_space()
    assert off(N @ (N.T @ E), E) < 1e-9
    assert N.shape[1] > E.shape[1]  # the first link only ever turns about one axis


@pytest.mark.source("F9.18")
@pytest.mark.parametrize("joints", ["RRR", "RPRR"])
def test_base_parameters_say_all_about_the_forces(joints, off):
    """tau from the base parameters alone; and they are the same after all that can be handed on has been."""
    model = right_angle_arm(joints)
    found = base_parameters(model)
    beta = found.K @ numbers(model)
    q, v, a = random_state(model, 1)
    Y = rbd.inertial_regressor(model, q, v, a)[:, 1:].reshape(model.nv, -1)
    assert off(Y[:, found.columns] @ beta, algorithms.rnea(model, q, v, a).tau) < 1e-10
    assert off(found.K @ simplified(model).parameters[1:].ravel(), beta) < 1e-9


@pytest.mark.source("F9.18")
def test_a_double_pendulum_in_its_plane():
    """Rods of length l that swing about y: m2 is found at the elbow of rod 1 only, in m1z - l m2 and I1yy + l^2 m2."""
    length = 1.3
    found = base_parameters(chain_pendulum(2, length))
    assert found.rank == 6
    K = {(found.names[k], name): x for k, row in zip(found.columns, found.K, strict=True)
         for name, x in zip(found.names, row, strict=True)}  # fmt: skip
    assert K["rod1.mz", "rod2.m"] == pytest.approx(-length, rel=1e-9)
    assert K["rod1.Iyy", "rod2.m"] == pytest.approx(length**2, rel=1e-9)
    assert set(found.alone) == {"rod1.mx", "rod2.mx", "rod2.mz", "rod2.Iyy"}
    assert {"rod1.m", "rod1.Ixx", "rod2.Izz", "rod2.my"} <= set(found.lost)
    assert "rod1.mz -1.3 rod2.m" in found.describe()
    assert len(found.names) == 2 * len(PARAMETER_NAMES)


def test_without_motion_there_is_nothing_to_find():
    model = rbd.Model("rock")
    model.add_body("stone", inertia=rbd.Inertia.sphere(1.0, mass=1.0))
    with pytest.raises(ModelError, match="'rock' has no joint that moves"):
        base_parameters(model)
