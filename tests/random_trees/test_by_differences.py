"""What the readable form says, against finite differences and Newton's laws body by body, on random trees.

Differences are central ones of order 6: they are wrong by h^6 f^(7) / 140, and by eps |f| / h from rounding. Rates of
joints and motors add up along a branch, so f^(7) is large in time, and h short there; along the coordinates the
functions are made of sines of the angle and its double, and h may be longer.
"""

import numpy as np

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.spatial.cross import cross_force

IN_TIME = 1e-3
IN_SPACE = 5e-3


def slope(f, h):
    """f'(0)."""
    return sum(c * (f(k * h) - f(-k * h)) for k, c in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))) / h


def along(c, s):
    """(q, t) a while s later."""
    return c.model.integrate(c.q, s * c.v), c.t + s


def test_velocities_are_rates_of_poses(seed, any_case, agree):
    c = any_case(seed)

    def poses(s):
        q, t = along(c, s)
        return algorithms.forward_kinematics(c.model, q, None, t=t).poses

    T, rate = poses(0.0), slope(poses, IN_TIME)
    V = algorithms.forward_kinematics(c.model, c.q, c.v, t=c.t).velocities
    R = T[:, :3, :3]
    turning = np.swapaxes(R, 1, 2) @ rate[:, :3, :3]
    found = np.column_stack(
        [turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0], (np.swapaxes(R, 1, 2) @ rate[:, :3, 3:])[..., 0]]
    )
    agree("velocities from poses", V, found, 1e-11)


def test_jacobians_and_bias_accelerations(seed, any_case, agree):
    """V = J v + what the motors do, and dV/dt = J a + (Jdot v): with it the accelerations in RNEA."""
    c = any_case(seed)

    def velocities(s):
        q, t = along(c, s)
        return algorithms.forward_kinematics(c.model, q, c.v + s * c.x, t=t).velocities

    V, V0 = (algorithms.forward_kinematics(c.model, c.q, v, t=c.t).velocities for v in (c.v, 0.0 * c.v))
    rate = slope(velocities, IN_TIME)
    scale, growth = np.abs(V).max(), np.abs(rate).max()
    for body in c.model.bodies[1:]:
        J = algorithms.jacobian(c.model, c.q, body.name, "body", t=c.t)
        agree("jacobian from velocities", J @ c.v, V[body.index] - V0[body.index], 1e-13, scale or 1.0)
        bias = algorithms.bias_acceleration(c.model, c.q, c.v, body.name, "body", t=c.t)
        agree("accelerations from velocities", J @ c.x + bias, rate[body.index], 1e-11, growth or 1.0)


def test_forces_from_newton_and_euler(seed, any_case, agree):
    """tau = sum J^T (I a + V x* I V - weight - f_ext) + rotors; H likewise: no recursion, world coordinates."""
    c = any_case(seed)
    V = algorithms.forward_kinematics(c.model, c.q, c.v, t=c.t)
    tau, H = np.zeros(c.model.nv), np.zeros((c.model.nv, c.model.nv))
    for body in c.model.bodies[1:]:
        J = algorithms.jacobian(c.model, c.q, body.name, "body", t=c.t)
        a = J @ c.x + algorithms.bias_acceleration(c.model, c.q, c.v, body.name, "body", t=c.t)
        R, p = np.split(V.poses[body.index][:3], [3], axis=1)
        a[3:] -= R.T @ c.model.gravity
        I, v = c.model.I[body.index], V.velocities[body.index]
        moment, force = c.f[body.index][:3] - np.cross(p[:, 0], c.f[body.index][3:]), c.f[body.index][3:]
        tau += J.T @ (I @ a + cross_force(v, I @ v) - np.concatenate([R.T @ moment, R.T @ force]))
        H += J.T @ I @ J
        joint = body.joint
        scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
        rotor = np.diag(scale**2 * joint.armature)
        H[joint.v_slice, joint.v_slice] += rotor
        tau[joint.v_slice] += rotor @ c.x[joint.v_slice]
    agree("rnea from Newton and Euler", algorithms.rnea(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t).tau, tau, 1e-13)
    agree("crba from Newton and Euler", algorithms.crba(c.model, c.q, t=c.t).H, H, 1e-13)


def test_accelerations_give_the_forces_back(seed, any_case, agree):
    """In the forces nothing is solved for: the round-off of the largest of their parts, H times the accelerations."""
    c = any_case(seed)
    a = algorithms.forward_dynamics(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t)
    needed = algorithms.rnea(c.model, c.q, c.v, a, f_ext=c.f, t=c.t).tau - algorithms.passive_force(c.model, c.q, c.v)
    H = algorithms.crba(c.model, c.q, t=c.t).H
    scale = np.abs(c.x).max() + np.abs(needed).max() + (np.abs(H) @ np.abs(a)).max()
    agree("rnea of forward_dynamics", needed, c.x, 1e-13, scale)


