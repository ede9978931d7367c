"""Deformable bodies of masses and springs, against Sueda's equations with their Jacobians written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.scene.build import scene_of
from rbdkit.spatial.fields import material_jacobian
from rbdkit.spatial.so3 import skew

POINTS = [[0.6, 0.0, 0.0], [0.7, 0.0, 0.05], [0.8, 0.0, -0.02], [0.5, 0.1, 0.0]]
EDGES = [(0, 1), (1, 2), (1, 3)]


def arm():
    model = rbd.Model("arm")
    inertia = rbd.Inertia(0.5, [0.15, 0.0, 0.0], np.diag([0.001, 0.004, 0.004]))
    model.add_body("upper", joint=rbd.Revolute("y"), inertia=inertia)
    model.add_body("lower", "upper", rbd.Spherical(), [0.3, 0, 0], inertia)
    return model


@pytest.mark.source("S2.19")
def test_reduced_equation_with_free_and_attached_nodes():
    """Eq 2.92 with J_MR of Eq 2.89: attached nodes ride on bodies, free ones pass through as they are."""
    K = 7.0
    bare, model = arm(), arm()
    made = model.add_deformable("d", POINTS, EDGES, [0.1, 0.2, 0.3, 0.4], K, attached={0: "lower", 3: "upper"})
    assert made.free == (1, 2)
    rng = np.random.default_rng(0)
    q = bare.random_q(rng)
    x_f, v = rng.normal(size=(2, 3)), rng.normal(size=4 + 6)
    neutral = np.array(POINTS)
    whole_q = np.concatenate([q, (x_f - neutral[[1, 2]]).ravel()])
    # bodies in maximal coordinates: E, phi, J_mr and its rate by differences along the motion
    bodies = [1, 2]

    def J_mr(q):
        return np.vstack([rbd.jacobian(bare, q, bare.bodies[i].name, reference="body") for i in bodies])

    E, Phi = rbd.forward_kinematics(bare, q).poses, J_mr(q) @ v[:4]
    h = 1e-4
    rate = [J_mr(bare.integrate(q, s * h * v[:4])) for s in (-2, -1, 1, 2)]
    J_mr_dot = (rate[0] - 8 * rate[1] + 8 * rate[2] - rate[3]) / (12 * h)
    neutral_poses = rbd.forward_kinematics(bare, bare.neutral()).poses
    J_am, J_am_dot, x_a = [], [], []
    for node, body in ((0, 2), (3, 1)):
        R, own = E[body][:3, :3], (np.linalg.inv(neutral_poses[body]) @ [*neutral[node], 1.0])[:3]
        block, rate = np.zeros((2, 3, 12))
        at = slice(6 * body - 6, 6 * body)
        block[:, at] = R @ material_jacobian(own)  # Eq 2.87
        rate[:, at] = R @ skew(Phi[at][:3]) @ material_jacobian(own)  # Eq 2.88
        J_am.append(block)
        J_am_dot.append(rate)
        x_a.append(E[body][:3, 3] + R @ own)
    J_am, J_am_dot = np.vstack(J_am), np.vstack(J_am_dot)
    zero = np.zeros
    J = np.block([[J_mr(q), zero((12, 6))], [J_am @ J_mr(q), zero((6, 6))], [zero((6, 4)), np.eye(6)]])  # Eq 2.89
    J_dot = np.block([
        [J_mr_dot, zero((12, 6))], [J_am_dot @ J_mr(q) + J_am @ J_mr_dot, zero((6, 6))], [zero((6, 10))],
    ])  # fmt: skip
    x = np.zeros((4, 3))
    x[[0, 3]], x[[1, 2]] = x_a, x_f
    m = np.array([0.1, 0.2, 0.3, 0.4])
    f = m[:, None] * bare.gravity  # Eq 2.84
    for i, j in EDGES:
        L, dx = np.linalg.norm(neutral[j] - neutral[i]), x[j] - x[i]
        l = np.linalg.norm(dx)
        pull = K * (l - L) / L * dx / l  # Eq 2.86, with the strain energy of a length L of it
        f[i] += pull
        f[j] -= pull
    M_m, f_m = np.zeros((12, 12)), np.zeros(12)
    for k, i in enumerate(bodies):
        at, R, I = slice(6 * k, 6 * k + 6), E[i][:3, :3], bare.I[i]
        M_m[at, at] = I
        phi = Phi[at]
        ad = np.block([[skew(phi[:3]), zero((3, 3))], [skew(phi[3:]), skew(phi[:3])]])
        f_m[at] = ad.T @ I @ phi + I @ np.concatenate([zero(3), R.T @ bare.gravity])  # Eq 1.21
    M = np.zeros((24, 24))
    M[:12, :12] = M_m
    M[12:18, 12:18] = np.diag(np.repeat(m[[0, 3]], 3))
    M[18:, 18:] = np.diag(np.repeat(m[[1, 2]], 3))
    f_M = np.concatenate([f_m, f[[0, 3]].ravel(), f[[1, 2]].ravel()])
    M_R = J.T @ M @ J
    f_R = J.T @ (f_M - M @ J_dot @ v)  # Eq 2.92
    assert_allclose(rbd.crba(model, whole_q), M_R, atol=1e-12)
    found = rbd.forward_dynamics(model, whole_q, v, np.zeros(10))
    assert_allclose(found, np.linalg.solve(M_R, f_R), rtol=1e-8, atol=1e-8)  # the rate of J loses some digits


@pytest.mark.source("S2.19")
@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_string_of_nodes_swings_with_its_energy(formulation):
    model = rbd.Model("string")
    points = [[0.1 * k, 0.0, 0.0] for k in range(5)]
    model.add_deformable("s", points, [(k, k + 1) for k in range(4)], 0.5, 200.0, attached={0: "world"})
    run = rbd.simulate(model, duration=0.03, dt=5e-4, formulation=formulation)
    assert "compiled" in run.report.backend
    assert run.report.energy_error < 1e-6
    expected = rbd.simulate(model, duration=0.03, dt=5e-4, backend="book")
    assert run.poses() == pytest.approx(expected.poses(), abs=1e-9)
    for name in ("quaternion", "directors"):
        with pytest.raises(rbd.RbdkitError, match=r"translational|bodies"):
            rbd.simulate(model, duration=0.01, formulation=name)


@pytest.mark.source("S2.19")
def test_scenes():
    cube = rbd.library.soft_cube(2)
    run = rbd.simulate(cube, duration=1.0, dt=1e-3)
    heights = run.poses()[-1, 1:, 2, 3]
    assert heights.min() < -0.2 - 5e-4  # it sinks
    assert len(rbd.library.soft_cube().forces) == 158
    with pytest.raises(rbd.ModelError, match="two or more"):
        rbd.library.soft_cube(1)
    robot = rbd.library.robot_with_tail(3)
    again = rbd.load(rbd.formats.to_json(robot))
    q, v = robot.random_q(1), np.linspace(-1, 1, robot.nv)
    tau = np.zeros(robot.nv)
    assert_allclose(rbd.forward_dynamics(again, q, v, tau), rbd.forward_dynamics(robot, q, v, tau), rtol=1e-12)
    both = rbd.stiffness_and_damping(robot, q, v)
    assert both.K.shape == (6 * (len(robot.bodies) - 1) + robot.nv,) * 2


def test_the_mesh_is_drawn_by_its_skin_and_a_spring_of_its_own_by_a_coil():
    model = rbd.library.soft_cube(2)
    model.add_spring("coil", "jelly0", "world", 1.0, at_b=(1.0, 0.0, 0.0))
    faces = sorted(len(band.surface.faces) for band in scene_of(model).bands)
    assert len(faces) == 12 + 1  # two triangles a side
    assert set(faces[:-1]) == {2} and faces[-1] > 10 * faces[0]  # seen from both sides


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"points": [[0, 0]]}, r"must have \(n, 3\)"),
        ({"edges": [(0, 4)]}, "counted from 0"),
        ({"edges": [(0, 1), (1, 0)]}, "twice"),
        ({"edges": [3]}, "pair"),
        ({"points": [[0, 0, 0], [0, 0, 0]], "edges": [(0, 1)]}, "no length"),
        ({"mass": -1.0}, "positive"),
        ({"mass": [1.0, 2.0]}, "one for each of 4"),
        ({"stiffness": -1.0}, "not be negative"),
        ({"attached": {7: "upper"}}, "names node 7"),
        ({"attached": {0: "nobody"}}, "nobody"),
        ({"name": "low"}, "taken"),
    ],
)
def test_nothing_is_added_that_cannot_be(change, text):
    model = arm()
    model.add_body("low2", "lower")
    before = len(model.bodies), len(model.forces)
    with pytest.raises(rbd.ModelError, match=text):
        model.add_deformable(
            **({"name": "d", "points": POINTS, "edges": EDGES, "mass": 1.0, "stiffness": 5.0} | change)
        )
    assert (len(model.bodies), len(model.forces)) == before
