"""Forward dynamics of small mechanisms with loops: straight-line code, for one state and for stacks in no lanes."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine import Kernels
from rbdkit.engine.run import bound
from rbdkit.library import andrews_squeezer, crank_slider, five_bar, n_four_bar


def written(kernels):
    """What was asked for of straight-line code: by the size it may have, whether it was written."""
    return {longest: recipe is not None for (_, longest), recipe in kernels._straight.items()}


def sprung():
    model = n_four_bar(2, angle=0.4)[0]
    model.add_spring("spring", model.bodies[1].name, model.bodies[-1].name, stiffness=30.0)
    return model


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(count, n)) for n in (model.nq, model.nv, model.nv)]


def on_arms():
    """A triangle on three arms of two links, which are legs that are alike."""
    model = rbd.Model("planar", gravity=(0.0, -9.81, 0.0))
    model.add_body("triangle", joint=rbd.Planar("z"), inertia=rbd.Inertia.box((0.4, 0.4, 0.1), mass=2.0))
    arm = rbd.Inertia.box((0.5, 0.1, 0.1), mass=1.0)
    for k, angle in enumerate(2.0 * np.pi * np.arange(3) / 3):
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        model.add_body(f"arm{k}", joint=rbd.Revolute("z"), placement=1.5 * out, inertia=arm)
        model.add_body(f"forearm{k}", f"arm{k}", rbd.Revolute("z"), placement=-0.6 * out, inertia=arm)
        model.add_loop(f"tip{k}", f"forearm{k}", "triangle", rbd.Spherical(), -0.6 * out, 0.3 * out)
    return model


MADE = {
    "one": lambda: n_four_bar(1, angle=0.4)[0],
    "in space": lambda: n_four_bar(3, angle=0.4, closing=rbd.Spherical())[0],
    "crank": crank_slider,
    "five bars": five_bar,
    "squeezer": lambda: andrews_squeezer().model,
    "sprung": sprung,
    "on arms": on_arms,
}


@pytest.mark.parametrize("pushed", [False, True])
@pytest.mark.parametrize("name", MADE)
def test_the_same_as_over_the_links(monkeypatch, name, pushed):
    """The same operations in another order, where loops are open as well; rank is decided alike."""
    model = MADE[name]()
    given = states(model, 20)
    pushes = np.random.default_rng(1).normal(size=(20, len(model.bodies), 6)) if pushed else None
    kernels = Kernels(model, "llvm")
    found = kernels.forward_dynamics(*given, pushes)
    assert written(kernels) == {bound.LONGEST if kernels._known.legs else bound.SHORT: True}
    monkeypatch.setattr(bound, "STRAIGHT_LINKS", 0)
    kernels = Kernels(model, "llvm")
    expected = kernels.forward_dynamics(*given, pushes)
    assert written(kernels) == {}
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-10 * np.abs(other).max())


def test_one_state_is_a_row_of_a_stack_whatever_ran_before():
    """To the last bit, up to stacks that are computed in lanes."""
    model, q, v = n_four_bar(2, angle=0.4)
    given = states(model, 500)
    fresh = [Kernels(model, "llvm") for _ in range(3)]
    alone = [fresh[0].forward_dynamics(*(x[k] for x in given)) for k in range(500)]
    stacked = fresh[1].forward_dynamics(*given)
    np.testing.assert_array_equal(alone, stacked)
    rbd.simulate(model, q, v, duration=0.01, dt=1e-3)
    fresh[2].forward_dynamics(*states(model, 2000))
    np.testing.assert_array_equal(fresh[2].forward_dynamics(*(x[7] for x in given)), stacked[7])
    for _ in range(3):  # the short way as well
        np.testing.assert_array_equal(rbd.forward_dynamics(model, *(x[7] for x in given)), stacked[7])


def test_what_would_take_long_to_compile_stays_a_loop(monkeypatch):
    """By the number of links, and by the operations."""
    model = n_four_bar(5, angle=0.4)[0]
    kernels = Kernels(model, "llvm")
    kernels.forward_dynamics(*states(model, 1))
    assert len(kernels._layout.links) > bound.UNROLLED_LINKS and written(kernels) == {}
    monkeypatch.setattr(bound, "SHORT", 1000)
    model = n_four_bar(1, angle=0.4)[0]
    kernels = Kernels(model, "llvm")
    kernels.forward_dynamics(*states(model, 1))
    assert written(kernels) == {1000: False}
