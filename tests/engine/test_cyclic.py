"""Joints about axes of their parents' frames, after these were turned for it: everything computed must stay the same.

The reference are the readable algorithms, which know frames of bodies only, by another formulation; and Pinocchio in
`test_pinocchio`. 1e-12 of the largest for some thousand roundings, times the condition of H where it is solved with.
"""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.engine.links.aligned import aligned
from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.pack import pack
from rbdkit.joints import Fixed, Free, Helical, Prismatic, Revolute, Spherical, Universal
from rbdkit.library import random_tree
from rbdkit.model import Mimic, Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace.run.native import machine

ROUND_OFF = 1e-12


@pytest.fixture(params=["fixed", "free"])
def model(request) -> Model:
    """Joints at right angles to each other in every way, and some that are not."""
    rng, model = np.random.default_rng(7), Model(f"perpendicular on {request.param}")

    def add(parent: str, joint, R=None) -> str:
        name = f"b{len(model.bodies)}"
        place = se3.pose(np.eye(3) if R is None else R, rng.uniform(-0.3, 0.3, 3))
        points = rng.normal(size=(6, 3)) * 0.2
        S = points.T @ points
        I = Inertia(rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), np.trace(S) * np.eye(3) - S)
        model.add_body(name, parent, joint, place, I)
        return name

    trunk = add("world", Free() if request.param == "free" else Revolute("z"))
    for axes in ("xyz", "zzx", "yxy"):  # identical directions: cyclic without any turn
        limb = trunk
        for axis in axes:
            limb = add(limb, Revolute(axis))
    limb = trunk
    for angle, joint in ((0.4, Revolute("y")), (1.1, Revolute("-x")), (-2.0, Helical("z", 0.2)), (0.7, Revolute("x"))):
        c, s = np.cos(angle), np.sin(angle)  # frames turned about the axis before: right angles, but to nothing else
        R = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
        limb = add(limb, joint, np.array(R["z" if isinstance(joint, Helical) else "x"]))
    limb = add(limb, Fixed(), se3.random(rng)[:3, :3])
    limb = add(limb, Revolute("y"), model.bodies[-1].joint.placement[:3, :3].T)
    limb = add(add(limb, Universal()), Prismatic("y"))
    add(add(limb, Revolute("-y")), Spherical())
    add(limb, Revolute("x"), se3.random(rng)[:3, :3])  # about no axis of any frame
    armature = {f"{joint.name}.armature": np.full(joint.nv, 0.1) for joint in model.joints[2:6]}
    return model.with_parameters(armature)


def state(model: Model, n: int | None = None):
    rng = np.random.default_rng(3)
    shape = () if n is None else (n,)
    q = model.random_q(rng) if n is None else np.array([model.random_q(rng) for _ in range(n)])
    v, x = rng.normal(size=(*shape, model.nv)), rng.normal(size=(*shape, model.nv))
    return q, v, x, rng.normal(size=(*shape, len(model.bodies), 6))


def test_which_joints_are_cyclic(model):
    plain = layout(model)
    turned, numbers = aligned(model, plain)
    bodies = {int(body): link for body, link in zip(turned.body_of_link, turned.links, strict=True)}
    assert all(bodies[k].kind.cyclic for k in range(2, 11))
    axes = numbers["rows"][1:, :9].reshape(-1, 3, 3)[:, :, 2]  # in axes of the parents
    for link, axis in zip(turned.links, axes, strict=True):
        assert not link.kind.cyclic or np.max(np.abs(axis - np.eye(3)[link.axis])) < 1e-15
    assert {link.axis for link in turned.links if link.kind.cyclic} == {0, 1, 2}
    revolute = [link for link in turned.links if link.kind.motion.name == "revolute"]
    assert 0 < sum(not link.kind.cyclic for link in revolute) <= 3
    assert not np.array_equal(turned.bases, plain.bases)  # frames had to be turned for some


@pytest.mark.parametrize("backend", ["python", "llvm", "wasm"])
def test_all_that_is_computed(model, backend, wasm, off):
    own = Kernels(model, backend)
    assert not own.unrolls(None) and any(kind.cyclic for kind in own._kinds)
    q, v, x, f = state(model)
    H = algorithms.crba(model, q).H
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(H))
    for forces in (None, f):
        assert off(own.rnea(q, v, x, forces), algorithms.rnea(model, q, v, x, f_ext=forces).tau) < ROUND_OFF
        assert off(own.aba(q, v, x, forces), algorithms.aba(model, q, v, x, f_ext=forces).qdd) < conditioned
    assert off(own.crba(q), H) < ROUND_OFF
    poses, _ = own.forward_kinematics(q)
    assert off(poses, algorithms.forward_kinematics(model, q).poses) < ROUND_OFF
    (*_, by_tau), _ = own.aba_jacobian(q, v, x, f)
    assert off(by_tau, np.linalg.inv(H)) < conditioned
    assert off(own.inverse_inertia_times(q, x), np.linalg.solve(H, x)) < conditioned


