"""Limbs that are alike, computed side by side: the same numbers as link by link, and as the readable algorithms.

The passes do for each link what they do when it is computed alone, in the same order: so results are equal to the last
bit, unless ranks have axes of their parents in different orders, which takes sums of more terms. Against the readable
algorithms 1e-12 of the largest for some thousand roundings, times the condition of H.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.force_elements import element_force
from rbdkit.engine import Kernels
from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.limbs import kinds_with, limb_tables, limbs_of
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.recordings import recorded_code
from rbdkit.joints import Free, Helical, JointType, Prismatic, Revolute, Spherical, Universal
from rbdkit.library import random_tree
from rbdkit.model import Model
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace import llvm_source

ROUND_OFF = 1e-12


def inertia(rng: np.random.Generator) -> Inertia:
    points = rng.normal(size=(6, 3)) * 0.2
    S = points.T @ points
    return Inertia(rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), np.trace(S) * np.eye(3) - S)


def walker(limbs: list[list[JointType]], seed: int = 5, turned: bool = False) -> Model:
    """A free trunk with limbs of these joints. turned : whether they are placed in any direction."""
    rng, model = np.random.default_rng(seed), Model("walker")
    model.add_body("trunk", "world", Free(), inertia=inertia(rng))
    for joints in limbs:
        parent = "trunk"
        for joint in joints:
            R = se3.random(rng)[:3, :3] if turned else np.eye(3)
            name = f"b{len(model.bodies)}"
            model.add_body(name, parent, joint, se3.pose(R, rng.uniform(-0.3, 0.3, 3)), inertia(rng))
            parent = name
    return model


def legs(number: int, axes: str) -> list[list[JointType]]:
    return [[Revolute(axis) for axis in axes] for _ in range(number)]


ODD: list[JointType] = [Revolute("x"), Spherical(), Prismatic("y"), Universal(), Helical("z", 0.1), Revolute("z")]
MODELS = {
    "four legs": (lambda: walker(legs(4, "xyy")), 4),
    "legs and arms": (lambda: walker([*legs(2, "zxyyyx"), *legs(2, "yxzyz")]), 2),
    "any direction": (lambda: walker([*legs(2, "xxxxxx"), *legs(3, "xxxx")], turned=True), 4),
    "many joints": (lambda: walker([ODD] * 4), 4),
    "other axes": (lambda: walker([*legs(1, "xyxy"), *legs(1, "xzxz")]), 2),
    "five fingers": (lambda: walker([*legs(4, "zyyy"), *legs(1, "xyz")]), 4),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    make, at_once = MODELS[request.param]
    model = make()
    values = {f"{joint.name}.armature": np.full(joint.nv, 0.1) for joint in model.joints[3::2] if joint.nv}
    for joint in model.joints[1:]:
        values |= {f"{joint.name}.stiffness": np.full(joint.nv, 0.7), f"{joint.name}.damping": np.full(joint.nv, 0.2)}
    if request.param != "legs and arms":  # rotors that only some have part what would be alike
        values = {name: x for name, x in values.items() if not name.endswith("armature")}
    model = model.with_parameters(values)
    found = Kernels(model, "llvm")._limbs
    assert found is not None and found.at_once == at_once
    return model


def both(model: Model) -> tuple[Kernels, Kernels]:
    """With limbs side by side, and link by link."""
    alone = Kernels(model, "llvm")
    alone.__dict__["_limbs"] = None
    return Kernels(model, "llvm"), alone


def reordered(kernels: Kernels) -> bool:
    """Whether there are ranks whose links turn about different axes of their parents."""
    assert kernels._limbs is not None
    return kinds_with(kernels._kinds, kernels._limbs) != kernels._kinds


def state(model: Model) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    rng = np.random.default_rng(8)
    q, v, x = model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    return q, v, x, rng.normal(size=(len(model.bodies), 6))


def test_dynamics(model, off):
    together, alone = both(model)
    q, v, x, f = state(model)
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(algorithms.crba(model, q).H))
    for forces in (None, f):
        for algorithm in ("rnea", "aba", "forward_dynamics"):
            found, expected = (getattr(kernels, algorithm)(q, v, x, forces) for kernels in (together, alone))
            assert np.array_equal(found, expected) or (reordered(together) and off(found, expected) < conditioned)
        assert off(together.rnea(q, v, x, forces), algorithms.rnea(model, q, v, x, f_ext=forces).tau) < ROUND_OFF
        assert off(together.aba(q, v, x, forces), algorithms.aba(model, q, v, x, f_ext=forces).qdd) < conditioned


def test_inertia_and_derivatives(model, off):
    together, alone = both(model)
    q, v, x, f = state(model)
    H = algorithms.crba(model, q).H
    assert np.array_equal(together.crba(q), alone.crba(q)) and off(together.crba(q), H) < ROUND_OFF
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(H))
    for forces in (None, f):
        found, expected = (kernels.rnea_jacobian(q, v, x, forces) for kernels in (together, alone))
        book = algorithms.rnea_derivatives(model, q, v, x, f_ext=forces)
        for own, other, readable in zip(found, expected, (book.dtau_dq, book.dtau_dv, book.dtau_da), strict=True):
            assert np.array_equal(own, other) and off(own, readable) < ROUND_OFF
        for passive in (False, True):
            blocks, qdd = together.aba_jacobian(q, v, x, forces, passive)
            others, same = alone.aba_jacobian(q, v, x, forces, passive)
            if not reordered(together):
                assert np.array_equal(qdd, same) and all(map(np.array_equal, blocks, others))
            assert all(off(a, b) < conditioned for a, b in zip(blocks, others, strict=True))
            assert off(blocks[2], np.linalg.inv(H)) < conditioned


@pytest.mark.parametrize("integrator", ["rk4", "symplectic_euler", "implicit_midpoint", "variational", "rk45"])
def test_motions(model, integrator, monkeypatch):
    """And with torques of a user's own, which are computed before the passes."""
    q, v, *_ = state(model)

    def torque(t: float, q: NDArray, v: NDArray) -> NDArray:
        return -0.3 * v + 0.1 * np.sin(3.0 * t)

    def run(tau: object) -> NDArray:
        options = {"integrator": integrator, "duration": 0.03, "dt": 1e-3, "tau": tau}
        return rbd.simulate(model.with_parameters({}), q, 0.3 * v, progress=False, **options).q

    side_by_side = [run(None), run(torque)]
    exact = not reordered(Kernels(model, "llvm"))
    monkeypatch.setattr("rbdkit.engine.run.bound.limbs_of", lambda layout: None)
    for found, expected in zip(side_by_side, [run(None), run(torque)], strict=True):
        assert np.array_equal(found, expected) or (not exact and np.abs(found - expected).max() < 1e-12)


