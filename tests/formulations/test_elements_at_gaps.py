"""Force elements where joints gape: they act where the bodies are, in the readable form as in compiled code."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.formulations import FORMULATIONS
from rbdkit.integrators import RK4, LinearlyImplicitEuler


@pytest.mark.filterwarnings("ignore")  # gaps of centimetres are what this is about
@pytest.mark.parametrize("method", [RK4(), LinearlyImplicitEuler(gamma=0.0)], ids=lambda x: x.name)
def test_both_forms_place_them_by_poses(method):
    """A chain with stiff springs across its joints, whose gaps open to 3 cm where nothing closes them (gamma = 0)."""
    model, parent = rbd.Model("chain"), "world"
    link = rbd.Inertia(1.0, [0.3, 0.0, 0.0], 0.05 * np.eye(3))
    for k in range(4):
        joint = rbd.Spherical() if k % 2 else rbd.Revolute("y")
        parent = model.add_body(f"b{k}", parent, joint, [0.6, 0.0, 0.0], link)
    for k in range(3):
        model.add_spring(f"s{k}", f"b{k}", f"b{k + 1}", 3000.0, 0.1, 2.0, (0.1, 0.2, 0.3), (0.3, 0.1, -0.2))
    rng = np.random.default_rng(1)
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    system = FORMULATIONS["maximal"](model)
    state = method.init(system, 0.0, *system.state(q, v))
    for _ in range(20):
        state = method.step(system, state, 1e-3)
    run = rbd.simulate(model, q, v, 0.02, 1e-3, formulation="maximal", integrator=method)
    assert "LLVM" in run.report.backend
    assert run.x[-1] == pytest.approx(state.x, abs=1e-12)  # by joint coordinates they part by 1e-6 and 1e-2
    assert np.abs(system.constraint_error(state.x)).max() > 1e-9
