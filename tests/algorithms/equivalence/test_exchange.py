"""Table 9.7, the conditions of Eq 9.30 and the two-body equation 9.29, each found by another way."""

import pickle

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.equivalence import (
    TenNumbers,
    conditions,
    exchange_space,
    exchanged,
    table_9_7,
    ten_of,
    two_body_equation,
)
from rbdkit.algorithms.equivalence.ten_numbers import matrix_of
from rbdkit.errors import ModelError
from rbdkit.library import joint_gallery, random_state, random_tree, uncommon_joints
from rbdkit.spatial import plucker, se3

GALLERY = joint_gallery(np.random.default_rng(11)) + uncommon_joints(np.random.default_rng(12))
SIZES = {"fixed": 10, "revolute": 3, "prismatic": 6, "helical": 1, "cylindrical": 1, "planar": 1, "universal": 1,
         "spherical": 1, "euler_spherical": 1, "free": 0, "rack_and_pinion": 1, "sphere_in_cylinder": 0}  # fmt: skip


def projector(A):
    return A @ np.linalg.pinv(A) if A.shape[1] else np.zeros((10, 10))


@pytest.mark.source("F9.15")
@pytest.mark.parametrize("joint", GALLERY, ids=repr)
def test_the_two_body_equation_is_that_of_a_floating_tree(joint, off):
    """Eq 9.29 against CRBA and RNEA of a free body that carries another one."""
    rng = np.random.default_rng(1)
    I1, I2 = (rbd.Inertia.box(rng.uniform(0.1, 0.5, 3), mass=1.3).transformed(se3.random(rng)) for _ in range(2))
    model = rbd.Model(gravity=(0, 0, 0))
    model.add_body("b1", joint=rbd.Free(), inertia=I1)
    model.add_body("b2", "b1", joint, inertia=I2)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    e = two_body_equation(I1.matrix, I2.matrix, joint, q[7:], v[:6], v[6:])
    assert off(e.H, rbd.crba(model, q)) < 1e-13
    assert off(e.C, rbd.bias_force(model, q, v)) < 1e-13


@pytest.mark.source("F9.15")
@pytest.mark.parametrize("joint", GALLERY, ids=repr)
def test_the_table_is_the_null_space_of_the_exchange(joint, off):
    """Closed form against the singular value decomposition of Eq 9.29 at random states; the sizes are known."""
    found, table = exchange_space(joint, seed=3), table_9_7(joint)
    kind = joint.joint.kind if joint.kind == "reversed" else joint.kind
    assert found.shape[1] == table.shape[1] == SIZES[kind]
    assert off(projector(found), projector(table), scale=1.0) < 1e-12


def constant_in_a_frame(joint):
    """Whether range(S) stands still in one of the two frames: what the book's footnote 3 asks for."""
    inner = joint.joint if joint.kind == "reversed" else joint
    return inner.kind != "universal"


@pytest.mark.source("F9.15")
@pytest.mark.parametrize("joint", [joint for joint in GALLERY if constant_in_a_frame(joint)], ids=repr)
def test_conditions_9_30_hold_for_the_table_and_for_nothing_else(joint):
    """They are linear in I_Delta: as a matrix on the ten numbers, at random states, it has the table as null space."""
    columns = []
    for numbers in np.eye(10):
        rng = np.random.default_rng(5)  # the same states for every number
        parts = []
        for _ in range(8):
            parts += conditions(joint, matrix_of(numbers), joint.random(rng), rng.normal(size=6))
        columns.append(np.concatenate([part.ravel() for part in parts]))
    A, table = np.column_stack(columns), table_9_7(joint)
    np.testing.assert_allclose(A @ table, 0.0, atol=1e-13)
    assert 10 - np.linalg.matrix_rank(A, tol=1e-9) == table.shape[1]


