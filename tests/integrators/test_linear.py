import numpy as np

import rbdkit as rbd
from rbdkit.formulations import JointSystem, linearize
from rbdkit.library import pendulum, random_state, random_tree


def test_a_pendulum_near_rest_is_an_oscillator():
    """K = -m g d / I; the differences of step 1e-6 leave 1e-10."""
    model = pendulum(length=0.7)
    system = JointSystem(model, lambda t, q, v: np.zeros(1))
    linear = linearize(system, 0.0, np.zeros(1), np.zeros(1))
    inertia = model.bodies[1].inertia
    expected = -inertia.mass * 9.81 * 0.35 / inertia.matrix[1, 1]
    np.testing.assert_allclose(linear.K, [[expected]], rtol=1e-9)
    np.testing.assert_allclose(linear.C, [[0.0]], atol=1e-9)
    np.testing.assert_allclose(np.linalg.eigvals(linear.matrix) ** 2, expected, rtol=1e-9)


def test_damping_appears_through_the_inertia():
    model = random_tree(3, 4, [rbd.Spherical(), rbd.Revolute("x"), rbd.Planar()])
    q, v, _ = random_state(model, 3)
    still = np.zeros(model.nv)
    damping = {f"{joint.name}.damping": np.full(joint.nv, 2.0) for joint in model.joints if joint.nv}
    C = [linearize(JointSystem(m, lambda t, q, v: still), 0.0, q, v).C for m in (model.with_parameters(damping), model)]
    expected = -2.0 * np.linalg.inv(rbd.crba(model, q))
    np.testing.assert_allclose(C[0] - C[1], expected, atol=1e-7 * np.max(np.abs(expected)))  # of the differences
