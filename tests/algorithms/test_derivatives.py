"""Derivatives of the dynamics: the readable recursions against differences on the manifold, and against Pinocchio.

Differences over five points with step h err by about h^4; joint forces are quadratic in v and linear in a and in most
parameters, where three points a whole unit apart are exact.
"""

import numpy as np
import pinocchio as pin
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.library import random_state, random_tree
from rbdkit.library.random_tree import joint_gallery
from rbdkit.model import Model
from rbdkit.spatial import se3

STEP = 1e-3
DIFFERENCE = 1e-9  # what h^4 and round-off / h leave, relative to the largest element


def slope(function, h: float = STEP) -> np.ndarray:
    """f'(0) by five points."""
    near, far = function(h) - function(-h), function(2 * h) - function(-2 * h)
    return (8.0 * near - far) / (12.0 * h)


def columns(function, n: int, h: float = STEP) -> np.ndarray:
    """Jacobian of a function on stacks of vectors (n,), at zero."""
    return slope(lambda h: function(h * np.eye(n)).T, h) if n else np.zeros((0, 0))


def dressed(seed: int, bodies: int = 17) -> Model:
    """A random tree in which every joint type occurs, with springs, dampers and rotors."""
    model, rng = random_tree(seed, bodies), np.random.default_rng(seed)
    values = {}
    for joint in model.joints:
        if joint.nv:
            for name in ("damping", "stiffness", "armature"):
                values[f"{joint.name}.{name}"] = rng.uniform(0.1, 1.0, joint.nv)
            values[f"{joint.name}.rest"] = joint.type.random(rng)
    return model.with_parameters(values)


def forces_on(model: Model, seed: int) -> np.ndarray:
    return np.random.default_rng(seed + 100).normal(size=(len(model.bodies), 6))


@pytest.mark.parametrize("seed", range(32))
def test_inverse_dynamics_against_differences(seed, off):
    model = dressed(seed)
    q, v, a = random_state(model, seed)
    f = forces_on(model, seed) if seed % 2 else None
    d = algorithms.rnea_derivatives(model, q, v, a, f_ext=f)
    by_q = columns(lambda dq: rbd.rnea(model, model.integrate(q, dq), v, a, f_ext=f), model.nv)
    assert off(d.dtau_dq, by_q) < DIFFERENCE
    assert off(d.dtau_dv, columns(lambda dv: rbd.rnea(model, q, v + dv, a, f_ext=f), model.nv, 1.0)) < 1e-12
    assert off(d.dtau_da, algorithms.crba(model, q).H) < 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_forward_dynamics_against_differences(seed, off):
    model = dressed(seed)
    q, v, tau = random_state(model, seed)
    f = forces_on(model, seed)
    for passive, dynamics in ((True, rbd.forward_dynamics), (False, rbd.aba)):
        d = algorithms.forward_dynamics_derivatives(model, q, v, tau, f_ext=f, passive=passive)
        assert off(d.qdd, dynamics(model, q, v, tau, f_ext=f)) < 1e-9
        by_q = columns(lambda dq, of=dynamics: of(model, model.integrate(q, dq), v, tau, f_ext=f), model.nv)
        by_v = columns(lambda dv, of=dynamics: of(model, q, v + dv, tau, f_ext=f), model.nv, 0.1)
        # the condition of H, up to 1e6 here, magnifies the round-off of both sides
        assert off(d.dqdd_dq, by_q) < 100 * DIFFERENCE and off(d.dqdd_dv, by_v) < 100 * DIFFERENCE
        assert off(d.dqdd_dtau @ algorithms.crba(model, q).H, np.eye(model.nv)) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_passive_forces_against_differences(seed, off):
    model = dressed(seed)
    q, v, _ = random_state(model, seed)
    d = algorithms.passive_derivatives(model, q, v)
    by_q = columns(lambda dq: rbd.passive_force(model, model.integrate(q, dq), v), model.nv)
    assert off(d.dtau_dq, by_q) < DIFFERENCE
    assert off(d.dtau_dv, columns(lambda dv: rbd.passive_force(model, q, v + dv), model.nv, 1.0)) < 1e-12


def moved(model: Model, name: str, change: np.ndarray) -> Model:
    """The model with a parameter changed in the way that derivatives count."""
    value = model.parameters[name]
    if name.endswith(".placement"):
        return model.with_parameters({name: value @ se3.exp(change)})
    if name.endswith(".rest"):
        joint = model.joint(name.removesuffix(".rest"))
        return model.with_parameters({name: joint.type.integrate(joint.rest, np.atleast_1d(change))})
    return model.with_parameters({name: value + change})


LINEAR = (".mass", ".inertia", ".damping", ".stiffness", ".armature", "gravity")