@pytest.mark.source("F9.15")
def test_the_entries_of_the_table_as_printed():
    """Rows and columns of the three 6 x 6 matrices, with I, m, c_z and the six of I-bar at random."""
    I, m, c, *bar = np.random.default_rng(3).uniform(0.5, 2.0, 9)
    mc = m * c
    revolute = [[I, 0, 0, 0, -mc, 0], [0, I, 0, mc, 0, 0], [0, 0, 0, 0, 0, 0],
                [0, mc, 0, m, 0, 0], [-mc, 0, 0, 0, m, 0], [0, 0, 0, 0, 0, m]]  # fmt: skip
    xx, xy, xz, yy, yz, zz = bar
    prismatic = np.zeros((6, 6))
    prismatic[:3, :3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    spherical = np.diag([0, 0, 0, m, m, m])
    for joint, matrix in ((rbd.Revolute("z"), revolute), (rbd.Prismatic("z"), prismatic), (rbd.Spherical(), spherical)):
        numbers = ten_of(np.array(matrix))
        np.testing.assert_array_equal(matrix_of(numbers), matrix)
        np.testing.assert_allclose(projector(table_9_7(joint)) @ numbers, numbers, atol=1e-15)
    two = rbd.Inertia(0.4 * m, [0, 0, 0.1]) + rbd.Inertia(0.6 * m, [0, 0, 0.7])  # a pair of particles on the axis
    np.testing.assert_allclose(projector(table_9_7(rbd.Revolute("z"))) @ two.ten_parameters, two.ten_parameters,
                               atol=1e-15)  # fmt: skip


@pytest.mark.source("F9.15")
@pytest.mark.parametrize("seed", range(3))
def test_an_exchange_inside_a_tree_is_not_felt(seed, off):
    """Any joint of a tree; accelerations by aba, forces by rnea. The forces in the bearings do change."""
    model = random_tree(seed, 12)
    q, v, a = random_state(model, seed)
    rng = np.random.default_rng(seed)
    tau = rbd.algorithms.rnea(model, q, v, a)
    other = model
    for body in model.bodies[2:]:
        B = table_9_7(body.joint.type)
        if B.shape[1]:
            other = exchanged(other, body.name, 0.3 * B @ rng.normal(size=B.shape[1]))
    found = rbd.algorithms.rnea(other, q, v, a)
    assert off(found.tau, tau.tau) < 1e-12
    assert off(found.f[1:], tau.f[1:]) > 1e-3
    assert off(rbd.algorithms.aba(other, q, v, tau.tau).qdd, a) < 1e-8  # as good as for the model itself


@pytest.mark.source("F9.15")
def test_ten_numbers_are_an_inertia():
    rng = np.random.default_rng(4)
    box = rbd.Inertia.box([0.1, 0.2, 0.3], mass=2.0).transformed(se3.random(rng))
    numbers, pose = TenNumbers(box.ten_parameters), se3.random(rng)
    np.testing.assert_allclose(numbers.matrix, box.matrix, atol=1e-15)
    np.testing.assert_allclose(numbers.transformed(pose).matrix, box.transformed(pose).matrix, atol=1e-13)
    np.testing.assert_allclose((numbers + box).matrix, 2.0 * box.matrix, atol=1e-14)
    np.testing.assert_allclose(sum([numbers, numbers]).ten_parameters, 2.0 * box.ten_parameters, atol=1e-15)
    massless = TenNumbers([0, 1, 2, 3, 4, 5, 6, 7, 8, 9.0])
    assert massless.mass == 0.0 and np.isnan(massless.com).any()
    X = plucker.from_pose(pose)
    np.testing.assert_allclose(massless.transformed(pose).matrix, X.T @ massless.matrix @ X, atol=1e-13)  # Eq 2.66
    assert pickle.loads(pickle.dumps(massless)).ten_parameters.tolist() == massless.ten_parameters.tolist()
    with pytest.raises(ModelError, match="10 parameters"):
        TenNumbers(np.zeros(6))
