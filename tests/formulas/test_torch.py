"""Functions exported to PyTorch: numbers and gradients are rbdkit's. PyTorch is no part of the test environment."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import RbdkitError
from rbdkit.formulas.quantities import QUANTITIES

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch, 200 MB: pip install torch runs these")
ROBOTS = {"ur5_robot": False, "panda": False, "anymal": True, "talos_full_v2": True}


def given_to(model, what, rng):
    known = {"q": model.random_q(rng)}
    return [known.get(name, rng.normal(size=model.nv)) for name in QUANTITIES[what].arguments]


@needs_torch
@pytest.mark.parametrize("what", [name for name in QUANTITIES if name not in ("equation_forces", "energy")])
def test_numbers_and_their_type(what):
    import torch

    model = rbd.library.random_tree(4, 2)
    model.add_frame("tip", model.bodies[-1].name, [0.0, 0.1, 0.5])
    framed = {"frame": "tip"} if QUANTITIES[what].framed else {}
    given = given_to(model, what, np.random.default_rng(1))
    plain = rbd.export_function(model, what, "python", **framed)(*given)
    function = rbd.export_function(model, what, "torch", **framed)
    found = function(*map(torch.tensor, given))
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found.numpy(), plain, rtol=0, atol=1e-13 * np.abs(plain).max())
    single = function(*(torch.tensor(x, dtype=torch.float32) for x in given))
    assert single.dtype == torch.float32
    np.testing.assert_allclose(single.numpy(), plain, rtol=0, atol=1e-3 * np.abs(plain).max())


@needs_torch
@pytest.mark.robots
@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics_of_robots(name):
    import torch

    model = rbd.load(rbd.library.robot_file(name), floating=ROBOTS[name])
    given = given_to(model, "aba", np.random.default_rng(5))
    expected = rbd.aba(model, *given)
    found = rbd.export_function(model, "aba", "torch")(*map(torch.tensor, given)).numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@needs_torch
@pytest.mark.robots
@pytest.mark.parametrize("name", ["ur5_robot", "panda"])
def test_derivatives(name):
    import torch

    model = rbd.load(rbd.library.robot_file(name))
    given = given_to(model, "aba", np.random.default_rng(6))
    known = rbd.aba_derivatives(model, *given)
    function = rbd.export_function(model, "aba", "torch")
    found = torch.autograd.functional.jacobian(function, tuple(map(torch.tensor, given)))
    for ours, theirs in zip((known.da_dq, known.da_dv, known.da_dtau), found, strict=True):
        np.testing.assert_allclose(theirs.numpy(), ours, rtol=0, atol=1e-10 * np.abs(ours).max())


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed, and the tests above run")
def test_without_it_the_message_says_what_to_install():
    with pytest.raises(RbdkitError, match=r'torch is not installed: pip install "rbdkit\[torch\]"'):
        rbd.export_function(rbd.library.pendulum(), "aba", "torch")
