"""The rack and pinion and the sphere in a cylinder as chains of links, against the readable forms."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import Kernels, NotCovered
from rbdkit.engine.links.pieces import pieces
from rbdkit.joints import Prescribed, RackAndPinion, Reversed, SphereInCylinder, Spherical
from rbdkit.library import random_tree, uncommon_joints

ROUND_OFF = 1e-12
SLIDING = [SphereInCylinder([0.0, 0.6, 0.8]), Reversed(SphereInCylinder("y")), Spherical()]


def dressed(joints, seed):
    """A random tree with springs, dampers and rotors."""
    model, rng = random_tree(seed, 2 * len(joints), joints), np.random.default_rng(seed)
    values = {}
    for k, joint in enumerate(model.joints[1:]):
        values[f"{joint.name}.damping"] = rng.uniform(0.0, 1.0, joint.nv)
        values[f"{joint.name}.stiffness"] = rng.uniform(0.0, 2.0, joint.nv)
        values[f"{joint.name}.rest"] = joint.type.random(rng)
        values[f"{joint.name}.armature"] = rng.uniform(0.1, 1.0, joint.nv) * (k % 2)
    return model.with_parameters(values)


def everything():
    return dressed([*uncommon_joints(np.random.default_rng(7)), rbd.Revolute("x")], 3)


@pytest.mark.source("F4.20", "F4.21")
@pytest.mark.parametrize("backend", ["llvm", "python"])
@pytest.mark.parametrize("make", [everything, lambda: dressed(SLIDING, 4)], ids=["all", "sliding"])
def test_kernels_against_the_readable_forms(make, backend, off):
    model = make()
    own, rng = Kernels(model, backend), np.random.default_rng(1)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    f = rng.normal(size=(len(model.bodies), 6))
    H = algorithms.crba(model, q).H
    assert off(own.rnea(q, v, x, f), algorithms.rnea(model, q, v, x, f_ext=f).tau) < ROUND_OFF
    assert off(own.crba(q), H) < ROUND_OFF
    expected = algorithms.forward_dynamics(model, q, v, x, f_ext=f)
    assert off(own.forward_dynamics(q, v, x, f), expected) < 1e-14 * max(100.0, np.linalg.cond(H))
    found, kinematics = own.forward_kinematics(q, v), algorithms.forward_kinematics(model, q, v)
    assert off(found[0], kinematics.poses) < ROUND_OFF
    if not own.coupled:
        assert off(own.aba(q, v, x, f), algorithms.aba(model, q, v, x, f_ext=f).qdd) < 1e-14 * np.linalg.cond(H)


def test_a_compiled_run_is_the_readable_run():
    model = everything()
    q, v = model.random_q(5), np.zeros(model.nv)
    fast, slow = (rbd.simulate(model, q, v, duration=0.05, dt=1e-3, backend=backend) for backend in ("auto", "book"))
    np.testing.assert_allclose(fast.q, slow.q, rtol=0, atol=1e-13)


@pytest.mark.parametrize("make", [everything, lambda: dressed(SLIDING, 5)], ids=["all", "sliding"])
def test_derivatives(make):
    """Compiled, where kernels have them, against readable; and these by differences (error h^2 and eps / h)."""
    model = make()
    rng = np.random.default_rng(2)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    fast, slow = (rbd.forward_dynamics_derivatives(model, q, v, x, backend=backend) for backend in ("auto", "book"))
    scale = np.abs(slow.da_dq).max()
    np.testing.assert_allclose(fast.da_dq, slow.da_dq, rtol=0, atol=1e-11 * scale)
    h, by_q, by_v = 1e-5, [], []
    for e in h * np.eye(model.nv):
        ahead, behind = (algorithms.forward_dynamics(model, model.integrate(q, s * e), v, x) for s in (1.0, -1.0))
        by_q.append((ahead - behind) / (2.0 * h))
        ahead, behind = (algorithms.forward_dynamics(model, q, v + s * e, x) for s in (1.0, -1.0))
        by_v.append((ahead - behind) / (2.0 * h))
    np.testing.assert_allclose(slow.da_dq, np.transpose(by_q), rtol=0, atol=1e-7 * scale)
    np.testing.assert_allclose(slow.da_dv, np.transpose(by_v), rtol=0, atol=1e-7 * np.abs(slow.da_dv).max())


def test_derivatives_by_the_radius_of_a_pinion():
    """Inverse and forward dynamics with other radii, by differences; what carries the pinion and what it carries."""
    model = random_tree(6, 4, [RackAndPinion("x", 0.3), RackAndPinion("z", -0.2), Spherical(), rbd.Revolute("y")])
    rng = np.random.default_rng(3)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    by_rnea, by_dynamics = (
        jacobian(model, q, v, x) for jacobian in (rbd.rnea_parameter_jacobian, rbd.forward_dynamics_parameter_jacobian)
    )
    names = [name for name in model.parameters if name.endswith(".radius")]
    assert len(names) > 1
    h = 1e-5
    for name in names:
        ends = [model.with_parameters({name: model.parameters[name] + s * h}) for s in (1.0, -1.0)]
        for found, function in ((by_rnea, algorithms.rnea), (by_dynamics, algorithms.forward_dynamics)):
            ahead, behind = (function(end, q, v, x) for end in ends)
            ahead, behind = (ahead.tau, behind.tau) if function is algorithms.rnea else (ahead, behind)
            slope = (ahead - behind) / (2.0 * h)
            np.testing.assert_allclose(found[name], slope, rtol=0, atol=1e-8 * max(1.0, np.abs(slope).max()))


def test_what_the_kernels_do_not_cover_is_said():
    driven = Prescribed(RackAndPinion(), lambda t: (t, 1.0, 0.0))
    with pytest.raises(NotCovered, match="'drive' is of type 'prescribed'"):
        pieces(driven, "drive")
    model = rbd.Model("driven")
    model.add_body("pinion", joint=driven, inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_body("bob", "pinion", rbd.Revolute("z"), [0.1, 0, 0], rbd.Inertia.sphere(0.1, mass=1.0))
    run = rbd.simulate(model, [0.0], [0.0], duration=0.01, dt=1e-3)  # the readable form steps in
    np.testing.assert_allclose(run.poses("pinion")[-1][0, 3], 0.1 * 0.01, rtol=1e-12)