def test_springs_of_joints_that_only_a_reader_knows(off):
    """A kind of ball joint of the reader's own, of which there is no kernel; turned by nearly half a turn, too."""

    class Socket(rbd.Spherical):
        kind = "socket"

    model = Model()
    inertia, spring = rbd.Inertia.sphere(0.1, mass=1.0), dict(stiffness=[1.0, 2.0, 3.0], damping=[0.3, 0.2, 0.1])
    model.add_body("a", joint=Socket(), inertia=inertia, **spring)
    model.add_body("b", "a", rbd.Planar(), inertia=inertia, **spring)
    v = np.arange(6.0)
    for turn in ([0.3, -0.2, 0.5], [3.1, 0.0, 0.1], [0.0, 0.0, 0.0]):
        q = model.integrate(model.neutral(), [*turn, 0.4, 0.3, -0.2])
        d = algorithms.passive_derivatives(model, q, v)
        by_q = columns(lambda dq, q=q: rbd.passive_force(model, model.integrate(q, dq), v), model.nv)
        assert off(d.dtau_dq, by_q) < DIFFERENCE
        for joint in model.joints[1:]:

            def moved_rest(dr, joint=joint, q=q):
                rests = joint.type.integrate(np.broadcast_to(joint.rest, (len(dr), joint.nq)), dr)
                twins = [model.with_parameters({f"{joint.name}.rest": rest}) for rest in rests]
                return np.array([rbd.passive_force(twin, q, v) for twin in twins])

            assert off(d.parameters[f"{joint.name}.rest"], columns(moved_rest, joint.nv)) < DIFFERENCE


@pytest.mark.parametrize("seed", range(3))
def test_inverse_dynamics_by_every_parameter(seed):
    """Along one random direction for each, from `with_parameters`."""
    model, rng = dressed(seed, 18), np.random.default_rng(seed)
    q, v, a = random_state(model, seed)
    f = forces_on(model, seed)
    found = algorithms.rnea_parameter_derivatives(model, q, v, a, f_ext=f)
    left_out = {name for name in model.parameters if name not in found}
    assert {name.rpartition(".")[2] for name in left_out} == {"damping", "friction", "stiffness", "rest"}
    for name, J in found.items():
        change = rng.normal(size=J.shape[1:])
        if name.endswith(".inertia"):
            change = 0.1 * np.linalg.eigvalsh(model.parameters[name])[0] * (change + change.T)
        h = 0.01 if name.endswith(LINEAR) else STEP
        expected = slope(lambda x, n=name, d=change: algorithms.rnea(moved(model, n, x * d), q, v, a, f_ext=f).tau, h)
        scale = max(1.0, np.abs(J).max() * np.abs(change).max())
        assert np.abs(np.tensordot(J, change, change.ndim) - expected).max() < DIFFERENCE * scale, name


def test_forward_dynamics_by_every_parameter():
    model, rng = dressed(4, 9), np.random.default_rng(4)
    q, v, tau = random_state(model, 4)
    f = forces_on(model, 4)
    found = algorithms.forward_dynamics_parameter_derivatives(model, q, v, tau, f_ext=f)
    assert {name.rpartition(".")[2] for name in model.parameters if name not in found} == {"friction"}
    for name, J in found.items():
        change = 0.1 * rng.normal(size=J.shape[1:])
        if name.endswith(".inertia"):
            change = np.linalg.eigvalsh(model.parameters[name])[0] * (change + change.T)
        expected = slope(
            lambda x, n=name, d=change: algorithms.forward_dynamics(moved(model, n, x * d), q, v, tau, f_ext=f)
        )
        scale = max(1.0, np.abs(J).max() * np.abs(change).max())
        assert np.abs(np.tensordot(J, change, change.ndim) - expected).max() < 10 * DIFFERENCE * scale, name


def test_joint_forces_are_linear_in_the_inertial_parameters(off):
    """tau = Y pi, exactly, for these inertias and for any others."""
    model, other = random_tree(7), random_tree(8)
    q, v, a = random_state(model, 7)
    exchanged = model.with_parameters({
        f"{body.name}.{name}": other.parameters[f"{body.name}.{name}"]
        for body in model.bodies[1:] for name in ("mass", "com", "inertia")
    })  # fmt: skip
    for Y in (rbd.inertial_regressor(model, q, v, a), algorithms.inertial_regressor(model, q, v, a)):
        for same in (model, exchanged):
            pi = np.array([np.zeros(10), *(body.inertia.ten_parameters for body in same.bodies[1:])])
            assert off(np.einsum("abk,bk->a", Y, pi), rbd.rnea(same, q, v, a)) < 1e-13


# --- other kinds of joints --------------------------------------------------------------------------------------------


