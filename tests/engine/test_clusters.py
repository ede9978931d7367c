"""Links that share a freedom, eliminated together, against the inertia matrix and against runs without kernels."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import Kernels
from rbdkit.engine.links.layout import layout
from rbdkit.joints import JointType
from rbdkit.library.random_tree import joint_gallery
from rbdkit.spatial import se3

BACKENDS = ("python", "llvm")


def gripper_tree(seed: int, roots: int = 3, floating: bool = False) -> rbd.Model:
    """Hands on a random tree: fingers side by side, phalanges one on the other, more joints on these, racks."""
    rng, model = np.random.default_rng(seed), rbd.Model(f"hands {seed}")
    simple = [kind for kind in joint_gallery(rng) if kind.nq == 1 and kind.nv == 1]

    def add(name: str, parent: str, joint: JointType, mimic: rbd.Mimic | None = None) -> str:
        own = (
            {key: rng.uniform(0.2, 1.0, joint.nv) for key in ("armature", "damping", "stiffness")} if not mimic else {}
        )
        inertia = rbd.Inertia.box(rng.uniform(0.1, 0.4, 3), mass=rng.uniform(0.5, 2.0)).transformed(se3.random(rng))
        return model.add_body(
            name,
            parent,
            joint,
            se3.random(rng),
            inertia,
            mimic=mimic,
            rest=joint.random(rng),
            joint_name=f"j{name}",
            **own,
        ).name

    def kind() -> JointType:
        return simple[rng.integers(len(simple))]

    place = add("base", "world", rbd.Free()) if floating else "world"
    for hand in range(roots):
        palm = add(f"palm{hand}", place, kind()) if hand % 3 else place
        leader = add(f"leader{hand}", palm, kind())

        def follow(leader: str = leader) -> rbd.Mimic:
            return rbd.Mimic(f"j{leader}", rng.uniform(-2.0, 2.0), rng.uniform(-1.0, 1.0))

        add(f"beside{hand}", palm, kind(), follow())
        tip = add(f"phalanx{hand}", leader, kind(), follow())
        tip = add(f"tip{hand}", tip, kind(), follow())
        place = add(f"camera{hand}", tip, rbd.Spherical())
        add(f"rack{hand}", place, rbd.RackAndPinion("z", radius=0.3))
    return model


def state(model: rbd.Model, seed: int = 0):
    rng = np.random.default_rng(seed)
    return model.random_q(rng), *rng.normal(size=(2, model.nv)), rng.normal(size=(len(model.bodies), 6))


def conditioned(model: rbd.Model, q: np.ndarray) -> float:
    """What the condition of H makes of round-off."""
    return 1e-14 * max(100.0, np.linalg.cond(algorithms.crba(model, q).H))


def places(model: rbd.Model) -> list[str]:
    return [link.kind.cluster for link in layout(model).links]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("seed", "roots", "floating"), [(0, 1, False), (1, 2, True), (2, 3, False)])
def test_forward_dynamics_against_the_inertia_matrix(seed, roots, floating, backend, off):
    model = gripper_tree(seed, roots, floating)
    assert places(model).count("top") == 2 * roots + roots and places(model).count("nested") == 3 * roots
    q, v, tau, f = state(model, seed)
    for forces in (None, f):
        expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=forces)
        assert off(Kernels(model, backend).forward_dynamics(q, v, tau, forces), expected) < conditioned(model, q)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.usefixtures("unrolled")
def test_straight_line_code_against_the_inertia_matrix(backend, off):
    model = gripper_tree(3, 1)
    q, v, tau, f = state(model, 3)
    own = Kernels(model, backend)
    assert own.shape is not None
    expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=f)
    assert off(own.forward_dynamics(q, v, tau, f), expected) < conditioned(model, q)
    assert off(own.rnea(q, v, tau, f), algorithms.rnea(model, q, v, tau, f_ext=f).tau) < 1e-12
    assert off(own.crba(q), algorithms.crba(model, q).H) < 1e-12


def test_the_freedom_alone_is_what_its_links_weigh_together():
    """Two sliders on the world that share a coordinate: (m1 + r^2 m2) qdd = tau - damping."""
    model = rbd.Model("sliders", gravity=(0, 0, 0))
    model.add_body("a", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), joint_name="lead", armature=0.5)
    model.add_body("b", joint=rbd.Prismatic("y"), inertia=rbd.Inertia(3.0), mimic=rbd.Mimic("lead", -2.0))
    assert places(model) == ["top", "top"]
    found = rbd.forward_dynamics(model, [0.1], [0.2], [7.0])
    np.testing.assert_allclose(found, [7.0 / (2.0 + 0.5 + 4.0 * 3.0)], rtol=1e-15)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_makes_no_cluster_goes_by_the_inertia_matrix(backend, off):
    """A follower on another branch, or beyond a joint of its own: nobody's freedom can be eliminated there."""
    rng = np.random.default_rng(4)
    ball = rbd.Inertia.sphere(0.2, mass=1.0).transformed(se3.random(rng))
    for parent in ("other", "between"):
        model = rbd.Model(f"follower on {parent}")
        model.add_body("lead", joint=rbd.Revolute("x"), inertia=ball, joint_name="lead")
        model.add_body("other", joint=rbd.Revolute("y"), placement=se3.random(rng), inertia=ball)
        model.add_body("between", "lead", rbd.Prismatic("y"), se3.random(rng), ball)
        model.add_body("follower", parent, rbd.Revolute("z"), se3.random(rng), ball, mimic=rbd.Mimic("lead", 1.5))
        assert not any(places(model))
        q, v, tau, f = state(model, 4)
        expected = algorithms.forward_dynamics(model, q, v, tau, f_ext=f)
        assert off(Kernels(model, backend).forward_dynamics(q, v, tau, f), expected) < conditioned(model, q)


@pytest.mark.parametrize(
    ("integrator", "roots"),
    [("rk4", 1), ("rk4", 2), ("symplectic_euler", 1), ("variational", 1), ("implicit_midpoint", 1)],
)
def test_motions_against_runs_without_kernels(integrator, roots):
    model = gripper_tree(5, roots)
    q, v, tau, _ = state(model)
    given = {"duration": 0.01, "dt": 1e-3, "integrator": integrator, "tau": tau}
    compiled = rbd.simulate(model, q, 0.3 * v, **given)
    book = rbd.simulate(model, q, 0.3 * v, backend="book", **given)
    assert compiled.report.backend == "compiled loop (LLVM)"
    # ten steps: round-off of accelerations of some 1e3 rad/s2, and of the equations that implicit methods solve
    np.testing.assert_allclose(compiled.q, book.q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(compiled.v, book.v, rtol=0, atol=1e-9)


def test_stacks_in_lanes(off):
    model = gripper_tree(6, 2)
    rng = np.random.default_rng(6)
    q = np.array([model.random_q(rng) for _ in range(600)])
    v, tau = rng.normal(size=(2, 600, model.nv))
    found = rbd.forward_dynamics(model, q, v, tau)
    for k in (0, 311, 599):
        expected = algorithms.forward_dynamics(model, q[k], v[k], tau[k])
        assert off(found[k], expected) < conditioned(model, q[k])
