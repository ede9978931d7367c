"""Constraints in joint coordinates: K and k, accelerations and motions, readable and compiled."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import element_rows
from rbdkit.engine import kernels_for
from rbdkit.errors import ModelError, SimulationError
from rbdkit.formulations import SE3, JointSystem
from rbdkit.integrators import INTEGRATORS
from rbdkit.library.rolling_sphere import SOLID
from rbdkit.model.constraint import seen
from rbdkit.model.constraint_rows import constraint_rows


def slips(model, q, v, t):
    return constraint_rows(model).at(q, v, t, seen(model, q, v, t).motion).slip


@pytest.mark.parametrize("seed", range(6))
def test_K_and_k_are_those_of_differences(seed, tied, extrapolated):
    """K by unit velocities, exact but for round-off; k by differences along the motion."""
    model = tied(seed)
    rng = np.random.default_rng(seed)
    q, v, t = model.random_q(rng), rng.normal(size=model.nv), 0.4
    found = element_rows(model, q, v, t=t)
    rest = slips(model, q, 0.0 * v, t)
    K = np.array([slips(model, q, e, t) - rest for e in np.eye(model.nv)]).T
    np.testing.assert_allclose(found.K, K, rtol=0, atol=1e-12 * max(1.0, np.abs(K).max()))

    def quotient(h):
        behind, ahead = (slips(model, model.integrate(q, s * h * v), v, t + s * h) for s in (-1.0, 1.0))
        return (ahead - behind) / (2.0 * h)

    np.testing.assert_allclose(found.k, -extrapolated(quotient), rtol=0, atol=1e-9 * max(1.0, np.abs(found.k).max()))
    np.testing.assert_allclose(found.K @ v + rest, found.slip, rtol=0, atol=1e-11)


def holding(seed: int, bodies: int = 7) -> tuple[rbd.Model, np.ndarray, np.ndarray]:
    """A random tree of all joint types, with a mimic joint and constraints that hold at a state."""
    model = rbd.library.random_tree(seed + 40, bodies=bodies)
    rng = np.random.default_rng(seed)
    leader = next((j for j in model.joints if j.nq == j.nv == 1), None)
    if leader is not None:
        after = rbd.Mimic(leader.name, -0.7, 0.2)
        model.add_body("after", model.bodies[2].name, rbd.Revolute("y"), [0.1, 0.2, 0.3], rbd.Inertia.sphere(0.2, 1.5),
                       mimic=after)  # fmt: skip
    names = [body.name for body in model.bodies[1:]]
    a, b, c = (str(x) for x in rng.choice(names, 3, replace=False))
    q, v = model.random_q(rng), rng.normal(size=model.nv)
    model.add_frame("hook", a, [0.2, 0.1, -0.3])
    place = seen(model, q, v, 0.0)
    model.add_constraint(
        "rod", rbd.Distance("hook", b, float(np.linalg.norm(place.position("hook") - place.position(b))))
    )
    height = place.rotation(b)[:, 2] @ (place.position(c) - place.position(b))
    model.add_constraint("table", rbd.PointOnPlane(c, b, height=float(height)))
    model.add_constraint("skate", Skate(c))
    if leader is not None:
        one = next((j for j in model.joints if j.nq == j.nv == 1 and j not in (leader,) and j.mimic is None), None)
        if one is not None:
            offset = one.coordinates(q)[0] - 0.4 * model.joint("after_joint").coordinates(q)[0]
            model.add_constraint("gears", rbd.Tie(one.name, "after_joint", 0.4, float(offset)))
    K = element_rows(model, q, v).K
    return model, q, v - np.linalg.pinv(K) @ K @ v


class Skate(rbd.ConstraintElement):
    """A point does not move along its body's y axis."""

    body: str

    def slip(self, at):
        return at.rotation(self.body)[:, 1] @ at.velocity(self.body, (0.2, 0.1, 0.0))


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_compiled_and_readable(seed):
    """H a + C = tau + K^T lambda, K a = k, by a dense solve; mimic joints and fixed ones among the tree."""
    model, q, v = holding(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    own = element_rows(model, q, v)
    H, C = rbd.crba(model, q), rbd.bias_force(model, q, v) - rbd.passive_force(model, q, v)
    m = len(own.k)
    A = np.block([[H, own.K.T], [own.K, np.zeros((m, m))]])
    expected = np.linalg.lstsq(A, np.concatenate([tau - C, own.k]), rcond=None)[0][: model.nv]
    near = 1e-9 * np.abs(expected).max()
    readable, compiled = JointSystem(model, lambda *_: tau, book=True), JointSystem(model, lambda *_: tau)
    np.testing.assert_allclose(readable.rate(0.0, q, v), expected, rtol=0, atol=near)
    kernels = kernels_for(model)
    assert kernels.rows is not None, kernels.why_not
    assert kernels.rows.labels == tuple(row.constraint for row in own.rows)
    np.testing.assert_allclose(kernels.forward_dynamics(q, v, tau), expected, rtol=0, atol=near)
    np.testing.assert_allclose(compiled.rate(0.0, q, v), expected, rtol=0, atol=near)


@pytest.mark.parametrize("integrator", ["rk4", "rk4_projected"])
def test_compiled_steps_are_those_of_the_readable_form(integrator):
    model, q, v = holding(2)
    system, times, method = JointSystem(model, book=True), 2e-3 * np.arange(4), INTEGRATORS[integrator]
    q = system.move(q, 1e-6 * np.sin(np.arange(model.nv)))  # the gaps' squares are left: H and K serve all corrections
    state = method.init(system, 0.0, q, v)
    for k in range(3):
        state = method.step(system, state, times[k + 1] - times[k])
    compiled = JointSystem(model)
    assert compiled.obstacle(None) == ""
    run = compiled.compiled_run(method, times, q, v, 1, lambda done: None)
    for found, expected in ((run.q[-1], state.x), (run.v[-1], state.v)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    if integrator == "rk4_projected":
        assert np.abs(system.constraint_error(run.q[-1])).max() < 1e-13
        assert np.abs(element_rows(model, run.q[-1], run.v[-1]).slip).max() < 1e-12


def test_joint_coordinates_and_bodies_move_alike():
    model = rbd.library.double_pendulum()
    model.add_body("bob", joint=rbd.Free(), inertia=rbd.Inertia.box([0.1, 0.2, 0.3], mass=1.0))
    q = np.concatenate([[0.3, -0.2], [1, 0, 0, 0, 0.5, 0.1, -2.5]])
    tip, top = (0.0, 0.0, -1.0), (0.0, 0.1, 0.2)
    place = seen(model, q, np.zeros(8), 0.0)
    length = float(np.linalg.norm(place.position("rod2", tip) - place.position("bob", top)))
    model.add_constraint("rod", rbd.Distance("rod2", "bob", length, tip, top))
    found = rbd.simulate(model, q, duration=0.3, dt=1e-3)
    expected = rbd.simulate(model, q, duration=0.3, dt=1e-3, formulation="so3xr3", integrator="rk4_projected")
    assert "compiled loop" in str(found)
    np.testing.assert_allclose(found.poses("bob"), expected.poses("bob"), rtol=0, atol=1e-9)
    assert found.report.energy_error < 1e-9
    assert found.report.constraint_error < 1e-13


def test_adaptive_steps_are_pulled_back():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0))
    mimic = rbd.Model("mimic", model.gravity)
    for body in model.bodies[1:]:
        follows = rbd.Mimic("hinge1", -2.0) if body.name == "rod2" else None
        mimic.add_body(
            body.name, model.bodies[body.parent].name, body.joint.type, body.joint.placement, body.inertia,
            joint_name=body.joint.name, mimic=follows,
        )  # fmt: skip
    found = rbd.simulate(model, [0.5, -1.0], duration=1.0, dt=0.1, integrator="dop853")
    expected = rbd.simulate(mimic, [0.5], duration=1.0, dt=0.1, integrator="dop853")
    np.testing.assert_allclose(found.q[:, 0], expected.q[:, 0], rtol=0, atol=1e-7)
    assert "constraints are pulled back by Baumgarte's terms" in str(found)