def test_mimic_joints_by_the_chain_rule(mimicking, off):
    coupled, independent, G, coordinates = mimicking
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(3, 2))
    f = rng.normal(size=(len(coupled.bodies), 6))
    own = algorithms.rnea_derivatives(coupled, q, v, a, f_ext=f)
    free = algorithms.rnea_derivatives(independent, coordinates(q), G @ v, G @ a, f_ext=f)
    for found, expected in ((own.dtau_dq, free.dtau_dq), (own.dtau_dv, free.dtau_dv), (own.dtau_da, free.dtau_da)):
        assert off(found, G.T @ expected @ G) < 1e-13
    # the public functions come to the same, by kernels
    assert off(rbd.rnea_derivatives(coupled, q, v, a, f_ext=f).dtau_dq, own.dtau_dq) < 1e-14
    by_q = columns(lambda dq: rbd.forward_dynamics(coupled, q + dq, v, a, f_ext=f), 2)
    assert off(rbd.forward_dynamics_derivatives(coupled, q, v, a, f_ext=f).da_dq, by_q) < DIFFERENCE
    of_free = algorithms.rnea_parameter_derivatives(independent, coordinates(q), G @ v, G @ a, f_ext=f)
    for name, J in algorithms.rnea_parameter_derivatives(coupled, q, v, a, f_ext=f).items():
        if not name.endswith(".armature"):
            assert off(J, np.tensordot(G.T, of_free[name], 1), 1.0) < 1e-13, name


def test_joints_that_move_as_time_says(off):
    model = Model("on a swing")
    swing = rbd.Prescribed(rbd.Revolute("y"), lambda t: (np.sin(t), np.cos(t), -np.sin(t)))
    body = rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0)
    model.add_body("seat", joint=swing, placement=[0.0, 0.0, 2.0], inertia=body)
    model.add_body("arm", "seat", rbd.Spherical(), [0.0, 0.0, -1.5], body)
    model.add_body("hand", "arm", rbd.Helical("x", pitch=0.3), [0.0, 0.3, 0.0], body)
    q, v, a = random_state(model, 1)
    t = 0.7
    d = rbd.rnea_derivatives(model, q, v, a, t=t)
    by_q = columns(lambda dq: rbd.rnea(model, model.integrate(q, dq), v, a, t=t), model.nv)
    by_v = columns(lambda dv: rbd.rnea(model, q, v + dv, a, t=t), model.nv, 1.0)
    assert off(d.dtau_dq, by_q) < DIFFERENCE and off(d.dtau_dv, by_v) < 1e-12


class Wheel(VectorJoint):
    """A joint type of somebody else's."""

    kind, nq, nv, q_names, q_units = "wheel", 1, 1, ("angle",), ("rad",)
    axle = rbd.Revolute("y")

    def pose(self, q, t=0.0):
        return self.axle.pose(q, t)

    def project(self, pose):
        return self.axle.project(pose)

    def motion_subspace(self, q):
        return self.axle.motion_subspace(q)

    def constraint_subspace(self, q):
        return self.axle.constraint_subspace(q)


def test_a_joint_type_that_nobody_has_described_is_named():
    model = Model("cart")
    model.add_body("wheel", joint=Wheel(), joint_name="axle", inertia=rbd.Inertia(1.0, [1.0, 0.0, 0.0]))
    said = "'axle': derivatives and the closed form need to know how the axes of a 'wheel' joint move"
    with pytest.raises(rbd.ModelError, match=said):
        rbd.rnea_derivatives(model, *np.zeros((3, 1)))


# --- Pinocchio --------------------------------------------------------------------------------------------------------


def check_pinocchio(twin, seed: int, off) -> None:
    """Its tangents of free, spherical and planar joints are ours: body axes.

    Universal and Euler joints are not compared: Pinocchio 4.1's derivatives take all axes as constant in the moved
    body, and differ from differences of its own rnea by as much as their size.
    """
    model = twin.model
    q, v, x = random_state(model, seed)
    theirs = twin.other, twin.data, twin.q(q), twin.v(v), twin.v(x)
    dq, dv, H = (np.array(block) for block in pin.computeRNEADerivatives(*theirs))
    d = rbd.rnea_derivatives(model, q, v, x)
    assert off(d.dtau_dq, twin.matrix_back(dq)) < 1e-12
    assert off(d.dtau_dv, twin.matrix_back(dv)) < 1e-12
    H = np.triu(H) + np.triu(H, 1).T
    assert off(d.dtau_da, twin.matrix_back(H)) < 1e-12
    dq, dv, M_inv = (np.array(block) for block in pin.computeABADerivatives(*theirs))
    e = rbd.aba_derivatives(model, q, v, x)
    tolerance = 1e-14 * np.linalg.cond(H) + 1e-12
    assert off(e.da_dq, twin.matrix_back(dq)) < tolerance
    assert off(e.da_dv, twin.matrix_back(dv)) < tolerance
    assert off(e.da_dtau, twin.matrix_back(np.triu(M_inv) + np.triu(M_inv, 1).T)) < tolerance


@pytest.mark.parametrize("seed", range(10))
def test_trees_against_pinocchio(seed, twin_of, off):
    gallery = joint_gallery(np.random.default_rng(seed))
    joints = [joint for joint in gallery if joint.kind not in ("reversed", "universal", "euler_spherical")]
    check_pinocchio(twin_of(random_tree(seed, 15, joints)), seed, off)


@pytest.mark.parametrize("name", ["ur5", "panda", "talos"])
def test_robots_against_pinocchio(name, robot_twin, off):
    check_pinocchio(robot_twin(name), 3, off)
