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


@pytest.mark.filterwarnings("ignore")  # as above
@pytest.mark.parametrize("formulation", ("maximal", "so3xr3"))
def test_their_energy_and_losses_are_those_on_the_bodies(formulation):
    """By hand, from the poses and twists of the bodies; by joint coordinates they part by 1e-2."""
    model, parent = rbd.Model("chain"), "world"
    link = rbd.Inertia(1.0, [0.3, 0.0, 0.0], 0.05 * np.eye(3))
    for k in range(3):
        parent = model.add_body(f"b{k}", parent, rbd.Revolute("y"), [0.6, 0.0, 0.0], link)
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.1, -0.2])
    model.add_spring("band", "b0", "b2", 3000.0, 0.4, 20.0, tuple(a), tuple(b))
    model.add_force("seal", rbd.Maxwell("b0", "b2", 2000.0, 50.0, 0.3, at_a=tuple(a), at_b=tuple(b)))
    v = np.array([3.0, -2.0, 4.0])
    options = {"formulation": formulation, "dt": 2e-3}
    # a method of order 2 with long steps, so that joints gape; nothing pulls them back
    run = rbd.simulate(model, [0.4, -0.3, 0.5], v, 0.2, integrator="heun", **options)
    assert np.abs(run.constraint_error()).max() > 1e-3
    ends = []
    for k, x in ((1, a), (3, b)):
        T, U = run.poses()[:, k], run.velocities()[:, k]
        velocity = U[:, 3:] + np.cross(U[:, :3], x)
        ends.append((T[:, :3, 3] + T[:, :3, :3] @ x, np.einsum("nij,nj->ni", T[:, :3, :3], velocity)))
    (p_a, v_a), (p_b, v_b) = ends
    length = np.linalg.norm(p_b - p_a, axis=1)
    rate = np.einsum("ni,ni->n", p_b - p_a, v_b - v_a) / length
    stretch = length - 0.3 - run.state("seal.dashpot")
    stored = 1500.0 * (length - 0.4) ** 2 + 1000.0 * stretch**2
    lost = 20.0 * rate**2 + (2000.0 * stretch) ** 2 / 50.0
    assert run.energy().spring == pytest.approx(stored, rel=1e-12)
    found = [run.system.lost_in_elements(x, w, t) for t, x, w in zip(run.t, run.x, run.w, strict=True)]
    assert found == pytest.approx(lost, rel=1e-8, abs=1e-8 * lost.max())  # differences of the energy
    taken = np.concatenate([[0.0], np.cumsum((lost[1:] + lost[:-1]) * 1e-3)])
    assert run.work() == pytest.approx(-taken, abs=1e-2 * taken[-1])  # Simpson's rule against trapezia