def test_whole_turns_count_in_joint_coordinates():
    """Any ratio will do: joint coordinates know their turns."""
    model = rbd.library.double_pendulum().with_parameters({"gravity": [0, 0, 0]})
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", float(np.sqrt(2.0))))
    v = np.array([30.0, 30.0 * np.sqrt(2.0)])
    motion = rbd.simulate(model, [0.0, 0.0], v, duration=1.0)
    assert motion.q[-1, 0] > 4.0 * np.pi
    assert np.abs(motion.q[:, 1] - np.sqrt(2.0) * motion.q[:, 0]).max() < 1e-12


@pytest.mark.source("F3.03")
def test_a_ball_rolls_in_joint_coordinates():
    """Down a slope with 5/7 of g sin(a); and forces of reaction over time are those that its spin needs: m a 2/5."""
    slope_angle, r, mass = 0.3, 0.25, 2.0
    model = rbd.library.rolling_sphere(r, mass, SOLID)
    c, s = np.cos(slope_angle), np.sin(slope_angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    model.add_frame("slope", "world", rbd.pose(R))
    model.add_constraint("contact", rbd.Rolling("ball", "slope", r))
    q = np.concatenate([[1, 0, 0, 0], r * R[:, 2]])
    motion = rbd.simulate(model, q, duration=0.5, dt=5e-3)
    a = 9.81 * s / (1.0 + SOLID)
    along = (motion.q[:, 4:] - q[4:]) @ R[:, 0]
    np.testing.assert_allclose(along, 0.5 * a * motion.t**2, rtol=0, atol=1e-9)
    forces = motion.constraint_forces()
    assert list(forces) == ["contact"]
    expected = [mass * 9.81 * c, -mass * a * SOLID, 0.0]
    np.testing.assert_allclose(forces["contact"], np.tile(expected, (len(motion), 1)), rtol=0, atol=1e-9)


def test_what_joint_coordinates_refuse():
    model = rbd.library.double_pendulum()
    model.add_constraint("belt", rbd.Tie("hinge2", "hinge1", -2.0))
    with pytest.raises((ModelError, SimulationError), match="'belt'"):
        rbd.simulate(model, integrator="variational", duration=0.01)
    model = rbd.library.pendulum()
    model.add_constraint("stop", rbd.Limit("hinge", -1.0, 1.0))
    with pytest.raises(ModelError, match=r"constraint 'stop' \(Limit\) bounds its gap"):
        rbd.simulate(model, contact="none")


class Swing(rbd.ConstraintElement):
    """An angle goes with time."""

    gap_unit = "rad"
    joint: str

    def gap(self, at):
        return at.coordinates(self.joint)[0] - 0.3 * np.sin(at.time)


def test_time_moves_constraints_in_joint_coordinates():
    """As a prescribed joint does: in compiled steps of one length, in adaptive ones, and from Python."""
    model, driven = rbd.library.double_pendulum(), rbd.Model("driven")
    model.add_constraint("swing", Swing("hinge1"))
    motion = lambda t: ([0.3 * np.sin(t)], [0.3 * np.cos(t)], [-0.3 * np.sin(t)])  # noqa: E731
    for body in model.bodies[1:]:
        joint = rbd.Prescribed(body.joint.type, motion) if body.name == "rod1" else body.joint.type
        driven.add_body(body.name, model.bodies[body.parent].name, joint, body.joint.placement, body.inertia)
    found = rbd.simulate(model, [0.0, 0.2], [0.3, 0.0], duration=0.1, dt=2e-3)
    expected = rbd.simulate(driven, [0.2], [0.0], duration=0.1, dt=2e-3)
    np.testing.assert_allclose(found.q[:, 1], expected.q[:, 0], rtol=0, atol=1e-9)
    assert "compiled loop" in found.report.backend
    for how in ({"integrator": "dop853"}, {"backend": "book"}):
        other = rbd.simulate(model, [0.0, 0.2], [0.3, 0.0], duration=0.1, dt=2e-3, **how)
        np.testing.assert_allclose(other.q, found.q, rtol=0, atol=1e-8)
    assert found.report.energy_error < 1e-8  # with the work of what swings it


def test_bodies_and_joints_agree_on_gaps(tied):
    model = tied(1)
    q = model.random_q(np.random.default_rng(3))
    by_joints = JointSystem(model).constraint_error(q, 0.2)
    bare = model.with_parameters({})
    bare.constraints = tuple(own for own in bare.constraints if own.name not in ("gears", "leash"))
    system = SE3(bare)
    by_bodies = system.constraint_error(system.state(q, np.zeros(model.nv))[0], 0.2)[-bare_rows(bare) :]
    np.testing.assert_allclose(by_joints[: len(by_bodies)], by_bodies, rtol=0, atol=1e-11)


def bare_rows(model):
    return constraint_rows(model).m


def test_a_gap_that_is_no_number_is_told_by_name():
    """`validate` fell over an empty array where a constraint is no number anywhere near."""

    class Rooted(rbd.ConstraintElement):
        body: str

        def gap(self, at):
            return [np.sqrt(at.position(self.body)[0] - 1e3)]

    model = rbd.Model("far")
    model.add_body("ball", joint=rbd.Free(), inertia=rbd.Inertia.sphere(0.1, 1.0))
    model.add_constraint("root", Rooted("ball"))
    with np.errstate(invalid="ignore"):
        (finding,) = [found for found in model.validate() if found.where == "root"]
        assert finding.what == "constraint that cannot hold"
        with pytest.raises(rbd.StateError, match="constraint 'root' does not hold"):
            rbd.simulate(model, duration=0.1)