def test_momentum_and_power(seed, any_case, agree):
    """Energy grows as the powers say, momentum is that of the bodies one by one."""
    c = any_case(seed)
    tau = algorithms.rnea(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t).tau - algorithms.passive_force(c.model, c.q, c.v)
    balance = algorithms.power_balance(c.model, c.q, c.v, c.x, tau, f_ext=c.f, t=c.t)

    def energy(s):
        q, t = along(c, s)
        return algorithms.energy(c.model, q, c.v + s * c.x, t=t).total

    parts = [balance.energy_rate, balance.applied, balance.external, balance.driven, balance.dissipated]
    scale = sum(abs(float(part)) for part in parts)
    agree("power balance", balance.residual, 0.0, 1e-12, scale)
    rounding = abs(float(energy(0.0))) / scale  # of differences of a large energy
    agree("energy's rate", balance.energy_rate, slope(energy, IN_TIME), 1e-10 * max(1.0, rounding), scale)
    kinematics = algorithms.forward_kinematics(c.model, c.q, c.v, t=c.t)
    h = np.zeros(6)
    moved = [body for body in c.model.bodies[1:] if _moves(c.model, body.index)]
    for body in moved:
        T, own = kinematics.poses[body.index], c.model.I[body.index] @ kinematics.velocities[body.index]
        n, p = T[:3, :3] @ own[:3], T[:3, :3] @ own[3:]
        h += np.concatenate([n + np.cross(T[:3, 3], p), p])
    agree("momentum of the bodies", algorithms.momentum(c.model, c.q, c.v, "world", t=c.t), h, 1e-13)


def _moves(model, body):
    return any(not model.joints[j].type.is_fixed for j in model.support(body))


def test_derivatives_of_forces(seed, any_case, agree):
    """In a random direction of all coordinates; forces are of degree two in v and one in a."""
    c = any_case(seed)
    d = algorithms.rnea_derivatives(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t)

    def rnea(q, v, a):
        return algorithms.rnea(c.model, q, v, a, f_ext=c.f, t=c.t).tau

    u = c.w / max(1.0, np.linalg.norm(c.w))
    by_q = slope(lambda s: rnea(c.model.integrate(c.q, s * u), c.v, c.x), IN_SPACE)
    scale = max(np.abs(by_q).max(), np.abs(rnea(c.q, c.v, c.x)).max())
    agree("dtau/dq by differences", d.dtau_dq @ u, by_q, 1e-11, scale)
    by_v = slope(lambda s: rnea(c.q, c.v + s * u, c.x), 0.1)
    agree("dtau/dv by differences", d.dtau_dv @ u, by_v, 1e-12, scale + np.abs(by_v).max())
    agree("dtau/da", d.dtau_da, algorithms.crba(c.model, c.q, t=c.t).H, 1e-13)


def test_derivatives_of_accelerations(seed, any_case, agree):
    """Where H is nearly singular at complex coordinates close by, differences say little; so h shrinks with it."""
    c = any_case(seed)
    d = algorithms.forward_dynamics_derivatives(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t)

    def qdd(q, v, tau):
        return algorithms.forward_dynamics(c.model, q, v, tau, f_ext=c.f, t=c.t)

    u = c.w / max(1.0, np.linalg.norm(c.w))
    scale = np.abs(qdd(c.q, c.v, c.x)).max()
    by_q = slope(lambda s: qdd(c.model.integrate(c.q, s * u), c.v, c.x), 1e-3)
    agree("da/dq by differences", d.dqdd_dq @ u, by_q, 1e-12 * max(100.0, c.cond), scale + np.abs(by_q).max())
    by_v = slope(lambda s: qdd(c.q, c.v + s * u, c.x), 0.1)
    agree("da/dv by differences", d.dqdd_dv @ u, by_v, 1e-14 * max(100.0, c.cond), scale + np.abs(by_v).max())
    by_tau = slope(lambda s: qdd(c.q, c.v, c.x + s * u), 0.1)
    agree("da/dtau by differences", d.dqdd_dtau @ u, by_tau, 1e-14 * max(100.0, c.cond), scale + np.abs(by_tau).max())


def test_hybrid_dynamics(seed, any_case, agree):
    """Some joints are told what to do, the others what to feel: a motion that is known from both sides."""
    c = any_case(seed)
    tau = algorithms.rnea(c.model, c.q, c.v, c.x, f_ext=c.f, t=c.t).tau
    free = [joint.name for k, joint in enumerate(c.model.joints[1:]) if k % 2 and joint.nv and joint.mimic is None]
    found = rbd.hybrid_dynamics(c.model, c.q, c.v, tau, c.x, free, f_ext=c.f, t=c.t)
    agree("hybrid dynamics, a", found.a, c.x, 1e-14 * max(100.0, c.cond))
    scale = np.abs(tau).max() + (np.abs(algorithms.crba(c.model, c.q, t=c.t).H) @ np.abs(found.a)).max()
    agree("hybrid dynamics, tau", found.tau, tau, 1e-14 * max(100.0, c.cond), scale)