def test_the_code_is_wide():
    kinds = Kernels(walker(legs(4, "xyy")), "llvm")._kinds
    for algorithm in ("aba", "rnea"):
        assert "<4 x double>" in llvm_source(recorded_code(Task(algorithm), kinds, limbs=4).program)
        assert " x double>" not in llvm_source(recorded_code(Task(algorithm), kinds).program)


def test_what_is_alike():
    assert limbs_of(layout(walker(legs(1, "xyzxyz")))) is None  # one limb
    assert limbs_of(layout(walker(legs(4, "x")))) is None  # links whose parent is shared
    assert limbs_of(layout(walker([legs(1, "xyzx")[0], [Prismatic("x")] * 4]))) is None
    model = walker([*legs(1, "xxxyz"), *legs(1, "zxyz")])  # alike from the tips up
    kernels = Kernels(model, "llvm")
    assert kernels._limbs is not None
    bodies = kernels._layout.body_of_link
    joints = [[model.joints[bodies[number - 1]].type for number in rank] for rank in kernels._limbs.ranks]
    assert joints == [[Revolute(axis)] * 2 for axis in "xyz"]
    assert reordered(kernels)  # x after x, and after z
    assert not reordered(Kernels(walker(legs(2, "xyz")), "llvm"))


@given(st.integers(0, 10_000), st.floats(0.0, 1.0), st.integers(3, 40))
def test_tables_of_any_tree(seed, branching, bodies):
    """Every link is computed once, after its parent; ranks are side by side in the work space, and so their parents."""
    model = random_tree(seed, bodies=bodies, branching=branching, joints=[Revolute("z")])
    plan = layout(model)
    limbs = limbs_of(plan)
    if limbs is None:
        return
    order = [*limbs.alone, *(number for rank in limbs.ranks for number in rank)]
    assert sorted(order) == list(range(1, len(plan.links) + 1))
    place = {0: -1, **{number: k for k, number in enumerate(order)}}
    assert all(place[link.parent] < place[number] for number, link in enumerate(plan.links, start=1))
    kinds, width = [plan.links[0].kind], 7
    tables, size = limb_tables(plan, kinds, limbs, width)
    row = tables["row_of"]
    taken = row[:, None] + limbs.at_once * np.arange(width)
    assert len(set(taken.ravel().tolist())) == taken.size and taken.min() == 0 and taken.max() < size
    for rank in limbs.ranks:
        assert len({plan.links[number - 1].kind for number in rank}) == 1
        for numbers in (rank, [plan.links[number - 1].parent for number in rank]):
            assert np.array_equal(row[list(numbers)] - row[numbers[0]], np.arange(limbs.at_once))


