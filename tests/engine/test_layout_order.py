"""In which order links stand: level by level, whatever the order of the bodies, with nothing else changed by it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.engine.links.layout import layout
from rbdkit.joints import Prescribed, Revolute, Spherical
from rbdkit.library import random_tree
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia


def depths(model: Model) -> list[int]:
    plan, found = layout(model), [0]
    for link in plan.links:
        found.append(found[link.parent] + 1)
    return found


def two_arms() -> Model:
    """Left arm, then right arm: a parent's numbers are not those computed last."""
    model, rng = Model("two arms"), np.random.default_rng(5)
    for side in ("left", "right"):
        above = "world"
        for k in range(4):
            joint = Spherical() if k == 1 else Revolute("xyz"[k % 3])
            model.add_body(
                f"{side} {k}", above, joint, tuple(rng.normal(size=3)), Inertia.box(rng.uniform(0.2, 1, 3), 1.0)
            )
            above = f"{side} {k}"
    return model


def test_links_stand_level_by_level():
    model = two_arms()
    assert depths(model) == sorted(depths(model))
    assert list(layout(model).link_of_body) == [0, 1, 3, 5, 7, 2, 4, 6, 8]


@pytest.mark.parametrize("backend", ["python", "llvm"])
def test_forces_on_bodies_reach_their_links(backend):
    """The bodies' order is another one than the links'. Round-off of sums over eight bodies, in another order."""
    model, rng = two_arms(), np.random.default_rng(6)
    q, v, x = model.random_q(rng), *rng.normal(size=(2, model.nv))
    f = rng.normal(size=(len(model.bodies), 6))
    expected = algorithms.rnea(model, q, v, x, f_ext=f).tau
    assert_allclose(Kernels(model, backend).rnea(q, v, x, f), expected, rtol=1e-12, atol=1e-12)
    stack = Kernels(model, backend).rnea(*(np.stack([a, a]) for a in (q, v, x, f)))
    assert_allclose(stack, [expected, expected], rtol=1e-12, atol=1e-12)


def test_joints_that_move_as_time_says_keep_the_order_of_bodies():
    """Of two of them, the first body is the deeper one."""
    model = Model("cranes")
    box = Inertia.box((0.3, 0.2, 0.5), mass=1.0)

    def turning(rate: float) -> Prescribed:
        return Prescribed(Revolute("y"), lambda t: (rate * t, rate, 0.0))

    model.add_body("mast", joint=Revolute("z"), inertia=box)
    model.add_body("jib", "mast", turning(2.0), (0, 0, 1.0), box)
    model.add_body("wheel", joint=turning(-3.0), placement=(1.0, 0, 0), inertia=box)
    q, v = np.array([0.3]), np.array([0.7])
    poses, velocities = Kernels(model, "llvm").forward_kinematics(q, v, t=0.4)
    expected = algorithms.forward_kinematics(model, q, v, t=0.4)
    assert_allclose(poses, expected.poses, atol=1e-14)  # a few products of numbers near one
    assert_allclose(velocities, expected.velocities, atol=1e-14)
    assert_allclose(
        Kernels(model, "llvm").rnea(q, v, np.array([0.2]), t=0.4),
        algorithms.rnea(model, q, v, np.array([0.2]), t=0.4).tau,
        rtol=1e-13,
    )


@pytest.mark.parametrize("seed", range(5))
def test_bodies_of_random_trees_stand_level_by_level(seed):
    model = random_tree(seed, bodies=15)
    level = [0]
    for above in model.parent[1:]:
        level.append(level[above] + 1)
    of_links = [level[body] for body in layout(model).body_of_link]
    assert of_links == sorted(of_links)
