"""The compiled power balance against the one that is taken body by body."""

from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd


def machine():
    model = rbd.Model("machine")
    own = dict(inertia=rbd.Inertia(0.7, com=[0.05, 0.1, -0.2], inertia_com=np.diag([0.03, 0.04, 0.02])))
    model.add_body("hull", joint=rbd.Free(), **own)
    model.add_body("arm", "hull", rbd.Revolute("y"), damping=0.2, stiffness=3.0, armature=0.1, **own)
    model.add_body("hand", "arm", rbd.Spherical(), [0.1, 0.0, 0.2], stiffness=[1.0, 2.0, 3.0], **own)
    follows = rbd.Mimic("arm_joint", -0.5, 0.2)
    model.add_body("finger", "hand", rbd.Revolute("x"), damping=0.3, stiffness=0.5, mimic=follows, **own)
    model.add_spring("string", "hull", "finger", stiffness=30.0, rest_length=0.1, damping=2.0)
    model.add_force("oil", rbd.Maxwell("hull", "hand", stiffness=5.0, damping=0.4))
    return model


@pytest.mark.parametrize("stack", [(), (2, 3)])
def test_both_ways_say_the_same(stack):
    model, rng = machine(), np.random.default_rng(2)
    q = np.array([model.random_q(rng) for _ in range(int(np.prod(stack)))]).reshape(*stack, model.nq)
    v, a, tau = rng.normal(size=(3, *stack, model.nv))
    z, f_ext = rng.normal(size=(*stack, model.nz)), {"hand": rng.normal(size=6)}
    found, book = (
        rbd.power_balance(model, q, v, a, tau, f_ext=f_ext, z=z, backend=backend) for backend in ("auto", "book")
    )
    for field in fields(book):
        ours, theirs = getattr(found, field.name), getattr(book, field.name)
        assert ours.shape == theirs.shape == stack
        assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)  # theirs differences the energy of elements
    a = rbd.forward_dynamics(model, q, v, tau, f_ext=f_ext, z=z)
    assert_allclose(rbd.power_balance(model, q, v, a, tau, f_ext=f_ext, z=z).residual, 0.0, atol=1e-10)


def test_loops_take_part():
    model = rbd.library.planar_four_bar()
    motion = rbd.simulate(model, duration=0.02)
    q, v = motion.q[-1], motion.v[-1]
    a = rbd.forward_dynamics(model, q, v, np.zeros(3))
    for backend in ("auto", "book"):
        assert abs(rbd.power_balance(model, q, v, a, np.zeros(3), backend=backend).residual) < 1e-11