def with_elements(model: Model, bodies: bool) -> Model:
    """Friction in every other joint; with bodies, springs between them, alike and one of another make, too."""
    for k, joint in enumerate(model.joints[2::2]):
        model.add_force(f"friction{k}", rbd.JointFriction(joint.name, 0.3, creep=0.1))
    names = [body.name for body in model.bodies[1:]]
    for k, name in enumerate(names[2::3] if bodies else ()):
        model.add_force(f"spring{k}", rbd.Spring(names[0], name, stiffness=5.0, rest_length=0.2))
    if bodies:
        model.add_force("damper", rbd.Damper(names[1], names[-1], 0.4, at_b=(0.1, 0.0, 0.2)))
    return model


@pytest.mark.parametrize("bodies", [False, True])
def test_force_elements(bodies, off, monkeypatch):
    model = with_elements(walker([*legs(2, "zxyyyx"), *legs(2, "yxzyz")]), bodies)
    together, alone = both(model)
    assert together.own is not None and together.own.asks_bodies == bodies and together._limbs is not None
    q, v, x, f = state(model)
    conditioned = ROUND_OFF * max(1.0, 1e-2 * np.linalg.cond(algorithms.crba(model, q).H))
    for forces in (None, f):
        found = together.forward_dynamics(q, v, x, forces)
        assert np.array_equal(found, alone.forward_dynamics(q, v, x, forces))
        expected = rbd.forward_dynamics(model, q, v, x, f_ext=forces, backend="book")
        assert off(found, expected) < conditioned
    tau, stored, lost = together.own_forces(q, v)
    assert off(tau, element_force(model, q, v)) < ROUND_OFF
    assert (stored > 0.0) == bodies and lost > 0.0

    def motion() -> NDArray:
        return rbd.simulate(model.with_parameters({}), q, 0.3 * v, duration=0.03, dt=1e-3, progress=False).q

    side_by_side = motion()
    monkeypatch.setattr("rbdkit.engine.run.bound.limbs_of", lambda layout: None)
    assert np.array_equal(side_by_side, motion())


def test_what_asks_joints_alone_computes_no_bodies():
    """Coulomb's friction of a robot's joints: no pose of a link, and no force on one."""
    plain, joints, bodies = (walker(legs(2, "zxyyyx")) for _ in range(3))
    widths = []
    for model in (plain, with_elements(joints, False), with_elements(bodies, True)):
        kernels = Kernels(model, "llvm")
        recorded = recorded_code(Task("forward_dynamics", own=kernels.own), kernels._kinds)
        assert ("own_force" in recorded.program.arrays) == (model is bodies)
        widths.append(recorded.width)
    assert widths[0] == widths[1] < widths[2]
