"""Andrews' squeezing mechanism against the Test Set for IVP Solvers."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints import SphereInCylinder
from rbdkit.library import andrews_squeezer
from rbdkit.library.andrews import TORQUE

ORDER = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"]
END = [
    *(15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948),
    *(0.5244099658805304, 0.5347301163226948, 1.048080741042263),
]
END_RATES = [
    *(1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385),
    *(0.5735699284790808, -19.29337464421385, 0.3231791658026955),
]
"""The reference solution at t = 0.03 s, rad and rad/s.

The seven second-order equations of the test set, solved with DOP853, and smaller steps here agree with one another to
1e-9 in the rates, and with these to 5e-8.
"""


def _published_order(model):
    return [model.joint(name).v_slice.start for name in ORDER]


@pytest.mark.parametrize("closing", [None, SphereInCylinder("z")])
def test_it_begins_closed(closing, loop_gap):
    model, q, v = andrews_squeezer(closing)
    assert loop_gap(model, q) < 1e-15
    assert not v.any()
    assert [finding.severity for finding in model.validate()] == (["note"] if closing is None else [])


def test_its_inertia_matrix_is_that_of_the_test_set():
    model = andrews_squeezer().model
    be, th, ga, ph, de, om, ep = np.linspace(-1.0, 2.0, 7)
    q = np.zeros(7)
    order = _published_order(model)
    q[order] = be, th, ga, ph, de, om, ep
    M = np.zeros((7, 7))
    M[0, 0] = 0.04325 * 0.00092**2 + 0.00365 * (0.007**2 - 2 * 0.0115 * 0.007 * np.cos(th) + 0.0115**2)
    M[0, 0] += 2.194e-6 + 4.410e-7
    M[1, 0] = M[0, 1] = 0.00365 * (0.0115**2 - 0.0115 * 0.007 * np.cos(th)) + 4.410e-7
    M[1, 1] = 0.00365 * 0.0115**2 + 4.410e-7
    M[2, 2] = 0.02373 * (0.01874**2 + 0.01043**2) + 5.255e-6
    arm = 0.02 - 0.01421
    M[3, 3] = 0.00706 * arm**2 + 5.667e-7
    M[3, 4] = M[4, 3] = 0.00706 * (arm**2 + 0.04 * arm * np.sin(ph)) + 5.667e-7
    M[4, 4] = 0.00706 * (0.04**2 + 2 * 0.04 * arm * np.sin(ph) + arm**2) + 0.0705 * (0.02308**2 + 0.00916**2)
    M[4, 4] += 5.667e-7 + 1.169e-5
    M[5, 5] = 0.00706 * arm**2 + 5.667e-7
    M[5, 6] = M[6, 5] = 0.00706 * (arm**2 - 0.04 * arm * np.sin(om)) + 5.667e-7
    M[6, 6] = 0.00706 * (arm**2 - 2 * 0.04 * arm * np.sin(om) + 0.04**2) + 0.05498 * (0.01228**2 + 0.00449**2)
    M[6, 6] += 5.667e-7 + 1.912e-5
    tree = rbd.Model("the same without its loops", gravity=(0.0, 0.0, 0.0))
    for body in model.bodies[1:]:
        joint, parent = body.joint, model.bodies[body.parent].name
        tree.add_body(body.name, parent, joint.type, joint.placement, body.inertia, joint_name=joint.name)
    np.testing.assert_allclose(rbd.crba(tree, q)[np.ix_(order, order)], M, rtol=1e-13, atol=1e-19)


@pytest.mark.parametrize("formulation", ["se3", "joint"])
def test_it_ends_as_published(formulation):
    """Runge-Kutta with 6,000 steps; angles from poses leave out full turns, of which the crank makes three."""
    model, q, v = andrews_squeezer()
    order = _published_order(model)
    tau = np.zeros(model.nv)
    tau[model.joint("beta").v_slice] = TORQUE
    motion = rbd.simulate(model, q, v, duration=0.03, dt=5e-6, tau=tau, formulation=formulation)
    turns = 2.0 * np.pi * np.array([3, -3, 0, 0, 0, 0, 0]) * (formulation != "joint")
    np.testing.assert_allclose(motion.q[-1, order] + turns, END, atol=1e-10)
    np.testing.assert_allclose(motion.v[-1, order], END_RATES, rtol=6e-8)
    assert motion.report.constraint_error < 1e-11