@pytest.mark.parametrize("backend", ["python", "llvm", "wasm"])
@pytest.mark.parametrize("apart", [False, True], ids=["a cluster", "far apart"])
def test_joints_that_share_a_freedom_stay_as_they_are(model, apart, backend, wasm, off):
    """A gripper on the tip, or joints of two limbs that follow each other; all others are cyclic as before."""
    before = {joint.name for joint in model.joints[1:]}
    I, place = inertia_like(model), se3.pose(np.eye(3), [0.1, 0.0, 0.2])
    model.add_body("finger", "b4", Prismatic("x"), place, I)
    leader = model.joints[-1].name
    model.add_body("other finger", "b7" if apart else "b4", Prismatic("-x"), place, I, mimic=Mimic(leader, -0.7, 0.1))
    model.add_body("knuckle", "b4", Revolute("y"), place, I, mimic=Mimic(leader, 2.0))
    own = Kernels(model, backend)
    cyclic = {model.joints[k].name for k, x in zip(own._layout.body_of_link, own._layout.links, strict=True)
              if x.kind.cyclic}  # fmt: skip
    assert {model.joints[k].name for k in range(2, 11)} <= cyclic <= before
    assert any(kind.cluster for kind in own._kinds) != apart
    q, v, x, f = state(model)
    H = algorithms.crba(model, q).H
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(H))
    tau = algorithms.rnea(model, q, v, x, f_ext=f).tau
    assert off(own.rnea(q, v, x, f), tau) < ROUND_OFF
    assert off(own.aba(q, v, tau, f), x) < conditioned
    assert off(own.crba(q), H) < ROUND_OFF
    assert off(own.forward_kinematics(q)[0], algorithms.forward_kinematics(model, q).poses) < ROUND_OFF


def inertia_like(model: Model) -> Inertia:
    """That of a body of a model."""
    found = model.bodies[3].inertia
    assert found is not None
    return found


def test_gradients_by_parameters_are_those_in_frames_that_were_not_turned(model, monkeypatch, off):
    q, v, x, f = state(model)
    weights = np.random.default_rng(4).normal(size=model.nv)
    found = []
    for make in (aligned, lambda model, layout: (layout, pack(model, layout))):
        monkeypatch.setattr("rbdkit.engine.run.bound.aligned", make)
        own = Kernels(model, "llvm")
        found.append(own.parameter_gradient(model, own.rnea_gradient(q, v, x, weights, f).by_link))
    assert found[0].keys() == found[1].keys() and len(found[0]) > 80
    largest = max(np.max(np.abs(value)) for value in found[1].values())
    for name, value in found[1].items():
        assert np.max(np.abs(found[0][name] - value)) < ROUND_OFF * largest, name


@pytest.mark.parametrize("width", [2, 4, 8])
def test_in_lanes(model, width, monkeypatch, off):
    monkeypatch.setattr("rbdkit.engine.run.states.LANE_STATES", 1)
    monkeypatch.setattr(machine(), "lanes", width)
    own = Kernels(model, "llvm")
    q, v, x, f = state(model, 11)
    for k, found in enumerate(own.rnea(q, v, x, f)):
        assert off(found, algorithms.rnea(model, q[k], v[k], x[k], f_ext=f[k]).tau) < ROUND_OFF
    for k, found in enumerate(own.aba(q, v, x, f)):
        assert off(found, algorithms.aba(model, q[k], v[k], x[k], f_ext=f[k]).qdd) < 1e-11


def test_a_placement_that_is_almost_at_right_angles_is_taken_as_it_is(off):
    """A tilt far above round-off and far below what anybody sees is no round-off."""
    model = Model("almost")
    for k in range(12):  # more than have straight-line code
        tilt = np.array([[1.0, 0.0, 0.0], [0.0, 1e-7, -1.0], [0.0, 1.0, 1e-7]])
        R, _ = np.linalg.qr(tilt)
        R = R * np.sign(np.sum(R * tilt, axis=0))
        model.add_body(f"b{k}", k, Revolute("z"), se3.pose(R, [0.1, 0.2, 0.3]), Inertia(1.0, [0.1, 0.0, 0.2]))
    assert not any(link.kind.cyclic for link in aligned(model, layout(model))[0].links)
    q, v, x, _ = state(model)
    assert off(Kernels(model, "llvm").rnea(q, v, x), algorithms.rnea(model, q, v, x).tau) < ROUND_OFF


def test_generic_placements_stay_as_they_are():
    model = random_tree(3, bodies=12, joints=[Revolute([0.6, 0.0, 0.8]), Prismatic("y"), Free()])
    plain = layout(model)
    assert aligned(model, plain)[0] is plain
